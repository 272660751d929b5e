//! Options for inputs of some formats.

use clap::{Args, ValueEnum};
use tegula_io::options::{Attachments, PageText, Quoted, Reading, SKIPPED};

/// Options for inputs of some formats.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "CSV and vertical files")]
pub(crate) struct FormatArgs {
    /// CSV: the delimiter between cells, or \t [default: detected]
    #[arg(long, value_name = "CHAR")]
    pub(crate) delimiter: Option<String>,

    /// CSV: the quote character around cells [default: detected]
    #[arg(long, value_name = "CHAR")]
    pub(crate) quote: Option<String>,

    /// CSV: the character before a quote that belongs to the text [default: detected]
    #[arg(long, value_name = "CHAR")]
    pub(crate) escape: Option<String>,

    /// CSV: the character that begins a comment line [default: none; # before the header]
    #[arg(long, value_name = "CHAR")]
    pub(crate) comment: Option<String>,

    /// CSV: the first row is data; columns are named 1, 2, ...
    #[arg(long)]
    pub(crate) no_header: bool,

    /// Vertical: the tag of a document
    #[arg(long, value_name = "TAG", default_value = "doc")]
    pub(crate) doc_tag: String,

    /// Vertical and TEI: the tag of a paragraph; for TEI, a comma-separated list [default: p; in
    /// TEI p,ab,lg,l]
    #[arg(long, value_name = "TAG")]
    pub(crate) par_tag: Option<String>,

    /// Vertical and TEI: the tag of a sentence; `none` splits sentences by rules
    #[arg(long, value_name = "TAG", default_value = "s")]
    pub(crate) sent_tag: String,

    /// Vertical: the tag that joins two tokens
    #[arg(long, value_name = "TAG", default_value = "g")]
    pub(crate) glue_tag: String,

    /// Vertical: the column to compare, by number (from 1) or by a name from --columns [default: 1;
    /// onion and benko compare whole lines]
    #[arg(long, value_name = "N|NAME")]
    pub(crate) word_column: Option<String>,

    /// Vertical: the column with the part of speech, by number or name; simfinder weights words by
    /// it [default: the column of --columns named tag, pos, upos or xpos]
    #[arg(long, value_name = "N|NAME")]
    pub(crate) tag_column: Option<String>,

    /// Vertical: the names of the columns, such as word,lemma,tag
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) columns: Vec<String>,

    /// TEI: the element of a document [default: TEI in a teiCorpus, idsText in an idsCorpus,
    /// otherwise the file]
    #[arg(long, value_name = "NAME", help_heading = "TEI files")]
    pub(crate) doc_element: Option<String>,

    /// TEI: an element to skip, instead of the default ones; may be repeated
    #[arg(
        long,
        value_name = "NAME",
        default_values = SKIPPED,
        help_heading = "TEI files")]
    pub(crate) skip_element: Vec<String>,

    /// TEI: which readings of a choice to use as text
    #[arg(
        long,
        value_name = "WHICH",
        value_enum,
        default_value_t,
        help_heading = "TEI files"
    )]
    pub(crate) reading: ReadingArg,

    /// Web pages: which text to read
    #[arg(
        long,
        value_name = "WHICH",
        value_enum,
        default_value_t,
        help_heading = "Web pages and archives"
    )]
    pub(crate) text: TextArg,

    /// Mail: how to treat quoted replies, forwarded messages, signatures and list footers
    #[arg(
        long,
        value_name = "HOW",
        value_enum,
        default_value_t,
        help_heading = "Mail"
    )]
    pub(crate) quoted: QuotedArg,

    /// Mail: whether attachments are part of what a message is
    #[arg(
        long,
        value_name = "HOW",
        value_enum,
        default_value_t,
        help_heading = "Mail"
    )]
    pub(crate) attachments: AttachmentsArg,
}

/// Whether attachments are part of what a message is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum AttachmentsArg {
    /// Compare only messages with the same attachments, by their contents
    #[default]
    Compare,
    /// Compare texts only
    Ignore,
}

impl From<AttachmentsArg> for Attachments {
    fn from(attachments: AttachmentsArg) -> Self {
        match attachments {
            AttachmentsArg::Compare => Self::Compare,
            AttachmentsArg::Ignore => Self::Ignore,
        }
    }
}

/// How quoted text in mail is treated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum QuotedArg {
    /// Compare them as part of the message
    #[default]
    Keep,
    /// Remove them from the text
    Drop,
    /// Make each quotation a separate paragraph, without its > marks
    Unit,
}

impl From<QuotedArg> for Quoted {
    fn from(quoted: QuotedArg) -> Self {
        match quoted {
            QuotedArg::Keep => Self::Keep,
            QuotedArg::Drop => Self::Drop,
            QuotedArg::Unit => Self::Unit,
        }
    }
}

/// Which text of a web page is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TextArg {
    /// The article, without navigation, advertisements and footers; all text if no article is found
    #[default]
    Main,
    /// All that the page shows
    All,
    /// The same, with a field `boilerplate` that lists the spans outside the article
    Marked,
}

impl From<TextArg> for PageText {
    fn from(text: TextArg) -> Self {
        match text {
            TextArg::Main => Self::Main,
            TextArg::All => Self::All,
            TextArg::Marked => Self::Marked,
        }
    }
}

/// Which readings of a choice are text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReadingArg {
    /// corr, reg and expan
    #[default]
    Corrected,
    /// sic, orig and abbr
    Original,
}

impl From<ReadingArg> for Reading {
    fn from(reading: ReadingArg) -> Self {
        match reading {
            ReadingArg::Corrected => Self::Corrected,
            ReadingArg::Original => Self::Original,
        }
    }
}
