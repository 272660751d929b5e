//! Templates: what texts filled in from one form have in common, and the contents of its slots.
//!
//! The first text of a cluster is the template so far; each further one is aligned with it by a
//! longest common subsequence of tokens, and whatever only one of them has becomes a slot. A text
//! that would reduce the template too much is set aside, and tried again with the next template of
//! the same cluster.
//!
//! # Guarantee
//! Every text of a template has its constant tokens in this order, with nothing else between two
//! that no slot separates. If there are several alignments, which common tokens are constant is a
//! choice, the same in every run.
//!
//! # Cost
//! The product of the tokens of template and text, over 64, for each text of the cluster.

use crate::error::{Error, Result};
use crate::text::normalise::Tokens;
use crate::threshold::Threshold;
use std::collections::HashMap;
use std::ops::Range;

/// What counts as a template.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Wanted {
    /// Its texts, equal ones included.
    pub min_texts: u32,
    /// Its constant tokens.
    pub min_tokens: u32,
    /// Its constant tokens, as a share of those of each of its texts.
    pub min_constant: Threshold,
}

impl Default for Wanted {
    fn default() -> Self {
        Self {
            min_texts: 3,
            min_tokens: 5,
            min_constant: Threshold::HALF,
        }
    }
}

impl Wanted {
    /// Checks the numbers.
    ///
    /// # Errors
    /// Usage errors naming the option.
    pub fn check(&self) -> Result<()> {
        for (option, found, least) in [
            ("⟨min_texts⟩", self.min_texts, 2),
            ("⟨min_tokens⟩", self.min_tokens, 1),
        ] {
            if found < least {
                return Err(Error::of(option)
                    .expected(format!("at least {least}"))
                    .found(found));
            }
        }
        Ok(())
    }
}

/// The maximum number of tokens of an aligned text: the matrix of two has a bit for each pair of
/// tokens.
pub const MOST_TOKENS: usize = 1 << 14;

/// A template of some texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// Its texts, by their place among those given, ascending.
    pub members: Vec<usize>,
    /// Its constant tokens, as places in the first member.
    pub constants: Vec<u32>,
    /// Whether a slot precedes each constant token, and whether one follows the last.
    pub slots: Vec<bool>,
    /// By member, the places of the constant tokens in it.
    places: Vec<Vec<u32>>,
}

impl Template {
    /// The number of slots.
    pub fn slot_count(&self) -> usize {
        self.slots.iter().filter(|slot| **slot).count()
    }

    /// The constant tokens between slots, as ranges of [`Template::constants`]; none is empty.
    pub fn runs(&self) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        for at in 0..self.constants.len() {
            match runs.last_mut() {
                Some(run) if !self.slots[at] => run.end = at + 1,
                _ => runs.push(at..at + 1),
            }
        }
        runs
    }

    /// The places of the constant tokens in a member. `member` counts the members.
    pub fn places(&self, member: usize) -> &[u32] {
        &self.places[member]
    }

    /// The contents of each slot of a member with this many tokens, as ranges of these. `member`
    /// counts the members.
    pub fn fillers(&self, member: usize, tokens: u32) -> Vec<Range<u32>> {
        let places = &self.places[member];
        (0..self.slots.len())
            .filter(|at| self.slots[*at])
            .map(|at| {
                let start = at.checked_sub(1).map_or(0, |before| places[before] + 1);
                start..places.get(at).copied().unwrap_or(tokens)
            })
            .collect()
    }
}

/// The different texts of a cluster, as numbers of their tokens.
pub struct Cluster {
    texts: Vec<Vec<u32>>,
    /// The number of different tokens.
    kinds: usize,
}

impl Cluster {
    /// Of texts given by their tokens.
    pub fn new(texts: &[&Tokens]) -> Self {
        let mut ids = HashMap::new();
        let texts = texts.iter().map(|tokens| {
            let id = |token: &str| -> u32 {
                let next = ids.len() as u32;
                match ids.get(token) {
                    Some(id) => *id,
                    None => *ids.entry(token.to_owned()).or_insert(next),
                }
            };
            tokens.iter().map(id).collect()
        });
        Self {
            texts: texts.collect(),
            kinds: ids.len(),
        }
    }

