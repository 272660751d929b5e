//! Files that other processes write for a run, which renames them into place with its own.

use super::Outputs;
use super::place::resolved;
use super::state::Whole;
use crate::store::{self, Uploaded};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use tegula::error::{Error, Result};
use tempfile::TempPath;

/// Complete files of a process, which the run takes over.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct HandedOver {
    /// Each with its final name.
    files: Vec<(PathBuf, PathBuf)>,
    /// Objects that are in their stores, but not visible, as JSON.
    uploaded: Vec<String>,
    /// Names that no file shall have at the end.
    obsolete: Vec<PathBuf>,
}

impl Outputs {
    /// Begins to have other processes write into a folder; returns the token that they need. What
    /// they write and the run does not take over is removed when it ends.
    ///
    /// # Errors
    /// If the folder cannot be written to.
    pub fn begin_parts(&self, folder: &Path) -> Result<String> {
        let mut state = self.lock();
        state.refuse_abandoned()?;
        if store::is_address(folder) {
            return Ok(state.token.clone());
        }
        let folder = resolved(folder);
        state.make(&folder)?;
        state.lock_folder(&folder, true)?;
        state.parts.folders.push(folder);
        Ok(state.token.clone())
    }

    /// The outputs of a process that writes for the run with this token.
    pub fn part_of(token: &str) -> Self {
        let outputs = Self::default();
        let mut state = outputs.lock();
        token.clone_into(&mut state.token);
        (state.parts.is_one, state.overwrite) = (true, true);
        drop(state);
        outputs
    }

    /// Hands all complete files over to the run.
    ///
    /// # Errors
    /// If a file cannot be kept.
    pub fn hand_over(&self) -> Result<HandedOver> {
        let mut state = self.lock();
        let mut handed = HandedOver {
            obsolete: std::mem::take(&mut state.obsolete),
            ..HandedOver::default()
        };
        for Whole { temp, target } in std::mem::take(&mut state.whole) {
            let kept = temp.keep();
            let temp = kept.map_err(|error| Error::io("write", &target, error.error))?;
            handed.files.push((temp, target));
        }
        for uploaded in std::mem::take(&mut state.uploaded) {
            let sent = serde_json::to_string(&uploaded);
            let sent = sent.map_err(|error| Error::io("write", uploaded.path(), error.into()))?;
            handed.uploaded.push(sent);
            // It is the run that completes or removes it.
            uploaded.forget(&state.notes);
        }
        Ok(handed)
    }

    /// Takes over the files of another process, to be renamed with those of the run.
    ///
    /// # Errors
    /// If the run was interrupted.
    pub fn take_over(&self, handed: HandedOver) -> Result<()> {
        let mut state = self.lock();
        state.refuse_abandoned()?;
        for (temp, target) in handed.files {
            let temp = TempPath::try_from_path(&temp)
                .map_err(|error| Error::io("take over", &temp, error))?;
            state.whole.push(Whole { temp, target });
        }
        let mut uploads: Vec<Uploaded> = Vec::new();
        for sent in handed.uploaded {
            uploads.push(
                serde_json::from_str(&sent).map_err(|error| {
                    Error::data(format!("an upload of another version: {error}"))
                })?,
            );
        }
        state.obsolete.extend(handed.obsolete);
        drop(state);
        uploads
            .into_iter()
            .try_for_each(|uploaded| self.adopt(uploaded))
    }
}
