//! The run folder and `run.json`, which says what was run, on what, and how it went.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tegula::error::{Error, ErrorKind, Result};
use tegula::record::SourceFile;
use xxhash_rust::xxh3::Xxh3;

use super::stages::Stages;
use super::table::Table;
use crate::guard::{FileState, InputGuard};
use crate::outputs::{Outputs, Role, is_unfinished};
use crate::tables::{Clusters, Coverage, Groups, Pairs, Units, Verdicts};

/// The version of the folder's layout.
const FORMAT: u32 = 1;

/// An input file as it was when the run began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputFile {
    /// As it was given.
    #[serde(with = "crate::path")]
    pub path: PathBuf,
    /// The name shown to people and mirrored in an output folder.
    pub name: String,
    /// Bytes on disk.
    pub bytes: u64,
    /// When it was last changed: nanoseconds since 1970, where the system says so. A string, for JSON readers with 53-bit numbers.
    pub modified: Option<String>,
    /// The file system, where it has a number.
    #[serde(default)]
    pub device: Option<u64>,
    /// The file in it, where it has a number.
    #[serde(default)]
    pub inode: Option<u64>,
    /// A check of its bytes, 64 bits in hexadecimal digits, where the run read it to its end.
    #[serde(default)]
    pub check: Option<String>,
}

impl InputFile {
    /// A file of a collection as it was when it was opened first, and its check, if it has been read to its end by now.
    pub fn of(file: &SourceFile, guard: &InputGuard) -> Self {
        let FileState { device, inode, bytes, .. } = *guard.state();
        Self {
            path: file.path.clone(),
            name: file.name.clone(),
            bytes,
            modified: guard.state().nanoseconds().map(|time| time.to_string()),
            device,
            inode,
            check: guard.digest().map(|check| format!("{check:016x}")),
        }
    }

    /// Whether this is the file that `other` was, as far as can be told without reading it. The number of a file system may be another one
    /// when the machine has started anew.
    pub fn is(&self, other: &Self) -> bool {
        let inode = self.inode.is_none() || other.inode.is_none() || self.inode == other.inode;
        (&self.path, &self.name, self.bytes, &self.modified) == (&other.path, &other.name, other.bytes, &other.modified) && inode
    }

    /// Has `guard` find the same bytes again, when it reads the file.
    pub fn expect(&self, guard: &InputGuard) {
        if let Some(check) = self.check.as_ref().and_then(|check| u64::from_str_radix(check, 16).ok()) {
            guard.expect(check);
        }
    }
}

/// A hash of the names, sizes, times and numbers of all inputs, in order: equal for the same inputs, other where one was changed, added or
/// moved.
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

/// What `run.json` holds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunInfo {
    /// The version of the folder's layout.
    pub format: u32,
    /// The program that ran.
    pub version: String,
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

/// The description of a run.
const INFO: &str = "run.json";
/// The tables of a run.
const TABLES: [&str; 6] = [Units::NAME, Groups::NAME, Pairs::NAME, Clusters::NAME, Verdicts::NAME, Coverage::NAME];

impl RunFolder {
    /// Claims a folder for a run, which may be that of an earlier one: its results are replaced when the outputs are published, and stay
    /// until then.
    ///
    /// # Errors
    /// When it holds other files and is no run's, or is read or claimed already.
    pub fn claim(outputs: &Outputs, root: &Path) -> Result<Self> {
        let run = Self { root: root.to_path_buf() };
        if root.is_dir() && !run.is_ours() {
            let entries = std::fs::read_dir(root).map_err(|error| Error::io("read", root, error))?;
            if entries.flatten().any(|entry| !is_unfinished(&entry.file_name())) {
                return Err(Error::new(ErrorKind::Run, "expected an empty folder or that of an earlier run, found other files")
                    .at(root)
                    .hint("name another folder with --run, or empty this one"));
            }
        }
        outputs.claim("--run", root, Role::Shared)?;
        Ok(run)
    }

    /// Says that all tables of the folder, and those of the stages of an earlier run, are replaced or gone when the outputs are published.
    ///
    /// # Errors
    /// When one of them is claimed already.
    pub fn replace_all(&self, outputs: &Outputs) -> Result<()> {
        let own = || TABLES.iter().map(|name| format!("{name}.parquet")).chain([INFO.to_owned()]).map(PathBuf::from);
        let mut names: Vec<PathBuf> = own().collect();
        for stage in self.info().map(|info| info.stages).unwrap_or_default() {
            // A name with a separator in it could lead out of this folder; no run writes one.
            if Path::new(&stage.folder).components().count() == 1 && (Self { root: self.root.join(&stage.folder) }).is_ours() {
                names.extend(own().map(|name| Path::new(&stage.folder).join(name)));
            }
        }
        outputs.claim_names(&self.root, names)
    }

    /// The folder of a stage of the run, inside this one.
    ///
    /// # Errors
    /// When one of its tables is claimed already.
    pub fn stage(&self, outputs: &Outputs, name: &str) -> Result<Self> {
        let own = TABLES.iter().map(|table| format!("{table}.parquet")).chain([INFO.to_owned()]);
        outputs.claim_names(&self.root, own.map(|file| Path::new(name).join(file)))?;
        Ok(Self { root: self.root.join(name) })
    }

    /// Opens the folder of a run to read it.
    pub fn open(root: &Path) -> Result<Self> {
        let run = Self { root: root.to_path_buf() };
        if !run.info_path().is_file() {
            let found = if run.is_begun() {
                "one of a run that did not come to its end"
            } else if root.is_dir() {
                "a folder without run.json"
            } else if root.exists() {
                "a file"
            } else {
                "nothing"
            };
            let hint = if run.is_begun() {
                "go on with it: the same command with --resume"
            } else {
                "name the folder that was given with --run"
            };
            return Err(Error::new(ErrorKind::Run, format!("expected the folder of a run, found {found}")).at(root).hint(hint));
        }
        Ok(run)
    }

    /// Whether the folder holds a run, whole or begun, so that another may take its place.
    fn is_ours(&self) -> bool {
        let text = std::fs::read(self.info_path()).unwrap_or_default();
        let described: serde_json::Result<Map<String, Value>> = serde_json::from_slice(&text);
        let own = |key| described.as_ref().is_ok_and(|info| info.contains_key(key));
        self.is_begun() || ["format", "recipe_hash", "inputs"].into_iter().all(own)
    }

    /// Whether a run has left stages to go on from.
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

    /// Writes `run.json`; the layout's version is filled in.
    pub fn write_info(&self, outputs: &Outputs, info: &RunInfo) -> Result<()> {
        let info = RunInfo { format: FORMAT, ..info.clone() };
        let path = self.info_path();
        let mut json =
            serde_json::to_vec_pretty(&info).map_err(|error| Error::data(format!("cannot write as JSON: {error}")).at(&path))?;
        json.push(b'\n');
        outputs.write(&path, &json)
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
