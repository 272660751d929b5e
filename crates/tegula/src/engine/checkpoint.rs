//! Saves finished stages, so that a killed run can resume.
//!
//! Two stages are worth saving: the features, which cost one or two passes over the text and a
//! sort, and the pairs. A resumed run repeats the survey, which is quick, and loads the rest from
//! here. Threads and memory may differ; recipe and inputs may not, which implementations of
//! [`Checkpoint`] must ensure.

use super::joined::Joined;
use crate::block::{Block, BlockStore, Features, Head};
use crate::context::Context;
use crate::error::{Error, ErrorKind, Result};
use crate::evidence::{PairSink, Pairs};
use crate::pair::{Pair, Validation};
use crate::scratch::{Extent, SpillFile};
use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};

/// Storage for finished stages, one file each.
pub trait Checkpoint {
    /// The file of a finished stage of the same recipe and inputs.
    ///
    /// # Errors
    /// If the saved stages belong to another recipe or other inputs.
    fn find(&self, stage: &str) -> Result<Option<PathBuf>>;

    /// Saves a stage: `write` writes its file, which becomes valid only when complete.
    ///
    /// # Errors
    /// If it cannot be written.
    fn keep(
        &self,
        stage: &str,
        write: &mut dyn FnMut(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<()>;
}

/// The stage of ranked features.
pub(crate) const FEATURES: &str = "features";
/// The stage of pairs.
pub(crate) const PAIRS: &str = "pairs";

/// Maximum features in a saved block, so that a run with less memory can load it.
const BLOCK_FEATURES: usize = 1 << 20;

/// The start of a file: its type, its layout version, and the schemes on which its numbers depend.
fn magic(stage: &str) -> String {
    format!(
        "tegula {stage} 4 {} unicode {}\n",
        crate::hash::SCHEME,
        crate::text::unicode::UNICODE_VERSION
    )
}

fn number(out: &mut dyn Write, number: u64) -> std::io::Result<()> {
    out.write_all(&number.to_le_bytes())
}

/// Numbers in files are little-endian.
fn small_numbers(out: &mut dyn Write, numbers: &[u32]) -> std::io::Result<()> {
    if cfg!(target_endian = "little") {
        return out.write_all(bytemuck::cast_slice(numbers));
    }
    numbers
        .iter()
        .try_for_each(|number| out.write_all(&number.to_le_bytes()))
}

/// Saves the features.
pub(crate) fn keep_features(checkpoint: &dyn Checkpoint, features: &Features) -> Result<()> {
    let mut failed = None;
    checkpoint
        .keep(FEATURES, &mut |out| {
            out.write_all(magic(FEATURES).as_bytes())?;
            number(out, u64::from(features.ranks))?;
            number(out, u64::from(features.frequent))?;
            number(
                out,
                u64::from(features.by_tokens) | u64::from(features.may_collide) << 1,
            )?;
            number(out, features.set_sizes.len() as u64)?;
            small_numbers(out, &features.set_sizes)?;
            // A file truncated between two blocks must not look complete.
            number(
                out,
                match &features.blocks {
                    BlockStore::Memory(block) => block.ranks.len() as u64,
                    BlockStore::Scratch { heads, .. } => {
                        heads.iter().map(|head| u64::from(head.features)).sum()
                    }
                },
            )?;
            let mut put = |block: &Block| -> std::io::Result<()> {
                for (base, size, part) in parts(block, features.by_tokens) {
                    for value in [
                        base as u64,
                        u64::from(size.0),
                        u64::from(size.1),
                        part.len() as u64,
                        part.ranks.len() as u64,
                    ] {
                        number(out, value)?;
                    }
                    let bytes = part.to_bytes();
                    number(out, bytes.len() as u64)?;
                    out.write_all(&bytes)?;
                }
                Ok(())
            };
            match &features.blocks {
                BlockStore::Memory(block) => put(block),
                BlockStore::Scratch { file, heads } => {
                    heads
                        .iter()
                        .try_for_each(|head| match BlockStore::read(file, *head) {
                            Ok(block) => put(&block),
                            Err(error) => {
                                failed = Some(error);
                                Err(std::io::Error::other("a block could not be read"))
                            }
                        })
                }
            }
        })
        .map_err(|error| failed.take().unwrap_or(error))
}

/// Splits a block into pieces of bounded size: the index of the first group in the block, the
/// smallest and largest size, the piece.
fn parts(block: &Block, by_tokens: bool) -> impl Iterator<Item = (usize, (u32, u32), Block)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        if from == block.len() {
            return None;
        }
        let start = block.offsets[from];
        let mut to = from + 1;
        while to < block.len() && (block.offsets[to + 1] - start) as usize <= BLOCK_FEATURES {
            to += 1;
        }
        let sizes = if by_tokens {
            &block.lengths
        } else {
            &block.set_sizes
        };
        let part = (from, (sizes[from], sizes[to - 1]), block.part(from..to));
        from = to;
        Some(part)
    })
}

