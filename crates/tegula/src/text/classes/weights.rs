//! The weights of word classes: an interval for each class, in TOML.

use super::Class;
use crate::error::{Error, Result};
use std::collections::BTreeMap;

/// The minimum and maximum weight of words of a class, in units of 1/[`Weights::SCALE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Interval {
    /// The minimum.
    pub low: u32,
    /// The maximum.
    pub high: u32,
}

/// An [`Interval`] for each [`Class`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Weights([Interval; Class::ALL.len()]);

impl Weights {
    /// The integer for a weight of 1.
    pub const SCALE: u32 = 1000;

    /// The default weights, as TOML with comments.
    pub const DEFAULT_TOML: &'static str = include_str!("../classes.toml");

    /// Weights from TOML: `noun = [0.8, 1.0]`, a line for each class; omitted classes have the
    /// weights of [`Weights::DEFAULT_TOML`].
    ///
    /// # Errors
    /// Usage errors that name the class.
    pub fn from_toml(text: &str) -> Result<Self> {
        let mut weights = Self::read(
            Self::DEFAULT_TOML,
            Self([Interval { low: 0, high: 0 }; Class::ALL.len()]),
        )?;
        if text != Self::DEFAULT_TOML {
            weights = Self::read(text, weights)?;
        }
        Ok(weights)
    }

    /// The default weights, with other weights for some classes, in thousandths.
    ///
    /// # Errors
    /// Usage errors that name the class.
    pub fn with(intervals: &BTreeMap<Class, [u32; 2]>) -> Result<Self> {
        let mut weights = Self::default();
        for (class, [low, high]) in intervals {
            if low > high || *high > Self::SCALE {
                let name = class.name();
                return Err(Error::of(format!("weights.intervals.{name}"))
                    .expected("two numbers from 0 to 1000")
                    .found(format!("[{low}, {high}]"))
                .hint(format!("the minimum and the maximum weight, in thousandths, as in {name} = [250, 500]")));
            }
            weights.0[*class as usize] = Interval {
                low: *low,
                high: *high,
            };
        }
        Ok(weights)
    }

    /// The interval of each class, in thousandths.
    pub fn intervals(&self) -> BTreeMap<Class, [u32; 2]> {
        Class::ALL
            .into_iter()
            .map(|class| (class, [self.interval(class).low, self.interval(class).high]))
            .collect()
    }

    /// The interval of a class.
    pub fn interval(&self, class: Class) -> Interval {
        self.0[class as usize]
    }

    fn read(text: &str, mut weights: Self) -> Result<Self> {
        let table: toml::Table = text.parse().map_err(|e: toml::de::Error| {
            Error::usage(format!("the weights are not TOML: {}", e.message())).because(e)
        })?;
        for (name, value) in &table {
            let Some(class) = Class::ALL.into_iter().find(|class| class.name() == name) else {
                let names = Class::ALL.map(Class::name).join(", ");
                return Err(Error::of("weights")
                    .expected("a class")
                    .found(format!("'{name}'"))
                    .hint(format!("the classes are {names}")));
            };
            weights.0[class as usize] = interval(value).ok_or_else(|| {
                Error::of("weights")
                    .problem(format!("{name}: expected two numbers from 0 to 1, found {value}"))
                    .hint(format!("the minimum and the maximum weight, with at most three decimals, as in {name} = [0.25, 0.5]"))
            })?;
        }
        Ok(weights)
    }
}

impl Default for Weights {
    fn default() -> Self {
        Self::from_toml(Self::DEFAULT_TOML)
            .unwrap_or_else(|_| unreachable!("a test reads the default weights"))
    }
}

fn interval(value: &toml::Value) -> Option<Interval> {
    let [low, high] = value.as_array()?.as_slice() else {
        return None;
    };
    let (low, high) = (weight(low)?, weight(high)?);
    (low <= high).then_some(Interval { low, high })
}

/// A weight as an integer, if it has at most three decimals.
fn weight(value: &toml::Value) -> Option<u32> {
    let scale = f64::from(Weights::SCALE);
    let number = match *value {
        toml::Value::Float(number) => number,
        toml::Value::Integer(0) => 0.0,
        toml::Value::Integer(1) => 1.0,
        _ => return None,
    };
    let scaled = (number * scale).round();
    let exact = (scaled / scale - number).abs() < 1e-9;
    (exact && (0.0..=scale).contains(&scaled)).then_some(scaled as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_has_every_class_in_the_papers_order() {
        let table: toml::Table = Weights::DEFAULT_TOML.parse().unwrap();
        assert_eq!(table.len(), Class::ALL.len());
        let weights = Weights::default();
        for strong in [Class::Noun, Class::Verb, Class::Adjective] {
            for weak in [
                Class::Adverb,
                Class::Connective,
                Class::Pronoun,
                Class::Numeral,
            ] {
                assert!(weights.interval(strong).low > weights.interval(weak).high);
            }
        }
        assert_eq!(
            weights.interval(Class::Connective),
            Interval { low: 50, high: 100 }
        );
    }

    #[test]
    fn classes_left_out_have_their_defaults() {
        let weights = Weights::from_toml("numeral = [0, 1]\nnoun = [0.125, 0.125]").unwrap();
        assert_eq!(
            weights.interval(Class::Numeral),
            Interval { low: 0, high: 1000 }
        );
        assert_eq!(
            weights.interval(Class::Noun),
            Interval {
                low: 125,
                high: 125
            }
        );
        assert_eq!(
            weights.interval(Class::Verb),
            Weights::default().interval(Class::Verb)
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, wrong) in [
            ("nuon = [0.1, 0.2]", "'nuon'"),
            ("noun = [0.2, 0.1]", "noun: expected two numbers"),
            ("noun = [0.1, 1.1]", "noun"),
            ("noun = [-0.1, 1.0]", "noun"),
            ("noun = [0.1]", "noun"),
            ("noun = 0.1", "noun"),
            ("noun = [0.1, nan]", "noun"),
            ("noun = [0.1, 0.12345]", "noun"),
            ("noun = ['a', 'b']", "noun"),
            ("noun =", "not TOML"),
        ] {
            let error = Weights::from_toml(text).unwrap_err();
            assert_eq!(error.kind(), crate::ErrorKind::Usage);
            assert!(error.message().contains(wrong), "{text}: {error}");
        }
    }
}
