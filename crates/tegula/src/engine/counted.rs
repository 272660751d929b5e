//! Verifies candidates in the texts, by counting the tokens that they actually share.

use super::group_texts::GroupTexts;
use super::reading::Reading;
use super::reread::{Firsts, for_each_first};
use super::verify::by_score;
use crate::block::{Block, BlockStore, Features};
use crate::context::Context;
use crate::error::Result;
use crate::evidence::{PairSink, Pairs};
use crate::measure::{Marks, Measure, Shingles, Verify};
use crate::pair::{Pair, Sizes, Validation};
use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

/// What to count.
#[derive(Clone, Copy)]
pub(super) struct Counting<'a> {
    pub(super) measure: Measure,
    pub(super) bound: &'a dyn Verify,
    pub(super) shingles: Shingles,
    pub(super) sizes: Sizes<'a>,
    /// Whether to record the error of the candidates' estimates.
    pub(super) notes: bool,
}

/// Counts what the texts of candidates share, and returns the pairs that reach the threshold and
/// the error of all estimates.
///
/// # Errors
/// Errors of the source, the memory ceiling or scratch.
pub(super) fn verify(
    context: &Context,
    (reading, firsts): (&Reading, Firsts),
    features: &Features,
    counting: Counting,
    candidates: &Pairs,
) -> Result<(Pairs, Validation)> {
    if candidates.is_empty() {
        return Ok((Pairs::default(), Validation::default()));
    }
    let groups = firsts.groups.len();
    let _held = context
        .budget
        .reserve(4 * groups as u64, "the places of texts")?;
    let (wanted, _held_too) = candidates.groups(context, groups)?;
    let texts = GroupTexts::new(context, &wanted)?;
    let firsts = Firsts {
        wanted: Some(&wanted),
        ..firsts
    };
    for_each_first(
        context,
        reading,
        firsts,
        "verifying",
        || (),
        |(), group, _, _, buffers| {
            texts.put(
                group,
                buffers.tokens.iter().map(|token| token.whole()).collect(),
            )
        },
    )?;
    // If all features are in memory, equal tokens under those that two texts share save the
    // counting.
    let block = match &features.blocks {
        BlockStore::Memory(block) if !block.positions.is_empty() => {
            Some((block, block.places(groups)))
        }
        _ => None,
    };
    let judge = Judge {
        counting,
        texts: &texts,
        block,
        validation: Mutex::default(),
    };
    let sink = PairSink::new(context);
    let pairs = context.pool()?.install(|| {
        by_score(candidates, &sink, State::default, |pair, state| {
            context.check()?;
            judge.score(pair, state)
        })?;
        sink.finish()
    })?;
    Ok((
        pairs,
        judge
            .validation
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner),
    ))
}

/// A thread's buffers.
struct State<'t> {
    marks: Marks,
    /// The first text of the last pair.
    last: (u32, Cow<'t, [u64]>),
}

impl Default for State<'_> {
    fn default() -> Self {
        Self {
            marks: Marks::default(),
            last: (u32::MAX, Cow::default()),
        }
    }
}

/// What is needed to judge a pair.
struct Judge<'t> {
    counting: Counting<'t>,
    texts: &'t GroupTexts<u64>,
    /// All features, with the places of groups.
    block: Option<(&'t Block, Vec<u32>)>,
    validation: Mutex<Validation>,
}

impl<'t> Judge<'t> {
    /// The pair with what its texts actually share, if that is enough.
    fn score(&self, pair: Pair, State { marks, last }: &mut State<'t>) -> Result<Option<Pair>> {
        let Counting {
            measure,
            bound,
            shingles,
            sizes,
            notes,
        } = self.counting;
        // Pairs are sorted by the first text.
        if last.0 != pair.a {
            *last = (pair.a, self.texts.get(pair.a)?);
        }
        let (a, b) = (&*last.1, &*self.texts.get(pair.b)?);
        let are_true = self.block.as_ref().is_some_and(|(block, places)| {
            let [x, y] = [pair.a, pair.b].map(|group| block.text(places[group as usize] as usize));
            shingles.are_true(x, y, (a, b))
        });
        let (in_a, in_b) = if are_true {
            (pair.in_a, pair.in_b)
        } else {
            shingles.counted((pair.a, a), (pair.b, b), marks)
        };
        let truth = Pair { in_a, in_b, ..pair };
        let by = if measure.needs_positions() {
            sizes.lengths
        } else {
            sizes.sets
        };
        let (size_a, size_b) = (by[pair.a as usize], by[pair.b as usize]);
        if notes {
            let most = Pair {
                in_a: pair.in_a.min(size_a),
                in_b: pair.in_b.min(size_b),
                ..pair
            };
            let rules = measure.rules();
            let mut validation = self
                .validation
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            validation.note(rules.score(&most, sizes), rules.score(&truth, sizes));
        }
        Ok(bound
            .admits((in_a, in_b), (size_a, size_b))
            .then_some(truth))
    }
}
