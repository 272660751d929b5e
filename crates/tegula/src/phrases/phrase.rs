//! A phrase, and the figures of a run.

/// A phrase.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Phrase<'a> {
    /// As written where it first occurs.
    pub text: &'a str,
    /// Its tokens.
    pub tokens: u32,
    /// The texts that have it.
    pub texts: u32,
    /// Its occurrences in them.
    pub occurrences: u32,
    /// Gries' deviation of proportions over the texts or, if a field is named, over its values: 0
    /// if the phrase is as frequent everywhere, close to 1 if it is in one small part.
    pub dp: f64,
    /// The binary logarithm of its occurrences over those expected if its tokens were independent.
    pub association: f64,
    /// The id of the text of its first occurrence.
    pub id: &'a str,
    /// Where that begins in the text of the record, in code points.
    pub start: u64,
    /// Where it ends.
    pub end: u64,
    /// By value of the field, if one is named: texts and occurrences.
    pub by: &'a [(&'a str, u32, u32)],
}

/// The figures of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Counted {
    /// Texts.
    pub texts: u64,
    /// Their tokens.
    pub tokens: u64,
    /// Phrases that were listed.
    pub phrases: u64,
}
