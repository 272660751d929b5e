//! Counts over findings.

use super::counts::{Balance, CandidateCount, Curve, LargeCluster, Part, Parts, WithoutText};
use crate::cluster::Clusters;
use crate::error::Result;
use crate::evidence::{Candidates, Findings};
use crate::levels::LevelCount;
use crate::recipe::Recipe;
use crate::threshold::{Score, Threshold};
use crate::unit::Units;

/// Clusters listed one by one.
const LARGEST: usize = 5;
/// Thresholds at which pairs and clusters are counted in addition to the run's own.
const LEVELS: [(u32, u32); 3] = [(7, 10), (8, 10), (9, 10)];

/// Which groups may be removed because of a reference.
pub(super) fn referenced(found: &Findings, threshold: Threshold) -> Result<Vec<bool>> {
    let mut referenced = vec![false; found.groups.len()];
    let is_reference = |group: u32| {
        found
            .allowed
            .is_reference(found.units.record_of(found.groups.first[group as usize]))
    };
    let Some(pairs) = found.pairs() else {
        return Ok(referenced);
    };
    pairs.for_each(|pair| {
        if pairs.admitted(&pair, threshold).is_some() {
            let (a_is_removable, b_is_removable) = pairs.removable(&pair, threshold);
            referenced[pair.a as usize] |= a_is_removable && is_reference(pair.b);
            referenced[pair.b as usize] |= b_is_removable && is_reference(pair.a);
        }
        Ok(())
    })?;
    Ok(referenced)
}

/// The parts with the most removed units; parts without units are skipped.
pub(super) fn parts<'a>(balances: &[Balance], name: impl Fn(usize) -> &'a str) -> Parts {
    let mut order: Vec<usize> = (0..balances.len())
        .filter(|at| balances[*at].input.units > 0)
        .collect();
    order.sort_by_key(|at| std::cmp::Reverse(balances[*at].removed.units));
    let more = order.len().saturating_sub(Parts::LISTED) as u64;
    order.truncate(Parts::LISTED);
    Parts {
        list: order
            .into_iter()
            .map(|at| Part {
                name: name(at).to_owned(),
                balance: balances[at],
            })
            .collect(),
        more,
    }
}

/// How many records have no text, and the first of them.
pub(super) fn without_text(units: &Units) -> Option<WithoutText> {
    let blank = units.records.blank;
    let mut example = String::new();
    units.write_record_id(blank.first? as usize, &mut example);
    Some(WithoutText {
        records: blank.count,
        example,
    })
}

/// Units with the same token sequence as another unit or a reference with which they are compared;
/// references are not counted.
pub(super) fn identical(found: &Findings) -> Result<u64> {
    let groups = &found.groups;
    let size = |group: u32| groups.members(group).len() as u64;
    if found.allowed.all() {
        return Ok((0..groups.len() as u32)
            .map(size)
            .filter(|size| *size > 1)
            .sum());
    }
    // Constraints may split equal units into several groups.
    let digest = |group: u32| found.units.digest[groups.first[group as usize] as usize];
    let is_left_out = |group: u32| {
        let first = groups.first[group as usize];
        found.allowed.leave_out(&found.units, first)
    };
    let mut order: Vec<u32> = (0..groups.len() as u32)
        .filter(|group| !is_left_out(*group))
        .collect();
    order.sort_unstable_by_key(|group| digest(*group));
    let runs = order.chunk_by(|a, b| digest(*a) == digest(*b));
    let is_reference = |group: u32| {
        found
            .allowed
            .is_reference(found.units.record_of(groups.first[group as usize]))
    };
    if let Some(pairs) = found.pairs() {
        let mut has_equal: Vec<bool> = (0..groups.len() as u32)
            .map(|group| groups.are_alike(group) && size(group) > 1 && !is_left_out(group))
            .collect();
        pairs.for_each(|pair| {
            if digest(pair.a) == digest(pair.b) {
                has_equal[pair.a as usize] = true;
                has_equal[pair.b as usize] = true;
            }
            Ok(())
        })?;
        return Ok((0..groups.len() as u32)
            .filter(|group| has_equal[*group as usize] && !is_reference(*group))
            .map(size)
            .sum());
    }
    let sum = |run: &[u32], counts: &dyn Fn(u32) -> bool| -> u64 {
        run.iter()
            .filter(|group| counts(**group))
            .map(|group| size(*group))
            .sum()
    };
    Ok(runs
        .filter(|run| sum(run, &|_| true) > 1)
        .map(|run| sum(run, &|group| !is_reference(group)))
        .sum())
}

pub(super) fn candidates(found: &Findings, recipe: &Recipe) -> Result<Option<CandidateCount>> {
    let Some(Candidates {
        generated,
        compared,
        skipped,
    }) = found.notes.candidates
    else {
        return Ok(None);
    };
    Ok(Some(CandidateCount {
        generated,
        compared,
        skipped,
        curve: Curve::of(recipe)?,
    }))
}

pub(super) fn levels(
    found: &Findings,
    threshold: Threshold,
    clusters: &Clusters,
) -> Result<Vec<LevelCount>> {
    let count = |threshold: Threshold, clusters: &Clusters| LevelCount {
        threshold,
        pairs: clusters.pairs,
        units: clusters.units(),
        clusters: clusters.list.len() as u64,
    };
    let value = |threshold: Threshold| Score {
        part: threshold.numerator(),
        whole: threshold.denominator(),
    };
    let mut levels = vec![count(threshold, clusters)];
    if found
        .pairs()
        .is_some_and(|pairs| pairs.scoring().is_transitive())
    {
        // Pairs of one cluster were skipped, so pairs at another threshold are not known.
        return Ok(levels);
    }
    for (numerator, denominator) in LEVELS {
        let level = Threshold::new(numerator, denominator)?;
        if value(level) > value(threshold) {
            levels.push(count(level, &Clusters::new(found, level)?));
        }
    }
    Ok(levels)
}

pub(super) fn largest(found: &Findings, clusters: &Clusters) -> Vec<LargeCluster> {
    let mut order: Vec<_> = clusters.list.iter().collect();
    order.sort_by_key(|cluster| std::cmp::Reverse(cluster.size));
    order.truncate(LARGEST);
    let show = |cluster: &crate::cluster::Cluster| LargeCluster {
        id: found.units.id(cluster.first),
        size: u64::from(cluster.size),
        min_edge: cluster.min_edge.as_f64(),
        density: cluster.density(),
    };
    order.into_iter().map(show).collect()
}
