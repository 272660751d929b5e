//! Describes how a file is read, and how its text becomes tokens.

use serde_json::Value;
use std::fmt::Write;
use tegula::measure::Compares;
use tegula::recipe::{Lengths, Recipe, Weights};
use tegula::sketch::Features;
use tegula::text::token::Boundaries;
use tegula::text::unicode::UNICODE_VERSION;
use tegula_io::collection::{FileDescription, SkipReason};
use tegula_io::compress::Compression;
use tegula_io::encoding::Why;
use tegula_io::options::ReadOptions;
use tegula_io::passed_over::PassedOver;

/// A name as on the command line and in JSON.
pub fn name(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(name)) => name,
        Ok(value) => value.to_string(),
        Err(_) => String::new(),
    }
}

/// Format and compression of a file.
pub fn format(file: &FileDescription) -> String {
    match file.compression {
        Compression::None => name(&file.format),
        compression => format!("{}, {}", name(&file.format), name(&compression)),
    }
}

/// The encoding of a file and how it was determined.
pub fn encoding(file: &FileDescription) -> String {
    let Some(encoding) = &file.encoding else {
        return "in the format".into();
    };
    let by = match file.encoding_by {
        Some(Why::Option) => " (as named)",
        Some(Why::ByteOrderMark) => " (byte-order mark)",
        Some(Why::Declared) => " (declared)",
        Some(Why::Guess) => " (guessed)",
        _ => "",
    };
    format!("{}{by}", encoding.to_ascii_lowercase())
}

/// The dialect of a CSV file.
pub fn dialect(file: &FileDescription) -> Option<String> {
    let dialect = file.dialect.as_ref()?;
    let character = |c: char| {
        if c == '\t' {
            "tab".to_owned()
        } else {
            c.to_string()
        }
    };
    let quote = dialect.quote.map_or_else(
        || "no quotes".to_owned(),
        |c| format!("quote {}", character(c)),
    );
    let header = if dialect.header {
        "header"
    } else {
        "no header"
    };
    let quote = match dialect.escape {
        Some(escape) => format!("{quote}, escape {}", character(escape)),
        None => quote,
    };
    Some(format!(
        "delimiter {}, {quote}, {header}, columns {}",
        character(dialect.delimiter),
        dialect.columns.join(" ")
    ))
}

/// Where a file's texts are.
pub fn text(file: &FileDescription, options: &ReadOptions) -> String {
    (file.format.facts().texts)(options)
}

/// The tokens that a recipe uses, given the numbers of files with and without their own tokens.
pub fn tokens(recipe: &Recipe, as_is: bool, with_own_tokens: (usize, usize)) -> String {
    let found = match recipe.normalise.boundaries {
        Boundaries::Lines => "unchanged lines",
        Boundaries::Characters => "characters of the text",
        Boundaries::Letters => "characters of words, and one between words",
        Boundaries::Sentences => "sentences of the text",
        Boundaries::Words | Boundaries::Alphanumeric | Boundaries::Chinese => {
            "words found in the text"
        }
    };
    match with_own_tokens {
        (1.., 0) if as_is || recipe.counts_own_tokens() => {
            "the files' own, one per line".to_owned()
        }
        (1.., 1..) if recipe.counts_own_tokens() => {
            format!("the files' own, one per line, in vertical and CoNLL-U; else {found}")
        }
        (1.., _) if recipe.counts_dropped_tokens() => {
            format!("{found}; the figures count the files' own, one per line")
        }
        _ if recipe.counts_dropped_tokens() => {
            format!("{found}; the figures also count those that are not compared")
        }
        _ => found.to_owned(),
    }
}

/// What is compared of lines with columns: of vertical files with up to `widest`, and of CoNLL-U.
pub fn columns(
    recipe: &Recipe,
    read: &ReadOptions,
    widest: usize,
    has_conllu: bool,
) -> Option<String> {
    if widest < 2 {
        return has_conllu.then(|| "column FORM".to_owned());
    }
    if read.vertical.word_column.is_none() && (read.needs.as_is || recipe.counts_own_tokens()) {
        return Some(format!("whole lines of {widest} columns"));
    }
    let column = read.vertical.word_column().unwrap_or(1);
    let name = read.vertical.columns().get(column.saturating_sub(1));
    let name = name.map(|name| format!(" ({name})")).unwrap_or_default();
    Some(format!("column {column} of {widest}{name}"))
}

/// What was passed over in the files of a format: how much, and why.
pub fn passed_over(over: &PassedOver) -> String {
    let reasons: Vec<String> = over
        .reasons()
        .map(|(why, found)| format!("{why} {found}"))
        .collect();
    format!(
        "{} in {} files ({})",
        over.total(),
        name(&over.format),
        reasons.join(", ")
    )
}

