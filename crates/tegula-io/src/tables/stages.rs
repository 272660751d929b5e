//! Stages of a run: files that a killed run has completed and a resumed one can trust.
//!
//! `stages/manifest.json` lists them. A stage is written to `stages/.NAME.part/`, renamed to
//! `stages/NAME/`, and only then added to the manifest, which is itself replaced atomically:
//! whenever a run is killed, the manifest lists only complete stages.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tegula::error::{Error, ErrorKind, Result};
use xxhash_rust::xxh3::Xxh3;

/// The version of the manifest.
const FORMAT: u32 = 1;
const MANIFEST: &str = "manifest.json";

/// The inputs of a stage; another recipe or other inputs result in another stage.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Hash of the part of the recipe on which the stage depends.
    pub recipe: String,
    /// [`input_identity`](super::run::input_identity) of the inputs.
    pub inputs: String,
}

/// A completed stage, as in the manifest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// Its name.
    pub name: String,
    /// Its recipe and inputs.
    #[serde(flatten)]
    pub identity: Identity,
    /// Its files.
    pub files: Vec<StageFile>,
    /// Data for resuming the stage: counts, derived parameters.
    pub data: Value,
}

/// A file of a stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageFile {
    /// Its name in the stage's folder.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// XXH3 of its bytes, 128 bits in hexadecimal digits.
    pub xxh3: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Manifest {
    format: u32,
    stages: Vec<Stage>,
}

/// The result of looking up a stage.
#[derive(Debug, Clone, PartialEq)]
pub enum Lookup {
    /// It exists, is complete, and has the same identity.
    Found(Stage),
    /// It does not exist.
    Absent,
    /// It exists, but a file is missing or damaged, as described.
    Damaged(String),
    /// It exists, but for another recipe.
    OtherRecipe,
    /// It exists, but for other inputs.
    OtherInputs,
}

/// The stages of a run.
#[derive(Debug)]
pub struct Stages {
    root: PathBuf,
    stages: Vec<Stage>,
}

impl Stages {
    /// Whether `root` contains a manifest.
    pub(crate) fn begun_in(root: &Path) -> bool {
        root.join(MANIFEST).is_file()
    }

    /// The stages in `root`, none if nothing was saved yet. The folder is created with the first
    /// stage.
    pub(crate) fn open(root: &Path) -> Result<Self> {
        let path = root.join(MANIFEST);
        if !path.exists() {
            return Ok(Self {
                root: root.to_path_buf(),
                stages: Vec::new(),
            });
        }
        let json = std::fs::read(&path).map_err(|error| Error::io("read", &path, error))?;
        let refuse = |message: String| {
            Error::new(ErrorKind::Run, message)
                .at(&path)
                .hint("start the run again without ⟨resume⟩")
        };
        let manifest: Manifest = serde_json::from_slice(&json)
            .map_err(|error| refuse(format!("expected the manifest of a run: {error}")))?;
        if manifest.format != FORMAT {
            return Err(refuse(format!(
                "expected a manifest of format {FORMAT}, found format {}",
                manifest.format
            )));
        }
        Ok(Self {
            root: root.to_path_buf(),
            stages: manifest.stages,
        })
    }

    /// The completed stages, in commit order; not checked.
    pub fn all(&self) -> &[Stage] {
        &self.stages
    }

    /// Looks up a stage. Its files are read once to check them.
    pub fn lookup(&self, name: &str, identity: &Identity) -> Result<Lookup> {
        let Some(stage) = self.stages.iter().find(|stage| stage.name == name) else {
            return Ok(Lookup::Absent);
        };
        if stage.identity.recipe != identity.recipe {
            return Ok(Lookup::OtherRecipe);
        }
        if stage.identity.inputs != identity.inputs {
            return Ok(Lookup::OtherInputs);
        }
        for file in &stage.files {
            let path = self.file(name, &file.name);
            let found = match check(&path, &file.name) {
                Ok(found) => found,
                Err(error) if !path.exists() => return Ok(Lookup::Damaged(error.to_string())),
                Err(error) => return Err(error),
            };
            if found != *file {
                return Ok(Lookup::Damaged(format!(
                    "{}: expected {} bytes with checksum {}, found {} with {}",
                    path.display(),
                    file.bytes,
                    file.xxh3,
                    found.bytes,
                    found.xxh3
                )));
            }
        }
        Ok(Lookup::Found(stage.clone()))
    }

