//! A collection on tape, with every place where a sequence of n tokens occurs again: what passages
//! and phrases are found in.

use super::bad_records::BadRecords;
use super::job::Job;
use super::reading::{Features, Reading, Shingles};
use super::survey;
use crate::chains::{self, Bits, Identity, Kind, NONE, Placed, Row, RowSpec, Rows, Stored, Tables};
use crate::constraint::Allowed;
use crate::context::{Context, Reservation};
use crate::error::{Error, ErrorKind, Result};
use crate::group::Groups;
use crate::hash::Width;
use crate::partition::Partitions;
use crate::recipe::{FingerprintKind, Recipe, Select};
use crate::record::Level;
use crate::tape::Tape;
use crate::text::normalise::Normaliser;
use crate::unit::Units;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

/// A collection that was read once.
pub(crate) struct Taped {
    pub(crate) units: Units,
    pub(crate) groups: Groups,
    pub(crate) allowed: Allowed,
    pub(crate) tape: Tape,
    /// Where each unit begins on the tape, and where the last one ends.
    pub(crate) starts: Vec<u64>,
    /// Tokens in a sequence.
    pub(crate) n: usize,
    /// Sequences by hash.
    rows: Partitions<u64>,
    bits: Bits,
    /// The first position of each unit that has any, ascending.
    owners: Vec<(u32, u32)>,
    /// For each stretch of [`STRETCH`] positions, the number of units that begin before it.
    before: Vec<u32>,
    _held: Reservation,
}

/// Positions after which the search for a unit restarts, as a power of two.
const STRETCH: u32 = 7;

/// A place in the collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct At {
    /// The unit.
    pub(crate) unit: u32,
    /// The token, from 0.
    pub(crate) token: u32,
}

impl Taped {
    /// Reads the collection; sequences have the recipe's n tokens. With `collapse`, only the first
    /// of equal units has places. Fingerprints of tokens are cut to the width `numbers`.
    ///
    /// # Errors
    /// Errors of the source, of a bad record under its policy, of the memory ceiling or scratch.
    pub(crate) fn read(
        context: &Context,
        job: Job,
        collapse: bool,
        numbers: Width,
        bad: &mut dyn BadRecords,
    ) -> Result<Self> {
        if job.recipe.unit == Level::Passage {
            return Err(Error::of("⟨unit⟩").expected("document, paragraph, line or sentence").found("passage")
            .hint("passages are found, not compared; only tegula dedup and tegula mark take them as units"));
        }
        let recipe = &Recipe {
            fingerprint: FingerprintKind::Tokens,
            select: Select::All,
            ..job.recipe.clone()
        };
        let normaliser: Normaliser = recipe.check()?;
        let width = Width::bits(job.tuning.id_bits);
        let reading = Reading {
            width,
            collapse: collapse && job.constraints.parts_no_equals(),
            min_tokens: job.constraints.min_tokens,
            tape: Some(numbers),
            features: Features::Shingles(Shingles::of(recipe, width)?),
            ..Reading::wholes(job.source, recipe, &normaliser)
        };
        let token = if recipe.counts_characters() { 2 } else { 5 };
        let guess = (job.source.text_bytes() / token).min(1 << 31);
        let kind = Kind {
            identity: Identity::Hash,
            repeats: true,
        };
        let spec = reading.features.shingles().map(|shingles| {
            RowSpec::new(context, guess, (&shingles.shingler, 32), kind, 1).in_one_pass()
        });
        let rows = spec.as_ref().map(|spec| Rows::new(context, spec, 0));
        let survey = survey::survey(context, &reading, rows, bad)?;
        let (
            Some(Placed {
                rows: Stored::Narrow(rows),
                starts: placed,
                ..
            }),
            Some(bits),
            Some(tape),
        ) = (survey.placed, spec.map(|spec| spec.bits), survey.tape)
        else {
            return Err(Error::new(
                ErrorKind::Data,
                "expected fewer than 4,294,967,296 tokens, found more",
            )
            .hint("split the collection"));
        };
        let units = survey.units;
        let allowed = job.constraints.resolve(&units)?;
        let groups = Groups::new(&units, &allowed);
        let mut held = context.budget.reserve(
            groups.heap_bytes() + 16 * units.len() as u64,
            "the places of the texts",
        )?;
        let mut starts = Vec::with_capacity(units.len() + 1);
        let mut at = 0;
        for tokens in &units.tokens {
            starts.push(at);
            at += u64::from(*tokens);
        }
        starts.push(at);
        let with_rows = placed.iter().enumerate();
        let mut owners: Vec<(u32, u32)> = with_rows
            .filter(|(_, start)| **start != NONE)
            .map(|(unit, start)| {
                // Which of several equal units was read first depends on threads.
                let first = || groups.first[groups.of_unit[unit] as usize];
                (
                    *start,
                    if reading.collapse {
                        first()
                    } else {
                        unit as u32
                    },
                )
            })
            .collect();
        owners.sort_unstable();
        let last = owners.last().map_or(0, |(start, _)| *start);
        held.grow(4 * u64::from(last >> STRETCH), "the places of the texts")?;
        let mut before = Vec::with_capacity((last >> STRETCH) as usize + 1);
        for (at, (start, _)) in (0..).zip(&owners) {
            while before.len() <= (start >> STRETCH) as usize {
                before.push(at);
            }
        }
        Ok(Self {
            units,
            groups,
            allowed,
            tape,
            starts,
            n: recipe.ngram,
            rows,
            bits,
            owners,
            before,
            _held: held,
        })
    }

