//! Options for vertical files, and the tags that they share with TEI.

use crate::format_name::{FormatName, OfFormats};
use std::fmt;
use tegula::declare::{Commas, Holds, Parsed};
use tegula::error::{Error, Result};

tegula::options! {
    /// Options for vertical files.
    pub struct VerticalOptions under "Vertical files" {
        /// Vertical: the tag of a document [default: doc]
        pub doc_tag: Option<String> => "TAG",

        /// Vertical: the tag that joins two tokens [default: g]
        pub glue_tag: Option<String> => "TAG",

        /// Vertical: the column to compare, by number (from 1) or by a name from ⟨columns⟩ [default: 1;
        /// onion and benko compare whole lines]
        pub word_column: Option<Column> => "N|NAME",

        /// Vertical: the column with the part of speech, by number or name; simfinder weights words by
        /// it [default: the column of ⟨columns⟩ named tag, pos, upos or xpos]
        pub tag_column: Option<Column> => "N|NAME",

        /// Vertical: the names of the columns, such as word,lemma,tag
        pub columns: Commas<String> => "NAMES",
    }
}

impl OfFormats for VerticalOptions {
    const FORMATS: &'static [FormatName] = &[FormatName::Vertical];
}

impl VerticalOptions {
    /// The tag of a document.
    pub fn doc_tag(&self) -> &str {
        self.doc_tag.as_deref().unwrap_or("doc")
    }

    /// The tag that joins two tokens.
    pub fn glue_tag(&self) -> &str {
        self.glue_tag.as_deref().unwrap_or("g")
    }

    /// The names of the columns, if they are named.
    pub fn columns(&self) -> &[String] {
        &self.columns.0
    }

    /// The word column, counted from 1, if one is named.
    pub fn word_column(&self) -> Option<usize> {
        self.place(self.word_column.as_ref()?)
    }

    /// The column with the tags of words, counted from 1, if one is named.
    pub fn tag_column(&self) -> Option<usize> {
        if let Some(column) = &self.tag_column {
            return self.place(column);
        }
        let usual =
            |name: &String| ["tag", "pos", "upos", "xpos"].contains(&name.to_lowercase().as_str());
        Some(self.columns().iter().position(usual)? + 1)
    }

    fn place(&self, column: &Column) -> Option<usize> {
        match column {
            Column::Number(number) => Some(*number).filter(|number| *number > 0),
            Column::Name(named) => Some(self.columns().iter().position(|name| name == named)? + 1),
        }
    }

    /// Refuses names of columns that are not among those named.
    ///
    /// # Errors
    /// Commas the option.
    pub(crate) fn check(&self) -> Result<()> {
        for (option, column) in [
            ("⟨word_column⟩", &self.word_column),
            ("⟨tag_column⟩", &self.tag_column),
        ] {
            let Some(column) = column else { continue };
            if self.place(column).is_none() {
                let names = self.columns();
                let hint = if names.is_empty() {
                    "name all columns in their order with ⟨columns⟩, as in word,lemma,tag"
                        .to_owned()
                } else {
                    format!("the columns are {}", names.join(", "))
                };
                return Err(Error::of(option)
                    .expected("a number or the name of a column")
                    .found(format!("'{column}'"))
                    .hint(hint));
            }
        }
        Ok(())
    }
}

/// A column, by its number from 1 or by its name.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
pub enum Column {
    /// Its number.
    Number(usize),
    /// Its name.
    Name(String),
}

impl Parsed for Column {
    const HOLDS: Holds = Holds::Any;

    fn parsed(text: &str) -> Result<Self> {
        match text.parse() {
            Ok(0) => Err(Error::usage("columns are counted from 1").found(0)),
            Ok(number) => Ok(Self::Number(number)),
            Err(_) => Ok(Self::Name(text.to_owned())),
        }
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Name(name) => f.write_str(name),
        }
    }
}

tegula::options! {
    /// The tags that vertical files and TEI share.
    pub struct TagOptions under "Vertical and TEI files" {
        /// Vertical and TEI: the tag of a paragraph; for TEI, a comma-separated list [default: p; in
        /// TEI p,ab,lg,l]
        pub par_tag: Option<String> => "TAG",

        /// Vertical and TEI: the tag of a sentence; `none` splits sentences by rules [default: s]
        pub sent_tag: Option<String> => "TAG",
    }
}

impl OfFormats for TagOptions {
    const FORMATS: &'static [FormatName] = &[FormatName::Vertical, FormatName::Tei];
}

impl TagOptions {
    /// The name that means no tag.
    pub const NONE: &'static str = "none";

    /// The tag of a paragraph in vertical files.
    pub fn par_tag(&self) -> &str {
        self.par_tag.as_deref().unwrap_or("p")
    }

    /// The elements of paragraphs in TEI, of which the outermost count.
    pub fn par_elements(&self) -> Vec<String> {
        let named = self.par_tag.as_deref().unwrap_or("p,ab,lg,l");
        named.split(',').map(str::to_owned).collect()
    }

    /// The tag of a sentence; [`NONE`](Self::NONE) to find sentences by rules.
    pub fn sent_tag(&self) -> &str {
        self.sent_tag.as_deref().unwrap_or("s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_numbers_and_names() {
        let mut options = VerticalOptions {
            columns: Commas(vec!["word".into(), "lemma".into(), "POS".into()]),
            word_column: Some(Column::Name("lemma".into())),
            ..VerticalOptions::default()
        };
        options.check().unwrap();
        assert_eq!(
            (options.word_column(), options.tag_column()),
            (Some(2), Some(3))
        );
        options.word_column = Some(Column::Name("lema".into()));
        let error = options.check().unwrap_err();
        assert!(error.to_string().contains("'lema'"), "{error}");
        assert!(Column::parsed("0").is_err());
    }
}
