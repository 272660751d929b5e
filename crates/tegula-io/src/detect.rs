//! Which format a file has: by its name, else by its content.

use crate::compress::{Compression, Ending, Input};
use crate::encoding::{Decoded, decide};
use crate::format::json;
use crate::format::xml::Tags;
use crate::options::{FormatName, ReadOptions};
use encoding_rs::{Encoding, UTF_8};
use std::io::Read;
use std::path::Path;
use tegula::error::{Error, Result};

/// Bytes that are looked at.
const SAMPLE: usize = 64 << 10;

/// Format and compression of a file.
pub(crate) type Kind = (FormatName, Compression);

/// Tells by the name alone; the format is `None` for an ending that is not known.
pub(crate) fn by_name(name: &str) -> (Option<FormatName>, Compression) {
    let (stem, compression) = Compression::of_name(name);
    let ending = stem.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    let format = match ending.as_deref() {
        Some("jsonl" | "ndjson" | "json") => Some(FormatName::Jsonl),
        Some("csv") => Some(FormatName::Csv),
        Some("tsv") => Some(FormatName::Tsv),
        Some("txt" | "md") => Some(FormatName::Text),
        Some("vert" | "vertical" | "vrt") => Some(FormatName::Vertical),
        Some("conllu") => Some(FormatName::Conllu),
        Some("xml" | "tei") => Some(FormatName::Tei),
        // Parquet compresses inside; a compressed one is not a format.
        Some("parquet") if compression == Compression::None => Some(FormatName::Parquet),
        _ => None,
    };
    (format, compression)
}

/// Tells by the content of a file that its name does not explain.
pub(crate) fn by_content(path: &Path, options: &ReadOptions, named: Option<&'static Encoding>) -> Result<Kind> {
    let compression = compression_of(path)?;
    let mut raw = Vec::new();
    let ending = Input::open(path, compression)?.fill(&mut raw, SAMPLE, path)?;
    let whole = ending != Ending::More;
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
        return Err(Error::data("expected text, found binary data of no known format")
            .at(path)
            .hint("name the format with ⟨format⟩, or leave the file out"));
    }
    Ok((of_text(&text, whole, options), compression))
}

/// The compression of a file with any name.
pub(crate) fn compression_of(path: &Path) -> Result<Compression> {
    let mut head = Vec::new();
    let file = std::fs::File::open(path).map_err(|error| Error::io("open", path, error))?;
    file.take(8).read_to_end(&mut head).map_err(|error| Error::io("read", path, error))?;
    Ok(Compression::of_content(&head))
}

/// Tells by a sample of text: a first line that is (or begins) a JSON object, a first word in ten columns behind comments, tags of the vertical format on lines of their
/// own, else plain text.
fn of_text(text: &str, whole: bool, options: &ReadOptions) -> FormatName {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    if let Some(first) = lines.clone().next()
        && first.starts_with('{')
        && (json::object(first, |_, _| ()).is_ok() || (!whole && lines.nth(1).is_none()))
    {
        return FormatName::Jsonl;
    }
    let xml = text.trim_start().starts_with("<?xml");
    let root = Tags::new(text.as_bytes()).next().filter(|tag| xml || text[..tag.at.start].trim_ascii().is_empty());
    if root.is_some_and(|tag| {
        matches!(&text[tag.name], "TEI" | "TEI.2" | "teiCorpus" | "teiCorpus.2" | "idsCorpus" | "idsDoc" | "idsText")
    }) {
        return FormatName::Tei;
    }
    let token = text.lines().find(|line| !line.trim_ascii().is_empty() && !line.starts_with('#'));
    if token.is_some_and(|line| {
        (line.starts_with("1\t") || line.starts_with("1-") || line.starts_with("0.1\t")) && line.matches('\t').count() == 9
    }) {
        return FormatName::Conllu;
    }
    let tags = [&options.doc_tag, &options.par_tag, &options.sent_tag];
    let first_is_tag = text
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .is_some_and(|line| line.starts_with('<') && line.ends_with('>'));
    let structure = text.lines().map(str::trim_end).any(|line| {
        tags.iter().any(|tag| {
            line.strip_prefix('<')
                .and_then(|rest| rest.strip_prefix(tag.as_str()))
                .is_some_and(|rest| rest.find('>').is_some_and(|at| at + 1 == rest.len()) && rest.starts_with(['>', ' ', '\t']))
        })
    });
    match (first_is_tag && structure, xml) {
        (true, _) => FormatName::Vertical,
        (false, true) => FormatName::Tei,
        _ => FormatName::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_contents_tell() {
        assert_eq!(by_name("a.vert.zst"), (Some(FormatName::Vertical), Compression::Zstd));
        assert_eq!(by_name("A.CSV"), (Some(FormatName::Csv), Compression::None));
        assert_eq!(by_name("a.parquet.gz").0, None);
        assert_eq!(by_name("README").0, None);
        let options = ReadOptions::default();
        assert_eq!(of_text("\n{\"a\":1}\n{\"a\":2}", true, &options), FormatName::Jsonl);
        assert_eq!(of_text("<doc id=\"1\">\n<p>\na\n", true, &options), FormatName::Vertical);
        assert_eq!(of_text("{ not json", true, &options), FormatName::Text);
        assert_eq!(of_text("<html>\n<p>a</p>\n", true, &options), FormatName::Text);
    }
}