/// What was passed over, as JSON: by format how much of what.
pub fn passed_over_json(over: &[PassedOver]) -> Value {
    let all = over.iter().map(|over| {
        let reasons = over.reasons();
        let reasons = reasons.map(|(why, count)| (why.to_owned(), Value::from(count)));
        (name(&over.format), Value::Object(reasons.collect()))
    });
    Value::Object(all.collect())
}

/// Why a file is not read.
pub fn skipped(why: SkipReason) -> &'static str {
    match why {
        SkipReason::Hidden => "hidden",
        SkipReason::UnknownEnding => "unknown extension",
        SkipReason::Archive => "archive, not unpacked",
        SkipReason::Description => "describes the data",
        SkipReason::Data => "data, not a document",
        SkipReason::NotText => "not text",
        SkipReason::Link => "symbolic link",
        SkipReason::Undelivered => "mail not yet delivered",
        SkipReason::Index => "an index",
    }
}

/// The effective steps of normalisation, in order.
pub fn normalisation(recipe: &Recipe) -> String {
    let steps = &recipe.normalise;
    let preset = steps.preset_name().unwrap_or("custom steps");
    let mut out = format!("{preset} (");
    if let Ok(Value::Object(fields)) = serde_json::to_value(steps) {
        let does_something =
            |value: &&Value| !matches!(value.as_str(), Some("keep" | "none" | "once"));
        for (at, (field, value)) in fields
            .iter()
            .filter(|(_, value)| does_something(value))
            .enumerate()
        {
            let value = match value {
                Value::String(name) => name.clone(),
                Value::Array(words) => words
                    .iter()
                    .filter_map(Value::as_str)
                    .collect::<Vec<_>>()
                    .join(" "),
                other => other.to_string(),
            };
            let separator = if at > 0 { ", " } else { "" };
            let _ = write!(out, "{separator}{}: {value}", field.replace('_', " "));
        }
    }
    out + &format!("), Unicode {UNICODE_VERSION}")
}

/// What a recipe compares, in one line.
pub fn recipe(recipe: &Recipe) -> String {
    let (name_of, unit) = (named(recipe), name(&recipe.unit));
    match recipe.measure.compares() {
        Compares::Whole => format!("{name_of}: equal {unit}s"),
        Compares::Before => format!(
            "{name_of}: {unit}s by previously seen {}, {}",
            features(recipe),
            recipe.bound()
        ),
        Compares::Passages => {
            let (n, token) = (recipe.ngram, recipe.token());
            format!("{name_of}: equal {unit}s of {n} {token}s and more")
        }
        _ => {
            let lengths = lengths(recipe).map(|of| format!(", {of}"));
            format!(
                "{name_of}: {unit}s by {}, {}{}",
                features(recipe),
                recipe.bound(),
                lengths.unwrap_or_default()
            )
        }
    }
}

/// Which pairs a recipe compares, unless it compares all.
pub fn lengths(recipe: &Recipe) -> Option<String> {
    match recipe.lengths {
        Lengths::All => None,
        Lengths::UpTo(limit) => Some(format!("only texts of up to {limit} bytes")),
        Lengths::Above(limit) => Some(format!("only pairs with a text above {limit} bytes")),
    }
}

/// The features of a text under a recipe.
pub fn features(recipe: &Recipe) -> String {
    let (n, token) = (recipe.ngram, recipe.token());
    match recipe.measure.compares() {
        Compares::Whole => format!("all {token}s in order"),
        Compares::Before => format!("n-grams of {n} {token}s"),
        Compares::Passages => format!("sequences of {n} {token}s"),
        Compares::Terms => "weighted terms".into(),
        Compares::Slots if !recipe.keys_are_of(Features::Shingles) => "digests of terms".into(),
        _ => {
            let shingles = match n {
                1 => format!("single {token}s"),
                _ => format!("shingles of {n} {token}s"),
            };
            match recipe.weights {
                Some(Weights::Uncommon { most }) => format!("{shingles} in at most {most} texts"),
                _ => shingles,
            }
        }
    }
}

/// The name of a recipe, with its measure if that is not the one of the recipe with this name.
fn named(recipe: &Recipe) -> String {
    match Recipe::named(&recipe.recipe) {
        Ok(own) if own.measure != recipe.measure => {
            format!("{} by {}", recipe.recipe, recipe.measure.name())
        }
        _ => recipe.recipe.clone(),
    }
}

/// How candidates are generated.
pub fn keys(recipe: &Recipe) -> String {
    let Some(keys) = recipe.keys else {
        return if recipe.measure.scores_pairs() {
            "none: an ordered join finds all".into()
        } else {
            "none".into()
        };
    };
    keys.kind().describe(recipe.threshold)
}

/// What a recipe compares, in one line, for a sweep over n-grams and thresholds.
pub fn swept(recipe: &Recipe) -> String {
    format!("{}: {}s", named(recipe), name(&recipe.unit))
}
