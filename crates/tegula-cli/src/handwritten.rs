//! Files in TOML that people write by hand: recipes, weights, the configuration.

use std::path::Path;
use tegula::error::{Error, Result};

/// The text of a file that people write by hand.
pub(crate) fn read(path: &Path) -> Result<String> {
    let enough = |_| "name a file in TOML".into();
    let content = tegula_io::compress::read_whole(path, SMALL, enough)?;
    String::from_utf8(content)
        .map_err(|_| Error::data("expected UTF-8, found other bytes").at(path))
}

/// The maximum length: a longer file is not a recipe.
const SMALL: u64 = 16 << 20;
