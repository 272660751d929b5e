//! The steps of a complete search over shingles, as functions over columns.
//!
//! ```text
//! features    texts of a batch               → texts; rows by partition
//! share       rows of a partition            → members by block of positions
//! runs        texts and members of a batch   → runs by partition
//! lists       runs of a partition            → list, histogram; or torn runs, which are split
//! ranks       all histograms                 → the first ranks of each partition
//! ranked      list of a partition            → ranked features by text
//! block       features of some texts         → block
//! postings    block                          → postings by rank
//! candidates  postings of a rank             → pairs of texts
//! verify      two texts                      → match
//! settle      matches                        → texts to remove
//! ```
//!
//! A step knows nothing but its arguments: there is no clock, memory ceiling or table behind it, and
//! only [`Search::postings`] uses threads, those of the current pool. What goes from one step to the next is a column whose bytes are the same on every
//! machine ([`to_bytes`]), so that steps can run anywhere and their results be exchanged by key. The
//! engine of this crate runs the same functions over partitions that spill. Texts have ids of 64
//! bits; only inside blocks are they numbered with 32.

mod column;
#[cfg(test)]
mod tests;

pub use crate::block::Block;
pub use crate::runs::{Feature, Member};
pub use column::{Column, Match, Posting, Ranked, Row, Text, from_bytes, to_bytes};

use crate::block::{Layout, Lists, Numbers, block, first_ranks, ranked};
use crate::decide::settle::{Edge, Rounds, State};
use crate::engine::has_runs;
use crate::error::{Error, Result};
use crate::evidence::Scoring;
use crate::hash::{Fingerprint, Width};
use crate::join::{self, Side};
use crate::measure::{Bound, Collection, Marks};
use crate::pair::{Pair, Sizes};
use crate::recipe::{FingerprintKind, Recipe};
use crate::runs::{
    self, Bits, Cursor, Identity, Job, Kind, LONGEST, Occurrences, RowSpec, Seen, Texts, Torn,
};
use crate::shingle::Shingler;
use crate::text::fingerprints::fingerprints;
use crate::text::normalise::Normaliser;
use crate::text::words::Words;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// Bits of a position.
const POSITION: u32 = Bits::MOST;

/// What all steps of a search agree on.
pub struct Search {
    recipe: Recipe,
    normaliser: Normaliser,
    spec: RowSpec,
    signature_bits: u32,
    bound: Box<dyn Bound>,
}

/// The texts of a batch, and their rows by partition.
#[derive(Debug, Default)]
pub struct Batch {
    /// The texts.
    pub texts: Vec<Text>,
    /// Their rows.
    pub rows: BTreeMap<u32, Vec<Row>>,
    /// The first block of positions after the batch.
    pub next_block: u64,
}

/// What the runs of a partition say.
#[derive(Debug)]
pub enum Listed {
    /// The runs that several texts share: their occurrences, and the number of runs by number of
    /// texts.
    Runs(Vec<u32>, BTreeMap<u32, u32>),
    /// Positions of runs that must be [split](Search::split) in all partitions.
    Torn(Vec<Range<u64>>),
}

impl Search {
    /// A search whose longest text has so many tokens, with 2^`bits` partitions.
    ///
    /// # Errors
    /// If the recipe is wrong, or does not compare all shingles of texts.
    pub fn new(recipe: &Recipe, longest: u32, bits: u32) -> Result<Self> {
        let normaliser = recipe.check()?;
        let of = Collection {
            n: recipe.ngram,
            longest: longest.max(1),
            base: 0,
            slots: 0,
            singly: false,
        };
        let bound = recipe.measure.rules().bound(recipe.threshold, &of);
        let is_by_tokens = matches!(recipe.fingerprint, FingerprintKind::Tokens);
        let bound = bound
            .filter(|bound| {
                recipe.keys.is_none()
                    && is_by_tokens
                    && has_runs(recipe)
                    && bound.shingles().is_some()
            })
            .ok_or_else(|| {
                Error::usage(format!(
                    "{}: expected a recipe that compares all shingles of texts",
                    recipe.recipe
                ))
            })?;
        let kind = Kind {
            identity: Identity::Hash,
            repeats: recipe.measure.needs_positions(),
        };
        Ok(Self {
            spec: RowSpec::with(
                Shingler::new(recipe.ngram, Width::FULL),
                kind,
                Bits::new(bits, POSITION),
            ),
            recipe: recipe.clone(),
            normaliser,
            signature_bits: u32::BITS,
            bound,
        })
    }

