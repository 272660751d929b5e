//! The keep order: which of several matching units is preferred.

use crate::error::{Error, Result};
use crate::field::find;
use crate::field::{FieldColumn, FieldNeed, Holds, Number, number};
use crate::unit::Units;
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// One criterion of the keep order.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum KeepRule {
    /// More tokens first.
    Longest,
    /// Fewer tokens first.
    Shortest,
    /// Input order.
    First,
    /// Reverse input order.
    Last,
    /// The later date in this field first.
    Newest(String),
    /// The earlier date in this field first.
    Oldest(String),
    /// The higher number in this field first.
    Highest(String),
    /// The lower number in this field first.
    Lowest(String),
    /// The values of this field in this order, then all others.
    Priority(String, Vec<String>),
    /// No copy is kept of a unit that has duplicates.
    None,
}

/// The keep order: criteria, each breaking the ties of those before; input order breaks the last. A
/// missing field comes last.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Vec<KeepRule>", into = "Vec<KeepRule>")]
pub struct Keep(Vec<KeepRule>);

impl TryFrom<Vec<KeepRule>> for Keep {
    type Error = Error;

    fn try_from(rules: Vec<KeepRule>) -> Result<Self> {
        Self::new(rules)
    }
}

impl From<Keep> for Vec<KeepRule> {
    fn from(keep: Keep) -> Self {
        keep.0
    }
}

impl Default for Keep {
    fn default() -> Self {
        Self(vec![KeepRule::Longest])
    }
}

impl FromStr for KeepRule {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (name, field) = text
            .split_once(':')
            .map_or((text, None), |(name, field)| (name, Some(field)));
        let field = match field {
            Some("") => {
                return Err(Error::of("keep")
                    .problem(format!("'{name}:' needs a field name after the colon")));
            }
            field => field.map(str::to_owned),
        };
        match (name, field) {
            ("longest", None) => Ok(Self::Longest),
            ("shortest", None) => Ok(Self::Shortest),
            ("first", None) => Ok(Self::First),
            ("last", None) => Ok(Self::Last),
            ("none", None) => Ok(Self::None),
            ("newest", Some(field)) => Ok(Self::Newest(field)),
            ("oldest", Some(field)) => Ok(Self::Oldest(field)),
            ("highest", Some(field)) => Ok(Self::Highest(field)),
            ("lowest", Some(field)) => Ok(Self::Lowest(field)),
            ("priority", Some(rest)) => {
                let (field, values) = rest
                    .split_once('=')
                    .filter(|(field, values)| !field.is_empty() && !values.is_empty())
                    .ok_or_else(|| Error::of("keep")
                        .expected("priority:FIELD=a,b,c")
                        .found(format!("'{text}'")))?;
                Ok(Self::Priority(field.to_owned(), values.split(',').map(str::to_owned).collect()))
            }
            ("newest" | "oldest" | "highest" | "lowest" | "priority", None) => {
                Err(Error::of("keep").problem(format!("'{name}' needs a field, as in {name}:date")))
            }
            _ => Err(Error::of("keep").problem(format!("there is no rule '{text}'"))
                .hint("the rules are longest, shortest, first, last, newest:F, oldest:F, highest:F, lowest:F, priority:F=a,b,c and none")),
        }
    }
}

impl TryFrom<String> for KeepRule {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<KeepRule> for String {
    fn from(rule: KeepRule) -> Self {
        rule.to_string()
    }
}

impl fmt::Display for KeepRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Longest => f.write_str("longest"),
            Self::Shortest => f.write_str("shortest"),
            Self::First => f.write_str("first"),
            Self::Last => f.write_str("last"),
            Self::Newest(field) => write!(f, "newest:{field}"),
            Self::Oldest(field) => write!(f, "oldest:{field}"),
            Self::Highest(field) => write!(f, "highest:{field}"),
            Self::Lowest(field) => write!(f, "lowest:{field}"),
            Self::Priority(field, values) => write!(f, "priority:{field}={}", values.join(",")),
            Self::None => f.write_str("none"),
        }
    }
}

impl Keep {
    /// A chain of criteria.
    ///
    /// # Errors
    /// Usage errors: an empty chain, or `none` together with another rule.
    pub fn new(rules: Vec<KeepRule>) -> Result<Self> {
        if rules.is_empty() {
            return Err(Error::of("keep").expected("at least one rule"));
        }
        if rules.contains(&KeepRule::None) && rules.len() > 1 {
            return Err(
                Error::of("keep").problem("'none' must be the only rule, as no copy is kept")
            );
        }
        Ok(Self(rules))
    }

    /// Whether the first copy is always kept.
    pub fn is_first(&self) -> bool {
        self.0 == [KeepRule::First]
    }

    /// Whether no copy is kept.
    pub fn keeps_none(&self) -> bool {
        self.0 == [KeepRule::None]
    }

    /// The required fields, and what each must contain.
    pub fn needed_fields(&self) -> impl Iterator<Item = FieldNeed> {
        self.0.iter().filter_map(|rule| {
            let (name, holds) = match rule {
                KeepRule::Newest(field) | KeepRule::Oldest(field) => (field, Holds::Dates),
                KeepRule::Highest(field) | KeepRule::Lowest(field) => (field, Holds::Numbers),
                KeepRule::Priority(field, values) => (field, Holds::Listed(values.clone())),
                _ => return None,
            };
            Some(FieldNeed {
                name: name.clone(),
                holds,
            })
        })
    }

