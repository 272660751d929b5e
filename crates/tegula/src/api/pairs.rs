//! All pairs of texts.

use super::Place;
use super::found::Found;
use crate::context::{Context, Reservation};
use crate::error::Result;
use crate::evidence::{Findings, Millionths};
use crate::pair;
use crate::threshold::Score;
use std::fmt;
use std::ops::Range;

/// All pairs at or above the threshold. Pairs of equal texts are counted and listed one by one, but
/// stored as groups: a thousand copies of a text take no more space than one.
pub struct Pairs {
    context: Context,
    findings: Findings,
    /// Records before the references.
    own: usize,
    /// By unit, the number of pairs in which it is the earlier one.
    counts: Vec<u64>,
    all: u64,
    _held: Reservation,
}

/// Two units, the earlier one first, with their score.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Pair {
    /// The earlier text, counted from 0.
    pub a: usize,
    /// The later text; for a reference, its index among the references.
    pub b: usize,
    /// Bytes of the unit in the earlier text.
    pub range_a: Range<usize>,
    /// Bytes of the unit in the later text.
    pub range_b: Range<usize>,
    /// Whether the later text is a reference.
    pub with_reference: bool,
    /// The score. Under containment it is the share of the shorter text contained in the other.
    pub score: Score,
    /// Further measures of the two.
    pub measures: Measures,
}

/// The measures that the recipe computes; the others are none. Shares are for display: only the
/// score is exact.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub struct Measures {
    /// Shared distinct shingles.
    pub common: Option<u32>,
    /// Distinct shingles of the first unit.
    pub size_a: Option<u32>,
    /// Distinct shingles of the second unit.
    pub size_b: Option<u32>,
    /// Tokens of the first unit in shared shingles.
    pub covered_a: Option<u32>,
    /// Tokens of the second unit in shared shingles.
    pub covered_b: Option<u32>,
    /// Resemblance: shared distinct shingles over all distinct shingles.
    pub resemblance: Option<f64>,
    /// Coverage: covered tokens of both over all tokens of both.
    pub coverage: Option<f64>,
    /// The share of the first unit contained in the second.
    pub containment_a: Option<f64>,
    /// The share of the second unit contained in the first.
    pub containment_b: Option<f64>,
    /// The Levenshtein ratio of the normalised texts, if the recipe requests it.
    pub levenshtein: Option<f64>,
    /// The score without masks, if the recipe has masks.
    pub unmasked: Option<f64>,
}

/// Two units, the earlier first, and the pair of their groups in the same order.
type Row = ((u32, u32), pair::Pair);

/// Pairs expanded at a time.
const WINDOW: u64 = 1 << 18;

impl Pairs {
    pub(super) fn new(found: Found) -> Result<Self> {
        let Found {
            context,
            findings,
            own,
        } = found;
        let units = findings.units.len() as u32;
        let held = context
            .budget
            .reserve(8 * u64::from(units), "the counts of pairs by unit")?;
        let mut pairs = Self {
            context,
            findings,
            own,
            counts: vec![0; units as usize],
            all: 0,
            _held: held,
        };
        let mut counts = std::mem::take(&mut pairs.counts);
        pairs.each(0..units, &mut |((a, _), _)| counts[a as usize] += 1)?;
        pairs.all = counts.iter().sum();
        pairs.counts = counts;
        Ok(pairs)
    }

    /// The number of pairs.
    pub fn len(&self) -> u64 {
        self.all
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all == 0
    }

    /// The pairs, sorted by the first unit, then by the second.
    ///
    /// # Cost
    /// Holds a quarter of a million pairs at a time, and makes one pass over the stored pairs for
    /// each such window.
    ///
    /// # Errors
    /// Errors of scratch, if pairs were spilled; cancellation.
    pub fn iter(&self) -> impl Iterator<Item = Result<Pair>> + '_ {
        let (mut next, mut window, mut ended) = (0, Vec::new().into_iter(), false);
        std::iter::from_fn(move || {
            loop {
                if let Some(row) = window.next() {
                    return Some(Ok(self.show(&row)));
                }
                if ended || next == self.counts.len() {
                    return None;
                }
                match self.window(&mut next) {
                    Ok(rows) => window = rows.into_iter(),
                    Err(error) => {
                        ended = true;
                        return Some(Err(error));
                    }
                }
            }
        })
    }

    /// All pairs in a list, about 250 bytes each.
    ///
    /// # Errors
    /// As [`Pairs::iter`].
    pub fn to_vec(&self) -> Result<Vec<Pair>> {
        self.iter().collect()
    }

    /// The pairs of the next units that fit into a window.
    fn window(&self, next: &mut usize) -> Result<Vec<Row>> {
        let from = *next;
        let mut sum = 0;
        while *next < self.counts.len() && (*next == from || sum + self.counts[*next] <= WINDOW) {
            sum += self.counts[*next];
            *next += 1;
        }
        let mut rows = Vec::with_capacity(usize::try_from(sum).unwrap_or(0));
        if sum > 0 {
            self.each(from as u32..*next as u32, &mut |row| rows.push(row))?;
            rows.sort_unstable_by_key(|(units, _)| *units);
        }
        Ok(rows)
    }

    fn each(&self, window: Range<u32>, f: &mut dyn FnMut(Row)) -> Result<()> {
        self.findings.each_pair(&self.context, window, f)
    }

    fn show(&self, ((a, b), pair): &Row) -> Pair {
        let [a, b] = [a, b].map(|unit| Place::of(&self.findings.units, self.own, *unit));
        Pair {
            a: a.index,
            b: b.index,
            range_a: a.range,
            range_b: b.range,
            with_reference: b.is_reference,
            score: self
                .findings
                .pairs()
                .map_or(Score { part: 0, whole: 1 }, |scored| scored.score(pair)),
            measures: self.measures(pair),
        }
    }

    fn measures(&self, pair: &pair::Pair) -> Measures {
        let Some(scored) = self.findings.pairs() else {
            return Measures::default();
        };
        let of = scored.columns(pair);
        let seen = scored
            .rescored
            .as_ref()
            .and_then(|look| look.of(pair.a, pair.b));
        Measures {
            common: of.common,
            size_a: of.size_a,
            size_b: of.size_b,
            covered_a: of.covered_a,
            covered_b: of.covered_b,
            resemblance: of.ssr,
            coverage: of.sscr,
            containment_a: of.containment_a,
            containment_b: of.containment_b,
            levenshtein: seen
                .and_then(|seen| seen.levenshtein)
                .map(Millionths::as_f64),
            unmasked: seen.and_then(|seen| seen.unmasked).map(Millionths::as_f64),
        }
    }
}

impl fmt::Debug for Pairs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pairs")
            .field("len", &self.all)
            .finish_non_exhaustive()
    }
}
