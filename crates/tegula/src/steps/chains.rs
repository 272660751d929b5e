//! Steps over chains of shingles.

use super::{Batch, Feature, Listed, Member, Row, Search, Text};
use crate::block::Lists;
use crate::chains::{self, Bits, Cursor, Identity, Job, Kind, LONGEST, RowSpec, Seen, Texts, Torn};
use crate::engine::reading::Buffers;
use crate::error::{ErrorKind, Result};
use crate::hash::Width;
use crate::recipe::Recipe;
use crate::shingle::Shingler;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// Bits of a position.
const POSITION: u32 = Bits::MOST;

/// The rows of a recipe whose features are chains, in 2^`bits` partitions.
pub(super) fn spec(recipe: &Recipe, bits: u32) -> RowSpec {
    let kind = Kind {
        identity: Identity::Hash,
        repeats: recipe.measure.needs_positions(),
    };
    RowSpec::with(
        Shingler::new(recipe.ngram, Width::FULL),
        kind,
        Bits::new(bits, POSITION),
    )
}

impl Search<'_> {
    fn bits(&self) -> Bits {
        self.spec.bits
    }

    fn shingles_of(&self, tokens: u32) -> u32 {
        (tokens as usize)
            .saturating_sub(self.recipe.ngram - 1)
            .max(1) as u32
    }

    /// The rows of texts, whose positions begin with block `first`.
    pub(super) fn rows<'t>(
        &self,
        first: u64,
        texts: impl IntoIterator<Item = (u64, &'t str)>,
    ) -> Result<Batch> {
        let mut batch = Batch {
            next: first,
            ..Batch::default()
        };
        let (mut cursor, mut seen) = (Cursor::default(), Seen::default());
        let mut buffers = Buffers::default();
        for (id, text) in texts {
            let tokens = self.tokens(text, &mut buffers);
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
            let set = chains::rows(
                &self.spec,
                of,
                &mut seen,
                occurrences,
                |partition, row: u64| {
                    let rows = batch.rows.entry(partition as u32).or_default();
                    rows.push(Row(row.into()));
                    Ok(())
                },
            )?;
            let start = self.bits().stored(start);
            batch
                .texts
                .push(Text::new(id, start, (tokens.max(1) as u32, set), 0));
        }
        Ok(batch)
    }

    /// The positions whose shingles occur elsewhere, by block of positions.
    pub fn share(&self, rows: &[Row]) -> BTreeMap<u64, Vec<Member>> {
        let rows: Vec<u64> = rows.iter().map(|row| row.0.into()).collect();
        let (mut members, widths) = (
            BTreeMap::<u64, Vec<Member>>::new(),
            (self.bits(), chains::BLOCK_BITS, self.signature_bits),
        );
        let pieces = std::iter::once(&rows[..]);
        let Ok(()) = chains::share(
            pieces,
            widths,
            &mut chains::Tables::default(),
            |block, member| {
                members.entry(block as u64).or_default().push(member);
                Ok::<(), std::convert::Infallible>(())
            },
        );
        members
    }

    /// The chains of the texts of a batch, by partition.
    ///
    /// # Errors
    /// None in practice.
    pub fn chains(
        &self,
        texts: &[Text],
        members: &BTreeMap<u64, Vec<Member>>,
    ) -> Result<BTreeMap<u32, Vec<Feature>>> {
        let mut found = BTreeMap::<u32, Vec<Feature>>::new();
        let by_start: HashMap<u32, u32> = texts
            .iter()
            .map(|text| (text.start, self.shingles_of(text.tokens)))
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
                chains::fill(slots, members.get(&(block as u64)).into_iter().flatten());
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
                    Ok::<(), std::convert::Infallible>(())
                },
            );
        }
        all
    }
}
