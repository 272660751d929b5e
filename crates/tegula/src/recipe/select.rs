//! Which shingles are used.

use crate::error::{Error, Result};

/// Which shingles of a text are used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", tag = "type", deny_unknown_fields)]
pub enum Select {
    /// All of them.
    #[default]
    All,
    /// Every `nth` shingle, by position (DSC's every 25th).
    Every {
        /// The first shingle is used, then every one at this distance.
        nth: u32,
    },
    /// Those whose fingerprint is divisible by the modulus (Broder's mod m sketch).
    Modulo {
        /// The modulus.
        modulus: u32,
    },
    /// The rightmost minimum of each window (winnowing; Schleimer et al. 2003).
    Winnow {
        /// Shingles in a window.
        window: u32,
    },
}

impl Select {
    /// Whether all shingles are used.
    pub fn is_all(&self) -> bool {
        *self == Self::All
    }

    pub(super) fn check(self) -> Result<()> {
        let (field, value) = match self {
            Self::All => return Ok(()),
            Self::Every { nth } => ("nth", nth),
            Self::Modulo { modulus } => ("modulus", modulus),
            Self::Winnow { window } => ("window", window),
        };
        if (1..=1 << 20).contains(&value) {
            return Ok(());
        }
        Err(Error::of(format!("select.{field}"))
            .expected("1 to 1048576")
            .found(value))
    }
}
