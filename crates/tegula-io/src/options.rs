//! How files are read: the options that the formats share.

use tegula::date::DateFormat;
use tegula::error::Result;

/// A file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FormatName {
    /// One JSON object per line.
    Jsonl,
    /// JSON in any layout: an array of objects, or objects one after the other.
    Json,
    /// Comma-separated, or with another delimiter.
    Csv,
    /// Tab separated.
    Tsv,
    /// Apache Parquet.
    Parquet,
    /// A file is a document.
    Text,
    /// One token a line, structure in tags on lines of their own.
    Vertical,
    /// One word a line in ten columns, comments before each sentence.
    Conllu,
    /// TEI P5 and I5 in XML.
    Tei,
}

impl FormatName {
    /// All formats, in the order in which they are listed; a file whose name tells nothing is tried from the last to the first.
    pub const ALL: [Self; 9] =
        [Self::Jsonl, Self::Json, Self::Csv, Self::Tsv, Self::Parquet, Self::Text, Self::Vertical, Self::Conllu, Self::Tei];
}

/// Which readings of a choice or an apparatus are text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reading {
    /// The corrected, regularised and expanded ones.
    #[default]
    Corrected,
    /// The original ones.
    Original,
}

/// The elements that are paragraphs of a TEI file unless others are named.
pub const PARAGRAPHS: [&str; 4] = ["p", "ab", "lg", "l"];

/// The elements that are no text of a TEI file unless others are named.
pub const SKIPPED: [&str; 6] = ["teiHeader", "idsHeader", "standOff", "facsimile", "note", "fw"];

/// How the reader treats files; what is `None` is found out by looking at the file.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each says one thing of its own")]
pub struct ReadOptions {
    /// The format of all files.
    pub format: Option<FormatName>,
    /// `auto`, or a label of the WHATWG encoding standard.
    pub encoding: String,
    /// Which files of folders are read, as patterns of names; empty: all that have a known ending.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<String>,
    /// Which files of folders are not read, as patterns of names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<String>,
    /// Fields that hold the text, joined by a blank line; a leading `/` makes one a JSON Pointer. Empty: `text`.
    pub text_keys: Vec<String>,
    /// The field that holds the id. None: `id` where there is one.
    pub id_key: Option<String>,
    /// Metadata fields to hand over with every record, top-level names or JSON Pointers.
    pub fields: Vec<String>,
    /// A regular expression whose named groups are fields of the records of files whose names it matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name_pattern: Option<String>,
    /// How dates in these fields are written, as [`DateFormat`] has it; empty where their form is known.
    pub date_formats: Vec<String>,
    /// Stop after so many records in all.
    pub limit: Option<u64>,
    /// CSV: the delimiter.
    pub delimiter: Option<u8>,
    /// CSV: the quote character.
    pub quote: Option<u8>,
    /// CSV: the first row is data; columns are named `1`, `2`, ...
    pub no_header: bool,
    /// Vertical: the tag of a document.
    pub doc_tag: String,
    /// Vertical: the tag of a paragraph.
    pub par_tag: String,
    /// Vertical and TEI: the tag of a sentence; [`ReadOptions::NO_TAG`] where sentences are found by rules.
    pub sent_tag: String,
    /// Vertical: the tag that joins two tokens.
    pub glue_tag: String,
    /// Vertical: the word column, counted from 1.
    pub word_column: usize,
    /// Vertical: the column with the tags of words, counted from 1.
    pub tag_column: Option<usize>,
    /// Vertical: the names of the columns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// Hand over the classes of words that tags give, where there are tags.
    pub classes: bool,
    /// Vertical: hand over each line as one token (lines joined by a line feed) instead of running text.
    pub as_is: bool,
    /// Vertical and CoNLL-U: hand over the tokens that the lines mark, besides the running text.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub own_tokens: bool,
    /// Each character of the texts will be a token, for which a long record takes more memory.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub characters: bool,
    /// TEI: the element of a document. None: `TEI` in a `teiCorpus`, `idsText` in an `idsCorpus`, else the file.
    pub doc_element: Option<String>,
    /// TEI: the elements that are paragraphs, the outermost of them.
    pub par_elements: Vec<String>,
    /// TEI: the elements that are no text.
    pub skip_elements: Vec<String>,
    /// TEI: which readings of a choice are text.
    pub reading: Reading,
}

impl ReadOptions {
    /// What stands for a tag where there is none.
    pub const NO_TAG: &'static str = "none";

    /// How dates are written.
    ///
    /// # Errors
    /// Names a format that is none.
    pub fn dates(&self) -> Result<DateFormat> {
        self.date_formats.iter().map(|format| format.parse::<DateFormat>()).collect()
    }
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            format: None,
            encoding: "auto".into(),
            include: Vec::new(),
            exclude: Vec::new(),
            text_keys: Vec::new(),
            id_key: None,
            fields: Vec::new(),
            name_pattern: None,
            date_formats: Vec::new(),
            limit: None,
            delimiter: None,
            quote: None,
            no_header: false,
            doc_tag: "doc".into(),
            par_tag: "p".into(),
            sent_tag: "s".into(),
            glue_tag: "g".into(),
            word_column: 1,
            tag_column: None,
            columns: Vec::new(),
            classes: false,
            as_is: false,
            own_tokens: false,
            characters: false,
            doc_element: None,
            par_elements: PARAGRAPHS.map(str::to_owned).to_vec(),
            skip_elements: SKIPPED.map(str::to_owned).to_vec(),
            reading: Reading::Corrected,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_runs_before_tei_are_read() {
        let old: ReadOptions = serde_json::from_str(r#"{"format": "vertical", "par_tag": "para", "as_is": true}"#).unwrap();
        let expected =
            ReadOptions { format: Some(FormatName::Vertical), par_tag: "para".into(), as_is: true, ..ReadOptions::default() };
        assert_eq!(old, expected);
        let all = serde_json::to_string(&ReadOptions { reading: Reading::Original, ..expected.clone() }).unwrap();
        assert!(all.contains(r#""reading":"original""#), "{all}");
        assert_eq!(serde_json::from_str::<ReadOptions>(&all).unwrap().skip_elements, expected.skip_elements);
    }
}
