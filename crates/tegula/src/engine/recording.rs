//! Documents on scratch, for the judge of Onion: read once, judged several times.

use crate::context::Context;
use crate::error::{Error, ErrorKind, Result};
use crate::hash::Fingerprint;
use crate::onion::{Document, Ngram, Paragraph};
use crate::scratch::{Extent, SpillFile};

/// The size of one write in bytes.
const BLOCK: usize = 1 << 20;

/// Documents of references and of the collection, each in input order.
pub(crate) struct Recording {
    file: SpillFile,
    pending: Vec<u8>,
    pending_of_references: bool,
    blocks: Vec<(bool, Extent)>,
}

impl Recording {
    pub(crate) fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            file: context.scratch.file()?,
            pending: Vec::new(),
            pending_of_references: false,
            blocks: Vec::new(),
        })
    }

    /// Appends a document whose first paragraph is the unit `first`.
    pub(crate) fn push(&mut self, references: bool, first: u32, document: &Document) -> Result<()> {
        if references != self.pending_of_references || self.pending.len() >= BLOCK {
            self.end()?;
            self.pending_of_references = references;
        }
        let out = &mut self.pending;
        let mut put = |value: u64| out.extend_from_slice(&value.to_le_bytes());
        put(u64::from(first) | (document.paragraphs.len() as u64) << 32);
        put(document.ngrams.len() as u64);
        for paragraph in &document.paragraphs {
            put(u64::from(paragraph.tokens) | u64::from(paragraph.whole.is_some()) << 32);
            if let Some(Fingerprint { id, check }) = paragraph.whole {
                put(id);
                put(check);
            }
        }
        for ngram in &document.ngrams {
            put(ngram.key.id);
            put(ngram.key.check);
            put(ngram.end.into());
        }
        Ok(())
    }

    /// Writes what is pending.
    pub(crate) fn end(&mut self) -> Result<()> {
        if !self.pending.is_empty() {
            let extent = self.file.append(&self.pending)?;
            self.blocks.push((self.pending_of_references, extent));
            self.pending.clear();
        }
        Ok(())
    }

    /// Passes the documents of the references, or all others, to `take`, in their original order.
    pub(crate) fn each(
        &self,
        references: bool,
        take: &mut dyn FnMut(&Document, u32) -> Result<()>,
    ) -> Result<()> {
        let mut bytes = Vec::new();
        let mut document = Document::default();
        for (_, extent) in self.blocks.iter().filter(|(of, _)| *of == references) {
            bytes.resize(extent.length as usize, 0);
            self.file.read(*extent, &mut bytes)?;
            let (words, _) = bytes.as_chunks::<8>();
            let mut words = words.iter().map(|word| u64::from_le_bytes(*word));
            while let Some(first) = read(&mut words, &mut document)? {
                take(&document, first)?;
            }
        }
        Ok(())
    }
}

/// The next document and its first unit; nothing at the end.
fn read(words: &mut impl Iterator<Item = u64>, document: &mut Document) -> Result<Option<u32>> {
    let Some(head) = words.next() else {
        return Ok(None);
    };
    let mut next = || {
        words
            .next()
            .ok_or_else(|| Error::new(ErrorKind::Scratch, "a spill file ends inside a document"))
    };
    document.clear();
    let ngrams = next()?;
    for _ in 0..head >> 32 {
        let paragraph = next()?;
        let whole = if paragraph >> 32 > 0 {
            Some(Fingerprint {
                id: next()?,
                check: next()?,
            })
        } else {
            None
        };
        document.paragraphs.push(Paragraph {
            tokens: paragraph as u32,
            whole,
        });
    }
    for _ in 0..ngrams {
        let key = Fingerprint {
            id: next()?,
            check: next()?,
        };
        document.ngrams.push(Ngram {
            key,
            end: next()? as u32,
        });
    }
    Ok(Some(head as u32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn documents_come_back_as_they_went() {
        let context = Context::new(1, crate::context::Budget::MINIMUM, Scratch::system());
        let mut recording = Recording::new(&context).unwrap();
        let mut sent = Vec::new();
        for first in 0..40_000_u32 {
            let mut document = Document::default();
            let whole = (first % 3 == 0).then_some(Fingerprint {
                id: 7,
                check: first.into(),
            });
            document.paragraphs.extend([
                Paragraph {
                    tokens: first,
                    whole,
                },
                Paragraph {
                    tokens: 1,
                    whole: None,
                },
            ]);
            let key = Fingerprint {
                id: first.into(),
                check: u64::MAX,
            };
            document
                .ngrams
                .extend((0..first % 4).map(|end| Ngram { key, end }));
            recording
                .push(first % 1000 < 10, 2 * first, &document)
                .unwrap();
            sent.push((
                first % 1000 < 10,
                2 * first,
                document.paragraphs,
                document.ngrams,
            ));
        }
        recording.end().unwrap();
        for references in [true, false] {
            let mut expected = sent.iter().filter(|(of, ..)| *of == references);
            recording
                .each(references, &mut |document, first| {
                    let (_, number, paragraphs, ngrams) = expected.next().unwrap();
                    assert_eq!(
                        (first, &document.paragraphs, &document.ngrams),
                        (*number, paragraphs, ngrams)
                    );
                    Ok(())
                })
                .unwrap();
            assert!(expected.next().is_none());
        }
    }
}
