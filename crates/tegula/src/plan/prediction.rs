//! Predictions of the resources of a run, from a sample.

use super::{Sample, Share};
use crate::chains::{held_rows, needed_passes};
use crate::context::Budget;
use crate::decide::Decision;
use crate::statistics;
pub use crate::strategy::OCCURRENCE_BYTES;
use crate::strategy::Strategy;
use std::time::Duration;

/// Bytes of tables per record: its location, its number, its id, a field.
pub const RECORD_BYTES: u64 = 70;
/// Bytes of tables per unit: tokens, digest, size, and its group.
pub const UNIT_BYTES: u64 = 56;
/// Bytes per unit in the run folder: its row among the units, its verdict, and an average share of
/// pairs and clusters.
pub const EVIDENCE_BYTES: u64 = 72;
/// The smallest buffers of all threads, and other small data.
const SMALL_BYTES: u64 = 2 << 20;
/// Bytes of the program including the buffers of one thread, measured.
const BASE_BYTES: u64 = 28 << 20;
/// Bytes of an n-gram that Onion remembers, and of the unit where it was first seen.
const SEEN_BYTES: u64 = 8;
/// Bytes for 64 n-grams: which of them occur first, and how many before.
const FIRST_BYTES: u64 = 12;
/// Time per occurrence of a repeated shingle: sorting, ranking, and scanning its list, on one
/// thread.
const OCCURRENCE_TIME: Duration = Duration::from_nanos(150);

/// The predicted resources of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Prediction {
    /// Records.
    pub records: u64,
    /// Units.
    pub units: u64,
    /// Tokens.
    pub tokens: u64,
    /// Occurrences of shingles.
    pub shingles: u64,
    /// Occurrences of repeated shingles.
    pub repeated: u64,
    /// Bytes of the tables.
    pub tables: u64,
    /// Bytes of the counted terms.
    pub terms: u64,
    /// Bytes of signatures and keys.
    pub signed: u64,
    /// Bytes of the rows of shingles, if shingles are joined.
    pub rows: u64,
    /// Bytes of the data derived from rows: members of classes, then chains.
    pub members: u64,
    /// Bytes of the tape of all tokens, if passages are cut.
    pub tape: u64,
    /// Bytes of the places of texts, which cannot be spilled.
    pub places: u64,
    /// Bytes of what Onion remembers of n-grams, which cannot be spilled.
    pub seen: u64,
    /// Bytes of extracted occurrences.
    pub occurrences: u64,
    /// Bytes of features and postings, including construction.
    pub features: u64,
    /// Bytes of evidence in the run folder.
    pub evidence: u64,
    /// A lower bound on the seconds on this many threads.
    pub seconds: u64,
    /// Bytes of memory if nothing is spilled.
    pub peak: u64,
    /// Bytes of memory below which the run is refused.
    pub minimum: u64,
    /// The effect of the ceiling.
    pub fit: Fit,
}

/// The effect of a memory ceiling on a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase", tag = "fit")]
pub enum Fit {
    /// Everything fits in memory.
    #[default]
    Fits,
    /// Some data are spilled.
    Spills {
        /// Bytes of scratch.
        scratch: u64,
    },
    /// Scratch cannot hold everything either, so all texts are read several times, each time for
    /// a part of the shingles.
    Passes {
        /// How often they are read.
        passes: u32,
        /// Bytes of scratch.
        scratch: u64,
    },
    /// The run will be refused.
    Refused,
}

impl Prediction {
    /// The same, with this many bytes of scratch at most.
    #[must_use]
    pub fn with_scratch(mut self, room: u64, memory: u64) -> Self {
        let Fit::Spills { scratch } = self.fit else {
            return self;
        };
        let free = memory.saturating_sub(Budget::OVERHEAD);
        // Only what is derived from the members of classes is read in passes.
        let rows = if self.members > 0 { self.rows } else { 0 };
        let passes = needed_passes(rows, free, room);
        if passes > 1 {
            let scratch = scratch.saturating_sub(self.rows);
            self.fit = Fit::Passes { passes, scratch };
            self.seconds = self.seconds.saturating_mul(u64::from(passes));
        }
        self
    }

    /// The same, with this many bytes already in use.
    #[must_use]
    pub fn beside(mut self, held: u64, memory: u64) -> Self {
        self.peak = self.peak.saturating_add(held);
        self.minimum = self.minimum.saturating_add(held);
        self.fit = match self.fit {
            _ if memory < self.minimum => Fit::Refused,
            Fit::Fits if memory < self.peak => Fit::Spills {
                scratch: self.peak - memory,
            },
            fit => fit,
        };
        self
    }

