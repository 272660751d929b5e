//! What the tokens of a document become: n-grams by fingerprint, rows to be numbered, or n-grams
//! by number.

use tegula::error::Result;
use tegula::hash::Fingerprint;
use tegula::onion::{Document, NumberReader, NumberWriter, Numbered, RepeatWriter, Spec, Text};

/// Processes documents; one for each thread.
pub(super) trait Ngrams {
    /// Identifies an n-gram.
    type Key: Default;

    /// Processes a document, and stores what is judged of it.
    fn document(&mut self, text: Text, out: &mut Document<Self::Key>) -> Result<()>;
}

/// By fingerprint.
pub(super) struct ByFingerprint(pub(super) Spec);

impl Ngrams for ByFingerprint {
    type Key = Fingerprint;

    fn document(&mut self, text: Text, out: &mut Document) -> Result<()> {
        self.0.fill(text, out);
        Ok(())
    }
}

/// Collects n-grams by fingerprint, to be counted.
pub(super) struct Count<'a> {
    filled: ByFingerprint,
    writer: RepeatWriter<'a>,
}

impl<'a> Count<'a> {
    pub(super) fn new(spec: Spec, writer: RepeatWriter<'a>) -> Self {
        Self {
            filled: ByFingerprint(spec),
            writer,
        }
    }
}

impl Ngrams for Count<'_> {
    type Key = Fingerprint;

    fn document(&mut self, text: Text, out: &mut Document) -> Result<()> {
        self.filled.document(text, out)?;
        self.writer.document(out)
    }
}

/// Collects n-grams to be numbered.
pub(super) struct Collect<'a> {
    spec: Spec,
    writer: NumberWriter<'a>,
    ids: Vec<u64>,
}

impl<'a> Collect<'a> {
    pub(super) fn new(spec: Spec, writer: NumberWriter<'a>) -> Self {
        Self {
            spec,
            writer,
            ids: Vec::new(),
        }
    }
}

impl Ngrams for Collect<'_> {
    type Key = ();

    fn document(&mut self, text: Text, _: &mut Document<()>) -> Result<()> {
        self.spec.collect(text, &mut self.ids, &mut self.writer)
    }
}

/// By number.
pub(super) struct ByNumber<'a> {
    spec: Spec,
    reader: NumberReader<'a>,
}

impl<'a> ByNumber<'a> {
    pub(super) fn new(spec: Spec, reader: NumberReader<'a>) -> Self {
        Self { spec, reader }
    }
}

impl Ngrams for ByNumber<'_> {
    type Key = Numbered;

    fn document(&mut self, text: Text, out: &mut Document<Numbered>) -> Result<()> {
        self.spec.number(text, &mut self.reader, out)
    }
}
