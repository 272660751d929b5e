//! What each field of a recipe means, and recipes as TOML that explains itself.

use super::{Card, Keys, Recipe};
use crate::error::Result;
use std::borrow::Cow;
use std::fmt::Write;

/// The fields by their names, dotted where they are inside a table, each with what it means and may be. Kinds of keys say what theirs are.
const FIELDS: &[(&str, &str)] = &[
    ("recipe", "The built-in recipe that this one starts from; fields left out have its values"),
    ("title", "In one line, what it finds"),
    ("paper", "Where it is from: paper and section"),
    ("guarantee", "What is sure about its results"),
    ("cost", "What it costs"),
    ("good_for", "What it is good for"),
    ("not_for", "What it is not good for"),
    ("unit", "What is compared: \"document\", \"paragraph\" or \"sentence\""),
    (
        "measure",
        "What a score measures: \"equality\", \"resemblance\" (ssr), \"coverage\" (sscr),\n\
         \"resemblance-containment\", \"coverage-containment\", \"known\" (Onion), \"cosine\",\n\
         \"weighted-resemblance\" (SimFinder), \"hamming\" (simhash) or \"agreement\" (of signatures)",
    ),
    ("ngram", "Tokens in a shingle, 1 to 64; nothing where only equal texts count"),
    ("threshold", "Pairs at or above it count: \"0.8\", \"80%\" or \"4/5\""),
    ("mend", "Whether paragraphs and sentences that break off go on in the next one: true or false"),
    ("transitive", "Whether texts of one cluster count as alike without each pair being compared: true or false"),
    ("common", "Keys that more groups of equal units have than this nominate nothing; 0 for no limit"),
    ("seed", "Where the random choices of keys begin"),
    ("statistics", "A file of document frequencies, as tegula stats writes it; without it they are those of the collection"),
    ("digest", "What whole units are told apart by: \"tegula\", \"md5\", \"sha1\" or \"xxh3-128\""),
    ("keys", "What nominates pairs; without it an ordered join finds all"),
    ("select", "Which shingles are looked at"),
    ("select.type", "\"all\", \"every\" (one in nth), \"modulo\" (those that a modulus divides) or \"winnow\""),
    ("select.nth", "One shingle in so many, by position"),
    ("select.modulus", "Shingles whose fingerprint it divides are looked at"),
    ("select.window", "Shingles in a window of winnowing"),
    ("weights", "How terms are weighed"),
    ("weights.type", "\"equal\", \"idf\" (occurrences times idf) or \"classes\" (by class of word and frequency)"),
    ("weights.present", "Terms in more than so many hundredths of the units are taken to be in every unit; 100 for none"),
    ("weights.frequent", "Which end of its class's interval the most frequent term gets: \"low\" or \"high\""),
    ("weights.scale", "What is interpolated between least and most frequent: \"log\" or \"linear\""),
    ("weights.length", "Whether weights are multiplied by the length of the term: true or false"),
    ("levenshtein", "The Levenshtein ratio that pairs need besides their score, such as \"0.9\"; without it none is taken"),
    (
        "unmasked",
        "The score without masks that pairs need, such as \"0.8\"; \"show\" shows it and drops none;\n\
         \"ignore\" takes texts that are equal under masks for equal",
    ),
    ("fingerprint", "What shingles are told apart by"),
    ("fingerprint.type", "\"tokens\" (exact), or \"rabin\" with a prime as modulus (Kupietz 2005, 2.5)"),
    ("fingerprint.modulus", "The prime that reduces Rabin fingerprints"),
    ("normalise", "How text becomes tokens, step by step"),
    ("normalise.markup", "1. Tags, comments and entities: \"keep\" or \"remove\""),
    ("normalise.hyphens", "2. Hyphens at line ends: \"keep\" or \"join\""),
    ("normalise.invisible", "3. Zero-width characters, variation selectors and their like: \"keep\" or \"remove\""),
    ("normalise.form", "4. The normal form: \"none\", \"nfc\" or \"nfkc\""),
    ("normalise.confusables", "5. Letters that hide among those of another script: \"keep\" or \"fold\""),
    ("normalise.numerals", "6. Digits of other scripts, Chinese and spaced ones: \"keep\" or \"ascii\""),
    (
        "normalise.masks",
        "7. What becomes one token: \"none\", \"all\", or a list of \"url\", \"email\", \"phone\" and \"name\" (@name)",
    ),
    ("normalise.boundaries", "8. What a token is: \"words\", \"alphanumeric\", \"chinese\", \"characters\" or \"lines\""),
    ("normalise.digits", "9. Numerical characters: \"keep\", \"drop\" or \"number\" (one token for a sequence)"),
    (
        "normalise.stop_words",
        "10. Tokens left out: \"none\", a language (\"de\", \"en\", \"sk\"), or a list of words;\n\
         keep_words = [...] takes words off that list",
    ),
    ("normalise.case", "11. Capitals: \"keep\", \"lower\" or \"upper\""),
    ("normalise.stem", "12. Endings of words: \"none\", or a language by whose rules they are cut, such as \"de\" or \"en\""),
    ("normalise.non_ascii", "13. Characters of the tokens that are not ASCII: \"keep\" or \"delete\""),
    ("onion", "What only Onion has"),
    ("onion.smooth", "Whether short runs of kept paragraphs beside duplicates go too: true or false"),
    ("onion.stub", "Tokens that such a run has at most"),
    (
        "onion.short",
        "Paragraphs shorter than an n-gram: \"ngrams\" (with the tokens before them), or \"exact\" (by their equal too)",
    ),
    (
        "onion.tokens",
        "Which tokens count: \"own\" (the lines of vertical files and the forms of CoNLL-U as they stand, else as found), or \"found\"",
    ),
];

