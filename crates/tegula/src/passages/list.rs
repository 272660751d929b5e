//! The list of passages: in order, in memory as far as the ceiling allows and otherwise on scratch.

use super::{Part, Passage, Side};
use crate::context::{Context, Reservation, make_room};
use crate::error::{Error, ErrorKind, Result};
use crate::scratch::SpillFile;
use std::ops::Range;

/// Words of 32 bits in a block, at least, unless it is the last.
const BLOCK: usize = 1 << 14;
/// Words of a passage without its parts and its text.
const FIXED: usize = 20;
const WHAT: &str = "the list of passages";

/// Passages in order. They are encoded, so that one takes about 100 bytes wherever it is.
#[derive(Default)]
pub struct List {
    blocks: Vec<Block>,
    spill: Option<SpillFile>,
    length: u32,
    _held: Option<Reservation>,
}

/// Consecutive passages.
struct Block {
    /// The number of passages before it.
    first: u32,
    words: Words,
}

/// Where a block is.
enum Words {
    Held(Vec<u32>),
    Stored { start: u64, length: usize },
}

impl List {
    /// The number of passages.
    pub fn len(&self) -> usize {
        self.length as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Whether part of it is on scratch.
    pub fn is_spilled(&self) -> bool {
        self.spill.is_some()
    }

    /// Reads the passages from this one on.
    pub(super) fn reader(&self, from: u32) -> Reader<'_> {
        let block = self.blocks.partition_point(|block| block.first <= from);
        let block = block.saturating_sub(1);
        Reader {
            list: self,
            block,
            skip: from - self.blocks.get(block).map_or(from, |block| block.first),
            words: Vec::new(),
            at: 0,
            end: 0,
            passage: Passage::default(),
        }
    }

    /// Calls `f` with each passage, in order.
    ///
    /// # Errors
    /// Of `f`, or if scratch cannot be read.
    pub fn for_each(&self, mut f: impl FnMut(&Passage) -> Result<()>) -> Result<()> {
        let mut reader = self.reader(0);
        while let Some(passage) = reader.next()? {
            f(passage)?;
        }
        Ok(())
    }

    /// The passage with this number, if there are so many.
    ///
    /// # Errors
    /// If scratch cannot be read.
    pub fn get(&self, number: u32) -> Result<Option<Passage>> {
        Ok(self.reader(number).next()?.map(|passage| passage.clone()))
    }

    /// All passages, in memory: for a few.
    ///
    /// # Errors
    /// If scratch cannot be read.
    pub fn to_vec(&self) -> Result<Vec<Passage>> {
        let mut all = Vec::new();
        self.for_each(|passage| {
            all.push(passage.clone());
            Ok(())
        })?;
        Ok(all)
    }
}

/// A list under construction; its open block is not counted.
pub(super) struct ListWriter {
    context: Context,
    list: List,
    open: Vec<u32>,
    /// The number of passages before the open block.
    first: u32,
    held: Reservation,
}

impl ListWriter {
    /// An empty list.
    ///
    /// # Errors
    /// If the ceiling is already exceeded.
    pub(super) fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            context: context.clone(),
            list: List::default(),
            open: Vec::new(),
            first: 0,
            held: context.budget.reserve(0, WHAT)?,
        })
    }

    /// Appends a passage.
    ///
    /// # Errors
    /// If scratch is full.
    pub(super) fn push(&mut self, passage: &Passage) -> Result<()> {
        let Passage {
            a,
            b,
            same,
            edits,
            rarity,
            parts,
            text,
        } = passage;
        for side in [a, b] {
            self.open.push(side.unit);
            for range in [&side.tokens, &side.chars, &side.bytes] {
                self.open.extend([range.start, range.end]);
            }
        }
        let lengths = [parts.len() as u32, text.len() as u32];
        self.open
            .extend([*same, *edits, *rarity as u32, (rarity >> 32) as u32]);
        self.open.extend(lengths);
        for part in parts {
            self.open.extend([part.a, part.b, part.length]);
        }
        for bytes in text.as_bytes().chunks(4) {
            let mut word = [0; 4];
            word[..bytes.len()].copy_from_slice(bytes);
            self.open.push(u32::from_le_bytes(word));
        }
        self.list.length = self.list.length.checked_add(1).ok_or_else(|| {
            Error::new(
                ErrorKind::Data,
                "expected fewer than 4,294,967,296 passages, found more",
            )
            .hint("raise ⟨min_tokens⟩, or lower ⟨common⟩")
        })?;
        if self.open.len() >= BLOCK {
            self.close()?;
        }
        Ok(())
    }

    /// Stores the open block: in memory as long as three quarters of the free memory are left for
    /// others.
    fn close(&mut self) -> Result<()> {
        let bytes = 4 * self.open.len() as u64;
        let (free, held) = (self.context.budget.free(), self.held.bytes());
        let fits = self.list.spill.is_none()
            && held + bytes <= (free + held) / 4
            && self.held.try_grow(bytes);
        let words = if fits {
            let mut words = Vec::new();
            make_room(&mut words, self.open.len(), WHAT)?;
            words.extend_from_slice(&self.open);
            Words::Held(words)
        } else {
            let spill = match &mut self.list.spill {
                Some(spill) => spill,
                none => none.insert(self.context.scratch.file()?),
            };
            let extent = spill.append(bytemuck::cast_slice(&self.open))?;
            Words::Stored {
                start: extent.start,
                length: self.open.len(),
            }
        };
        self.list.blocks.push(Block {
            first: self.first,
            words,
        });
        self.first = self.list.length;
        self.open.clear();
        Ok(())
    }

    /// The finished list.
    ///
    /// # Errors
    /// If scratch is full.
    pub(super) fn finish(mut self) -> Result<List> {
        if !self.open.is_empty() {
            self.close()?;
        }
        Ok(List {
            _held: Some(self.held),
            ..self.list
        })
    }
}

