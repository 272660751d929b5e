//! What a run will take, told from a sample: a [`Sampler`] reads some chunks as the engine would, and [`Sample::predict`] extrapolates.
//!
//! All of it is an estimate. A sample sees less of what repeats than the whole does: the share of repeated shingles is taken to grow with
//! each doubling of the text as it did inside the sample.
//!
//! The formulas, with R records, U units, S occurrences of shingles, O of them of shingles that repeat:
//!
//! | what | bytes |
//! | --- | --- |
//! | tables of records, units and groups | 110 R + 64 U |
//! | complete joins of runs: rows | 8 S, on scratch where memory is short |
//! | their members of classes, later their runs | 12 O, on scratch where memory is short |
//! | the places of runs, which must be in memory | S / 5 + 20 O / 8 |
//! | complete joins of others: repeat filter | 2 S, less where memory is short |
//! | extraction | 24 O, on scratch where memory is short |
//! | features, with their postings and what making them takes | 3 · 4 w O, w being 1 number for each, 2 with positions or weights |
//! | terms that are counted | 96 T, T being the distinct ones, which in large collections grow with a power of the text |
//! | the dictionary of Chinese words, where the sample has some | 48 MiB |
//! | signatures and keys | 96 U |
//! | verification of what shares keys | 16 O: the texts that repeat much are those that are nominated |
//! | Onion: repeat filter | 2 S, and 20 O for what repeats |
//!
//! Of weighed terms S and O are the distinct ones of each unit.
//! | evidence in the run folder | 72 U |
//!
//! The least memory is what cannot give way: the tables, the smallest buffers, and the largest record of the sample.

use crate::context::Budget;
use crate::engine;
use crate::error::Result;
use crate::hash::{Fingerprint, Sequence, Width};
use crate::recipe::Recipe;
use crate::record::{Batch, Chunk, Level};
use crate::repeats::RepeatCounter;
use crate::shingle::Shingler;
use crate::statistics;
use crate::text::fingerprints::fingerprints;
use crate::text::normalise::Normaliser;
use crate::text::segment::{self, Part};
use crate::text::words::Words;
use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

/// Bytes of tables for a record: its place, its number, its id, a field.
pub const RECORD_BYTES: u64 = 110;
/// Bytes of tables for a unit: tokens, digest, size, and its group.
pub const UNIT_BYTES: u64 = 64;
/// Bytes of an extracted occurrence.
pub const OCCURRENCE_BYTES: u64 = 24;
/// Bytes of the row of a shingle.
pub const ROW_BYTES: u64 = 8;
/// Bytes of the member of a class, or of a run.
pub const MEMBER_BYTES: u64 = 12;
/// Bytes of a unit in the run folder: its row among the units, its verdict, and a pair or a cluster now and then.
pub const EVIDENCE_BYTES: u64 = 72;
/// The smallest buffers of all threads and what else is small.
const SMALL_BYTES: u64 = 12 << 20;
/// Bytes of the program with the buffers of one thread, measured.
const BASE_BYTES: u64 = 40 << 20;
/// Bytes of what a unit is nominated by.
const SIGNED_BYTES: u64 = 96;
/// Bytes for each shingle that repeats of the texts that are nominated.
const NOMINATED_BYTES: u64 = 16;
/// Bytes of an n-gram that repeats, where the recipe judges by what was seen before.
const SEEN_BYTES: u64 = 20;
/// Shingles below which nothing is told from how repeats grow.
const MANY: u64 = 1 << 12;
/// Time for an occurrence that repeats: it is sorted, ranked, and met in a list, on one thread.
const OCCURRENCE_TIME: Duration = Duration::from_nanos(150);