    /// The path of a stage's file.
    pub fn file(&self, stage: &str, file: &str) -> PathBuf {
        self.root.join(stage).join(file)
    }

    /// Starts a stage; removes what an earlier attempt left unfinished.
    pub fn begin(&self, name: &str) -> Result<StageDraft> {
        if !is_plain(name) {
            return Err(ErrorKind::Usage
                .expected("a stage name of letters, digits, \"-\" and \"_\"")
                .found(format!("\"{name}\"")));
        }
        refuse_link(&self.root)?;
        let folder = self.root.join(format!(".{name}.part"));
        remove_folder(&folder)?;
        std::fs::create_dir_all(&folder).map_err(|error| Error::io("create", &folder, error))?;
        Ok(StageDraft {
            name: name.to_owned(),
            folder,
        })
    }

    /// Turns a draft into a stage, replacing one of the same name. All its files must be closed.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "nothing can be added to a stage that is committed"
    )]
    pub fn commit(&mut self, draft: StageDraft, identity: Identity, data: Value) -> Result<()> {
        let mut files = Vec::new();
        let folder = &draft.folder;
        let read = |error| Error::io("read", folder, error);
        for entry in std::fs::read_dir(folder).map_err(read)? {
            let entry = entry.map_err(read)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            files.push(check(&entry.path(), &name)?);
        }
        files.sort_by(|a, b| a.name.cmp(&b.name));
        let target = self.root.join(&draft.name);
        if self.stages.iter().any(|stage| stage.name == draft.name) {
            // Removed from the manifest first, so that it never lists a stage whose files are being
            // deleted.
            self.stages.retain(|stage| stage.name != draft.name);
            self.write_manifest()?;
        }
        remove_folder(&target)?;
        std::fs::rename(folder, &target).map_err(|error| Error::io("rename", &target, error))?;
        self.stages.push(Stage {
            name: draft.name.clone(),
            identity,
            files,
            data,
        });
        self.write_manifest()
    }

    /// Removes all stages in `root` and the folder, including what a killed run left unfinished in
    /// it, without reading any of it.
    pub(crate) fn remove(root: &Path) -> Result<()> {
        refuse_link(root)?;
        // First, so that it never lists a stage whose files are being deleted.
        match std::fs::remove_file(root.join(MANIFEST)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::io("remove", root, error));
            }
            _ => {}
        }
        remove_folder(root)
    }

    fn write_manifest(&self) -> Result<()> {
        let path = self.root.join(MANIFEST);
        let manifest = Manifest {
            format: FORMAT,
            stages: self.stages.clone(),
        };
        let mut json = serde_json::to_vec_pretty(&manifest)
            .map_err(|error| Error::data(format!("cannot write as JSON: {error}")).at(&path))?;
        json.push(b'\n');
        write_synced(&path, &json)
    }
}

/// An unfinished stage; deleted with its files unless it is committed.
#[derive(Debug)]
pub struct StageDraft {
    name: String,
    folder: PathBuf,
}

impl StageDraft {
    /// The path for the file `name` of the stage. The folder is flat.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The folder for its files.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// Writes a small file atomically, and syncs it to disk: a resumed run relies on it.
fn write_synced(path: &Path, bytes: &[u8]) -> Result<()> {
    let failed = |error| Error::io("write", path, error);
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new()
        .prefix(".manifest.")
        .suffix(".part")
        .tempfile_in(folder)
        .map_err(failed)?;
    file.write_all(bytes)
        .and_then(|()| file.as_file().sync_all())
        .map_err(failed)?;
    file.persist(path)
        .map(drop)
        .map_err(|error| failed(error.error))
}

impl Drop for StageDraft {
    fn drop(&mut self) {
        let _gone = std::fs::remove_dir_all(&self.folder);
    }
}

/// Whether it is safe as a folder's name on every system, and never `.` or `..`.
fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

/// Refuses to write stages where a link leads.
fn refuse_link(root: &Path) -> Result<()> {
    if root.is_symlink() {
        return Err(
            Error::new(ErrorKind::Run, "expected a folder, found a link")
                .at(root)
                .hint("remove it, or use another folder as ⟨run⟩"),
        );
    }
    Ok(())
}

fn remove_folder(path: &Path) -> Result<()> {
    match std::fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::io("remove", path, error))
        }
        _ => Ok(()),
    }
}

