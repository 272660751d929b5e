//! How much of each other two texts share, and what the inputs have of each text of another collection.

use super::Passages;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use tegula::error::Result;
use tegula::passages::Passage;
use tegula_io::outputs::Outputs;
use tegula_io::tables::{Formulas, ItemRow, Items, ShareRow, Shares, TableFileWriter, TableInfo};

/// Two texts that share passages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shared {
    /// The unit that comes first.
    pub a: u32,
    /// The other one.
    pub b: u32,
    /// The passages that they share.
    pub passages: u64,
    /// Tokens of the longest.
    pub longest: u32,
    /// Tokens of a in passages of b.
    pub tokens_a: u64,
    /// Tokens of b in passages of a.
    pub tokens_b: u64,
}

/// The passages of two texts.
#[derive(Default)]
struct Sides {
    a: Vec<Range<u32>>,
    b: Vec<Range<u32>>,
    longest: u32,
}

impl Passages {
    /// Calls `take` with every pair of texts that share a passage, by the place of the first, then of the
    /// other.
    ///
    /// # Errors
    /// If scratch cannot be read; those of `take`.
    pub fn for_each_pair(&self, mut take: impl FnMut(Shared) -> Result<()>) -> Result<()> {
        let mut of = 0;
        let mut others: BTreeMap<u32, Sides> = BTreeMap::new();
        let mut done = |a: u32, others: &mut BTreeMap<u32, Sides>| {
            for (b, sides) in std::mem::take(others) {
                take(Shared {
                    a,
                    b,
                    passages: sides.a.len() as u64,
                    longest: sides.longest,
                    tokens_a: union(sides.a),
                    tokens_b: union(sides.b),
                })?;
            }
            Ok(())
        };
        // Passages are in the order of the first text.
        self.found.passages.for_each(|passage: &Passage| {
            if passage.a.unit != of {
                done(of, &mut others)?;
                of = passage.a.unit;
            }
            let sides = others.entry(passage.b.unit).or_default();
            sides.a.push(passage.a.tokens.clone());
            sides.b.push(passage.b.tokens.clone());
            sides.longest = sides.longest.max(passage.tokens());
            Ok(())
        })?;
        done(of, &mut others)
    }

    /// Pairs of texts with a passage.
    ///
    /// # Errors
    /// If scratch cannot be read.
    pub fn pairs(&self) -> Result<u64> {
        let mut pairs = 0;
        self.for_each_pair(|_| {
            pairs += 1;
            Ok(())
        })?;
        Ok(pairs)
    }

    /// The share of a unit that so many of its tokens are.
    pub fn share(&self, tokens: u64, unit: u32) -> f64 {
        tegula_report::form::share(tokens, self.found.units.tokens[unit as usize].into())
    }

    /// Writes the table of pairs.
    pub(super) fn write_shares(
        &self,
        outputs: &Outputs,
        path: &Path,
        formulas: Formulas,
    ) -> Result<()> {
        let info = TableInfo {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            recipe: String::new(),
            fields: Vec::new(),
        };
        let mut table = TableFileWriter::<Shares>::create(outputs, path, formulas, &info)?;
        self.for_each_pair(|pair| {
            table.push(&ShareRow {
                id_a: &self.found.units.id(pair.a),
                id_b: &self.found.units.id(pair.b),
                passages: pair.passages,
                longest: pair.longest,
                tokens_a: pair.tokens_a,
                tokens_b: pair.tokens_b,
                share_a: self.share(pair.tokens_a, pair.a),
                share_b: self.share(pair.tokens_b, pair.b),
                equal_a: self.equal(pair.a),
                equal_b: self.equal(pair.b),
            })
        })?;
        table.finish().map(drop)
    }
}

/// What the inputs have of a text that they are compared with.
#[derive(Default)]
struct Found {
    texts: u64,
    half: u64,
    most: u64,
    of: u32,
}

impl Passages {
    /// Writes the table of the texts of ⟨in⟩ that share a passage with the inputs, in their order.
    pub(super) fn write_items(
        &self,
        outputs: &Outputs,
        path: &Path,
        formulas: Formulas,
    ) -> Result<()> {
        let mut items: BTreeMap<u32, Found> = BTreeMap::new();
        self.for_each_pair(|pair| {
            let item = items.entry(pair.b).or_default();
            let texts = u64::from(self.equal(pair.a));
            item.texts += texts;
            if self.share(pair.tokens_b, pair.b) >= 0.5 {
                item.half += texts;
            }
            if pair.tokens_b > item.most {
                (item.most, item.of) = (pair.tokens_b, pair.a);
            }
            Ok(())
        })?;
        let info = TableInfo {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            recipe: String::new(),
            fields: Vec::new(),
        };
        let mut table = TableFileWriter::<Items>::create(outputs, path, formulas, &info)?;
        for (unit, item) in items {
            table.push(&ItemRow {
                id: &self.found.units.id(unit),
                tokens: self.found.units.tokens[unit as usize],
                texts: item.texts,
                half: item.half,
                most: item.most,
                share: self.share(item.most, unit),
                of: &self.found.units.id(item.of),
                equal: self.equal(unit),
            })?;
        }
        table.finish().map(drop)
    }
}

/// Tokens in a union of ranges.
fn union(mut spans: Vec<Range<u32>>) -> u64 {
    spans.sort_unstable_by_key(|span| span.start);
    let mut end = 0;
    let mut count = 0;
    for span in spans {
        count += u64::from(span.end.saturating_sub(span.start.max(end)));
        end = end.max(span.end);
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_in_several_passages_count_once() {
        assert_eq!(union(vec![5..9, 0..3, 2..4, 6..7]), 8);
        assert_eq!(union(Vec::new()), 0);
    }
}
