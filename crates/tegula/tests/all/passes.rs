//! Where neither memory nor scratch has room for the rows of all shingles, texts are read in several
//! passes, to the same pairs.

use crate::common::{Memory, expanded, job};
use tegula::constraint::Constraints;
use tegula::context::{Budget, Context};
use tegula::engine::bad_records::FailOnBad;
use tegula::engine::{Tuning, find};
use tegula::hash::mix;
use tegula::recipe::Recipe;
use tegula::scratch::Scratch;

/// Texts of 200 words, every fourth with a copy in which a word differs.
fn texts() -> Vec<String> {
    let text = |number: u64, changed: u64| {
        let word = |at: u64| mix(number << 20 | at << 1 | u64::from(at == changed)) % 100_000;
        let words: Vec<String> = (0..200).map(|at| format!("w{}", word(at))).collect();
        words.join(" ")
    };
    (0..2_000)
        .map(|number| match number % 4 {
            3 => text(number - 1, mix(number) % 200),
            _ => text(number, u64::MAX),
        })
        .collect()
}

#[test]
fn passes_take_the_place_of_scratch() {
    let source = Memory::new(&texts(), 7);
    for name in ["sscr", "ssr", "revisions"] {
        let recipe = Recipe::named(name).unwrap();
        let none = Constraints::default();
        let job = job(&source, &recipe, &none, Tuning::default());
        let folder = tempfile::tempdir().unwrap();
        let run = |memory: u64, scratch: u64| {
            let scratch = Scratch::new(folder.path(), scratch);
            let context = Context::new(1, Budget::OVERHEAD + memory, scratch);
            let found = find(&context, job, &mut FailOnBad).unwrap();
            (found.notes.passes, expanded(&found))
        };
        let (passes, pairs) = run(1 << 30, u64::MAX);
        assert_eq!((passes, pairs.len()), (1, 500), "{name}");
        let (passes, spilled) = run(4 << 20, u64::MAX);
        assert_eq!((passes, &spilled), (1, &pairs), "{name}");
        let (passes, reread) = run(4 << 20, 3 << 20);
        assert!(passes > 1, "{name}: {passes}");
        assert_eq!(reread, pairs, "{name}");
    }
}
