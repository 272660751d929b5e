//! Example cases: pairs of units with their texts, side by side.

use std::collections::{BTreeMap, BTreeSet};
use tegula::compare::Comparer;
use tegula::error::Result;
use tegula_io::tables::{Coverage, Pairs, Spans, TableReader, Units};

use super::searched::Searched;
use super::seen::{Best, Case, Seen, mix, order, seed};
use crate::differing::ItemComparer;
use crate::run::{Run, Stage};
use crate::texts::{Origin, UnitRef};

/// The number of cases of each kind.
pub const SHOWN: usize = 5;

/// Cases of a kind.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) title: &'static str,
    pub(super) note: String,
    /// The roles of the two units.
    pub(super) heads: (&'static str, &'static str),
    pub(super) cases: Vec<Case>,
}

/// A case that is looked at first.
#[derive(Debug)]
pub(super) struct Look {
    pub(super) title: &'static str,
    pub(super) note: &'static str,
    /// The roles of the two units.
    pub(super) heads: (&'static str, &'static str),
    pub(super) case: Case,
}

/// The number of cases that are looked at first.
const LOOKS: usize = 3;

/// What is looked at first: the least similar, a typical one, and one of the largest cluster, each
/// unit once; further typical ones where one of these is missing.
pub(super) fn looks(stage: &Stage, seen: &Seen, groups: &[Group]) -> Vec<Look> {
    let of = |title: &str| {
        let group = groups.iter().find(|group| group.title == title);
        group.map_or(&[][..], |group| &group.cases)
    };
    let heads = groups.first().map_or(("", ""), |group| group.heads);
    let look = |title, note, case: Option<Case>| {
        case.map(|case| Look {
            title,
            note,
            heads,
            case,
        })
    };
    let mut taken: Vec<u64> = Vec::new();
    let mut take = |cases: &[Case]| {
        let case = cases.iter().find(|case| !taken.contains(&case.a)).copied();
        taken.extend(case.map(|case| case.a));
        case
    };
    // The sample has the most to choose from, so it comes last.
    let (least, largest, drawn) = (take(of(LEAST)), take(&seen.largest), take(of(SAMPLE)));
    let least = look(
        "The least similar",
        least.map_or("", |case| note_on_least(stage, case)),
        least,
    );
    let drawn = look(
        "A typical one",
        "Drawn at random; the same run draws the same.",
        drawn,
    );
    let advice = if is_exact(stage) {
        "If its members are only alike in form, see the cluster below, and keep one per source."
    } else {
        "If its members are only alike in form, see the cluster below, and keep one per source or raise the threshold."
    };
    let other = if largest.is_none() && !seen.largest.is_empty() {
        "Drawn at random; the copies in the largest cluster are above."
    } else {
        "Drawn at random."
    };
    let largest = look("From the largest cluster", advice, largest);
    let mut looks: Vec<Look> = [least, drawn, largest].into_iter().flatten().collect();
    while looks.len() < LOOKS
        && let Some(another) = look("Another one", other, take(of(SAMPLE)))
    {
        looks.push(another);
    }
    looks
}

/// Below a threshold, a text was removed for what stands around it.
const WITH_OTHERS: &str =
    "If its score is below the threshold, it is short, and was removed with its surroundings.";

/// What the case with the lowest score says about the threshold.
fn note_on_least(stage: &Stage, case: Case) -> &'static str {
    if is_in_order(stage) {
        WITH_OTHERS
    } else if case.score < 1.0 {
        "If these two are not copies, the threshold is too low."
    } else {
        "All have this score."
    }
}

/// Whether a stage compares texts with all preceding text at once.
pub(super) fn is_in_order(stage: &Stage) -> bool {
    let recipe = stage.recipe();
    recipe.is_ok_and(|recipe| recipe.measure.is_in_order())
}

/// Whether a stage compares for equality: it has no threshold, and all scores are the same.
pub(super) fn is_exact(stage: &Stage) -> bool {
    let recipe = stage.recipe();
    recipe.is_ok_and(|recipe| recipe.measure.is_equality())
}

