//! I-Match: one digest of a text's terms of medium frequency, and further ones under lexicons from
//! which terms were randomly removed (Chowdhury, Frieder, Grossman and McCabe 2002; Kołcz,
//! Chowdhury and Alspector 2004).
//!
//! Terms of medium frequency are selected in advance: the input here is the terms of a text that
//! are in the base lexicon, each once, in the order of their code points. Lexicon 0 is the base.
//! Each of the others keeps a term with a given probability, decided by a hash of seed, lexicon and
//! term, so that no lexicon is ever stored. Two texts that differ in a few terms have equal digests
//! in every lexicon that happens to lack those terms: with c differing terms, and each term kept
//! with probability p, they agree in at least one of K random lexicons with probability 1 − (1 − (1
//! − p)^c)^K.
//!
//! The digest is the SHA-1 of the terms, each followed by a line feed (which no token contains):
//! `printf '%s\n' TERMS… | sha1sum`.
//!
//! A text with very few terms in a lexicon would share its digest with all similar ones. Below
//! `least` terms a lexicon has no digest; the caller decides how to treat texts without any.

use super::{Basis, Estimate, Facts, Features, KeyKind, Parameter, Sign, Unit, Written};
use crate::error::{Error, Result};
use crate::hash::{self, Fingerprint, Sequence};
use crate::threshold::Threshold;
use sha1::{Digest, Sha1};
use std::fmt::Write as _;

/// The base lexicon and the random ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lexicons {
    /// A term is kept if its hash is below this; none for the base, which keeps all.
    limit: u64,
    least: usize,
    /// A salt for each random lexicon.
    salts: Vec<u64>,
}

impl Lexicons {
    /// The maximum number of random lexicons.
    pub const MOST: usize = 256;

    /// The base and `count` random lexicons, each of which keeps a term with probability
    /// `keep.0 / keep.1`. A lexicon has no digest for fewer than `least` terms of a text; 0 counts
    /// as 1.
    ///
    /// # Errors
    /// A usage error unless `keep` is above 0 and below 1, and `count` at most [`Lexicons::MOST`].
    pub fn new(count: usize, keep: (u32, u32), least: usize, seed: u64) -> Result<Self> {
        if count > Self::MOST {
            return Err(Error::of("lexicons")
                .expected(format!("at most {}", Self::MOST))
                .found(count));
        }
        if keep.0 == 0 || keep.0 >= keep.1 {
            return Err(Error::of("keep")
                .expected("a share above 0 and below 1")
                .found(format!("{}/{}", keep.0, keep.1)));
        }
        let limit = ((u128::from(keep.0) << 64) / u128::from(keep.1)) as u64;
        let salt = hash::mix(seed ^ hash::multiplier(1));
        Ok(Self {
            limit,
            least: least.max(1),
            salts: (1..=count as u64)
                .map(|l| hash::mix(salt.wrapping_add(l)))
                .collect(),
        })
    }

    /// The number of lexicons, including the base.
    pub fn len(&self) -> usize {
        self.salts.len() + 1
    }

    /// Always false: there is always the base.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Whether a term of the base is in a lexicon.
    pub fn keeps(&self, lexicon: usize, term: &str) -> bool {
        lexicon == 0
            || self
                .salts
                .get(lexicon - 1)
                .is_some_and(|salt| self.chosen(*salt, hash::token(term.as_bytes())))
    }

    #[inline]
    fn chosen(&self, salt: u64, term: Fingerprint) -> bool {
        hash::mix(term.id ^ salt) < self.limit
    }

    /// The SHA-1 of the terms of each lexicon, starting with the base. `terms` are distinct and in
    /// the order of their code points, which is that of their bytes; `out` is cleared first.
    ///
    /// Costs a SHA-1 of the kept terms for each lexicon.
    pub fn digests(&self, terms: &[&str], out: &mut Vec<Option<[u8; 20]>>) {
        debug_assert!(
            terms.is_sorted_by(|a, b| a < b),
            "terms are unique and in order"
        );
        out.clear();
        out.push(self.digest(terms.iter().copied()));
        let hashes: Vec<Fingerprint> = terms
            .iter()
            .map(|term| hash::token(term.as_bytes()))
            .collect();
        for salt in &self.salts {
            let kept = terms
                .iter()
                .zip(&hashes)
                .filter(|(_, hash)| self.chosen(*salt, **hash));
            out.push(self.digest(kept.map(|(term, _)| *term)));
        }
    }

