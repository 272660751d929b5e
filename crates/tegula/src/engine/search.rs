//! A search, from the survey to the findings.

use super::bad_records::{BadRecords, Once, Told};
use super::checkpoint::{self, FEATURES, PAIRS};
use super::clock::Clock;
use super::deciding::{self, Deciding};
use super::elsewhere::{Compared, Matched};
use super::job::Job;
use super::joined::Joined;
use super::layout;
use super::reading::{Counting, Features as Looked, Reading, Shingles, Steps};
use super::reread::Firsts;
use super::run::Run;
use super::survey::{self, Survey};
use super::terms::Weigher;
use super::{onion, passages, verify};
use crate::block::{Frequent, Shape};
use crate::chains::{Bits, RowSpec, Rows};
use crate::context::Context;
use crate::decide::{Decision, Policy};
use crate::error::{Error, ErrorKind, Result};
use crate::evidence::{Evidence, Findings, Notes, ScoredPairs, Scoring, Settled};
use crate::group::Groups;
use crate::hash::Width;
use crate::pair::Allow;
use crate::rarity::Rarity;
use crate::recipe::Weights;
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
    let decides_early = strategy.decides_early(recipe) && policy.decides_early();
    if !decides_early || !job.constraints.is_empty() || job.elsewhere.is_some() {
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
    asked: Asked,
    bad: &mut dyn BadRecords,
) -> Result<Findings> {
    let strategy = Strategy::of(job.recipe, has_fixed_rarity(&job));
    match strategy {
        Strategy::Passages => {
            let default = Policy::default();
            passages::find(context, job, asked.policy.unwrap_or(&default), bad)
        }
        Strategy::Onion => onion::find(context, job, bad),
        _ => pairs(context, job, strategy, asked, bad),
    }
}

/// Whether the rarity of shingles is given: that of whole ids, and of single shingles.
fn has_fixed_rarity(job: &Job) -> bool {
    (job.statistics).is_some_and(|given| given.shingles().is_some())
}

