//! Where tasks run: the texts and features of a split.

use super::job::Agreed;
use super::message::{Kind, Received};
use super::plan::Worker;
use crate::opened::inputs::Inputs;
use std::collections::BTreeMap;
use tegula::record::Chunks;
use tegula::stage_input::StageInput;
use tegula::steps::{Finds, Method, Ranked, Records, Search, Text, Unit};
use tegula::{Error, Result};

/// Where tasks run, and what they know.
pub(super) struct At<'a> {
    pub(super) worker: &'a Worker,
    pub(super) method: &'a Method<'a>,
    pub(super) agreed: &'a Agreed,
}

impl At<'_> {
    /// The bodies of texts of a split, by start.
    pub(super) fn bodies(
        &self,
        split: u64,
        texts: &[Text],
        starts: &[u32],
    ) -> Result<BTreeMap<u32, String>> {
        let first = self.first_unit(split);
        let of_unit: BTreeMap<u32, u32> = starts
            .iter()
            .map(|start| ((of(texts, *start).id() - first) as u32, *start))
            .collect();
        let mut bodies = BTreeMap::new();
        if of_unit.is_empty() {
            return Ok(bodies);
        }
        let is_wanted = |unit: u32| of_unit.contains_key(&unit);
        self.read(split, &is_wanted, &mut |unit| {
            bodies.insert(of_unit[&unit.number], unit.text.to_owned());
            Ok(())
        })?;
        if bodies.len() < of_unit.len() {
            return Err(Error::data("a file changed while it was read")
                .hint("run again on a copy that no one writes to"));
        }
        Ok(bodies)
    }

    /// Passes on wanted units of a split.
    pub(super) fn read(
        &self,
        split: u64,
        wanted: &dyn Fn(u32) -> bool,
        each: &mut dyn FnMut(Unit) -> Result<()>,
    ) -> Result<()> {
        let inputs = self.worker.inputs()?;
        let (part, are_references) = self.worker.split(split)?;
        let of = Records {
            source: inputs,
            dates: inputs.needed_fields().1,
            are_references,
        };
        let rest = self.rest(inputs);
        let chunks = rest_of(rest.as_ref(), inputs.chunks_of(part)?);
        self.method.texts(of, chunks, wanted, each)
    }

    /// The inputs without what earlier stages have removed.
    pub(super) fn rest<'i>(&self, inputs: &'i Inputs) -> Option<StageInput<'i>> {
        let removed = self.agreed.removed.clone();
        removed.map(|removed| StageInput::new(inputs, removed))
    }

    /// Whether candidates are compared by their ranked features.
    pub(super) fn by_features(&self, search: &Search) -> bool {
        search.finds() == Finds::Features && self.worker.recipe.weights.is_some()
    }

    /// Whether comparing needs the ranked features of candidates.
    pub(super) fn needs_features(&self, search: &Search) -> bool {
        self.by_features(search) || search.may_collide()
    }

    /// The split of a text with this start.
    pub(super) fn split(&self, search: &Search, start: u32) -> u64 {
        search.batch_of(start, &self.agreed.starts) as u64
    }

    pub(super) fn start(&self, split: u64) -> u64 {
        let start = self.agreed.starts.get(split as usize);
        start.copied().unwrap_or_default()
    }

    pub(super) fn first_unit(&self, split: u64) -> u64 {
        let first = self.agreed.units.get(split as usize);
        first.copied().unwrap_or_default()
    }
}

/// Chunks of the inputs without what earlier stages have removed.
pub(super) fn rest_of<'c>(rest: Option<&'c StageInput>, chunks: Chunks<'c>) -> Chunks<'c> {
    match rest {
        Some(rest) => rest.rest_of(chunks),
        None => chunks,
    }
}

/// The texts of a split, by start.
pub(super) fn texts(received: &Received) -> Result<Vec<Text>> {
    let mut texts = received.rows::<Text>(Kind::Texts)?;
    texts.sort_unstable_by_key(|text| text.start);
    Ok(texts)
}

/// Ranked features, by the start of their text.
pub(super) fn by_start(mut ranked: Vec<Ranked>) -> Vec<Ranked> {
    ranked.sort_by_key(|row| row.start());
    ranked
}

/// The text with a start, which is one of them.
pub(super) fn of(texts: &[Text], start: u32) -> &Text {
    let at = texts.partition_point(|text| text.start < start);
    &texts[at.min(texts.len() - 1)]
}

/// The ranked features of a text.
pub(super) fn of_text(ranked: &[Ranked], start: u32) -> &[Ranked] {
    let from = ranked.partition_point(|row| row.start() < start);
    let to = ranked.partition_point(|row| row.start() <= start);
    &ranked[from..to]
}