    fn digest<'t>(&self, terms: impl Iterator<Item = &'t str>) -> Option<[u8; 20]> {
        let mut digest = Sha1::new();
        let mut count = 0;
        for term in terms {
            digest.update(term);
            digest.update("\n");
            count += 1;
        }
        (count >= self.least).then(|| digest.finalize().into())
    }
}

/// The key of a digest, from its first 128 bits: equal digests of two lexicons have different keys.
pub fn key(lexicon: usize, digest: [u8; 20]) -> Fingerprint {
    let word = |at: usize| {
        digest[at..at + 8]
            .iter()
            .fold(0, |word, byte| word << 8 | u64::from(*byte))
    };
    Fingerprint {
        id: hash::mix(word(0) ^ hash::multiplier(lexicon as u64)),
        check: word(8),
    }
}

/// A digest as `sha1sum` prints it.
fn hex(digest: [u8; 20]) -> String {
    digest.iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// The number of lexicons under which two texts have the same digest.
pub fn votes(a: &[Option<[u8; 20]>], b: &[Option<[u8; 20]>]) -> u32 {
    a.iter()
        .zip(b)
        .map(|(a, b)| u32::from(a.is_some() && a == b))
        .sum()
}

/// Keys from the digests of filtered terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IMatchKeys {
    /// The lowest idf of a term that counts, as a percentage of the maximum.
    pub low: u32,
    /// The highest idf of a term that counts, as a percentage of the maximum.
    pub high: u32,
    /// Random lexicons in addition to the one with all terms.
    pub lexicons: u32,
    /// The percentage of terms in a random lexicon.
    pub keep: u32,
    /// The minimum number of terms for a digest.
    pub least: u32,
}

impl IMatchKeys {
    /// Computes the digests of a unit.
    fn of_unit<'a>(
        &self,
        basis: &Basis<'a>,
    ) -> Result<impl Fn(&Unit) -> Vec<Option<[u8; 20]>> + Sync + use<'a>> {
        let statistics = basis.statistics;
        let documents = self.documents(statistics.documents());
        let lexicons = Lexicons::new(
            self.lexicons as usize,
            (self.keep, 100),
            self.least as usize,
            basis.seed,
        )?;
        Ok(move |unit: &Unit| {
            // A term not in the statistics has no idf, and is dropped: a growing vocabulary changes
            // no digest.
            let known = |word: &&str| {
                let term = statistics.term(hash::token(word.as_bytes()).id);
                term.is_some_and(|term| term.documents > 0 && documents.contains(&term.documents))
            };
            let mut terms: Vec<&str> = unit.words.iter().filter(known).collect();
            terms.sort_unstable();
            terms.dedup();
            let mut digests = Vec::with_capacity(lexicons.len());
            lexicons.digests(&terms, &mut digests);
            digests
        })
    }

    /// The minimum and maximum number of documents for a term of the base lexicon, of so many
    /// documents: idf / log N is between low and high, both included, with idf = log(N / n).
    fn documents(&self, all: u64) -> std::ops::RangeInclusive<u32> {
        // Logarithms of equal shares may be rounded apart, by much less than those of n and n + 1.
        const EQUAL: f64 = 1e-9;
        let all = u32::try_from(all).unwrap_or(u32::MAX);
        let highest = f64::from(all).ln();
        let above =
            |n: u32, share: u32| 100.0 * (highest - f64::from(n).ln()) - f64::from(share) * highest;
        let fewest = first_without(all, |n| above(n, self.high) > EQUAL);
        fewest..=first_without(all, |n| above(n, self.low) >= -EQUAL).saturating_sub(1)
    }
}