    /// Each unit's position in keep order, starting with the most preferred.
    ///
    /// # Errors
    /// If a field was not read.
    pub fn order(&self, units: &Units) -> Result<Vec<u32>> {
        // For each field rule, the position of each distinct value; missing and invalid values come
        // last.
        let mut ranks: Vec<Option<(&FieldColumn, Vec<u32>)>> = Vec::new();
        for rule in &self.0 {
            ranks.push(match rule {
                KeepRule::Newest(f) | KeepRule::Oldest(f) => {
                    let column = find(&units.records.fields, f)?;
                    let newest = matches!(rule, KeepRule::Newest(_));
                    let moment = |value: &str| column.date(value);
                    Some(by(
                        column,
                        moment,
                        |a, b| if newest { b.cmp(a) } else { a.cmp(b) },
                    ))
                }
                KeepRule::Highest(f) => {
                    Some(by(find(&units.records.fields, f)?, number, |a, b| {
                        b.compare(a)
                    }))
                }
                KeepRule::Lowest(f) => {
                    Some(by(find(&units.records.fields, f)?, number, Number::compare))
                }
                KeepRule::Priority(f, values) => {
                    let place =
                        |value: &str| -> Option<usize> { values.iter().position(|v| v == value) };
                    Some(by(find(&units.records.fields, f)?, place, Ord::cmp))
                }
                _ => None,
            });
        }
        let compare = |a: u32, b: u32| -> Ordering {
            for (rule, rank) in self.0.iter().zip(&ranks) {
                let tokens = |unit: u32| units.tokens[unit as usize];
                let ordering = match (rule, rank) {
                    (KeepRule::Longest, _) => tokens(b).cmp(&tokens(a)),
                    (KeepRule::Shortest, _) => tokens(a).cmp(&tokens(b)),
                    (KeepRule::First, _) => a.cmp(&b),
                    (KeepRule::Last, _) => b.cmp(&a),
                    (_, Some((column, places))) => {
                        let place = |unit: u32| places[column.code(units.record_of(unit)) as usize];
                        place(a).cmp(&place(b))
                    }
                    _ => Ordering::Equal,
                };
                if ordering.is_ne() {
                    return ordering;
                }
            }
            a.cmp(&b)
        };
        let mut sorted: Vec<u32> = (0..units.len() as u32).collect();
        sorted.sort_unstable_by(|a, b| compare(*a, *b));
        let mut order = vec![0; sorted.len()];
        for (place, unit) in sorted.iter().enumerate() {
            order[*unit as usize] = place as u32;
        }
        Ok(order)
    }
}

/// The position of each distinct value of a column under `compare`; equal ones share a position,
/// and values without a key come last.
fn by<'a, K>(
    column: &'a FieldColumn,
    key: impl Fn(&'a str) -> Option<K>,
    compare: impl Fn(&K, &K) -> Ordering,
) -> (&'a FieldColumn, Vec<u32>) {
    let mut keyed: Vec<(usize, K)> = column
        .values()
        .iter()
        .enumerate()
        .skip(1)
        .filter_map(|(code, value)| key(value).map(|key| (code, key)))
        .collect();
    keyed.sort_by(|a, b| compare(&a.1, &b.1));
    let mut places = vec![u32::MAX; column.values().len()];
    let mut place = 0;
    for at in 0..keyed.len() {
        if at > 0 && compare(&keyed[at - 1].1, &keyed[at].1).is_ne() {
            place += 1;
        }
        places[keyed[at].0] = place;
    }
    (column, places)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Level;

    #[test]
    fn rules_are_read_and_wrong_ones_refused() {
        assert_eq!(
            "priority:source=a,b".parse::<KeepRule>().unwrap(),
            KeepRule::Priority("source".into(), vec!["a".into(), "b".into()])
        );
        assert_eq!(
            "newest:date".parse::<KeepRule>().unwrap(),
            KeepRule::Newest("date".into())
        );
        for wrong in [
            "",
            "best",
            "newest",
            "newest:",
            "priority:source",
            "priority:=a",
            "longest:x",
        ] {
            assert!(wrong.parse::<KeepRule>().is_err(), "{wrong}");
        }
        assert!(Keep::new(vec![KeepRule::None, KeepRule::First]).is_err());
    }

    #[test]
    fn ties_go_down_the_chain_and_missing_values_come_last() {
        let mut units = Units::new(
            Level::Document,
            vec!["f".into()],
            vec![FieldColumn::new("n")],
        );
        for (tokens, value) in [
            (3, Some("2")),
            (5, None),
            (3, Some("10")),
            (4, Some("x")),
            (5, Some("2")),
        ] {
            units.tokens.push(tokens);
            units.records.number.push(units.tokens.len() as u64);
            units.records.first_unit.push(units.tokens.len() as u32 - 1);
            units.records.fields[0].push(value);
        }
        let order = |rules: &[&str]| {
            let keep = Keep::new(rules.iter().map(|r| r.parse().unwrap()).collect()).unwrap();
            let places = keep.order(&units).unwrap();
            let mut sorted: Vec<usize> = (0..5).collect();
            sorted.sort_by_key(|u| places[*u]);
            sorted
        };
        assert_eq!(order(&["longest"]), [1, 4, 3, 0, 2]);
        assert_eq!(order(&["last"]), [4, 3, 2, 1, 0]);
        assert_eq!(order(&["highest:n", "longest"]), [2, 4, 0, 1, 3]);
        assert_eq!(order(&["priority:n=10,2", "first"]), [2, 0, 4, 1, 3]);
        assert!(
            Keep::new(vec!["newest:d".parse().unwrap()])
                .unwrap()
                .order(&units)
                .is_err()
        );
    }
}
