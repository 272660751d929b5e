//! Steps over chains of shingles.

use super::{Batch, Extent, Feature, Listed, Rows, Search, Shared, Text, Whole};
use crate::block::Lists;
use crate::chains::{
    self, Bits, Cursor, Identity, Job, Kind, LONGEST, Member, RowSpec, Seen, Texts, Torn, Wide,
};
use crate::engine::reading::Buffers;
use crate::error::{ErrorKind, Result};
use crate::hash::Width;
use crate::recipe::Recipe;
use crate::shingle::Shingler;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::ops::Range;

/// Bits of a hash beyond those that number all shingles, so that few are taken for others: one in so
/// many as this power of two.
const SPARE: u32 = 8;
/// Blocks of positions in a stretch, as a power of two.
const STRETCH: u32 = Member::RANGE - chains::BLOCK_BITS;

/// The rows of a recipe whose features are chains, in 2^`bits` partitions, and their width in numbers
/// of 32 bits: two where what they leave of the hash tells apart the shingles of so many tokens.
pub(super) fn spec(recipe: &Recipe, extent: Extent, bits: u32) -> (RowSpec, u32) {
    // Each text begins at a multiple of a power of two, and blocks are not full.
    let positions = |width: u32| 2 * (extent.tokens + (extent.texts << (width - 32)));
    let width = (32..Bits::MOST).find(|width| positions(*width) <= 1 << width);
    let bits = Bits::new(bits, width.unwrap_or(Bits::MOST));
    let needed = extent.tokens.max(1).ilog2() + 1 + SPARE;
    let is_narrow = u64::BITS - bits.position + bits.partition >= needed;
    let kind = Kind {
        identity: Identity::Hash,
        repeats: recipe.measure.needs_positions(),
    };
    let spec = RowSpec::with(Shingler::new(recipe.ngram, Width::FULL), kind, bits);
    (spec, if is_narrow { 2 } else { 3 })
}

/// Rows of two numbers, the lower half first, as they lie in memory where that is possible.
fn whole(numbers: &[u32]) -> Cow<'_, [u64]> {
    match bytemuck::try_cast_slice(numbers) {
        Ok(rows) if cfg!(target_endian = "little") => Cow::Borrowed(rows),
        _ => {
            let pairs = numbers.as_chunks::<2>().0.iter();
            pairs
                .map(|[low, high]| u64::from(*high) << 32 | u64::from(*low))
                .collect()
        }
    }
}

/// Shared positions by batch and stretch.
struct Stretches<'a> {
    /// The first blocks of all batches.
    firsts: &'a [u64],
    rows: Vec<((u32, u32), Vec<Shared>)>,
    /// For each block, the index of its stretch, and the positions before it in the stretch.
    blocks: Vec<(u32, u32)>,
}

impl<'a> Stretches<'a> {
    fn of(firsts: &'a [u64]) -> Self {
        Self {
            firsts,
            rows: Vec::new(),
            blocks: Vec::new(),
        }
    }

    /// The rows of the stretch of a block, and the positions before the block in it.
    fn of_block(&mut self, block: usize) -> (&mut Vec<Shared>, u32) {
        while self.blocks.len() <= block {
            let next = self.blocks.len() as u64;
            let batch = super::batch_of_block(next, self.firsts);
            let next = next - self.firsts.get(batch).copied().unwrap_or(0);
            let stretch = (batch as u32, (next >> STRETCH) as u32);
            if self.rows.last().is_none_or(|(last, _)| *last != stretch) {
                self.rows.push((stretch, Vec::new()));
            }
            let before = ((next & !(u64::MAX << STRETCH)) as u32) << chains::BLOCK_BITS;
            self.blocks.push((self.rows.len() as u32 - 1, before));
        }
        let (stretch, before) = self.blocks[block];
        (&mut self.rows[stretch as usize].1, before)
    }
}

