//! The run folder and `run.json`, which describes a run, its inputs and its results.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tegula::error::{Error, ErrorKind, Result};
use tegula::record::SourceFile;
use xxhash_rust::xxh3::Xxh3;

use super::stages::Stages;
use super::table::Table;
use crate::file_state::FileState;
use crate::guard::InputGuard;
use crate::memory::{self, no_longer};
use crate::outputs::{Outputs, Role, SEAL, is_unfinished, listed};
use crate::store;
use crate::tables::{Clusters, Coverage, Groups, Pairs, Spans, Units, Verdicts};

/// The version of the folder's layout.
const FORMAT: u32 = 1;

/// An input file at the start of the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputFile {
    /// The path as given.
    #[serde(with = "crate::path")]
    pub path: PathBuf,
    /// The absolute path, so that the file is found from any folder; none in runs of earlier
    /// versions.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "crate::path::option"
    )]
    pub absolute: Option<PathBuf>,
    /// The name shown to users and mirrored in an output folder.
    pub name: String,
    /// Bytes on disk.
    pub bytes: u64,
    /// Its modification time: nanoseconds since 1970, if the system provides it. A string, for JSON
    /// readers with 53-bit numbers.
    pub modified: Option<String>,
    /// The number of the file system, if it has one.
    #[serde(default)]
    pub device: Option<u64>,
    /// The number of the file in it, if it has one.
    #[serde(default)]
    pub inode: Option<u64>,
    /// The tag (ETag) of an object in a store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// A checksum of its bytes, 64 bits in hexadecimal digits, if the run read it to its end.
    #[serde(default)]
    pub check: Option<String>,
    /// Whether it was a table in memory, which has a name but no file, and is gone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_memory: bool,
    /// That table, if the caller still has it.
    #[serde(skip)]
    pub table: Option<memory::Table>,
}

impl InputFile {
    /// A file of a collection as it was when first opened, and its checksum, if it has been read to
    /// its end.
    pub fn of(file: &SourceFile, guard: &InputGuard) -> Self {
        let FileState {
            device,
            inode,
            bytes,
            ref tag,
            ..
        } = *guard.state();
        Self {
            path: file.path.clone(),
            absolute: std::path::absolute(&file.path)
                .ok()
                .filter(|_| !guard.is_in_memory() && !store::is_address(&file.path)),
            name: file.name.clone(),
            bytes,
            modified: guard.state().nanoseconds().map(|time| time.to_string()),
            device,
            inode,
            tag: tag.clone(),
            check: guard.digest().map(|check| format!("{check:016x}")),
            in_memory: guard.is_in_memory(),
            table: None,
        }
    }

    /// An index whose records are references, as it was when first opened: the number of changes by then
    /// stands for a time.
    pub fn of_index(file: &SourceFile, generation: u64) -> Self {
        Self {
            path: file.path.clone(),
            absolute: std::path::absolute(&file.path).ok(),
            name: file.name.clone(),
            bytes: file.bytes,
            modified: Some(generation.to_string()),
            device: None,
            inode: None,
            tag: None,
            check: None,
            in_memory: false,
            table: None,
        }
    }

    /// Makes `guard` expect the same bytes when it reads the file.
    pub fn expect(&self, guard: &InputGuard) {
        if let Some(check) = self
            .check
            .as_ref()
            .and_then(|check| u64::from_str_radix(check, 16).ok())
        {
            guard.expect(check);
        }
    }

    /// Whether this file is the same as `then`, as far as can be determined without reading it,
    /// wherever both are; unknown times are not compared, nor is the number of the file system,
    /// which may change when the machine restarts.
    pub fn is_as(&self, then: &Self) -> bool {
        let moved = self.path != then.path;
        let unknown = |now: bool, then: bool| moved || !now || !then;
        self.name == then.name
            && self.in_memory == then.in_memory
            && self.bytes == then.bytes
            && (then.modified.is_none() || self.modified == then.modified)
            && (unknown(self.inode.is_some(), then.inode.is_some()) || self.inode == then.inode)
            && (unknown(self.tag.is_some(), then.tag.is_some()) || self.tag == then.tag)
    }

