//! The engine: from a source to evidence. One driver for all recipes.
//!
//! ```text
//! survey    pass 1: sizes, digests, rows of shingles               → units, groups, rows
//! features  what several groups share, the rarest first            → blocks of ranked features
//! join      join(index block, probe block) over all block pairs    → candidates
//! verify    the texts of candidates, read again                    → pairs
//! ```
//!
//! Recipes with keys compare fewer pairs, and extract only the features that these need:
//!
//! ```text
//! sign      pass 2: each group's keys, and its slots if signatures are compared
//! generate  the same ranks and joins, over keys                    → candidates
//! extract   pass 3: shingles or weighted terms of the candidates
//! verify    the measure, for each candidate                        → pairs
//! ```
//!
//! With term weighting, the survey counts in how many units each term occurs. If a recipe computes
//! edit distances or masks parts of the texts, pairs are rescored ([`rescore`]).

mod apart;
pub mod bad_records;
pub mod breakdown;
pub mod checkpoint;
pub mod count;
mod counted;
mod deciding;
mod equals;
pub(crate) mod extract;
mod group_texts;
mod keyed;
pub mod one_pass;
pub(crate) mod onion;
mod ordered;
mod passages;
pub(crate) mod reading;
pub(crate) mod recording;
pub(crate) mod reread;
pub mod rescore;
pub(crate) mod sign;
pub mod survey;
pub(crate) mod taped;
pub(crate) mod terms;
pub mod text_keys;
mod verify;

use crate::block::{Frequent, Layout, Numbers, Shape};
use crate::constraint::Constraints;
use crate::context::Context;
use crate::decide::{Decision, Policy};
use crate::error::{Error, ErrorKind, Result};
use crate::evidence::{
    Candidates, Evidence, Findings, Notes, Pairs, ScoredPairs, Scoring, Settled,
};
use crate::group::Groups;
use crate::hash::Width;
use crate::measure::{Collection, Compares, Measure};
use crate::pair::{Allow, Pair, Validation};
use crate::rabin::Rabin;
use crate::rarity::Rarity;
use crate::recipe::{FingerprintKind, Recipe, Select, Weights};
use crate::record::Source;
use crate::runs::{Bits, Identity, Kind, RowSpec, Rows};
use crate::shingle::Shingler;
use crate::sketch::modulo::Modulo;
use crate::statistics::{Counter, Statistics};
use crate::text::classes::Classes;
use crate::text::normalise::Normaliser;
use bad_records::{BadRecords, Once};
use checkpoint::{Checkpoint, FEATURES, PAIRS};
use deciding::Deciding;
pub use deciding::find_to_decide;
pub use onion::sweep;
use reading::{Features as Looked, Reading, Shingles};
use reread::Firsts;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use survey::Survey;
use terms::Weigher;

/// Settings that do not change the output, for tests.
#[derive(Debug, Clone, Copy)]
pub struct Tuning {
    /// Bits of fingerprint ids in use.
    pub id_bits: u32,
    /// Maximum groups in a block.
    pub block_groups: usize,
    /// Bits in use of the signatures of shingle positions.
    pub signature_bits: u32,
    /// The minimum number of passes for runs.
    pub passes: u32,
    /// Bits of the positions of shingles, or more if there may be more positions.
    pub position_bits: u32,
    /// The maximum number of pairs listed if only a decision is needed, and the additional number
    /// per group: see [`find_to_decide`].
    pub listed: (u64, u64),
    /// The size of the first batch of texts to decide on if pairs are not listed.
    pub together: usize,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            id_bits: 64,
            block_groups: usize::MAX,
            signature_bits: 32,
            passes: 1,
            position_bits: 32,
            listed: (1 << 20, 8),
            together: 128,
        }
    }
}

/// The task of a run.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// The collection.
    pub source: &'a dyn Source,
    /// The method.
    pub recipe: &'a Recipe,
    /// The constraints on pairs.
    pub constraints: &'a Constraints,
    /// Document frequencies of terms; if a recipe needs them and none are given, they are counted
    /// in the collection.
    pub statistics: Option<&'a Statistics>,
    /// Storage for finished stages.
    pub checkpoint: Option<&'a dyn Checkpoint>,
    /// Leave this at its default.
    pub tuning: Tuning,
}

/// Runs a recipe over a source.
///
/// # Errors
/// Usage errors before anything is read; then errors of the input, the memory ceiling or scratch.
pub fn find(context: &Context, job: Job, bad: &mut dyn BadRecords) -> Result<Findings> {
    search(context, job, Asked::default(), bad)
}

