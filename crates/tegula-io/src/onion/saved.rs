//! Saved fingerprints: the n-grams that occur more than once, in a file.
//!
//! ```text
//! magic (16 bytes), version, length of the header (32 bits each), header (JSON),
//! id and check of every n-gram (64 bits each, by id and check), XXH3 of 128 bits of everything before
//! ```
//!
//! Numbers are little-endian.

use super::options::Options;
use crate::outputs::Outputs;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;
use tegula::context::Context;
use tegula::error::{Error, ErrorKind, Result};
use tegula::hash::{self, Fingerprint};
use tegula::onion::{Judge, Repeated};
use xxhash_rust::xxh3::Xxh3;

const MAGIC: [u8; 16] = *b"tegula n-grams\r\n";
const VERSION: u32 = 1;
/// The kind of token: a whole line.
const TOKENS: &str = "line";
/// The maximum length of a header.
const LONGEST: u32 = 1 << 16;
/// Bytes of a fingerprint.
const ROW: usize = 16;

/// The header of a file of saved fingerprints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedFacts {
    /// The hash ([`tegula::hash::SCHEME`]).
    scheme: String,
    /// The kind of token.
    tokens: String,
    /// Tokens in an n-gram.
    pub ngram: usize,
    /// The tag that begins documents.
    pub document: String,
    /// Whether it includes short paragraphs as a whole.
    pub whole: bool,
    /// The number of n-grams.
    pub count: u64,
}

fn damaged(path: &Path, message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Run, message)
        .at(path)
        .hint("create the file again with ⟨save_fingerprints⟩")
}

/// Writes a file of saved fingerprints.
pub(super) fn save(
    outputs: &Outputs,
    path: &Path,
    options: &Options,
    repeated: &Repeated,
) -> Result<()> {
    let failed = |error| Error::io("write", path, error);
    let facts = SavedFacts {
        scheme: hash::SCHEME.to_owned(),
        tokens: TOKENS.to_owned(),
        ngram: options.rules.ngram,
        document: String::from_utf8_lossy(options.tags.document()).into_owned(),
        whole: options.whole,
        count: repeated.count(),
    };
    let header = serde_json::to_vec(&facts).map_err(|error| failed(error.into()))?;
    let mut out = BufWriter::with_capacity(256 << 10, outputs.create_or_stdout(path)?);
    let mut sum = Xxh3::new();
    let mut write = |bytes: &[u8]| {
        sum.update(bytes);
        out.write_all(bytes).map_err(failed)
    };
    write(&MAGIC)?;
    write(&VERSION.to_le_bytes())?;
    write(&(header.len() as u32).to_le_bytes())?;
    write(&header)?;
    let mut rows = Vec::new();
    repeated.for_each(|piece| {
        rows.clear();
        for fingerprint in piece {
            rows.extend_from_slice(&fingerprint.id.to_le_bytes());
            rows.extend_from_slice(&fingerprint.check.to_le_bytes());
        }
        write(&rows)
    })?;
    out.write_all(&sum.digest128().to_le_bytes())
        .map_err(failed)?;
    out.into_inner()
        .map_err(|error| failed(error.into_error()))?
        .finish()
}

/// Reads, and computes a checksum.
struct Reader<'a> {
    file: BufReader<File>,
    sum: Xxh3,
    path: &'a Path,
}

impl Reader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<()> {
        self.file
            .read_exact(buffer)
            .map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => damaged(
                    self.path,
                    "expected a file of fingerprints, found a truncated one",
                ),
                _ => Error::io("read", self.path, error),
            })?;
        self.sum.update(buffer);
        Ok(())
    }

    fn number(&mut self) -> Result<u32> {
        let mut bytes = [0; 4];
        self.read(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }
}