/// The pairs of texts: a survey, then the stages of the strategy.
fn pairs(
    context: &Context,
    job: Job,
    strategy: Strategy,
    Asked { among, policy }: Asked,
    bad: &mut dyn BadRecords,
) -> Result<Findings> {
    let recipe = job.recipe;
    let steps = Steps::of(recipe)?;
    let kept = Kept::of(&job, strategy)?;
    let counter = (recipe.needs_statistics() && job.statistics.is_none() && !kept.any())
        .then(|| Counter::new(context))
        .transpose()?;
    let classes = matches!(recipe.weights, Some(Weights::Classes { .. }))
        .then(|| Classes::new(&recipe.normalise))
        .transpose()?;
    let (features, later) = looked_at(&job, strategy, &kept)?;
    let reading = Reading {
        apart: steps.apart(),
        width: Width::bits(job.tuning.id_bits),
        collapse: job.constraints.parts_no_equals() && recipe.lengths.are_all(),
        min_tokens: job.constraints.min_tokens,
        lengths: recipe.lengths,
        of_balance: steps.of_balance(),
        features,
        count: counter.as_ref().map(|counter| Counting {
            classes: classes.as_ref(),
            counter: Some(counter),
        }),
        ..Reading::wholes(job.source, recipe, &steps.normaliser)
    };
    let mut clock = Clock::start();
    let (survey, spec, counted) = if let Some(elsewhere) = job.elsewhere {
        let (survey, counted) =
            survey::gathered(context, &reading, |each| elsewhere.survey(each), bad)?;
        (survey, None, Some(counted))
    } else {
        let (survey, spec) = read(context, &job, &reading, strategy, bad)?;
        (survey, spec, counter.as_ref().map(Counter::finish))
    };
    let placed = survey.placed.zip(spec.as_ref());
    let reading = Reading {
        count: None,
        ..reading
    };
    let none = Statistics::default();
    let statistics = job.statistics.or(counted.as_ref()).unwrap_or(&none);
    let (units, _dictionary) = (survey.units, survey.dictionary);
    let allowed = job.constraints.resolve(&units)?;
    let allowed = allowed.of_lengths(recipe.lengths, &units);
    let groups = Groups::new(&units, &allowed);
    let budget = &context.budget;
    let _held = budget.reserve(bytes_of(strategy, &groups), "the groups of equal units")?;
    let tokens = |unit: &u32| units.tokens[*unit as usize].max(1);
    let lengths: Vec<u32> = groups.first.iter().map(tokens).collect();
    clock.lap("survey");
    let by_group = allowed.of(&groups.first.iter().map(|unit| units.record_of(*unit)));
    let _held_too = budget.reserve(by_group.heap_bytes(), "the constraints on texts")?;
    let is_among = |among: &[bool], unit: &u32| among.get(*unit as usize).copied();
    let either: Option<Vec<bool>> = among.map(|among| {
        let firsts = groups.first.iter();
        firsts
            .map(|unit| is_among(among, unit).unwrap_or_default())
            .collect()
    });
    let weigher = Weigher::new(recipe, statistics)?;
    let most = deciding::listed(&job, groups.len());
    let deciding = policy
        .map(|policy| Deciding::new(context, policy, (&units, &groups), most))
        .transpose()?;
    let shingles = later.as_ref().or(reading.features.shingles());
    let is_compared = |unit: &&u32| !allowed.leave_out(&units, **unit);
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
        collide: shingles.is_some_and(|shingles| shingles.rabin.is_some()),
        rarity: recipe.measure.needs_rarity().then(|| {
            let texts = groups.first.iter().filter(is_compared).count() as u64;
            Rarity::new(texts, recipe.shingle_weights(), statistics)
        }),
        of: layout::collection(
            recipe,
            strategy.has_chains(),
            lengths.iter().copied().max(),
            weigher.as_ref(),
        ),
        allow: Allow {
            constraints: (!by_group.all()).then_some(&by_group),
            either: either.as_deref(),
        },
        checkpoint: job.checkpoint,
        tuning: job.tuning,
        deciding: deciding.as_ref(),
    };
    let (mut found, scored_elsewhere) = if let Some(elsewhere) = job.elsewhere {
        let mut matched = match strategy {
            Strategy::Equal => Matched::default(),
            _ => elsewhere.compare(Compared {
                units: &units,
                groups: &groups,
                allowed: &allowed,
                statistics,
            })?,
        };
        if recipe.transitive {
            matched.pairs = verify::first_joined(context, groups.len(), &matched)?;
        }
        clock.lap("compared elsewhere");
        let (found, rescored, hidden) = matched.apart();
        (found, Some((rescored, hidden)))
    } else {
        let found = match (&kept.pairs, &recipe.keys) {
            _ if strategy == Strategy::Equal => Joined::default(),
            (Some(path), _) => checkpoint::take_pairs(context, path, groups.len())?,
            (None, Some(keys)) => run.by_keys(keys, &mut clock)?,
            (None, None) => run.without_keys(placed, kept.features.as_deref(), &mut clock)?,
        };
        (found, None)
    };
    let pairs = run.with_equals(&allowed, found.pairs, &mut found.set_sizes)?;
    let (pairs, rescored, hidden) = match scored_elsewhere {
        Some((scores, hidden)) => {
            let rescored = run.rescored_elsewhere(&pairs, scores)?;
            (pairs, rescored, hidden)
        }
        None => run.rescore_pairs(pairs, &found.set_sizes)?,
    };
    clock.lap_if(rescored.is_some(), "rescore");
    let notes = Notes {
        candidates: found.candidates,
        validation: run.collide.then_some(found.validation),
        passes: spec.map_or(0, |spec| spec.passes),
        // Of pairs that are not listed, only some were rescored.
        hidden: (recipe.may_hide() && found.kept.is_none()).then_some(hidden),
        timings: clock.laps,
    };
    let mut scored = ScoredPairs::new(Scoring::of(recipe), (found.set_sizes, lengths), pairs);
    scored.settled = found.kept.map(|groups| Settled { groups, pairs: 0 });
    scored.rescored = rescored;
    Ok(Findings {
        units,
        groups,
        allowed,
        notes,
        evidence: Evidence::Pairs(scored),
    })
}

/// What the first reading looks at in each text, and the shingles that only later ones look at.
fn looked_at(job: &Job, strategy: Strategy, kept: &Kept) -> Result<(Looked, Option<Shingles>)> {
    let width = if has_fixed_rarity(job) {
        Width::FULL
    } else {
        Width::bits(job.tuning.id_bits)
    };
    let needs = job.recipe.measure.needs_shingles();
    let shingles = needs.then(|| Shingles::of(job.recipe, width)).transpose()?;
    // Only an ordered join over shingles needs to know which shingles repeat.
    Ok(match shingles {
        Some(shingles) if !kept.any() && strategy.has_rows() => (Looked::Shingles(shingles), None),
        later => (Looked::Whole, later),
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
#[derive(Default)]
struct Kept {
    pairs: Option<PathBuf>,
    features: Option<PathBuf>,
}

impl Kept {
    fn of(job: &Job, strategy: Strategy) -> Result<Self> {
        let Some(checkpoint) = job.checkpoint.filter(|_| strategy != Strategy::Equal) else {
            return Ok(Self::default());
        };
        Ok(Self {
            pairs: checkpoint.find(PAIRS)?,
            // The total weight of terms in every text is not saved with features.
            features: match job.recipe.weights {
                Some(_) => None,
                None => checkpoint.find(FEATURES)?,
            },
        })
    }

    fn any(&self) -> bool {
        self.pairs.is_some() || self.features.is_some()
    }
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
    let kind = layout::rows(strategy, job.recipe.measure, shingles.weights.numbers());
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