/// Reads chunks and counts.
#[derive(Debug)]
pub struct Sampler {
    normaliser: Normaliser,
    shingler: Option<Shingler>,
    level: Level,
    mend: bool,
    width: u64,
    sample: Sample,
    digests: HashSet<u128>,
    /// For each shingle how often it occurred, in units that are not equal.
    shingles: HashMap<u64, u32>,
    batch: Batch,
    words: Words,
    /// Shingles and repeated ones where the sample had half and a quarter of its size, or more.
    before: [(u64, u64); 2],
    /// Whether each shingle counts once for a unit, being a term.
    distinct: bool,
    /// All terms, where they are counted.
    terms: Option<HashSet<u64>>,
    /// Tokens and terms where the sample had half and a quarter of its size, or more.
    terms_before: [(u64, u64); 2],
}

/// What a sample holds.
#[derive(Debug, Clone, Default, serde::Serialize)]
pub struct Sample {
    /// Bytes on disk.
    pub disk_bytes: u64,
    /// Bytes of text.
    pub text_bytes: u64,
    /// Records that could be read.
    pub records: u64,
    /// Records that could not.
    pub bad: u64,
    /// Units.
    pub units: u64,
    /// Units whose tokens an earlier one has.
    pub copies: u64,
    /// Units of fewer than two shingles' length.
    pub short: u64,
    /// Tokens.
    pub tokens: u64,
    /// Occurrences of shingles, copies left out.
    pub shingles: u64,
    /// Those of shingles that occur more than once.
    pub repeated: u64,
    /// Time on one thread for reading, normalising and hashing once.
    pub time: Duration,
    /// By how much the share of repeated shingles grew with the last doublings of the sample, each.
    pub growth: f64,
    /// Bytes of memory that the largest record takes, where one is larger than usual.
    pub large: u64,
    /// Numbers kept of a feature.
    width: u64,
    /// Distinct terms, where these are counted.
    pub terms: u64,
    /// By which power of the text they grow.
    pub terms_power: f64,
    /// Bytes of the dictionary that texts are cut by.
    pub dictionary: u64,
    /// Which passes the recipe makes.
    way: Way,
}

/// What a recipe does with what it reads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
enum Way {
    /// Only equal units count.
    Equal,
    /// Runs are joined.
    #[default]
    Runs,
    /// Shingles or terms are read again, and joined.
    Again,
    /// Signatures decide.
    Signed,
    /// What shares keys is read again and compared.
    Keyed,
    /// N-grams are judged in order.
    Seen,
}

impl Way {
    fn of(recipe: &Recipe) -> Self {
        let measure = recipe.measure;
        match recipe.keys {
            _ if measure.is_equality() => Self::Equal,
            _ if measure.is_in_order() => Self::Seen,
            Some(_) if measure.is_of_signatures() => Self::Signed,
            Some(_) => Self::Keyed,
            None if engine::has_runs(recipe) => Self::Runs,
            None => Self::Again,
        }
    }
}

impl Sampler {
    /// For a run of `recipe`.
    ///
    /// # Errors
    /// Usage errors naming the field of the recipe.
    pub fn new(recipe: &Recipe) -> Result<Self> {
        let shingled = !recipe.measure.is_equality();
        Ok(Self {
            normaliser: recipe.check()?,
            shingler: shingled.then(|| Shingler::new(recipe.ngram, Width::FULL)),
            level: recipe.unit,
            mend: recipe.mend,
            width: 1 + u64::from(recipe.measure.needs_positions() || recipe.measure.needs_weights()),
            sample: Sample { way: Way::of(recipe), ..Sample::default() },
            distinct: recipe.measure.needs_weights(),
            terms: recipe.needs_statistics().then(HashSet::new),
            terms_before: [(0, 0); 2],
            digests: HashSet::new(),
            shingles: HashMap::new(),
            batch: Batch::default(),
            words: Words::default(),
            before: [(0, 0); 2],
        })
    }

    /// Bytes of text read so far.
    pub fn text_bytes(&self) -> u64 {
        self.sample.text_bytes
    }

