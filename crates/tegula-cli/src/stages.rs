//! Finished stages of a run, in its folder: what `--resume` goes on from.

use crate::evidence::{RunOptions, recipe_hash};
use crate::output;
use std::cell::RefCell;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use tegula::engine::checkpoint::Checkpoint;
use tegula::error::{Error, ErrorKind, Result};
use tegula::recipe::Recipe;
use tegula_io::tables::{Identity, InputFile, Lookup, RunFolder, Stages, input_identity};

/// The one file of a stage.
const FILE: &str = "stage.bin";

/// The stages of one run.
pub(crate) struct RunStages {
    stages: RefCell<Stages>,
    identity: Identity,
    root: PathBuf,
    resume: bool,
}

impl RunStages {
    /// The stages in `folder`, for this recipe and these inputs, read in this way.
    ///
    /// # Errors
    /// When the folder's manifest cannot be read.
    pub(crate) fn open(
        folder: &RunFolder,
        recipe: &Recipe,
        options: &RunOptions,
        inputs: &[InputFile],
        resume: bool,
    ) -> Result<Self> {
        // What is read, and which pairs count, decides on the stages as much as the recipe does; the command does not.
        let reading = options.reading()?;
        let identity = Identity { recipe: format!("{} {reading}", recipe_hash(recipe)?), inputs: input_identity(inputs) };
        Ok(Self { stages: RefCell::new(folder.stages()?), identity, root: folder.path().to_path_buf(), resume })
    }

    /// Removes the stages: the run is complete, and its evidence in the tables.
    ///
    /// # Errors
    /// When they cannot be removed.
    pub(crate) fn clear(&self) -> Result<()> {
        let mut stages = self.stages.borrow_mut();
        let names: Vec<String> = stages.all().iter().map(|stage| stage.name.clone()).collect();
        names.iter().try_for_each(|name| stages.remove(name))
    }
}

impl Checkpoint for RunStages {
    fn find(&self, stage: &str) -> Result<Option<PathBuf>> {
        if !self.resume {
            return Ok(None);
        }
        let stages = self.stages.borrow();
        let other = |what: &str| {
            Err(Error::new(ErrorKind::Run, format!("--resume: the run is of {what}"))
                .at(&self.root)
                .hint("leave out --resume to begin it anew, or name another folder with --run"))
        };
        match stages.lookup(stage, &self.identity)? {
            Lookup::Found(_) => Ok(Some(stages.file(stage, FILE))),
            Lookup::Absent => Ok(None),
            Lookup::Damaged(why) => {
                output::warn(&format!("the kept stage '{stage}' is made again: {why}"));
                Ok(None)
            }
            Lookup::OtherRecipe => other("another recipe, or of other options for reading"),
            Lookup::OtherInputs => other("other inputs"),
        }
    }

    fn keep(&self, stage: &str, write: &mut dyn FnMut(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
        let mut stages = self.stages.borrow_mut();
        let draft = stages.begin(stage)?;
        let path = draft.path(FILE);
        let failed = |error| Error::io("write", &path, error);
        let mut out = BufWriter::with_capacity(1 << 20, File::create(&path).map_err(failed)?);
        write(&mut out).and_then(|()| out.flush()).map_err(failed)?;
        drop(out);
        stages.commit(draft, self.identity.clone(), serde_json::Value::Null)
    }
}
