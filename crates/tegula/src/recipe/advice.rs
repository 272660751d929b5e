//! Which recipe suits a collection, judged by the lengths and scripts of its texts: `auto`.
//!
//! | letters and digits in three of four texts | recipe |
//! | --- | --- |
//! | below 100: messages, titles, names | `ssr` over three characters, 0.7 |
//! | below 450, in sentences: clauses, teasers | `clauses` |
//! | below 450: records of a few words, such as citations | `ssr` over four letters, 0.45 |
//! | more, and 200 texts or more | `revisions` |
//! | more, and fewer texts | `copies`: rarity says little among a few texts |
//!
//! A character of a dense script (Chinese, Japanese, Korean) counts twice, in these lengths as in the tokens
//! of texts in such a script: so each script is compared by what suits it, in one run.
//!
//! Where a tenth of the texts are below the first limit, and a tenth above the second or most letters in
//! these, `mixed` compares short texts with each other by characters, and all others by shingles.
//!
//! Of paragraphs and sentences of documents `clauses` is the choice, whatever their lengths.
//!
//! In short texts a changed word changes most shingles of words, but few of characters; the fewer
//! characters, the more two texts have in common by chance. In records spaces are reliable, so the
//! characters include where words begin and end; in messages they are not. `docs/quality.md` has the results of
//! these choices on labelled sets.

use super::{Action, Recipe, Staged};
use crate::error::{ErrorKind, Result};
use crate::text::dense::is_dense;

/// The lengths and the script of some texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// How many texts have so many letters and digits; the last, so many or more.
    lengths: Vec<u64>,
    texts: u64,
    /// Letters and digits of all.
    letters: u64,
    /// Those of the texts of the second limit or more.
    in_long: u64,
    /// Bytes of all texts.
    bytes: u64,
    /// How many texts end as sentences do.
    ends: u64,
    /// Spaces and punctuation marks of all.
    spaces: u64,
    marks: u64,
    /// For how many texts each stands.
    each: u64,
}

impl Default for Profile {
    fn default() -> Self {
        Self {
            lengths: vec![0; LONGEST + 1],
            texts: 0,
            letters: 0,
            in_long: 0,
            bytes: 0,
            ends: 0,
            spaces: 0,
            marks: 0,
            each: 1,
        }
    }
}

/// A recipe, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Advice {
    /// The recipe, of two stages if the collection is mixed.
    pub recipe: Staged,
    /// The recipe and the reason, in one line.
    pub reason: String,
    /// The reason alone.
    why: String,
}

impl Advice {
    /// The reason, with the recipe of its one stage as other settings have changed it.
    pub fn reason_for(&self, recipe: &Recipe) -> String {
        format!(
            "{} over {} {}s at {}, {}",
            recipe.recipe,
            recipe.ngram,
            recipe.token(),
            recipe.threshold,
            self.why
        )
    }
}

/// The limits of short texts and of records, in letters and digits.
const LIMITS: [usize; 2] = [100, 450];
/// Fewer texts say little about what is rare.
const MANY: u64 = 200;
/// A collection with this percentage of short texts, and of long ones, is mixed.
const TENTH: u64 = 10;
/// It is mixed as well with fewer long texts, if they have this percentage of all letters.
const MOST: u64 = 50;
/// What sentences end with, and what may follow.
const ENDS: [char; 8] = ['.', '!', '?', ';', ':', '。', '！', '？'];
const CLOSING: [char; 6] = ['"', '\'', ')', '”', '“', '»'];
/// Bytes of text looked through for others than ASCII at a time.
const PART: usize = 64;
/// Lengths from here on are not told apart.
const LONGEST: usize = 1 << 12;

impl Profile {
    /// Adds a text.
    pub fn add(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let ascii = bytes.iter().filter(|byte| byte.is_ascii_alphanumeric());
        let mut length = ascii.count() as u64;
        for (at, part) in (0..).step_by(PART).zip(bytes.chunks(PART)) {
            if part.is_ascii() {
                continue;
            }
            let begins = (at..).zip(part).filter(|(_, byte)| **byte >= 0xc0);
            let chars = begins.filter_map(|(at, _)| text.get(at..)?.chars().next());
            for char in chars.filter(|char| char.is_alphanumeric()) {
                length += 1 + u64::from(is_dense(char));
            }
        }
        if length as usize >= LIMITS[1] {
            self.in_long += length;
        }
        let end =
            text.trim_end_matches(|char: char| char.is_whitespace() || CLOSING.contains(&char));
        self.ends += u64::from(end.ends_with(ENDS));
        let count = |is: fn(&u8) -> bool| bytes.iter().filter(|byte| is(byte)).count() as u64;
        self.spaces += count(u8::is_ascii_whitespace);
        self.marks += count(u8::is_ascii_punctuation);
        self.lengths[LONGEST.min(length as usize)] += 1;
        self.letters += length;
        self.bytes += text.len() as u64;
        self.texts += 1;
    }

