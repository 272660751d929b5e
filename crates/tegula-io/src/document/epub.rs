//! Electronic books: `.epub`, versions 2 and 3.

use super::Document;
use super::archive::{Archive, resolved};
use super::xml::{Step, first_texts, walk};
use crate::options::PageText;
use crate::page;
use tegula::error::{Error, ErrorKind, Result};

/// The chapters of a book, in their order.
///
/// # Errors
/// If the archive or a part is damaged, or chapters are encrypted.
pub(super) fn read(archive: &mut Archive<'_>) -> Result<Document> {
    let container = "META-INF/container.xml";
    let mut package = None;
    walk(container, &archive.needed(container)?, |step| {
        if let Step::Open("rootfile", attributes) = step {
            package = package.take().or_else(|| attributes.get("full-path"));
        }
    })?;
    let package = package.ok_or_else(|| {
        ErrorKind::Data
            .expected("an electronic book")
            .found("an archive that names none")
    })?;
    let folder = package
        .rsplit_once('/')
        .map_or("", |(folder, _)| folder)
        .to_owned();
    let bytes = archive.needed(&package)?;
    let (mut items, mut spine) = (Vec::new(), Vec::new());
    walk(&package, &bytes, |step| match step {
        Step::Open("item", attributes) => {
            let is_contents = attributes
                .get("properties")
                .is_some_and(|all| all.split_ascii_whitespace().any(|one| one == "nav"));
            if let (Some(id), Some(href), false) =
                (attributes.get("id"), attributes.get("href"), is_contents)
            {
                items.push((id, resolved(&folder, &unquoted(&href))));
            }
        }
        Step::Open("itemref", attributes) => spine.extend(attributes.get("idref")),
        _ => {}
    })?;
    let locked = encrypted(archive)?;
    let mut text = String::new();
    for id in spine {
        let Some((_, part)) = items.iter().find(|(of, _)| *of == id) else {
            continue;
        };
        if locked.contains(part) {
            return Err(Error::data("the book is encrypted")
                .hint("its text can only be read by the programs that it was sold for"));
        }
        let Some(chapter) = archive.part(part)? else {
            continue;
        };
        let chapter = page::read(&chapter, (None, None), PageText::All)?;
        if !text.is_empty() && !chapter.text.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(&chapter.text);
    }
    let [title, author, date] = first_texts(&package, &bytes, ["title", "creator", "date"])?;
    Ok(Document {
        text,
        title,
        author,
        date,
    })
}

/// The parts that are encrypted: in books without a lock, only their fonts are.
fn encrypted(archive: &mut Archive<'_>) -> Result<Vec<String>> {
    let name = "META-INF/encryption.xml";
    let mut parts = Vec::new();
    if let Some(bytes) = archive.part(name)? {
        walk(name, &bytes, |step| {
            if let Step::Open("CipherReference", attributes) = step
                && let Some(part) = attributes.get("URI")
            {
                parts.push(resolved("", &unquoted(&part)));
            }
        })?;
    }
    Ok(parts)
}

/// An address with its bytes in hexadecimal digits replaced, and without a place in its part.
fn unquoted(address: &str) -> String {
    let address = address.split('#').next().unwrap_or_default();
    let mut bytes = Vec::with_capacity(address.len());
    let mut rest = address.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let quoted = after
            .get(..2)
            .filter(|_| first == b'%')
            .and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        bytes.push(quoted.unwrap_or(first));
        rest = if quoted.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
