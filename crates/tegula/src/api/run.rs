//! Runs: from texts, or a custom source, to results.

use super::found::Found;
use super::input::Input;
use super::memory::Memory;
use super::{Cluster, Dedup, Outcome, Pairs, Record};
use crate::cluster::Clusters;
use crate::context::{Context, Reservation};
use crate::engine::bad_records::FailOnBad;
use crate::engine::{self, Job, Tuning};
use crate::error::{Error, Result};
use crate::field;
use crate::record::Source;

/// Runs over texts in memory. A text is anything that is [`Into<Record>`]: `&str`, `String`,
/// `&String`, `(id, text)`, [`Record`]. Borrowed texts are not copied, and results refer to texts
/// by index, from 0.
impl Dedup<'_> {
    /// Finds copies and decides which texts to keep.
    ///
    /// # Cost
    /// By default two passes over the texts on all threads, and a join on shared features;
    /// `O(n log n)` if copies are few.
    ///
    /// # Errors
    /// Usage errors if settings are incompatible with each other or with the fields of the records;
    /// [`Memory`](crate::ErrorKind::Memory) and [`Scratch`](crate::ErrorKind::Scratch) if the
    /// ceilings are too low; [`Cancelled`](crate::ErrorKind::Cancelled).
    pub fn run<'t, T: Into<Record<'t>>>(
        &self,
        texts: impl IntoIterator<Item = T>,
    ) -> Result<Outcome> {
        let memory = self.memory_of(texts)?;
        self.outcome(&memory, memory.heap_bytes())
    }

    /// All pairs at or above the threshold, with their scores and measures.
    ///
    /// ```
    /// let texts = ["one two three four five six", "zero one two three four five six", "seven eight"];
    /// let pairs = tegula::Dedup::recipe("ssr")?.threshold(0.5)?.pairs(texts)?;
    /// for pair in pairs.iter() {
    ///     let pair = pair?;
    ///     println!("{} and {}: {}", pair.a, pair.b, pair.score);
    /// }
    /// assert_eq!(pairs.len(), 1);
    /// # Ok::<(), tegula::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Dedup::run`]; a usage error for `onion`, which has no pairs.
    pub fn pairs<'t, T: Into<Record<'t>>>(
        &self,
        texts: impl IntoIterator<Item = T>,
    ) -> Result<Pairs> {
        let memory = self.memory_of(texts)?;
        self.all_pairs(&memory, memory.heap_bytes())
    }

    /// The clusters: texts linked by pairs, directly or indirectly.
    ///
    /// # Errors
    /// As [`Dedup::pairs`].
    pub fn clusters<'t, T: Into<Record<'t>>>(
        &self,
        texts: impl IntoIterator<Item = T>,
    ) -> Result<Vec<Cluster>> {
        let memory = self.memory_of(texts)?;
        self.all_clusters(&memory, memory.heap_bytes())
    }

    fn memory_of<'t, T: Into<Record<'t>>>(
        &self,
        texts: impl IntoIterator<Item = T>,
    ) -> Result<Memory<'t>> {
        let mut names: Vec<String> = Vec::new();
        let needs = self.needed_fields();
        for need in &needs {
            if !names.contains(&need.name) {
                names.push(need.name.clone());
            }
        }
        let records = texts.into_iter().map(Into::into).collect();
        let memory = Memory::new("texts", records, names, self.recipe.counts_characters());
        memory.check(&needs, &self.dates)?;
        Ok(memory)
    }
}

/// Runs over a custom source, for texts that are not in memory. Results refer to records by their
/// position in reading order, from 0. A record that cannot be read ends the run.
impl Dedup<'_> {
    /// As [`Dedup::run`].
    ///
    /// # Errors
    /// As [`Dedup::run`], and errors of the source.
    pub fn run_source(&self, source: &dyn Source) -> Result<Outcome> {
        self.outcome(source, 0)
    }

    /// As [`Dedup::pairs`].
    ///
    /// # Errors
    /// As [`Dedup::pairs`], and errors of the source.
    pub fn pairs_source(&self, source: &dyn Source) -> Result<Pairs> {
        self.all_pairs(source, 0)
    }

    /// As [`Dedup::clusters`].
    ///
    /// # Errors
    /// As [`Dedup::clusters`], and errors of the source.
    pub fn clusters_source(&self, source: &dyn Source) -> Result<Vec<Cluster>> {
        self.all_clusters(source, 0)
    }
}

