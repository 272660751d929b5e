//! The kernels: a loop of the library each, over the same input.

use crate::input::Input;
use std::hint::black_box;
use tegula::hash::Width;
use tegula::sketch::minwise::MinWise;
use tegula::sketch::simhash;
use tegula::text::digest::{self, Apart};
use tegula::text::fingerprints::fingerprints;
use tegula::text::normalise::{Normalisation, Normaliser};
use tegula::text::words::Words;
use tegula::{Dedup, Onion, Result, Unit, levenshtein};

/// A kernel, and how often its loop runs: often enough for its instructions to far outnumber those
/// of starting a program.
pub(crate) struct Kernel {
    pub(crate) name: &'static str,
    times: usize,
    run: fn(&Input) -> Result<u64>,
}

/// The vector instructions of most processors of a kind.
const VECTORS: &str = if cfg!(target_arch = "aarch64") {
    "neon"
} else {
    "avx2"
};

/// All kernels. The first does nothing: its cost is that of starting, and of making the input.
pub(crate) const ALL: &[Kernel] = &[
    kernel("nothing", 0, |_| Ok(0)),
    kernel("tokens", 10, |input| tokens(VECTORS, input, &input.texts)),
    kernel("tokens-accented", 10, |input| {
        tokens(VECTORS, input, &input.accented)
    }),
    kernel("tokens-portable", 10, |input| {
        tokens("portable", input, &input.texts)
    }),
    kernel("tokens-messages", 1, of_messages),
    kernel("shingles", 20, |input| Ok(shingles(input))),
    kernel("digests", 40, |input| Ok(digests(input))),
    kernel("levenshtein", 1, |input| Ok(edits(input))),
    kernel("minwise", 10, |input| Ok(minima(input))),
    kernel("simhash", 20, |input| Ok(signatures(input))),
    kernel("onion", 2, judge),
    kernel("dedup-copies", 1, |input| dedup("copies", input)),
    kernel("dedup-ssr", 1, |input| dedup("ssr", input)),
    kernel("dedup-sscr", 1, |input| dedup("sscr", input)),
    kernel("dedup-cosine", 1, |input| dedup("cosine", input)),
    kernel("dedup-messages", 1, |input| dedup("messages", input)),
];

const fn kernel(name: &'static str, times: usize, run: fn(&Input) -> Result<u64>) -> Kernel {
    Kernel { name, times, run }
}

impl Kernel {
    /// Runs it, and returns a sum that depends on all its results.
    ///
    /// # Errors
    /// Errors of the library, or if the processor lacks the instructions.
    pub(crate) fn run(&self, input: &Input) -> Result<u64> {
        (0..self.times).try_fold(0_u64, |sum, _| {
            Ok(sum.wrapping_add((self.run)(black_box(input))?))
        })
    }
}

/// Tokenising with these lanes.
fn tokens(lanes: &str, input: &Input, texts: &[String]) -> Result<u64> {
    let mut words = Words::with_lanes(lanes)?;
    let (mut out, mut sum) = (Vec::new(), 0);
    for text in texts {
        sum += fingerprints(&input.normaliser, &mut words, text, &mut out) as u64;
    }
    Ok(sum)
}

/// Tokenising step by step, as normalisations do that rewrite texts.
fn of_messages(input: &Input) -> Result<u64> {
    let normaliser = Normaliser::new(&Normalisation::preset("messages")?)?;
    let (mut words, mut out, mut sum) = (Words::default(), Vec::new(), 0);
    for text in &input.accented {
        sum += fingerprints(&normaliser, &mut words, text, &mut out) as u64;
    }
    Ok(sum)
}

fn shingles(input: &Input) -> u64 {
    let (mut ids, mut sum) = (Vec::new(), 0_u64);
    for tokens in &input.tokens {
        input.shingler.ids(tokens, &mut ids);
        sum = ids.iter().fold(sum, |sum, id| sum.wrapping_add(*id));
    }
    sum
}

fn digests(input: &Input) -> u64 {
    let all = input.texts.iter().zip(&input.tokens);
    all.fold(0, |sum, (text, tokens)| {
        sum ^ digest::of_tokens(tokens, Width::FULL, Apart::default(), text) as u64
    })
}

/// The edit distance of each text and the next.
fn edits(input: &Input) -> u64 {
    let pairs = input.texts.windows(2);
    pairs
        .map(|pair| levenshtein::distance(&pair[0], &pair[1]))
        .sum()
}

fn minima(input: &Input) -> u64 {
    let minwise = MinWise::new(128, 1);
    let (mut out, mut sum) = (Vec::new(), 0);
    for ids in &input.shingles {
        minwise.minima(ids, &mut out);
        sum += out.iter().map(|minimum| u64::from(*minimum)).sum::<u64>();
    }
    sum
}

fn signatures(input: &Input) -> u64 {
    let all = input.shingles.iter();
    all.fold(0, |sum, ids| sum ^ simhash::of_equal_weights(ids))
}

/// Every paragraph, judged in order.
fn judge(input: &Input) -> Result<u64> {
    let recipe = Dedup::recipe("onion")?
        .unit(Unit::Paragraph)
        .memory(MEMORY)?;
    let (mut onion, mut sum) = (Onion::new(&recipe)?, 0);
    for text in &input.texts {
        let parts = onion.judge(text)?.parts;
        sum += parts.iter().filter(|part| part.is_kept).count() as u64;
    }
    Ok(sum)
}

/// The same whatever the machine has.
const MEMORY: u64 = 256 << 20;

/// A whole run in memory: finding, joining, verifying and deciding.
fn dedup(recipe: &str, input: &Input) -> Result<u64> {
    let recipe = Dedup::recipe(recipe)?.threads(1).memory(MEMORY)?;
    Ok(recipe.run(&input.texts)?.kept().count() as u64)
}
