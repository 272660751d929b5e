//! The result of a run: its verdicts and its pairs, or its clusters, stage by stage.

use super::equal::Equal;
use super::found::{Listed, Removal};
use super::options::ReadOptions;
use super::parts::Parts;
use super::reader::Reader;
use std::path::Path;
use tegula::error::{Error, ErrorKind, Result};
use tegula::recipe::Recipe;
use tegula::threshold::{Score, Threshold};
use tegula_io::store;
use tegula_io::tables::{
    Clusters, Groups, Pairs, RunFolder, RunInfo, Table, TableReader, Units, Verdicts,
};

impl Reader<'_> {
    /// A run folder: all stages together. For each its pairs, with the groups of equal units that
    /// they represent; if it kept none, each removed unit with its witness; or its clusters, if
    /// requested.
    pub(super) fn run(&mut self, root: &Path, options: &ReadOptions) -> Result<()> {
        let info = RunFolder::open(root)?.info()?;
        if info.stages.is_empty() {
            return self.stage(root, options);
        }
        info.stages
            .iter()
            .try_for_each(|stage| self.stage(&root.join(&stage.folder), options))
    }

    fn stage(&mut self, root: &Path, options: &ReadOptions) -> Result<()> {
        let folder = RunFolder::open(root)?;
        let info = folder.info()?;
        let recipe = serde_json::from_value::<Recipe>(info.recipe.clone());
        if let Some(recipe) = recipe
            .as_ref()
            .ok()
            .filter(|recipe| !recipe.measure.is_equality())
        {
            let value = |threshold: &Threshold| Score {
                part: threshold.numerator(),
                whole: threshold.denominator(),
            };
            self.found.least = self
                .found
                .least
                .into_iter()
                .chain([recipe.threshold])
                .min_by_key(value);
        }
        let strict = recipe.is_ok_and(|recipe| recipe.measure.is_strict());
        self.found.mixed |= *self.found.strict.get_or_insert(strict) != strict;
        if info
            .recipe
            .get("unit")
            .and_then(serde_json::Value::as_str)
            .is_some_and(|unit| unit != "document")
        {
            self.parts(&folder)?;
        }
        self.pairs_of(&folder, &info, options)?;
        if let Some(parts) = self.parts.take() {
            let pairs = parts.into_pairs();
            self.found.by_share |= !pairs.is_empty();
            self.found.pairs.extend(pairs);
        }
        Ok(())
    }

    /// Records the lengths of paragraphs or sentences that represent documents.
    fn parts(&mut self, folder: &RunFolder) -> Result<()> {
        let mut parts = Parts::default();
        TableReader::<Units>::open(&folder.table::<Units>())?.for_each(|row| {
            if let (Some(name), Some(document)) =
                (row.document, self.number_of(row.id, row.document)?)
                && self.name(document) == name
            {
                parts.push(row.id, (name, document), row.tokens);
            }
            Ok(())
        })?;
        self.parts = Some(parts);
        Ok(())
    }

    fn pairs_of(
        &mut self,
        folder: &RunFolder,
        info: &RunInfo,
        options: &ReadOptions,
    ) -> Result<()> {
        let has_verdicts = self.verdicts(folder)?;
        let clusters = folder.table::<Clusters>();
        if options.clusters {
            if !store::is_file(&clusters) {
                return Err(Error::new(
                    ErrorKind::Run,
                    format!(
                        "⟨clusters⟩: expected {}.parquet, found none",
                        Clusters::NAME
                    ),
                )
                .at(folder.path())
                .hint("a recipe without pairs has no clusters: leave out ⟨clusters⟩"));
            }
            return self.clusters(TableReader::open(&clusters)?);
        }
        let path = folder.table::<Pairs>();
        if store::is_file(&path) {
            let equal = self.equal(folder, info)?;
            return self.pairs(
                TableReader::open(&path)?,
                &path,
                &options.score,
                Some(&equal),
            );
        }
        if has_verdicts {
            return self.witnesses(folder);
        }
        Err(
            Error::new(ErrorKind::Run, "expected pairs or verdicts, found neither")
                .at(folder.path())
                .hint("create the run with dedup, mark, or pairs ⟨run⟩"),
        )
    }

    /// The groups of equal units, any two of which are a pair if the run says so.
    fn equal(&mut self, folder: &RunFolder, info: &RunInfo) -> Result<Equal> {
        let mut groups = Equal::default();
        let path = folder.table::<Groups>();
        if !store::is_file(&path) {
            return Ok(groups);
        }
        let alike = info.alike_below();
        TableReader::<Groups>::open(&path)?.for_each(|row| {
            groups.push(row.group, row.id, row.unit < alike);
            Ok(())
        })?;
        for group in groups.list.iter().filter(|group| group.alike) {
            for (place, a) in group.members.iter().enumerate() {
                for b in &group.members[place + 1..] {
                    self.equal_pair(a, b, 1.0)?;
                }
            }
        }
        Ok(groups)
    }

    /// Records the units that the run removed or marked; returns whether it made a decision.
    fn verdicts(&mut self, folder: &RunFolder) -> Result<bool> {
        let path = folder.table::<Verdicts>();
        if !store::is_file(&path) {
            return Ok(false);
        }
        let mut removals = self.found.removals.take().unwrap_or_default();
        TableReader::<Verdicts>::open(&path)?.for_each(|row| {
            if row.verdict == "kept" || row.label == Some("reference") {
                return Ok(());
            }
            let witness = row.witness_id.map_or(Ok(None), |id| self.number(id))?;
            if let Some(id) = self.number(row.id)? {
                removals.push(Removal {
                    id,
                    witness,
                    score: row.score,
                });
            }
            Ok(())
        })?;
        self.found.removals = Some(removals);
        Ok(true)
    }

    /// Each removed unit with its witness, as pairs. For Onion, the witness is the unit in which
    /// most of it was seen.
    fn witnesses(&mut self, folder: &RunFolder) -> Result<()> {
        self.found.of = Listed::Verdicts;
        self.found.scored = true;
        TableReader::<Verdicts>::open(&folder.table::<Verdicts>())?.for_each(|row| {
            match row.witness_id {
                Some(witness) => self.pair(witness, row.id, row.score.unwrap_or(1.0)),
                None => Ok(()),
            }
        })
    }
}
