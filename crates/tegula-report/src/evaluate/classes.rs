//! Figures by classes of documents: by length, or by the values of a field.

use super::counting::count;
use super::judging::Judged;
use super::resample::{ByGroup, ScoreIntervals};
use super::tally::PairScores;
use crate::html::chart::{class_name, class_of};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::HashMap;
use tegula::date::DateFormat;
use tegula::error::{Error, Result};
use tegula::field::{FieldKey, FieldPart, MISSING};
use tegula::text::normalise::{Normalisation, Normaliser};

/// The maximum number of classes shown; the others are added up.
const CLASSES: usize = 40;

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

/// Figures by class.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Classes {
    /// The field, `tokens`, or `characters`.
    pub by: String,
    /// The classes: lengths and dates ascending, other values with the most documents first.
    pub classes: Vec<Class>,
}

/// A class of documents.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Class {
    /// Its value, or its lengths.
    pub class: String,
    /// Its judged documents.
    pub documents: u64,
    /// Figures by pair; a pair with one document in the class counts half.
    #[serde(flatten)]
    pub pairs: PairScores,
    /// Intervals of the scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intervals: Option<ScoreIntervals>,
}

/// Classes of documents while lists are read.
pub(super) struct Sorter {
    by: By,
    normaliser: Normaliser,
    dates: DateFormat,
    /// By the number of a document, its class; 0 is unknown.
    codes: Vec<u32>,
    names: Vec<String>,
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
        Err(Error::usage(format!(
            "expected documents with the field \"{field}\", found {}",
            if fields.is_empty() {
                "a list without fields".to_owned()
            } else {
                format!("the fields {shown}")
            }
        ))
        .hint("⟨by⟩ and ⟨text_key⟩ name fields of the documents: of gold with groups, or of the list ⟨documents⟩"))
    }

    /// The figures of every class.
    pub(super) fn classes(&self, judged: &Judged) -> Classes {
        let gold = judged.gold;
        let mut documents = vec![0_u64; self.names.len()];
        let code_of = |id: u32| self.codes.get(id as usize).copied().unwrap_or(0) as usize;
        for id in 0..gold.groups.len() {
            documents[code_of(id as u32)] += u64::from(gold.judged[id]);
        }
        let mut order: Vec<usize> = (0..self.names.len())
            .filter(|code| documents[*code] > 0)
            .collect();
        match &self.by {
            By::Field(key) if key.part == FieldPart::Whole => {
                order.sort_by_key(|code| (Reverse(documents[*code]), *code));
            }
            By::Field(_) => order.sort_by_key(|code| (*code == 0, &self.names[*code])),
            By::Tokens(_) | By::Characters(_) => {
                order.sort_by_key(|code| rank(&self.names[*code]));
            }
        }
        let shown = order.len().min(CLASSES);
        let mut places = vec![shown; self.names.len()];
        for (place, code) in order.iter().take(shown).enumerate() {
            places[*code] = place;
        }
        let mut counts: Vec<ByGroup> = (0..=shown).map(|_| ByGroup::default()).collect();
        count(gold, judged.pairs, judged.counting, |one| {
            counts[places[code_of(one.document)]].add(one.group, one.sides);
        });
        let rest = order[shown..].iter().map(|code| documents[*code]).sum();
        let mut classes = Vec::new();
        for (place, counts) in counts.iter().enumerate() {
            let (class, documents) = match order.get(place).filter(|_| place < shown) {
                Some(code) => (self.names[*code].clone(), documents[*code]),
                None => ("(others)".to_owned(), rest),
            };
            if documents > 0 {
                classes.push(Class {
                    class,
                    documents,
                    pairs: counts.total().scores(),
                    intervals: judged.sampled(counts).map(|all| all.intervals(false)),
                });
            }
        }
        Classes {
            by: self.by.name(),
            classes,
        }
    }
}

/// The place of a class of lengths among others; those without a text come last.
fn rank(name: &str) -> usize {
    (0..=u64::BITS as usize)
        .find(|class| class_name(*class) == name)
        .unwrap_or(usize::MAX)
}
