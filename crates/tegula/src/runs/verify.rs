//! Verification: what two texts share is counted in their tokens.

use super::features::Texts;
use super::measure::{Marks, RunMeasure};
use crate::context::{Context, Reservation};
use crate::engine::again::{Firsts, for_each_first};
use crate::engine::reading::Reading;
use crate::error::{Error, ErrorKind, Result};
use crate::evidence::{PairSink, Pairs};
use crate::join::Pair;
use crate::scratch::{Extent, SpillFile};
use rayon::prelude::*;
use std::borrow::Cow;
use std::sync::{Mutex, OnceLock, PoisonError};

/// The tokens of some texts, in memory while the ceiling allows and on scratch beyond.
struct Kept {
    memory: Vec<OnceLock<Box<[u64]>>>,
    spill: Mutex<(Option<Reservation>, Option<SpillFile>)>,
    extents: Vec<OnceLock<Extent>>,
}

/// Pairs that a thread takes at once.
const STEP: usize = 256;
/// Pairs that are handed to threads at once.
const AT_ONCE: usize = 1 << 16;

/// Counts what the texts of candidates share, and gives those pairs of groups that are at or above the threshold.
///
/// # Errors
/// What the source, the memory ceiling or scratch gives.
pub(super) fn verify(
    context: &Context,
    reading: &Reading,
    firsts: Firsts,
    texts: &Texts,
    measure: &RunMeasure,
    candidates: &Pairs,
) -> Result<Pairs> {
    if candidates.is_empty() {
        return Ok(Pairs::default());
    }
    let kept = Kept::of(context, reading, firsts, texts, candidates)?;
    let sink = PairSink::new(context);
    context.pool()?.install(|| {
        let mut some = Vec::with_capacity(AT_ONCE);
        let settle = |some: &mut Vec<Pair>| -> Result<()> {
            let found: Vec<Vec<Pair>> = some
                .par_chunks(STEP)
                .map_init(Marks::default, |marks, pairs| {
                    let mut found = Vec::new();
                    let mut tokens: (u32, Cow<[u64]>) = (u32::MAX, Cow::default());
                    for pair in pairs {
                        // Pairs are in order of the first text.
                        if tokens.0 != pair.a {
                            tokens = (pair.a, kept.get(pair.a)?);
                        }
                        found.extend(truly(texts, measure, *pair, (&tokens.1, &kept.get(pair.b)?), marks));
                    }
                    context.check()?;
                    Ok(found)
                })
                .collect::<Result<_>>()?;
            some.clear();
            found.into_iter().try_for_each(|mut pairs| sink.take(&mut pairs))
        };
        candidates.for_each(|pair| {
            some.push(pair);
            if some.len() == AT_ONCE { settle(&mut some) } else { Ok(()) }
        })?;
        settle(&mut some)?;
        sink.finish()
    })
}

/// The pair of groups, with what its texts truly share.
fn truly(texts: &Texts, measure: &RunMeasure, pair: Pair, of: (&[u64], &[u64]), marks: &mut Marks) -> Option<Pair> {
    let (a, b) = (pair.a as usize, pair.b as usize);
    let (in_a, in_b) = if measure.is_true(texts, (a, b), of) { (pair.in_a, pair.in_b) } else { measure.counted(of, marks) };
    measure.admits((in_a, in_b), (measure.size(texts, a), measure.size(texts, b))).then(|| {
        let (a, b) = (texts.groups[a], texts.groups[b]);
        if a < b { Pair { a, b, in_a, in_b } } else { Pair { a: b, b: a, in_a: in_b, in_b: in_a } }
    })
}

impl Kept {
    /// Reads the texts that candidates name.
    fn of(context: &Context, reading: &Reading, firsts: Firsts, texts: &Texts, candidates: &Pairs) -> Result<Self> {
        let _held = context.budget.reserve(5 * firsts.groups.len() as u64 + 48 * texts.len() as u64, "the places of texts")?;
        let mut wanted = vec![false; firsts.groups.len()];
        candidates.for_each(|pair| {
            for text in [pair.a, pair.b] {
                wanted[texts.groups[text as usize] as usize] = true;
            }
            Ok(())
        })?;
        let mut text_of = vec![u32::MAX; firsts.groups.len()];
        for (text, group) in (0..).zip(&texts.groups) {
            text_of[*group as usize] = text;
        }
        let bytes: u64 = (0..texts.len())
            .filter(|text| wanted[texts.groups[*text] as usize])
            .map(|text| 8 * u64::from(texts.lengths[text]))
            .sum();
        let held = if bytes < context.budget.free() / 2 { context.budget.try_reserve(bytes) } else { None };
        let file = if held.is_some() { None } else { Some(context.scratch.file()?) };
        let places = if file.is_some() { texts.len() } else { 0 };
        let kept = Self {
            memory: (0..texts.len() - places).map(|_| OnceLock::new()).collect(),
            extents: (0..places).map(|_| OnceLock::new()).collect(),
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
                kept.put(text_of[group as usize], tokens)
            },
        )?;
        Ok(kept)
    }

    fn put(&self, text: u32, tokens: Box<[u64]>) -> Result<()> {
        if let Some(place) = self.memory.get(text as usize) {
            let _set = place.set(tokens);
            return Ok(());
        }
        let mut spill = self.spill.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some(file), Some(place)) = (&mut spill.1, self.extents.get(text as usize)) {
            let _set = place.set(file.append(bytemuck::cast_slice(&tokens))?);
        }
        Ok(())
    }

    fn get(&self, text: u32) -> Result<Cow<'_, [u64]>> {
        let missing = || Error::new(ErrorKind::Run, "expected the tokens of a text that was read, found none");
        if let Some(place) = self.memory.get(text as usize) {
            return place.get().map(|tokens| Cow::Borrowed(&**tokens)).ok_or_else(missing);
        }
        let extent = *self.extents.get(text as usize).and_then(OnceLock::get).ok_or_else(missing)?;
        let mut tokens = vec![0_u64; extent.length as usize / 8];
        let spill = self.spill.lock().unwrap_or_else(PoisonError::into_inner);
        spill.1.as_ref().ok_or_else(missing)?.read(extent, bytemuck::cast_slice_mut(&mut tokens))?;
        Ok(Cow::Owned(tokens))
    }
}