fn meaning(field: &str, keys: Option<Keys>) -> Option<Cow<'static, str>> {
    match (field.strip_prefix("keys."), keys) {
        (Some("type"), _) => Some(Keys::names(|_| true, "\"").into()),
        (Some(name), Some(keys)) => keys.kind().parameters().iter().find(|one| one.name == name).map(|one| one.meaning.into()),
        _ => FIELDS.iter().find(|(name, _)| *name == field).map(|(_, meaning)| (*meaning).into()),
    }
}

impl Card {
    /// The recipe as TOML with a comment on each field: to be saved, edited and read back. What is said of it stands before it, and
    /// among the fields where the recipe that it starts from says something else.
    ///
    /// # Errors
    /// None in practice; a recipe is always representable.
    pub fn to_commented_toml(&self) -> Result<String> {
        let recipe = self.recipe();
        let mut out = String::new();
        let _ = writeln!(out, "# {}", self.texts.title);
        for (label, text) in [("Removed", recipe.removal()), ("Threshold", recipe.levels())] {
            if let Some(text) = text {
                let _ = writeln!(out, "# {label}: {text}");
            }
        }
        for (label, text) in self.texts.labelled() {
            let (first, rest) = label.split_at(1);
            let _ = writeln!(out, "# {}{rest}: {text}", first.to_uppercase());
        }
        out.push('\n');
        let (mut own, mut base) = (self.texts.clone(), Self::named(&recipe.recipe)?.texts.clone());
        let own = own.fields().into_iter().zip(base.fields()).filter(|(own, base)| own != base);
        for ((name, text), _) in own {
            let _ = writeln!(out, "# {}\n{name} = {}", meaning(name, None).unwrap_or_default(), toml::Value::from(text.as_str()));
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
            let name = match shown.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                Some(name) => {
                    table = format!("{name}.");
                    name.to_owned()
                }
                None => format!("{table}{}", shown.split_once('=').map_or("", |(key, _)| key.trim())),
            };
            for comment in meaning(&name, self.keys).unwrap_or_default().lines() {
                let _ = writeln!(out, "# {comment}");
            }
            let _ = writeln!(out, "{line}");
        }
        let idle: Vec<_> = self.all_unheeded().collect();
        if !idle.is_empty() {
            let _ = writeln!(out, "\n# Fields that change nothing in this recipe, and are refused:");
            for (field, reason) in idle {
                let _ = writeln!(out, "# - {field}: {reason}");
            }
        }
        Ok(())
    }

    /// The recipe as TOML with the fields that have their usual value, too; those without a value are examples behind a `#`. Fields that
    /// change nothing are left out.
    fn full_toml(&self) -> Result<String> {
        let own = self.table()?;
        let usual = [
            ("transitive", "transitive = false"),
            ("common", "common = 0"),
            ("seed", "seed = 0"),
            ("statistics", "# statistics = \"frequencies.tsv.zst\""),
            ("levenshtein", "# levenshtein = \"0.9\""),
            ("unmasked", "unmasked = \"show\""),
        ];
        let shown = |name: &str| !own.contains_key(name) && self.unheeded(name).is_none();
        let mut out = String::new();
        let toml = self.to_toml()?;
        let tables = toml.find("\n[").map_or(toml.len(), |at| at + 1);
        let mut idle = false;
        for line in toml[..tables].lines().chain(usual.iter().filter(|(name, _)| shown(name)).map(|(_, line)| *line)) {
            let name = line.split_once('=').map_or("", |(key, _)| key.trim());
            if !line.is_empty() && self.unheeded(name).is_none() {
                let _ = writeln!(out, "{line}");
            }
        }
        out.push('\n');
        for line in toml[tables..].lines() {
            if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                idle = self.unheeded(name).is_some();
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
    fn every_field_of_every_recipe_is_explained_and_survives() {
        let own = |text: &str| Card::from_toml(text, "own").unwrap();
        let rabin = own("recipe = 'ssr'\nfingerprint = { type = 'rabin', modulus = 101 }");
        let kupietz = own("recipe = 'sscr'\ntitle = 'as \"Kupietz\" has it'\ncost = ''\nnormalise = { stop_words = 'de' }");
        for card in cards().iter().chain([&rabin, &kupietz]) {
            let text = card.to_commented_toml().unwrap();
            assert_eq!(Card::from_toml(&text, &card.name).unwrap(), *card, "{text}");
            let tables = ["keys.", "select.", "weights.", "fingerprint.", "onion.", "onion", "keys", "weights"];
            let mut texts = card.texts.clone();
            let texts = texts.fields().map(|(name, _)| name);
            for (field, _) in
                FIELDS.iter().filter(|(field, _)| !tables.iter().chain(&texts).any(|table| field.starts_with(table)))
            {
                let name = field.strip_prefix("normalise.").unwrap_or(field);
                let starts = [format!("{name} = "), format!("# {name} = "), format!("[{name}]"), format!("# - {name}: ")];
                let shown = text.lines().any(|line| starts.iter().any(|start| line.starts_with(start.as_str())));
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
