//! Options for reading files, shared by the formats.

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
    /// Each file is a document.
    Text,
    /// One token per line, structure in tags on separate lines.
    Vertical,
    /// One word per line in ten columns, comments before each sentence.
    Conllu,
    /// TEI P5 and I5 in XML.
    Tei,
    /// Web pages, one per file.
    Html,
    /// Web archives (ISO 28500), with texts extracted from pages or without.
    Warc,
    /// Mail, one message per file; those of a Maildir.
    Eml,
    /// Mail, many messages per file.
    Mbox,
}

impl FormatName {
    /// All formats, in the order in which they are listed; a file whose name tells nothing is tried
    /// from the last to the first.
    pub const ALL: [Self; 13] = [
        Self::Jsonl,
        Self::Json,
        Self::Csv,
        Self::Tsv,
        Self::Parquet,
        Self::Text,
        Self::Vertical,
        Self::Conllu,
        Self::Tei,
        Self::Html,
        Self::Warc,
        Self::Eml,
        Self::Mbox,
    ];

    /// Whether its records are messages.
    pub fn is_mail(self) -> bool {
        matches!(self, Self::Eml | Self::Mbox)
    }
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

/// Which text of a web page is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PageText {
    /// That of its article, without navigation, advertisements and other parts of the page frame;
    /// all text if there is no article.
    #[default]
    Main,
    /// All that is shown.
    All,
    /// All that is shown, and where in it the frame is.
    Marked,
}

/// How to treat quoted text in mail: replies, forwarded messages, signatures and list footers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Quoted {
    /// Compare it as part of the message.
    #[default]
    Keep,
    /// Remove it from the text.
    Drop,
    /// Make each quotation a separate paragraph, without quotation marks.
    Unit,
}

/// Whether the attachments of mail are part of what a message is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Attachments {
    /// They are: messages with different ones are not compared.
    #[default]
    Compare,
    /// They are not, unless a message has no text.
    Ignore,
}

/// The default elements of paragraphs in a TEI file.
pub const PARAGRAPHS: [&str; 4] = ["p", "ab", "lg", "l"];

/// The default elements to skip in a TEI file.
pub const SKIPPED: [&str; 6] = [
    "teiHeader",
    "idsHeader",
    "standOff",
    "facsimile",
    "note",
    "fw",
];

/// Options for reading files; those that are `None` are determined from the file.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is independent of the others"
)]
pub struct ReadOptions {
    /// The format of all files.
    pub format: Option<FormatName>,
    /// `auto`, or a label of the WHATWG encoding standard.
    pub encoding: String,
    /// Which files of folders to read, as patterns of names; empty: all that have a known
    /// extension.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<String>,
    /// Which files of folders not to read, as patterns of names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<String>,
    /// Whether only documents are read, not tables of data (JSON, CSV, Parquet): then files with
    /// unknown extensions are read if they are text, links are not followed, hard links are read
    /// once, and a record without a date gets the date of its file.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub documents: bool,
    /// Fields of the text, joined by a blank line; a leading `/` makes one a JSON Pointer. Empty:
    /// `text`.
    pub text_keys: Vec<String>,
    /// The field of the id. None: `id` if there is one.
    pub id_key: Option<String>,
    /// Metadata fields to read with every record, top-level names or JSON Pointers.
    pub fields: Vec<String>,
    /// A regular expression whose named groups are fields of the records of files whose names it
    /// matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name_pattern: Option<String>,
    /// How dates in these fields are written, as [`DateFormat`] has it; empty where their form is
    /// known.
    pub date_formats: Vec<String>,
    /// Stop after this many records in total.
    pub limit: Option<u64>,
    /// CSV: the delimiter.
    pub delimiter: Option<u8>,
    /// CSV: the quote character.
    pub quote: Option<u8>,
    /// CSV: the character that takes the meaning from a quote after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub escape: Option<u8>,
    /// CSV: the character that begins a comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<u8>,
    /// CSV: the first row is data; columns are named `1`, `2`, ...
    pub no_header: bool,
    /// Vertical: the tag of a document.
    pub doc_tag: String,
    /// Vertical: the tag of a paragraph.
    pub par_tag: String,
    /// Vertical and TEI: the tag of a sentence; [`ReadOptions::NO_TAG`] to find sentences by rules.
    pub sent_tag: String,
    /// Vertical: the tag that joins two tokens.
    pub glue_tag: String,
    /// Vertical: the word column, counted from 1. None: the first; where lines are tokens, whole
    /// lines.
    pub word_column: Option<usize>,
    /// Vertical: the column with the tags of words, counted from 1.
    pub tag_column: Option<usize>,
    /// Vertical: the names of the columns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// Whether to read word classes from tags, if there are any.
    pub classes: bool,
    /// Vertical: read each line as one token (joined by line feeds) instead of running text.
    pub as_is: bool,
    /// Vertical and CoNLL-U: also read the tokens marked by lines, in addition to the running text.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub own_tokens: bool,
    /// Whether each character of the texts will be a token, which needs more memory for a long
    /// record.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub characters: bool,
    /// Parquet: a row counts as read only if all its columns can be, or may be null, as it will be
    /// written back.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub whole_rows: bool,
    /// TEI: the element of a document. None: `TEI` in a `teiCorpus`, `idsText` in an `idsCorpus`,
    /// else the file.
    pub doc_element: Option<String>,
    /// TEI: the elements of paragraphs, of which the outermost count.
    pub par_elements: Vec<String>,
    /// TEI: the elements to skip.
    pub skip_elements: Vec<String>,
    /// TEI: which readings of a choice to use.
    pub reading: Reading,
    /// Web pages: which text to read.
    #[serde(skip_serializing_if = "is_usual")]
    pub page_text: PageText,
    /// Mail: how to treat quoted text.
    #[serde(skip_serializing_if = "is_usual")]
    pub quoted: Quoted,
    /// Mail: how many words must remain of a message without quoted text, for it to be compared
    /// without; else it is compared as a whole, and only with equal ones. The run itself sets it, to
    /// the length of a shingle.
    #[serde(skip_serializing_if = "is_usual")]
    pub least_reply: u32,
    /// Mail: whether attachments are compared.
    #[serde(skip_serializing_if = "is_usual")]
    pub attachments: Attachments,
}

