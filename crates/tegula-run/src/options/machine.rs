//! Resource limits, as users give them.

use std::path::PathBuf;
use tegula::context::Context;
use tegula::declare::{Holds, Parsed};
use tegula::error::{Error, ErrorKind, Result};
use tegula::machine::{Limits, free_memory};

tegula::options! {
    /// The resources that a run may use.
    pub struct MachineOptions under "Machine" {
        /// Memory ceiling: bytes (K, M and G are allowed), or a share of free memory [default: 70%]
        pub memory: Option<Memory> => "SIZE",

        /// Maximum number of worker threads; a small ⟨memory⟩ may allow fewer. Results never depend
        /// on it [default: all cores]
        pub threads: Option<usize> => "N",

        /// Folder for temporary files, and its ceiling [default: the system's, all its free space]
        pub scratch: Option<ScratchPlace> => "DIR[:SIZE]",
    }
}

impl MachineOptions {
    /// The resource limits of a run.
    pub fn limits(&self) -> Limits {
        let mut limits = Limits::default();
        limits.memory = self.memory.map(|memory| match memory {
            Memory::Bytes(bytes) => bytes,
            Memory::Percent(share) => free_memory() / 100 * share,
        });
        limits.threads = self.threads;
        limits.scratch = self.scratch.as_ref().map(|place| place.folder.clone());
        limits.scratch_bytes = self.scratch.as_ref().and_then(|place| place.ceiling);
        limits
    }

    /// The context of a run without progress display.
    ///
    /// # Errors
    /// As for [`Limits::context`].
    pub fn context(&self) -> Result<Context> {
        self.limits().context()
    }
}

/// A memory ceiling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Memory {
    /// A number of bytes.
    Bytes(u64),
    /// A share of free memory, in per cent.
    Percent(u64),
}

impl Parsed for Memory {
    const HOLDS: Holds = Holds::Any;

    fn parsed(text: &str) -> Result<Self> {
        if let Some(share) = text.strip_suffix('%') {
            return match share.trim().parse() {
                Ok(share @ 1..=100) => Ok(Self::Percent(share)),
                _ => Err(ErrorKind::Usage
                    .expected("a share from 1% to 100%")
                    .found(format!("'{text}'"))),
            };
        }
        size(text).map(Self::Bytes).ok_or_else(|| {
            ErrorKind::Usage
                .expected("a size such as 512M, 4G or 70%")
                .found(format!("'{text}'"))
        })
    }
}

impl TryFrom<String> for Memory {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parsed(&text)
    }
}

impl From<Memory> for String {
    fn from(memory: Memory) -> Self {
        match memory {
            Memory::Bytes(bytes) => bytes.to_string(),
            Memory::Percent(share) => format!("{share}%"),
        }
    }
}

/// A number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Size(pub u64);

impl Parsed for Size {
    const HOLDS: Holds = Holds::Any;

    fn parsed(text: &str) -> Result<Self> {
        size(text).map(Self).ok_or_else(|| {
            ErrorKind::Usage
                .expected("a size such as 64K or 16M")
                .found(format!("'{text}'"))
        })
    }
}

/// A size: bytes, or with K, M, G or T for 1024, 1024², ...; a trailing `iB` or `B` is allowed.
fn size(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.len()
        - text
            .trim_start_matches(|c: char| c.is_ascii_digit() || c == '.')
            .len();
    let (number, unit) = text.split_at(digits);
    let shift = match unit
        .trim()
        .to_ascii_lowercase()
        .trim_end_matches('b')
        .trim_end_matches('i')
    {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return None,
    };
    if let Ok(whole) = number.parse::<u64>() {
        return whole
            .checked_shl(shift)
            .filter(|size| size >> shift == whole);
    }
    let fraction = number.parse::<f64>().ok().filter(|_| shift > 0)?;
    #[expect(
        clippy::cast_sign_loss,
        reason = "only digits and points were let through"
    )]
    Some((fraction * (1_u64 << shift) as f64) as u64)
}

/// A folder for temporary files, with a ceiling: `DIR` or `DIR:SIZE`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ScratchPlace {
    /// The folder.
    #[serde(with = "tegula_io::path")]
    pub folder: PathBuf,
    /// Maximum number of bytes.
    pub ceiling: Option<u64>,
}

impl Parsed for ScratchPlace {
    const HOLDS: Holds = Holds::Path;

    fn parsed(text: &str) -> Result<Self> {
        if text.is_empty() {
            return Err(
                ErrorKind::Usage.expected("a folder, or a folder and a size as in /tmp/space:20G")
            );
        }
        // The part after the last colon is a size if it parses as one; folder names may contain
        // colons.
        match text
            .rsplit_once(':')
            .and_then(|(folder, tail)| Some((folder, size(tail)?)))
        {
            Some((folder, ceiling)) if !folder.is_empty() => Ok(Self {
                folder: folder.into(),
                ceiling: Some(ceiling),
            }),
            _ => Ok(Self {
                folder: text.into(),
                ceiling: None,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_suffixes() {
        for (text, bytes) in [
            ("0", 0),
            ("512", 512),
            ("512M", 512 << 20),
            ("4G", 4 << 30),
            ("4GiB", 4 << 30),
            ("1.5k", 1536),
            ("2 mb", 2 << 20),
        ] {
            assert_eq!(size(text), Some(bytes), "{text}");
        }
        for text in ["", "M", "x", "4X", "1.5", "-1", "99999999999T", "1..5G"] {
            assert_eq!(size(text), None, "{text}");
        }
        assert_eq!(Memory::parsed("70%").unwrap(), Memory::Percent(70));
        for text in ["0%", "101%", "%", "lots"] {
            assert!(Memory::parsed(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_scratch_folder_may_have_a_ceiling() {
        let place = |text: &str| ScratchPlace::parsed(text).unwrap();
        assert_eq!(
            place("/tmp/a:20G"),
            ScratchPlace {
                folder: "/tmp/a".into(),
                ceiling: Some(20 << 30)
            }
        );
        assert_eq!(
            place("/tmp/a:b"),
            ScratchPlace {
                folder: "/tmp/a:b".into(),
                ceiling: None
            }
        );
    }
}