/// Reads a stage's file sequentially.
struct Stage<'a> {
    path: &'a Path,
    file: BufReader<File>,
    at: u64,
}

impl<'a> Stage<'a> {
    fn open(path: &'a Path, stage: &str) -> Result<Self> {
        let file = File::open(path).map_err(|error| Error::io("open", path, error))?;
        let mut stage_file = Self {
            path,
            file: BufReader::with_capacity(1 << 20, file),
            at: 0,
        };
        let expected = magic(stage);
        let mut found = vec![0; expected.len()];
        stage_file.bytes(&mut found)?;
        if found != expected.as_bytes() {
            return Err(stage_file.damaged("was written by another version"));
        }
        Ok(stage_file)
    }

    fn damaged(&self, what: &str) -> Error {
        Error::new(ErrorKind::Run, format!("a saved stage {what}"))
            .at(self.path)
            .hint("start the run again without ⟨resume⟩")
    }

    fn bytes(&mut self, out: &mut [u8]) -> Result<()> {
        self.file
            .read_exact(out)
            .map_err(|error| Error::io("read", self.path, error))?;
        self.at += out.len() as u64;
        Ok(())
    }

    fn number(&mut self) -> Result<u64> {
        let mut bytes = [0; 8];
        self.bytes(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn small_numbers(&mut self, out: &mut [u32]) -> Result<()> {
        self.bytes(bytemuck::cast_slice_mut(out))?;
        for number in out {
            *number = u32::from_le(*number);
        }
        Ok(())
    }

    fn small(&mut self) -> Result<u32> {
        u32::try_from(self.number()?).map_err(|_| self.damaged("is damaged"))
    }

    fn is_at_end(&mut self) -> Result<bool> {
        use std::io::BufRead;
        Ok(self
            .file
            .fill_buf()
            .map_err(|error| Error::io("read", self.path, error))?
            .is_empty())
    }

    fn sizes(&mut self, groups: usize) -> Result<Vec<u32>> {
        if self.number()? != groups as u64 {
            return Err(self.damaged("has a different number of texts from the inputs"));
        }
        let mut sizes = vec![0; groups];
        self.small_numbers(&mut sizes)?;
        Ok(sizes)
    }
}

/// Loads the features: into memory if they fit, otherwise block by block on demand.
pub(crate) fn take_features(context: &Context, path: &Path, groups: usize) -> Result<Features> {
    let mut stage = Stage::open(path, FEATURES)?;
    let ranks = stage.small()?;
    let frequent = stage.small()?;
    let flags = stage.number()?;
    let set_sizes = stage.sizes(groups)?;
    let expected = stage.number()?;
    let file = SpillFile::open(path)?;
    let mut heads: Vec<Head> = Vec::new();
    let mut base = 0_u32;
    while !stage.is_at_end()? {
        stage.number()?;
        let sizes = (stage.small()?, stage.small()?);
        let (groups, features) = (stage.small()?, stage.small()?);
        let length = stage.number()?;
        heads.push(Head {
            extent: Extent {
                start: stage.at,
                length,
            },
            base,
            sizes,
            groups,
            features,
        });
        base += groups;
        stage
            .file
            .seek_relative(length as i64)
            .map_err(|error| Error::io("read", path, error))?;
        stage.at += length;
    }
    let bytes: u64 = heads.iter().map(|head| head.extent.length).sum();
    let features: u64 = heads.iter().map(|head| u64::from(head.features)).sum();
    if features != expected {
        return Err(stage.damaged("is damaged"));
    }
    let blocks = match heads.first() {
        Some(first)
            if bytes + 24 * features < context.budget.free() / 2
                && features < u64::from(u32::MAX) =>
        {
            let first = BlockStore::read(&file, *first)?;
            let mut all = Block::with_room(base as usize, features as usize, &first);
            for head in &heads {
                all.append(&BlockStore::read(&file, *head)?);
            }
            BlockStore::Memory(all)
        }
        _ => BlockStore::Scratch { file, heads },
    };
    Ok(Features {
        blocks,
        set_sizes,
        ranks,
        frequent,
        by_tokens: flags & 1 > 0,
        may_collide: flags & 2 > 0,
        _held: None,
    })
}

/// Saves the pairs, and the sizes behind their scores.
pub(crate) fn keep_pairs(
    checkpoint: &dyn Checkpoint,
    pairs: &Pairs,
    set_sizes: &[u32],
    validation: Validation,
) -> Result<()> {
    let mut failed = None;
    checkpoint.keep(PAIRS, &mut |out| {
        out.write_all(magic(PAIRS).as_bytes())?;
        number(out, validation.pairs)?;
        number(out, validation.excess)?;
        number(out, set_sizes.len() as u64)?;
        small_numbers(out, set_sizes)?;
        number(out, pairs.len())?;
        let mut written = Ok(());
        let read = pairs.for_each(|pair| {
            if written.is_ok() {
                written = small_numbers(out, &bytemuck::cast::<Pair, [u32; 4]>(pair));
            }
            Ok(())
        });
        failed = read.err();
        written
    })?;
    failed.map_or(Ok(()), Err)
}

/// Loads the pairs.
pub(super) fn take_pairs(context: &Context, path: &Path, groups: usize) -> Result<Joined> {
    let mut stage = Stage::open(path, PAIRS)?;
    let validation = Validation {
        pairs: stage.number()?,
        excess: stage.number()?,
    };
    let set_sizes = stage.sizes(groups)?;
    let expected = stage.number()?;
    let sink = PairSink::new(context);
    let mut some: Vec<Pair> = Vec::new();
    while !stage.is_at_end()? {
        let mut numbers = [0_u32; 4];
        stage.small_numbers(&mut numbers)?;
        let pair: Pair = bytemuck::cast(numbers);
        if pair.a >= pair.b || pair.b as usize >= groups {
            return Err(stage.damaged("is damaged"));
        }
        some.push(pair);
        if some.len() == 1 << 15 {
            sink.take(&mut some)?;
        }
    }
    sink.take(&mut some)?;
    let pairs = sink.finish()?;
    if pairs.len() != expected {
        return Err(stage.damaged("is damaged"));
    }
    Ok(Joined {
        pairs,
        set_sizes,
        validation,
        ..Joined::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
    use std::cell::RefCell;

    /// Keeps the last stage in memory.
    #[derive(Default)]
    struct Kept(RefCell<Vec<u8>>);

    impl Checkpoint for Kept {
        fn find(&self, _: &str) -> Result<Option<PathBuf>> {
            Ok(None)
        }

        fn keep(
            &self,
            _: &str,
            write: &mut dyn FnMut(&mut dyn Write) -> std::io::Result<()>,
        ) -> Result<()> {
            let Ok(()) = write(&mut *self.0.borrow_mut()) else {
                return Err(ErrorKind::Data.expected("memory to be writable"));
            };
            Ok(())
        }
    }

    #[test]
    fn pairs_are_these_bytes_on_every_machine() {
        let pair = Pair {
            a: 0,
            b: 1,
            in_a: 0x0102_0304,
            in_b: 7,
        };
        let (kept, validation) = (
            Kept::default(),
            Validation {
                pairs: 258,
                ..Validation::default()
            },
        );
        keep_pairs(&kept, &Pairs::from_vec(vec![pair]), &[5, 6], validation).unwrap();
        let bytes = kept.0.into_inner();
        let body = bytes.strip_prefix(magic(PAIRS).as_bytes()).unwrap();
        let small = |numbers: &[u8]| {
            numbers
                .iter()
                .flat_map(|n| [*n, 0, 0, 0])
                .collect::<Vec<u8>>()
        };
        let wanted = [
            &[2, 1, 0, 0, 0, 0, 0, 0][..],
            &[0; 8],
            &[2, 0, 0, 0, 0, 0, 0, 0],
            &small(&[5, 6]),
            &[1, 0, 0, 0, 0, 0, 0, 0],
            &small(&[0, 1]),
            &[4, 3, 2, 1],
            &small(&[7]),
        ];
        assert_eq!(body, wanted.concat());
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), &bytes).unwrap();
        let context = Context::new(1, 1 << 30, Scratch::system());
        let joined = take_pairs(&context, file.path(), 2).unwrap();
        let mut found = Vec::new();
        let taken = joined.pairs.for_each(|pair| {
            found.push(pair);
            Ok(())
        });
        assert!(taken.is_ok() && found == [pair]);
        assert_eq!(joined.set_sizes, [5, 6]);
    }
}
