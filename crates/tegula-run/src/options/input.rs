//! What to read, and how.

use super::{PairOptions, RecipeOptions, RecordOptions, TokenSource};
use crate::spec::InputSpec;
use std::path::PathBuf;
use tegula::error::{ErrorKind, Result};
use tegula_io::options::{Needs, ReadOptions};

tegula::options! {
    /// What to read, and how.
    pub struct InputOptions under "" {
        /// Files, folders, or `-` for standard input
        ///
        /// A folder stands for all files in it, in byte order of their names. Hidden files, files with
        /// unknown extensions, and files that describe a data set (README.md, dataset_infos.json,
        /// licences) are skipped and listed. Compressed files (.gz, .zst, .bz2, .xz) are read directly.
        /// An address such as s3://bucket/folder/ stands for objects in a store, and https://host/name
        /// for a file on a web server; outputs and run folders may be in stores, too.
        #[serde(with = "tegula_io::path::list")]
        pub inputs: Vec<PathBuf> => "INPUT",
    }
    blocks {
        /// How to read files.
        pub read: ReadOptions,
        /// What to do with records that cannot be read, or whose ids repeat.
        pub records: RecordOptions,
    }
    besides {}
}

impl InputOptions {
    /// To read these files and folders.
    pub fn new(paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        Self {
            inputs: paths.into_iter().map(Into::into).collect(),
            ..Self::default()
        }
    }

    /// What is read, and how, if the recipe defines the tokens and `pairs` the dates and references.
    ///
    /// # Errors
    /// Invalid date formats.
    pub fn spec(&self, recipe: &RecipeOptions, pairs: &PairOptions) -> Result<InputSpec> {
        pairs.check_date_formats()?;
        Ok(InputSpec {
            paths: self.inputs.clone(),
            against: pairs.against.clone(),
            read: ReadOptions {
                date_formats: pairs.date_format.clone(),
                needs: Needs {
                    as_is: recipe.tokens == Some(TokenSource::AsIs),
                    ..Needs::default()
                },
                ..self.read.clone()
            },
            records: self.records.clone(),
            ..InputSpec::default()
        })
    }

    /// Refuses options that name no input.
    ///
    /// # Errors
    /// A usage error that says what to name.
    pub fn check_any(&self) -> Result<()> {
        if self.inputs.is_empty() {
            return Err(ErrorKind::Usage
                .expected("at least one input")
                .found("none")
                .hint("name files or folders, or - for standard input"));
        }
        Ok(())
    }
}
