//! Recipes by name: built in, from files, or named by a configuration.

use super::in_option;
use crate::advice::AUTO;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tegula::error::{Error, ErrorKind, Result};
use tegula::recipe::{Card, Recipe, Staged};

/// The files of recipes that have names of their own, as in a configuration file.
pub type Named = BTreeMap<String, PathBuf>;

/// The text of a recipe file, if a file is named.
fn file(name: &str, named: &Named) -> Result<Option<String>> {
    if let Some(path) = named.get(name) {
        return read_handwritten(path).map(Some);
    }
    let path = Path::new(name);
    if !path
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("toml"))
    {
        return Ok(None);
    }
    read_handwritten(path).map(Some)
}

/// A multi-stage recipe with its TOML, built in or from a file; none if it has only one stage.
///
/// # Errors
/// If a file is named that cannot be read, or is no recipe.
pub fn stages(name: &str, named: &Named) -> Result<Option<(Staged, String)>> {
    if let Some(toml) = Staged::named(name) {
        return Ok(Some((Staged::from_toml(toml, name)?, toml.to_owned())));
    }
    let Some(text) = file(name, named)?.filter(|text| Staged::is_in(text)) else {
        return Ok(None);
    };
    let staged =
        Staged::from_toml(&text, &stem(name)).map_err(|error| error.at(Path::new(name)))?;
    Ok(Some((staged, text)))
}

/// The name of a recipe file.
fn stem(name: &str) -> Cow<'_, str> {
    Path::new(name)
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
}

/// A single-stage recipe from a file, if a file is named.
///
/// # Errors
/// If it cannot be read, or is no recipe.
pub fn card(name: &str, named: &Named) -> Result<Option<Card>> {
    let card = |text: String| {
        Card::from_toml(&text, &stem(name)).map_err(|error| error.at(Path::new(name)))
    };
    file(name, named)?.map(card).transpose()
}

/// A built-in recipe, or one from a file.
pub(super) fn base(name: &str, named: &Named) -> Result<Recipe> {
    if name == AUTO {
        return Err(Error::of("⟨recipe=auto⟩")
            .expected("a recipe by name")
            .found("auto, which only dedup, mark, pairs and plan accept")
            .hint("tegula plan ⟨recipe=auto⟩ shows which one suits the inputs"));
    }
    if stages(name, named)?.is_some() {
        return Err(Error::of(format!("⟨recipe⟩ {name}"))
            .problem("it has several stages, which only dedup and mark accept")
            .hint("name the recipe of one of its stages"));
    }
    match card(name, named)? {
        Some(card) => Ok(card.recipe()),
        None => Recipe::named(name).map_err(|error| in_option("⟨recipe⟩", error)),
    }
}

/// The text of a file in TOML that people write by hand.
///
/// # Errors
/// If it cannot be read, is too long for one, or is not UTF-8.
pub fn read_handwritten(path: &Path) -> Result<String> {
    let enough = |_| "name a file in TOML".into();
    let content = tegula_io::compress::read_whole(path, SMALL, enough)?;
    String::from_utf8(content).map_err(|_| {
        ErrorKind::Data
            .expected("UTF-8")
            .found("other bytes")
            .at(path)
    })
}

/// The maximum length: a longer file is not a recipe.
const SMALL: u64 = 16 << 20;
