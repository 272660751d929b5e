//! Builds blocks: features arrive in any order, are routed to the blocks of their texts, and sorted
//! there.

use super::{Block, BlockStore, Head};
use crate::context::{Amount, Context, Reservation};
use crate::error::Result;
use crate::pair::Sizes;
use crate::partition::{PIECE, Partitions, Writer};
use rayon::prelude::*;
use std::ops::Range;

/// The numbers stored with each feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Numbers {
    /// Nothing: sets are compared.
    None,
    /// Its position.
    Positions,
    /// Its weight.
    Weights,
    /// The position of a chain and its length.
    Chains,
}

impl Numbers {
    /// The number of values per feature.
    pub(crate) fn count(self) -> usize {
        match self {
            Self::None => 0,
            Self::Positions | Self::Weights => 1,
            Self::Chains => 2,
        }
    }
}

/// The layout of blocks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    /// The numbers stored with each feature.
    pub(crate) numbers: Numbers,
    /// Whether texts are ordered by their tokens rather than their distinct shingles.
    pub(crate) by_tokens: bool,
    /// Whether a text may have duplicate features that count once.
    pub(crate) repeats: bool,
    /// Maximum groups in a block; for tests.
    pub(crate) block_groups: usize,
}

impl Layout {
    pub(crate) fn sizes(self, sizes: Sizes<'_>) -> &[u32] {
        if self.by_tokens {
            sizes.lengths
        } else {
            sizes.sets
        }
    }
}

/// Maps each group to a block and an index in it.
pub(crate) struct Plan {
    layout: Layout,
    /// Groups with features, in size order.
    order: Vec<u32>,
    /// Block of each group.
    block: Vec<u32>,
    /// The index of each group in its block.
    local: Vec<u32>,
    /// The index in `order` of the first group of each block, followed by the number of groups.
    starts: Vec<usize>,
    /// The total number of features.
    features: u64,
    /// The memory of all blocks, if they are a single block kept in memory.
    held: Option<Reservation>,
}

impl Plan {
    /// Plans blocks for at most this many features of each group.
    pub(crate) fn new(context: &Context, features: &[u32], sizes: Sizes, layout: Layout) -> Self {
        let sizes = layout.sizes(sizes);
        let mut order: Vec<u32> = (0..features.len() as u32)
            .filter(|g| features[*g as usize] > 0)
            .collect();
        order.par_sort_unstable_by_key(|g| (sizes[*g as usize], *g));
        let total: u64 = features.iter().map(|f| u64::from(*f)).sum();
        let row = 4 * (2 + layout.numbers.count() as u64);
        // The features, twice that for postings and construction.
        let fits = total < u64::from(u32::MAX)
            && total * row * 3 < context.budget.free()
            && layout.block_groups == usize::MAX;
        let held = if fits {
            context.budget.try_reserve(total * (row - 4))
        } else {
            None
        };
        let most = if held.is_some() {
            (total / 256).max(1 << 16)
        } else {
            (context.budget.free() / 64 / row).max(1 << 14)
        };
        let (mut block, mut local) = (vec![0; features.len()], vec![0; features.len()]);
        let mut starts = vec![0];
        let mut sum = 0;
        for (at, group) in order.iter().enumerate() {
            let more = u64::from(features[*group as usize]);
            let first = *starts.last().unwrap_or(&0);
            if at > first && (sum + more > most || at - first >= layout.block_groups) {
                starts.push(at);
                sum = 0;
            }
            sum += more;
            block[*group as usize] = starts.len() as u32 - 1;
            local[*group as usize] = (at - starts.last().unwrap_or(&0)) as u32;
        }
        starts.push(order.len());
        Self {
            layout,
            order,
            block,
            local,
            starts,
            features: total,
            held,
        }
    }

    fn blocks(&self) -> usize {
        self.starts.len() - 1
    }

    fn groups(&self, block: usize) -> &[u32] {
        &self.order[self.starts[block]..self.starts[block + 1]]
    }
}

/// Blocks under construction. A row holds a text, the rank of a feature, and its extra column.
pub(crate) struct Builder<const W: usize> {
    plan: Plan,
    rows: Partitions<[u32; W]>,
    buffers: Reservation,
}

