//! The shape of a recipe's fields: which there are, and what each holds, to say in words what is
//! wrong with a table that is no recipe.

use super::{Keys, Measure, Onion, Recipe};
use crate::error::{Error, Result};
use crate::nearest;
use crate::text::normalise::Normalisation;
use std::borrow::Cow;
use toml::{Table, Value};

/// What a field holds, by its name; dotted inside a table. Parameters of keys have their own list.
const EXPECTED: &[(&str, &str)] = &[
    ("recipe", "the name of a built-in recipe"),
    ("unit", "document, paragraph, line, sentence or passage"),
    ("measure", "the name of a measure"),
    ("ngram", "a whole number from 1 to 64"),
    ("threshold", SCORE),
    (
        "thresholds",
        "none, or scores with numbers of tokens, such as \"0.8 up to 20, 0.6 up to 60\"",
    ),
    (
        "lengths",
        "all, or bytes, such as \"up to 300 bytes\" or \"above 300 bytes\"",
    ),
    ("rejoin", SWITCH),
    ("transitive", SWITCH),
    ("common", COUNT),
    ("least_keys", "a whole number from 1 to 1000"),
    ("seed", COUNT),
    ("statistics", "the name of a file"),
    ("digest", "tegula, md5, sha1 or xxh3-128"),
    ("keys", "a table with a type and its parameters"),
    ("keys.weights", "none, tf or tf-idf"),
    ("keys.by", "weight or rocchio"),
    ("select", "a table with a type and its parameter"),
    ("select.nth", SAMPLE),
    ("select.modulus", SAMPLE),
    ("select.window", SAMPLE),
    ("weights", "a table with a type and its parameters"),
    ("weights.present", "a whole number from 1 to 100"),
    ("weights.floor", COUNT),
    ("weights.numbers", "a whole number from 1 to 8"),
    ("weights.most", "a whole number from 1 to 4294967295"),
    ("weights.frequent", "low or high"),
    ("weights.scale", "log or linear"),
    ("weights.length", SWITCH),
    (
        "weights.intervals",
        "a table with the lowest and the highest weight of each class in thousandths, such as noun = [800, 1000]",
    ),
    ("levenshtein", SCORE),
    (
        "unmasked",
        "show, ignore, or a score above 0, up to 1, such as 0.8",
    ),
    (
        "distinct",
        "none, all, or a list of links, emails, phones, amounts, codes and numbers",
    ),
    (
        "missing_numbers",
        "none, or what is lost, such as \"0.3 for all of first 30, 0.16 for 1 in 100\"",
    ),
    ("fingerprint", "a table with a type and its parameter"),
    (
        "fingerprint.modulus",
        "a prime up to 18446744073709551557, in quotes above 9223372036854775807",
    ),
    ("normalise", "the name of a preset, or a table of steps"),
    ("normalise.markup", "keep or remove"),
    ("normalise.hyphens", "keep or join"),
    ("normalise.invisible", "keep or remove"),
    ("normalise.form", "none, nfc or nfkc"),
    ("normalise.confusables", "keep or fold"),
    ("normalise.numerals", "keep or ascii"),
    ("normalise.timestamps", "keep or remove"),
    ("normalise.spacing", "keep or join"),
    ("normalise.signs", "keep or letters"),
    ("normalise.repeats", "keep, two or one"),
    (
        "normalise.masks",
        "none, all, or a list of url, email, phone and name",
    ),
    (
        "normalise.boundaries",
        "words, alphanumeric, chinese, characters, letters, sentences or lines",
    ),
    ("normalise.dense", "once or twice"),
    ("normalise.digits", "keep, drop or number"),
    (
        "normalise.stop_words",
        "none, a language, or a list of words",
    ),
    ("normalise.keep_words", "a list of words"),
    ("normalise.case", "keep, lower or upper"),
    ("normalise.stem", "none or a language"),
    ("normalise.non_ascii", "keep or delete"),
    ("onion", "a table of options"),
    ("onion.smooth", SWITCH),
    ("onion.stub", COUNT),
    ("onion.short", "ngrams or exact"),
    ("onion.tokens", "own or found"),
];

const SWITCH: &str = "true or false";
const COUNT: &str = "a whole number from 0 to 4294967295";
const SAMPLE: &str = "a whole number from 1 to 1048576";
const SCORE: &str = "a score above 0, up to 1, such as 0.8, 80% or 4/5";