/// All runs; `held` is the size of the list of texts in bytes.
impl Dedup<'_> {
    fn outcome(&self, source: &dyn Source, held: u64) -> Result<Outcome> {
        self.check()?;
        self.policy.check()?;
        if self.recipe.onion.is_some() {
            self.policy.check_order_decides()?;
        }
        if self.recipe.transitive && self.policy.keep_per.is_some() {
            return Err(Error::of("keep_per")
                .expected("none, as a transitive recipe keeps one text of each cluster")
                .hint("leave it out, or set transitive to false"));
        }
        Outcome::new(self.find(source, held, true)?, &self.recipe, &self.policy)
    }

    fn all_pairs(&self, source: &dyn Source, held: u64) -> Result<Pairs> {
        self.check_pairs()?;
        Pairs::new(self.find(source, held, false)?)
    }

    fn all_clusters(&self, source: &dyn Source, held: u64) -> Result<Vec<Cluster>> {
        self.check_pairs()?;
        let Found { findings, own, .. } = self.find(source, held, false)?;
        let clusters = Clusters::new(&findings, self.recipe.threshold)?;
        Ok(Cluster::all(
            &clusters,
            &findings.units,
            &findings.groups,
            own,
        ))
    }

    /// Checks combinations of settings.
    ///
    /// # Errors
    /// Usage errors that name the settings.
    pub(super) fn check(&self) -> Result<()> {
        self.recipe.check()?;
        self.recipe.check_effects()?;
        self.recipe.check_constraints(&self.constraints)?;
        if let Some(path) = &self.recipe.statistics {
            return Err(Error::of("statistics")
                .expected("none, as no files are read here")
                .found(format!("'{path}'"))
                .hint("leave it out: frequencies are then computed from the texts"));
        }
        Ok(())
    }

    fn check_pairs(&self) -> Result<()> {
        self.check()?;
        if self.recipe.measure.is_in_order() {
            return Err(Error::of("recipe")
                .problem(format!(
                    "{} compares a text with all text kept before it, and has no pairs",
                    self.recipe.recipe
                ))
                .hint("use run with it; for pairs of contained texts, use the recipe copies"));
        }
        Ok(())
    }

    /// Finds all pairs, or only those needed for a decision.
    fn find(&self, source: &dyn Source, held: u64, decides: bool) -> Result<Found> {
        let context = self.machine.context()?;
        context.check()?;
        let _held = context.budget.reserve(held, "the list of texts")?;
        let needs = self.needed_fields();
        let (references, _also_held) = self.held_references(&context, source)?;
        let input = Input::new(source, references.as_ref(), &needs, &self.dates)?;
        let constraints = &crate::constraint::Constraints {
            references_from: input.references_from(),
            ..self.constraints.clone()
        };
        let job = Job {
            source: &input,
            recipe: &self.recipe,
            constraints,
            statistics: None,
            checkpoint: None,
            elsewhere: None,
            tuning: Tuning::default(),
        };
        let findings = if decides {
            engine::find_to_decide(&context, job, &self.policy, &mut FailOnBad)?
        } else {
            engine::find(&context, job, &mut FailOnBad)?
        };
        if !findings.units.records.is_empty() {
            field::check(&findings.units.records.fields, &needs, &self.dates)?;
        }
        let own = findings
            .units
            .records
            .file
            .partition_point(|file| *file < input.own_files());
        Ok(Found {
            context,
            findings,
            own,
        })
    }

    /// The references as a source, with the fields of the texts; none if there are no references.
    fn held_references(
        &self,
        context: &Context,
        source: &dyn Source,
    ) -> Result<(Option<Memory<'_>>, Option<Reservation>)> {
        if self.references.is_empty() {
            return Ok((None, None));
        }
        let records = self.references.iter().map(Record::from).collect();
        let memory = Memory::new(
            "references",
            records,
            source.field_names().to_vec(),
            self.recipe.counts_characters(),
        );
        let held = context
            .budget
            .reserve(memory.heap_bytes(), "the list of references")?;
        Ok((Some(memory), Some(held)))
    }
}
