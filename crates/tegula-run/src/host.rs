//! The environment of a run: its resources, and its observer.

use crate::cluster::Engine;
use crate::options::Named;
use crate::spec::InputSpec;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tegula::context::Context;
use tegula::error::Result;
use tegula::machine::Limits;
use tegula::summary::Summary;
use tegula_io::memory::{Received, Table};
use tegula_io::outputs::{Outputs, Unfinished};
use tegula_io::store;

/// The environment of a run: its resources, and its observer.
#[derive(Clone)]
pub struct Host {
    /// Threads, memory, scratch, progress and cancellation.
    pub context: Context,
    observer: Arc<dyn Observer>,
    written: Vec<(String, PathBuf)>,
    read: Vec<PathBuf>,
    recipes: Named,
    tables: Vec<Table>,
    received: Option<Arc<Received>>,
    invoked_as: Option<String>,
    saves_stages: bool,
    engine: Option<Arc<dyn Engine>>,
    staging: Option<PathBuf>,
    task_memory: Option<u64>,
}

impl Host {
    /// Uses 70 % of free memory, all cores and the system's folder for temporary files, without an
    /// observer.
    ///
    /// # Errors
    /// None in practice.
    pub fn usual() -> Result<Self> {
        Ok(Self::new(Limits::default().context()?))
    }

    /// Runs in this context without an observer.
    pub fn new(context: Context) -> Self {
        Self {
            context,
            observer: Arc::new(Unobserved),
            written: Vec::new(),
            read: Vec::new(),
            recipes: Named::new(),
            tables: Vec::new(),
            received: None,
            invoked_as: None,
            saves_stages: true,
            engine: None,
            staging: None,
            task_memory: None,
        }
    }

    /// The same with an observer.
    #[must_use]
    pub fn observed_by(self, observer: impl Observer + 'static) -> Self {
        Self {
            observer: Arc::new(observer),
            ..self
        }
    }

    /// Declares that the caller itself writes to this path during the run, because of this option:
    /// no output of the run may have the same path.
    #[must_use]
    pub fn writing(mut self, option: &str, path: impl Into<PathBuf>) -> Self {
        self.written.push((option.to_owned(), path.into()));
        self
    }

    /// Declares that the caller itself has read these files, such as a recipe: no output of the run
    /// may replace them.
    #[must_use]
    pub fn reading(mut self, paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        self.read.extend(paths.into_iter().map(Into::into));
        self
    }

    /// Holds tables in memory: inputs of their names are these tables, also those of an earlier run.
    #[must_use]
    pub fn holding(self, tables: Vec<Table>) -> Self {
        Self { tables, ..self }
    }

    /// Receives the table that is written to this path in memory.
    #[must_use]
    pub fn receiving(self, received: Arc<Received>) -> Self {
        let received = Some(received);
        Self { received, ..self }
    }

    /// Where a table of this path is received in memory.
    pub(crate) fn received(&self, path: &Path) -> Option<&Received> {
        let received = self.received.as_deref();
        received.filter(|received| received.path() == path)
    }

    /// The table in memory of this name.
    pub(crate) fn table(&self, name: &Path) -> Option<&Table> {
        let mut tables = self.tables.iter();
        tables.find(|table| Path::new(table.name()) == name)
    }

    /// The tables in memory.
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// What is read, with the tables that are held in the place of their names.
    pub(crate) fn held(&self, input: &InputSpec) -> InputSpec {
        let mut input = input.clone();
        let table = |name: &Path| self.table(name);
        let InputSpec {
            paths,
            against,
            tables,
            against_tables,
            ..
        } = &mut input;
        for (paths, tables) in [(paths, tables), (against, against_tables)] {
            for gone in tables.iter_mut() {
                if let Some(held) = table(Path::new(gone.name())) {
                    *gone = held.clone();
                }
            }
            for path in paths.iter_mut() {
                *path = store::shown(path);
            }
            tables.extend(paths.iter().filter_map(|path| table(path)).cloned());
            paths.retain(|path| table(path).is_none());
        }
        input
    }

    /// Has texts read and compared on a cluster.
    #[must_use]
    pub fn on(self, engine: Arc<dyn Engine>) -> Self {
        let engine = Some(engine);
        Self { engine, ..self }
    }

    /// Bounds the memory of each task on the cluster, in bytes.
    #[must_use]
    pub fn bounding_tasks(self, task_memory: Option<u64>) -> Self {
        Self {
            task_memory,
            ..self
        }
    }

    /// The memory ceiling of each task on the cluster, if there is one.
    pub(crate) fn memory_of_tasks(&self) -> Option<u64> {
        self.task_memory
    }