    /// Reads a chunk.
    pub fn read(&mut self, chunk: &dyn Chunk) {
        let start = Instant::now();
        let mut batch = std::mem::take(&mut self.batch);
        batch.clear();
        chunk.read(&mut batch);
        self.sample.disk_bytes += chunk.disk_bytes();
        self.sample.large = self.sample.large.max(chunk.large().map_or(0, |record| record.memory));
        self.sample.records += batch.records.len() as u64;
        self.sample.bad += batch.bad.len() as u64;
        let (mut parts, mut tokens, mut ids): (Vec<Part>, Vec<Fingerprint>, Vec<u64>) = Default::default();
        let mut words = std::mem::take(&mut self.words);
        for record in &batch.records {
            let text = batch.text_of(record);
            self.sample.text_bytes += text.len() as u64;
            parts.clear();
            segment::parts(text, batch.segments_of(record), self.level, self.mend, &mut parts);
            for part in &parts {
                let count = fingerprints(&self.normaliser, &mut words, &text[part.text.clone()], &mut tokens);
                self.unit(count, &tokens, &mut ids);
            }
        }
        self.words = words;
        self.batch = batch;
        self.sample.time += start.elapsed();
    }

    fn unit(&mut self, count: usize, tokens: &[Fingerprint], ids: &mut Vec<u64>) {
        self.sample.units += 1;
        self.sample.tokens += count as u64;
        let mut sequence = Sequence::default();
        for token in tokens {
            sequence.push(*token);
        }
        if !self.digests.insert(sequence.finish().digest()) {
            self.sample.copies += 1;
            return;
        }
        if let Some(terms) = &mut self.terms {
            terms.extend(tokens.iter().map(|token| token.id));
            if self.sample.tokens >= 2 * self.terms_before[1].0.max(MANY) {
                self.terms_before = [self.terms_before[1], (self.sample.tokens, terms.len() as u64)];
            }
        }
        let Some(shingler) = &self.shingler else { return };
        self.sample.short += u64::from(count < 2 * shingler.n());
        shingler.ids(tokens, ids);
        if self.distinct {
            ids.sort_unstable();
            ids.dedup();
        }
        self.sample.shingles += ids.len() as u64;
        if self.sample.shingles >= 2 * self.before[1].0.max(MANY) {
            self.before = [self.before[1], (self.sample.shingles - ids.len() as u64, self.sample.repeated)];
        }
        for id in ids {
            let seen = self.shingles.entry(*id).or_default();
            *seen += 1;
            // The second occurrence makes the first one a repeated one too.
            self.sample.repeated += match *seen {
                1 => 0,
                2 => 2,
                _ => 1,
            };
        }
    }

    /// Ends the sampling.
    pub fn finish(self) -> Sample {
        let share = |(all, part): (u64, u64)| part as f64 / all.max(1) as f64;
        let now = (self.sample.shingles, self.sample.repeated);
        let growth = match self.before[0] {
            (0, _) => 0.0,
            then => (share(now) - share(then)) / (now.0 as f64 / then.0 as f64).log2(),
        };
        let terms = self.terms.map_or(0, |terms| terms.len() as u64);
        let terms_power = match self.terms_before[0] {
            (0, _) | (_, 0) => 1.0,
            (tokens, before) => (terms as f64 / before as f64).log2() / (self.sample.tokens as f64 / tokens as f64).log2(),
        };
        let terms_power = terms_power.clamp(0.0, 1.0);
        let dictionary = self.normaliser.dictionary_bytes();
        Sample { width: self.width, growth: growth.clamp(0.0, 1.0), terms, terms_power, dictionary, ..self.sample }
    }
}

/// What a run will take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Prediction {
    /// Records.
    pub records: u64,
    /// Units.
    pub units: u64,
    /// Tokens.
    pub tokens: u64,
    /// Occurrences of shingles.
    pub shingles: u64,
    /// Those of shingles that repeat.
    pub repeated: u64,
    /// Bytes of the tables.
    pub tables: u64,
    /// Bytes of the terms that are counted.
    pub terms: u64,
    /// Bytes of signatures and keys.
    pub signed: u64,
    /// Bytes of the rows of shingles, where runs are joined.
    pub rows: u64,
    /// Bytes of what is made of rows: members of classes, then runs.
    pub members: u64,
    /// Bytes of the places of runs, which cannot go to scratch.
    pub places: u64,
    /// Bytes of the repeat filter, where there are no runs.
    pub filter: u64,
    /// Bytes of extracted occurrences.
    pub occurrences: u64,
    /// Bytes of features, postings, and what making them takes.
    pub features: u64,
    /// Bytes of evidence in the run folder.
    pub evidence: u64,
    /// Seconds on so many threads, at least.
    pub seconds: u64,
    /// Bytes of memory where nothing gives way.
    pub peak: u64,
    /// Bytes of memory below which the run is refused.
    pub minimum: u64,
    /// What the ceiling will do.
    pub fit: Fit,
}

