//! Detects the format of a file: by its name, else by its content.

use crate::compress::{Compression, Ending, Input};
use crate::document::DocumentKind;
use crate::encoding::{Decoded, decide};
use crate::foreign::{self, Foreign};
use crate::format::facts::Sample;
use crate::format::tei::is_xml;
use crate::options::{FormatName, ReadOptions};
use crate::store::File;
use encoding_rs::{Encoding, UTF_8};
use std::io::Read;
use std::path::Path;
use tegula::error::{Error, ErrorKind, Result};

/// Bytes examined.
const SAMPLE: usize = 64 << 10;

/// Format and compression of a file.
pub(crate) type Kind = (FormatName, Compression);

/// Detects by the name alone; the format is `None` for an unknown extension.
pub(crate) fn by_name(name: &str) -> (Option<FormatName>, Compression) {
    let compression = Compression::of_name(name).1;
    let format = FormatName::ALL
        .into_iter()
        .find(|format| promises(name, *format));
    // Parquet compresses inside; a compressed one is not a format.
    (
        format.filter(|format| *format != FormatName::Parquet || compression == Compression::None),
        compression,
    )
}

/// Whether a name has an ending of the format.
pub(crate) fn promises(name: &str, format: FormatName) -> bool {
    let stem = Compression::of_name(name).0;
    let ending = stem
        .rsplit_once('.')
        .map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| format.facts().endings.contains(&&*ending))
}

/// Detects by the name, and by the content if several formats share the extension.
pub(crate) fn by_both(
    path: &Path,
    name: &str,
    options: &ReadOptions,
    named: Option<&'static Encoding>,
) -> (Option<FormatName>, Compression) {
    let (first, compression) = by_name(name);
    if options.format.is_some()
        || FormatName::ALL
            .into_iter()
            .filter(|format| promises(name, *format))
            .count()
            < 2
    {
        return (first, compression);
    }
    let found = by_content(path, options, named)
        .ok()
        .map(|(format, _)| format)
        .filter(|format| promises(name, *format));
    (found.or(first), compression)
}

/// Detects by the content, for a file whose name does not indicate its format.
pub(crate) fn by_content(
    path: &Path,
    options: &ReadOptions,
    named: Option<&'static Encoding>,
) -> Result<Kind> {
    let compression = compression_of(path)?;
    let mut raw = Vec::new();
    let ending = Input::open(path, compression)?.fill(&mut raw, SAMPLE, path)?;
    let whole = ending != Ending::More;
    if let Some(kind) = DocumentKind::of_content(&raw) {
        return Ok((kind.format(), compression));
    }
    if let Some(foreign) = foreign::of_content(&raw) {
        return Err(foreign.refused(path));
    }
    if raw.starts_with(b"PAR1") {
        return Ok((FormatName::Parquet, Compression::None));
    }
    let encoding = decide(&raw, whole, named, FormatName::Text);
    let mut decoded = Decoded::default();
    let text = if encoding.encoding == UTF_8 {
        String::from_utf8_lossy(&raw[encoding.bom..]).into_owned()
    } else {
        decoded.extend(&raw[encoding.bom..], encoding.encoding, whole);
        decoded.text
    };
    if text.contains('\0') {
        return Err(ErrorKind::Data
            .expected("text")
            .found("binary data of no known format")
            .at(path)
            .hint("set ⟨format⟩, or exclude the file"));
    }
    Ok((of_text(&text, whole, options), compression))
}

/// The compression of a file with any name.
pub(crate) fn compression_of(path: &Path) -> Result<Compression> {
    Ok(Compression::of_content(&head(File::open(path)?, path)?))
}

/// The first bytes of a file.
pub(crate) fn head(file: impl Read, path: &Path) -> Result<Vec<u8>> {
    let mut head = Vec::new();
    file.take(foreign::HEAD as u64)
        .read_to_end(&mut head)
        .map_err(|error| Error::io("read", path, error))?;
    Ok(head)
}

/// What a file is, if it is neither read nor written: by its first bytes, also after decompression
/// if its name does not tell what they are.
pub(crate) fn foreign_of(path: &Path, name: &str, head: &[u8]) -> Result<Option<&'static Foreign>> {
    let compression = Compression::of_content(head);
    if by_name(name).0.is_some_and(FormatName::is_document) {
        return Ok(None);
    }
    if let Some(foreign) = foreign::of_content(head) {
        return Ok(Some(foreign));
    }
    if compression == Compression::None || by_name(name).0.is_some() {
        return Ok(None);
    }
    let mut inner = Vec::new();
    Input::open(path, compression)?.fill(&mut inner, foreign::HEAD, path)?;
    Ok(foreign::of_content(&inner))
}

/// Whether a file is of a kind that is not read, by its first bytes.
pub(crate) fn is_foreign(path: &Path, name: &str) -> bool {
    let found = File::open(path).and_then(|file| foreign_of(path, name, &head(file, path)?));
    matches!(found, Ok(Some(_)))
}

/// Detects by a sample of text: a format that recognises it, otherwise TEI if it is XML, otherwise
/// plain text.
fn of_text(text: &str, whole: bool, options: &ReadOptions) -> FormatName {
    let sample = Sample {
        text,
        whole,
        options,
    };
    let found = FormatName::ALL
        .into_iter()
        .rev()
        .find(|name| (name.facts().recognises)(&sample));
    found.unwrap_or(if is_xml(&sample) {
        FormatName::Tei
    } else {
        FormatName::Text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_format_has_facts_of_its_own() {
        let mut endings = std::collections::HashSet::new();
        for name in FormatName::ALL {
            let facts = name.facts();
            assert_eq!(facts.name, name);
            assert!(
                !facts.places.is_empty()
                    && facts
                        .endings
                        .iter()
                        .all(|ending| endings.insert(*ending) || *ending == "json"),
                "{}",
                name.name()
            );
        }
    }

    #[test]
    fn names_and_contents_tell() {
        assert_eq!(
            by_name("a.vert.zst"),
            (Some(FormatName::Vertical), Compression::Zstd)
        );
        assert_eq!(by_name("A.CSV"), (Some(FormatName::Csv), Compression::None));
        assert_eq!(by_name("a.parquet.gz").0, None);
        assert_eq!(by_name("README").0, None);
        let options = ReadOptions::default();
        assert_eq!(
            of_text("\n{\"a\":1}\n{\"a\":2}", true, &options),
            FormatName::Jsonl
        );
        assert_eq!(
            of_text("<doc id=\"1\">\n<p>\na\n", true, &options),
            FormatName::Vertical
        );
        assert_eq!(of_text("{ not json", true, &options), FormatName::Text);
        // The end of a file, whose first line was cut.
        for (text, whole) in [
            ("a\"}\n{\"a\":1}\n{\"a\":2}\n{\"a", false),
            ("{a\n{\"a\":1}\n{\"a\":2}\n", true),
        ] {
            assert_eq!(of_text(text, whole, &options), FormatName::Jsonl, "{text}");
        }
        assert_eq!(
            of_text("As in\n{\"a\":1}\nthere.\n", true, &options),
            FormatName::Text
        );
        assert_eq!(
            of_text("<html>\n<p>a</p>\n", true, &options),
            FormatName::Html
        );
    }
}
