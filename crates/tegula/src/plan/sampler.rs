//! Samples: some chunks, read like the engine does, and counted.

use crate::engine::reading::Buffers;
use crate::engine::sign::{Signer, Work};
use crate::error::Result;
use crate::hash::{Fingerprint, Sequence, Width};
use crate::recipe::{Keys, Recipe};
use crate::record::{Batch, Chunk, Level};
use crate::shingle::Shingler;
use crate::statistics::Statistics;
use crate::strategy::Strategy;
use crate::text::fingerprints::fingerprints;
use crate::text::normalise::Normaliser;
use crate::text::segment;
use crate::text::words::Words;
use crate::threshold::Threshold;
use std::collections::HashSet;
use std::collections::hash_map::{Entry, HashMap};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// The minimum number of shingles for estimating growth.
const MANY: u64 = 1 << 12;
/// Of how many shingles one is looked at, by its hash, to see which repeat, if text is skimmed.
const THIN: u64 = 16;

/// Reads chunks and counts.
pub struct Sampler<'a> {
    normaliser: Normaliser,
    /// The steps that drop no tokens, if those that are dropped count too.
    of_balance: Option<Normaliser>,
    shingler: Option<Shingler>,
    level: Level,
    rejoin: bool,
    sample: Sample,
    /// Those of all units seen, cut to 64 bits.
    digests: HashSet<u64>,
    /// Of how many shingles one is looked at.
    one_in: u64,
    /// For each shingle that is looked at, its number of occurrences in distinct units.
    shingles: HashMap<u64, u32>,
    repeats: Trend,
    batch: Batch,
    buffers: Buffers,
    words: Words,
    /// Whether each shingle counts once per unit, because sets or terms are compared.
    distinct: bool,
    /// All terms, if they are counted.
    terms: Option<(HashSet<u64>, Trend)>,
    candidates: Option<CandidateSampler<'a>>,
}

/// A part of the counts: its size now, and when the sample had at most half and a quarter of its
/// size.
#[derive(Debug, Default)]
struct Trend {
    now: (u64, u64),
    before: [(u64, u64); 2],
}

impl Trend {
    /// Adds to the whole and to the part.
    fn add(&mut self, all: u64, part: u64) {
        if self.now.0 >= 2 * self.before[1].0.max(MANY) {
            self.before = [self.before[1], self.now];
        }
        self.now = (self.now.0 + all, self.now.1 + part);
    }

    /// The factor by which the share of the part grew with each of the last doublings.
    fn growth(&self) -> f64 {
        let share = |(all, part): (u64, u64)| part as f64 / all.max(1) as f64;
        let grown = match self.before[0] {
            (0, _) => 0.0,
            then => (share(self.now) - share(then)) / (self.now.0 as f64 / then.0 as f64).log2(),
        };
        grown.clamp(0.0, 1.0)
    }

    /// The exponent with which the part grew relative to the whole.
    fn power(&self) -> f64 {
        let power = match self.before[0] {
            (0, _) | (_, 0) => 1.0,
            (all, part) => {
                (self.now.1 as f64 / part as f64).log2() / (self.now.0 as f64 / all as f64).log2()
            }
        };
        power.clamp(0.0, 1.0)
    }
}

/// A part of the shingles of a sample.
#[derive(Debug, Clone, Copy, Default, serde::Serialize)]
pub struct Share {
    /// Their number.
    pub shingles: u64,
    /// The number of shingles of which they are a part.
    pub of: u64,
    /// The factor by which their share grew with each of the last doublings of the sample.
    pub growth: f64,
}

impl Share {
    fn of(trend: &Trend, one_in: u64) -> Self {
        Self {
            shingles: one_in * trend.now.1,
            of: one_in * trend.now.0,
            growth: trend.growth(),
        }
    }
}

/// Finds the units that share a key with another.
struct CandidateSampler<'a> {
    signer: Signer<'a>,
    work: Work,
    /// For each key, the first unit that had it.
    first: HashMap<u64, usize>,
    /// By unit, its number of shingles, until it becomes a candidate.
    shingles: Vec<u64>,
    trend: Trend,
}

impl<'a> CandidateSampler<'a> {
    /// For a recipe that generates candidates from keys of shingles, and compares shingles.
    fn new(recipe: &Recipe, keys: &'a Keys) -> Result<Self> {
        static NONE: LazyLock<Statistics> = LazyLock::new(Statistics::default);
        let signer = Signer::new(recipe, keys, &NONE, None, 0)?;
        Ok(Self {
            signer,
            work: Work::default(),
            first: HashMap::new(),
            shingles: Vec::new(),
            trend: Trend::default(),
        })
    }