/// What a memory ceiling will do to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase", tag = "fit")]
pub enum Fit {
    /// All stays in memory.
    Fits,
    /// Some goes to scratch.
    Spills {
        /// Bytes of scratch.
        scratch: u64,
    },
    /// The run will be refused.
    Refused,
}

impl Sample {
    /// Extrapolates to `disk_bytes` of the same kind under a ceiling of `memory` bytes, on `threads` threads.
    pub fn predict(&self, disk_bytes: u64, memory: u64, threads: usize) -> Prediction {
        let whole = |part: u64| {
            let scaled = u128::from(part) * u128::from(disk_bytes) / u128::from(self.disk_bytes.max(1));
            u64::try_from(scaled).unwrap_or(u64::MAX)
        };
        let (records, units, shingles) = (whole(self.records), whole(self.units), whole(self.shingles));
        let repeated = self.repeated_of(shingles);
        let tables = RECORD_BYTES.saturating_mul(records).saturating_add(UNIT_BYTES.saturating_mul(units));
        let on = |ways: &[Way], bytes: u64, count: u64| if ways.contains(&self.way) { bytes.saturating_mul(count) } else { 0 };
        let rows = on(&[Way::Runs], ROW_BYTES, shingles);
        let members = on(&[Way::Runs], MEMBER_BYTES, repeated);
        let places = on(&[Way::Runs], 1, shingles / 5 + 20 * (repeated / 8));
        // Terms are not filtered: most occur in several units.
        let filtered = if self.terms > 0 { 0 } else { shingles };
        let filter = on(&[Way::Again, Way::Seen], RepeatCounter::BYTES_PER_ID, filtered);
        let occurrences = on(&[Way::Again], OCCURRENCE_BYTES, repeated)
            .saturating_add(on(&[Way::Keyed], NOMINATED_BYTES, repeated))
            .saturating_add(on(&[Way::Seen], SEEN_BYTES, repeated));
        let features = on(&[Way::Again], 3 * 4 * self.width, repeated);
        let signed = on(&[Way::Signed, Way::Keyed], SIGNED_BYTES, units);
        let larger = disk_bytes as f64 / self.disk_bytes.max(1) as f64;
        let terms = (self.terms as f64 * larger.powf(self.terms_power)) as u64;
        let terms = terms.saturating_mul(statistics::BYTES + statistics::BYTES_COUNTED);
        let buffers = on(&[Way::Runs], 1, Budget::THREAD.min(rows / 3)) * (threads.max(1) as u64 - 1);
        let held = tables.saturating_add(terms).saturating_add(signed).saturating_add(self.dictionary);
        let fixed = Budget::enough(SMALL_BYTES.saturating_add(held).saturating_add(places), threads);
        // A record is read only under a ceiling that has room for it besides the tables.
        let for_record = if self.large > 0 { Budget::enough_for_record(self.large).saturating_mul(1 << 20) } else { 0 };
        let minimum = fixed.max(for_record).max(Budget::MINIMUM);
        let most = filter.saturating_add(occurrences).max(features).max(rows).max(members.saturating_add(places)).max(self.large);
        let peak = BASE_BYTES.saturating_add(held).saturating_add(most).saturating_add(buffers);
        let fit = if memory < minimum {
            Fit::Refused
        } else if memory >= peak {
            Fit::Fits
        } else {
            let room = memory - fixed;
            // The filter takes at most half of what is free, the rest of the room is for occurrences, and later for features.
            let for_occurrences = room.saturating_sub(filter.min(room / 2));
            let spilled_features = if features > room { features / 3 } else { 0 };
            // Rows take three quarters of the room, and what is made of them comes when they are gone.
            let spilled_rows = rows.saturating_sub(room / 4 * 3).saturating_add(members.saturating_sub(room / 2));
            let spilled = occurrences.saturating_sub(for_occurrences).saturating_add(spilled_features);
            Fit::Spills { scratch: spilled.saturating_add(spilled_rows) }
        };
        // Of runs only the texts of candidates are read once more.
        let passes = if shingles > 0 && self.way != Way::Runs { 2 } else { 1 };
        let reading = u128::from(passes * whole(self.time.as_micros() as u64));
        let sorting = u128::from(repeated) * OCCURRENCE_TIME.as_nanos() / 1000;
        let seconds = u64::try_from((reading + sorting).div_ceil(threads.max(1) as u128 * 1_000_000)).unwrap_or(u64::MAX);
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
            filter,
            occurrences,
            features,
            evidence: EVIDENCE_BYTES.saturating_mul(units),
            seconds,
            peak,
            minimum,
            fit,
        }
    }

    /// How many of so many shingles repeat.
    fn repeated_of(&self, shingles: u64) -> u64 {
        let now = self.repeated as f64 / self.shingles.max(1) as f64;
        let doublings = (shingles as f64 / self.shingles.max(1) as f64).log2().max(0.0);
        #[expect(clippy::cast_sign_loss, reason = "a share of a count")]
        let repeated = (shingles as f64 * (now + self.growth * doublings).min(1.0)) as u64;
        repeated
    }

    /// Numbers kept of a feature.
    pub fn width(&self) -> u64 {
        self.width
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Lines(&'static str);

    impl Chunk for Lines {
        fn file(&self) -> u32 {
            0
        }
        fn disk_bytes(&self) -> u64 {
            self.0.len() as u64
        }
        fn read(&self, batch: &mut Batch) {
            for (number, line) in (1..).zip(self.0.lines()) {
                let mark = batch.begin();
                batch.text.push_str(line);
                batch.finish(&mark, number, number..number, false);
            }
        }
    }

    fn sample(recipe: &str, text: &'static str) -> Sample {
        let recipe = Recipe::named(recipe).unwrap().with("ngram", "2").unwrap();
        let mut sampler = Sampler::new(&recipe).unwrap();
        sampler.read(&Lines(text));
        sampler.finish()
    }

    #[test]
    fn what_repeats_is_counted_and_copies_are_left_out() {
        let found = sample("sscr", "a b c d\na b x y\nA b c d\nq\n");
        assert_eq!((found.records, found.units, found.copies, found.tokens), (4, 4, 1, 13));
        assert_eq!((found.shingles, found.repeated, found.short), (7, 2, 1));
        let exact = sample("exact", "a b c d\n");
        assert_eq!((exact.shingles, exact.predict(1 << 40, u64::MAX, 1).filter), (0, 0));
    }

    #[test]
    fn a_ceiling_fits_spills_or_is_refused() {
        let mut found = sample("sscr", "a b c d\na b x y\n");
        found.time = Duration::from_micros(10);
        let at = |memory: u64| found.predict(found.disk_bytes << 20, memory, 2);
        let free = at(u64::MAX);
        assert_eq!((free.records, free.tokens, free.fit), (2 << 20, 8 << 20, Fit::Fits));
        assert!(free.seconds >= 5);
        assert!(free.minimum < free.peak);
        assert!(matches!(at(free.peak - 1).fit, Fit::Fits | Fit::Spills { .. }));
        assert!(matches!(at(free.minimum).fit, Fit::Spills { scratch } if scratch > 0));
        assert_eq!(at(free.minimum - 1).fit, Fit::Refused);
        assert_eq!(Sample::default().predict(0, 1 << 30, 1).fit, Fit::Fits);
        assert_eq!(Sample::default().predict(u64::MAX, u64::MAX, 0).seconds, 0);
    }
}
