//! What becomes of the tokens of a document: n-grams by fingerprint, rows to be numbered, or n-grams
//! by number.

use tegula::error::Result;
use tegula::hash::Fingerprint;
use tegula::onion::{
    Document, Ngram, NumberReader, NumberWriter, Numbered, Paragraph, RepeatWriter, whole_of,
};
use tegula::shingle::Shingler;

/// A parsed document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text<'a> {
    pub(super) tokens: &'a [Fingerprint],
    /// The number of tokens in each paragraph.
    pub(super) lengths: &'a [u32],
    /// A number that no earlier document reaches with its tokens: the line of the input at which it
    /// begins.
    pub(super) line: u64,
}

/// Processes documents; one for each thread.
pub(super) trait Ngrams {
    /// Identifies an n-gram.
    type Key: Default;

    /// Processes a document, and stores what is judged of it.
    fn document(&mut self, text: Text, out: &mut Document<Self::Key>) -> Result<()>;
}

/// Which n-grams are read.
#[derive(Debug, Clone)]
pub(super) struct Spec {
    pub(super) shingler: Shingler,
    /// Whether paragraphs shorter than an n-gram are also judged as a whole.
    pub(super) whole: bool,
}

impl Spec {
    /// Positions per line: n-grams have even ones if whole paragraphs take the odd ones.
    pub(super) fn step(&self) -> u64 {
        1 + u64::from(self.whole)
    }

    /// The ids of all n-grams of a text; none if it is shorter.
    fn ids(&self, text: Text, ids: &mut Vec<u64>) {
        ids.clear();
        if text.tokens.len() >= self.shingler.n() {
            self.shingler.ids(text.tokens, ids);
        }
    }

    /// Passes on the number of each paragraph that is judged as a whole, with the fingerprint of its
    /// tokens and its position.
    fn wholes(
        &self,
        text: Text,
        mut take: impl FnMut(usize, Fingerprint, u64) -> Result<()>,
    ) -> Result<()> {
        let (mut start, n) = (0, self.shingler.n());
        for (paragraph, length) in text.lengths.iter().enumerate() {
            let end = start + *length as usize;
            if self.whole && (start + 1..start + n).contains(&end) {
                let position = (text.line + start as u64) * self.step() + 1;
                take(paragraph, whole_of(&text.tokens[start..end]), position)?;
            }
            start = end;
        }
        Ok(())
    }
}

/// By fingerprint.
pub(super) struct ByFingerprint(pub(super) Spec);

impl Ngrams for ByFingerprint {
    type Key = Fingerprint;

    fn document(&mut self, text: Text, out: &mut Document) -> Result<()> {
        let Self(Spec { shingler, whole }) = self;
        out.fill(shingler, text.tokens, text.lengths, *whole);
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
        let Self { spec, writer, ids } = self;
        let step = spec.step();
        spec.ids(text, ids);
        writer.put(ids, text.line * step, step)?;
        spec.wholes(text, |_, whole, position| {
            writer.put(&[spec.shingler.cut(whole.id)], position, step)
        })
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
        let Self { spec, reader } = self;
        let (shingler, step) = (&spec.shingler, spec.step());
        out.clear();
        out.paragraphs
            .extend(text.lengths.iter().map(|tokens| Paragraph {
                tokens: *tokens,
                whole: None,
            }));
        let count = (text.tokens.len() + 1).saturating_sub(shingler.n());
        reader.each(count, text.line * step, step, |at, number| {
            let check = shingler.check(text.tokens, at) as u32;
            out.ngrams.push(Ngram {
                key: Numbered { number, check },
                end: (at + shingler.n() - 1) as u32,
            });
        })?;
        spec.wholes(text, |paragraph, whole, position| {
            reader.each(1, position, step, |_, number| {
                let check = whole.check as u32;
                out.paragraphs[paragraph].whole = Some(Numbered { number, check });
            })
        })
    }
}
