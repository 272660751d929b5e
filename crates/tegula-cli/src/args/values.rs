//! Values with a syntax: sizes, windows, `key=value`.

use std::path::PathBuf;
use std::str::FromStr;
use tegula::error::Error;
use tegula::threshold::Threshold;

/// A threshold. The message omits the recipe's field name, as clap names the option.
pub(crate) fn threshold(text: &str) -> Result<Threshold, String> {
    text.parse()
        .map_err(|error: Error| error.message().trim_start_matches("threshold: ").to_owned())
}

/// A memory ceiling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Memory {
    /// A number of bytes.
    Bytes(u64),
    /// A share of free memory, in per cent.
    Percent(u64),
}

impl FromStr for Memory {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        if let Some(share) = text.strip_suffix('%') {
            return match share.trim().parse() {
                Ok(share @ 1..=100) => Ok(Self::Percent(share)),
                _ => Err(Error::usage(format!(
                    "expected a share from 1% to 100%, found '{text}'"
                ))),
            };
        }
        size(text).map(Self::Bytes).ok_or_else(|| {
            Error::usage(format!(
                "expected a size such as 512M, 4G or 70%, found '{text}'"
            ))
        })
    }
}

/// A size: bytes, or with K, M, G or T for 1024, 1024², ...; a trailing `iB` or `B` is allowed.
pub(crate) fn size(text: &str) -> Option<u64> {
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ScratchPlace {
    /// The folder.
    pub(crate) folder: PathBuf,
    /// Maximum number of bytes.
    pub(crate) ceiling: Option<u64>,
}

impl FromStr for ScratchPlace {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        if text.is_empty() {
            return Err(Error::usage(
                "expected a folder, or a folder and a size as in /tmp/space:20G",
            ));
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
        assert_eq!("70%".parse::<Memory>().unwrap(), Memory::Percent(70));
        for text in ["0%", "101%", "%", "lots"] {
            assert!(text.parse::<Memory>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_scratch_folder_may_have_a_ceiling() {
        let place = |text: &str| text.parse::<ScratchPlace>().unwrap();
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