    /// Adds the next unit, whose tokens are in the buffers.
    fn add(
        &mut self,
        normaliser: &Normaliser,
        (text, tokens): (&str, usize),
        buffers: &Buffers,
        shingles: u64,
    ) {
        let Self {
            signer,
            work,
            first,
            shingles: waiting,
            trend,
        } = self;
        let unit = waiting.len();
        waiting.push(shingles);
        signer.sign(normaliser, text, tokens, buffers, work);
        let mut in_candidates = 0;
        for key in &work.signature.keys {
            match first.entry(key.id) {
                Entry::Occupied(other) => {
                    in_candidates += [*other.get(), unit]
                        .map(|unit| std::mem::take(&mut waiting[unit]))
                        .iter()
                        .sum::<u64>();
                }
                Entry::Vacant(free) => {
                    free.insert(unit);
                }
            }
        }
        trend.add(shingles, in_candidates);
    }
}

/// The counts of a sample.
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
    /// Why one of them could not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bad_example: Option<String>,
    /// Units.
    pub units: u64,
    /// Units with the same tokens as an earlier one.
    pub copies: u64,
    /// Units shorter than two shingles.
    pub short: u64,
    /// Tokens.
    pub tokens: u64,
    /// Occurrences of shingles, without copies; if sets are compared, each once per unit.
    pub shingles: u64,
    /// Occurrences of shingles that occur more than once.
    pub repeated: Share,
    /// Occurrences in units that share a key with another, if the recipe generates candidates from
    /// keys of shingles.
    pub in_candidates: Share,
    /// Time on one thread for reading, normalising and hashing once.
    pub time: Duration,
    /// Bytes of memory for the largest record, if any is larger than normal.
    pub large: u64,
    /// Additional bytes of memory for reading and writing this kind of file.
    pub buffers: u64,
    /// Numbers stored per feature.
    pub(super) width: u64,
    /// Distinct terms, if they are counted.
    pub terms: u64,
    /// The exponent with which they grow with the text.
    pub terms_power: f64,
    /// Bytes of the dictionary for segmentation.
    pub dictionary: u64,
    /// The keys with the recipe's threshold, if signatures decide.
    #[serde(skip)]
    pub(super) keys: Option<(Keys, Threshold)>,
    /// Distinct shingles among those that occur more than once, as a share of their occurrences.
    pub(super) distinct: f64,
    /// How the recipe finds its pairs.
    pub(super) strategy: Strategy,
}

impl<'a> Sampler<'a> {
    /// A sampler for a run of `recipe`; `skims` if some chunks are to be [skimmed](Sampler::skim).
    ///
    /// # Errors
    /// Usage errors naming the field of the recipe.
    pub fn new(recipe: &'a Recipe, skims: bool) -> Result<Self> {
        let shingled = !recipe.measure.is_equality();
        let strategy = Strategy::of(recipe, recipe.statistics.is_some());
        let width =
            1 + u64::from(recipe.measure.needs_positions() || recipe.measure.needs_weights());
        let keys = recipe.keys.as_ref();
        Ok(Self {
            normaliser: recipe.check()?,
            of_balance: (recipe.balance_steps())
                .map(|steps| Normaliser::new(&steps))
                .transpose()?,
            shingler: shingled.then(|| Shingler::new(recipe.ngram, Width::FULL)),
            level: recipe.unit,
            rejoin: recipe.rejoin,
            sample: Sample {
                width,
                strategy,
                keys: keys
                    .filter(|_| strategy == Strategy::Signatures)
                    .map(|keys| (*keys, recipe.threshold)),
                ..Sample::default()
            },
            distinct: recipe.measure.needs_weights() || recipe.measure.needs_sets(),
            terms: recipe.needs_statistics().then(Default::default),
            candidates: keys
                .filter(|_| strategy == Strategy::CandidateShingles)
                .map(|keys| CandidateSampler::new(recipe, keys))
                .transpose()?,
            digests: HashSet::new(),
            one_in: if skims { THIN } else { 1 },
            shingles: HashMap::new(),
            repeats: Trend::default(),
            batch: Batch::default(),
            buffers: Buffers::default(),
            words: Words::default(),
        })
    }

    /// Bytes of text read so far.
    pub fn text_bytes(&self) -> u64 {
        self.sample.text_bytes
    }

    /// Whether tokens are found so fast that much text can be [skimmed](Sampler::skim).
    pub fn is_fast(&self) -> bool {
        self.normaliser.fast().is_some()
    }

    /// Reads a chunk only to see what repeats in it, and how large its largest record is.
    pub fn skim(&mut self, chunk: &dyn Chunk) {
        self.look(chunk, false);
    }

    /// Skips a chunk, except for the size of a large record, and whether any text needs the
    /// dictionary.
    pub fn pass(&mut self, chunk: &dyn Chunk) {
        self.note_large(chunk);
        if !self.normaliser.may_load("一") {
            return;
        }
        self.batch.clear();
        chunk.read(&mut self.batch);
        let mut texts = self
            .batch
            .records
            .iter()
            .map(|record| self.batch.text_of(record));
        if let Some(text) = texts.find(|text| self.normaliser.may_load(text)) {
            fingerprints(
                &self.normaliser,
                &mut self.words,
                text,
                &mut self.buffers.tokens,
            );
        }
    }