    /// The place of a position.
    pub(crate) fn at(&self, position: u32) -> At {
        let stretch = (position >> STRETCH) as usize;
        let begun = |at: usize| {
            self.before
                .get(at)
                .map_or(self.owners.len(), |at| *at as usize)
        };
        let (from, to) = (begun(stretch), begun(stretch + 1));
        let here = &self.owners[from..to];
        let after = from + here.partition_point(|(start, _)| *start <= position);
        let (start, unit) = self.owners[after - 1];
        At {
            unit,
            token: position - start,
        }
    }

    /// The tokens of a unit, as places on the tape.
    pub(crate) fn range(&self, unit: u32) -> std::ops::Range<u64> {
        self.starts[unit as usize]..self.starts[unit as usize + 1]
    }

    /// Whether a unit represents all that are equal to it.
    pub(crate) fn represents(&self, unit: u32) -> bool {
        self.groups.first[self.groups.of_unit[unit as usize] as usize] == unit
    }

    /// One more than the last position.
    pub(crate) fn positions(&self) -> u64 {
        self.owners.last().map_or(0, |(start, unit)| {
            let range = self.range(*unit);
            u64::from(*start) + (range.end - range.start).max(1)
        })
    }

    /// Frees what [`Taped::each`] needs.
    pub(crate) fn forget_sequences(&mut self, context: &Context) {
        self.rows = Partitions::new(context, 1, 1);
    }

    /// The number of partitions that sequences are in.
    pub(crate) fn partitions(&self) -> usize {
        self.rows.count()
    }

    /// Calls `f` with the positions, ascending, of each sequence that occurs at least twice; `start`
    /// makes a thread's state, and results are in the order of the partitions. Different sequences
    /// of one hash are together, about once in 10¹³ pairs.
    ///
    /// # Errors
    /// Of `f`, or of scratch; or cancellation.
    pub(crate) fn each<S: Send, T: Send>(
        &self,
        context: &Context,
        start: impl Fn() -> S + Sync,
        f: impl Fn(&mut S, &[u32]) -> Result<()> + Sync,
        finish: impl Fn(S) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        context.pool()?.install(|| {
            (0..self.rows.count())
                .into_par_iter()
                .map(|partition| {
                    context.check()?;
                    let mut state = start();
                    let rows = self.rows.look(partition)?;
                    let mut tables = Tables::default();
                    let mut positions = Vec::new();
                    for class in chains::sorted(std::iter::once(&rows[..]), self.bits, &mut tables)
                        .chunk_by(|a, b| a.is_like(*b, self.bits))
                        .filter(|class| class.len() > 1)
                    {
                        positions.clear();
                        positions.extend(class.iter().map(|row| *row as u32));
                        f(&mut state, &positions)?;
                    }
                    finish(state)
                })
                .collect()
        })
    }
}
