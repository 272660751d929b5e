//! The folder in which the machines of a cluster leave what they send to each other.

use super::plan::Plan;
use crate::host::Host;
use crate::spec::RunSpec;
use std::fs;
use std::path::{Path, PathBuf};
use tegula::{Error, Result};
use tegula_io::store;
use xxhash_rust::xxh3::xxh3_128;

/// A folder that all machines of a cluster reach.
pub(crate) struct Staging {
    folder: PathBuf,
    /// Whether only this run uses it.
    is_own: bool,
}

impl Staging {
    /// That of a run: where it was said, or beside the output.
    ///
    /// # Errors
    /// If neither is known.
    pub(crate) fn of(host: &Host, spec: &RunSpec) -> Result<Self> {
        let output = &spec.output;
        let paths = [&output.path, &output.removed, &spec.evidence.folder];
        let beside = || {
            let paths = paths.into_iter().flatten();
            // Tasks leave files there, which stores have none of.
            let mut files = paths.filter(|path| !store::is_address(path));
            files.find_map(|path| {
                let name = path.file_name()?.to_str()?;
                Some(path.with_file_name(format!(".{name}.staging")))
            })
        };
        let given = host.staging().map(Path::to_path_buf);
        let is_own = given.is_none();
        let folder = given.or_else(beside).ok_or_else(|| {
            Error::of("⟨staging⟩")
                .expected("a folder that all machines of the cluster reach")
                .found("none")
                .hint("name one, or name an output: the folder is then created beside it")
        })?;
        if store::is_address(&folder) {
            return Err(Error::of("⟨staging⟩")
                .expected("a folder that all machines of the cluster reach")
                .found("the address of a store")
                .hint("name a folder of a shared file system"));
        }
        let folder = store::absolute(&folder)?;
        Ok(Self { folder, is_own })
    }

    /// The folder of a run with this plan, of these inputs.
    pub(super) fn of_run(&self, plan: &Plan, inputs: &str) -> PathBuf {
        let digest = xxh3_128(format!("{}\n{inputs}", plan.spec).as_bytes());
        self.folder.join(format!("run-{digest:032x}"))
    }

    /// Removes what a run has left there, once everything is in place.
    pub(super) fn end(&self, of_run: &Path) {
        let _gone = fs::remove_dir_all(if self.is_own { &self.folder } else { of_run });
        // Only if it is empty.
        let _left = fs::remove_dir(&self.folder);
    }
}
