//! The run folder and `run.json`, which says what was run, on what, and how it went.

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tegula::error::{Error, ErrorKind, Result};
use tegula::record::SourceFile;
use xxhash_rust::xxh3::Xxh3;

use super::aside::{PART, write_whole};
use super::stages::Stages;
use super::table::Table;
use crate::tables::{Clusters, Coverage, Groups, Pairs, Units, Verdicts};

/// The version of the folder's layout.
const FORMAT: u32 = 1;

/// An input file as it was when the run began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputFile {
    /// As it was given.
    pub path: PathBuf,
    /// The same from the root of the file system, so that the file is found from any folder; none in runs of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absolute: Option<PathBuf>,
    /// The name shown to people and mirrored in an output folder.
    pub name: String,
    /// Bytes on disk.
    pub bytes: u64,
    /// When it was last changed: nanoseconds since 1970, where the system says so. A string, for JSON readers with 53-bit numbers.
    pub modified: Option<String>,
}

impl InputFile {
    /// Looks at a file of a collection.
    pub fn of(file: &SourceFile) -> Result<Self> {
        let metadata = std::fs::metadata(&file.path).map_err(|error| Error::io("open", &file.path, error))?;
        Ok(Self {
            path: file.path.clone(),
            absolute: std::path::absolute(&file.path).ok(),
            name: file.name.clone(),
            bytes: metadata.len(),
            modified: modified(&metadata),
        })
    }

    /// Whether this file is what `then` was, wherever both stand; a time that is not known is not compared.
    pub fn is_as(&self, then: &Self) -> bool {
        self.name == then.name && self.bytes == then.bytes && (then.modified.is_none() || self.modified == then.modified)
    }

    /// Checks that the file is still what the run read, as far as its size and time tell.
    ///
    /// # Errors
    /// When it has gone or changed.
    pub fn check_unchanged(&self) -> Result<()> {
        if !self.path.is_file() {
            let stdin = self.name == "stdin" || self.name.ends_with("/stdin");
            let hint = if stdin {
                "the run read standard input, which is not kept; run again on a file"
            } else {
                "name the folder that it has moved to with --root, or run again"
            };
            return Err(Error::new(ErrorKind::Run, "the file that the run read is gone").at(&self.path).hint(hint));
        }
        let now = Self::of(&SourceFile { path: self.path.clone(), name: self.name.clone(), bytes: self.bytes })?;
        if now.is_as(self) {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Run, "the file has changed since the run")
            .at(&self.path)
            .hint("run again, or put the file back as it was"))
    }
}

fn modified(metadata: &Metadata) -> Option<String> {
    let time = metadata.modified().ok()?;
    let since = time.duration_since(UNIX_EPOCH).ok()?;
    Some(since.as_nanos().to_string())
}

/// A hash of the names, sizes and times of all inputs, in order: equal for the same inputs, other where one was changed, added or moved.
pub fn input_identity(inputs: &[InputFile]) -> String {
    let mut hash = Xxh3::new();
    for input in inputs {
        for part in [
            input.path.as_os_str().as_encoded_bytes(),
            input.name.as_bytes(),
            &input.bytes.to_le_bytes(),
            input.modified.as_deref().unwrap_or("-").as_bytes(),
        ] {
            hash.update(&(part.len() as u64).to_le_bytes());
            hash.update(part);
        }
    }
    format!("{:032x}", hash.digest128())
}

/// What `run.json` holds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunInfo {
    /// The version of the folder's layout.
    pub format: u32,
    /// The program that ran.
    pub version: String,
    /// The folder in which the program ran, from which relative paths lead to the inputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// The resolved recipe.
    pub recipe: Value,
    /// Its hash, as the tables carry it.
    pub recipe_hash: String,
    /// The input files, in reading order.
    pub inputs: Vec<InputFile>,
    /// The options of the run that are not the recipe's.
    pub options: Map<String, Value>,
    /// Units, tokens, bytes, pairs, ...
    pub counts: Map<String, Value>,
    /// Seconds of each stage.
    pub timings: Map<String, Value>,
    /// What the summary warned of.
    pub warnings: Vec<String>,
    /// The stages, in order, of a recipe that has several; each has a run folder of its own inside this one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<StageInfo>,
    /// Whether the run came to its end.
    pub done: bool,
}

