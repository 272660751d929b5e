//! Specifications that begin with an earlier run.

use crate::evidence::Stored;
use crate::spec::{BadRecordPolicy, Command, Earlier, InputSpec, RunSpec};
use std::path::{Path, PathBuf};
use tegula::error::Result;

impl RunSpec {
    /// A new decision on the evidence of an earlier run, which has kept all pairs: inputs, recipe and constraints are those of that run, and
    /// the threshold may be raised. `moved` is the folder that its inputs have moved to, if they have.
    ///
    /// # Errors
    /// When there is no such run, or it has not kept all pairs.
    pub fn from_run(command: Command, run: &Path, moved: Option<&Path>) -> Result<Self> {
        let stored = Stored::open(run, moved)?;
        let kept = stored.spec;
        let from = Earlier { run: run.to_path_buf(), moved: moved.map(Path::to_path_buf) };
        let fresh = Self::new(command, stored.recipe, Vec::<PathBuf>::new());
        let input = InputSpec { on_bad_record: BadRecordPolicy::Fail, quarantine: None, strict_ids: false, ..kept.input };
        Ok(Self { input, constraints: kept.constraints, from: Some(from), ..fresh })
    }

    /// The specification of a run, as its folder has it, to repeat it: inputs are where they are now, outputs as they were named.
    ///
    /// # Errors
    /// When there is no such run, or another version of the program made it.
    pub fn of_run(run: &Path) -> Result<Self> {
        Stored::specification(run)
    }
}
