//! Whether a decision is made without a list of all pairs, and what it then needs.

use super::job::Job;
use crate::context::{Context, Reservation};
use crate::decide::Policy;
use crate::error::Result;
use crate::evidence::{PairSink, Pairs};
use crate::group::Groups;
use crate::pair::Pair;
use crate::unit::Units;

/// The maximum number of pairs listed if only a decision is needed.
pub(super) fn listed(job: &Job, groups: usize) -> u64 {
    let (all, each) = job.tuning.listed;
    all + each * groups as u64
}

/// How to decide if there are too many pairs.
pub(super) struct Deciding {
    /// By group, its position in keep order.
    pub(super) places: Vec<u32>,
    /// The maximum number of pairs listed.
    pub(super) most: u64,
    _held: Reservation,
}

impl Deciding {
    /// Prepares a decision by this policy.
    ///
    /// # Errors
    /// A usage error if the policy names a field that was not read; errors of the memory ceiling.
    pub(super) fn new(
        context: &Context,
        policy: &Policy,
        (units, groups): (&Units, &Groups),
        most: u64,
    ) -> Result<Self> {
        let held = context
            .budget
            .reserve(4 * groups.len() as u64, "the order of texts")?;
        let _order = context
            .budget
            .reserve(4 * units.len() as u64, "the order of texts")?;
        Ok(Self {
            places: policy.places(units, groups)?,
            most,
            _held: held,
        })
    }
}

/// The pairs of a kept and a removed text, by group.
pub(super) fn of_both(context: &Context, pairs: &Pairs, kept: &[bool]) -> Result<Pairs> {
    let sink = PairSink::new(context);
    let is_of_both = |pair: Pair| kept[pair.a as usize] != kept[pair.b as usize];
    pairs.pass(&sink, |pair| is_of_both(pair).then_some(pair))?;
    context.pool()?.install(|| sink.finish())
}
