//! The first pass: finds the columns, and a lossless type for each.

use std::collections::HashMap;

use super::{Conversion, FieldValue, Fields};

/// What was found in a column.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "a set of the kinds seen")]
struct ValueKinds {
    text: bool,
    bool: bool,
    /// Integers from 0 up to the largest of 63 bits.
    int: bool,
    negative: bool,
    /// Unsigned 64-bit integers.
    unsigned: bool,
    /// Integers that a float would round.
    wide: bool,
    float: bool,
    /// Numbers that no 64-bit type can represent.
    huge: bool,
    nested: bool,
}

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Bool,
    Int,
    Unsigned,
    Float,
    /// A string of JSON, as the values are mixed, nested, or too large.
    Json,
}

impl ValueKinds {
    fn add(&mut self, value: &FieldValue<'_>) {
        let json = match value {
            FieldValue::Null => return,
            FieldValue::Text(_) => {
                self.text = true;
                return;
            }
            FieldValue::Json(json) => json.as_ref(),
        };
        match json.as_bytes().first() {
            Some(b't' | b'f') => self.bool = true,
            // Columns of floats have them, unlike JSON.
            _ if matches!(json, "NaN" | "Infinity" | "-Infinity") => self.float = true,
            Some(b'-' | b'0'..=b'9') => self.add_number(json),
            _ => self.nested = true,
        }
    }

    fn add_number(&mut self, digits: &str) {
        if digits.contains(['.', 'e', 'E']) {
            if is_float(digits) {
                self.float = true;
            } else {
                self.huge = true;
            }
        } else if digits == "-0" {
            // Only floats have this zero.
            self.float = true;
        } else if let Ok(number) = digits.parse::<i64>() {
            self.int = true;
            self.negative |= number < 0;
            self.wide |= number.unsigned_abs() > 1 << 53;
        } else if digits.parse::<u64>().is_ok() {
            self.unsigned = true;
            self.wide = true;
        } else {
            self.huge = true;
        }
    }

    fn kind(self) -> Kind {
        let whole = self.int || self.unsigned;
        let number = whole || self.float || self.huge;
        let families = [self.text, self.bool, number, self.nested];
        if self.nested || self.huge || families.iter().filter(|seen| **seen).count() > 1 {
            return Kind::Json;
        }
        match (self.bool, self.float, whole) {
            (true, ..) => Kind::Bool,
            (_, true, true) if self.wide => Kind::Json,
            (_, true, _) => Kind::Float,
            (_, _, true) if !self.unsigned => Kind::Int,
            (_, _, true) if !self.negative => Kind::Unsigned,
            (_, _, true) => Kind::Json,
            _ => Kind::Text,
        }
    }

    fn describe(self) -> String {
        let kinds = [
            (self.text, "strings"),
            (self.bool, "booleans"),
            (self.int || self.unsigned, "integers"),
            (self.float, "numbers"),
            (self.huge, "numbers beyond 64 bits"),
            (self.nested, "nested values"),
        ];
        let kinds: Vec<&str> = kinds
            .iter()
            .filter(|(seen, _)| *seen)
            .map(|(_, name)| *name)
            .collect();
        kinds.join(", ")
    }
}

/// Whether a 64-bit float can represent these digits: at most 17 of them and a bounded exponent.
fn is_float(digits: &str) -> bool {
    let mantissa = digits.split(['e', 'E']).next().unwrap_or_default();
    let significant = mantissa.trim_start_matches(['-', '0', '.']);
    let significant = if significant.contains('.') || mantissa.contains('.') {
        significant.trim_end_matches('0')
    } else {
        significant
    };
    let count = significant.bytes().filter(u8::is_ascii_digit).count();
    let is_zero = !mantissa.bytes().any(|byte| matches!(byte, b'1'..=b'9'));
    match digits.parse::<f64>() {
        Ok(value) => {
            count <= 17 && value.is_finite() && (is_zero || value.abs() >= f64::MIN_POSITIVE)
        }
        Err(_) => false,
    }
}

/// The columns of all records, with their types.
#[derive(Debug, Clone, Default)]
pub struct Columns {
    pub(super) columns: Vec<(String, Kind)>,
    seen: Vec<ValueKinds>,
}

impl Columns {
    /// The columns' names, in order of first appearance.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(name, _)| name.as_str())
    }

    /// The columns that become strings of JSON.
    pub fn conversions(&self) -> Vec<Conversion> {
        self.columns
            .iter()
            .zip(&self.seen)
            .filter(|((_, kind), _)| *kind == Kind::Json)
            .map(|((name, _), seen)| Conversion {
                column: name.clone(),
                from: seen.describe(),
                to: "string of JSON".into(),
            })
            .collect()
    }

    /// The columns with nested values, which CSV cannot represent in a cell.
    pub(super) fn nested(&self) -> Vec<Conversion> {
        let nested: Vec<&str> = self
            .names()
            .zip(&self.seen)
            .filter(|(_, seen)| seen.nested)
            .map(|(name, _)| name)
            .collect();
        self.conversions()
            .into_iter()
            .filter(|conversion| nested.contains(&conversion.column.as_str()))
            .collect()
    }
}

/// Reads all records before the first is written.
#[derive(Debug, Default)]
pub struct Inference {
    names: Vec<String>,
    places: HashMap<String, usize>,
    seen: Vec<ValueKinds>,
}

impl Inference {
    /// An empty inference.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a record.
    pub fn observe(&mut self, fields: &Fields<'_>) {
        for (name, value) in fields {
            let known = self.places.get(name.as_ref()).copied();
            let place = known.unwrap_or_else(|| {
                self.names.push(name.to_string());
                self.places.insert(name.to_string(), self.seen.len());
                self.seen.push(ValueKinds::default());
                self.seen.len() - 1
            });
            self.seen[place].add(value);
        }
    }

    /// The columns for everything added.
    pub fn finish(self) -> Columns {
        let kinds = self.seen.iter().map(|seen| seen.kind());
        Columns {
            columns: self.names.into_iter().zip(kinds).collect(),
            seen: self.seen,
        }
    }
}