    /// Checks that the file is unchanged since the run, by its size and time.
    ///
    /// # Errors
    /// If it is missing or has changed.
    pub fn check_unchanged(&self) -> Result<()> {
        if self.in_memory {
            return match self.table {
                Some(_) => Ok(()),
                None => Err(no_longer(&self.path)),
            };
        }
        if !store::is_file(&self.path) {
            let stdin = self.name == "stdin" || self.name.ends_with("/stdin");
            let hint = if stdin {
                "the run read standard input, which is not kept; run again on a file"
            } else {
                "set ⟨root⟩ to the folder to which it has moved, or run again"
            };
            return Err(
                Error::new(ErrorKind::Run, "the file that the run read is missing")
                    .at(&self.path)
                    .hint(hint),
            );
        }
        let source = SourceFile {
            path: self.path.clone(),
            name: self.name.clone(),
            bytes: self.bytes,
        };
        let now = Self::of(&source, &*InputGuard::of(&self.path)?);
        if now.is_as(self) {
            return Ok(());
        }
        Err(
            Error::new(ErrorKind::Run, "the file has changed since the run")
                .at(&self.path)
                .hint("run again, or restore the file"),
        )
    }
}

/// A hash of the names, sizes, times and numbers of all inputs, in order: different if an input was
/// changed, added or moved.
pub fn input_identity(inputs: &[InputFile]) -> String {
    let mut hash = Xxh3::new();
    for input in inputs {
        for part in [
            input.path.as_os_str().as_encoded_bytes(),
            input.name.as_bytes(),
            &input.bytes.to_le_bytes(),
            input.modified.as_deref().unwrap_or("-").as_bytes(),
            &input.inode.unwrap_or(0).to_le_bytes(),
        ] {
            hash.update(&(part.len() as u64).to_le_bytes());
            hash.update(part);
        }
    }
    format!("{:032x}", hash.digest128())
}

/// The contents of `run.json`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunInfo {
    /// The version of the folder's layout.
    pub format: u32,
    /// The version of the program.
    pub version: String,
    /// When the run ended: ISO 8601, in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The command line, with the options of a configuration file among its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command_line: Option<String>,
    /// The working folder of the run, to which relative paths of inputs refer.
    #[serde(skip_serializing_if = "Option::is_none", with = "crate::path::option")]
    pub folder: Option<PathBuf>,
    /// The resolved recipe.
    pub recipe: Value,
    /// Its hash, as in the tables.
    pub recipe_hash: String,
    /// The input files, in reading order.
    pub inputs: Vec<InputFile>,
    /// The options of the run that are not part of the recipe.
    pub options: Map<String, Value>,
    /// Units, tokens, bytes, pairs, ...
    pub counts: Map<String, Value>,
    /// Seconds of each stage.
    pub timings: Map<String, Value>,
    /// The warnings in the summary.
    pub warnings: Vec<String>,
    /// The stages, in order, of a recipe that has several; each has a run folder inside this one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<StageInfo>,
    /// Whether the run was completed.
    pub done: bool,
}

impl RunInfo {
    /// The first unit that is not paired with its equals: units from there on are references, which
    /// come last and are not compared with each other. 0 if pairs are across the values of a field.
    pub fn alike_below(&self) -> u64 {
        if self
            .options
            .get("constraints")
            .and_then(|all| all.get("across"))
            .is_some_and(|value| !value.is_null())
        {
            return 0;
        }
        let own = |counts: &Value| counts.get("in")?.get("units")?.as_u64();
        self.counts.get("balance").and_then(own).unwrap_or(u64::MAX)
    }
}

/// The time to the second.
fn now() -> String {
    let seconds = jiff::Timestamp::now().as_second();
    jiff::Timestamp::from_second(seconds).map_or_else(|_| String::new(), |time| time.to_string())
}