/// As [`find`]; with `among`, only pairs with at least one group whose first unit is marked there.
///
/// # Errors
/// As [`find`].
pub(crate) fn find_among(
    context: &Context,
    job: Job,
    among: Option<&[bool]>,
    bad: &mut dyn BadRecords,
) -> Result<Findings> {
    search(
        context,
        job,
        Asked {
            among,
            ..Asked::default()
        },
        bad,
    )
}

/// Restrictions for checks that need only part of the findings.
#[derive(Clone, Copy, Default)]
struct Asked<'a> {
    /// Each pair must contain one of these units; `None` for all.
    among: Option<&'a [bool]>,
    /// The policy, if only its decision is needed.
    policy: Option<&'a Policy>,
}

fn search(context: &Context, job: Job, asked: Asked, bad: &mut dyn BadRecords) -> Result<Findings> {
    let mut bad = Once::new(bad);
    context.on_threads_that_fit(|| {
        bad.begin();
        search_once(context, job, asked, &mut bad)
    })
}

fn search_once(
    context: &Context,
    job: Job,
    Asked { among, policy }: Asked,
    bad: &mut dyn BadRecords,
) -> Result<Findings> {
    let recipe = job.recipe;
    if recipe.measure.is_of_passages() {
        return passages::find(context, job, policy.unwrap_or(&Policy::default()), bad);
    }
    if recipe.measure.is_in_order() {
        return onion::find(context, job, bad);
    }
    let normaliser = recipe.check()?;
    let unmasked = recipe
        .unmasked_steps()
        .map(|steps| Normaliser::new(&steps))
        .transpose()?;
    let items = recipe.items()?;
    let width = Width::bits(job.tuning.id_bits);
    let shingles = recipe
        .measure
        .needs_shingles()
        .then(|| shingles(recipe, width))
        .transpose()?;
    let (kept_pairs, kept_features) = kept(&job)?;
    let goes_on = kept_pairs.is_some() || kept_features.is_some();
    let rabin = shingles
        .as_ref()
        .is_some_and(|shingles| shingles.rabin.is_some());
    let counts = recipe.needs_statistics() && job.statistics.is_none() && !goes_on;
    let counter = if counts {
        Some(Counter::new(context)?)
    } else {
        None
    };
    let classes = matches!(recipe.weights, Some(Weights::Classes { .. }))
        .then(|| Classes::new(&recipe.normalise))
        .transpose()?;
    // Only an ordered join over shingles needs to know which shingles repeat.
    let (features, later) = match shingles {
        Some(shingles) if !goes_on && recipe.keys.is_none() => (Looked::Shingles(shingles), None),
        later => (Looked::Whole, later),
    };
    let reading = Reading {
        source: job.source,
        level: recipe.unit,
        rejoin: recipe.rejoin,
        digest: recipe.digest,
        normaliser: &normaliser,
        unmasked: unmasked.as_ref(),
        items: items.as_ref(),
        width,
        collapse: job.constraints.parts_no_equals(),
        min_tokens: job.constraints.min_tokens,
        own_tokens: false,
        tape: None,
        features,
        count: counter.as_ref().map(|counter| (counter, classes.as_ref())),
    };
    let mut clock = Clock::start();
    let (survey, spec) = read(context, &job, &reading, bad)?;
    let placed = survey.placed.zip(spec.as_ref());
    let reading = Reading {
        count: None,
        ..reading
    };
    let counted = counter.as_ref().map(Counter::finish);
    let none = Statistics::default();
    let statistics = job.statistics.or(counted.as_ref()).unwrap_or(&none);
    let (units, _dictionary) = (survey.units, survey.dictionary);
    let allowed = job.constraints.resolve(&units)?;
    let groups = Groups::new(&units, &allowed);
    let _held = context
        .budget
        .reserve(bytes_of(recipe, &groups), "the groups of equal units")?;
    let lengths: Vec<u32> = groups
        .first
        .iter()
        .map(|unit| units.tokens[*unit as usize].max(1))
        .collect();
    clock.lap("survey");
    let by_group = allowed.of(&groups.first.iter().map(|unit| units.record_of(*unit)));
    let _held_too = context
        .budget
        .reserve(by_group.heap_bytes(), "the constraints on texts")?;
    let either: Option<Vec<bool>> = among.map(|among| {
        let is_chosen = |unit: &u32| among.get(*unit as usize).copied().unwrap_or_default();
        groups.first.iter().map(is_chosen).collect()
    });
    let allow = Allow {
        constraints: (!by_group.all()).then_some(&by_group),
        either: either.as_deref(),
    };
    let weigher = Weigher::new(recipe, statistics)?;
    let most = deciding::listed(&job, groups.len());
    let deciding = policy
        .map(|policy| Deciding::new(context, policy, (&units, &groups), most))
        .transpose()?;
    let is_compared = |unit: &&u32| !allowed.is_short(units.tokens[**unit as usize]);
    let run = Run {
        context,
        recipe,
        reading: &reading,
        firsts: Firsts {
            units: &units,
            groups: &groups,
            wanted: None,
            same_steps: true,
        },
        statistics,
        weigher: weigher.as_ref(),
        shingles: later.as_ref().or(reading.features.shingles()),
        lengths: &lengths,
        shape: Shape {
            layout: layout(recipe.measure, job.tuning),
            may_collide: false,
            frequent: Frequent::Counted(recipe.common),
        },
        collide: rabin,
        rarity: recipe.measure.needs_rarity().then(|| Rarity {
            texts: groups.first.iter().filter(is_compared).count() as u64,
            numbers: later
                .as_ref()
                .or(reading.features.shingles())
                .map_or(1, |shingles| shingles.numbers),
        }),
        of: Collection {
            n: recipe.ngram,
            longest: lengths.iter().copied().max().unwrap_or(1),
            base: weigher.as_ref().map_or(0, Weigher::base),
            slots: recipe.keys.and_then(|keys| keys.slots()).unwrap_or(0),
            singly: !has_runs(recipe),
        },
        allow,
        checkpoint: job.checkpoint,
        tuning: job.tuning,
        deciding: deciding.as_ref(),
    };
    let mut found = match (&kept_pairs, &recipe.keys) {
        _ if recipe.measure.is_equality() => Joined::default(),
        (Some(path), _) => checkpoint::take_pairs(context, path, groups.len())?,
        (None, Some(keys)) => run.by_keys(keys, &mut clock)?,
        (None, None) => run.without_keys(placed, kept_features.as_deref(), &mut clock)?,
    };
    let pairs = run.with_equals(&allowed, found.pairs, &mut found.set_sizes)?;
    let (pairs, rescored, hidden) = run.rescore_pairs(pairs, &found.set_sizes)?;
    clock.lap_if(rescored.is_some(), "rescore");
    let settled = found.kept.map(|groups| Settled { groups, pairs: 0 });
    let mut scored = ScoredPairs::new(Scoring::of(recipe), (found.set_sizes, lengths), pairs);
    (scored.settled, scored.rescored) = (settled, rescored);
    Ok(Findings {
        units,
        groups,
        allowed,
        notes: Notes {
            candidates: found.candidates,
            validation: rabin.then_some(found.validation),
            // Of pairs that are not listed, only some were rescored.
            passes: spec.map_or(0, |spec| spec.passes),
            hidden: (recipe.may_hide() && scored.settled.is_none()).then_some(hidden),
            timings: clock.laps,
        },
        evidence: Evidence::Pairs(scored),
    })
}