/// The types of the tables that have one, each with its parameters.
const TYPES: &[(&str, &str, &[&str])] = &[
    ("select", "all", &[]),
    ("select", "every", &["nth"]),
    ("select", "modulo", &["modulus"]),
    ("select", "winnow", &["window"]),
    ("weights", "equal", &[]),
    ("weights", "idf", &["present", "floor"]),
    ("weights", "rarity", &["numbers"]),
    ("weights", "uncommon", &["most"]),
    (
        "weights",
        "classes",
        &["frequent", "scale", "length", "intervals"],
    ),
    ("fingerprint", "tokens", &[]),
    ("fingerprint", "rabin", &["modulus"]),
];

/// Parameters that may be left out.
const OPTIONAL: [&str; 3] = ["keys.by", "weights.floor", "weights.intervals"];

/// Says what is wrong with a complete table that is no recipe.
///
/// # Errors
/// A usage error naming the field, what it holds, and what was found; none if every field by itself
/// is as it should be.
pub(super) fn check(table: &Table) -> Result<()> {
    for (name, value) in table {
        match name.as_str() {
            "keys" | "select" | "weights" | "fingerprint" => typed(name, value)?,
            "normalise" => parts::<Normalisation>(name, value)?,
            "onion" => parts::<Onion>(name, value)?,
            _ => {
                let known = EXPECTED.iter().map(|(known, _)| *known);
                is_known(
                    name,
                    name,
                    known.filter(|known| !known.contains('.')),
                    "a recipe",
                )?;
                let mut probe = Recipe::named(Recipe::DEFAULT)?.table()?;
                probe.insert(name.clone(), value.clone());
                fits::<Recipe>(name, value, probe)?;
            }
        }
    }
    Ok(())
}

/// Checks a table whose parameters depend on its type.
fn typed(name: &str, value: &Value) -> Result<()> {
    let Value::Table(table) = value else {
        return Err(wrong(name, Some(value)));
    };
    let field = |part: &str| format!("{name}.{part}");
    let types: Vec<(&str, Vec<&str>)> = if name == "keys" {
        let parameters = |keys: Keys| keys.kind().parameters();
        let names = |keys| parameters(keys).iter().map(|one| one.name).collect();
        Keys::all()
            .map(|(kind, keys)| (kind, names(keys)))
            .collect()
    } else {
        let own = TYPES.iter().filter(|(table, ..)| *table == name);
        own.map(|(_, kind, parameters)| (*kind, parameters.to_vec()))
            .collect()
    };
    let kind = table.get("type");
    let Some((kind, parameters)) = types
        .iter()
        .find(|(known, _)| kind.and_then(Value::as_str) == Some(known))
    else {
        let names: Vec<&str> = types.iter().map(|(kind, _)| *kind).collect();
        return Err(Error::of(field("type"))
            .expected(any_of(&names))
            .found(found(kind)));
    };
    for (part, value) in table.iter().filter(|(part, _)| *part != "type") {
        let who = format!("{name} of type {kind}");
        is_known(&field(part), part, parameters.iter().copied(), &who)?;
        let is_number = matches!(value, Value::Integer(number) if u32::try_from(*number).is_ok());
        let is_right = match field(part).as_str() {
            "keys.weights"
            | "keys.by"
            | "weights.frequent"
            | "weights.scale"
            | "weights.length"
            | "weights.intervals"
            | "fingerprint.modulus" => fits_in(name, kind, parameters, part, value),
            _ => is_number,
        };
        if !is_right {
            return Err(wrong(&field(part), Some(value)));
        }
    }
    let missing =
        |part: &&&str| !table.contains_key(**part) && !OPTIONAL.contains(&field(part).as_str());
    match parameters.iter().find(missing) {
        Some(part) => {
            let what = match parameters.len() {
                1 => "the parameter",
                _ => "the parameters",
            };
            Err(wrong(&field(part), None).hint(format!(
                "{what} of {name} of type {kind}: {}",
                parameters.join(", ")
            )))
        }
        None => Ok(()),
    }
}

/// Whether a parameter that is not a plain number can be read.
fn fits_in(name: &str, kind: &str, parameters: &[&str], part: &str, value: &Value) -> bool {
    let mut table = Table::new();
    table.insert("type".to_owned(), kind.into());
    for parameter in parameters {
        let usual = match *parameter {
            "frequent" => "low".into(),
            "scale" => "log".into(),
            "length" => true.into(),
            "by" | "floor" | "intervals" => continue,
            _ => 1.into(),
        };
        table.insert((*parameter).to_owned(), usual);
    }
    table.insert(part.to_owned(), value.clone());
    let Ok(mut probe) = Recipe::named(Recipe::DEFAULT).and_then(|recipe| recipe.table()) else {
        return false;
    };
    probe.insert(name.to_owned(), table.into());
    probe.try_into::<Recipe>().is_ok()
}