impl Search<'_> {
    fn bits(&self) -> Bits {
        self.spec.bits
    }

    /// The block of positions in which a text begins.
    pub(super) fn block_of(&self, start: u32) -> u64 {
        self.bits().start(start) >> chains::BLOCK_BITS
    }

    fn shingles_of(&self, tokens: u32) -> u32 {
        (tokens as usize)
            .saturating_sub(self.recipe.ngram - 1)
            .max(1) as u32
    }

    pub(super) fn blocks_of_positions(&self, tokens: impl IntoIterator<Item = u32>) -> u64 {
        let (mut cursor, mut next) = (Cursor::default(), 0);
        for tokens in tokens {
            let take = |blocks| {
                next += blocks;
                next - blocks
            };
            let _ = cursor.place(self.bits(), self.shingles_of(tokens).into(), take);
        }
        next
    }

    /// The rows of texts, whose positions begin with block `first`.
    pub(super) fn rows<'t>(
        &self,
        first: u64,
        texts: impl IntoIterator<Item = (Whole, &'t str)>,
    ) -> Result<Batch> {
        let mut batch = Batch {
            next: first,
            ..Batch::default()
        };
        let (mut cursor, mut seen) = (Cursor::default(), Seen::default());
        let mut buffers = Buffers::default();
        let texts: Vec<(Whole, &str)> = texts.into_iter().collect();
        // No more than there are bytes, whatever the rows say.
        let tokens = |(whole, text): &(Whole, &str)| text.len().min(whole.tokens as usize);
        let tokens: usize = texts.iter().map(tokens).sum();
        // A little more than an even share.
        let each = ((tokens + tokens / 8) >> self.bits().partition) * self.row_width as usize;
        let mut rows: Vec<Vec<u32>> = (0..1 << self.bits().partition)
            .map(|_| Vec::with_capacity(each))
            .collect();
        batch.texts.reserve(texts.len());
        for (whole, text) in texts {
            self.tokens(text, &mut buffers);
            if let Some(shingles) = &self.shingles {
                shingles.ids(&self.method.steps.normaliser, text, &mut buffers);
            }
            let occurrences = buffers.occurrences();
            let take = |blocks| {
                let first = batch.next;
                batch.next += blocks;
                first
            };
            let start = cursor
                .place(self.bits(), occurrences.extent(), take)
                .ok_or_else(|| {
                    ErrorKind::Data
                        .expected("fewer shingles")
                        .hint("split the collection")
                })?;
            let of = (&(0..1 << self.bits().partition), start);
            let set = if self.row_width == 2 {
                let put = |partition: usize, row: u64| {
                    rows[partition].extend_from_slice(&[row as u32, (row >> 32) as u32]);
                    Ok(())
                };
                chains::rows(&self.spec, of, &mut seen, occurrences, put)
            } else {
                let put = |partition: usize, row: Wide| {
                    rows[partition].extend_from_slice(&row);
                    Ok(())
                };
                chains::rows(&self.spec, of, &mut seen, occurrences, put)
            }?;
            let start = self.bits().stored(start);
            batch.texts.push(Text::new(whole, start, set, 0));
        }
        let width = self.row_width;
        let rows = (0..).zip(rows).filter(|(_, numbers)| !numbers.is_empty());
        batch.rows = rows
            .map(|(partition, numbers)| (partition, Rows { width, numbers }))
            .collect();
        Ok(batch)
    }

    /// The positions whose shingles occur elsewhere, by the number of the batch, and of a stretch of
    /// positions in it; `firsts` are the first blocks of all batches, in order.
    pub fn share(&self, rows: &Rows, firsts: &[u64]) -> BTreeMap<(u32, u32), Vec<Shared>> {
        let mut stretches = Stretches::of(firsts);
        let put = |block: usize, member: Member| {
            let (rows, before) = stretches.of_block(block);
            rows.push(Shared(member.after(before)));
            Ok::<(), Infallible>(())
        };
        let widths = (self.bits(), chains::BLOCK_BITS, self.signature_bits);
        let Ok(()) = if rows.width == 2 {
            let rows = whole(&rows.numbers);
            let pieces = std::iter::once(&rows[..]);
            chains::share(pieces, widths, &mut chains::Tables::default(), put)
        } else {
            let pieces = std::iter::once(rows.numbers.as_chunks::<3>().0);
            chains::share::<Wide, _>(pieces, widths, &mut chains::Tables::default(), put)
        };
        let found = stretches.rows.into_iter();
        found.filter(|(_, rows)| !rows.is_empty()).collect()
    }

    /// The chains of the texts of a batch that begins with block `first`, by partition, given what is
    /// shared in each stretch of the batch.
    ///
    /// # Errors
    /// None in practice.
    pub fn chains(
        &self,
        first: u64,
        texts: &[Text],
        shared: &BTreeMap<u32, Vec<Shared>>,
    ) -> Result<BTreeMap<u32, Vec<Feature>>> {
        let mut blocks = BTreeMap::<u64, Vec<Member>>::new();
        for (stretch, members) in shared {
            let mut divided = [const { Vec::new() }; 1 << STRETCH];
            for Shared(member) in members {
                let (block, member) = member.divided(chains::BLOCK_BITS);
                divided[block as usize].push(member);
            }
            blocks.extend((first + (u64::from(*stretch) << STRETCH)..).zip(divided));
        }
        let members = |block: u64| blocks.get(&block).into_iter().flatten();
        let mut found = BTreeMap::<u32, Vec<Feature>>::new();
        let by_start: HashMap<u32, u32> = texts
            .iter()
            .map(|text| (text.start, self.shingles_of(text.whole.tokens)))
            .collect();
        let places = Texts::each(self.bits(), texts.iter().map(|text| text.start));
        let Some(last) = places.len().checked_sub(1) else {
            return Ok(found);
        };
        let shingles = |start: u32| by_start.get(&start).copied().unwrap_or(1);
        let end = places.start(last) + u64::from(shingles(places.group(last)));
        let job = Job {
            some: 0..places.len(),
            texts: &places,
            shingles: &shingles,
            longest: LONGEST as u32,
            range: chains::BLOCK_BITS,
        };
        let block = |position: u64| (position >> chains::BLOCK_BITS) as usize;
        job.run::<u128>(
            block(places.start(0))..block(end - 1) + 1,
            &mut Vec::new(),
            |block, slots| {
                chains::fill(slots, members(block as u64));
                Ok(())
            },
            |chain| {
                let (partition, chain) = Feature::of(chain, self.bits().partition);
                found.entry(partition as u32).or_default().push(chain);
                Ok(())
            },
        )?;
        Ok(found)
    }

    /// The chains of a partition that several texts share.
    pub fn lists(&self, partition: u32, chains: &[Feature]) -> Listed {
        let mut lists = Lists::default();
        let of = (partition as usize, self.bits().partition);
        let torn = chains::list(chains, of, &mut lists);
        if torn.is_empty() {
            let (list, histogram) = lists.array();
            Listed::Chains(list, histogram)
        } else {
            Listed::Torn(torn)
        }
    }

    /// The chains of a partition, those that overlap torn ones as single shingles, by partition.
    pub fn split(
        &self,
        partition: u32,
        chains: &[Feature],
        torn: &[Range<u64>],
    ) -> BTreeMap<u32, Vec<Feature>> {
        let (torn, mut all) = (
            Torn::new(torn.to_vec()),
            BTreeMap::<u32, Vec<Feature>>::new(),
        );
        for chain in chains {
            let Ok(_) = torn.split(
                *chain,
                partition as usize,
                self.bits().partition,
                |partition, chain| {
                    all.entry(partition as u32).or_default().push(chain);
                    Ok::<(), Infallible>(())
                },
            );
        }
        all
    }
}