const SAMPLE: &str = "Random sample";
const LEAST: &str = "The least similar";

/// The kinds of cases of a stage.
pub(super) fn groups(
    stage: &Stage,
    seen: &Seen,
    searched: Option<&Searched>,
) -> Result<Vec<Group>> {
    let mut groups = Vec::new();
    let is_in_order = is_in_order(stage);
    let heads = match (stage.verb == "marked", is_in_order) {
        (true, true) => ("marked", "an earlier text"),
        (false, true) => ("removed", "an earlier text"),
        (true, false) => ("marked", "its witness"),
        (false, false) => ("removed", "its witness"),
    };
    if stage.is_decided() {
        groups.push(Group {
            title: SAMPLE,
            note:
                "Typical verdicts of this run. The random seed depends on the recipe, so that the same run shows the same cases."
                    .into(),
            heads,
            cases: seen.drawn.clone(),
        });
        // Passages, and units compared for equality, are equal to their witnesses, and no others are
        // nearly removed.
        if stage.has::<Spans>() || is_exact(stage) {
            return Ok(groups);
        }
        let note = if is_in_order {
            "Those with a score below the threshold are short, and were removed with their surroundings."
        } else {
            "If these are not duplicates, the threshold is too low."
        };
        groups.push(Group {
            title: LEAST,
            note: note.into(),
            heads,
            cases: seen.least.clone(),
        });
        groups.push(rejected(stage, seen, searched)?);
    } else if stage.has::<Pairs>() {
        let (drawn, least) = pairs(stage)?;
        let heads = ("first", "second");
        groups.push(Group {
            title: SAMPLE,
            note: "Typical pairs of this run.".into(),
            heads,
            cases: drawn,
        });
        if is_exact(stage) {
            return Ok(groups);
        }
        groups.push(Group {
            title: LEAST,
            note: "If these are not duplicates, the threshold is too low.".into(),
            heads,
            cases: least,
        });
    }
    Ok(groups)
}

/// Pairs of a run without decisions: a random sample, and those with the lowest scores.
fn pairs(stage: &Stage) -> Result<(Vec<Case>, Vec<Case>)> {
    let (mut lot, mut least) = (Best::new(SHOWN), Best::new(SHOWN));
    let seed = seed(&stage.info().recipe_hash);
    let mut number = 0;
    TableReader::<Pairs>::open(&stage.folder().table::<Pairs>())?.for_each(|row| {
        number += 1;
        if let (Some(a), Some(b)) = (row.unit_a, row.unit_b) {
            let case = Case {
                a,
                b: Some(b),
                score: row.score,
            };
            lot.offer(mix(seed ^ number), case);
            least.offer(order(row.score), case);
        }
        Ok(())
    })?;
    Ok((lot.into_sorted(), least.into_sorted()))
}

/// The most similar units below the threshold.
fn rejected(stage: &Stage, seen: &Seen, searched: Option<&Searched>) -> Result<Group> {
    let mut group = Group {
        title: "Just below the threshold",
        note: String::new(),
        heads: ("one", "the other"),
        cases: Vec::new(),
    };
    let advice = "If these are duplicates, the threshold is too high.";
    let mut best = Best::new(SHOWN);
    let highest = |score: f64| u64::MAX - order(score);
    if stage.has::<Coverage>() {
        let mut last = None;
        TableReader::<Coverage>::open(&stage.folder().table::<Coverage>())?.for_each(|row| {
            // The first row of a unit is for the text that contributed most.
            let first = last.replace(row.unit) != Some(row.unit);
            let kept = seen.kept.get(row.unit as usize).copied().unwrap_or(false);
            if first && kept && row.seen > 0 {
                best.offer(
                    highest(row.share),
                    Case {
                        a: row.unit,
                        b: row.source,
                        score: row.share,
                    },
                );
            }
            Ok(())
        })?;
        group.heads = ("below", "where most of it was seen");
        group.note = format!(
            "Units below the threshold with the largest share previously seen, next to the text with most of it if the run lists one. {advice}"
        );
        group.cases = best.into_sorted();
        return Ok(group);
    }
    let threshold = threshold(stage);
    if stage.has::<Pairs>() {
        TableReader::<Pairs>::open(&stage.folder().table::<Pairs>())?.for_each(|row| {
            if let (true, Some(a), Some(b)) = (row.score < threshold, row.unit_a, row.unit_b) {
                best.offer(
                    highest(row.score),
                    Case {
                        a,
                        b: Some(b),
                        score: row.score,
                    },
                );
            }
            Ok(())
        })?;
        group.cases = best.into_sorted();
        group.note = format!("Pairs that the run found below the threshold. {advice}");
        if !group.cases.is_empty() {
            return Ok(group);
        }
    }
    match searched {
        Some(searched) => {
            group.cases = searched
                .near
                .iter()
                .take(SHOWN)
                .map(|near| Case {
                    a: near.a,
                    b: Some(near.b),
                    score: near.score,
                })
                .collect();
            group.note = format!(
                "Pairs below the threshold, found by searching the inputs again from {}. {advice}",
                searched.from
            );
        }
        None => {
            group.note = "The run keeps no pair below its threshold, and the inputs were not searched again; a report \
                          with near misses does that."
                .into();
        }
    }
    Ok(group)
}