/// Checks a table all of whose parts have defaults.
fn parts<T: serde::de::DeserializeOwned>(name: &str, value: &Value) -> Result<()> {
    let Value::Table(table) = value else {
        return Err(wrong(name, Some(value)));
    };
    for (part, value) in table {
        let field = format!("{name}.{part}");
        let known = EXPECTED
            .iter()
            .filter_map(|(known, _)| known.split_once('.'));
        let known = known
            .filter(|(table, _)| *table == name)
            .map(|(_, part)| part);
        is_known(&field, part, known, name)?;
        let mut probe = Table::new();
        probe.insert(part.clone(), value.clone());
        fits::<T>(&field, value, probe)?;
    }
    Ok(())
}

fn is_known<'a>(
    field: &str,
    name: &str,
    known: impl Iterator<Item = &'a str> + Clone,
    who: &str,
) -> Result<()> {
    if known.clone().any(|known| known == name) {
        return Ok(());
    }
    let names: Vec<&str> = known.clone().collect();
    let question = nearest::question(name, known);
    let error = Error::of(field).problem(format!("{who} has no such field{question}"));
    Err(if names.is_empty() {
        error
    } else {
        error.hint(format!("its fields are {}", names.join(", ")))
    })
}

fn fits<T: serde::de::DeserializeOwned>(field: &str, value: &Value, probe: Table) -> Result<()> {
    match probe.try_into::<T>() {
        Ok(_) => Ok(()),
        Err(_) => Err(wrong(field, Some(value))),
    }
}

fn wrong(field: &str, value: Option<&Value>) -> Error {
    Error::of(field)
        .expected(expected(field))
        .found(found(value))
}

/// What a field holds.
fn expected(field: &str) -> Cow<'static, str> {
    if field == "measure" {
        let names = Measure::ALL.map(Measure::name);
        return any_of(&names.iter().map(String::as_str).collect::<Vec<_>>()).into();
    }
    let known = EXPECTED.iter().find(|(known, _)| *known == field);
    let of_keys = || {
        let name = field.strip_prefix("keys.")?;
        let all = Keys::all().flat_map(|(_, keys)| keys.kind().parameters());
        let (least, most) = all
            .filter(|one| one.name == name)
            .fold(None, |range, one| {
                let (least, most) = one.range();
                Some(range.map_or((least, most), |(a, b): (u32, u32)| {
                    (a.min(least), b.max(most))
                }))
            })?;
        Some(format!("a whole number from {least} to {most}").into())
    };
    known
        .map(|(_, expected)| (*expected).into())
        .or_else(of_keys)
        .unwrap_or("another value".into())
}

/// A value as it is shown in a message.
fn found(value: Option<&Value>) -> String {
    match value {
        None => "none".to_owned(),
        Some(Value::String(text)) => {
            let shown: String = text.chars().take(60).collect();
            if text.parse::<f64>().is_ok() {
                format!("the text '{shown}'")
            } else {
                format!("'{shown}'")
            }
        }
        Some(Value::Array(_)) => "a list".to_owned(),
        Some(Value::Table(_)) => "a table".to_owned(),
        Some(other) => other.to_string(),
    }
}

