//! Values with a syntax: sizes, windows, `key=value`.

use std::path::PathBuf;
use std::str::FromStr;
use tegula::error::Error;
use tegula::field::FieldKey;
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

/// `KEY=VALUE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Setting {
    /// A field of the recipe, dotted inside a table.
    pub(crate) key: String,
    /// TOML, or a bare word.
    pub(crate) value: String,
}

impl FromStr for Setting {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text.split_once('=') {
            Some((key, value)) if !key.trim().is_empty() => Ok(Self {
                key: key.trim().to_owned(),
                value: value.trim().to_owned(),
            }),
            _ => Err(Error::usage(format!(
                "expected key=value, such as normalise.digits=number, found '{text}'"
            ))),
        }
    }
}

/// `FIELD=3d` or `FIELD=2w`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Window {
    /// The field with the date.
    pub(crate) field: FieldKey,
    /// Maximum distance in days.
    pub(crate) days: u32,
}

impl FromStr for Window {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let wrong = || {
            Error::usage(format!(
                "expected a field and days or weeks, such as date=3d or date=2w, found '{text}'"
            ))
        };
        let (field, span) = text.rsplit_once('=').ok_or_else(wrong)?;
        let (number, days) = match (span.strip_suffix('d'), span.strip_suffix('w')) {
            (Some(number), _) => (number, 1),
            (_, Some(number)) => (number, 7),
            _ => return Err(wrong()),
        };
        let number: u32 = number.trim().parse().map_err(|_| wrong())?;
        let days = number.checked_mul(days).ok_or_else(wrong)?;
        Ok(Self {
            field: field.parse()?,
            days,
        })
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

    #[test]
    fn windows_are_days_or_weeks() {
        let window: Window = "date=2w".parse().unwrap();
        assert_eq!((window.field.name.as_str(), window.days), ("date", 14));
        for text in ["date", "date=3", "=3d", "date=d", "date=-1d"] {
            assert!(text.parse::<Window>().is_err(), "{text}");
        }
    }
}