impl<const W: usize> Builder<W>
where
    [u32; W]: bytemuck::Pod,
{
    /// Empty blocks.
    ///
    /// # Errors
    /// If there is no memory left for the buffers.
    pub(crate) fn new(context: &Context, plan: Plan) -> Result<Self> {
        let share = (context.budget.free() / 4).clamp(1 << 20, 32 << 20);
        let row = 4 * W as u64 * context.threads() as u64 * plan.blocks() as u64;
        let buffer = (share / row).clamp(8, (PIECE / (4 * W)) as u64);
        let buffers = context
            .budget
            .reserve(buffer * row, "the feature buffers")?;
        Ok(Self {
            rows: Partitions::new(context, plan.blocks(), buffer as usize),
            plan,
            buffers,
        })
    }

    /// A writer for one thread.
    pub(crate) fn writer(&self) -> Writer<'_, [u32; W]> {
        self.rows.writer()
    }

    /// Adds a feature; its row contains the group instead of the text.
    ///
    /// # Errors
    /// If scratch is full.
    #[inline]
    pub(crate) fn put(&self, writer: &mut Writer<'_, [u32; W]>, mut row: [u32; W]) -> Result<()> {
        let group = row[0] as usize;
        row[0] = self.plan.local[group];
        writer.push(self.plan.block[group] as usize, row)
    }

    /// Sorts the features. `totals` holds the total weight of each group, or is empty.
    ///
    /// # Errors
    /// Any error from the memory ceiling or scratch.
    pub(crate) fn finish(
        self,
        context: &Context,
        sizes: Sizes,
        totals: &[u64],
    ) -> Result<(BlockStore, Option<Reservation>)> {
        let Self {
            plan,
            rows,
            buffers,
        } = self;
        rows.seal()?;
        drop(buffers);
        let of = plan.layout.sizes(sizes);
        let mut store = if plan.held.is_some() {
            BlockStore::Memory(Block {
                offsets: vec![0],
                ..Block::default()
            })
        } else {
            BlockStore::Scratch {
                file: context.scratch.file()?,
                heads: Vec::new(),
            }
        };
        context
            .progress
            .begin("sorting", Some(plan.blocks() as u64), Amount::Items);
        for from in (0..plan.blocks()).step_by(context.threads() * 2) {
            context.check()?;
            let wave: Range<usize> = from..(from + context.threads() * 2).min(plan.blocks());
            let built: Vec<Result<Block>> = wave
                .into_par_iter()
                .map(|number| {
                    context.progress.advance(1);
                    Ok(block(
                        rows.take(number)?,
                        plan.groups(number),
                        (sizes, totals),
                        plan.layout,
                    ))
                })
                .collect();
            for block in built {
                let block = block?;
                match &mut store {
                    BlockStore::Memory(all) => {
                        if all.is_empty() {
                            *all =
                                Block::with_room(plan.order.len(), plan.features as usize, &block);
                        }
                        all.append(&block);
                    }
                    BlockStore::Scratch { file, heads } => {
                        if let (Some(first), Some(last)) =
                            (block.groups.first(), block.groups.last())
                        {
                            heads.push(Head {
                                extent: file.append(&block.to_bytes())?,
                                base: plan.starts[heads.len()] as u32,
                                sizes: (of[*first as usize], of[*last as usize]),
                                groups: block.groups.len() as u32,
                                features: block.ranks.len() as u32,
                            });
                        }
                    }
                }
            }
        }
        context.progress.end();
        Ok((store, plan.held))
    }
}

/// Builds a block from rows in any order.
pub(crate) fn block<const W: usize>(
    rows: Vec<[u32; W]>,
    groups: &[u32],
    (sizes, totals): (Sizes, &[u64]),
    layout: Layout,
) -> Block {
    let mut offsets = vec![0_u32; groups.len() + 1];
    for row in &rows {
        offsets[row[0] as usize + 1] += 1;
    }
    for at in 1..offsets.len() {
        offsets[at] += offsets[at - 1];
    }
    let mut sorted = vec![[0; W]; rows.len()];
    let mut next = offsets.clone();
    for row in &rows {
        let place = &mut next[row[0] as usize];
        sorted[*place as usize] = *row;
        *place += 1;
    }
    drop(rows);
    for pair in offsets.windows(2) {
        // Rank and the number stored with it, as one number.
        sorted[pair[0] as usize..pair[1] as usize].sort_unstable_by_key(|row| {
            u64::from(row[1]) << 32 | u64::from(if W > 2 { row[2] } else { 0 })
        });
    }
    let column = |at: usize| sorted.iter().map(|row| row[at]).collect();
    let of = |sizes: &[u32]| groups.iter().map(|group| sizes[*group as usize]).collect();
    let (positions, amounts) = match layout.numbers {
        Numbers::None => (Vec::new(), Vec::new()),
        Numbers::Positions => (column(2), Vec::new()),
        Numbers::Weights => (Vec::new(), column(2)),
        Numbers::Chains => (column(2), column(3)),
    };
    let counts_once = layout.repeats && amounts.is_empty();
    let total = |group: &u32| {
        let total = totals[*group as usize];
        [total as u32, (total >> 32) as u32]
    };
    Block {
        groups: groups.to_vec(),
        set_sizes: of(sizes.sets),
        lengths: of(sizes.lengths),
        ranks: column(1),
        positions,
        amounts: if counts_once {
            vec![1; sorted.len()]
        } else {
            amounts
        },
        totals: if totals.is_empty() {
            Vec::new()
        } else {
            groups.iter().flat_map(total).collect()
        },
        offsets,
    }
}
