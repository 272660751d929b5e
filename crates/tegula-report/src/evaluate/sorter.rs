//! Sorts documents into classes while lists are read: by length, or by the values of a field.

use crate::html::chart::{class_name, class_of};
use std::collections::HashMap;
use tegula::date::DateFormat;
use tegula::error::{Error, ErrorKind, Result};
use tegula::field::{FieldKey, MISSING};
use tegula::text::normalise::{Normalisation, Normaliser};

/// What documents are classed by.
#[derive(Debug, Clone, PartialEq)]
pub enum By {
    /// The value of a field.
    Field(FieldKey),
    /// The tokens of the text in a field, in powers of two.
    Tokens(String),
    /// Its characters, likewise.
    Characters(String),
}

impl By {
    /// The field that is needed.
    pub(super) fn field(&self) -> &str {
        match self {
            Self::Field(key) => &key.name,
            Self::Tokens(name) | Self::Characters(name) => name,
        }
    }

    /// Its name in titles.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Field(key) => key.to_string(),
            Self::Tokens(_) => "tokens".to_owned(),
            Self::Characters(_) => "characters".to_owned(),
        }
    }
}

/// Classes of documents while lists are read.
pub(super) struct Sorter {
    pub(super) by: By,
    normaliser: Normaliser,
    dates: DateFormat,
    /// By the number of a document, its class; 0 is unknown.
    pub(super) codes: Vec<u32>,
    pub(super) names: Vec<String>,
    lookup: HashMap<String, u32>,
    /// Whether any document has the field, and whether any of its values fits.
    had: bool,
    fits: bool,
}

impl Sorter {
    pub(super) fn new(by: &By) -> Result<Self> {
        Ok(Self {
            by: by.clone(),
            normaliser: Normaliser::new(&Normalisation::default())?,
            dates: DateFormat::default(),
            codes: Vec::new(),
            names: vec![MISSING.to_owned()],
            lookup: HashMap::new(),
            had: false,
            fits: false,
        })
    }

    /// Sorts a document by the contents of its field.
    pub(super) fn push(&mut self, document: u32, value: Option<&str>) {
        let Some(value) = value else { return };
        self.had = true;
        let length = |units: usize| Some(class_name(class_of(units as u64)));
        let class = match &self.by {
            By::Field(key) => key.of(value, &self.dates),
            By::Tokens(_) => {
                let mut tokens = 0;
                self.normaliser.for_each(value, |_| tokens += 1);
                length(tokens)
            }
            By::Characters(_) => length(value.chars().count()),
        };
        let Some(class) = class else { return };
        self.fits = true;
        let names = &mut self.names;
        let code = *self.lookup.entry(class).or_insert_with_key(|class| {
            names.push(class.clone());
            names.len() as u32 - 1
        });
        let at = document as usize;
        if self.codes.len() <= at {
            self.codes.resize(at + 1, 0);
        }
        self.codes[at] = code;
    }

    /// Refuses a field that no document has. `from` names the list that should have it, and
    /// `fields` are those that it has.
    pub(super) fn check(&self, fields: &[String]) -> Result<()> {
        if self.fits {
            return Ok(());
        }
        let field = self.by.field();
        if self.had {
            return Err(Error::data(format!(
                "⟨by⟩: expected dates in the field \"{field}\", found none"
            )));
        }
        let shown: String = fields.join(", ").chars().take(200).collect();
        Err(ErrorKind::Usage
            .expected(format!("documents with the field \"{field}\""))
            .found(if fields.is_empty() {
                "a list without fields".to_owned()
            } else {
                format!("the fields {shown}")
            })
        .hint("⟨by⟩ and ⟨text_key⟩ name fields of the documents: of gold with groups, or of the list ⟨documents⟩"))
    }
}
