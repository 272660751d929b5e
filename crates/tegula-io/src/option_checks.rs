//! Checks of options for reading, before anything is read.

use crate::format::xml::is_name;
use crate::options::ReadOptions;
use tegula::error::{Error, Result};

/// Checks the options for reading.
///
/// # Errors
/// Names the option.
pub(crate) fn check(options: &ReadOptions) -> Result<()> {
    options.vertical.check()?;
    let doc_tag = options.vertical.doc_tag();
    let others = [
        ("⟨par_tag⟩", options.tags.par_tag()),
        ("⟨sent_tag⟩", options.tags.sent_tag()),
        ("⟨glue_tag⟩", options.vertical.glue_tag()),
    ];
    for (option, tag) in [("⟨doc_tag⟩", doc_tag)].iter().chain(&others) {
        if tag.is_empty() || tag.contains(|c: char| c.is_whitespace() || "<>/".contains(c)) {
            return Err(Error::of(option)
                .expected("the name of a tag")
                .found(format!("`{tag}`")));
        }
    }
    // Paragraphs and sentences may have the same tag if only one of them is marked.
    let same = others
        .iter()
        .find(|(_, tag)| *tag == doc_tag)
        .map(|(other, tag)| ("⟨doc_tag⟩", *other, *tag));
    let glued = others[..2]
        .iter()
        .find(|(_, tag)| *tag == options.vertical.glue_tag())
        .map(|(other, tag)| ("⟨glue_tag⟩", *other, *tag));
    if let Some((option, other, tag)) = same.or(glued) {
        return Err(Error::of(format!("{option} and {other}"))
            .expected("two tags")
            .found(format!("`{tag}` twice")));
    }
    let (tei, paragraphs) = (&options.tei, options.tags.par_elements());
    let elements = (tei.doc_element.iter().map(|name| ("⟨doc_element⟩", name)))
        .chain(paragraphs.iter().map(|name| ("⟨par_tag⟩", name)))
        .chain(tei.skip_element.iter().map(|name| ("⟨skip_element⟩", name)));
    for (option, name) in elements {
        if !is_name(name) || name.contains(':') {
            return Err(Error::of(option)
                .expected("the name of an element, without a prefix")
                .found(format!("`{name}`")));
        }
    }
    if options.text_key.iter().any(String::is_empty) {
        return Err(Error::of("⟨text_key⟩")
            .expected("the name of a field")
            .found("nothing"));
    }
    let characters = [
        ("⟨delimiter⟩", options.csv.delimiter),
        ("⟨quote⟩", options.csv.quote),
        ("⟨escape⟩", options.csv.escape),
        ("⟨comment⟩", options.csv.comment),
    ]
    .map(|(option, character)| (option, character.map(|character| character.0)));
    for (place, (option, character)) in characters.iter().enumerate() {
        if matches!(character, Some(b'\n' | b'\r' | 0x80..)) {
            return Err(Error::of(option).expected("one ASCII character other than a line end"));
        }
        // An escape that is the quote itself says that quotes are doubled.
        let same = characters[..place].iter().find(|(other, earlier)| {
            character.is_some()
                && earlier == character
                && (*other, *option) != ("⟨quote⟩", "⟨escape⟩")
        });
        if let Some((other, _)) = same {
            return Err(Error::of(format!("{other} and {option}"))
                .expected("two characters")
                .found("the same twice"));
        }
    }
    Ok(())
}
