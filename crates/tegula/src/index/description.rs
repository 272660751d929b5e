//! What an index is: the file `index.toml`, which says how it was made and what it consists of now.
//!
//! It is replaced as a whole by renaming another over it, so that a reader sees an index as it was
//! before a change, or after it.

use super::pages::damaged;
use super::primer::PrimerFile;
use super::segment::{Amount, Kind};
use crate::error::{Error, ErrorKind, Result};
use crate::hash::SCHEME;
use crate::measure::Compares;
use crate::recipe::Recipe;
use crate::record::Level;
use crate::text::unicode;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// The version of the layout of an index.
const FORMAT: u32 = 1;
/// Introduces the checksum, at the end of the file.
const CHECKSUM: &str = "# xxh3 ";

/// An index as a whole.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// The version of its layout.
    pub format: u32,
    /// The version of the program that made it.
    pub version: String,
    /// The version of Unicode whose tables made its tokens.
    pub unicode: String,
    /// The scheme that hashed them.
    pub scheme: String,
    /// Whether texts are kept.
    pub texts: bool,
    /// The fields of records that are kept.
    pub fields: Vec<String>,
    /// The frequencies, if the recipe weights shingles by these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statistics: Option<Counted>,
    /// The compression dictionary, if there were enough texts to make one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub primer: Option<PrimerFile>,
    /// The number of changes so far.
    pub generation: u64,
    /// The number of the next file.
    pub next_file: u64,
    /// How texts are compared.
    pub recipe: Recipe,
    /// The segments, the oldest first.
    #[serde(default)]
    pub segments: Vec<Entry>,
}

/// The file of frequencies of an index.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counted {
    /// The normalisation, as described in it.
    pub steps: String,
    /// Its checksum.
    pub check: String,
}

impl Counted {
    /// Of a file with this content.
    pub fn new(steps: &str, content: &[u8]) -> Self {
        Self {
            steps: steps.to_owned(),
            check: format!("{:016x}", xxh3_64(content)),
        }
    }
}

/// A segment of an index.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The number of its file.
    pub file: u64,
    /// Bytes of its file.
    pub bytes: u64,
    /// Its records.
    pub records: u32,
    /// Its units.
    pub units: u32,
    /// Bytes of text.
    pub text: u64,
    /// Whether its blocks are compressed with the dictionary of the index.
    #[serde(default)]
    pub primed: bool,
    /// How many records are removed.
    #[serde(default)]
    pub removed: u32,
    /// The number of the file that lists these, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed_file: Option<u64>,
}

impl Entry {
    /// A segment of which nothing is removed.
    pub(super) fn new(file: u64, amount: Amount, bytes: u64, primed: bool) -> Self {
        Self {
            file,
            bytes,
            records: amount.records,
            units: amount.units,
            text: amount.text,
            primed,
            removed: 0,
            removed_file: None,
        }
    }
}

impl Description {
    /// Of a new index.
    pub(super) fn new(recipe: Recipe, texts: bool, fields: Vec<String>) -> Self {
        Self {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            unicode: unicode::UNICODE_VERSION.to_owned(),
            scheme: SCHEME.to_owned(),
            texts,
            fields,
            statistics: None,
            primer: None,
            generation: 1,
            next_file: 1,
            recipe,
            segments: Vec::new(),
        }
    }

    /// What its units are like.
    pub(super) fn kind(&self) -> Kind {
        let compares = self.recipe.measure.compares();
        Kind {
            has_parts: self.recipe.unit != Level::Document,
            covers: compares == Compares::Sequences,
            signs: compares == Compares::Bits,
            texts: self.texts,
        }
    }

    /// Records that are not removed.
    pub fn records(&self) -> u64 {
        let live = |entry: &Entry| u64::from(entry.records.saturating_sub(entry.removed));
        self.segments.iter().map(live).sum()
    }

    /// As text, with its checksum.
    pub(super) fn write(&self) -> Result<String> {
        let table = toml::Table::try_from(self)
            .map_err(|error| ErrorKind::Data.expected("a description").because(error))?;
        let text = table.to_string();
        let sum = xxh3_64(text.as_bytes());
        Ok(format!("{text}{CHECKSUM}{sum:016x}\n"))
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// If it is damaged, or of a version that this program cannot read.
    pub(super) fn read(path: &Path, text: &str) -> Result<Self> {
        /// What every version says of itself.
        #[derive(serde::Deserialize)]
        struct Made {
            format: u32,
            version: String,
            unicode: String,
            scheme: String,
        }
        let (body, sum) = text
            .trim_end()
            .rsplit_once(CHECKSUM)
            .ok_or_else(|| not_one(path))?;
        if u64::from_str_radix(sum, 16) != Ok(xxh3_64(body.as_bytes())) {
            return Err(damaged(path, "the text that its checksum names", "another"));
        }
        let table: toml::Table = body.parse().map_err(|_| not_one(path))?;
        let Made {
            format,
            version,
            unicode,
            scheme,
        } = table.clone().try_into().map_err(|_| not_one(path))?;
        let own = (FORMAT, unicode::UNICODE_VERSION, SCHEME);
        if (format, &*unicode, &*scheme) != own {
            let make = "make it again from its texts with this version";
            return Err(ErrorKind::Data
                .expected(format!(
                    "an index of format {FORMAT}, with tokens of Unicode {} ({SCHEME})",
                    unicode::UNICODE_VERSION
                ))
                .found(format!(
                    "format {format}, Unicode {unicode} ({scheme}), written by version {version}"
                ))
                .at(path)
                .hint(format!("use version {version}, or {make}")));
        }
        let read: Self = table.try_into().map_err(|error: toml::de::Error| {
            damaged(path, "the description of an index", error.message())
        })?;
        read.recipe
            .check()
            .map_err(|error| damaged(path, "a recipe that can be used", error.message()))?;
        Ok(read)
    }
}

/// The error if a folder is no index.
pub(super) fn not_one(path: &Path) -> Error {
    let (found, hint) = if path.is_file() {
        (
            "something else",
            "name the folder of an index; if this is one, restore this file from a copy, or make the index again from its texts",
        )
    } else if path.exists() {
        ("something else", "name the folder of an index")
    } else {
        ("nothing", "name the folder of an index")
    };
    ErrorKind::Data
        .expected("an index, as tegula index makes it")
        .found(found)
        .at(path)
        .hint(hint)
}