/// The threshold of a stage as a number; above every score if unknown.
fn threshold(stage: &Stage) -> f64 {
    let slack = 1e-12;
    stage
        .recipe()
        .map_or(0.0, |recipe| recipe.threshold.as_f64() - slack)
}

/// The units to show, and their texts.
#[derive(Debug, Default)]
pub(super) struct CaseTexts {
    pub(super) units: BTreeMap<u64, UnitRef>,
    /// Texts, or the reason why there is none.
    pub(super) texts: BTreeMap<u64, Result<String, String>>,
    pub(super) comparers: Option<(Comparer, ItemComparer)>,
}

impl CaseTexts {
    /// Why texts are missing, each reason once with the number of texts.
    pub(super) fn missing(&self) -> BTreeMap<&str, u64> {
        let mut reasons = BTreeMap::new();
        for why in self.texts.values().filter_map(|text| text.as_ref().err()) {
            *reasons.entry(why.as_str()).or_default() += 1;
        }
        reasons
    }

    /// Finds the units and reads their texts, each file once.
    pub(super) fn read(
        run: &Run,
        stage: &Stage,
        number: usize,
        groups: &[Group],
        looks: &[Look],
    ) -> Result<Self> {
        let wanted: BTreeSet<u64> = groups
            .iter()
            .flat_map(|group| &group.cases)
            .chain(looks.iter().map(|look| &look.case))
            .flat_map(|case| [Some(case.a), case.b])
            .flatten()
            .collect();
        if wanted.is_empty() {
            return Ok(Self::default());
        }
        let mut units = BTreeMap::new();
        TableReader::<Units>::open(&stage.folder().table::<Units>())?.for_each(|row| {
            if wanted.contains(&row.unit) {
                units.insert(row.unit, UnitRef::from(row));
            }
            Ok(())
        })?;
        let mut found = Self {
            units,
            ..Self::default()
        };
        let read = stage.recipe().and_then(|recipe| {
            let comparers = (Comparer::new(&recipe)?, ItemComparer::new(&recipe)?);
            Ok((comparers, recipe, run.read_options()?))
        });
        match read {
            Ok((comparers, recipe, read)) => {
                let origin = Origin {
                    inputs: run.inputs(),
                    read: &read,
                    recipe: &recipe,
                    whole: number == 0,
                };
                let list: Vec<&UnitRef> = found.units.values().collect();
                let texts = origin.texts(&list);
                found.texts = list
                    .iter()
                    .map(|unit| unit.number)
                    .zip(texts)
                    .map(|(unit, text)| (unit, text.map_err(|e| e.to_string())))
                    .collect();
                found.comparers = Some(comparers);
            }
            Err(error) => {
                found.texts = found
                    .units
                    .keys()
                    .map(|unit| (*unit, Err(error.to_string())))
                    .collect();
            }
        }
        Ok(found)
    }
}
