//! Finished stages of a run, saved in its folder, from which `--resume` continues.

use crate::evidence::staged_hash;
use crate::host::{Host, Observer};
use crate::opened::inputs::Inputs;
use crate::spec::RunSpec;
use std::cell::RefCell;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;
use tegula::engine::checkpoint::Checkpoint;
use tegula::error::{Error, ErrorKind, Result};
use tegula_io::guard::InputGuard;
use tegula_io::tables::{Identity, Lookup, RunFolder, Stages, input_identity};

/// The one file of a stage.
const FILE: &str = "stage.bin";

/// The stages of one run.
pub(crate) struct RunStages {
    stages: RefCell<Stages>,
    identity: Identity,
    /// The guard of each input.
    guards: Vec<Arc<InputGuard>>,
    root: PathBuf,
    resume: bool,
    observer: Arc<dyn Observer>,
}

impl RunStages {
    /// The stages in `folder`, for a single recipe of a specification and these inputs.
    ///
    /// # Errors
    /// If the folder's manifest cannot be read.
    pub(crate) fn open(
        host: &Host,
        folder: &RunFolder,
        spec: &RunSpec,
        inputs: &Inputs,
    ) -> Result<Self> {
        // Stages depend on what is read and on constraints as much as on the recipe; not on the
        // command.
        let recipe = format!("{} {}", staged_hash(&spec.recipe)?, spec.reading()?);
        Ok(Self {
            stages: RefCell::new(folder.stages()?),
            identity: Identity {
                recipe,
                inputs: input_identity(&inputs.identify()),
            },
            guards: inputs.guards().cloned().collect(),
            root: folder.path().to_path_buf(),
            resume: spec.evidence.resume,
            observer: Arc::clone(host.observer()),
        })
    }
}

impl Checkpoint for RunStages {
    fn find(&self, stage: &str) -> Result<Option<PathBuf>> {
        if !self.resume {
            return Ok(None);
        }
        let stages = self.stages.borrow();
        let other =
            |what: &str| {
                Err(Error::new(ErrorKind::Run, format!("⟨resume⟩: the run used {what}"))
                .at(&self.root)
                .hint("leave out ⟨resume⟩ to start again, or choose another folder with ⟨run⟩"))
            };
        match stages.lookup(stage, &self.identity)? {
            Lookup::Found(found) => {
                let checks: Vec<Option<String>> =
                    serde_json::from_value(found.data).unwrap_or_default();
                for (check, guard) in checks.iter().zip(&self.guards) {
                    if let Some(check) = check
                        .as_ref()
                        .and_then(|check| u64::from_str_radix(check, 16).ok())
                    {
                        guard.expect(check);
                    }
                }
                Ok(Some(stages.file(stage, FILE)))
            }
            Lookup::Absent => Ok(None),
            Lookup::Damaged(why) => {
                self.observer.warn(&format!(
                    "the saved stage '{stage}' is computed again: {why}"
                ));
                Ok(None)
            }
            Lookup::OtherRecipe => other("another recipe or other options for reading"),
            Lookup::OtherInputs => other("other inputs"),
        }
    }

    fn keep(
        &self,
        stage: &str,
        write: &mut dyn FnMut(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<()> {
        let mut stages = self.stages.borrow_mut();
        let draft = stages.begin(stage)?;
        let path = draft.path(FILE);
        let failed = |error| Error::io("write", &path, error);
        let mut out = BufWriter::with_capacity(1 << 20, File::create(&path).map_err(failed)?);
        write(&mut out).and_then(|()| out.flush()).map_err(failed)?;
        drop(out);
        // Checksums of its inputs, so that a resumed run can verify that it reads the same.
        let checks: Vec<Option<String>> = self
            .guards
            .iter()
            .map(|guard| guard.digest().map(|check| format!("{check:016x}")))
            .collect();
        stages.commit(draft, self.identity.clone(), checks.into())?;
        self.observer.stage_kept(stage);
        Ok(())
    }
}
