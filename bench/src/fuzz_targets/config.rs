//! Recipes and thresholds as they are typed.

use tegula::printable;
use tegula::recipe::{Recipe, Staged};
use tegula::threshold::Threshold;

pub(super) const RECIPES: &[&str] = &[
    "recipe = \"ssr\"\nngram = 5\nthreshold = \"0.8\"\n",
    "recipe = 'sscr-containment'\nunit = 'paragraph'\n[normalise]\ndigits = 'number'\ncase = 'upper'\nstop_words = ['der', 'die']\n",
    "ngram = 3\nmeasure = 'coverage'\nfingerprint = { type = 'rabin', modulus = 10007 }\n",
    "[normalise]\nmarkup = 'remove'\nform = 'nfkc'\nboundaries = 'lines'\nstop_words = 'de'\nkeep_words = ['und']\nnon_ascii = 'delete'\n",
    "recipe = 'exact'\nthreshold = '4/5'\nunit = \"sentence\"",
    "ngram=65\n[[normalise]]\nx = 1979-05-27",
];

pub(super) const STAGED: &[&str] = &[
    "recipe = \"two\"\n[[stage]]\nname = \"exact\"\naction = \"remove\"\nrecipe = \"exact\"\n\n[[stage]]\nname = \"near\"\nrecipe = \"onion\"\nunit = \"paragraph\"\nthreshold = \"0.5\"\naction = \"mark\"\n",
    "[[stage]]\n[[stage]]\nname = 'x'\n[stage.normalise]\ncase = 'upper'",
];

pub(super) const THRESHOLDS: &[&str] = &[
    "0.8",
    "80%",
    "4/5",
    "1",
    "0.0000001",
    ".5",
    " 7 / 9 ",
    "99.99 %",
    "100%",
    "4294967295/4294967295",
    "-1",
    "1e3",
];

/// A recipe that can be read can be printed and read again, the same; any other is refused with a
/// message.
///
/// # Panics
/// When that is not so.
pub fn recipe_toml(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    match Recipe::from_toml(&text) {
        Ok(recipe) => round_trip(&recipe),
        Err(error) => assert!(!error.message().is_empty()),
    }
    // The same text as settings, one a line.
    let Ok(base) = Recipe::named(Recipe::DEFAULT) else {
        panic!("there is no default recipe")
    };
    for (key, value) in text.lines().filter_map(|line| line.split_once('=')) {
        match base.with(key.trim(), value.trim()) {
            // Whether every field has an effect is checked when all are set, as here.
            Ok(recipe) if recipe.check_effects().is_ok() => round_trip(&recipe),
            Ok(_) => {}
            Err(error) => assert!(
                printable::line(&error.marked().0).contains(&*printable::line(first(key))),
                "{error} does not name the key"
            ),
        }
    }
}

/// The first part of a key, which a message names at least.
fn first(key: &str) -> &str {
    key.split('.').next().unwrap_or_default().trim()
}

fn round_trip(recipe: &Recipe) {
    if let Err(error) = recipe.check() {
        panic!("accepted, but {error}");
    }
    match recipe.to_toml().and_then(|text| Recipe::from_toml(&text)) {
        Ok(again) => assert_eq!(again, *recipe),
        Err(error) => panic!("cannot be read again: {error}"),
    }
}

/// A recipe of stages that can be read can be printed and read again, the same; any other is
/// refused with a message.
///
/// # Panics
/// When that is not so.
pub fn staged_toml(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if !Staged::is_in(&text) {
        return;
    }
    match Staged::from_toml(&text, "fuzz") {
        Ok(staged) => match staged
            .to_toml()
            .and_then(|text| Staged::from_toml(&text, "fuzz"))
        {
            Ok(again) => assert_eq!(again.stages, staged.stages),
            Err(error) => panic!("cannot be read again: {error}"),
        },
        Err(error) => assert!(!error.message().is_empty()),
    }
}

/// A threshold that can be read is above 0 and at most 1, reads the same when printed, and its
/// least part is the least.
///
/// # Panics
/// When that is not so.
pub fn threshold(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let threshold: Threshold = match text.parse() {
        Ok(threshold) => threshold,
        Err(_) => return,
    };
    assert!(threshold.numerator() > 0 && threshold.numerator() <= threshold.denominator());
    assert_eq!(
        threshold.to_string().parse::<Threshold>().ok(),
        Some(threshold),
        "printed as {threshold}"
    );
    for whole in [
        1,
        2,
        3,
        10,
        44,
        999,
        u64::from(u32::MAX),
        u64::from(u32::MAX) * 2,
    ] {
        let least = threshold.least(whole);
        assert!(
            least <= whole && threshold.admits(least, whole),
            "{least} of {whole}"
        );
        assert!(
            least > 0 && !threshold.admits(least - 1, whole),
            "{least} of {whole} is not the least"
        );
    }
    assert!(!threshold.admits(0, 0));
}
