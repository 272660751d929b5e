//! Documents that are ZIP archives: their parts, by name.

use std::io::{Cursor, Read};
use tegula::error::{Error, ErrorKind, Result};
use zip::ZipArchive;
use zip::result::ZipError;

/// The parts of a document.
pub(super) struct Archive<'b> {
    zip: ZipArchive<Cursor<&'b [u8]>>,
}

/// Endings of parts with text.
const TEXTS: [&str; 7] = [".xml", ".xhtml", ".html", ".htm", ".opf", ".rels", ".txt"];

impl<'b> Archive<'b> {
    /// Reads its directory.
    ///
    /// # Errors
    /// If it is not an archive, or damaged.
    pub(super) fn open(bytes: &'b [u8]) -> Result<Self> {
        ZipArchive::new(Cursor::new(bytes))
            .map(|zip| Self { zip })
            .map_err(|error| damage(&error))
    }

    /// Bytes of all parts with text, as the archive states them: no part is read further.
    pub(super) fn text_bytes(self) -> u64 {
        let mut zip = self.zip;
        (0..zip.len())
            .filter_map(|at| {
                zip.by_index_raw(at)
                    .ok()
                    .map(|part| (part.size(), is_text(&part)))
            })
            .fold(0, |sum: u64, (size, is_text)| {
                sum.saturating_add(if is_text { size } else { 0 })
            })
    }

    /// The bytes of a part, if there is one of this name.
    ///
    /// # Errors
    /// If it is damaged or encrypted.
    pub(super) fn part(&mut self, name: &str) -> Result<Option<Vec<u8>>> {
        let mut part = match self.zip.by_name(name) {
            Ok(part) => part,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(error) => return Err(damage(&error)),
        };
        let (mut bytes, size) = (Vec::new(), part.size());
        let read = (&mut part).take(size).read_to_end(&mut bytes);
        let more = read.and_then(|_| part.read(&mut [0]));
        match more {
            Ok(0) => Ok(Some(bytes)),
            Ok(_) => Err(ErrorKind::Data
                .expected(format!("{size} bytes in the part {name}"))
                .found("more")),
            Err(error) => Err(Error::data(format!("the part {name} is damaged: {error}"))),
        }
    }

    /// The same for a part that must be there.
    ///
    /// # Errors
    /// As for [`Archive::part`], and if there is none.
    pub(super) fn needed(&mut self, name: &str) -> Result<Vec<u8>> {
        self.part(name)?.ok_or_else(|| {
            ErrorKind::Data
                .expected(format!("a document with the part {name}"))
                .found("none")
        })
    }
}

/// The name of a part, from the folder of the one that refers to it.
pub(super) fn resolved(folder: &str, target: &str) -> String {
    let mut path: Vec<&str> = Vec::new();
    let from = if target.starts_with('/') { "" } else { folder };
    for segment in from.split('/').chain(target.split('/')) {
        match segment {
            "" | "." => {}
            ".." => drop(path.pop()),
            segment => path.push(segment),
        }
    }
    path.join("/")
}

fn is_text(part: &zip::read::ZipFile<'_, Cursor<&[u8]>>) -> bool {
    let name = String::from_utf8_lossy(part.name_raw()).to_ascii_lowercase();
    TEXTS.iter().any(|ending| name.ends_with(ending))
}

fn damage(error: &ZipError) -> Error {
    match error {
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => {
            Error::data("the document is encrypted").hint("save it without a password")
        }
        error => ErrorKind::Data
            .expected("a document in a ZIP archive")
            .found(format!("damage: {error}"))
            .hint("copy it again: it may be cut off"),
    }
}