    /// Both, one after the other; the second already accounts for what the first holds.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        let fit = match (self.fit, next.fit) {
            (Fit::Refused, _) | (_, Fit::Refused) => Fit::Refused,
            (Fit::Spills { scratch: a }, Fit::Spills { scratch: b }) => {
                Fit::Spills { scratch: a.max(b) }
            }
            (Fit::Fits, fit) | (fit, Fit::Fits) => fit,
            (passes @ Fit::Passes { .. }, _) | (_, passes) => passes,
        };
        Self {
            evidence: self.evidence.saturating_add(next.evidence),
            seconds: self.seconds.saturating_add(next.seconds),
            peak: self.peak.max(next.peak),
            minimum: self.minimum.max(next.minimum),
            fit,
            ..self
        }
    }
}

impl Sample {
    /// Extrapolates to `disk_bytes` of similar data under a ceiling of `memory` bytes, on `threads`
    /// threads.
    pub fn predict(&self, disk_bytes: u64, memory: u64, threads: usize) -> Prediction {
        let whole = self.amounts(disk_bytes);
        let fixed = self.fixed(&whole);
        let minimum = self.minimum(fixed);
        let peak = self.peak(&whole, threads);
        let rows_spill = whole.rows > held_rows(memory.saturating_sub(Budget::OVERHEAD));
        let fit = if memory < minimum {
            Fit::Refused
        } else if memory >= peak && !rows_spill {
            Fit::Fits
        } else {
            // Without room for all threads, a run takes one.
            let held = match Budget::enough(fixed, threads) {
                all if all <= memory => all,
                _ => Budget::enough(fixed, 1),
            };
            let scratch = self.spilled(&whole, memory - held, rows_spill);
            Fit::Spills { scratch }
        };
        Prediction {
            seconds: self.seconds(&whole, disk_bytes, threads),
            peak,
            minimum,
            fit,
            ..whole
        }
    }

    /// A count of the sample, in `disk_bytes` of similar data.
    fn scaled(&self, count: u64, disk_bytes: u64) -> u64 {
        let scaled = u128::from(count) * u128::from(disk_bytes);
        u64::try_from(scaled / u128::from(self.disk_bytes.max(1))).unwrap_or(u64::MAX)
    }

    /// How much there is of everything, in `disk_bytes` of similar data.
    fn amounts(&self, disk_bytes: u64) -> Prediction {
        let [records, units, tokens, shingles, text_bytes] = [
            self.records,
            self.units,
            self.tokens,
            self.shingles,
            self.text_bytes,
        ]
        .map(|count| self.scaled(count, disk_bytes));
        let repeated = part_of(shingles, self.repeated);
        let keys = self.keys.map_or(0, |(keys, threshold)| {
            let slots = u64::from(keys.slots().unwrap_or(0)) * units;
            slots + keys.kind().keys_of(threshold, units, text_bytes)
        });
        let cost = self.strategy.cost();
        let larger = disk_bytes as f64 / self.disk_bytes.max(1) as f64;
        let terms = (self.terms as f64 * larger.powf(self.terms_power)) as u64;
        let remembered = (repeated as f64 * self.distinct) as u64;
        Prediction {
            records,
            units,
            tokens,
            shingles,
            repeated,
            tables: sum([
                RECORD_BYTES.saturating_mul(records),
                UNIT_BYTES.saturating_mul(units),
            ]),
            terms: terms.saturating_mul(statistics::BYTES + statistics::BYTES_COUNTED),
            signed: cost.signature.saturating_mul(units),
            rows: cost.row.saturating_mul(shingles),
            tape: cost.token.saturating_mul(tokens),
            members: cost.member.saturating_mul(repeated),
            places: cost.place.saturating_mul(units),
            seen: match self.strategy {
                Strategy::Onion => sum([
                    SEEN_BYTES.saturating_mul(remembered),
                    FIRST_BYTES.saturating_mul(shingles / 64),
                    (size_of::<u64>() as u64).saturating_mul(records),
                ]),
                _ => 0,
            },
            occurrences: sum([
                cost.term.saturating_mul(repeated),
                (cost.in_candidate).saturating_mul(self.candidate_shingles(shingles)),
                cost.key.saturating_mul(keys),
            ]),
            features: (cost.feature * self.width).saturating_mul(repeated),
            evidence: EVIDENCE_BYTES.saturating_mul(units),
            ..Prediction::default()
        }
    }

    /// Bytes that cannot be spilled. Counted terms have spare capacity, which they can do without.
    fn fixed(&self, whole: &Prediction) -> u64 {
        let decided = match self.strategy {
            Strategy::Equal => Decision::BYTES - Decision::SHARED_BYTES,
            _ => 0,
        };
        sum([
            SMALL_BYTES,
            whole.tables,
            whole.terms / 5 * 4,
            whole.signed / 2,
            self.dictionary,
            whole.places,
            decided.saturating_mul(whole.units),
            whole.seen,
        ])
    }

    /// Bytes of memory below which a run is refused: there must be room for the largest record, too.
    fn minimum(&self, fixed: u64) -> u64 {
        let for_record = match self.large {
            0 => 0,
            large => Budget::enough_for_record(large).saturating_mul(1 << 20),
        };
        Budget::enough(fixed, 1)
            .max(for_record)
            .max(Budget::MINIMUM)
    }

