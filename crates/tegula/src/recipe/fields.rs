//! The meaning of each recipe field, and recipes as commented TOML.

use super::{Card, Keys, Recipe};
use crate::error::Result;
use std::borrow::Cow;
use std::fmt::Write;

/// The fields by name (dotted inside a table), each with its meaning and its values. Kinds of keys
/// describe their own.
const FIELDS: &[(&str, &str)] = &[
    (
        "recipe",
        "The built-in recipe to start from, which supplies omitted fields",
    ),
    ("title", "What it finds, in one line"),
    ("paper", "Its source: paper and section"),
    ("guarantee", "What it guarantees"),
    ("cost", "What it costs"),
    ("good_for", "What it is good for"),
    ("not_for", "What it is not good for"),
    (
        "unit",
        "Unit of comparison: \"document\", \"paragraph\", \"sentence\", or \"passage\" (measure passages)",
    ),
    (
        "measure",
        "What a score measures: \"equality\", \"resemblance\" (ssr), \"coverage\" (sscr),\n\
         \"resemblance-containment\", \"coverage-containment\", \"rarity-containment\", \"rarity-dice\", \"rarity-mean\" (revisions),\n\
         \"previously-seen\" (Onion), \"passages\", \"cosine\", \"weighted-resemblance\" (SimFinder), \"hamming\" (simhash),\n\
         \"agreement\" or \"agreement-containment\" (of signatures)",
    ),
    (
        "ngram",
        "Tokens in a shingle, 1 to 64; ignored if only equal texts count",
    ),
    (
        "threshold",
        "Lowest score of a match: \"0.8\", \"80%\" or \"4/5\"",
    ),
    (
        "thresholds",
        "Higher thresholds for pairs with a short text, by the tokens of the shorter one: \"0.8 up to 20, 0.6 up to 60\"",
    ),
    (
        "lengths",
        "Which pairs of documents to compare, by the bytes of their texts: \"all\", those of two short texts (\"up to 300 bytes\"),\n\
         or those with a longer one (\"above 300 bytes\")",
    ),
    (
        "rejoin",
        "Whether to rejoin broken paragraphs and sentences (Benko 2013, 2.1): true or false",
    ),
    (
        "transitive",
        "Whether to skip comparing pairs that are already in one cluster (SimFinder, remark 2): true or false",
    ),
    (
        "common",
        "Keys, or shingles and terms where there are no keys, in more groups of equal units than this generate no candidates,\n\
         but count in scores; 0 for no limit (Heintze 1996, Broder et al. 1997: 1000)",
    ),
    (
        "least_keys",
        "Keys that two texts must have in common to be compared, 1 to 1000 (Broder 2000: 2 of 6 super shingles)",
    ),
    ("seed", "Random seed of the keys"),
    (
        "statistics",
        "A file of document frequencies, from tegula stats; without it, those of the collection",
    ),
    (
        "digest",
        "What whole units are identified by (Benko 2013, 2): \"tegula\", \"md5\", \"sha1\" or \"xxh3-128\"",
    ),
    (
        "keys",
        "Keys that generate candidates; without them an ordered join finds all pairs (Kupietz 2005, 2.5)",
    ),
    ("select", "Which shingles to compare"),
    (
        "select.type",
        "\"all\", \"every\" (one in nth; DSC: 25), \"modulo\" (fingerprints divisible by a modulus; Broder 1997) or\n\
         \"winnow\" (the least of each window; Schleimer et al. 2003)",
    ),
    ("select.nth", "Every nth shingle, by position"),
    (
        "select.modulus",
        "Compare shingles whose fingerprint is divisible by it",
    ),
    ("select.window", "Shingles in a winnowing window"),
    ("weights", "Term weighting"),
    (
        "weights.type",
        "\"equal\", \"idf\" (occurrences times idf), \"classes\" (by word class and frequency; SimFinder, 3.1), \"rarity\" (shingles by the texts that have them), or \"uncommon\" (none for shingles in many texts, one for the others)",
    ),
    (
        "weights.present",
        "Treat terms in more than this percentage of the units as if they were in every unit (Kolcz et al. 2004: 5);\n\
         100 for none",
    ),
    (
        "weights.floor",
        "Under weights.present: only terms in more than this many units; absent or 0 for none",
    ),
    (
        "weights.numbers",
        "Factor for the weight of a shingle that contains a number: 1 to 8",
    ),
    (
        "weights.most",
        "Most texts that may have a shingle; those in more are left out of the comparison (Heintze 1996; Broder et al. 1997)",
    ),
    (
        "weights.frequent",
        "Which end of its class's interval to give the most frequent term: \"low\" or \"high\"",
    ),
    (
        "weights.scale",
        "What is interpolated between least and most frequent: \"log\" or \"linear\"",
    ),
    (
        "weights.length",
        "Whether to multiply weights by the length of the term: true or false",
    ),
    (
        "levenshtein",
        "A Levenshtein ratio that pairs must also reach, such as \"0.9\"; omit it to skip this check",
    ),
    (
        "unmasked",
        "The score without masks that pairs must also reach, such as \"0.8\"; \"show\" reports it and drops none;\n\
         \"ignore\" treats texts that are equal under masks as equal",
    ),
    (
        "distinct",
        "Items that must be equal in both texts of a pair: \"none\", \"all\", or a list of \"links\", \"emails\",\n\
         \"phones\", \"amounts\", \"codes\" and \"numbers\"",
    ),
    (
        "missing_numbers",
        "What a score loses for numbers that only one text of a pair has: \"none\", or as in \"0.3 for all of first 30,\n\
         0.16 for 1 in 100\" (0.16 for each per 100 tokens): members of a series differ in such numbers",
    ),
    ("fingerprint", "What shingles are identified by"),
    (
        "fingerprint.type",
        "\"tokens\" (exact), or \"rabin\" with a prime as modulus (Kupietz 2005, 2.5)",
    ),
    (
        "fingerprint.modulus",
        "The prime that reduces Rabin fingerprints",
    ),
    ("normalise", "How text becomes tokens, step by step"),
    (
        "normalise.markup",
        "1. Tags, comments and entities: \"keep\" or \"remove\"",
    ),
    (
        "normalise.hyphens",
        "2. Hyphens at line ends: \"keep\" or \"join\"",
    ),
    (
        "normalise.invisible",
        "3. Zero-width characters, variation selectors and similar: \"keep\" or \"remove\"",
    ),
    (
        "normalise.form",
        "4. Unicode normal form: \"none\", \"nfc\" or \"nfkc\"",
    ),
    (
        "normalise.confusables",
        "5. Look-alike letters from another script: \"keep\" or \"fold\"",
    ),
    (
        "normalise.numerals",
        "6. Digits of other scripts, Chinese numerals and spaced digits: \"keep\" or \"ascii\"",
    ),
    (
        "normalise.timestamps",
        "7. Dates and times at the beginning of lines, as in <13:53> Hello: \"keep\" or \"remove\"",
    ),
    (
        "normalise.spacing",
        "8. Words with separated letters, as in f.r.e.e: \"keep\" or \"join\"",
    ),
    (
        "normalise.signs",
        "9. Digits and signs in words, as in v1agra and ca$h: \"keep\" or \"letters\"",
    ),
    (
        "normalise.repeats",
        "10. Repeated letters, as in freeee: \"keep\", \"two\" (three or more become two) or \"one\" (two or more become one)",
    ),
    (
        "normalise.masks",
        "11. What to mask as one token: \"none\", \"all\", or a list of \"url\", \"email\", \"phone\" and \"name\" (@name)",
    ),
    (
        "normalise.boundaries",
        "12. What a token is: \"words\", \"alphanumeric\", \"chinese\", \"characters\", \"letters\", \"sentences\" or \"lines\"",
    ),
    (
        "normalise.dense",
        "12. How often a character of a text in a dense script (Chinese, Japanese, Korean) is a token: \"once\" or \"twice\",\n\
         so that shingles of three are pairs of characters",
    ),
    (
        "normalise.digits",
        "13. Numerical characters: \"keep\", \"drop\" or \"number\" (one token for a sequence)",
    ),
    (
        "normalise.stop_words",
        "14. Tokens to drop: \"none\", a language (\"de\", \"en\", \"sk\"), or a list of words;\n\
         keep_words = [...] exempts words from that list",
    ),
    (
        "normalise.case",
        "15. Capitals: \"keep\", \"lower\" or \"upper\"",
    ),
    (
        "normalise.stem",
        "16. Stemming: \"none\", or a language whose rules to use, such as \"de\" or \"en\"",
    ),
    (
        "normalise.non_ascii",
        "17. Non-ASCII characters of tokens: \"keep\" or \"delete\"",
    ),
    ("onion", "Options of Onion only"),
    (
        "onion.smooth",
        "Whether to remove short runs of kept paragraphs next to duplicates as well: true or false",
    ),
    ("onion.stub", "Maximum number of tokens in such a run"),
    (
        "onion.short",
        "Paragraphs shorter than an n-gram: \"ngrams\" (judged with the tokens before them), or \"exact\" (also by equality)",
    ),
    (
        "onion.tokens",
        "Which tokens count: \"own\" (the unchanged lines of vertical files and forms of CoNLL-U, else as found), or \"found\"",
    ),
];

