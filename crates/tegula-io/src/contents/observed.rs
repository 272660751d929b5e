//! What was found in some records.

use tegula::error::Error;

/// What was found in some records.
#[derive(Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is independent of the others"
)]
pub(super) struct Observed {
    pub(super) records: u64,
    /// The number of records that cannot be read, and the first of them.
    pub(super) bad: u64,
    pub(super) first_bad: Option<Error>,
    /// By field: whether there is a valid value, and an invalid value if there is one.
    pub(super) fields: Vec<(bool, Option<String>)>,
    pub(super) id: bool,
    /// Whether there are records in a format that marks paragraphs and sentences, and such marks.
    pub(super) structured: bool,
    pub(super) paragraphs: bool,
    pub(super) sentences: bool,
}

impl Observed {
    /// Adds what was found in other records.
    pub(super) fn add(&mut self, other: Self) {
        self.records += other.records;
        self.bad += other.bad;
        self.first_bad = self.first_bad.take().or(other.first_bad);
        self.fields.resize(other.fields.len(), (false, None));
        for (mine, theirs) in self.fields.iter_mut().zip(other.fields) {
            mine.0 |= theirs.0;
            mine.1 = mine.1.take().or(theirs.1);
        }
        self.id |= other.id;
        self.structured |= other.structured;
        self.paragraphs |= other.paragraphs;
        self.sentences |= other.sentences;
    }
}