/// Reads a [`List`] from a passage on.
pub(super) struct Reader<'a> {
    list: &'a List,
    /// The next block.
    block: usize,
    /// Passages to skip.
    skip: u32,
    /// A block from scratch.
    words: Vec<u32>,
    /// Where the next passage is in the block before the next, and where that ends.
    at: usize,
    end: usize,
    passage: Passage,
}

impl Reader<'_> {
    /// The next passage.
    ///
    /// # Errors
    /// If scratch cannot be read.
    pub(super) fn next(&mut self) -> Result<Option<&mut Passage>> {
        loop {
            if self.at == self.end && !self.open()? {
                return Ok(None);
            }
            let words = match &self.list.blocks[self.block - 1].words {
                Words::Held(words) => words,
                Words::Stored { .. } => &self.words,
            };
            self.at = decode(words, self.at, &mut self.passage);
            match self.skip.checked_sub(1) {
                Some(skip) => self.skip = skip,
                None => return Ok(Some(&mut self.passage)),
            }
        }
    }

    /// Moves to the next block, if there is one.
    fn open(&mut self) -> Result<bool> {
        let Some(block) = self.list.blocks.get(self.block) else {
            return Ok(false);
        };
        (self.at, self.end) = match &block.words {
            Words::Held(words) => (0, words.len()),
            Words::Stored { start, length } => {
                self.words.resize(*length, 0);
                if let Some(spill) = &self.list.spill {
                    spill.read_at(*start, bytemuck::cast_slice_mut(&mut self.words))?;
                }
                (0, *length)
            }
        };
        self.block += 1;
        Ok(true)
    }
}

/// Reads the passage at a place; returns where the next one is.
fn decode(words: &[u32], at: usize, passage: &mut Passage) -> usize {
    let fixed = &words[at..at + FIXED];
    let side = |from: usize| {
        let range = |first: usize| -> Range<u32> { fixed[from + first]..fixed[from + first + 1] };
        Side {
            unit: fixed[from],
            tokens: range(1),
            chars: range(3),
            bytes: range(5),
        }
    };
    (passage.a, passage.b) = (side(0), side(7));
    (passage.same, passage.edits) = (fixed[14], fixed[15]);
    passage.rarity = u64::from(fixed[16]) | u64::from(fixed[17]) << 32;
    let (parts, text) = (fixed[18] as usize, fixed[19] as usize);
    let from = at + FIXED;
    let end = from + 3 * parts + text.div_ceil(4);
    passage.parts.clear();
    passage.parts.extend(
        words[from..from + 3 * parts]
            .chunks_exact(3)
            .map(|part| Part {
                a: part[0],
                b: part[1],
                length: part[2],
            }),
    );
    let bytes: Vec<u8> = words[from + 3 * parts..end]
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .take(text)
        .collect();
    // It was a text when it was written.
    passage.text = String::from_utf8(bytes).unwrap_or_default();
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Budget;
    use crate::scratch::Scratch;

    fn passage(number: u32) -> Passage {
        let side = |unit| Side {
            unit,
            tokens: number..number + 7,
            chars: 3..number + 9,
            bytes: 4..number + 11,
        };
        let part = |at| Part {
            a: at,
            b: at + number,
            length: 5,
        };
        Passage {
            a: side(number / 3),
            b: side(number),
            same: number % 11,
            edits: number % 5,
            rarity: u64::from(number) << 20,
            parts: (0..number % 4).map(part).collect(),
            text: "größer".chars().cycle().take(number as usize % 9).collect(),
        }
    }

    #[test]
    fn passages_come_back_from_memory_and_from_scratch() {
        for memory in [1 << 17, 1 << 26] {
            let context = Context::new(1, Budget::OVERHEAD + memory, Scratch::system());
            let mut writer = ListWriter::new(&context).unwrap();
            let all: Vec<Passage> = (0..20_000).map(passage).collect();
            all.iter()
                .try_for_each(|passage| writer.push(passage))
                .unwrap();
            let list = writer.finish().unwrap();
            assert_eq!(list.is_spilled(), memory < 1 << 20);
            assert_eq!(list.len(), all.len());
            assert_eq!(list.to_vec().unwrap(), all);
            for number in [0, 1, 700, 13_333, 19_999] {
                let passage = list.get(number).unwrap();
                assert_eq!(passage.as_ref(), all.get(number as usize));
            }
            assert_eq!(list.get(20_000).unwrap(), None);
            drop(list);
            assert_eq!(context.budget.free(), memory);
        }
        let empty = List::default();
        assert!(empty.is_empty() && empty.get(0).unwrap().is_none());
    }
}
