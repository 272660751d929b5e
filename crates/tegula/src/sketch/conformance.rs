//! Requirements on every kind of key: one test suite over the list.

use super::{Basis, Estimate, Features, KeyKind, Keys, Room, Signature, Unit, Weighted};
use crate::context::{Budget, Context};
use crate::hash::{self, Fingerprint, Width};
use crate::scratch::Scratch;
use crate::shingle::Shingler;
use crate::statistics::{Counter, Pending, Statistics};
use crate::text::classes::Class;
use crate::text::normalise::{Normalisation, Normaliser, Tokens};
use std::collections::BTreeSet;

const TEXT: &str = "Nobody expects a garden of roses behind the house in which two very old painters once drew elephants, \
                    nor a library of maps under it, where a blue lamp burns whatever the weather may be outside";

/// Document frequencies of eight texts, half of which contain each word of [`TEXT`].
fn statistics() -> Statistics {
    let context = Context::new(1, Budget::OVERHEAD + (64 << 20), Scratch::system());
    let (counter, mut pending) = (Counter::new(&context).unwrap(), Pending::default());
    for unit in 0..8 {
        if unit % 2 == 0 {
            tokens(TEXT)
                .iter()
                .for_each(|word| pending.push(hash::token(word.as_bytes()).id, Class::default()));
        } else {
            pending.push(unit, Class::default());
        }
        pending.end_unit();
    }
    counter.take(&mut pending).unwrap();
    counter.finish()
}

fn tokens(text: &str) -> Tokens {
    let mut words = Tokens::default();
    Normaliser::new(&Normalisation::default())
        .unwrap()
        .tokens(text, &mut words);
    words
}

/// The signature of a text, with shingles of two words, and terms weighted by their length.
/// `turned` reverses what is a set.
fn signature(kind: &dyn KeyKind, text: &str, seed: u64, turned: bool) -> Signature {
    let words = tokens(text);
    let fingerprints: Vec<Fingerprint> = words
        .iter()
        .map(|word| hash::token(word.as_bytes()))
        .collect();
    let mut shingles = Vec::new();
    Shingler::new(2, Width::FULL).ids(&fingerprints, &mut shingles);
    let mut terms: Vec<Weighted> = words
        .iter()
        .map(|word| Weighted {
            fingerprint: hash::token(word.as_bytes()),
            weight: word.chars().count() as u32,
        })
        .collect();
    terms.sort_unstable_by_key(|term| (std::cmp::Reverse(term.weight), term.fingerprint));
    terms.dedup();
    let spelled: Vec<&str> = words.iter().collect();
    let reversed = tokens(&spelled.iter().rev().copied().collect::<Vec<_>>().join(" "));
    if turned {
        shingles.reverse();
    }
    let unit = Unit {
        tokens: &fingerprints,
        shingles: &shingles,
        terms: &terms,
        words: if turned { &reversed } else { &words },
    };
    let statistics = statistics();
    let basis = Basis {
        threshold: "0.8".parse().unwrap(),
        seed,
        units: 1000,
        statistics: &statistics,
    };
    let mut signature = Signature::default();
    // Remains of an earlier unit in the buffers must not matter.
    let mut room = Room {
        minima: vec![3; 7],
        ids: vec![9; 9],
    };
    kind.sign(&basis).unwrap()(&unit, &mut room, &mut signature);
    signature
}

/// The keys of a text.
pub(super) fn keys_of(kind: &dyn KeyKind, text: &str) -> Vec<Fingerprint> {
    signature(kind, text, 0, false).keys
}

fn sorted(mut keys: Vec<Fingerprint>) -> Vec<Fingerprint> {
    keys.sort_unstable();
    keys
}