/// Opens a file and reads its header.
fn open(path: &Path) -> Result<(Reader<'_>, SavedFacts)> {
    let file = File::open(path).map_err(|error| Error::io("open", path, error))?;
    let length = file
        .metadata()
        .map_err(|error| Error::io("open", path, error))?
        .len();
    let mut reader = Reader {
        file: BufReader::with_capacity(256 << 10, file),
        sum: Xxh3::new(),
        path,
    };
    let mut magic = [0; MAGIC.len()];
    let begins = reader.read(&mut magic);
    if magic != MAGIC {
        return Err(damaged(
            path,
            "expected a file of fingerprints, found something else",
        ));
    }
    begins?;
    let version = reader.number()?;
    if version != VERSION {
        return Err(damaged(
            path,
            format!("expected version {VERSION} of the file of fingerprints, found {version}"),
        ));
    }
    let header = reader.number()?;
    if header > LONGEST {
        return Err(damaged(path, "expected a header, found damage"));
    }
    let mut text = vec![0; header as usize];
    reader.read(&mut text)?;
    let facts: SavedFacts = serde_json::from_slice(&text)
        .map_err(|error| damaged(path, "expected a header, found damage").because(error))?;
    if facts.scheme != hash::SCHEME || facts.tokens != TOKENS {
        let message = format!(
            "expected fingerprints of tokens '{TOKENS}' by '{}', found tokens '{}' by '{}'",
            hash::SCHEME,
            facts.tokens,
            facts.scheme
        );
        return Err(damaged(path, message));
    }
    let before = (MAGIC.len() + 8) as u64 + u64::from(header);
    let expected = facts
        .count
        .checked_mul(ROW as u64)
        .and_then(|rows| rows.checked_add(before + 16));
    if expected != Some(length) {
        return Err(damaged(
            path,
            format!(
                "expected {} fingerprints, found a file of {length} bytes",
                facts.count
            ),
        ));
    }
    Ok((reader, facts))
}

/// The header of a file of saved fingerprints.
///
/// # Errors
/// If it cannot be read, or is not such a file.
pub fn facts(path: &Path) -> Result<SavedFacts> {
    open(path).map(|(_, facts)| facts)
}

/// A judge that holds the saved n-grams.
pub(super) fn judge(context: &Context, path: &Path, options: &Options) -> Result<Judge> {
    let (mut reader, facts) = open(path)?;
    let other = |what: &str, found: String, wanted: String| {
        Error::new(
            ErrorKind::Run,
            format!("expected fingerprints with {what} {wanted}, found {found}"),
        )
        .at(path)
        .hint("use the same options, or create the file again with ⟨save_fingerprints⟩")
    };
    if facts.ngram != options.rules.ngram {
        return Err(other(
            "n-grams of",
            facts.ngram.to_string(),
            options.rules.ngram.to_string(),
        ));
    }
    let document = String::from_utf8_lossy(options.tags.document());
    if facts.document != document {
        return Err(other(
            "documents that begin with",
            format!("<{}>", facts.document),
            format!("<{document}>"),
        ));
    }
    if options.whole && !facts.whole {
        return Err(other(
            "short paragraphs",
            "none".to_owned(),
            "as a whole".to_owned(),
        ));
    }
    let mut judge = Judge::among(options.rules, context, facts.count, false)?;
    let mut rows = vec![0; ROW << 12];
    let mut left = facts.count;
    while left > 0 {
        let rows = &mut rows[..ROW * left.min(1 << 12) as usize];
        reader.read(rows)?;
        left -= (rows.len() / ROW) as u64;
        let (numbers, _) = rows.as_chunks::<8>();
        let rows = numbers.chunks_exact(2);
        judge.admit(rows.map(|row| Fingerprint {
            id: u64::from_le_bytes(row[0]),
            check: u64::from_le_bytes(row[1]),
        }))?;
    }
    let sum = reader.sum.digest128();
    let mut kept = [0; 16];
    reader.read(&mut kept)?;
    if u128::from_le_bytes(kept) != sum {
        return Err(damaged(
            path,
            "expected the checksum of the fingerprints, found damage",
        ));
    }
    Ok(judge)
}
