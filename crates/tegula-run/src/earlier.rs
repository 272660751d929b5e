//! Specifications based on an earlier run.

use crate::evidence::Stored;
use crate::options::RecordOptions;
use crate::spec::{Earlier, InputSpec, RunKind, RunSpec};
use std::path::{Path, PathBuf};
use tegula::error::{Error, ErrorKind, Result};
use tegula_io::tables::RunFolder;

impl RunSpec {
    /// A new decision on the evidence of an earlier run that kept all pairs: inputs, recipe and
    /// constraints are those of that run, and the threshold may be raised. `moved` is the folder to
    /// which its inputs have moved, if any.
    ///
    /// # Errors
    /// If there is no such run, or it has not kept all pairs.
    pub fn from_run(command: RunKind, run: &Path, moved: Option<&Path>) -> Result<Self> {
        let stored = Stored::open(run, moved)?;
        let kept = stored.spec;
        let from = Earlier {
            run: run.to_path_buf(),
            moved: moved.map(Path::to_path_buf),
        };
        let fresh = Self::new(command, stored.recipe, Vec::<PathBuf>::new());
        let input = InputSpec {
            records: RecordOptions::default(),
            ..kept.input
        };
        Ok(Self {
            input,
            constraints: kept.constraints,
            from: Some(from),
            ..fresh
        })
    }

    /// The specification of a run, to repeat it: its inputs at their current locations, its outputs
    /// where the run wrote them, and its evidence in this folder.
    ///
    /// # Errors
    /// If there is no such run, it is a stage of one, it read standard input, or another version of
    /// the program created it.
    pub fn of_run(run: &Path) -> Result<Self> {
        let refuse =
            |why: &str, hint: &str| Err(Error::new(ErrorKind::Run, why).at(run).hint(hint));
        if is_stage(run) {
            return refuse(
                "expected a run, found one of its stages, which read what earlier stages kept",
                "name the folder that this one is in",
            );
        }
        let mut spec = Stored::specification(run)?;
        if spec.input.paths.iter().any(|path| path.as_os_str() == "-") {
            return refuse(
                "the run read standard input, which is not kept",
                "repeat the run from a file",
            );
        }
        spec.evidence.folder = Some(run.to_path_buf());
        Ok(spec)
    }
}

/// Whether a folder is that of a stage of the run in its parent folder.
fn is_stage(run: &Path) -> bool {
    let Ok(run) = run.canonicalize() else {
        return false;
    };
    let info = run
        .parent()
        .and_then(|parent| RunFolder::open(parent).ok())
        .and_then(|folder| folder.info().ok());
    info.is_some_and(|info| {
        info.stages
            .iter()
            .any(|stage| run.file_name().is_some_and(|name| *name == *stage.folder))
    })
}
