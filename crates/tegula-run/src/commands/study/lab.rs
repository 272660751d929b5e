//! A collection that is searched again and again.

use super::StudySpec;
use crate::commands::statistics;
use crate::host::Host;
use crate::opened::{Opened, Opening, single};
use crate::options::{BadRecordPolicy, PairOptions};
use crate::spec::InputSpec;
use std::cell::Cell;
use std::path::PathBuf;
use tegula::engine::{self, bad_records::Told};
use tegula::error::{Error, Result};
use tegula::evidence::{Findings, ScoredPairs};
use tegula::recipe::{Measure, Recipe};
use tegula::statistics::Statistics;
use tegula_io::outputs::Outputs;

/// The collection, and what it is searched with.
pub(super) struct Lab<'a> {
    pub(super) spec: &'a StudySpec,
    pub(super) opened: Opened<'a>,
    /// What was asked for; experiments change it field by field.
    pub(super) recipe: &'a Recipe,
    statistics: Option<Statistics>,
    input: InputSpec,
    /// Whether bad records have been reported.
    is_read: Cell<bool>,
}

impl<'a> Lab<'a> {
    /// Opens the inputs, and makes sure that they have texts.
    pub(super) fn open(
        host: &'a Host,
        spec: &'a StudySpec,
        recipe: &'a Recipe,
        outputs: &Outputs,
    ) -> Result<Self> {
        let input = spec.input.spec(&spec.recipe, &PairOptions::default())?;
        let staged = single(recipe);
        let reads = spec.gold.iter().cloned();
        let reads = reads.chain(recipe.statistics.iter().map(PathBuf::from));
        let opening = Opening {
            reads: reads.collect(),
            output: spec.output.as_deref(),
            ..Opening::new(&input, &staged)
        };
        let opened = Opened::new(host, outputs, opening)?;
        let statistics = statistics::load(recipe, &host.context)?;
        opened.begin()?;
        Ok(Self {
            spec,
            opened,
            recipe,
            statistics,
            input,
            is_read: Cell::new(false),
        })
    }

    /// The beginning of the collection, which was checked as part of the whole.
    pub(super) fn beginning(&self, records: u64) -> Result<Self> {
        let mut input = self.input.clone();
        input.read.limit = Some(records);
        input.records.strict_ids = false;
        let bad = &mut input.records.bad;
        if bad.on_bad_record() == BadRecordPolicy::Quarantine {
            (bad.on_bad_record, bad.quarantine) = (Some(BadRecordPolicy::Skip), None);
        }
        let staged = single(self.recipe);
        let (host, outputs) = (self.opened.host, &self.opened.outputs);
        Ok(Self {
            opened: Opened::new(host, outputs, Opening::new(&input, &staged))?,
            spec: self.spec,
            recipe: self.recipe,
            statistics: statistics::load(self.recipe, &host.context)?,
            input,
            is_read: Cell::new(true),
        })
    }

    /// What a variant of the recipe finds.
    pub(super) fn find(&self, recipe: &Recipe) -> Result<Findings> {
        recipe.check()?;
        let context = &self.opened.host.context;
        let job = self.opened.job(recipe, self.statistics.as_ref());
        if self.is_read.replace(true) {
            return engine::find(context, job, &mut Told);
        }
        let (found, _) = self.opened.read(|bad| engine::find(context, job, bad))?;
        Ok(found)
    }
}

/// The pairs that a recipe found.
pub(super) fn pairs(found: &Findings) -> Result<&ScoredPairs> {
    found.pairs().ok_or_else(|| {
        let recipe = Error::of("⟨recipe⟩").expected("one that finds pairs");
        recipe.found("one that does not")
    })
}

/// Refuses a recipe without word weights, which experiments of `SimFinder` are about.
pub(super) fn check_weighted(recipe: &Recipe) -> Result<()> {
    if recipe.measure == Measure::WeightedResemblance {
        return Ok(());
    }
    Err(Error::of("⟨recipe⟩")
        .expected("one that measures weighted resemblance, as simfinder does")
        .found(&recipe.recipe))
}