/// The input of the stages after the survey.
struct Run<'a> {
    context: &'a Context,
    recipe: &'a Recipe,
    reading: &'a Reading<'a>,
    firsts: Firsts<'a>,
    statistics: &'a Statistics,
    /// Set with term weighting.
    weigher: Option<&'a Weigher<'a>>,
    /// Set if shingles are compared.
    shingles: Option<&'a Shingles>,
    lengths: &'a [u32],
    /// How features that are not shingles of a complete join are stored.
    shape: Shape,
    /// Whether different shingles may have one id (Rabin fingerprints).
    collide: bool,
    /// Set if shingles are weighted by rarity.
    rarity: Option<Rarity>,
    of: Collection,
    allow: Allow<'a>,
    checkpoint: Option<&'a dyn Checkpoint>,
    tuning: Tuning,
    /// Set if only a decision is needed.
    deciding: Option<&'a Deciding>,
}

/// The results of the stages after the survey.
#[derive(Default)]
struct Joined {
    /// All pairs, or those of a kept and a removed text.
    pairs: Pairs,
    /// By group, whether it is kept; set if there were too many pairs to list.
    kept: Option<Vec<bool>>,
    /// Distinct shingles by group.
    set_sizes: Vec<u32>,
    /// The error of upper bounds.
    validation: Validation,
    /// The candidates generated from keys.
    candidates: Option<Candidates>,
}

/// Bytes for groups and the decision on them. If features are compared, the decision uses the memory
/// that these have freed.
fn bytes_of(recipe: &Recipe, groups: &Groups) -> u64 {
    let each = if recipe.measure.is_equality() {
        Decision::BYTES
    } else {
        Decision::SHARED_BYTES
    };
    groups.heap_bytes() + each * groups.len() as u64
}