    /// Where the machines of the cluster leave what they send to each other.
    #[must_use]
    pub(crate) fn staging_in(self, staging: Option<PathBuf>) -> Self {
        Self { staging, ..self }
    }

    /// Where the machines of the cluster leave what they send to each other, if it was said.
    pub(crate) fn staging(&self) -> Option<&Path> {
        self.staging.as_deref()
    }

    /// The cluster on which texts are read and compared.
    pub(crate) fn engine(&self) -> Option<&dyn Engine> {
        self.engine.as_deref()
    }

    /// Gives files of recipes names of their own.
    #[must_use]
    pub fn naming(self, recipes: Named) -> Self {
        Self { recipes, ..self }
    }

    /// The files of recipes that have names of their own.
    pub fn recipes(&self) -> &Named {
        &self.recipes
    }

    /// Declares the command line that the run came from, which its folder then records.
    #[must_use]
    pub fn invoked_as(mut self, line: impl Into<String>) -> Self {
        self.invoked_as = Some(store::shown_in(&line.into()));
        self
    }

    /// Declares that a killed run will not be resumed: its finished stages are not saved in the run
    /// folder.
    #[must_use]
    pub fn never_resumed(mut self) -> Self {
        self.saves_stages = false;
        self
    }

    /// Whether finished stages are saved in the run folder.
    pub(crate) fn saves_stages(&self) -> bool {
        self.saves_stages
    }

    /// The command line that the run came from.
    pub(crate) fn command_line(&self) -> Option<&str> {
        self.invoked_as.as_deref()
    }

    /// The files that the caller writes, each with its option.
    pub(crate) fn written(&self) -> impl Iterator<Item = (&str, Option<&Path>)> {
        self.written
            .iter()
            .map(|(option, path)| (option.as_str(), Some(path.as_path())))
    }

    /// Issues a warning that does not end the run.
    pub fn warn(&self, text: &str) {
        self.observer.warn(text);
    }

    /// Says how a search kept within its ceilings: on one thread instead of several, and reading its
    /// texts for their shingles several times.
    pub(crate) fn note_economies(&self, passes: u32) {
        if self.context.has_fewer_threads() {
            self.observer
                .note("one thread was used, as ⟨memory⟩ is too low for more");
        }
        if passes > 1 {
            self.observer.note(&format!(
                "all texts were read {passes} times for their shingles, as neither ⟨memory⟩ nor scratch can hold them all at once"
            ));
        }
    }

    /// Spells options in a summary like the front end.
    pub(crate) fn spell(&self, summary: &mut Summary) {
        summary.spell(&|name, value| self.observer.spell(name, value));
    }

    /// The observer.
    pub fn observer(&self) -> &Arc<dyn Observer> {
        &self.observer
    }

    /// New outputs, registered with the observer, which replace nothing that the caller has read.
    /// `overwrite` permits folders that contain other files.
    ///
    /// # Errors
    /// If standard output is redirected to one of the files that the caller has read.
    pub(crate) fn outputs(&self, overwrite: bool) -> Result<Outputs> {
        let outputs = Outputs::new(overwrite);
        for path in &self.read {
            outputs.protect(path)?;
        }
        if let Some(received) = &self.received {
            outputs.receive(Arc::clone(received));
        }
        self.observer.unfinished(outputs.unfinished());
        Ok(outputs)
    }
}

/// Receives events of a run. Called from the running thread; every method is optional.
pub trait Observer: Send + Sync {
    /// Spells an option for the front end's users: see [`tegula::option`]. Called only for texts
    /// that the run writes to files; texts passed to the observer, and errors, still contain marks.
    fn spell(&self, option: &str, value: Option<&str>) -> String {
        tegula::option::plain(option, value)
    }

    /// An event that deserves the user's attention, but does not end the run.
    fn warn(&self, _text: &str) {}

    /// An event that may interest the user.
    fn note(&self, _text: &str) {}

    /// A text of several lines about what is done, beside the result.
    fn tell(&self, _text: &str) {}

    /// These outputs are not yet in place. If the process is about to exit before the run ends,
    /// [`Unfinished::abandon`] removes everything written so far; a run that returns has already
    /// done so.
    fn unfinished(&self, _outputs: Unfinished) {}

    /// The run will write to this path; `-` is standard output.
    fn writes(&self, _path: &Path) {}

    /// A stage was saved in the run folder: from now on a stopped run can be resumed.
    fn stage_kept(&self, _stage: &str) {}
}

/// Ignores all events.
struct Unobserved;

impl Observer for Unobserved {}
