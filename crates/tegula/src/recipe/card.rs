//! A recipe with its description: built in, or from a user's file. Both are TOML with the same
//! fields.

use super::Recipe;
use crate::error::{Error, Result};
use crate::nearest;
use std::sync::OnceLock;
use toml::{Table, Value};

/// The names and TOML of the recipes in `recipes/`.
macro_rules! files {
    ($($name:literal)*) => {
        [$(($name, include_str!(concat!("../../recipes/", $name, ".toml")))),*]
    };
}

/// The built-in recipes, in listing order; those of several stages come last.
#[rustfmt::skip]
pub(super) const BUILT_IN: &[(&str, &str)] = &files! {
    "copies"
    "sscr"
    "ssr"
    "sscr-containment"
    "ssr-containment"
    "revisions"
    "clauses"
    "cops"
    "messages"
    "exact"
    "plain"
    "onion"
    "passages"
    "cosine"
    "sketch"
    "sketch-mod"
    "super-shingle"
    "simhash"
    "i-match"
    "simfinder"
    "mixed"
    "benko"
};

/// The description of a recipe. It has no effect, and is not part of the recipe's hash.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Texts {
    /// What it finds, in one line.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Its source: paper and section.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub paper: String,
    /// What it guarantees about its results.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub guarantee: String,
    /// What it costs.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub cost: String,
    /// What it is good for.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub good_for: String,
    /// What it is not good for.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub not_for: String,
}

impl Texts {
    /// All but the title, each with its label.
    pub fn labelled(&self) -> [(&'static str, &str); 5] {
        let Self {
            title: _,
            paper,
            guarantee,
            cost,
            good_for,
            not_for,
        } = self;
        [
            ("from", paper),
            ("guarantee", guarantee),
            ("cost", cost),
            ("good for", good_for),
            ("not for", not_for),
        ]
    }

    /// All with the names of their fields.
    pub(super) fn fields(&mut self) -> [(&'static str, &mut String); 6] {
        let Self {
            title,
            paper,
            guarantee,
            cost,
            good_for,
            not_for,
        } = self;
        [
            ("title", title),
            ("paper", paper),
            ("guarantee", guarantee),
            ("cost", cost),
            ("good_for", good_for),
            ("not_for", not_for),
        ]
    }

    /// This description, with each text replaced by the table's if it has one; parameters remain in
    /// the table.
    ///
    /// # Errors
    /// A usage error naming the field that is not a string.
    pub(super) fn replaced_by(mut self, table: &mut Table) -> Result<Self> {
        for (name, text) in self.fields() {
            if let Some(own) = take_string(table, name)? {
                *text = own;
            }
        }
        Ok(self)
    }
}

/// Removes a string from a table.
///
/// # Errors
/// A usage error if the value is not a string.
pub(super) fn take_string(table: &mut Table, name: &str) -> Result<Option<String>> {
    match table.remove(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(Error::of(name).expected("a string").found(other.type_str())),
    }
}

/// Parses a TOML table.
///
/// # Errors
/// A usage error if it is not valid.
pub(super) fn parse(text: &str) -> Result<Table> {
    text.parse().map_err(|e: toml::de::Error| {
        Error::usage(format!("the recipe is not TOML: {}", e.message())).because(e)
    })
}

/// A recipe with its description.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// Its name, or that of its file.
    pub name: String,
    /// Its description.
    pub texts: Texts,
    recipe: Recipe,
}

impl Card {
    /// The built-in recipe with this name.
    ///
    /// # Errors
    /// If there is none; the hint lists the recipes.
    pub fn named(name: &str) -> Result<&'static Self> {
        by_name(name).ok_or_else(|| unknown(name))
    }

    /// A recipe from TOML: `recipe = "NAME"` to start from, then the fields that differ, including
    /// descriptions. `name` is its display name.
    ///
    /// # Errors
    /// Usage errors naming the field.
    pub fn from_toml(text: &str, name: &str) -> Result<Self> {
        let mut table = parse(text)?;
        let texts = Self::base(&table)?.texts.clone().replaced_by(&mut table)?;
        Ok(Self {
            name: name.to_owned(),
            texts,
            recipe: Recipe::from_table_over_base(table)?,
        })
    }

