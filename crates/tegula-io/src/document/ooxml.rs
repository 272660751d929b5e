//! Office Open XML: `.docx` and `.pptx` (ECMA-376).

use super::Document;
use super::archive::{Archive, resolved};
use super::paragraphs::Paragraphs;
use super::xml::{Step, first_texts, walk};
use tegula::error::{ErrorKind, Result};

/// A relation of a part to another.
struct Relation {
    id: String,
    /// The last segment of the address of its type.
    kind: String,
    /// The name of the other part.
    target: String,
}

/// The text of a document, then its notes.
///
/// # Errors
/// If the archive or a part is damaged.
pub(super) fn text(archive: &mut Archive<'_>) -> Result<Document> {
    let main = main_part(archive)?;
    let mut out = Paragraphs::default();
    body(&main, &archive.needed(&main)?, &mut out)?;
    for kind in ["footnotes", "endnotes"] {
        let notes = relations(archive, &main)?
            .into_iter()
            .find(|one| one.kind == kind);
        if let Some(notes) = notes
            && let Some(bytes) = archive.part(&notes.target)?
        {
            body(&notes.target, &bytes, &mut out)?;
        }
    }
    about(archive, out.finish())
}

/// The text of slides, in their order.
///
/// # Errors
/// As for [`text`].
pub(super) fn slides(archive: &mut Archive<'_>) -> Result<Document> {
    let main = main_part(archive)?;
    let relations = relations(archive, &main)?;
    let mut shown = Vec::new();
    walk(&main, &archive.needed(&main)?, |step| {
        if let Step::Open("sldId", attributes) = step {
            // Its own number is called `id`, too.
            shown.extend(attributes.exact("r:id"));
        }
    })?;
    let mut out = Paragraphs::default();
    for id in shown {
        if let Some(slide) = relations.iter().find(|one| one.id == id)
            && let Some(bytes) = archive.part(&slide.target)?
        {
            body(&slide.target, &bytes, &mut out)?;
        }
    }
    about(archive, out.finish())
}

/// The name of the part with the document.
fn main_part(archive: &mut Archive<'_>) -> Result<String> {
    let of_all = relations(archive, "")?;
    let main = of_all.into_iter().find(|one| one.kind == "officeDocument");
    main.map(|main| main.target).ok_or_else(|| {
        ErrorKind::Data
            .expected("an Office document")
            .found("an archive that names none")
    })
}

/// The relations of a part, or of the archive if it has no name.
fn relations(archive: &mut Archive<'_>, part: &str) -> Result<Vec<Relation>> {
    let (folder, file) = part
        .rsplit_once('/')
        .map_or(("", part), |(folder, file)| (folder, file));
    let slash = if folder.is_empty() { "" } else { "/" };
    let name = format!("{folder}{slash}_rels/{file}.rels");
    let mut found = Vec::new();
    let Some(bytes) = archive.part(&name)? else {
        return Ok(found);
    };
    walk(&name, &bytes, |step| {
        if let Step::Open("Relationship", attributes) = step
            && let (Some(id), Some(kind), Some(target)) = (
                attributes.get("Id"),
                attributes.get("Type"),
                attributes.get("Target"),
            )
        {
            found.push(Relation {
                id,
                kind: kind.rsplit('/').next().unwrap_or_default().to_owned(),
                target: resolved(folder, &target),
            });
        }
    })?;
    Ok(found)
}

/// The paragraphs of a part. Text that was deleted is in other elements.
fn body(part: &str, bytes: &[u8], out: &mut Paragraphs) -> Result<()> {
    // Text boxes come twice: for newer programs, and for others.
    let (mut is_text, mut fallback, mut own) = (false, 0_usize, false);
    walk(part, bytes, |step| match step {
        Step::Open("Fallback", _) => fallback += 1,
        Step::Close("Fallback") => fallback = fallback.saturating_sub(1),
        _ if fallback > 0 => {}
        // The marks between notes and text have no text of their own.
        Step::Open("footnote" | "endnote", attributes) => own = attributes.get("type").is_some(),
        Step::Close("footnote" | "endnote") => own = false,
        _ if own => {}
        Step::Open("t", _) => is_text = true,
        Step::Close("t") => is_text = false,
        Step::Text(text) if is_text => out.push(text),
        Step::Open("tab", attributes) if attributes.get("pos").is_none() => out.push_char('\t'),
        Step::Open("br" | "cr", _) => out.push_char('\n'),
        Step::Open("noBreakHyphen", _) => out.push_char('\u{2011}'),
        // A text box is in a paragraph, which it divides.
        Step::Open("txbxContent", _) | Step::Close("p") => out.end(),
        _ => {}
    })
}

/// The text with the metadata of its document.
fn about(archive: &mut Archive<'_>, text: String) -> Result<Document> {
    let of_all = relations(archive, "")?;
    let core = of_all.into_iter().find(|one| one.kind == "core-properties");
    let mut document = Document {
        text,
        ..Document::default()
    };
    if let Some(core) = core
        && let Some(bytes) = archive.part(&core.target)?
    {
        [document.title, document.author, document.date] =
            first_texts(&core.target, &bytes, ["title", "creator", "created"])?;
    }
    Ok(document)
}