/// Names, as in `a, b or c`.
fn any_of(names: &[&str]) -> String {
    match names {
        [most @ .., last] if !most.is_empty() => format!("{} or {last}", most.join(", ")),
        few => few.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::cards;

    /// Words of the machinery, which no message may have.
    const INTERNAL: [&str; 9] = [
        "untagged",
        "variant",
        "invalid type",
        "invalid value",
        "TOML parse",
        "missing field",
        "unknown field",
        "expected struct",
        "u32",
    ];

    /// Values that no field, or hardly any, can hold.
    const WRONG: [&str; 16] = [
        "-1",
        "0",
        "1.5",
        "99999999999",
        "18446744073709551616",
        "1e400",
        "true",
        "many",
        "''",
        "[]",
        "[1, 2]",
        "['x', 'y']",
        "{}",
        "{ type = 'x' }",
        "{ a = 1 }",
        "2019-01-05",
    ];

    fn complain(recipe: &Recipe, field: &str, value: &str, error: &Error) {
        let (message, advice) = (error.message(), error.advice().unwrap_or_default());
        let what = format!(
            "{} with {field} = {value}: {message} ({advice})",
            recipe.recipe
        );
        assert!(
            INTERNAL.iter().all(|word| !message.contains(word)),
            "{what}"
        );
        let top = field.split('.').next().unwrap();
        assert!(message.contains(top), "{what}");
        assert!(!message.contains('\n'), "{what}");
    }

    #[test]
    fn wrong_values_of_every_field_are_told_in_words() {
        let mut told = 0;
        for (number, card) in cards().enumerate() {
            let recipe = card.recipe();
            let table = recipe.table().unwrap();
            let own = table
                .iter()
                .filter_map(|(name, value)| Some((name, value.as_table()?)));
            let own: Vec<String> = own
                .flat_map(|(name, table)| table.keys().map(move |part| format!("{name}.{part}")))
                .collect();
            // What all recipes have, in every eighth.
            let common = EXPECTED.iter().skip(number % 8).step_by(8);
            let common = common.map(|(field, _)| (*field).to_owned());
            for field in common.chain(own) {
                for value in WRONG {
                    if let Err(error) = recipe.with(&field, value) {
                        complain(&recipe, &field, value, &error);
                        told += 1;
                    }
                }
            }
        }
        assert!(told > 2_000, "{told}");
    }

    #[test]
    fn a_wrong_type_is_told_with_what_is_expected_and_found() {
        let sketch = Recipe::named("sketch").unwrap();
        for (field, value, message) in [
            (
                "ngram",
                "x",
                "ngram: expected a whole number from 1 to 64, found 'x'",
            ),
            (
                "ngram",
                "-3",
                "ngram: expected a whole number from 1 to 64, found -3",
            ),
            (
                "ngram",
                "'5'",
                "ngram: expected a whole number from 1 to 64, found the text '5'",
            ),
            (
                "threshold",
                "2",
                "threshold: expected a score above 0, up to 1, such as 0.8, 80% or 4/5, found 2",
            ),
            (
                "unit",
                "page",
                "unit: expected document, paragraph, line, sentence or passage, found 'page'",
            ),
            (
                "unmasked",
                "0",
                "unmasked: expected show, ignore, or a score above 0, up to 1, such as 0.8, found 0",
            ),
            (
                "rejoin",
                "yes",
                "rejoin: expected true or false, found 'yes'",
            ),
            (
                "keys.minima",
                "many",
                "keys.minima: expected a whole number from 1 to 4096, found 'many'",
            ),
            (
                "keys.minina",
                "5",
                "keys.minina: keys of type min-wise has no such field; did you mean 'minima'?",
            ),
            (
                "keys",
                "5",
                "keys: expected a table with a type and its parameters, found 5",
            ),
            (
                "keys.type",
                "minhash",
                "keys.type: expected min-wise, modulo, super-shingle, super-modulo, simhash, i-match, terms, grams or words, found 'minhash'",
            ),
            (
                "keys.type",
                "modulo",
                "keys.modulus: expected a whole number from 1 to 1048576, found none",
            ),
            (
                "select.type",
                "every",
                "select.nth: expected a whole number from 1 to 1048576, found none",
            ),
            (
                "normalise.digits",
                "no",
                "normalise.digits: expected keep, drop or number, found 'no'",
            ),
            (
                "normalise.digit",
                "keep",
                "normalise.digit: normalise has no such field; did you mean 'digits'?",
            ),
            (
                "nrgam",
                "3",
                "nrgam: a recipe has no such field; did you mean 'ngram'?",
            ),
        ] {
            let error = sketch.with(field, value).unwrap_err();
            assert_eq!(error.message(), format!("set {message}"));
        }
        let file = Recipe::from_toml("ngram = 'x'").unwrap_err();
        assert_eq!(
            file.message(),
            "ngram: expected a whole number from 1 to 64, found 'x'"
        );
    }

    #[test]
    fn every_field_of_every_recipe_has_a_shape() {
        for card in cards() {
            check(&card.recipe().table().unwrap()).unwrap();
        }
    }

    #[test]
    fn names_that_are_listed_are_accepted() {
        // Steps that are incompatible with the recipe are another matter.
        for (field, expected) in EXPECTED
            .iter()
            .filter(|(field, _)| field.starts_with("normalise."))
        {
            let names = expected.split([',', ' ']).filter(|name| !name.is_empty());
            let words = ["or", "a", "language", "list", "of", "and", "words"];
            for name in
                names.filter(|name| !words.contains(name) || *field == "normalise.boundaries")
            {
                let name = if matches!(name, "url" | "email" | "phone" | "name") {
                    format!("['{name}']")
                } else {
                    name.to_owned()
                };
                if name == "or" {
                    continue;
                }
                let result = Recipe::named("copies").unwrap().with(field, &name);
                let is_shaped =
                    result.map_or_else(|error| !error.message().contains("expected"), |_| true);
                assert!(is_shaped, "{field} = {name}");
            }
        }
    }
}
