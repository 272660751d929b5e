//! Options for CSV and TSV files.

use crate::format_name::{FormatName, OfFormats};
use tegula::declare::Character;

tegula::options! {
    /// Options for CSV and TSV files.
    pub struct CsvOptions under "CSV and TSV files" {
        /// CSV: the delimiter between cells, or \t [default: detected]
        pub delimiter: Option<Character> => "CHAR",

        /// CSV: the quote character around cells [default: detected]
        pub quote: Option<Character> => "CHAR",

        /// CSV: the character that escapes a quote inside a cell [default: detected]
        pub escape: Option<Character> => "CHAR",

        /// CSV: the character that begins a comment line [default: none; before the header, #]
        pub comment: Option<Character> => "CHAR",

        /// CSV: the first row is data; columns are named 1, 2, ...
        pub no_header: bool => "",
    }
}

impl OfFormats for CsvOptions {
    const FORMATS: &'static [FormatName] = &[FormatName::Csv, FormatName::Tsv];
}