    /// The memory in bytes for aligning the texts, at most.
    pub fn bytes(&self) -> u64 {
        let mut seen = vec![0; self.kinds];
        let (mut bits, mut longest) = (0, [0, 0]);
        for (number, text) in (1..).zip(&self.texts) {
            if text.len() > MOST_TOKENS {
                continue;
            }
            let mut kinds = 0;
            for token in text {
                let last = std::mem::replace(&mut seen[*token as usize], number);
                kinds += usize::from(last != number);
            }
            bits = bits.max(kinds * words(text.len()));
            let [first, second] = longest;
            longest = [first.max(text.len()), second.max(first.min(text.len()))];
        }
        let rows = (longest[0] + 1) * words(longest[1]);
        let rows = rows.max((longest[1] + 1) * words(longest[0]));
        // Vectors may grow to twice what they hold.
        2 * 8 * (bits + rows) as u64
    }

    /// The templates of the texts, of which each occurs so often. Texts of more than
    /// [`MOST_TOKENS`] tokens are in none.
    pub fn templates(&self, counts: &[u32], wanted: &Wanted) -> Vec<Template> {
        find(&self.texts, self.kinds, counts, wanted)
    }
}

/// Words of a bit for each token.
fn words(tokens: usize) -> usize {
    tokens.div_ceil(64)
}

fn find(texts: &[Vec<u32>], kinds: usize, counts: &[u32], wanted: &Wanted) -> Vec<Template> {
    let mut rest: Vec<usize> = (0..texts.len())
        .filter(|at| texts[*at].len() <= MOST_TOKENS)
        .collect();
    let mut found = Vec::new();
    let mut matrix = Matrix::default();
    while rest.len() > 1 {
        let first = &texts[rest[0]];
        let mut draft = Draft::new(rest[0], first);
        matrix.set(first, kinds);
        let mut left = Vec::new();
        for at in rest.drain(..).skip(1) {
            let constant = draft.constants.len();
            if !draft.join(at, &texts[at], wanted, &mut matrix) {
                left.push(at);
            } else if draft.constants.len() < constant {
                let constants = draft.constants.iter().map(|place| first[*place as usize]);
                matrix.set(&constants.collect::<Vec<_>>(), kinds);
            }
        }
        let many: u64 = draft
            .members
            .iter()
            .map(|(at, _)| u64::from(counts[*at]))
            .sum();
        if draft.members.len() > 1 && many >= u64::from(wanted.min_texts) {
            found.push(draft.finish());
        }
        rest = left;
    }
    found
}

/// A template while texts join it.
struct Draft {
    /// Constant tokens, as places in the first member.
    constants: Vec<u32>,
    slots: Vec<bool>,
    /// Members, each with the constant tokens at the time and their places in it.
    members: Vec<(usize, Vec<(u32, u32)>)>,
    /// Tokens of the longest member.
    longest: usize,
}

impl Draft {
    fn new(first: usize, text: &[u32]) -> Self {
        let constants: Vec<u32> = (0..text.len() as u32).collect();
        let mut slots = vec![false; text.len() + 1];
        // Only a text without tokens is entirely a slot.
        slots[0] = text.is_empty();
        Self {
            members: vec![(first, constants.iter().map(|at| (*at, *at)).collect())],
            constants,
            slots,
            longest: text.len(),
        }
    }

    /// Adds a text, unless that leaves too little. `matrix` is set to the constant tokens.
    fn join(&mut self, at: usize, text: &[u32], wanted: &Wanted, matrix: &mut Matrix) -> bool {
        let longest = self.longest.max(text.len());
        let share = wanted.min_constant.least(longest as u64);
        let least = u64::from(wanted.min_tokens).max(share) as usize;
        if text.len().min(self.constants.len()) < least {
            return false;
        }
        let Some(common) = matrix.common(text, least) else {
            return false;
        };
        let mut slots = Vec::with_capacity(common.len() + 1);
        // What follows the last one is compared like another slot.
        let end = (self.constants.len() as u32, text.len() as u32);
        let mut next = (0, 0);
        for &(constant, place) in common.iter().chain([&end]) {
            let between = &self.slots[next.0 as usize..=constant as usize];
            slots.push((constant, place) != next || between.contains(&true));
            next = (constant + 1, place + 1);
        }
        let constant = |(constant, _): &(u32, u32)| self.constants[*constant as usize];
        let places = common.iter().map(|pair| (constant(pair), pair.1)).collect();
        self.constants = common.iter().map(constant).collect();
        self.slots = slots;
        self.members.push((at, places));
        self.longest = longest;
        true
    }

