//! Which recipe suits a collection, judged by a sample of its texts: `auto`.
//!
//! | letters and digits in three of four texts | recipe |
//! | --- | --- |
//! | below 100 (Chinese, Japanese, Korean: 60): messages, titles, names | `ssr` over three characters (two), 0.7 |
//! | below 450 (200): records of a few words, such as citations | `ssr` over three letters (two), 0.55 |
//! | more, and 200 texts or more | `revisions` |
//! | more, and fewer texts | `copies`: rarity says little among a few texts |
//!
//! In short texts a changed word changes most shingles of words, but few of characters; the fewer
//! characters, the more two texts have in common by chance. In records spaces are reliable, so the
//! characters include where words begin and end; in messages they are not. `docs/quality.md` has the results of
//! these choices on labelled sets.

use super::Recipe;
use crate::error::{Error, Result};
use crate::text::token::Boundaries;

/// The lengths and the script of some texts.
#[derive(Debug, Clone, Default)]
pub struct Profile {
    /// Letters and digits of each text.
    lengths: Vec<u32>,
    /// Letters and digits of all.
    letters: u64,
    /// Those of them that are words or syllables by themselves: Chinese, Japanese, Korean.
    dense: u64,
}

/// A recipe, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Advice {
    /// The recipe.
    pub recipe: Recipe,
    /// The recipe and the reason, in one line.
    pub reason: String,
}

/// The limits of short texts and of records, in letters and digits.
const SPREAD: [u32; 2] = [100, 450];
/// The same in scripts whose characters are words or syllables.
const DENSE: [u32; 2] = [60, 200];
/// Fewer texts say little about what is rare.
const MANY: usize = 200;

impl Profile {
    /// Adds a text.
    pub fn add(&mut self, text: &str) {
        let before = self.letters;
        for char in text.chars().filter(|char| char.is_alphanumeric()) {
            self.letters += 1;
            self.dense += u64::from(is_dense(char));
        }
        let length = self.letters - before;
        self.lengths.push(u32::try_from(length).unwrap_or(u32::MAX));
    }

    /// The number of texts.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// The recipe that suits such texts.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Data`] if there are no texts.
    pub fn advice(&self) -> Result<Advice> {
        let mut lengths = self.lengths.clone();
        let quarter = lengths.len() * 3 / 4;
        if lengths.is_empty() {
            return Err(
                Error::data("expected texts to choose a recipe for, found none")
                    .hint("name the recipe, as in ⟨recipe=copies⟩"),
            );
        }
        let long = *lengths.select_nth_unstable(quarter).1;
        let dense = 3 * self.dense >= self.letters && self.dense > 0;
        let (limits, ngram, script) = if dense {
            (DENSE, 2, " in a dense script")
        } else {
            (SPREAD, 3, "")
        };
        let characters = |boundaries: &str, threshold: &str| -> Result<Recipe> {
            Recipe::named("ssr")?
                .with("normalise.boundaries", boundaries)?
                .with("ngram", &ngram.to_string())?
                .with("threshold", threshold)
        };
        let (recipe, what) = if long < limits[0] {
            (characters("characters", "0.7")?, "short texts")
        } else if long < limits[1] {
            (characters("letters", "0.55")?, "records of a few words")
        } else if self.len() < MANY {
            (Recipe::named("copies")?, "long texts, but few")
        } else {
            (Recipe::named("revisions")?, "long texts")
        };
        let of = match recipe.normalise.boundaries {
            Boundaries::Characters => "characters",
            Boundaries::Letters => "letters",
            _ => "tokens",
        };
        let reason = format!(
            "{} over {} {of} at {}, for {what}{script}: three in four have up to {long} letters and digits",
            recipe.recipe, recipe.ngram, recipe.threshold
        );
        Ok(Advice { recipe, reason })
    }
}

/// Whether a character is a word or a syllable.
fn is_dense(char: char) -> bool {
    matches!(char,
        '\u{1100}'..='\u{11ff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn advice(text: &str, times: usize) -> Advice {
        let mut profile = Profile::default();
        (0..times).for_each(|_| profile.add(text));
        profile.advice().unwrap()
    }

    #[test]
    fn lengths_and_scripts_decide() {
        let short = advice("meet me at 8", 50);
        assert_eq!(
            short.reason,
            "ssr over 3 characters at 0.7, for short texts: three in four have up to 9 letters and digits"
        );
        assert!(short.recipe.check().is_ok() && short.recipe.check_effects().is_ok());
        assert!(
            advice("31省区市新增", 50)
                .reason
                .contains("over 2 characters at 0.7")
        );
        let record = advice(&"some words ".repeat(20), 50);
        assert!(
            record
                .reason
                .contains("over 3 letters at 0.55, for records"),
            "{}",
            record.reason
        );
        let text = "some words ".repeat(200);
        assert_eq!(advice(&text, 50).recipe.recipe, "copies");
        assert_eq!(advice(&text, 200).recipe.recipe, "revisions");
    }

    #[test]
    fn no_texts_are_an_error_and_empty_ones_are_short() {
        assert!(Profile::default().advice().is_err());
        assert_eq!(advice("", 3).recipe.ngram, 3);
    }

    #[test]
    fn the_longest_quarter_decides_among_lengths() {
        let mut profile = Profile::default();
        (0..70).for_each(|_| profile.add("yes"));
        (0..30).for_each(|_| profile.add(&"long text ".repeat(100)));
        assert_eq!(profile.advice().unwrap().recipe.recipe, "copies");
    }
}
