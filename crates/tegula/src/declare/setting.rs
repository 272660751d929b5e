//! The values of options: how they are read from text, and whether they are given.

use crate::error::{Error, ErrorKind, Result};
use std::ffi::OsStr;
use std::fmt;
use std::num::NonZeroU32;
use std::path::PathBuf;

/// How often an option may be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It has no value.
    Switch,
    /// Once.
    One,
    /// Several times.
    Many,
    /// Once, and never left out.
    Needed,
}

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// True or false.
    Truth,
    /// A whole number.
    Whole,
    /// Text, of any syntax.
    Text,
    /// A number, or text.
    Any,
    /// The path of a file or folder.
    Path,
    /// One of a few words.
    Choice,
}

/// A word that is a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// The word.
    pub name: &'static str,
    /// What it means, without a final period.
    pub help: &'static str,
}

impl Choice {
    /// A word with its meaning as documented.
    pub const fn new(name: &'static str, documented: &'static str) -> Self {
        let help = documented.trim_ascii();
        let help = match help.as_bytes() {
            [.., b'.'] => help.split_at(help.len() - 1).0,
            _ => help,
        };
        Self { name, help }
    }
}

/// A value that is read from text.
pub trait Parsed: Sized {
    /// What it is.
    const HOLDS: Holds = Holds::Text;

    /// The values that there are, if they are few.
    fn choices() -> &'static [Choice] {
        &[]
    }

    /// Reads it.
    ///
    /// # Errors
    /// What was expected and found.
    fn parsed(text: &str) -> Result<Self>;

    /// The same for text that may not be Unicode, as in names of files.
    ///
    /// # Errors
    /// What was expected and found.
    fn parsed_os(text: &OsStr) -> Result<Self> {
        match text.to_str() {
            Some(text) => Self::parsed(text),
            None => Err(ErrorKind::Usage
                .expected("Unicode")
                .found(format!("'{}'", text.display()))),
        }
    }
}

impl Parsed for String {
    fn parsed(text: &str) -> Result<Self> {
        Ok(text.to_owned())
    }
}

impl Parsed for PathBuf {
    const HOLDS: Holds = Holds::Path;

    fn parsed(text: &str) -> Result<Self> {
        Ok(text.into())
    }

    fn parsed_os(text: &OsStr) -> Result<Self> {
        Ok(text.into())
    }
}

macro_rules! whole {
    ($($Type:ty),*) => {
        $(impl Parsed for $Type {
            const HOLDS: Holds = Holds::Whole;

            fn parsed(text: &str) -> Result<Self> {
                text.trim()
                    .parse()
                    .map_err(|_| ErrorKind::Usage.expected(format!("a whole number up to {}", Self::MAX)).found(format!("'{text}'")))
            }
        })*
    };
}

whole!(u16, u32, u64, usize);

impl Parsed for NonZeroU32 {
    const HOLDS: Holds = Holds::Whole;

    fn parsed(text: &str) -> Result<Self> {
        let number = text.trim().parse();
        number.map_err(|_| {
            ErrorKind::Usage
                .expected(format!("a whole number from 1 to {}", u32::MAX))
                .found(format!("'{text}'"))
        })
    }
}

/// A finite number, as it was written.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Number(String);

impl Number {
    /// Its value.
    pub fn get(&self) -> f64 {
        self.0.trim().parse().unwrap_or_default()
    }
}

impl Parsed for Number {
    const HOLDS: Holds = Holds::Any;

    fn parsed(text: &str) -> Result<Self> {
        match text.trim().parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Self(text.to_owned())),
            _ => Err(ErrorKind::Usage
                .expected("a number")
                .found(format!("'{text}'"))),
        }
    }
}

impl TryFrom<String> for Number {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parsed(&text)
    }
}

impl From<Number> for String {
    fn from(number: Number) -> Self {
        number.0
    }
}

/// The value of an option: a switch, one value or none, or a list.
pub trait Setting: Default {
    /// How often it may be given.
    const KIND: Kind;
    /// What each value is.
    const HOLDS: Holds;

