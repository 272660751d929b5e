//! What the crate promises to programs: results equal brute force, whatever the threads; wrong
//! settings are typed errors.

mod results;
mod settings;
mod sources;

use crate::common::{Memory, oracle};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Mutex;
use tegula::recipe::Measure;
use tegula::source::Records;
use tegula::{
    Amount, Cancel, Dedup, ErrorKind, Onion, Outcome, Progress, Reason, Record, Removed, Unit,
};

/// Texts over few words, many of which are edits, parts, repetitions and copies of others.
fn texts(count: usize, seed: u64) -> Vec<String> {
    let mut state = seed;
    let mut below = move |end: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % end
    };
    let mut texts: Vec<Vec<String>> = Vec::new();
    while texts.len() < count {
        let mut words = match below(4) {
            0 | 1 if !texts.is_empty() => texts[below(texts.len())].clone(),
            _ => (0..below(40)).map(|_| format!("w{}", below(60))).collect(),
        };
        for _ in 0..below(4) {
            let at = if words.is_empty() {
                0
            } else {
                below(words.len())
            };
            match below(5) {
                0 => words.truncate(at),
                1 => words.insert(at, format!("x{}", below(9))),
                2 => words = words.split_off(at),
                3 if !words.is_empty() => "y".clone_into(&mut words[at]),
                _ => {}
            }
        }
        texts.push(words);
    }
    texts.iter().map(|words| words.join(" ")).collect()
}

fn removed(outcome: &Outcome) -> Vec<Removed> {
    outcome.removed().collect()
}
