//! Predictions of the resources of a run, from a sample.

use super::{Sample, Share};
use crate::chains::{held_rows, needed_passes};
use crate::context::Budget;
use crate::decide::Decision;
use crate::statistics;
use crate::strategy::Strategy;
pub use crate::strategy::{MEMBER_BYTES, NUMBER_BYTES, OCCURRENCE_BYTES};
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
        let whole = |part: u64| {
            let scaled =
                u128::from(part) * u128::from(disk_bytes) / u128::from(self.disk_bytes.max(1));
            u64::try_from(scaled).unwrap_or(u64::MAX)
        };
        let (records, units, shingles) =
            (whole(self.records), whole(self.units), whole(self.shingles));
        let repeated = part_of(shingles, self.repeated);
        let in_candidates = self.candidate_shingles(shingles);
        let keys = self.keys.map_or(0, |(keys, threshold)| {
            let slots = u64::from(keys.slots().unwrap_or(0)) * units;
            let kind = keys.kind();
            slots + kind.keys_of(threshold, units, whole(self.text_bytes))
        });
        let stored = (repeated as f64 * self.distinct) as u64;
        let tables = RECORD_BYTES
            .saturating_mul(records)
            .saturating_add(UNIT_BYTES.saturating_mul(units));
        let cost = self.strategy.cost();
        let is_onion = self.strategy == Strategy::Onion;
        let rows = cost.row.saturating_mul(shingles);
        let members = cost.member.saturating_mul(repeated);
        let places = cost.place.saturating_mul(units);
        let seen = if is_onion {
            SEEN_BYTES
                .saturating_mul(stored)
                .saturating_add(FIRST_BYTES.saturating_mul(shingles / 64))
                .saturating_add((size_of::<u64>() as u64).saturating_mul(records))
        } else {
            0
        };
        let occurrences = (cost.term.saturating_mul(repeated))
            .saturating_add(cost.in_candidate.saturating_mul(in_candidates))
            .saturating_add(cost.key.saturating_mul(keys));
        let features = (cost.feature * self.width).saturating_mul(repeated);
        let signed = cost.signature.saturating_mul(units);
        let larger = disk_bytes as f64 / self.disk_bytes.max(1) as f64;
        let terms = (self.terms as f64 * larger.powf(self.terms_power)) as u64;
        let terms = terms.saturating_mul(statistics::BYTES + statistics::BYTES_COUNTED);
        let buffers = match self.strategy {
            Strategy::Chains | Strategy::WeightedChains | Strategy::Passages => {
                Budget::THREAD.min(rows / 3) * (threads.max(1) as u64 - 1)
            }
            _ => 0,
        };
        // Where signatures decide, counted terms are freed before keys are stored.
        let counted = if self.strategy == Strategy::Signatures {
            terms.saturating_sub(occurrences)
        } else {
            terms
        };
        let held = tables
            .saturating_add(counted)
            .saturating_add(signed)
            .saturating_add(self.dictionary);
        // Counted terms have spare capacity, which they can do without; keys can be spilled.
        let least = tables
            .saturating_add(terms / 5 * 4)
            .saturating_add(signed / 2)
            .saturating_add(self.dictionary);
        let decided = match self.strategy {
            Strategy::Equal => Decision::BYTES - Decision::SHARED_BYTES,
            _ => 0,
        };
        let needed = SMALL_BYTES
            .saturating_add(least)
            .saturating_add(places)
            .saturating_add(decided.saturating_mul(units))
            .saturating_add(seen);
        // Without room for all threads, a run takes one.
        let fixed = match Budget::enough(needed, threads) {
            all if all <= memory => all,
            _ => Budget::enough(needed, 1),
        };
        // A record is read only if the ceiling has room for it in addition to the tables.
        let for_record = if self.large > 0 {
            Budget::enough_for_record(self.large).saturating_mul(1 << 20)
        } else {
            0
        };
        let minimum = Budget::enough(needed, 1)
            .max(for_record)
            .max(Budget::MINIMUM);
        let most = occurrences
            .max(features)
            .max(rows)
            .max(members.saturating_add(places).saturating_add(seen))
            .max(Decision::BYTES.saturating_mul(units))
            .max(self.large);
        let peak = BASE_BYTES
            .saturating_add(self.buffers)
            .saturating_add(held)
            .saturating_add(most)
            .saturating_add(buffers);
        let rows_spill = rows > held_rows(memory.saturating_sub(Budget::OVERHEAD));
        let fit = if memory < minimum {
            Fit::Refused
        } else if memory >= peak && !rows_spill {
            Fit::Fits
        } else {
            let room = memory - fixed;
            let spilled_features = if features > room { features / 3 } else { 0 };
            // Rows are freed before the data derived from them are built. Onion's positions go where
            // its rows went.
            let spilled_members = match self.strategy {
                Strategy::Onion if rows_spill => members,
                Strategy::Onion => 0,
                _ => members.saturating_sub(room / 2),
            };
            let spilled_rows = if rows_spill { rows } else { 0 }.saturating_add(spilled_members);
            let spilled_occurrences = match self.strategy {
                // Half of the room is for derived data; with terms, their keys are also in memory.
                Strategy::Signatures => occurrences.saturating_sub(room.midpoint(terms / 5 * 4)),
                Strategy::CandidateShingles => occurrences.saturating_sub(room / 2),
                Strategy::CandidateTerms => (3 * occurrences / 2).saturating_sub(room / 2),
                _ => occurrences.saturating_sub(room),
            };
            let spilled = spilled_occurrences.saturating_add(spilled_features);
            Fit::Spills {
                scratch: spilled.saturating_add(spilled_rows),
            }
        };
        let reading = u128::from(cost.readings * whole(self.time.as_micros() as u64));
        let sorting = u128::from(repeated) * OCCURRENCE_TIME.as_nanos() / 1000;
        let seconds =
            u64::try_from((reading + sorting).div_ceil(threads.max(1) as u128 * 1_000_000))
                .unwrap_or(u64::MAX);
        Prediction {
            records,
            units,
            tokens: whole(self.tokens),
            shingles,
            repeated,
            tables,
            terms,
            signed,
            rows,
            members,
            places,
            seen,
            occurrences,
            features,
            evidence: EVIDENCE_BYTES.saturating_mul(units),
            seconds,
            peak,
            minimum,
            fit,
        }
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

/// The predicted number of such shingles among this many.
fn part_of(shingles: u64, part: Share) -> u64 {
    let of = part.of.max(1) as f64;
    let doublings = (shingles as f64 / of).log2().max(0.0);
    let share = part.shingles as f64 / of + part.growth * doublings;
    #[expect(clippy::cast_sign_loss, reason = "a share of a count")]
    let part = (shingles as f64 * share.min(1.0)) as u64;
    part
}
