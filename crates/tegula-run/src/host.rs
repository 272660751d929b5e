//! Who runs: what a run may take of the machine, and whom it tells.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use tegula::context::Context;
use tegula::error::Result;
use tegula::machine::Limits;
use tegula::summary::Summary;
use tegula_io::outputs::{Outputs, Unfinished};

/// What a run may take of the machine, and whom it tells.
#[derive(Clone)]
pub struct Host {
    /// Threads, memory, scratch, progress and cancellation.
    pub context: Context,
    observer: Arc<dyn Observer>,
    written: Vec<(String, PathBuf)>,
    read: Vec<PathBuf>,
}

impl Host {
    /// Takes 70 % of the free memory, all cores and the system's folder for temporary files, and tells nobody but by the result of the run.
    ///
    /// # Errors
    /// None in practice.
    pub fn usual() -> Result<Self> {
        Ok(Self::new(Limits::default().context()?))
    }

    /// Runs in this context and tells nobody but by its result.
    pub fn new(context: Context) -> Self {
        Self { context, observer: Arc::new(Unobserved), written: Vec::new(), read: Vec::new() }
    }

    /// The same, with someone to tell.
    #[must_use]
    pub fn observed_by(self, observer: impl Observer + 'static) -> Self {
        Self { observer: Arc::new(observer), ..self }
    }

    /// The same, where the caller writes to this path by itself while the run goes on, because of this option: no output of the run may be
    /// the same.
    #[must_use]
    pub fn writing(mut self, option: &str, path: impl Into<PathBuf>) -> Self {
        self.written.push((option.to_owned(), path.into()));
        self
    }

    /// The same, where the caller has read these files by itself, such as a recipe: no output of the run may replace them.
    #[must_use]
    pub fn reading(mut self, paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        self.read.extend(paths.into_iter().map(Into::into));
        self
    }

    /// What the caller has read.
    pub(crate) fn read(&self) -> impl Iterator<Item = &Path> {
        self.read.iter().map(PathBuf::as_path)
    }

    /// What the caller writes, with the option that asks for it.
    pub(crate) fn written(&self) -> impl Iterator<Item = (&str, Option<&Path>)> {
        self.written.iter().map(|(option, path)| (option.as_str(), Some(path.as_path())))
    }

    /// Warns of something that does not end the run.
    pub fn warn(&self, text: &str) {
        self.observer.warn(text);
    }

    /// Has a summary name options as the front end does.
    pub(crate) fn spell(&self, summary: &mut Summary) {
        summary.spell(&|name, value| self.observer.spell(name, value));
    }

    /// Whoever is to be told.
    pub fn observer(&self) -> &Arc<dyn Observer> {
        &self.observer
    }

    /// New outputs, which the observer knows of. `overwrite` permits folders that hold other files.
    pub fn outputs(&self, overwrite: bool) -> Outputs {
        let outputs = Outputs::new(overwrite);
        self.observer.unfinished(outputs.unfinished());
        outputs
    }
}

/// Is told what happens during a run. Called from the thread that runs; every method may be left out.
pub trait Observer: Send + Sync {
    /// How the front end calls an option, as its users do: see [`tegula::option`]. It is asked for what the run keeps in files; texts that it
    /// is told, and errors, still have their marks.
    fn spell(&self, option: &str, value: Option<&str>) -> String {
        tegula::option::plain(option, value)
    }

    /// Something deserves the user's attention, but does not end the run.
    fn warn(&self, _text: &str) {}

    /// Something that the user may want to know.
    fn note(&self, _text: &str) {}

    /// These outputs have no names yet. Where the process is about to end before the run has, [`Unfinished::abandon`] removes what was
    /// written so far; a run that returns has removed it by itself.
    fn unfinished(&self, _outputs: Unfinished) {}

    /// The run will write to this path; `-` is standard output.
    fn writes(&self, _path: &Path) {}

    /// A stage was kept in the run folder: from now on a run that is stopped can be resumed.
    fn stage_kept(&self, _stage: &str) {}
}

/// Tells nobody.
struct Unobserved;

impl Observer for Unobserved {}
