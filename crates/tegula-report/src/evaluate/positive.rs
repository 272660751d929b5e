//! Which labels mean copies.

use tegula::error::{Error, ErrorKind, Result};

/// Which labels mean copies.
#[derive(Debug, Clone, PartialEq)]
pub enum Positive {
    /// The customary words: 1, true, yes, dup, duplicate; versus 0, false, no, non, non-duplicate.
    Customary,
    /// Only these words.
    Words(Vec<String>),
    /// Numbers of at least this value.
    AtLeast(f64),
}

impl std::str::FromStr for Positive {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text.strip_prefix(">=") {
            None => Ok(Self::Words(
                text.split(',').map(|word| word.trim().to_owned()).collect(),
            )),
            Some(number) => match number.trim().parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(Self::AtLeast(number)),
                _ => Err(ErrorKind::Usage
                    .expected("a number after >=")
                    .found(format!("'{number}'"))),
            },
        }
    }
}

impl Positive {
    /// Whether a label means copies, or nothing if it is `?`, that of a pair on which a judge could
    /// not decide; a pair without one is of copies, unless labels are specified.
    pub(super) fn says(&self, label: Option<&str>) -> Result<Option<bool>> {
        let says = match (self, label) {
            (Self::Customary | Self::AtLeast(_), Some("?")) => return Ok(None),
            (Self::Words(words), Some("?")) if !words.iter().any(|word| word == "?") => return Ok(None),
            (Self::Customary, None) => Ok(true),
            (Self::Customary, Some(label)) => match label.to_ascii_lowercase().as_str() {
                "1" | "true" | "yes" | "dup" | "duplicate" => Ok(true),
                "0" | "false" | "no" | "non" | "non-duplicate" => Ok(false),
                _ => Err(ErrorKind::Data
                    .expected("a label such as 1 or 0, true or false")
                    .found(format!("\"{label}\""))
                    .hint("⟨positive⟩ says which labels are those of copies, as in ⟨positive=cut,light⟩ or ⟨positive='>=0.5'⟩")),
            },
            (Self::Words(words), label) => Ok(label.is_some_and(|label| words.iter().any(|word| word == label))),
            (Self::AtLeast(_), None) => Ok(false),
            (Self::AtLeast(least), Some(label)) => match label.parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(number >= *least),
                _ => Err(ErrorKind::Data.expected("a number as label").found(format!("\"{label}\""))),
            },
        };
        says.map(Some)
    }
}