/// A stage of a run with several.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StageInfo {
    /// Its name in the recipe.
    pub name: String,
    /// Its run folder, relative to that of the run.
    pub folder: String,
    /// The action on its duplicates: `removed` or `marked`.
    pub verb: String,
}

/// A run's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFolder {
    root: PathBuf,
}

/// The description of a run.
const INFO: &str = SEAL;
/// The tables of a run.
const TABLES: [&str; 7] = [
    Units::NAME,
    Groups::NAME,
    Pairs::NAME,
    Clusters::NAME,
    Verdicts::NAME,
    Coverage::NAME,
    Spans::NAME,
];

/// The files of a run.
fn own() -> impl Iterator<Item = String> {
    TABLES
        .iter()
        .map(|name| format!("{name}.parquet"))
        .chain([INFO.to_owned()])
}

impl RunFolder {
    /// Claims a folder for a run, which may be that of an earlier one: its results are kept until
    /// they are replaced when the outputs are published.
    ///
    /// # Errors
    /// If it contains other files and is not that of a run, or is already read or claimed.
    pub fn claim(outputs: &Outputs, root: &Path) -> Result<Self> {
        let run = Self {
            root: root.to_path_buf(),
        };
        if store::is_folder(root) && !run.is_ours() && run.holds_others() {
            return Err(Error::new(
                ErrorKind::Run,
                "expected an empty folder or that of an earlier run, found other files",
            )
            .at(root)
            .hint("use another folder as ⟨run⟩, or empty this one"));
        }
        outputs.claim("⟨run⟩", root, Role::Shared)?;
        Ok(run)
    }

    /// Declares that all tables of the folder, and those of the stages of an earlier run, are
    /// replaced or deleted when the outputs are published.
    ///
    /// # Errors
    /// If one of them is already claimed.
    pub fn replace_all(&self, outputs: &Outputs) -> Result<()> {
        let is_own = |name: &PathBuf| {
            name.file_name()
                .is_some_and(|name| own().any(|own| name == own.as_str()))
        };
        outputs.claim_names(
            &self.root,
            own()
                .map(PathBuf::from)
                .chain(listed(&self.root).filter(is_own)),
        )
    }

    /// The folder of a stage of the run, inside this one.
    ///
    /// # Errors
    /// If one of its tables is already claimed.
    pub fn stage(&self, outputs: &Outputs, name: &str) -> Result<Self> {
        outputs.claim_names(&self.root, own().map(|file| Path::new(name).join(file)))?;
        Ok(Self {
            root: self.root.join(name),
        })
    }

    /// The run folder at this path, or with this table of pairs: in that case a row represents two
    /// groups of equal units.
    pub fn of_pairs(path: &Path) -> Option<PathBuf> {
        if store::is_folder(path) {
            return Some(path.to_path_buf());
        }
        let parent = path.parent().filter(|parent| {
            path.ends_with("pairs.parquet") && store::is_file(&parent.join(INFO))
        })?;
        // A bare `pairs.parquet` is in the current folder.
        Some(if parent.as_os_str().is_empty() {
            PathBuf::from(".")
        } else {
            parent.to_path_buf()
        })
    }

    /// Opens a run folder for reading.
    pub fn open(root: &Path) -> Result<Self> {
        let run = Self {
            root: root.to_path_buf(),
        };
        if !store::is_file(&run.info_path()) {
            let found = if run.is_begun() || run.is_ours() {
                "one of an incomplete run"
            } else if store::is_folder(root) {
                "a folder without run.json"
            } else if store::exists(root) {
                "a file"
            } else {
                "nothing"
            };
            let hint = if run.is_begun() {
                "resume it: the same command with ⟨resume⟩"
            } else if run.is_ours() {
                "repeat the run: existing results are replaced"
            } else {
                "use the folder that was given with ⟨run⟩"
            };
            return Err(Error::new(
                ErrorKind::Run,
                format!("expected the folder of a run, found {found}"),
            )
            .at(root)
            .hint(hint));
        }
        Ok(run)
    }

