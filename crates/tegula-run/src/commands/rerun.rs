//! A run repeated from its folder, or from its specification.

use crate::command::Command;
use crate::commands::dedup::Ran;
use crate::host::Host;
use crate::options::Shown;
use crate::spec::{RunKind, RunSpec};
use std::path::{Path, PathBuf};
use tegula::error::{Error, Result};
use tegula_io::outputs::resolved;
use tegula_io::store;
use tegula_io::tables::check_table_name;

tegula::options! {
    /// A run that is repeated.
    pub struct RerunSpec under "" {
        /// The folder of a run, or a specification file as printed by `tegula rerun --print`
        #[serde(with = "tegula_io::path")]
        pub source: PathBuf => "RUN|FILE.json",
    } under "Output" {
        /// Output of the new run, instead of the recorded one; required if that exists or is
        /// elsewhere
        #[serde(with = "tegula_io::path::option")]
        pub output: Option<PathBuf> => "OUTPUT",

        /// Evidence folder of the new run, instead of the recorded one
        #[serde(with = "tegula_io::path::option")]
        pub run: Option<PathBuf> => "DIR",

        /// The file or folder of removed records, instead of the recorded one
        #[serde(with = "tegula_io::path::option")]
        pub removed: Option<PathBuf> => "OUTPUT",

        /// The file of the listed ids, instead of the recorded one; may be repeated
        #[serde(with = "tegula_io::path::list")]
        pub list: Vec<PathBuf> => "FILE",

        /// The file of digests, instead of the recorded one
        #[serde(with = "tegula_io::path::option")]
        pub fingerprints: Option<PathBuf> => "FILE",

        /// The folder of unreadable records, instead of the recorded one
        #[serde(with = "tegula_io::path::option")]
        pub quarantine: Option<PathBuf> => "DIR",

        /// Write into folders that hold other files: those that an earlier run wrote there are removed,
        /// all others are kept
        pub overwrite: bool => "",
    }
}

impl Command for RerunSpec {
    const NAME: &'static str = "rerun";
    const ABOUT: &'static str = "Repeat a run from its folder";
    const EXAMPLES: &'static str = "Examples:
  tegula rerun evidence/ -o again.jsonl
  tegula rerun evidence/ -o again.jsonl --run again/
  tegula rerun evidence/ --print > run.json
  tegula rerun run.json -o again.jsonl

The run may be someone else's: outputs are written only to paths named here, or to new files in the folder of
the run or of FILE.json.";
    const SHOWN: Shown = Shown::running(&["print", "json", "verbose"]);
    type Answer = Ran;

    fn run(&self, host: &Host) -> Result<Ran> {
        let mut spec = self.read()?;
        // Permission was given for other places.
        spec.output.overwrite = self.overwrite;
        let home = self.home();
        let is_new = |option: &str, recorded: &Path| {
            if option == "⟨run⟩" && resolved(recorded) == resolved(home) {
                return Ok(());
            }
            check(option, recorded, home)
        };
        self.place(&mut spec, &is_new)?;
        let own = Some(&self.source).filter(|path| store::is_file(path));
        Ran::new(&host.clone().reading(own), spec)
    }
}

impl RerunSpec {
    /// The specification with the named outputs in the place of the recorded ones.
    ///
    /// # Errors
    /// When there is no such run, or it has no such output.
    pub fn recorded(&self) -> Result<RunSpec> {
        let mut spec = self.read()?;
        self.place(&mut spec, &|_, _| Ok(()))?;
        Ok(spec)
    }

    fn read(&self) -> Result<RunSpec> {
        let path = self.source.as_path();
        let spec = if is_json(path) {
            // Possibly written by hand.
            let text = store::read_text(path)?;
            RunSpec::from_json(&text).map_err(|error| error.at(path))?
        } else {
            RunSpec::of_run(path)?
        };
        if let Some(path) = &self.output
            && spec.command == RunKind::Pairs
            && path.as_os_str() != "-"
        {
            check_table_name(path)?;
        }
        Ok(spec)
    }

    /// The folder of the run, or of its specification.
    fn home(&self) -> &Path {
        if is_json(&self.source) {
            self.source.parent().unwrap_or(Path::new(""))
        } else {
            &self.source
        }
    }

    /// Puts the named outputs in the place of the recorded ones; `keep` says whether a recorded one
    /// may stay.
    fn place(&self, spec: &mut RunSpec, keep: &dyn Fn(&str, &Path) -> Result<()>) -> Result<()> {
        let RunSpec {
            input,
            output,
            evidence,
            ..
        } = spec;
        let settle = |option, named: Option<&PathBuf>, recorded: Option<&mut PathBuf>| {
            match (named, recorded) {
                (Some(named), Some(recorded)) => recorded.clone_from(named),
                (None, Some(recorded)) => keep(option, recorded)?,
                _ => {}
            }
            Ok(())
        };
        for (at, list) in output.lists.iter_mut().enumerate() {
            settle("⟨list⟩", self.list.get(at), Some(&mut list.path))?;
        }
        for (option, named, recorded) in [
            ("⟨output⟩", &self.output, output.path.as_mut()),
            ("⟨removed⟩", &self.removed, output.removed.as_mut()),
            (
                "⟨fingerprints⟩",
                &self.fingerprints,
                output.fingerprints.as_mut(),
            ),
            (
                "⟨quarantine⟩",
                &self.quarantine,
                input.records.bad.quarantine.as_mut(),
            ),
            ("⟨run⟩", &self.run, evidence.folder.as_mut()),
        ] {
            settle(option, named.as_ref(), recorded)?;
        }
        // The run may have had neither.
        output.path = output.path.take().or_else(|| self.output.clone());
        evidence.folder = evidence.folder.take().or_else(|| self.run.clone());
        for (option, is_named, has) in [
            (
                "⟨removed⟩",
                self.removed.is_some(),
                output.removed.is_some(),
            ),
            (
                "⟨list⟩",
                !self.list.is_empty(),
                self.list.len() <= output.lists.len(),
            ),
            (
                "⟨fingerprints⟩",
                self.fingerprints.is_some(),
                output.fingerprints.is_some(),
            ),
            (
                "⟨quarantine⟩",
                self.quarantine.is_some(),
                input.records.bad.quarantine.is_some(),
            ),
        ] {
            if is_named && !has {
                return Err(Error::of(option)
                    .expected("a run that wrote such an output")
                    .found("one that did not")
                    .at(&self.source)
                    .hint("leave it out"));
            }
        }
        Ok(())
    }
}

/// Refuses a recorded output that would replace something, or that lies outside of a folder.
fn check(option: &str, recorded: &Path, home: &Path) -> Result<()> {
    if recorded.as_os_str() == "-" {
        return Ok(());
    }
    let found = if recorded.symlink_metadata().is_ok() || store::exists(recorded) {
        "exists"
    } else if !resolved(recorded).starts_with(resolved(home)) {
        "lies in another folder"
    } else {
        return Ok(());
    };
    Err(Error::of(option)
        .expected("the place of the new output")
        .found(format!("none, and the recorded one {found}"))
        .at(recorded)
        .hint(format!(
            "name it with {option}: a run that is repeated replaces only what is named"
        )))
}

fn is_json(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("json"))
        && !store::is_folder(path)
}
