//! `pairs` as a command: what its options mean.

use crate::command::Command;
use crate::commands::dedup::Ran;
use crate::host::Host;
use crate::options::{
    ClusterOptions, EvidenceOptions, InputOptions, PairOptions, RecipeOptions, Shown, TableOptions,
};
use crate::spec::{PairsKept, RunKind, RunSpec};
use std::path::PathBuf;
use tegula::error::{Error, Result};
use tegula_io::tables::check_table_name;

tegula::options! {
    /// A table of the pairs at or above the threshold.
    pub struct PairsSpec under "Output" {
        /// List every pair of units, not one pair for every two groups of equal units
        ///
        /// Without it, a row stands for equal_a times equal_b pairs, and each unit of a group except
        /// the first has a row with the first.
        pub expand: bool => "",
    }
    blocks before {
        /// What to read, and how.
        pub input: InputOptions,
        /// The table.
        pub table: TableOptions,
        /// How texts are compared.
        pub recipe: RecipeOptions,
        /// Which pairs count.
        pub pairs: PairOptions,
        /// The evidence to keep.
        pub run: EvidenceOptions,
        /// Where texts are compared.
        pub cluster: ClusterOptions,
    }
    besides {}
}

impl PairsSpec {
    /// What the options mean.
    ///
    /// # Errors
    /// Usage errors naming the option; under `auto`, errors of the inputs, of which a sample is read.
    pub fn spec(&self, host: &Host) -> Result<RunSpec> {
        self.input.check_any()?;
        match &self.table.output {
            None if self.run.run.is_none() => {
                return Err(Error::of("⟨output⟩").expected("an output").found("none").hint(
                    "name a .parquet, .tsv or .jsonl file, or - for standard output; or use ⟨run⟩",
                ));
            }
            Some(path) if path.as_os_str() != "-" => check_table_name(path)?,
            _ => {}
        }
        let advised = self.recipe.advised(host, &self.input, &self.pairs, false)?;
        let recipe = advised.recipe(host.recipes())?;
        let mut spec = RunSpec::new(RunKind::Pairs, recipe, Vec::<PathBuf>::new());
        spec.input = self.input.spec(&advised, &self.pairs)?;
        spec.input.steps_named = advised.steps_named(&spec.recipe);
        spec.constraints = self.pairs.constraints();
        spec.output.path.clone_from(&self.table.output);
        spec.output.expand = self.expand;
        spec.output.form = self.table.form();
        spec.output.formulas = self.table.formulas(None)?;
        spec.evidence = self.run.spec();
        spec.evidence.pairs = PairsKept::All;
        Ok(spec)
    }
}

impl Command for PairsSpec {
    const NAME: &'static str = "pairs";
    const ABOUT: &'static str = "List the pairs at or above the threshold";
    const EXAMPLES: &'static str = "Examples:
  tegula pairs news.jsonl -o pairs.parquet
  tegula pairs laws/ --recipe ssr --threshold 0.5 -o pairs.tsv
  tegula pairs old.jsonl new.jsonl -o - | head";
    const SHOWN: Shown = Shown::running(&["json", "verbose"]);
    type Answer = Ran;

    fn run(&self, host: &Host) -> Result<Ran> {
        let host = &self.cluster.host(self.recipe.read_by(host))?;
        Ran::new(host, self.spec(host)?)
    }
}
