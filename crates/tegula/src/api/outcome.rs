//! The decisions of a run.

use super::found::Found;
use super::{Cluster, Mark, Place, Removed, Summary, place};
use crate::cluster::Clusters;
use crate::decide::{Decision, Policy};
use crate::error::Result;
use crate::group::Groups;
use crate::recipe::Recipe;
use crate::summary;
use crate::unit::Units;
use std::borrow::Cow;

/// The decisions of a run: which texts are kept, and which are removed because of which others.
/// Texts are identified by their index in the input, from 0. It holds some tens of bytes per unit,
/// and no text.
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
        f.debug_struct("Outcome")
            .field("summary", &self.summary)
            .finish_non_exhaustive()
    }
}

impl Outcome {
    pub(super) fn new(found: Found, recipe: &Recipe, policy: &Policy) -> Result<Self> {
        let Found {
            context,
            findings,
            own,
        } = found;
        let decision = Decision::new(&findings, policy, recipe.threshold)?;
        let clusters = Clusters::new(&findings, recipe.threshold)?;
        let figures =
            summary::Summary::new(&context, &findings, recipe, &clusters, Some(&decision), &[])?;
        let (units, groups) = (findings.units, findings.groups);
        Ok(Self {
            units,
            groups,
            decision,
            clusters,
            own,
            summary: Summary::new(figures),
        })
    }

    /// The number of texts, without references.
    pub fn len(&self) -> usize {
        self.own
    }

    /// Whether there were no texts.
    pub fn is_empty(&self) -> bool {
        self.own == 0
    }

    /// The removed units, in the order of the texts: whole texts, paragraphs or sentences, each
    /// with the text that it is a copy of.
    pub fn removed(&self) -> impl Iterator<Item = Removed> + '_ {
        self.own_units().filter_map(|unit| Removed::new(self, unit))
    }

    /// The texts of which at least one part is kept.
    pub fn kept(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.own).filter(|index| self.is_kept(*index))
    }

    /// Whether a text is kept: whole, or, if parts of texts are compared, at least one part; a text
    /// without parts is kept.
    ///
    /// # Panics
    /// If there is no text with that index.
    pub fn is_kept(&self, index: usize) -> bool {
        assert!(
            index < self.own,
            "expected a number below {}, found {index}",
            self.own
        );
        let mut units = self.units.of_record(index);
        units.is_empty() || units.any(|unit| self.decision.keeps(unit))
    }

    /// The rest of a text: `text` without its removed parts and their separators; none if
    /// everything was removed. `text` must be the one given at this index.
    ///
    /// # Panics
    /// If there is no text with that index, or another text was given there.
    pub fn rest<'t>(&self, index: usize, text: &'t str) -> Option<Cow<'t, str>> {
        if !self.is_kept(index) {
            return None;
        }
        let mut removed = self
            .units
            .of_record(index)
            .filter(|unit| !self.decision.keeps(*unit))
            .peekable();
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

    /// For each unit of the texts, in order, the contents of a mark: the text that it is a copy of,
    /// their score, and its cluster.
    pub fn marks(&self) -> impl Iterator<Item = Mark> + '_ {
        self.own_units().map(|unit| Mark::new(self, unit))
    }

    /// The clusters, ordered by first member; none under `onion`, which has no pairs. If there were
    /// too many pairs to list ([`Summary::pairs`]), they are formed from pairs of a kept and a
    /// removed unit.
    pub fn clusters(&self) -> Vec<Cluster> {
        Cluster::all(&self.clusters, &self.units, &self.groups, self.own)
    }

    /// The figures of the run; its `Display` prints them.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// The id of a record, if it has one.
    ///
    /// # Panics
    /// If there is no text with that index.
    pub fn id(&self, index: usize) -> Option<&str> {
        Some(self.units.records.given_id(index)).filter(|id| !id.is_empty())
    }

    pub(super) fn unit(&self) -> crate::record::Level {
        self.units.level
    }

    fn own_units(&self) -> std::ops::Range<u32> {
        let records = &self.units.records;
        0..records
            .first_unit
            .get(self.own)
            .copied()
            .unwrap_or(self.units.len() as u32)
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

    /// Its index in the list of clusters.
    pub(super) fn cluster(&self, unit: u32) -> Option<usize> {
        let place = self.clusters.of_group[self.groups.of_unit[unit as usize] as usize];
        (place != Clusters::NONE).then_some(place as usize)
    }

    /// The lowest score in a unit's cluster.
    pub(super) fn lowest(&self, unit: u32) -> crate::Score {
        self.clusters
            .get(self.groups.of_unit[unit as usize])
            .map_or(crate::Score::ONE, |cluster| cluster.min_edge)
    }
}