    /// The values that there are, if they are few.
    fn choices() -> &'static [Choice] {
        &[]
    }

    /// Sets the value, or adds one.
    ///
    /// # Errors
    /// What was expected and found.
    fn set(&mut self, text: &OsStr) -> Result<()>;

    /// Whether there is a value.
    fn is_given(&self) -> bool;
}

impl Setting for bool {
    const KIND: Kind = Kind::Switch;
    const HOLDS: Holds = Holds::Truth;

    fn set(&mut self, text: &OsStr) -> Result<()> {
        *self = match text.to_str() {
            Some("true") => true,
            Some("false") => false,
            _ => {
                return Err(ErrorKind::Usage
                    .expected("true or false")
                    .found(format!("'{}'", text.display())));
            }
        };
        Ok(())
    }

    fn is_given(&self) -> bool {
        *self
    }
}

impl<T: Parsed> Setting for Option<T> {
    const KIND: Kind = Kind::One;
    const HOLDS: Holds = T::HOLDS;

    fn choices() -> &'static [Choice] {
        T::choices()
    }

    fn set(&mut self, text: &OsStr) -> Result<()> {
        *self = Some(T::parsed_os(text)?);
        Ok(())
    }

    fn is_given(&self) -> bool {
        self.is_some()
    }
}

impl<T: Parsed> Setting for Vec<T> {
    const KIND: Kind = Kind::Many;
    const HOLDS: Holds = T::HOLDS;

    fn choices() -> &'static [Choice] {
        T::choices()
    }

    fn set(&mut self, text: &OsStr) -> Result<()> {
        self.push(T::parsed_os(text)?);
        Ok(())
    }

    fn is_given(&self) -> bool {
        !self.is_empty()
    }
}

/// A value that must be given; an empty one is none.
macro_rules! needed {
    ($($Type:ty),*) => {
        $(impl Setting for $Type {
            const KIND: Kind = Kind::Needed;
            const HOLDS: Holds = <$Type as Parsed>::HOLDS;

            fn set(&mut self, text: &OsStr) -> Result<()> {
                *self = Self::parsed_os(text)?;
                Ok(())
            }

            fn is_given(&self) -> bool {
                *self != Self::default()
            }
        })*
    };
}

needed!(String, PathBuf);

/// Whether a value is not given, and need not be stored.
pub fn is_unset<T: Setting>(value: &T) -> bool {
    !value.is_given()
}

/// Whether a field that is no option has its default, and need not be stored.
pub fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Values that may be separated by commas in text, or given one by one.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Commas<T>(pub Vec<T>);

impl<T> Default for Commas<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Parsed> Setting for Commas<T> {
    const KIND: Kind = Kind::Many;
    const HOLDS: Holds = T::HOLDS;

    fn set(&mut self, text: &OsStr) -> Result<()> {
        for part in String::parsed_os(text)?.split(',') {
            self.0.push(T::parsed(part.trim())?);
        }
        Ok(())
    }

    fn is_given(&self) -> bool {
        !self.0.is_empty()
    }
}

/// An ASCII character; `\t` and `tab` are a tab.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Character(pub u8);

impl Parsed for Character {
    fn parsed(text: &str) -> Result<Self> {
        match (text, text.as_bytes()) {
            ("\\t" | "tab", _) => Ok(Self(b'\t')),
            (_, [byte]) if byte.is_ascii() => Ok(Self(*byte)),
            _ => Err(ErrorKind::Usage
                .expected("one ASCII character")
                .found(format!("'{text}'"))),
        }
    }
}

impl TryFrom<String> for Character {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parsed(&text)
    }
}

impl From<Character> for String {
    fn from(character: Character) -> Self {
        character.to_string()
    }
}

impl fmt::Display for Character {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", char::from(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_ascii() {
        for (text, byte) in [(";", b';'), ("\\t", b'\t'), ("tab", b'\t'), ("\t", b'\t')] {
            assert_eq!(Character::parsed(text).unwrap(), Character(byte), "{text}");
        }
        for text in ["", ";;", "é", "→"] {
            assert!(Character::parsed(text).is_err(), "{text}");
        }
    }
}