    /// With fewer bits in the signatures of classes, so that different runs are taken for one and
    /// must be split.
    #[must_use]
    pub fn signature_bits(self, signature_bits: u32) -> Self {
        Self {
            signature_bits,
            ..self
        }
    }

    fn bits(&self) -> Bits {
        self.spec.bits
    }

    fn partitions(&self) -> usize {
        1 << self.bits().partition
    }

    fn shingles(&self, tokens: u32) -> u32 {
        (tokens as usize)
            .saturating_sub(self.recipe.ngram - 1)
            .max(1) as u32
    }

    fn tokens(&self, text: &str, words: &mut Words, tokens: &mut Vec<Fingerprint>) -> u32 {
        fingerprints(&self.normaliser, words, text, tokens).max(1) as u32
    }

    /// The rows of texts with these ids, whose positions begin with this block.
    ///
    /// # Errors
    /// If there are more positions than can be numbered.
    pub fn features<'t>(
        &self,
        first_block: u64,
        texts: impl IntoIterator<Item = (u64, &'t str)>,
    ) -> Result<Batch> {
        let mut batch = Batch {
            next_block: first_block,
            ..Batch::default()
        };
        let (mut cursor, mut seen, mut words) =
            (Cursor::default(), Seen::default(), Words::default());
        let (mut tokens, mut ids) = (Vec::new(), Vec::new());
        for (id, text) in texts {
            let count = self.tokens(text, &mut words, &mut tokens);
            self.spec.shingler().ids(&tokens, &mut ids);
            let occurrences = Occurrences {
                ids: &ids,
                places: &[],
                tokens: &tokens,
                numbers: &[],
            };
            let take = |blocks| {
                let first = batch.next_block;
                batch.next_block += blocks;
                first
            };
            let start = cursor
                .place(self.bits(), occurrences.extent(), take)
                .ok_or_else(|| {
                    Error::data("expected fewer shingles").hint("split the collection")
                })?;
            let of = (&(0..self.partitions()), start);
            let set = runs::rows(
                &self.spec,
                of,
                &mut seen,
                occurrences,
                |partition, row: u64| {
                    batch
                        .rows
                        .entry(partition as u32)
                        .or_default()
                        .push(Row(row.into()));
                    Ok(())
                },
            )?;
            batch
                .texts
                .push(Text::new(id, self.bits().stored(start), count, set));
        }
        Ok(batch)
    }

    /// The positions whose shingles occur elsewhere, by block of positions.
    pub fn share(&self, rows: &[Row]) -> BTreeMap<u64, Vec<Member>> {
        let rows: Vec<u64> = rows.iter().map(|row| row.0.into()).collect();
        let (mut members, widths) = (
            BTreeMap::<u64, Vec<Member>>::new(),
            (self.bits(), runs::BLOCK_BITS, self.signature_bits),
        );
        let pieces = std::iter::once(&rows[..]);
        let Ok(()) = runs::share(
            pieces,
            widths,
            &mut runs::Tables::default(),
            |block, member| {
                members.entry(block as u64).or_default().push(member);
                Ok::<(), std::convert::Infallible>(())
            },
        );
        members
    }