    /// Bytes of memory of a run that spills nothing.
    fn peak(&self, whole: &Prediction, threads: usize) -> u64 {
        let buffers = match self.strategy {
            Strategy::Chains | Strategy::WeightedChains | Strategy::Passages => {
                Budget::THREAD.min(whole.rows / 3) * (threads.max(1) as u64 - 1)
            }
            _ => 0,
        };
        // Where signatures decide, counted terms are freed before keys are stored.
        let terms = match self.strategy {
            Strategy::Signatures => whole.terms.saturating_sub(whole.occurrences),
            _ => whole.terms,
        };
        // The tape is kept, and rows until all repeats are known.
        let taped = match self.strategy {
            Strategy::Passages => sum([whole.tape, whole.rows, whole.members]),
            _ => 0,
        };
        let most = taped
            .max(whole.occurrences)
            .max(whole.features)
            .max(whole.rows)
            .max(sum([whole.members, whole.places, whole.seen]))
            .max(Decision::BYTES.saturating_mul(whole.units))
            .max(self.large);
        sum([
            BASE_BYTES,
            self.buffers,
            whole.tables,
            terms,
            whole.signed,
            self.dictionary,
            most,
            buffers,
        ])
    }

    /// Bytes of scratch, if `room` is left for what can be spilled.
    fn spilled(&self, whole: &Prediction, room: u64, rows_spill: bool) -> u64 {
        let Prediction {
            features,
            members,
            occurrences,
            ..
        } = *whole;
        // Rows are freed before the data derived from them are built. Onion's positions go where its
        // rows went.
        let spilled_members = match self.strategy {
            Strategy::Onion if rows_spill => members,
            Strategy::Onion => 0,
            _ => members.saturating_sub(room / 2),
        };
        let spilled_tape = whole.tape.saturating_sub(room / 3);
        let spilled_occurrences = match self.strategy {
            // Half of the room is for derived data; with terms, their keys are also in memory.
            Strategy::Signatures => occurrences.saturating_sub(room.midpoint(whole.terms / 5 * 4)),
            Strategy::CandidateShingles => occurrences.saturating_sub(room / 2),
            Strategy::CandidateTerms => (3 * occurrences / 2).saturating_sub(room / 2),
            _ => occurrences.saturating_sub(room),
        };
        sum([
            if features > room { features / 3 } else { 0 },
            if rows_spill { whole.rows } else { 0 },
            spilled_members,
            spilled_tape,
            spilled_occurrences,
        ])
    }

    /// A lower bound on the seconds of a run: those of reading, and of what repeats.
    fn seconds(&self, whole: &Prediction, disk_bytes: u64, threads: usize) -> u64 {
        let readings = self.strategy.cost().readings;
        let reading = readings * self.scaled(self.time.as_micros() as u64, disk_bytes);
        let sorting = u128::from(whole.repeated) * OCCURRENCE_TIME.as_nanos() / 1000;
        let all = u128::from(reading) + sorting;
        u64::try_from(all.div_ceil(threads.max(1) as u128 * 1_000_000)).unwrap_or(u64::MAX)
    }

    /// The predicted number of shingles of candidates among this many. Keys shared by chance or in
    /// phrases grow with each doubling; pairs of copies appear in a sample in proportion to the
    /// square of its share. The truth is in between: the geometric mean of both.
    fn candidate_shingles(&self, shingles: u64) -> u64 {
        let Share {
            shingles: now,
            of,
            growth,
        } = self.in_candidates;
        let (linear, larger) = (
            part_of(shingles, self.in_candidates),
            shingles as f64 / of.max(1) as f64,
        );
        let share = now as f64 / of.max(1) as f64;
        if larger <= 1.0 || share <= growth {
            return linear;
        }
        let steep =
            (share * larger.powf((share / (share - growth)).log2())).min(1.0) * shingles as f64;
        #[expect(clippy::cast_sign_loss, reason = "a share of a count")]
        let between = (linear as f64 * steep).sqrt() as u64;
        between
    }

    /// The passes, described.
    pub fn passes(&self) -> &'static str {
        self.strategy.cost().passes
    }

    /// Numbers stored per feature.
    pub fn width(&self) -> u64 {
        self.width
    }
}

/// The sum, or the largest number.
fn sum<const N: usize>(amounts: [u64; N]) -> u64 {
    amounts.into_iter().fold(0, u64::saturating_add)
}

/// The predicted number of such shingles among this many.
fn part_of(shingles: u64, part: Share) -> u64 {
    let of = part.of.max(1) as f64;
    let doublings = (shingles as f64 / of).log2().max(0.0);
    let share = part.shingles as f64 / of + part.growth * doublings;
    #[expect(clippy::cast_sign_loss, reason = "a share of a count")]
    let part = (shingles as f64 * share.min(1.0)) as u64;
    part
}
