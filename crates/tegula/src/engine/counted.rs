//! Verifies candidates in the texts, by counting the tokens that they actually share.

use super::reading::Reading;
use super::reread::{Firsts, for_each_first};
use super::verify::by_score;
use crate::block::{Block, BlockStore, Features};
use crate::context::{Context, Reservation};
use crate::error::{Error, ErrorKind, Result};
use crate::evidence::{PairSink, Pairs};
use crate::measure::{Bound, Marks, Measure, Shingles};
use crate::pair::{Pair, Sizes, Validation};
use crate::scratch::{Extent, SpillFile};
use std::borrow::Cow;
use std::sync::{Mutex, OnceLock, PoisonError};

/// What to count.
#[derive(Clone, Copy)]
pub(super) struct Counting<'a> {
    pub(super) measure: Measure,
    pub(super) bound: &'a dyn Bound,
    pub(super) shingles: Shingles,
    pub(super) sizes: Sizes<'a>,
    /// Whether to record the error of the candidates' estimates.
    pub(super) notes: bool,
}

/// Counts what the texts of candidates share, and returns the pairs that reach the threshold and the error of all estimates.
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
    let _held = context.budget.reserve(9 * groups as u64, "the places of texts")?;
    let texts = Texts::of(context, (reading, firsts), counting.sizes.lengths, candidates)?;
    // If all features are in memory, equal tokens under the shared shingles make counting unnecessary.
    let block = match &features.blocks {
        BlockStore::Memory(block) if !block.positions.is_empty() => Some((block, block.places(groups))),
        _ => None,
    };
    let judge = Judge { counting, texts: &texts, block, validation: Mutex::default() };
    let sink = PairSink::new(context);
    let pairs = context.pool()?.install(|| {
        by_score(candidates, &sink, State::default, |pair, state| {
            context.check()?;
            judge.score(pair, state)
        })?;
        sink.finish()
    })?;
    Ok((pairs, judge.validation.into_inner().unwrap_or_else(PoisonError::into_inner)))
}

/// A thread's buffers.
struct State<'t> {
    marks: Marks,
    /// The first text of the last pair.
    last: (u32, Cow<'t, [u64]>),
}

impl Default for State<'_> {
    fn default() -> Self {
        Self { marks: Marks::default(), last: (NONE, Cow::default()) }
    }
}

/// What is needed to judge a pair.
struct Judge<'t> {
    counting: Counting<'t>,
    texts: &'t Texts,
    /// All features, with the indices of groups.
    block: Option<(&'t Block, Vec<u32>)>,
    validation: Mutex<Validation>,
}

impl<'t> Judge<'t> {
    /// The pair with what its texts actually share, if that is enough.
    fn score(&self, pair: Pair, State { marks, last }: &mut State<'t>) -> Result<Option<Pair>> {
        let Counting { measure, bound, shingles, sizes, notes } = self.counting;
        // Pairs are sorted by the first text.
        if last.0 != pair.a {
            *last = (pair.a, self.texts.get(pair.a)?);
        }
        let (a, b) = (&*last.1, &*self.texts.get(pair.b)?);
        let are_true = self.block.as_ref().is_some_and(|(block, places)| {
            let [x, y] = [pair.a, pair.b].map(|group| block.text(places[group as usize] as usize));
            shingles.are_true(x, y, (a, b))
        });
        let (in_a, in_b) = if are_true { (pair.in_a, pair.in_b) } else { shingles.counted((a, b), marks) };
        let truth = Pair { in_a, in_b, ..pair };
        let by = if measure.needs_positions() { sizes.lengths } else { sizes.sets };
        let (size_a, size_b) = (by[pair.a as usize], by[pair.b as usize]);
        if notes {
            let most = Pair { in_a: pair.in_a.min(size_a), in_b: pair.in_b.min(size_b), ..pair };
            let rules = measure.rules();
            let mut validation = self.validation.lock().unwrap_or_else(PoisonError::into_inner);
            validation.note(rules.score(&most, sizes), rules.score(&truth, sizes));
        }
        Ok(bound.admits((in_a, in_b), (size_a, size_b)).then_some(truth))
    }
}

/// The tokens of some texts, in memory as far as the ceiling allows and otherwise on scratch.
struct Texts {
    /// By group, the index of its text, [`NONE`] for no text.
    places: Vec<u32>,
    memory: Vec<OnceLock<Box<[u64]>>>,
    spill: Mutex<(Option<Reservation>, Option<SpillFile>)>,
    extents: Vec<OnceLock<Extent>>,
}

const NONE: u32 = u32::MAX;

impl Texts {
    /// Reads the texts in candidate pairs; `lengths` are the numbers of tokens of all groups.
    fn of(context: &Context, (reading, firsts): (&Reading, Firsts), lengths: &[u32], candidates: &Pairs) -> Result<Self> {
        let mut wanted = vec![false; firsts.groups.len()];
        candidates.for_each(|pair| {
            (wanted[pair.a as usize], wanted[pair.b as usize]) = (true, true);
            Ok(())
        })?;
        let (mut places, mut count, mut bytes) = (vec![NONE; wanted.len()], 0, 0);
        for (group, _) in wanted.iter().enumerate().filter(|(_, wanted)| **wanted) {
            places[group] = count;
            count += 1;
            bytes += 32 + 8 * u64::from(lengths[group]);
        }
        let held = if bytes < context.budget.free() / 2 { context.budget.try_reserve(bytes) } else { None };
        let file = if held.is_some() { None } else { Some(context.scratch.file()?) };
        let (in_memory, on_scratch) = if file.is_none() { (count, 0) } else { (0, count) };
        let texts = Self {
            places,
            memory: (0..in_memory).map(|_| OnceLock::new()).collect(),
            extents: (0..on_scratch).map(|_| OnceLock::new()).collect(),
            spill: Mutex::new((held, file)),
        };
        let firsts = Firsts { wanted: Some(&wanted), ..firsts };
        for_each_first(
            context,
            reading,
            firsts,
            "verifying",
            || (),
            |(), group, _, _, buffers| {
                let tokens = buffers.tokens.iter().map(|token| token.id ^ token.check.rotate_left(32)).collect();
                texts.put(group, tokens)
            },
        )?;
        Ok(texts)
    }

    fn put(&self, group: u32, tokens: Box<[u64]>) -> Result<()> {
        let place = self.places[group as usize] as usize;
        if let Some(text) = self.memory.get(place) {
            let _set = text.set(tokens);
            return Ok(());
        }
        let mut spill = self.spill.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some(file), Some(extent)) = (&mut spill.1, self.extents.get(place)) {
            let _set = extent.set(file.append(bytemuck::cast_slice(&tokens))?);
        }
        Ok(())
    }

    fn get(&self, group: u32) -> Result<Cow<'_, [u64]>> {
        let missing = || Error::new(ErrorKind::Run, "expected the tokens of a text that was read, found none");
        let place = self.places[group as usize] as usize;
        if let Some(text) = self.memory.get(place) {
            return text.get().map(|tokens| Cow::Borrowed(&**tokens)).ok_or_else(missing);
        }
        let extent = *self.extents.get(place).and_then(OnceLock::get).ok_or_else(missing)?;
        let mut tokens = vec![0_u64; extent.length as usize / 8];
        let spill = self.spill.lock().unwrap_or_else(PoisonError::into_inner);
        spill.1.as_ref().ok_or_else(missing)?.read(extent, bytemuck::cast_slice_mut(&mut tokens))?;
        Ok(Cow::Owned(tokens))
    }
}
