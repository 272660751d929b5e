//! What is asked, and what is answered.

use crate::problem::Problem;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use tegula::evidence::Millionths;
use tegula::index::{Asking, Index, Match, Span};
use tegula::threshold::Threshold;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ArrayBuilder, Object, OneOfBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

/// The most texts of a request.
pub(crate) const TEXTS: usize = 1000;
/// The most matches of a text.
const MOST: usize = 1000;
/// So many if the question does not say.
const USUAL: usize = 100;

/// A question: what resembles a text, or each of several.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    /// The text, or several.
    pub(crate) text: OneOrMany,
    /// The lowest score of a match; by default that of the index, or none with `top`.
    #[schema(minimum = 0.000_001, maximum = 1, example = 0.8)]
    pub(crate) threshold: Option<f64>,
    /// The most matches for each text, 100 by default. Without `threshold`, the texts that resemble it
    /// most, whatever their scores.
    #[schema(minimum = 1, maximum = 1000, example = 10)]
    #[serde(default, deserialize_with = "whole")]
    pub(crate) top: Option<usize>,
    /// Whether to list the passages that the text and its match share.
    #[serde(default)]
    pub(crate) passages: bool,
    /// Whether the texts of the matches are given.
    #[serde(default)]
    pub(crate) include_text: bool,
}

/// A whole number, which JSON may also write as `10.0`.
fn whole<'de, D: Deserializer<'de>>(from: D) -> Result<Option<usize>, D::Error> {
    let Some(number) = Option::<serde_json::Number>::deserialize(from)? else {
        return Ok(None);
    };
    let whole = number
        .as_f64()
        .filter(|number| number.fract() == 0.0 && *number >= 0.0);
    let whole = whole
        .ok_or_else(|| D::Error::custom(format!("top: expected a whole number, found {number}")))?;
    Ok(Some(whole as usize))
}

/// A text, or several.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "text: expected a text, or a list of texts")]
pub(crate) enum OneOrMany {
    /// A text.
    One(String),
    /// Several.
    Many(Vec<String>),
}

impl PartialSchema for OneOrMany {
    fn schema() -> RefOr<Schema> {
        let text = Object::with_type(Type::String);
        let texts = ArrayBuilder::new().items(text.clone());
        let texts = texts.min_items(Some(1)).max_items(Some(TEXTS));
        OneOfBuilder::new().item(text).item(texts).into()
    }
}

impl ToSchema for OneOrMany {}

/// What resembles a text, or each of several.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum Answers {
    /// Of one text.
    One(Answer),
    /// Of several.
    Many {
        /// In the order of the texts.
        answers: Vec<Answer>,
    },
}

/// What resembles a text.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Answer {
    /// The best first, of equal scores the oldest first.
    pub(crate) matches: Vec<Resembling>,
    /// Whether there are more than were asked for.
    pub(crate) more: bool,
}

/// A text of the index that resembles another, with the fields that the index keeps.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Resembling {
    /// Its id: that of its record, with `#p3` or `#s17` if parts of records are compared.
    pub(crate) id: String,
    /// Its score.
    #[schema(minimum = 0, maximum = 1)]
    pub(crate) score: f64,
    /// Distinct shingles that both have, if the recipe compares shingles.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) shared: Option<u32>,
    #[serde(flatten)]
    #[schema(ignore)]
    pub(crate) fields: BTreeMap<String, Option<String>>,
    /// Its text, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) text: Option<String>,
    /// The passages that both share, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) passages: Option<Vec<Passage>>,
}

/// A passage that a text (a) and a match (b) share, in code points from 0.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Passage {
    start_a: usize,
    end_a: usize,
    start_b: usize,
    end_b: usize,
    /// Its tokens.
    tokens: usize,
}

impl From<Span> for Passage {
    fn from(span: Span) -> Self {
        let Span {
            start_a,
            end_a,
            start_b,
            end_b,
            tokens,
        } = span;
        Self {
            start_a,
            end_a,
            start_b,
            end_b,
            tokens,
        }
    }
}

/// A question that can be asked.
pub(crate) struct Checked {
    asking: Asking,
    top: usize,
    texts: bool,
}

impl Checked {
    /// # Errors
    /// If the index cannot answer it.
    pub(crate) fn new(index: &Index, question: &Question) -> Result<Self, Problem> {
        if let OneOrMany::Many(texts) = &question.text
            && !(1..=TEXTS).contains(&texts.len())
        {
            return Err(Problem::field(format!(
                "text: expected 1 to {TEXTS} texts, found {}",
                texts.len()
            )));
        }
        let threshold = question.threshold.map(|share| {
            let threshold = format!("{share:.6}").parse::<Threshold>();
            threshold.map_err(|_| {
                Problem::field(format!(
                    "threshold: expected a number from 0.000001 to 1, found {share}"
                ))
            })
        });
        let top = question.top.unwrap_or(USUAL);
        if !(1..=MOST).contains(&top) {
            return Err(Problem::field(format!(
                "top: expected a number from 1 to {MOST}, found {top}"
            )));
        }
        if question.include_text && !index.description().texts {
            return Err(Problem::field(
                "include_text: expected false, as this index keeps no texts, found true",
            ));
        }
        let compares = question.passages.then_some("⟨passages⟩");
        let mut asking = Asking::new(index, threshold.transpose()?, question.top, compares)
            .map_err(|error| Problem::from(&error))?;
        // One more tells whether there are more.
        asking.question.top = Some(top + 1);
        Ok(Self {
            asking,
            top,
            texts: question.include_text,
        })
    }

    /// # Errors
    /// If the index is damaged, or its recipe finds no matches of this threshold.
    pub(crate) fn ask(&self, index: &Index, text: &str) -> tegula::Result<Answer> {
        let mut found = index.ask(text, self.asking.question)?;
        let more = found.len() > self.top;
        found.truncate(self.top);
        let matches = found.into_iter().map(|found| self.resembling(text, found));
        Ok(Answer {
            matches: matches.collect(),
            more,
        })
    }

    fn resembling(&self, text: &str, found: Match) -> Resembling {
        let passages = self.asking.passages(text, &found);
        let passages = passages.map(|spans| spans.into_iter().map(Passage::from).collect());
        Resembling {
            id: found.id(self.asking.level),
            score: Millionths::of(found.score).as_f64(),
            shared: found.shared,
            fields: self
                .asking
                .fields
                .iter()
                .cloned()
                .zip(found.fields)
                .collect(),
            text: found.text.filter(|_| self.texts),
            passages,
        }
    }
}