/// The pairs and features saved by an earlier run.
fn kept(job: &Job) -> Result<(Option<PathBuf>, Option<PathBuf>)> {
    let find = |stage: &str| {
        job.checkpoint
            .map_or(Ok(None), |checkpoint| checkpoint.find(stage))
    };
    if job.recipe.measure.is_equality() {
        return Ok((None, None));
    }
    // The total weight of terms in every text is not saved with features.
    let features = if job.recipe.weights.is_some() {
        None
    } else {
        find(FEATURES)?
    };
    Ok((find(PAIRS)?, features))
}

/// Whether the features of a recipe are runs of shingles: in a complete join over all of them.
pub(crate) fn has_runs(recipe: &Recipe) -> bool {
    let measure = recipe.measure;
    // Runs of shingles that are in most texts are hardly longer than one, and sets of these are
    // faster to compare directly. Runs know only roughly how many texts have a shingle.
    let are_long = measure.needs_positions() || (!recipe.counts_characters() && recipe.ngram > 1);
    measure.needs_shingles()
        && recipe.keys.is_none()
        && recipe.select.is_all()
        && recipe.common == 0
        && are_long
}

/// The layout of features that are not shingles of a complete join.
pub(crate) fn layout(measure: Measure, tuning: Tuning) -> Layout {
    let numbers = match measure.compares() {
        Compares::Sequences => Numbers::Positions,
        Compares::Terms | Compares::Rarity => Numbers::Weights,
        _ => Numbers::None,
    };
    Layout {
        numbers,
        by_tokens: numbers == Numbers::Positions,
        repeats: false,
        block_groups: tuning.block_groups,
    }
}

/// The first pass. If it shows that there are more shingles than were expected, it is repeated with
/// room for them.
fn read(
    context: &Context,
    job: &Job,
    reading: &Reading,
    bad: &mut dyn BadRecords,
) -> Result<(Survey, Option<RowSpec>)> {
    let Some(shingles) = reading.features.shingles() else {
        return Ok((survey::survey(context, reading, None, bad)?, None));
    };
    let kind = Kind {
        identity: match job.recipe.measure.compares() {
            Compares::Rarity => Identity::Number {
                times: shingles.numbers,
            },
            _ if has_runs(job.recipe) => Identity::Hash,
            _ => Identity::Whole,
        },
        repeats: job.recipe.measure.needs_positions(),
    };
    let bytes = job.source.text_bytes();
    // In European languages a word and its space take about six bytes.
    let token = if job.recipe.counts_characters() { 2 } else { 5 };
    // A shingle takes a byte at least, and half of the positions may be gaps.
    let mut position_bits = (2 * bytes).max(1).ilog2() + 1;
    position_bits = position_bits.max(job.tuning.position_bits);
    let mut bad = Once::new(bad);
    loop {
        bad.begin();
        let spec = RowSpec::new(
            context,
            bytes / token,
            (&shingles.shingler, position_bits),
            kind,
            job.tuning.passes,
        );
        let rows = Rows::new(context, &spec, 0);
        let survey = survey::survey(context, reading, Some(rows), &mut bad)?;
        if survey.placed.is_some() {
            return Ok((survey, Some(spec)));
        }
        if position_bits >= Bits::MOST {
            return Err(Error::new(
                ErrorKind::Data,
                "expected fewer than 17 trillion shingles, found more",
            )
            .hint("split the collection"));
        }
        position_bits = position_bits.max(32) + 4;
    }
}

pub(crate) fn shingles(recipe: &Recipe, width: Width) -> Result<Shingles> {
    // Ids that select shingles must be complete, as truncated ones would select others.
    let width = if recipe.select.is_all() {
        width
    } else {
        Width::FULL
    };
    Ok(Shingles {
        shingler: Shingler::new(recipe.ngram, width),
        rabin: match recipe.fingerprint {
            FingerprintKind::Tokens => None,
            FingerprintKind::Rabin { modulus } => {
                Rabin::check(&recipe.normalise)?;
                Some(Rabin::new(Some(modulus))?)
            }
        },
        select: recipe.select,
        modulo: match recipe.select {
            Select::Modulo { modulus } => Some(Modulo::new(u64::from(modulus))?),
            _ => None,
        },
        numbers: match recipe.weights {
            Some(Weights::Rarity { numbers }) => numbers,
            _ => 1,
        },
    })
}

/// Times the stages.
struct Clock {
    last: Instant,
    laps: Vec<(&'static str, Duration)>,
}

impl Clock {
    fn start() -> Self {
        Self {
            last: Instant::now(),
            laps: Vec::new(),
        }
    }

    fn lap_if(&mut self, ran: bool, stage: &'static str) {
        if ran {
            self.lap(stage);
        }
    }

    fn lap(&mut self, stage: &'static str) {
        let now = Instant::now();
        self.laps.push((stage, now - self.last));
        self.last = now;
    }
}