    /// Adds the texts of another profile.
    pub fn merge(&mut self, other: &Self) {
        for (own, more) in self.lengths.iter_mut().zip(&other.lengths) {
            *own += more;
        }
        self.in_long += other.in_long;
        self.letters += other.letters;
        self.bytes += other.bytes;
        self.ends += other.ends;
        self.spaces += other.spaces;
        self.marks += other.marks;
        self.texts += other.texts;
    }

    /// Each text stands for so many: the collection has as many more than were added.
    pub fn stands_for(&mut self, each: u64) {
        self.each = each;
    }

    /// The number of texts.
    pub fn len(&self) -> u64 {
        self.texts
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.texts == 0
    }

    /// The texts with less than this many letters and digits.
    fn below(&self, length: usize) -> u64 {
        self.lengths[..length].iter().sum()
    }

    /// Whether texts are sentences rather than records: at least half end as sentences do, and there are
    /// fewer than one mark for three spaces, as citations and lists have more.
    fn are_sentences(&self) -> bool {
        2 * self.ends >= self.texts && 3 * self.marks < self.spaces
    }

    /// Whether there are so many texts that rarity says something.
    fn are_many(&self, texts: u64) -> bool {
        texts * self.each >= MANY
    }

    /// The recipe for long texts, of which there are so many, and whether they are few.
    fn for_long(&self, texts: u64) -> Result<(Recipe, bool)> {
        let name = if self.are_many(texts) {
            "revisions"
        } else {
            "copies"
        };
        Ok((Recipe::named(name)?, !self.are_many(texts)))
    }

    /// The recipe that suits such texts; one of a single stage unless there may be several.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Data`] if there are no texts.
    pub fn advice(&self, may_have_stages: bool) -> Result<Advice> {
        if self.is_empty() {
            return Err(ErrorKind::Data
                .expected("texts to choose a recipe for")
                .found("none")
                .hint("name the recipe, as in ⟨recipe=copies⟩"));
        }
        let mut below = 0;
        let long = self.lengths.iter().position(|texts| {
            below += texts;
            below > self.texts * 3 / 4
        });
        let long = long.unwrap_or(LONGEST);
        if may_have_stages && let Some(mixed) = self.mixed()? {
            return Ok(mixed);
        }
        let characters = |boundaries: &str, ngram: &str, threshold: &str| -> Result<Recipe> {
            Recipe::named("ssr")?
                .with("normalise.boundaries", boundaries)?
                .with("normalise.dense", "twice")?
                .with("normalise.timestamps", "remove")?
                .with("ngram", ngram)?
                .with("threshold", threshold)
        };
        let (recipe, what, second) = if long < LIMITS[0] {
            let recipe = characters("characters", "3", "0.7")?;
            (recipe, "short texts", "messages")
        } else if long < LIMITS[1] && self.are_sentences() {
            let clauses = Recipe::named("clauses")?.with("unit", "document")?;
            (clauses, "texts of a few sentences", "copies")
        } else if long < LIMITS[1] {
            let records = "records of a few words";
            (characters("letters", "4", "0.45")?, records, "messages")
        } else {
            match self.for_long(self.texts)? {
                (recipe, true) => (recipe, "long texts, but few", "revisions"),
                (recipe, false) => (recipe, "long texts", "copies"),
            }
        };
        let lengths = match long {
            LONGEST => format!("a quarter have {LONGEST} or more letters and digits"),
            long => format!("three in four have up to {long} letters and digits"),
        };
        let mut advice = Advice {
            recipe: Staged::single(recipe.clone(), Action::Remove),
            reason: String::new(),
            why: format!("for {what}: {lengths}; the second choice would be {second}"),
        };
        advice.reason = advice.reason_for(&recipe);
        Ok(advice)
    }

