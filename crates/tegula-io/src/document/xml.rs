//! Walks through the XML of a part.

use encoding_rs::{Encoding, UTF_8};
use quick_xml::XmlVersion;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use std::borrow::Cow;
use tegula::error::{Error, Result};

/// A step through the elements; names are without prefixes.
pub(super) enum Step<'a> {
    /// An element begins.
    Open(&'a str, &'a Attributes<'a>),
    /// An element ends.
    Close(&'a str),
    /// Text.
    Text(&'a str),
}

/// The attributes of an element.
pub(super) struct Attributes<'a>(&'a BytesStart<'a>);

impl Attributes<'_> {
    /// The value of an attribute with this name, without a prefix.
    pub(super) fn get(&self, name: &str) -> Option<String> {
        self.find(|key| key.rsplit_once(':').map_or(key, |(_, local)| local) == name)
    }

    /// The value of an attribute with this name, as written.
    pub(super) fn exact(&self, name: &str) -> Option<String> {
        self.find(|key| key == name)
    }

    fn find(&self, is_it: impl Fn(&str) -> bool) -> Option<String> {
        let found = self
            .0
            .attributes()
            .flatten()
            .find(|one| is_it(one.key.as_ref()))?;
        Some(
            found
                .normalized_value(XmlVersion::default())
                .ok()?
                .into_owned(),
        )
    }
}

/// The text of a part, which is in UTF-8, or has a byte-order mark.
pub(super) fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    let encoding = Encoding::for_bom(bytes).map_or(UTF_8, |(encoding, _)| encoding);
    encoding.decode_with_bom_removal(bytes).0
}

/// Passes each step through a part to `take`.
///
/// # Errors
/// If the part is not well-formed.
pub(super) fn walk(part: &str, bytes: &[u8], mut take: impl FnMut(Step<'_>)) -> Result<()> {
    let text = decoded(bytes);
    let mut reader = Reader::from_str(&text);
    let mut depth = 0_usize;
    let fault = |what: String| Error::data(format!("the part {part} is damaged: {what}"));
    loop {
        match reader
            .read_event()
            .map_err(|error| fault(error.to_string()))?
        {
            Event::Start(tag) => {
                depth += 1;
                take(Step::Open(tag.local_name().as_ref(), &Attributes(&tag)));
            }
            Event::Empty(tag) => {
                take(Step::Open(tag.local_name().as_ref(), &Attributes(&tag)));
                take(Step::Close(tag.local_name().as_ref()));
            }
            Event::End(tag) => {
                depth = depth.saturating_sub(1);
                take(Step::Close(tag.local_name().as_ref()));
            }
            Event::Text(text) => take(Step::Text(&text)),
            Event::CData(text) => take(Step::Text(&text)),
            Event::GeneralRef(name) => {
                if let Ok(Some(char)) = name.resolve_char_ref() {
                    take(Step::Text(char.encode_utf8(&mut [0; 4])));
                } else if let Some(text) = resolve_predefined_entity(&name) {
                    take(Step::Text(text));
                }
            }
            Event::Eof if depth == 0 => return Ok(()),
            Event::Eof => return Err(fault("it ends too early".to_owned())),
            Event::Decl(_) | Event::PI(_) | Event::Comment(_) | Event::DocType(_) => {}
        }
    }
}

/// The texts of the elements with these names, the first of each.
///
/// # Errors
/// As for [`walk`].
pub(super) fn first_texts<const N: usize>(
    part: &str,
    bytes: &[u8],
    names: [&str; N],
) -> Result<[Option<String>; N]> {
    let mut found = [const { None }; N];
    let mut inside = None;
    walk(part, bytes, |step| match step {
        Step::Open(name, _) => {
            inside = names.iter().position(|wanted| *wanted == name);
            if let Some(at) = inside
                && found[at].is_some()
            {
                inside = None;
            }
        }
        Step::Close(_) => inside = None,
        Step::Text(text) => {
            if let Some(at) = inside {
                found[at].get_or_insert_with(String::new).push_str(text);
            }
        }
    })?;
    Ok(found.map(|text| {
        text.map(|text| text.trim().to_owned())
            .filter(|text| !text.is_empty())
    }))
}