/// A stage of a run of several.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StageInfo {
    /// Its name in the recipe.
    pub name: String,
    /// Its run folder, inside that of the run.
    pub folder: String,
    /// What became of its duplicates: `removed` or `marked`.
    pub verb: String,
}

/// A run's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFolder {
    root: PathBuf,
}

/// The folder's own files, which a new run in it replaces.
const TABLES: [&str; 6] = [Units::NAME, Groups::NAME, Pairs::NAME, Clusters::NAME, Verdicts::NAME, Coverage::NAME];

impl RunFolder {
    /// Begins a run in `root`. The folder is made, or must be empty or that of an earlier run, whose results are then removed; `force`
    /// permits one that holds other files, which stay.
    pub fn create(root: &Path, force: bool) -> Result<Self> {
        let run = Self::make(root, force)?;
        run.clear()?;
        Stages::begin_in(&run.stages_path())?;
        Ok(run)
    }

    /// Continues a run in `root` where there is one, and begins it otherwise: nothing is removed.
    pub fn resume(root: &Path, force: bool) -> Result<Self> {
        let run = Self::make(root, force)?;
        if !Stages::begun_in(&run.stages_path()) {
            Stages::begin_in(&run.stages_path())?;
        }
        Ok(run)
    }

    /// Opens the folder of a run to read it.
    pub fn open(root: &Path) -> Result<Self> {
        let run = Self { root: root.to_path_buf() };
        if !run.is_run() {
            let found = if root.is_dir() {
                "a folder without run.json"
            } else if root.exists() {
                "a file"
            } else {
                "nothing"
            };
            return Err(Error::new(ErrorKind::Run, format!("expected the folder of a run, found {found}"))
                .at(root)
                .hint("name the folder that was given with --run"));
        }
        Ok(run)
    }

    fn make(root: &Path, force: bool) -> Result<Self> {
        let run = Self { root: root.to_path_buf() };
        std::fs::create_dir_all(root).map_err(|error| Error::io("create", root, error))?;
        let mut entries = std::fs::read_dir(root).map_err(|error| Error::io("read", root, error))?;
        if entries.next().is_some() && !run.is_run() && !force {
            return Err(Error::new(ErrorKind::Run, "expected an empty folder or that of an earlier run, found other files")
                .at(root)
                .hint("name another folder with --run, or empty this one"));
        }
        Ok(run)
    }

    fn is_run(&self) -> bool {
        self.info_path().is_file() || Stages::begun_in(&self.stages_path())
    }

    /// Removes what runs leave, and nothing else.
    fn clear(&self) -> Result<()> {
        // Verdicts of one run beside pairs of another would be believed; all goes before anything new comes.
        for stage in self.info().map(|info| info.stages).unwrap_or_default() {
            let folder = Self { root: self.root.join(&stage.folder) };
            // A name with a separator in it could lead out of this folder; no run writes one.
            if Path::new(&stage.folder).components().count() == 1 && folder.is_run() {
                folder.clear()?;
                let _left = std::fs::remove_dir(&folder.root);
            }
        }
        remove_file(&self.info_path())?;
        for name in TABLES {
            remove_file(&self.root.join(format!("{name}.parquet")))?;
        }
        let stages = self.stages_path();
        if Stages::begun_in(&stages) {
            std::fs::remove_dir_all(&stages).map_err(|error| Error::io("remove", &stages, error))?;
        }
        self.clear_parts()
    }

