//! Options for the inputs.

use super::Declared;
use clap::Args;
use std::path::PathBuf;
use tegula::error::{Error, Result};
use tegula_io::options::{Needs, ReadOptions};
use tegula_run::InputSpec;
use tegula_run::options::{PairOptions, RecipeOptions, RecordOptions, TokenSource};

/// Options for the inputs.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct InputArgs {
    /// Files, folders, or `-` for standard input
    ///
    /// A folder stands for all files in it, in byte order of their names. Hidden files, files with
    /// unknown extensions, and files that describe a data set (README.md, dataset_infos.json,
    /// licences) are skipped and listed. Compressed files (.gz, .zst, .bz2, .xz) are read directly.
    #[arg(value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) read: Declared<ReadOptions>,

    #[command(flatten)]
    pub(crate) records: Declared<RecordOptions>,
}

impl InputArgs {
    /// What is read, and how, if the recipe defines the tokens.
    pub(crate) fn spec(&self, recipe: &RecipeOptions, pairs: &PairOptions) -> Result<InputSpec> {
        pairs.check_date_formats()?;
        let mut spec = InputSpec::default();
        spec.paths.clone_from(&self.inputs);
        spec.against.clone_from(&pairs.against);
        spec.read = ReadOptions {
            date_formats: pairs.date_format.clone(),
            needs: Needs {
                as_is: recipe.tokens == Some(TokenSource::AsIs),
                ..Needs::default()
            },
            ..self.read.0.clone()
        };
        spec.records = self.records.0.clone();
        Ok(spec)
    }

    /// Refuses a command line that names no input.
    pub(crate) fn check_any(&self) -> Result<()> {
        if self.inputs.is_empty() {
            return Err(Error::usage("expected at least one input, found none")
                .hint("name files or folders, or - for standard input"));
        }
        Ok(())
    }

    /// The options that are given.
    pub(crate) fn given(&self) -> Vec<String> {
        let inputs = (!self.inputs.is_empty()).then(|| "INPUT".to_owned());
        (inputs.into_iter())
            .chain(self.read.given())
            .chain(self.records.given())
            .collect()
    }
}
