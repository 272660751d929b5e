//! A search, from the survey to the findings.

use super::bad_records::{BadRecords, Once, Told};
use super::checkpoint::{self, FEATURES, PAIRS};
use super::clock::Clock;
use super::deciding::{self, Deciding};
use super::job::Job;
use super::joined::Joined;
use super::layout;
use super::reading::{Features as Looked, Reading, Shingles, Steps};
use super::reread::Firsts;
use super::run::Run;
use super::survey::{self, Survey};
use super::terms::Weigher;
use super::{onion, passages};
use crate::block::{Frequent, Shape};
use crate::chains::{Bits, RowSpec, Rows};
use crate::context::Context;
use crate::decide::{Decision, Policy};
use crate::error::{Error, ErrorKind, Result};
use crate::evidence::{Evidence, Findings, Notes, ScoredPairs, Scoring, Settled};
use crate::group::Groups;
use crate::hash::Width;
use crate::measure::Collection;
use crate::pair::Allow;
use crate::rarity::Rarity;
use crate::recipe::{FingerprintKind, Weights};
use crate::statistics::{Counter, Statistics};
use crate::strategy::Strategy;
use crate::text::classes::Classes;
use std::path::PathBuf;

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

/// Runs a recipe like [`find`], but finds only the pairs that a decision by this policy needs.
///
/// A template with a hundred thousand copies has five billion pairs. Beyond a million pairs plus
/// eight for each group of equal units, the decision is made without listing all pairs
/// ([`Findings`]), and the pairs are those of a kept and a removed text. Recipes with keys or Rabin
/// fingerprints, constraints, and policies that keep none or one of each value always list all
/// pairs.
///
/// # Errors
/// As for [`find`]; a usage error if the policy names a field that was not read.
///
/// # Cost
/// Grows with the units, and with the pairs of a kept and a removed text; if a directed measure and
/// the keep order contradict each other, with all pairs of the texts that wait for each other.
pub fn find_to_decide(
    context: &Context,
    job: Job,
    policy: &Policy,
    bad: &mut dyn BadRecords,
) -> Result<Findings> {
    let recipe = job.recipe;
    let strategy = Strategy::of(recipe, false);
    if strategy == Strategy::Passages {
        return passages::find(context, job, policy, bad);
    }
    let needs_all = policy.keep_per.is_some()
        || policy.keep.keeps_none()
        || strategy.has_keys()
        || strategy == Strategy::Onion
        || recipe.fingerprint != FingerprintKind::Tokens;
    if needs_all || !job.constraints.is_empty() || !recipe.lengths.are_all() {
        return find(context, job, bad);
    }
    let mut found = search(
        context,
        job,
        Asked {
            policy: Some(policy),
            ..Asked::default()
        },
        bad,
    )?;
    let most = deciding::listed(&job, found.groups.len());
    let decision = Decision::new(&found, policy, recipe.threshold)?;
    let (groups, pairs) = decision.pairs_about(&found)?;
    if pairs <= most {
        // Few enough after all, as many join kept texts with few others.
        let listed = found.pairs().is_none_or(|scored| scored.settled.is_none());
        return if listed {
            Ok(found)
        } else {
            find(context, job, &mut Told)
        };
    }
    if let Evidence::Pairs(scored) = &mut found.evidence {
        if scored.settled.is_none() {
            scored.pairs = deciding::of_both(context, &scored.pairs, &groups)?;
        }
        scored.settled = Some(Settled { groups, pairs });
    }
    Ok(found)
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
    // Given frequencies are those of whole ids, and of single shingles.
    let fixed = (job.statistics).is_some_and(|given| given.shingles().is_some());
    let strategy = Strategy::of(recipe, fixed);
    match strategy {
        Strategy::Passages => {
            return passages::find(context, job, policy.unwrap_or(&Policy::default()), bad);
        }
        Strategy::Onion => return onion::find(context, job, bad),
        _ => {}
    }
    let steps = Steps::of(recipe)?;
    let width = Width::bits(job.tuning.id_bits);
    let ids = if fixed { Width::FULL } else { width };
    let shingles = recipe
        .measure
        .needs_shingles()
        .then(|| Shingles::of(recipe, ids))
        .transpose()?;
    let (kept_pairs, kept_features) = kept(&job, strategy)?;
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
        Some(shingles) if !goes_on && strategy.has_rows() => (Looked::Shingles(shingles), None),
        later => (Looked::Whole, later),
    };
    let reading = Reading {
        apart: steps.apart(),
        width,
        collapse: job.constraints.parts_no_equals() && recipe.lengths.are_all(),
        min_tokens: job.constraints.min_tokens,
        lengths: recipe.lengths,
        features,
        count: counter.as_ref().map(|counter| (counter, classes.as_ref())),
        ..Reading::wholes(job.source, recipe, &steps.normaliser)
    };
    let mut clock = Clock::start();
    let (survey, spec) = read(context, &job, &reading, strategy, bad)?;
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
    let allowed = allowed.of_lengths(recipe.lengths, &units);
    let groups = Groups::new(&units, &allowed);
    let _held = context
        .budget
        .reserve(bytes_of(strategy, &groups), "the groups of equal units")?;
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
    let is_compared = |unit: &&u32| !allowed.leave_out(&units, **unit);
    let shingles = later.as_ref().or(reading.features.shingles());
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
        shingles,
        lengths: &lengths,
        shape: Shape {
            layout: layout::layout(recipe.measure, job.tuning),
            may_collide: false,
            frequent: Frequent::Counted(recipe.common),
        },
        collide: rabin,
        rarity: recipe.measure.needs_rarity().then(|| {
            let texts = groups.first.iter().filter(is_compared).count() as u64;
            let numbers = shingles.map_or(1, |shingles| shingles.numbers);
            Rarity::new(texts, numbers, statistics)
        }),
        of: Collection {
            n: recipe.ngram,
            longest: lengths.iter().copied().max().unwrap_or(1),
            base: weigher.as_ref().map_or(0, Weigher::base),
            slots: recipe.keys.and_then(|keys| keys.slots()).unwrap_or(0),
            singly: !strategy.has_chains(),
        },
        allow,
        checkpoint: job.checkpoint,
        tuning: job.tuning,
        deciding: deciding.as_ref(),
    };
    let mut found = match (&kept_pairs, &recipe.keys) {
        _ if strategy == Strategy::Equal => Joined::default(),
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

/// Bytes for groups and the decision on them. Where features are compared, the decision takes over
/// what these have left.
fn bytes_of(strategy: Strategy, groups: &Groups) -> u64 {
    let each = if strategy == Strategy::Equal {
        Decision::BYTES
    } else {
        Decision::SHARED_BYTES
    };
    groups.heap_bytes() + each * groups.len() as u64
}

/// The pairs and features saved by an earlier run.
fn kept(job: &Job, strategy: Strategy) -> Result<(Option<PathBuf>, Option<PathBuf>)> {
    let find = |stage: &str| {
        job.checkpoint
            .map_or(Ok(None), |checkpoint| checkpoint.find(stage))
    };
    if strategy == Strategy::Equal {
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

/// The first pass. If it shows that there are more shingles than were expected, it is repeated with
/// room for them.
pub(super) fn read(
    context: &Context,
    job: &Job,
    reading: &Reading,
    strategy: Strategy,
    bad: &mut dyn BadRecords,
) -> Result<(Survey, Option<RowSpec>)> {
    let Some(shingles) = reading.features.shingles() else {
        return Ok((survey::survey(context, reading, None, bad)?, None));
    };
    let kind = layout::rows(strategy, job.recipe.measure, shingles.numbers);
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
