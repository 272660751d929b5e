//! Substitutes for missing texts.

use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

/// The substitute for bytes without a text: `sha256:` and their digest.
pub(crate) fn digest(bytes: &[u8]) -> String {
    let mut digest = "sha256:".to_owned();
    for byte in Sha256::digest(bytes) {
        let _ = write!(digest, "{byte:02x}");
    }
    digest
}
