//! OpenDocument: `.odt` and `.odp` (ISO/IEC 26300).

use super::Document;
use super::archive::Archive;
use super::paragraphs::Paragraphs;
use super::xml::{Step, first_texts, walk};
use tegula::error::{Error, Result};

/// Elements whose text is not that of the document.
const SKIPPED: [&str; 6] = [
    "annotation",
    "tracked-changes",
    "note-citation",
    "forms",
    "title",
    "desc",
];
/// The most white space that a single element stands for.
const SPACES: usize = 1000;

/// The text of a document, then its notes.
///
/// # Errors
/// If the archive or a part is damaged, or encrypted.
pub(super) fn read(archive: &mut Archive<'_>) -> Result<Document> {
    encrypted(archive)?;
    let (mut text, mut notes) = (Paragraphs::default(), Paragraphs::default());
    let (mut skipped, mut in_note, mut paragraphs) = (0_usize, 0_usize, 0_usize);
    walk("content.xml", &archive.needed("content.xml")?, |step| {
        let out = if in_note > 0 { &mut notes } else { &mut text };
        match step {
            Step::Open(name, _) if SKIPPED.contains(&name) => skipped += 1,
            Step::Close(name) if SKIPPED.contains(&name) => skipped = skipped.saturating_sub(1),
            _ if skipped > 0 => {}
            Step::Open("note", _) => in_note += 1,
            Step::Close("note") => in_note = in_note.saturating_sub(1),
            // A paragraph may stand in a frame of another, which it divides.
            Step::Open("p" | "h", _) => {
                paragraphs += 1;
                out.end();
            }
            Step::Close("p" | "h") => {
                paragraphs = paragraphs.saturating_sub(1);
                out.end();
            }
            Step::Text(piece) if paragraphs > 0 => collapsed(piece, out),
            Step::Open("s", attributes) => {
                let count = attributes.get("c").and_then(|count| count.parse().ok());
                out.push(&" ".repeat(count.unwrap_or(1).min(SPACES)));
            }
            Step::Open("tab", _) => out.push_char('\t'),
            Step::Open("line-break", _) => out.push_char('\n'),
            _ => {}
        }
    })?;
    notes.end();
    text.end();
    text.push(&notes.finish());
    let mut document = Document {
        text: text.finish(),
        ..Document::default()
    };
    if let Some(bytes) = archive.part("meta.xml")? {
        let [title, first, last, date] = first_texts(
            "meta.xml",
            &bytes,
            ["title", "initial-creator", "creator", "creation-date"],
        )?;
        document = Document {
            title,
            author: first.or(last),
            date,
            ..document
        };
    }
    Ok(document)
}

/// White space in a row, such as line ends of the file, is one space.
fn collapsed(piece: &str, out: &mut Paragraphs) {
    let mut was_space = false;
    for char in piece.chars() {
        let is_space = matches!(char, ' ' | '\t' | '\n' | '\r');
        if !is_space {
            out.push_char(char);
        } else if !was_space {
            out.push_char(' ');
        }
        was_space = is_space;
    }
}

fn encrypted(archive: &mut Archive<'_>) -> Result<()> {
    let manifest = "META-INF/manifest.xml";
    let mut is_encrypted = false;
    if let Some(bytes) = archive.part(manifest)? {
        walk(manifest, &bytes, |step| {
            is_encrypted |= matches!(step, Step::Open("encryption-data", _));
        })?;
    }
    if is_encrypted {
        return Err(Error::data("the document is encrypted").hint("save it without a password"));
    }
    Ok(())
}