    /// The runs of the texts of a batch, by partition.
    ///
    /// # Errors
    /// None in practice.
    pub fn runs(
        &self,
        texts: &[Text],
        members: &BTreeMap<u64, Vec<Member>>,
    ) -> Result<BTreeMap<u32, Vec<Feature>>> {
        let mut found = BTreeMap::<u32, Vec<Feature>>::new();
        let by_start: HashMap<u32, u32> = texts
            .iter()
            .map(|text| (text.start, self.shingles(text.tokens)))
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
            range: runs::BLOCK_BITS,
        };
        let block = |position: u64| (position >> runs::BLOCK_BITS) as usize;
        job.run::<u128>(
            block(places.start(0))..block(end - 1) + 1,
            &mut Vec::new(),
            |block, slots| {
                runs::fill(slots, members.get(&(block as u64)).into_iter().flatten());
                Ok(())
            },
            |run| {
                let (partition, run) = Feature::of(run, self.bits().partition);
                found.entry(partition as u32).or_default().push(run);
                Ok(())
            },
        )?;
        Ok(found)
    }

    /// The runs of a partition that several texts share.
    pub fn lists(&self, partition: u32, runs: &[Feature]) -> Listed {
        let mut lists = Lists::default();
        let of = (partition as usize, self.bits().partition);
        let torn = runs::list(runs, of, &mut lists);
        if torn.is_empty() {
            let (list, histogram) = lists.array();
            Listed::Runs(list, histogram)
        } else {
            Listed::Torn(torn)
        }
    }

    /// The runs of a partition, those that overlap torn ones as single shingles, by partition.
    pub fn split(
        &self,
        partition: u32,
        runs: &[Feature],
        torn: &[Range<u64>],
    ) -> BTreeMap<u32, Vec<Feature>> {
        let (torn, mut all) = (
            Torn::new(torn.to_vec()),
            BTreeMap::<u32, Vec<Feature>>::new(),
        );
        for run in runs {
            let Ok(_) = torn.split(
                *run,
                partition as usize,
                self.bits().partition,
                |partition, run| {
                    all.entry(partition as u32).or_default().push(run);
                    Ok::<(), std::convert::Infallible>(())
                },
            );
        }
        all
    }

    /// The features of a partition with their ranks; `first` are those of [`ranks`].
    ///
    /// # Errors
    /// None in practice.
    pub fn ranked(&self, list: &[u32], first: &BTreeMap<u32, u32>) -> Result<Vec<Ranked>> {
        let mut rows = Vec::new();
        ranked::<4>(list, first.clone(), |row| {
            rows.push(Ranked(row));
            Ok(())
        })?;
        Ok(rows)
    }

    /// Puts texts in the order in which they are joined; ties are broken by id.
    pub fn order(&self, texts: &mut [Text]) {
        let by_tokens = self.recipe.measure.needs_positions();
        texts.sort_unstable_by_key(|text| {
            (if by_tokens { text.tokens } else { text.set }, text.id())
        });
    }

    /// The block of consecutive [ordered](Search::order) texts that have any features, numbered from
    /// 0.
    pub fn block(&self, texts: &[Text], features: &[Ranked]) -> Block {
        let local: HashMap<u32, u32> = (0..)
            .zip(texts)
            .map(|(at, text)| (text.start, at))
            .collect();
        let rows = features.iter().filter_map(|row| {
            let [start, rank, at, length] = row.0;
            Some([*local.get(&start)?, rank, at, length])
        });
        let (sets, lengths): (Vec<u32>, Vec<u32>) =
            texts.iter().map(|text| (text.set, text.tokens)).unzip();
        let layout = Layout {
            numbers: Numbers::Runs,
            by_tokens: self.recipe.measure.needs_positions(),
            repeats: true,
            block_groups: usize::MAX,
        };
        let sizes = Sizes {
            sets: &sets,
            lengths: &lengths,
        };
        let groups: Vec<u32> = (0..texts.len() as u32).collect();
        block::<4>(rows.collect(), &groups, (sizes, &[]), layout)
    }

    /// The features of a block by which its texts must be indexed or looked up; `first` is the number
    /// of its first text in [order](Search::order).
    pub fn postings(&self, first: u64, block: &Block) -> Vec<Posting> {
        let side = Side::new(&*self.bound, block, 0);
        let mut all = Vec::new();
        for at in 0..block.len() {
            let postings = join::of_text(&*self.bound, &side, at);
            all.extend(postings.map(|(rank, posting)| Posting {
                rank,
                text: (first + at as u64).into(),
                size: posting.size,
                suffix: posting.suffix,
            }));
        }
        all
    }

    /// The pairs of texts, by their numbers in [order](Search::order), among the postings of a rank
    /// that may reach the threshold. A pair may be found under several ranks.
    pub fn candidates(&self, postings: &[Posting]) -> Vec<(u64, u64)> {
        let postings: Vec<join::Posting> = postings
            .iter()
            .map(|posting| join::Posting {
                text: posting.text.into(),
                size: posting.size,
                suffix: posting.suffix,
            })
            .collect();
        let mut pairs = Vec::new();
        join::candidates(&*self.bound, &postings, |a, b| pairs.push((a.text, b.text)));
        pairs
    }

    /// What two texts share, counted in their tokens, if it reaches the threshold.
    pub fn verify(&self, (a, text_a): (Text, &str), (b, text_b): (Text, &str)) -> Option<Match> {
        if b.id() < a.id() {
            return self.verify((b, text_b), (a, text_a));
        }
        let shingles = self.bound.shingles()?;
        let mut words = Words::default();
        let [of_a, of_b] = [text_a, text_b].map(|text| {
            let mut tokens = Vec::new();
            self.tokens(text, &mut words, &mut tokens);
            tokens
                .iter()
                .map(|token| token.whole())
                .collect::<Vec<u64>>()
        });
        let shared = shingles.counted((&of_a, &of_b), &mut Marks::default());
        let (sets, lengths) = ([a.set, b.set], [a.tokens, b.tokens]);
        let by = if self.recipe.measure.needs_positions() {
            lengths
        } else {
            sets
        };
        if !self.bound.admits(shared, (by[0], by[1])) {
            return None;
        }
        let pair = Pair {
            a: 0,
            b: 1,
            in_a: shared.0,
            in_b: shared.1,
        };
        let sizes = Sizes {
            sets: &sets,
            lengths: &lengths,
        };
        let may_go = Scoring::of(&self.recipe).removable(&pair, sizes, self.recipe.threshold);
        Some(Match::new((a.id(), b.id()), shared, may_go))
    }
}