    /// Removes unfinished files that a killed run left.
    fn clear_parts(&self) -> Result<()> {
        let entries = std::fs::read_dir(&self.root).map_err(|error| Error::io("read", &self.root, error))?;
        for entry in entries.flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let ours =
                TABLES.iter().any(|table| name.starts_with(&format!(".{table}.parquet."))) || name.starts_with(".run.json.");
            if ours && name.ends_with(PART) {
                remove_file(&entry.path())?;
            }
        }
        Ok(())
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
        self.root.join("run.json")
    }

    fn stages_path(&self) -> PathBuf {
        self.root.join("stages")
    }

    /// The stages of the run.
    pub fn stages(&self) -> Result<Stages> {
        Stages::open(&self.stages_path())
    }

    /// Writes `run.json`; the layout's version and the folder in which the program runs are filled in.
    pub fn write_info(&self, info: &RunInfo) -> Result<()> {
        let info = RunInfo { format: FORMAT, folder: std::env::current_dir().ok(), ..info.clone() };
        let path = self.info_path();
        let mut json =
            serde_json::to_vec_pretty(&info).map_err(|error| Error::data(format!("cannot write as JSON: {error}")).at(&path))?;
        json.push(b'\n');
        write_whole(&path, &json)
    }

    /// Reads `run.json`.
    pub fn info(&self) -> Result<RunInfo> {
        let path = self.info_path();
        let json = std::fs::read(&path).map_err(|error| Error::io("read", &path, error))?;
        let damaged = |message: String| Error::new(ErrorKind::Run, message).at(&path).hint("run again, or name another run");
        let info: RunInfo =
            serde_json::from_slice(&json).map_err(|error| damaged(format!("expected the description of a run: {error}")))?;
        if info.format != FORMAT {
            return Err(damaged(format!("expected a run folder of format {FORMAT}, found format {}", info.format)));
        }
        Ok(info)
    }
}

/// Removes a file that may be absent.
fn remove_file(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io("remove", path, error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_json_round_trips() {
        let folder = tempfile::tempdir().unwrap();
        let run = RunFolder::create(&folder.path().join("a/run"), false).unwrap();
        let mut info = RunInfo {
            version: "0.1.0".into(),
            recipe: serde_json::json!({"method": "sscr", "threshold": "4/5"}),
            warnings: vec!["w".into()],
            ..RunInfo::default()
        };
        info.counts.insert("units".into(), u64::MAX.into());
        run.write_info(&info).unwrap();
        info.format = FORMAT;
        info.folder = std::env::current_dir().ok();
        assert_eq!(RunFolder::open(run.path()).unwrap().info().unwrap(), info);
        assert!(run.table::<Units>().ends_with("units.parquet"));
    }

    #[test]
    fn a_folder_with_other_files_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let other = folder.path().join("thesis.txt");
        std::fs::write(&other, "x").unwrap();
        let error = RunFolder::create(folder.path(), false).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Run);
        assert!(RunFolder::open(folder.path()).is_err());
        RunFolder::create(folder.path(), true).unwrap();
        assert!(other.exists());
        assert!(RunFolder::open(&other).is_err());
        assert!(RunFolder::create(&other, true).is_err());
    }

    #[test]
    fn a_new_run_removes_an_old_one_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let run = RunFolder::create(folder.path(), false).unwrap();
        let other = folder.path().join("notes.md");
        for path in [&other, &run.table::<Pairs>(), &folder.path().join(".pairs.parquet.Ab3.part")] {
            std::fs::write(path, "x").unwrap();
        }
        let resumed = RunFolder::resume(folder.path(), false).unwrap();
        assert!(resumed.table::<Pairs>().exists());
        RunFolder::create(folder.path(), false).unwrap();
        assert!(other.exists());
        assert!(!run.table::<Pairs>().exists());
        assert!(!folder.path().join(".pairs.parquet.Ab3.part").exists());
    }

    #[test]
    fn a_damaged_run_json_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let run = RunFolder::create(folder.path(), false).unwrap();
        assert!(run.info().is_err());
        for text in ["", "{", "[]", "{\"format\": 99}"] {
            std::fs::write(folder.path().join("run.json"), text).unwrap();
            assert_eq!(run.info().unwrap_err().kind(), ErrorKind::Run, "{text}");
        }
    }

    #[test]
    fn the_identity_of_inputs_sees_every_change() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        std::fs::write(&path, "x").unwrap();
        let input = InputFile::of(&SourceFile { path, name: "a.jsonl".into(), bytes: 1 }).unwrap();
        assert!(input.modified.is_some());
        let one = input_identity(std::slice::from_ref(&input));
        assert_eq!(one, input_identity(std::slice::from_ref(&input)));
        let bigger = InputFile { bytes: 2, ..input.clone() };
        let later = InputFile { modified: None, ..input.clone() };
        assert_ne!(one, input_identity(&[bigger]));
        assert_ne!(one, input_identity(&[later]));
        assert_ne!(one, input_identity(&[input.clone(), input]));
    }
}