/// Length and checksum of a file.
fn check(path: &Path, name: &str) -> Result<StageFile> {
    let mut file = File::open(path).map_err(|error| Error::io("open", path, error))?;
    let mut hash = Xxh3::new();
    let mut bytes = 0;
    let mut buffer = vec![0; 1 << 18];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => {
                hash.update(&buffer[..read]);
                bytes += read as u64;
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::io("read", path, error)),
        }
    }
    Ok(StageFile {
        name: name.to_owned(),
        bytes,
        xxh3: format!("{:032x}", hash.digest128()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outputs::Outputs;
    use crate::tables::run::RunFolder;

    fn identity() -> Identity {
        Identity {
            recipe: "r".into(),
            inputs: "i".into(),
        }
    }

    fn stages() -> (tempfile::TempDir, RunFolder) {
        let folder = tempfile::tempdir().unwrap();
        let run = RunFolder::claim(&Outputs::default(), folder.path()).unwrap();
        (folder, run)
    }

    fn commit(stages: &mut Stages, name: &str, bytes: &[u8]) {
        let draft = stages.begin(name).unwrap();
        std::fs::write(draft.path("a.bin"), bytes).unwrap();
        std::fs::write(draft.path("b.bin"), b"").unwrap();
        stages.commit(draft, identity(), 7.into()).unwrap();
    }

    #[test]
    fn a_committed_stage_is_found_again() {
        let (_folder, run) = stages();
        let mut first = run.stages().unwrap();
        commit(&mut first, "features", b"old");
        commit(&mut first, "features", b"new");
        let again = run.stages().unwrap();
        let Lookup::Found(stage) = again.lookup("features", &identity()).unwrap() else {
            panic!("not found");
        };
        assert_eq!(stage.data, Value::from(7));
        assert_eq!(stage.files.len(), 2);
        assert_eq!(
            std::fs::read(again.file("features", "a.bin")).unwrap(),
            b"new"
        );
        assert_eq!(again.all().len(), 1);
    }

    #[test]
    fn an_unfinished_stage_is_absent_and_begins_anew() {
        let (_folder, run) = stages();
        let stages = run.stages().unwrap();
        let draft = stages.begin("join").unwrap();
        std::fs::write(draft.path("half"), b"x").unwrap();
        std::mem::forget(draft);
        let stages = run.stages().unwrap();
        assert_eq!(stages.lookup("join", &identity()).unwrap(), Lookup::Absent);
        let draft = stages.begin("join").unwrap();
        assert!(!draft.path("half").exists());
        assert!(stages.begin("../join").is_err());
    }

    #[test]
    fn other_recipes_inputs_and_damage_are_told_apart() {
        let (_folder, run) = stages();
        let mut stages = run.stages().unwrap();
        commit(&mut stages, "join", b"0123456789");
        let other = |recipe: &str, inputs: &str| Identity {
            recipe: recipe.into(),
            inputs: inputs.into(),
        };
        assert_eq!(
            stages.lookup("join", &other("x", "i")).unwrap(),
            Lookup::OtherRecipe
        );
        assert_eq!(
            stages.lookup("join", &other("r", "x")).unwrap(),
            Lookup::OtherInputs
        );
        let path = stages.file("join", "a.bin");
        for damaged in [&b"0123456780"[..], b"012345678", b""] {
            std::fs::write(&path, damaged).unwrap();
            assert!(matches!(
                stages.lookup("join", &identity()).unwrap(),
                Lookup::Damaged(_)
            ));
        }
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(
            stages.lookup("join", &identity()).unwrap(),
            Lookup::Damaged(_)
        ));
        run.remove_stages().unwrap();
        assert!(!run.path().join("stages").exists());
        assert_eq!(
            run.stages().unwrap().lookup("join", &identity()).unwrap(),
            Lookup::Absent
        );
    }

    #[test]
    fn a_damaged_manifest_is_refused() {
        let (folder, run) = stages();
        commit(&mut run.stages().unwrap(), "join", b"x");
        for text in ["", "{}", "{\"format\":2,\"stages\":[]}", "[1"] {
            std::fs::write(folder.path().join("stages/manifest.json"), text).unwrap();
            assert_eq!(run.stages().unwrap_err().kind(), ErrorKind::Run, "{text}");
        }
        run.remove_stages().unwrap();
        assert!(
            run.stages().unwrap().all().is_empty(),
            "to begin anew helps"
        );
    }
}