    /// Whether the folder contains a run, complete or not, so that another may replace it.
    fn is_ours(&self) -> bool {
        let text = store::read(&self.info_path()).unwrap_or_default();
        let described: serde_json::Result<Map<String, Value>> = serde_json::from_slice(&text);
        let own = |key| described.as_ref().is_ok_and(|info| info.contains_key(key));
        // Without run.json but on the list: killed while its files were renamed.
        self.is_begun()
            || listed(&self.root).any(|name| name == Path::new(INFO))
            || ["format", "recipe_hash", "inputs"].into_iter().all(own)
    }

    /// Whether there are files other than unfinished ones of a killed run.
    fn holds_others(&self) -> bool {
        if store::is_address(&self.root) {
            let is_other =
                |object: &store::Object| !object.path.starts_with(self.root.join(store::NOTES));
            let found = store::list_all(&self.root).unwrap_or_default();
            return found.iter().any(is_other);
        }
        let stages = self.stages_path();
        let files = walkdir::WalkDir::new(&self.root)
            .into_iter()
            .filter_map(|entry| match entry {
                Ok(entry) => (!entry.file_type().is_dir()).then(|| entry.into_path()),
                // Files that cannot be read are not from a run.
                Err(error) => Some(error.path().unwrap_or(&self.root).to_path_buf()),
            });
        let mut others = files.filter(|path| {
            let name = path.file_name().unwrap_or_default();
            // A first stage: unfinished, or complete but not yet in the manifest.
            let stage = |inside: &Path| {
                inside.to_string_lossy().starts_with('.') || inside.ends_with("stage.bin")
            };
            !is_unfinished(name) && !path.strip_prefix(&stages).is_ok_and(stage)
        });
        others.next().is_some()
    }

    /// Whether a run has left stages from which to resume.
    pub fn is_begun(&self) -> bool {
        Stages::begun_in(&self.stages_path())
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// The path of a table.
    pub fn table<T: Table>(&self) -> PathBuf {
        self.root.join(format!("{}.parquet", T::NAME))
    }

    fn info_path(&self) -> PathBuf {
        self.root.join(INFO)
    }

    fn stages_path(&self) -> PathBuf {
        self.root.join("stages")
    }

    /// The stages of the run.
    pub fn stages(&self) -> Result<Stages> {
        Stages::open(&self.stages_path())
    }

    /// Removes the stages when they are no longer needed.
    ///
    /// # Errors
    /// If they cannot be removed.
    pub fn remove_stages(&self) -> Result<()> {
        Stages::remove(&self.stages_path())
    }

    /// Writes `run.json`; adds the layout's version and the working folder.
    pub fn write_info(&self, outputs: &Outputs, info: &RunInfo) -> Result<()> {
        let info = RunInfo {
            format: FORMAT,
            date: Some(now()),
            folder: std::env::current_dir().ok(),
            ..info.clone()
        };
        let path = self.info_path();
        let mut json = serde_json::to_vec_pretty(&info)
            .map_err(|error| Error::data(format!("cannot write as JSON: {error}")).at(&path))?;
        json.push(b'\n');
        outputs.write(&path, &json)
    }

    /// Reads `run.json`.
    pub fn info(&self) -> Result<RunInfo> {
        let path = self.info_path();
        let json = store::read(&path)?;
        let damaged = |message: String| {
            Error::new(ErrorKind::Run, message)
                .at(&path)
                .hint("run again, or use another run")
        };
        let info: RunInfo = serde_json::from_slice(&json)
            .map_err(|error| damaged(format!("expected the description of a run: {error}")))?;
        if info.format != FORMAT {
            return Err(damaged(format!(
                "expected a run folder of format {FORMAT}, found format {}",
                info.format
            )));
        }
        Ok(info)
    }
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
