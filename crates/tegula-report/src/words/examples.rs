//! The words of chosen runs, and concordance lines around a kept and a removed hit.

use super::grams::{Gram, Grams, Hit};
use crate::run::Run;
use std::collections::HashMap;
use tegula::error::Result;

/// Characters of context on either side.
const AROUND: usize = 30;

/// Examples of a run of words.
#[derive(Debug, Clone, Default)]
pub(super) struct Example {
    pub(super) words: String,
    pub(super) kept: Option<String>,
    pub(super) removed: Option<String>,
}

/// Examples of chosen runs.
pub(super) struct Examples {
    found: HashMap<Gram, Example>,
    none: Example,
}

impl Examples {
    /// Finds the first hit of each kind.
    pub(super) fn find(
        run: &Run,
        grams: &mut Grams,
        wanted: impl Iterator<Item = Gram>,
    ) -> Result<Self> {
        let mut found: HashMap<Gram, Example> =
            wanted.map(|gram| (gram, Example::default())).collect();
        let mut open = 2 * found.len();
        run.for_each_text(|text| {
            grams.for_each(text, |gram, is_removed, hit| {
                if let Some(example) = found.get_mut(&gram) {
                    if example.words.is_empty() {
                        example.words = hit.words();
                    }
                    let place = if is_removed {
                        &mut example.removed
                    } else {
                        &mut example.kept
                    };
                    if place.is_none() {
                        *place = Some(line(hit));
                        open -= 1;
                    }
                }
                Ok(())
            })?;
            Ok(open > 0)
        })?;
        Ok(Self {
            found,
            none: Example::default(),
        })
    }

    pub(super) fn of(&self, gram: Gram) -> &Example {
        self.found.get(&gram).unwrap_or(&self.none)
    }
}

/// A concordance line, with the hit in brackets.
fn line(hit: &Hit) -> String {
    let (before, after) = (&hit.text[..hit.bytes.start], &hit.text[hit.bytes.end..]);
    let from = before
        .char_indices()
        .rev()
        .nth(AROUND - 1)
        .map_or(0, |(at, _)| at);
    let to = after
        .char_indices()
        .nth(AROUND)
        .map_or(after.len(), |(at, _)| at);
    let (cut, more) = (
        if from > 0 { "…" } else { "" },
        if to < after.len() { "…" } else { "" },
    );
    let whole = format!(
        "{cut}{}[{}]{}{more}",
        &before[from..],
        &hit.text[hit.bytes.clone()],
        &after[..to]
    );
    whole.split_whitespace().collect::<Vec<_>>().join(" ")
}