    /// The advice for texts of which a tenth are short, and a tenth neither short nor records, or most
    /// letters in these.
    fn mixed(&self) -> Result<Option<Advice>> {
        let limits = LIMITS;
        let percent = |part: u64, all: u64| part * 100 / all.max(1);
        let short = percent(self.below(limits[0]), self.texts);
        let long = percent(self.texts - self.below(limits[1]), self.texts);
        let of_letters = percent(self.in_long, self.letters);
        if short < TENTH || (long < TENTH && of_letters < MOST) {
            return Ok(None);
        }
        // The bytes of a text with so many letters, in tens.
        let bytes = limits[0] as u64 * self.bytes / self.letters.max(1);
        let bytes = bytes.next_multiple_of(10);
        let mut recipe = Staged::from_toml(Staged::named("mixed").unwrap_or_default(), "mixed")?;
        let (of_long, _) = self.for_long(self.texts - self.below(limits[0]))?;
        let name = of_long.recipe.clone();
        recipe.stages[0].recipe = of_long;
        for (key, value) in [
            ("long.lengths", format!("above {bytes} bytes")),
            ("short.lengths", format!("up to {bytes} bytes")),
        ] {
            recipe = recipe.with(key, &value)?;
        }
        let many = if long < TENTH {
            format!("{of_letters} % of these are in longer texts")
        } else {
            format!("{long} % have {} or more", limits[1])
        };
        let why = format!(
            "{name}, and for texts of up to {bytes} bytes ssr over 3 characters at 0.7: {short} % have fewer than {} letters \
             and digits, {many}; the second choice would be {name} for all",
            limits[0]
        );
        Ok(Some(Advice {
            recipe,
            reason: format!("mixed: {why}"),
            why,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn advice(text: &str, times: usize) -> Advice {
        let mut profile = Profile::default();
        (0..times).for_each(|_| profile.add(text));
        profile.advice(true).unwrap()
    }

    /// The recipe of its one stage.
    fn single(advice: &Advice) -> Recipe {
        let [stage] = &advice.recipe.stages[..] else {
            panic!("{}", advice.reason);
        };
        stage.recipe.clone()
    }

    #[test]
    fn lengths_and_scripts_decide() {
        let short = advice("meet me at 8", 50);
        assert_eq!(
            short.reason,
            "ssr over 3 characters at 0.7, for short texts: three in four have up to 9 letters and digits; the second choice would be messages"
        );
        let recipe = single(&short);
        assert!(recipe.check().is_ok() && recipe.check_effects().is_ok());
        assert!(
            advice("31省区市新增", 50)
                .reason
                .contains("over 3 characters at 0.7")
        );
        let record = advice(&"some words ".repeat(20), 50);
        assert!(
            record
                .reason
                .contains("over 4 letters at 0.45, for records"),
            "{}",
            record.reason
        );
        let clause = advice(&("some words ".repeat(20) + "of a clause.)"), 50);
        assert!(
            clause
                .reason
                .starts_with("clauses over 3 tokens at 0.78, for texts of a few sentences"),
            "{}",
            clause.reason
        );
        let citation = advice(&"A. Name, some words, pp. 3-4. ".repeat(8), 50);
        assert!(
            citation.reason.contains("for records"),
            "{}",
            citation.reason
        );
        let text = "some words ".repeat(200);
        assert_eq!(single(&advice(&text, 50)).recipe, "copies");
        assert_eq!(single(&advice(&text, 200)).recipe, "revisions");
    }

    #[test]
    fn letters_and_digits_are_counted_wherever_they_are() {
        let long = ["x".repeat(63), "ひxé-".repeat(50), "😀.".repeat(40)];
        for text in ["", "a é! 中文 ½ \u{10ffff}"]
            .into_iter()
            .chain(long.iter().map(|text| &text[..]))
        {
            let mut profile = Profile::default();
            profile.add(text);
            let all = text.chars().filter(|char| char.is_alphanumeric());
            let dense = all.clone().filter(|char| is_dense(*char)).count();
            assert_eq!(profile.letters, (all.count() + dense) as u64);
        }
    }

    #[test]
    fn parts_of_a_collection_are_the_collection() {
        let texts = [
            "yes",
            "no",
            "some words",
            "三十一",
            &"long text ".repeat(500),
        ];
        let of = |texts: &[&str]| {
            let mut profile = Profile::default();
            for text in texts {
                profile.add(text);
            }
            profile
        };
        let mut parts = of(&texts[3..]);
        parts.merge(&of(&texts[..3]));
        assert_eq!(parts, of(&texts));
    }

    #[test]
    fn no_texts_are_an_error_and_empty_ones_are_short() {
        assert!(Profile::default().advice(true).is_err());
        assert_eq!(single(&advice("", 3)).ngram, 3);
    }

    #[test]
    fn the_longest_quarter_decides_among_lengths() {
        let mut profile = Profile::default();
        (0..70).for_each(|_| profile.add("yes"));
        (0..30).for_each(|_| profile.add(&"long text ".repeat(100)));
        assert_eq!(single(&profile.advice(false).unwrap()).recipe, "copies");
    }

    #[test]
    fn a_tenth_of_short_and_of_long_texts_is_mixed() {
        let with = |short: usize, long: usize, text: &str| {
            let mut profile = Profile::default();
            let beginning: String = text.chars().take(9).collect();
            (0..short).for_each(|_| profile.add(&beginning));
            (0..100 - short - long).for_each(|_| profile.add(&"some words ".repeat(20)));
            (0..long).for_each(|_| profile.add(&text.repeat(100)));
            profile.advice(true).unwrap()
        };
        let mixed = with(10, 10, "two words ");
        assert_eq!(
            mixed.reason,
            "mixed: copies, and for texts of up to 130 bytes ssr over 3 characters at 0.7: 10 % have fewer than 100 letters and digits, \
             10 % have 450 or more; the second choice would be copies for all"
        );
        let [long, short] = &mixed.recipe.stages[..] else {
            panic!("{:?}", mixed.recipe);
        };
        assert_eq!(long.recipe.lengths.to_string(), "above 130 bytes");
        assert_eq!(short.recipe.lengths.to_string(), "up to 130 bytes");
        for (few, many) in [(9, 40), (40, 9)] {
            assert_eq!(with(few, many, "two words ").recipe.stages.len(), 1);
        }
        let dense = with(50, 50, "三十一省区市新增确诊病例");
        assert!(dense.reason.contains("up to 150 bytes"), "{}", dense.reason);
    }
}
