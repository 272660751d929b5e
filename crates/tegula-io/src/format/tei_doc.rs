//! A TEI or I5 document once it is parsed: its elements, its text, and the values of its header.

use super::xml::Entities;
use std::ops::Range;
use tegula::record::Level;

/// The meaning of elements in a file.
#[derive(Debug)]
pub(crate) struct Elements {
    /// Documents; empty if the file is one, whatever its root.
    pub(crate) docs: Vec<String>,
    /// Paragraphs, of which the outermost count.
    pub(crate) paragraphs: Vec<String>,
    /// Sentences.
    pub(crate) sentences: Vec<String>,
    /// Skipped elements.
    pub(crate) skip: Vec<String>,
    /// Whether to use the original readings in a choice instead of the corrected ones.
    pub(crate) original: bool,
    /// The names of the wanted values from the header and the document's attributes.
    pub(crate) wanted: Vec<String>,
    /// The entities that the file declares.
    pub(crate) entities: Entities,
}

/// A part of the text and its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextSource {
    /// Bytes of the text.
    pub(crate) text: Range<usize>,
    /// Bytes of the record.
    pub(crate) raw: Range<usize>,
    /// Whether it was copied byte for byte; otherwise it is a reference or white space, which can
    /// only be removed as a whole.
    pub(crate) plain: bool,
    /// Inside CDATA.
    pub(crate) cdata: bool,
}

/// An element of the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Element {
    /// Including its tags.
    pub(crate) raw: Range<usize>,
    /// Its start tag.
    pub(crate) tag: Range<usize>,
    /// Its bytes of the text; empty if it has none.
    pub(crate) text: Range<usize>,
    /// The kind of unit; none for an element inside one.
    pub(crate) level: Option<Level>,
}

/// A parsed document. Offsets in the text count from the start of the document's text.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    /// Paragraphs and sentences by start; if requested, also the elements inside paragraphs.
    pub(crate) elements: Vec<Element>,
    /// The source of the text; only if requested.
    pub(crate) pieces: Vec<TextSource>,
    /// The start tag of the document.
    pub(crate) root: Range<usize>,
    /// The end of its end tag.
    pub(crate) root_end: usize,
    /// The wanted values, in order.
    pub(crate) values: Vec<Option<String>>,
}

/// Inline elements, whose boundaries do not separate words.
pub(crate) const INLINE: [&str; 65] = [
    "abbr",
    "add",
    "addName",
    "am",
    "anchor",
    "app",
    "c",
    "choice",
    "cl",
    "corr",
    "damage",
    "date",
    "del",
    "distinct",
    "emph",
    "ex",
    "expan",
    "foreign",
    "forename",
    "g",
    "gap",
    "genName",
    "geogName",
    "gloss",
    "handShift",
    "hi",
    "lem",
    "m",
    "measure",
    "mentioned",
    "name",
    "num",
    "orgName",
    "orig",
    "pc",
    "persName",
    "phr",
    "placeName",
    "ptr",
    "q",
    "quote",
    "rdg",
    "ref",
    "reg",
    "restore",
    "role",
    "roleName",
    "rs",
    "said",
    "seg",
    "sic",
    "soCalled",
    "subst",
    "supplied",
    "surname",
    "surplus",
    "term",
    "time",
    "title",
    "unclear",
    "w",
    "secl",
    "mod",
    "retrace",
    "metamark",
];

/// Line, page and column breaks: white space, unless they have `break="no"`.
pub(crate) const BREAKS: [&str; 5] = ["lb", "pb", "cb", "gb", "milestone"];