fn meaning(field: &str, keys: Option<Keys>) -> Option<Cow<'static, str>> {
    match (field.strip_prefix("keys."), keys) {
        (Some("type"), _) => Some(Keys::names(|_| true, "\"").into()),
        (Some(name), Some(keys)) => keys
            .kind()
            .parameters()
            .iter()
            .find(|one| one.name == name)
            .map(|one| one.meaning.into()),
        _ => FIELDS
            .iter()
            .find(|(name, _)| *name == field)
            .map(|(_, meaning)| (*meaning).into()),
    }
}

impl Card {
    /// The recipe as TOML with a comment on each field: to be saved, edited and read back. Its
    /// description precedes it, and is repeated among the fields if it differs from that of the
    /// base recipe.
    ///
    /// # Errors
    /// None in practice; a recipe is always representable.
    pub fn to_commented_toml(&self) -> Result<String> {
        let recipe = self.recipe();
        let mut out = String::new();
        let _ = writeln!(out, "# {}", self.texts.title);
        for (label, text) in [
            ("Removed", recipe.removal()),
            ("Threshold", recipe.levels()),
        ] {
            if let Some(text) = text {
                let _ = writeln!(out, "# {label}: {text}");
            }
        }
        for (label, text) in self.texts.labelled() {
            let (first, rest) = label.split_at(1);
            let _ = writeln!(out, "# {}{rest}: {text}", first.to_uppercase());
        }
        out.push('\n');
        let (mut own, mut base) = (
            self.texts.clone(),
            Self::named(&recipe.recipe)?.texts.clone(),
        );
        let own = own
            .fields()
            .into_iter()
            .zip(base.fields())
            .filter(|(own, base)| own != base);
        for ((name, text), _) in own {
            let _ = writeln!(
                out,
                "# {}\n{name} = {}",
                meaning(name, None).unwrap_or_default(),
                toml::Value::from(text.as_str())
            );
        }
        recipe.write_commented(&mut out)?;
        Ok(out)
    }
}

