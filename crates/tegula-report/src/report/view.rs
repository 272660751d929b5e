//! What the page shows of a stage.

use tegula::error::Result;

use super::cases::{self, CaseTexts, Group, Look};
use super::clusters;
use super::searched::Searched;
use super::seen::{Case, Seen};
use crate::form::plural;
use crate::run::{Run, Stage};
use crate::table::Table;
use crate::tables::{Counts, recurring};

/// The contents for a stage.
pub(super) struct View<'a> {
    pub(super) stage: &'a Stage,
    pub(super) counts: Option<&'a Counts>,
    pub(super) seen: Seen,
    pub(super) clusters: Option<clusters::StageClusters>,
    /// The units inside texts that recur most.
    pub(super) recurring: Option<Table>,
    /// What is looked at first.
    pub(super) looks: Vec<Look>,
    pub(super) groups: Vec<Group>,
    pub(super) case_texts: CaseTexts,
    /// Whether stages before this one have changed its texts.
    pub(super) is_later: bool,
}

impl<'a> View<'a> {
    /// Gathers the contents.
    pub(super) fn of(
        run: &Run,
        (stage, counts): (&'a Stage, Option<&'a Counts>),
        number: usize,
        searched: Option<&Searched>,
    ) -> Result<Self> {
        let clusters = clusters::StageClusters::of(stage)?;
        let largest = clusters.as_ref().and_then(|found| found.largest.first());
        let seen = Seen::of(stage, cases::SHOWN, largest)?;
        let groups = cases::groups(stage, &seen, searched)?;
        let looks = cases::looks(stage, &seen, &groups);
        let case_texts = CaseTexts::read(run, stage, number, &groups, &looks)?;
        Ok(Self {
            stage,
            counts,
            seen,
            clusters,
            recurring: recurring(run, stage)?,
            looks,
            groups,
            case_texts,
            is_later: number > 0,
        })
    }

    /// Whether texts are compared with all preceding text at once, and have no witness.
    pub(super) fn is_in_order(&self) -> bool {
        cases::is_in_order(self.stage)
    }

    /// Whether scores differ.
    pub(super) fn has_scores(&self) -> bool {
        !cases::is_exact(self.stage)
    }

    /// What cannot be shown, and why.
    pub(super) fn missing(&self) -> impl Iterator<Item = String> {
        self.case_texts
            .missing()
            .into_iter()
            .map(|(why, texts)| format!("{} of the cases: {why}", plural(texts, "text")))
    }

    /// What happened to copies.
    pub(super) fn removed(&self) -> &'static str {
        if self.marks() { "marked" } else { "removed" }
    }

    /// What happened to all else.
    pub(super) fn kept(&self) -> &'static str {
        if self.marks() { "unmarked" } else { "kept" }
    }

    fn marks(&self) -> bool {
        self.stage.verb == "marked"
    }

    /// Whether a text of a case can be shown.
    pub(super) fn has_text(&self, case: &Case) -> bool {
        matches!(self.case_texts.texts.get(&case.a), Some(Ok(_)))
    }

    /// What a removed unit is, of its witness.
    pub(super) fn copy(&self) -> &'static str {
        self.stage.recipe().map_or("a copy", |recipe| recipe.copy())
    }
}