    fn finish(self) -> Template {
        let Self {
            constants,
            slots,
            members,
            ..
        } = self;
        let of_constants = |places: &[(u32, u32)]| {
            let mut places = places.iter();
            let place = |constant: &u32| places.find(|(at, _)| at == constant).map(|found| found.1);
            constants.iter().filter_map(place).collect()
        };
        Template {
            places: members
                .iter()
                .map(|(_, places)| of_constants(places))
                .collect(),
            members: members.into_iter().map(|(at, _)| at).collect(),
            constants,
            slots,
        }
    }
}

/// Longest common subsequences of one sequence with others, by rows of bits (Crochemore et al.
/// 2001).
#[derive(Default)]
struct Matrix {
    /// Words in a row: a bit for each token of the sequence.
    words: usize,
    /// By token: where its bits begin in `bits`, if the sequence has it.
    starts: Vec<Option<u32>>,
    /// Bits of the places of a token.
    bits: Vec<u64>,
    /// After each token of the other: a zero where the subsequence grows in the sequence.
    rows: Vec<u64>,
}

impl Matrix {
    /// Sets the sequence, of tokens below `kinds`.
    fn set(&mut self, sequence: &[u32], kinds: usize) {
        self.words = words(sequence.len());
        self.starts.clear();
        self.starts.resize(kinds, None);
        self.bits.clear();
        for (place, token) in sequence.iter().enumerate() {
            let next = self.bits.len();
            let start = *self.starts[*token as usize].get_or_insert(next as u32) as usize;
            self.bits.resize(next.max(start + self.words), 0);
            self.bits[start + place / 64] |= 1 << (place % 64);
        }
    }

