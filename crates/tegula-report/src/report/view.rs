//! What the page shows of a stage.

use tegula::error::Result;

use super::cases::{self, CaseTexts, Group};
use super::clusters;
use super::searched::Searched;
use super::seen::Seen;
use crate::form::plural;
use crate::run::{Run, Stage};
use crate::tables::Counts;

/// The contents for a stage.
pub(super) struct View<'a> {
    pub(super) stage: &'a Stage,
    pub(super) counts: Option<Counts>,
    pub(super) seen: Seen,
    pub(super) clusters: Option<clusters::StageClusters>,
    pub(super) groups: Vec<Group>,
    pub(super) case_texts: CaseTexts,
}

impl<'a> View<'a> {
    /// Gathers the contents.
    pub(super) fn of(
        run: &Run,
        stage: &'a Stage,
        number: usize,
        searched: Option<&Searched>,
    ) -> Result<Self> {
        let counts = if stage.is_decided() {
            Some(Counts::of(stage)?)
        } else {
            None
        };
        let seen = Seen::of(stage, cases::SHOWN)?;
        let groups = cases::groups(stage, &seen, searched)?;
        let case_texts = CaseTexts::read(run, stage, number, &groups)?;
        Ok(Self {
            stage,
            counts,
            seen,
            clusters: clusters::StageClusters::of(stage)?,
            groups,
            case_texts,
        })
    }

    /// What cannot be shown, and why.
    pub(super) fn missing(&self) -> impl Iterator<Item = String> {
        self.case_texts
            .missing()
            .into_iter()
            .map(|(why, texts)| format!("{} of the cases: {why}", plural(texts, "text")))
    }

    pub(super) fn removed(&self) -> &str {
        if self.stage.verb == "marked" {
            "marked"
        } else {
            "removed"
        }
    }
}