    /// The built-in recipe on which a table is based.
    ///
    /// # Errors
    /// If there is none with that name.
    pub(super) fn base(table: &Table) -> Result<&'static Self> {
        match table.get("recipe") {
            None => Self::named(Recipe::DEFAULT),
            Some(Value::String(name)) => Self::named(name),
            Some(other) => Err(Error::of("recipe")
                .expected("a name")
                .found(other.type_str())),
        }
    }

    /// Reads a file in `recipes/`, which is based on no other.
    fn built_in(name: &str, text: &str) -> Result<Self> {
        let mut table = parse(text)?;
        let texts = Texts::default().replaced_by(&mut table)?;
        Ok(Self {
            name: name.to_owned(),
            texts,
            recipe: Recipe::from_table(table)?,
        })
    }

    /// The recipe.
    pub fn recipe(&self) -> Recipe {
        self.recipe.clone()
    }
}

/// Refuses names of recipes that are not built in or have several stages.
///
/// # Errors
/// A usage error; the hint lists the recipes.
pub(super) fn check_name(name: &str) -> Result<()> {
    let is_single = |(known, toml): &(&str, &str)| *known == name && !has_stages(toml);
    if BUILT_IN.iter().any(is_single) {
        Ok(())
    } else {
        Err(unknown(name))
    }
}

/// Whether a built-in recipe, of one stage or several, has this name.
pub fn is_built_in(name: &str) -> bool {
    BUILT_IN.iter().any(|(known, _)| *known == name)
}

fn unknown(name: &str) -> Error {
    let names: Vec<&str> = BUILT_IN.iter().map(|(name, _)| *name).collect();
    let close = match synonym(name) {
        Some((known, does)) => format!("; {known} {does}"),
        None => nearest::question(name, names.iter().copied()),
    };
    Error::of("recipe")
        .problem(format!("there is no recipe '{name}'{close}"))
        .hint(format!("the recipes are {}", names.join(", ")))
}

/// Names that the field has for methods, without hyphens, each with the recipe to use and what that
/// does.
const SYNONYMS: &[(&[&str], &str, &str)] = &[
    (
        &[
            "minhash",
            "minhashlsh",
            "lsh",
            "minwise",
            "sketches",
            "datasketch",
        ],
        "sketch",
        "finds candidates by min-wise hashes in bands",
    ),
    (
        &[
            "jaccard",
            "resemblance",
            "shingle",
            "shingles",
            "shingling",
            "ngram",
            "ngrams",
        ],
        "ssr",
        "compares sets of shingles by their resemblance, the Jaccard coefficient",
    ),
    (
        &[
            "containment",
            "near",
            "neardup",
            "neardups",
            "nearduplicate",
            "nearduplicates",
            "nearcopies",
            "fuzzy",
            "fuzzydedup",
            "dedup",
            "deduplicate",
            "deduplication",
            "duplicates",
            "default",
        ],
        "copies",
        "finds near copies of any kind",
    ),
    (
        &["tfidf", "vsm", "bagofwords", "bow", "cosinesimilarity"],
        "cosine",
        "compares terms weighted by tf-idf",
    ),
    (
        &[
            "hash",
            "md5",
            "sha1",
            "sha256",
            "identical",
            "equal",
            "equality",
            "exactdedup",
            "digest",
            "checksum",
        ],
        "exact",
        "finds equal texts by their digest",
    ),
    (
        &[
            "levenshtein",
            "edit",
            "editdistance",
            "damerau",
            "ratio",
            "fuzzywuzzy",
            "rapidfuzz",
        ],
        "messages",
        "compares short texts by characters; ⟨set⟩ levenshtein=0.9 adds a Levenshtein ratio to any recipe of near copies",
    ),
    (
        &["winnow", "winnowing", "moss"],
        "ssr",
        "compares winnowed shingles with ⟨set⟩ select.type=winnow and ⟨set⟩ select.window=8",
    ),
    (
        &["dsc", "everynth"],
        "ssr",
        "compares every 25th shingle with ⟨set⟩ select.type=every and ⟨set⟩ select.nth=25",
    ),
    (
        &["koala"],
        "ssr",
        "leaves shingles in more than 50 texts out of the comparison with ⟨set⟩ measure=rarity-dice and ⟨set⟩ \"weights={type='uncommon',most=50}\"",
    ),
    (
        &["modm", "mod", "modp", "broder"],
        "sketch-mod",
        "compares the shingles whose fingerprint a number divides",
    ),
    (
        &["supershingles", "dscss"],
        "super-shingle",
        "finds candidates by hashes of sequences of minima",
    ),
    (
        &["charikar", "simhashes", "hamming"],
        "simhash",
        "compares signatures of 64 bits",
    ),
    (
        &["coverage", "kupietz"],
        "sscr",
        "compares the tokens that shared shingles cover",
    ),
    (
        &[
            "substring",
            "substrings",
            "suffixarray",
            "exactsubstr",
            "spans",
            "passage",
        ],
        "passages",
        "finds passages that kept texts already have",
    ),
    (
        &["paragraphs", "lines", "ccnet", "paragraph"],
        "onion",
        "removes paragraphs that were seen before",
    ),
    (
        &["spam", "sms", "tweets", "short", "shorttexts"],
        "messages",
        "is for short texts",
    ),
    (
        &["versions", "laws", "revision"],
        "revisions",
        "is for revisions of long texts",
    ),
];

