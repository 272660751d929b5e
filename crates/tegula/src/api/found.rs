//! What a run found, before it is made a result.

use crate::context::Context;
use crate::evidence::Findings;

/// What a run found.
pub(super) struct Found {
    pub(super) context: Context,
    pub(super) findings: Findings,
    /// Records before the references.
    pub(super) own: usize,
}