/// The first number in 1 to `all` + 1 for which `holds` is no longer true.
fn first_without(all: u32, holds: impl Fn(u32) -> bool) -> u32 {
    let (mut low, mut high) = (1, all.saturating_add(1));
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

impl KeyKind for IMatchKeys {
    fn parameters(&self) -> Vec<Parameter> {
        let least =
            "Minimum number of terms for a digest; a text with fewer matches only equal texts";
        vec![
            Parameter::new(
                "low",
                self.low,
                0..=self.high,
                "Lowest idf of a term that counts, as a percentage of log N",
            ),
            Parameter::new(
                "high",
                self.high,
                1..=100,
                "Highest idf of a term that counts, as a percentage of log N",
            ),
            Parameter::new(
                "lexicons",
                self.lexicons,
                0..=64,
                "Random lexicons in addition to the one with all terms",
            ),
            Parameter::new(
                "keep",
                self.keep,
                1..=100,
                "Percentage of terms in a random lexicon",
            ),
            Parameter::new("least", self.least, 1..=1000, least),
        ]
    }

    fn describe(&self, _threshold: Threshold) -> String {
        format!("digests of the terms in 1 + {} lexicons", self.lexicons)
    }

    fn keys_of(&self, _: Threshold, units: u64, _text_bytes: u64) -> u64 {
        u64::from(self.lexicons + 1) * units
    }

    fn facts(&self) -> Facts {
        let (estimate, seed) = (Estimate::Slots(self.lexicons + 1), self.lexicons > 0);
        Facts {
            features: Features::Words,
            statistics: true,
            seed,
            estimate,
            ..Facts::default()
        }
    }

    fn sign<'a>(&self, basis: &Basis<'a>) -> Result<Sign<'a>> {
        let digests = self.of_unit(basis)?;
        Ok(Box::new(move |unit, _, signature| {
            let found = digests(unit)
                .into_iter()
                .enumerate()
                .filter_map(|(lexicon, digest)| Some(key(lexicon, digest?)));
            signature.keys.extend(found);
            if signature.keys.is_empty() {
                // Too few terms: the digest of all tokens matches only equal texts, so that such
                // texts do not all share one bucket.
                let mut all = Sequence::default();
                unit.tokens.iter().for_each(|token| all.push(*token));
                signature.keys.push(all.finish());
            }
            signature.slots.extend_from_slice(&signature.keys);
        }))
    }

    fn written<'a>(&self, basis: &Basis<'a>) -> Result<Option<Written<'a>>> {
        let digests = self.of_unit(basis)?;
        Ok(Some(Box::new(move |unit| {
            digests(unit)
                .into_iter()
                .enumerate()
                .filter_map(|(lexicon, digest)| Some((lexicon, hex(digest?))))
                .collect()
        })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digests(lexicons: &Lexicons, terms: &[&str]) -> Vec<Option<[u8; 20]>> {
        let mut out = vec![None; 2];
        lexicons.digests(terms, &mut out);
        out
    }

    #[test]
    fn the_base_digest_is_that_of_sha1sum() {
        // printf '%s\n' Baum Haus zug ärger | sha1sum
        let lexicons = Lexicons::new(0, (2, 3), 4, 0).unwrap();
        let found = digests(&lexicons, &["Baum", "Haus", "zug", "ärger"]);
        assert_eq!(found.len(), 1);
        assert_eq!(
            hex(found[0].unwrap()),
            "e6f47b2fd0a3a0f7570e7cd8016a108e40c23e3c"
        );
    }

    #[test]
    fn terms_at_the_limits_are_in_the_lexicon() {
        let keys = |low, high| IMatchKeys {
            low,
            high,
            lexicons: 0,
            keep: 50,
            least: 1,
        };
        // The square root of N has half of the highest idf.
        for root in [2, 3, 4, 8, 10, 77, 1000, 65_535] {
            let all = root * root;
            assert_eq!(keys(50, 100).documents(all), 1..=root as u32, "{all}");
            assert_eq!(
                keys(0, 50).documents(all),
                root as u32..=all as u32,
                "{all}"
            );
        }
        // log(67 / 44) is 10.0009 % of log 67, and log(67 / 45) is less than 10 %.
        assert_eq!(keys(10, 90).documents(67), 2..=44);
        assert_eq!(keys(10, 90).documents(256), 2..=147);
        assert_eq!(keys(0, 100).documents(1), 1..=1);
        assert!(keys(10, 90).documents(0).is_empty());
    }

    #[test]
    fn terms_do_not_run_together() {
        let lexicons = Lexicons::new(3, (1, 2), 1, 0).unwrap();
        let (a, b) = (
            digests(&lexicons, &["ab", "c"]),
            digests(&lexicons, &["a", "bc"]),
        );
        assert_ne!(a[0], b[0]);
    }

    #[test]
    fn too_few_terms_give_no_digest() {
        let lexicons = Lexicons::new(20, (1, 2), 3, 0).unwrap();
        assert!(digests(&lexicons, &["a", "b"]).iter().all(Option::is_none));
        assert!(
            digests(&Lexicons::new(0, (1, 2), 0, 0).unwrap(), &[])
                .iter()
                .all(Option::is_none)
        );
        let found = digests(&lexicons, &["a", "b", "c"]);
        assert!(found[0].is_some());
        // Of three terms the random lexicons keep all with probability 1/8.
        for (lexicon, digest) in found.iter().enumerate() {
            let kept = ["a", "b", "c"]
                .iter()
                .filter(|term| lexicons.keeps(lexicon, term))
                .count();
            assert_eq!(digest.is_some(), kept == 3);
        }
    }

    #[test]
    fn lexicons_keep_their_share_and_differ() {
        let lexicons = Lexicons::new(8, (2, 3), 1, 42).unwrap();
        assert_eq!(lexicons.len(), 9);
        let terms: Vec<String> = (0..6000).map(|i| format!("term{i}")).collect();
        let kept = |lexicon: usize| -> Vec<bool> {
            terms
                .iter()
                .map(|term| lexicons.keeps(lexicon, term))
                .collect()
        };
        let count = |kept: &[bool]| kept.iter().filter(|k| **k).count() as f64;
        assert!(kept(0).iter().all(|kept| *kept));
        for lexicon in 1..=8 {
            // 4000 with a standard deviation of 36.5.
            assert!((count(&kept(lexicon)) - 4000.0).abs() < 150.0);
            for other in 1..lexicon {
                let both = kept(lexicon)
                    .iter()
                    .zip(kept(other))
                    .filter(|(a, b)| **a && *b)
                    .count() as f64;
                assert!(
                    (both - 6000.0 * 4.0 / 9.0).abs() < 160.0,
                    "{lexicon} {other} {both}"
                );
            }
        }
        assert!(!lexicons.keeps(9, "term1"));
        assert_ne!(Lexicons::new(8, (2, 3), 1, 43).unwrap(), lexicons);
    }

    #[test]
    fn texts_that_differ_in_a_few_terms_agree_as_often_as_they_should() {
        let lexicons = Lexicons::new(10, (2, 3), 1, 1).unwrap();
        for extra in [1_usize, 2, 3] {
            let mut agreed = 0.0;
            for trial in 0..1000 {
                let mut short: Vec<String> = (0..20).map(|i| format!("{trial}-{i:02}")).collect();
                let mut long = short.clone();
                long.extend((20..20 + extra).map(|i| format!("{trial}-{i:02}")));
                short.sort();
                long.sort();
                let of = |terms: &[String]| {
                    digests(
                        &lexicons,
                        &terms.iter().map(String::as_str).collect::<Vec<_>>(),
                    )
                };
                let (a, b) = (of(&short), of(&long));
                assert!(a[0] != b[0]);
                agreed += f64::from(u8::from(votes(&a, &b) > 0));
            }
            let p = 1.0 - (1.0 - (1.0_f64 / 3.0).powi(extra as i32)).powi(10);
            assert!(
                (agreed - 1000.0 * p).abs() < 5.0 * (1000.0 * p * (1.0 - p)).sqrt(),
                "{extra}: {agreed}, expected {p}"
            );
        }
    }

    #[test]
    fn one_digest_in_two_lexicons_is_two_keys() {
        let digest = [5; 20];
        assert_ne!(key(0, digest), key(1, digest));
        assert_eq!(key(1, digest), key(1, digest));
    }

    #[test]
    fn wrong_parameters_are_refused() {
        for keep in [(0, 3), (3, 3), (4, 3), (1, 0)] {
            assert!(
                Lexicons::new(1, keep, 1, 0)
                    .unwrap_err()
                    .message()
                    .contains("keep")
            );
        }
        assert!(
            Lexicons::new(257, (1, 2), 1, 0)
                .unwrap_err()
                .message()
                .contains("lexicons")
        );
    }
}