    fn note_large(&mut self, chunk: &dyn Chunk) {
        self.sample.large = self
            .sample
            .large
            .max(chunk.large().map_or(0, |record| record.memory));
    }

    /// Reads a chunk.
    pub fn read(&mut self, chunk: &dyn Chunk) {
        let start = Instant::now();
        self.look(chunk, true);
        self.sample.time += start.elapsed();
    }

    fn look(&mut self, chunk: &dyn Chunk, whole: bool) {
        self.note_large(chunk);
        let mut batch = std::mem::take(&mut self.batch);
        batch.clear();
        chunk.read(&mut batch);
        if whole {
            self.sample.records += batch.records.len() as u64;
            self.sample.bad += batch.bad.len() as u64;
            if let (None, Some(bad)) = (&self.sample.bad_example, batch.bad.first()) {
                self.sample.bad_example = Some(bad.error.to_string());
            }
        }
        let (mut parts, mut ids): (Vec<segment::Part>, Vec<u64>) = Default::default();
        let (mut words, mut buffers) = (
            std::mem::take(&mut self.words),
            std::mem::take(&mut self.buffers),
        );
        for record in &batch.records {
            let text = batch.text_of(record);
            if whole {
                self.sample.text_bytes += text.len() as u64;
            }
            parts.clear();
            segment::parts(
                text,
                batch.segments_of(record),
                self.level,
                self.rejoin,
                &mut parts,
            );
            for part in &parts {
                let text = &text[part.text.clone()];
                let count = fingerprints(&self.normaliser, &mut words, text, &mut buffers.tokens);
                self.unit((text, count), whole, &buffers, &mut ids);
                if let (true, Some(normaliser)) = (whole, &self.of_balance) {
                    let all = fingerprints(normaliser, &mut words, text, &mut buffers.tokens);
                    self.sample.tokens = self.sample.tokens + all as u64 - count as u64;
                }
            }
        }
        (self.words, self.buffers, self.batch) = (words, buffers, batch);
    }

    /// Sets the bytes on disk that the sample represents.
    pub fn stands_for(&mut self, disk_bytes: u64) {
        self.sample.disk_bytes += disk_bytes;
    }

    /// Adds bytes of memory for reading and writing this kind of file.
    pub fn buffers(&mut self, bytes: u64) {
        self.sample.buffers = self.sample.buffers.max(bytes);
    }

    fn unit(
        &mut self,
        (text, count): (&str, usize),
        whole: bool,
        buffers: &Buffers,
        ids: &mut Vec<u64>,
    ) {
        let tokens: &[Fingerprint] = &buffers.tokens;
        let mut sequence = Sequence::default();
        for token in tokens {
            sequence.push(*token);
        }
        let is_new = self.digests.insert(sequence.finish().whole());
        if whole {
            self.sample.units += 1;
            self.sample.tokens += count as u64;
            self.sample.copies += u64::from(!is_new);
        }
        if !is_new {
            return;
        }
        if let (true, Some((terms, trend))) = (whole, &mut self.terms) {
            let before = terms.len();
            terms.extend(tokens.iter().map(|token| token.id));
            trend.add(count as u64, (terms.len() - before) as u64);
        }
        let Some(shingler) = &self.shingler else {
            return;
        };
        shingler.ids(tokens, ids);
        if whole {
            self.sample.short += u64::from(count < 2 * shingler.n());
            if self.distinct {
                ids.sort_unstable();
                ids.dedup();
            }
            self.sample.shingles += ids.len() as u64;
        }
        ids.retain(|id| id % self.one_in == 0);
        if self.distinct && !whole {
            ids.sort_unstable();
            ids.dedup();
        }
        let mut repeated = 0;
        for id in &*ids {
            let seen = self.shingles.entry(*id).or_default();
            *seen += 1;
            // The second occurrence also makes the first one repeated.
            repeated += match *seen {
                1 => 0,
                2 => 2,
                _ => 1,
            };
        }
        self.repeats.add(ids.len() as u64, repeated);
        if let Some(candidates) = &mut self.candidates {
            candidates.add(&self.normaliser, (text, count), buffers, ids.len() as u64);
        }
    }

    /// Ends the sampling.
    pub fn finish(self) -> Sample {
        let (terms, terms_power) = self.terms.map_or((0, 1.0), |(terms, trend)| {
            (terms.len() as u64, trend.power())
        });
        let distinct = self.shingles.values().filter(|count| **count > 1).count();
        Sample {
            distinct: distinct as f64 / self.repeats.now.1.max(1) as f64,
            repeated: Share::of(&self.repeats, self.one_in),
            in_candidates: self.candidates.map_or(Share::default(), |candidates| {
                Share::of(&candidates.trend, self.one_in)
            }),
            terms,
            terms_power,
            dictionary: self.normaliser.dictionary_bytes(),
            ..self.sample
        }
    }
}