/// The first ranks of each partition's features, by the number of texts that have them.
///
/// # Errors
/// If there are more features than can be numbered.
pub fn ranks(histograms: &[BTreeMap<u32, u32>]) -> Result<Vec<BTreeMap<u32, u32>>> {
    Ok(first_ranks(histograms)?.0)
}

/// The ids of the texts to remove, given all matches of some texts: the earlier of two is kept.
///
/// # Errors
/// None in practice.
pub fn settle(matches: &[Match]) -> Result<Vec<u64>> {
    let mut ids: Vec<u64> = matches
        .iter()
        .flat_map(|pair| <[u64; 2]>::from(pair.ids()))
        .collect();
    ids.sort_unstable();
    ids.dedup();
    let number = |id: u64| ids.partition_point(|other| *other < id) as u32;
    let edges: Vec<(u32, u32, Edge)> = matches
        .iter()
        .map(|pair| {
            let (a, b) = pair.ids();
            let edge = Edge {
                a_may_go: pair.may_go & 1 == 1,
                b_may_go: pair.may_go & 2 == 2,
            };
            (number(a), number(b), edge)
        })
        .collect();
    let (places, mut states): (Vec<u32>, Vec<State>) = (0..ids.len() as u32)
        .map(|place| (place, State::Open))
        .unzip();
    Rounds::new(&places).settle(&mut states, &edges[..])?;
    let gone = ids
        .iter()
        .zip(states)
        .filter(|(_, state)| *state == State::Gone);
    Ok(gone.map(|(id, _)| *id).collect())
}