/// The recipe for a name that the field has for a method, or the recipe of that name, and what it
/// does.
pub fn synonym(name: &str) -> Option<(&'static str, String)> {
    if let Some(card) = by_name(name) {
        return Some((&card.name, format!("finds {}", card.texts.title)));
    }
    let plain: String = name
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    let (_, known, does) = SYNONYMS
        .iter()
        .find(|(names, ..)| names.contains(&plain.as_str()))?;
    Some((*known, (*does).to_owned()))
}

/// Whether the TOML of a built-in recipe has stages: a text search, as otherwise every check of a
/// recipe would parse it.
pub(super) fn has_stages(toml: &str) -> bool {
    toml.lines().any(|line| line == "[[stage]]")
}

/// All built-in recipes of one stage, in listing order.
pub fn cards() -> impl Iterator<Item = &'static Card> {
    (0..BUILT_IN.len()).filter_map(card)
}

/// The built-in recipe with this name, unless it has several stages.
fn by_name(name: &str) -> Option<&'static Card> {
    let place = BUILT_IN.iter().position(|(known, _)| *known == name)?;
    card(place)
}

/// The built-in recipe at this place of the listing, unless it has several stages. Only what is asked
/// for is read.
fn card(place: usize) -> Option<&'static Card> {
    static CARDS: [OnceLock<Card>; BUILT_IN.len()] = [const { OnceLock::new() }; BUILT_IN.len()];
    let (name, toml) = BUILT_IN[place];
    let read = || {
        Card::built_in(name, toml)
            .unwrap_or_else(|error| unreachable!("a test reads recipes/{name}.toml: {error}"))
    };
    (!has_stages(toml)).then(|| CARDS[place].get_or_init(read))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recipe_says_what_it_is() {
        for card in cards() {
            assert_eq!(card.recipe.recipe, card.name);
            for (field, text) in card.texts.clone().fields() {
                assert!(
                    !text.is_empty() && !text.contains('\n'),
                    "{field} of {}: {text:?}",
                    card.name
                );
            }
        }
    }

    #[test]
    fn a_file_has_the_texts_of_what_it_starts_from_and_its_own() {
        let ssr = Card::named("ssr").unwrap();
        let own = Card::from_toml(
            "recipe = 'ssr'\ntitle = 'press releases'\nngram = 3",
            "press",
        )
        .unwrap();
        assert_eq!(
            (own.name.as_str(), own.texts.title.as_str()),
            ("press", "press releases")
        );
        assert_eq!(own.texts.labelled(), ssr.texts.labelled());
        let plain = Recipe::from_toml("recipe = 'ssr'\nngram = 3").unwrap();
        assert_eq!(
            (own.recipe().hash().unwrap(), own.recipe()),
            (plain.hash().unwrap(), plain)
        );
        assert!(
            Card::from_toml("title = 3", "x")
                .unwrap_err()
                .message()
                .contains("title")
        );
    }
}