fn is_usual<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl ReadOptions {
    /// The name that means no tag.
    pub const NO_TAG: &'static str = "none";

    /// The fields of the text, of which there is at least one.
    pub(crate) fn text_keys(&self) -> Vec<&str> {
        match self.text_keys.as_slice() {
            [] => vec!["text"],
            keys => keys.iter().map(String::as_str).collect(),
        }
    }

    /// The field in which messages must agree to be compared, whatever the user asks, if there are
    /// messages that are more than their text; its values are of use only to be compared.
    pub const MAIL_APART: &'static str = "mail.apart";

    /// Whether messages may be more than their text.
    pub fn parts_mail(&self) -> bool {
        self.attachments == Attachments::Compare || self.quoted != Quoted::Keep
    }

    /// The format of dates.
    ///
    /// # Errors
    /// Names an invalid format.
    pub fn dates(&self) -> Result<DateFormat> {
        self.date_formats
            .iter()
            .map(|format| format.parse::<DateFormat>())
            .collect()
    }
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            format: None,
            encoding: "auto".into(),
            include: Vec::new(),
            exclude: Vec::new(),
            documents: false,
            text_keys: Vec::new(),
            id_key: None,
            fields: Vec::new(),
            name_pattern: None,
            date_formats: Vec::new(),
            limit: None,
            delimiter: None,
            quote: None,
            escape: None,
            comment: None,
            no_header: false,
            doc_tag: "doc".into(),
            par_tag: "p".into(),
            sent_tag: "s".into(),
            glue_tag: "g".into(),
            word_column: None,
            tag_column: None,
            columns: Vec::new(),
            classes: false,
            as_is: false,
            own_tokens: false,
            characters: false,
            whole_rows: false,
            doc_element: None,
            par_elements: PARAGRAPHS.map(str::to_owned).to_vec(),
            skip_elements: SKIPPED.map(str::to_owned).to_vec(),
            reading: Reading::Corrected,
            page_text: PageText::Main,
            quoted: Quoted::Keep,
            least_reply: 0,
            attachments: Attachments::Compare,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_runs_before_tei_are_read() {
        let old: ReadOptions =
            serde_json::from_str(r#"{"format": "vertical", "par_tag": "para", "as_is": true}"#)
                .unwrap();
        let expected = ReadOptions {
            format: Some(FormatName::Vertical),
            par_tag: "para".into(),
            as_is: true,
            ..ReadOptions::default()
        };
        assert_eq!(old, expected);
        let all = serde_json::to_string(&ReadOptions {
            reading: Reading::Original,
            ..expected.clone()
        })
        .unwrap();
        assert!(all.contains(r#""reading":"original""#), "{all}");
        assert_eq!(
            serde_json::from_str::<ReadOptions>(&all)
                .unwrap()
                .skip_elements,
            expected.skip_elements
        );
    }
}