    /// A longest common subsequence with another, as pairs of places, that in the sequence first;
    /// none if it is shorter than `least`.
    fn common(&mut self, other: &[u32], least: usize) -> Option<Vec<(u32, u32)>> {
        let is_in = |token: &&u32| self.starts[**token as usize].is_some();
        if other.iter().filter(is_in).count() < least {
            return None;
        }
        let words = self.words;
        self.rows.clear();
        self.rows.resize(words, u64::MAX);
        for (at, token) in other.iter().enumerate() {
            let before = words * at;
            match self.starts[*token as usize] {
                None => self.rows.extend_from_within(before..before + words),
                Some(start) => {
                    let mut carry = false;
                    for word in 0..words {
                        let (row, equal) =
                            (self.rows[before + word], self.bits[start as usize + word]);
                        let (sum, over) = row.overflowing_add(row & equal);
                        let (sum, over_too) = sum.overflowing_add(u64::from(carry));
                        carry = over || over_too;
                        self.rows.push(sum | (row & !equal));
                    }
                }
            }
        }
        let last = &self.rows[words * other.len()..];
        let length: u32 = last.iter().map(|word| word.count_zeros()).sum();
        if (length as usize) < least {
            return None;
        }
        let grows = |i: usize, j: usize| self.rows[words * i + j / 64] >> (j % 64) & 1 == 0;
        let (mut i, mut j) = (other.len(), 64 * words);
        let mut common = Vec::with_capacity(length as usize);
        while i > 0 && j > 0 {
            if !grows(i, j - 1) {
                j -= 1;
            } else if grows(i - 1, j - 1) {
                i -= 1;
            } else {
                (i, j) = (i - 1, j - 1);
                common.push((j as u32, i as u32));
            }
        }
        common.reverse();
        Some(common)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::Recipe;
    use proptest::prelude::*;

    fn tokens(text: &str) -> Tokens {
        let mut tokens = Tokens::default();
        let recipe = Recipe::named("copies").unwrap();
        recipe.check().unwrap().tokens(text, &mut tokens);
        tokens
    }

    fn templates(texts: &[&str], wanted: &Wanted) -> Vec<(Vec<usize>, String, Vec<Vec<String>>)> {
        let all: Vec<Tokens> = texts.iter().map(|text| tokens(text)).collect();
        let cluster = Cluster::new(&all.iter().collect::<Vec<_>>());
        let found = cluster.templates(&vec![1; texts.len()], wanted);
        let shown = |template: Template| {
            let first: Vec<&str> = all[template.members[0]].iter().collect();
            let mut pattern = Vec::new();
            for (at, slot) in template.slots.iter().enumerate() {
                pattern.extend(slot.then_some("*"));
                pattern.extend(template.constants.get(at).map(|at| first[*at as usize]));
            }
            let fillers = (0..template.members.len()).map(|member| {
                let words: Vec<&str> = all[template.members[member]].iter().collect();
                let ranges = template.fillers(member, words.len() as u32);
                let filler =
                    |range: &Range<u32>| words[range.start as usize..range.end as usize].join(" ");
                ranges.iter().map(filler).collect()
            });
            (
                template.members.clone(),
                pattern.join(" "),
                fillers.collect(),
            )
        };
        found.into_iter().map(shown).collect()
    }

    #[test]
    fn what_differs_is_a_slot_and_other_forms_are_other_templates() {
        let found = templates(
            &[
                "Weather in Bonn: sunny, 20 degrees, light wind",
                "Weather in Bad Ems: rain, 9 degrees, light wind",
                "The team of Bonn won by 3 to 1",
                "Weather in Jena: 12 degrees, light wind tonight",
                "The team of Jena won by 2 to 0",
                "The team of Ems lost by 2 to 4",
                "Nothing of all that",
            ],
            &Wanted::default(),
        );
        let fillers = |all: &[&[&str]]| -> Vec<Vec<String>> {
            let words = |words: &&[&str]| words.iter().map(|word| (*word).to_owned()).collect();
            all.iter().map(words).collect()
        };
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].0, [0, 1, 3]);
        assert_eq!(found[0].1, "weather in * degrees light wind *");
        assert_eq!(
            found[0].2,
            fillers(&[
                &["bonn sunny 20", ""],
                &["bad ems rain 9", ""],
                &["jena 12", "tonight"]
            ])
        );
        assert_eq!(found[1].1, "the team of * by * to *");
        assert_eq!(
            found[1].2,
            fillers(&[
                &["bonn won", "3", "1"],
                &["jena won", "2", "0"],
                &["ems lost", "2", "4"]
            ])
        );
    }

    proptest! {
        #[test]
        fn common_subsequences_are_longest(
            a in prop::collection::vec(0..5_u32, 0..150), b in prop::collection::vec(0..5_u32, 0..150)
        ) {
            let mut matrix = Matrix::default();
            matrix.set(&a, 5);
            let common = matrix.common(&b, 0).unwrap();
            prop_assert!(common.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1));
            prop_assert!(common.iter().all(|(i, j)| a[*i as usize] == b[*j as usize]));
            let mut lengths = vec![vec![0; b.len() + 1]; a.len() + 1];
            for i in 0..a.len() {
                for (j, other) in b.iter().enumerate() {
                    lengths[i + 1][j + 1] = if a[i] == *other {
                        lengths[i][j] + 1
                    } else {
                        lengths[i][j + 1].max(lengths[i + 1][j])
                    };
                }
            }
            prop_assert_eq!(common.len(), lengths[a.len()][b.len()]);
            prop_assert_eq!(matrix.common(&b, common.len() + 1), None);
            let held = 8 * (matrix.bits.len() + matrix.rows.len()) as u64;
            let cluster = Cluster { texts: vec![a, b], kinds: 5 };
            prop_assert!(held <= cluster.bytes());
        }

        #[test]
        fn every_text_is_its_template_with_its_fillers(
            texts in prop::collection::vec(prop::collection::vec(0..4_usize, 1..12), 2..8)
        ) {
            let words = |text: &Vec<usize>| {
                text.iter().map(|word| ["a", "b", "c", "d"][*word]).collect::<Vec<_>>().join(" ")
            };
            let all: Vec<Tokens> = texts.iter().map(|text| tokens(&words(text))).collect();
            let wanted = Wanted { min_texts: 2, min_tokens: 1, ..Wanted::default() };
            let cluster = Cluster::new(&all.iter().collect::<Vec<_>>());
            for template in cluster.templates(&vec![1; all.len()], &wanted) {
                let first = &texts[template.members[0]];
                for (member, at) in template.members.iter().enumerate() {
                    let text = &texts[*at];
                    let mut fillers = template.fillers(member, text.len() as u32).into_iter();
                    let mut built = Vec::new();
                    for (at, slot) in template.slots.iter().enumerate() {
                        if *slot {
                            let range = fillers.next().unwrap();
                            built.extend_from_slice(&text[range.start as usize..range.end as usize]);
                        }
                        built.extend(template.constants.get(at).map(|at| first[*at as usize]));
                    }
                    prop_assert_eq!(&built, text);
                }
                prop_assert!(template.constants.len() * 2 >= first.len());
            }
        }
    }
}