#[test]
fn equal_texts_share_all_keys_and_no_text_is_without() {
    for (name, keys) in Keys::all() {
        let kind = keys.kind();
        for text in [TEXT, "Nobody expects elephants", "two", "漢字"] {
            let once = signature(kind, text, 5, false);
            let again = signature(kind, text, 5, false);
            assert!(!once.keys.is_empty(), "{name} of {text}");
            assert_eq!(
                (once.keys, once.slots, once.bits),
                (again.keys, again.slots, again.bits),
                "{name} of {text}"
            );
        }
        let other = sorted(keys_of(
            kind,
            "Something else is said of other things here, with no word shared by both",
        ));
        let mine = keys_of(kind, TEXT);
        // Texts that share nothing occasionally agree in a block of a simhash.
        assert!(
            kind.facts().estimate == Estimate::Bits
                || mine.iter().all(|key| other.binary_search(key).is_err()),
            "{name}"
        );
    }
}

#[test]
fn sets_may_come_in_any_order() {
    for (name, keys) in Keys::all() {
        let kind = keys.kind();
        if matches!(kind.facts().features, Features::Shingles | Features::Words) {
            let [one, other] = [false, true].map(|turned| signature(kind, TEXT, 5, turned));
            assert_eq!(
                (sorted(one.keys), one.slots, one.bits),
                (sorted(other.keys), other.slots, other.bits),
                "{name}"
            );
        }
    }
}

#[test]
fn keys_depend_on_the_seed_where_they_say_so() {
    for (name, keys) in Keys::all() {
        let [one, other] = [1, 2].map(|seed| signature(keys.kind(), TEXT, seed, false).keys);
        assert_eq!(one != other, keys.kind().facts().seed, "{name}");
    }
}

#[test]
fn a_long_text_fills_all_slots() {
    for (name, keys) in Keys::all() {
        let found = signature(keys.kind(), TEXT, 0, false);
        match keys.kind().facts().estimate {
            Estimate::Slots(slots) => assert_eq!(found.slots.len() as u32, slots, "{name}"),
            Estimate::Bits => assert_ne!(found.bits, 0, "{name}"),
            Estimate::Nothing | Estimate::Sample { .. } => {
                assert!(found.slots.is_empty(), "{name}");
            }
        }
    }
}

#[test]
fn parameters_are_explained_and_checked() {
    for (name, keys) in Keys::all() {
        let kind = keys.kind();
        keys.check(1).unwrap();
        let words = kind.describe("0.8".parse().unwrap());
        assert!(!words.is_empty() && !words.contains('\n'), "{name}");
        let parameters = toml::Table::try_from(keys).unwrap();
        assert_eq!(parameters["type"].as_str(), Some(name));
        let explained: BTreeSet<&str> = kind
            .parameters()
            .iter()
            .map(|parameter| parameter.name)
            .chain(["type"])
            .collect();
        assert_eq!(
            explained,
            parameters.keys().map(String::as_str).collect(),
            "{name}"
        );
        let with = |field: &str, value: i64| -> Result<Keys, toml::de::Error> {
            let mut changed = parameters.clone();
            changed.insert(field.to_owned(), value.into());
            changed.try_into()
        };
        assert!(with("colour", 1).is_err(), "{name}");
        for field in parameters
            .keys()
            .filter(|field| parameters[*field].is_integer())
        {
            // Large numbers are refused, so that nothing sized by them exceeds memory.
            for wrong in [1 << 21, i64::from(u32::MAX)] {
                let error = with(field, wrong).unwrap().check(1).unwrap_err();
                assert!(
                    error.message().contains(&format!("keys.{field}")),
                    "{name}: {error}"
                );
            }
        }
    }
}

#[test]
fn curves_are_there_where_slots_are_cut() {
    for (name, keys) in Keys::all() {
        let bands = keys.kind().bands("0.8".parse().unwrap()).unwrap();
        if let (Some(bands), Estimate::Slots(_)) = (bands, keys.kind().facts().estimate) {
            assert_eq!(keys_of(keys.kind(), TEXT).len(), bands.bands(), "{name}");
        }
    }
}