impl Recipe {
    /// Writes the fields, each with a comment, and then those that change nothing.
    fn write_commented(&self, out: &mut String) -> Result<()> {
        let mut table = String::new();
        for line in self.full_toml()?.lines() {
            let line = line.trim_end();
            let shown = line.strip_prefix("# ").unwrap_or(line);
            let name = match shown
                .strip_prefix('[')
                .and_then(|rest| rest.strip_suffix(']'))
            {
                Some(name) => {
                    table = format!("{name}.");
                    name.to_owned()
                }
                None => format!(
                    "{table}{}",
                    shown.split_once('=').map_or("", |(key, _)| key.trim())
                ),
            };
            for comment in meaning(&name, self.keys).unwrap_or_default().lines() {
                let _ = writeln!(out, "# {comment}");
            }
            let _ = writeln!(out, "{line}");
        }
        let idle: Vec<_> = self.without_effect().collect();
        if !idle.is_empty() {
            let _ = writeln!(
                out,
                "\n# Fields that change nothing in this recipe, and are refused:"
            );
            for (field, reason) in idle {
                let _ = writeln!(out, "# - {field}: {reason}");
            }
        }
        Ok(())
    }

    /// The recipe as TOML, including fields with their default value; those without a value are
    /// commented-out examples. Fields without effect are omitted.
    fn full_toml(&self) -> Result<String> {
        let own = self.table()?;
        let usual = [
            ("thresholds", "# thresholds = \"0.8 up to 20\""),
            ("lengths", "lengths = \"all\""),
            ("transitive", "transitive = false"),
            ("common", "common = 0"),
            ("least_keys", "least_keys = 1"),
            ("seed", "seed = 0"),
            ("statistics", "# statistics = \"frequencies.tsv.zst\""),
            ("levenshtein", "# levenshtein = \"0.9\""),
            ("unmasked", "unmasked = \"show\""),
            ("distinct", "distinct = \"none\""),
            ("missing_numbers", "missing_numbers = \"none\""),
        ];
        let shown = |name: &str| !own.contains_key(name) && self.no_effect_reason(name).is_none();
        let mut out = String::new();
        let toml = self.to_toml()?;
        let tables = toml.find("\n[").map_or(toml.len(), |at| at + 1);
        let mut idle = false;
        for line in toml[..tables].lines().chain(
            usual
                .iter()
                .filter(|(name, _)| shown(name))
                .map(|(_, line)| *line),
        ) {
            let name = line.split_once('=').map_or("", |(key, _)| key.trim());
            if !line.is_empty() && self.no_effect_reason(name).is_none() {
                let _ = writeln!(out, "{line}");
            }
        }
        out.push('\n');
        for line in toml[tables..].lines() {
            if let Some(name) = line
                .strip_prefix('[')
                .and_then(|rest| rest.strip_suffix(']'))
            {
                idle = self.no_effect_reason(name).is_some();
            }
            if !idle {
                let _ = writeln!(out, "{line}");
            }
        }
        if shown("select") {
            let _ = writeln!(out, "\n[select]\ntype = \"all\"");
        }
        Ok(out.trim_end().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::super::cards;
    use super::*;

    #[test]
    fn every_measure_is_listed() {
        let listed = meaning("measure", None).unwrap();
        for name in super::super::Measure::ALL.map(super::super::Measure::name) {
            assert!(listed.contains(&format!("\"{name}\"")), "{name}");
        }
    }

    #[test]
    fn every_field_of_every_recipe_is_explained_and_survives() {
        let own = |text: &str| Card::from_toml(text, "own").unwrap();
        let rabin = own("recipe = 'ssr'\nfingerprint = { type = 'rabin', modulus = 101 }");
        let kupietz = own(
            "recipe = 'sscr'\ntitle = 'as \"Kupietz\" has it'\ncost = ''\nnormalise = { stop_words = 'de' }",
        );
        for card in cards().cloned().chain([rabin, kupietz]) {
            let text = card.to_commented_toml().unwrap();
            assert_eq!(Card::from_toml(&text, &card.name).unwrap(), card, "{text}");
            let tables = [
                "keys.",
                "select.",
                "weights.",
                "fingerprint.",
                "onion.",
                "onion",
                "keys",
                "weights",
            ];
            let mut texts = card.texts.clone();
            let texts = texts.fields().map(|(name, _)| name);
            for (field, _) in FIELDS.iter().filter(|(field, _)| {
                !tables
                    .iter()
                    .chain(&texts)
                    .any(|table| field.starts_with(table))
            }) {
                let name = field.strip_prefix("normalise.").unwrap_or(field);
                let starts = [
                    format!("{name} = "),
                    format!("# {name} = "),
                    format!("[{name}]"),
                    format!("# - {name}: "),
                ];
                let shown = text
                    .lines()
                    .any(|line| starts.iter().any(|start| line.starts_with(start.as_str())));
                assert!(shown, "{field} is not in\n{text}");
            }
            let mut before = "";
            for line in text.lines() {
                let explained = line.is_empty() || line.starts_with('#') || before.starts_with('#');
                assert!(explained, "{line} has no comment in\n{text}");
                before = line;
            }
        }
    }
}
