//! What was decided on texts.

use super::run::Found;
use super::{Cluster, Mark, Place, Removed, Summary, place};
use crate::cluster::Clusters;
use crate::decide::{Decision, Policy};
use crate::error::Result;
use crate::group::Groups;
use crate::recipe::Recipe;
use crate::summary;
use crate::unit::Units;
use std::borrow::Cow;

/// What was decided on texts: which stay, which go, and because of which other. Texts are named by their place among those that were
/// given, counted from 0. It holds some tens of bytes for each unit, and no text.
pub struct Outcome {
    units: Units,
    groups: Groups,
    decision: Decision,
    clusters: Clusters,
    /// Records before the references.
    own: usize,
    summary: Summary,
}

impl std::fmt::Debug for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outcome").field("summary", &self.summary).finish_non_exhaustive()
    }
}

impl Outcome {
    pub(super) fn new(found: Found, recipe: &Recipe, policy: &Policy) -> Result<Self> {
        let Found { context, findings, own } = found;
        let decision = Decision::new(&findings, policy, recipe.threshold)?;
        let clusters = Clusters::new(&findings, recipe.threshold)?;
        let figures = summary::Summary::new(&context, &findings, recipe, &clusters, Some(&decision), &[])?;
        let (units, groups) = (findings.units, findings.groups);
        Ok(Self { units, groups, decision, clusters, own, summary: Summary::new(figures) })
    }

    /// How many texts were given, without the references.
    pub fn len(&self) -> usize {
        self.own
    }

    /// Whether no text was given.
    pub fn is_empty(&self) -> bool {
        self.own == 0
    }

    /// What goes, in the order of the texts: whole texts, or paragraphs or sentences of them. Each with the text that it is a copy of.
    pub fn removed(&self) -> impl Iterator<Item = Removed> + '_ {
        self.own_units().filter_map(|unit| Removed::new(self, unit))
    }

    /// The texts that stay, of which at least one part does.
    pub fn kept(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.own).filter(|index| self.is_kept(*index))
    }

    /// Whether a text stays: all of it, or, where parts of texts are compared, one part or more; a text without parts stays.
    ///
    /// # Panics
    /// Where there is no text of that number.
    pub fn is_kept(&self, index: usize) -> bool {
        assert!(index < self.own, "expected a number below {}, found {index}", self.own);
        let mut units = self.units.of_record(index);
        units.is_empty() || units.any(|unit| self.decision.keeps(unit))
    }

    /// What stays of a text: `text` without its removed parts and what follows them up to the next part, none where nothing stays.
    /// `text` is the one that was given at this place.
    ///
    /// # Panics
    /// Where there is no text of that number, or another text was given at its place.
    pub fn rest<'t>(&self, index: usize, text: &'t str) -> Option<Cow<'t, str>> {
        if !self.is_kept(index) {
            return None;
        }
        let mut removed = self.units.of_record(index).filter(|unit| !self.decision.keeps(*unit)).peekable();
        if removed.peek().is_none() {
            return Some(Cow::Borrowed(text));
        }
        let (mut rest, mut at) = (String::with_capacity(text.len()), 0);
        for unit in removed {
            let cut = place::cut(&self.units, unit);
            rest.push_str(&text[at..cut.start.max(at)]);
            at = cut.end.max(at);
        }
        rest.push_str(&text[at..]);
        Some(Cow::Owned(rest))
    }

    /// For each unit of the texts, in order, what a mark on it would say: of which other it is a copy, with what score, and in which
    /// cluster it is.
    pub fn marks(&self) -> impl Iterator<Item = Mark> + '_ {
        self.own_units().map(|unit| Mark::new(self, unit))
    }

    /// The clusters, by their first members; none under `onion`, which knows no pairs. Where there are so many pairs that they were not
    /// listed ([`Summary::pairs`]), by those of a unit that stays and one that goes.
    pub fn clusters(&self) -> Vec<Cluster> {
        Cluster::all(&self.clusters, &self.units, &self.groups, self.own)
    }

    /// The figures of the run; as text by its `Display`.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// The id that a record was given, where it was given one.
    ///
    /// # Panics
    /// Where there is no text of that number.
    pub fn id(&self, index: usize) -> Option<&str> {
        Some(self.units.records.given_id(index)).filter(|id| !id.is_empty())
    }

    fn own_units(&self) -> std::ops::Range<u32> {
        let records = &self.units.records;
        0..records.first_unit.get(self.own).copied().unwrap_or(self.units.len() as u32)
    }

    pub(super) fn place(&self, unit: u32) -> Place {
        Place::of(&self.units, self.own, unit)
    }

    pub(super) fn cut(&self, unit: u32) -> std::ops::Range<usize> {
        place::cut(&self.units, unit)
    }

    pub(super) fn fate(&self, unit: u32) -> crate::decide::Fate {
        self.decision.fate(unit)
    }

    /// The place in the list of clusters.
    pub(super) fn cluster(&self, unit: u32) -> Option<usize> {
        let place = self.clusters.of_group[self.groups.of_unit[unit as usize] as usize];
        (place != Clusters::NONE).then_some(place as usize)
    }

    /// The lowest score of the cluster that a unit is in.
    pub(super) fn lowest(&self, unit: u32) -> crate::Score {
        self.clusters.get(self.groups.of_unit[unit as usize]).map_or(crate::Score::ONE, |cluster| cluster.min_edge)
    }
}
