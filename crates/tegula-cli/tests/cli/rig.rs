//! A folder for each test, and a way to run the binary in it.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use tempfile::TempDir;

/// A folder in which the binary runs.
pub(crate) struct Rig {
    folder: TempDir,
}

/// How a run ended.
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Rig {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// With a copy of a sample.
    pub(crate) fn with(sample: &str) -> Self {
        let rig = Self::new();
        rig.write(sample, fs::read(testdata().join(sample)).unwrap());
        rig
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Self {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), bytes).unwrap();
        self
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    /// All files of the folder by name, with hidden ones except for the lists of what was written to
    /// a folder.
    pub(crate) fn files(&self) -> Vec<String> {
        let mut names = Vec::new();
        collect(self.folder.path(), self.folder.path(), &mut names);
        names.retain(|name| !name.ends_with(".tegula.json"));
        names.sort();
        names
    }

    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tegula"));
        command
            .current_dir(self.folder.path())
            .env("NO_COLOR", "1")
            .args(line.split_whitespace());
        command
    }

    /// Runs `tegula LINE`; arguments hold no spaces. Whatever the line, no file changes but those
    /// that it says are written.
    pub(crate) fn run(&self, line: &str) -> Ended {
        let before = self.digests();
        let ended = Ended::of(self.command(line).output().unwrap());
        self.assert_unchanged(&before, line);
        ended
    }

    /// Runs `tegula LINE` in a folder of the rig.
    pub(crate) fn run_in(&self, folder: &str, line: &str) -> Ended {
        let mut command = self.command(line);
        Ended::of(command.current_dir(self.path(folder)).output().unwrap())
    }

    /// Runs `tegula LINE` with these bytes on standard input, of which a run that is refused reads
    /// none.
    pub(crate) fn fed(&self, line: &str, input: impl AsRef<[u8]> + Send) -> Ended {
        let mut child = self
            .command(line)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let output = std::thread::scope(|scope| {
            scope.spawn(move || {
                let _ = stdin.write_all(input.as_ref());
            });
            child.wait_with_output().unwrap()
        });
        Ended::of(output)
    }

    /// Starts a server of an index, on a port that is free.
    pub(crate) fn serve(&self, index: &str) -> Server {
        let mut child = self
            .command(&format!("serve {index} --address 127.0.0.1:0"))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let said = child.stderr.as_mut().unwrap();
        BufReader::new(said).read_line(&mut line).unwrap();
        let address = line.split("http://").nth(1);
        let address = address.and_then(|rest| rest.split('/').next());
        let address = address.unwrap_or_else(|| panic!("{line}")).to_owned();
        Server { child, address }
    }

    /// What a command says to options that it refuses; it writes nothing, not even files that the
    /// options name. Without a command, options are whole lines.
    pub(crate) fn refused(&self, command: &str, options: &[&str]) -> String {
        let before = self.digests();
        let refuse = |options: &&str| {
            let ended = self.run(&format!("{command} {options}"));
            assert_eq!(ended.code, 2, "{options}\n{}", ended.stderr);
            assert_eq!(self.digests(), before, "{options}");
            assert!(ended.stdout.is_empty(), "{options}");
            ["$ ", options, "\n", &ended.stderr, "\n"].concat()
        };
        options.iter().map(refuse).collect()
    }

    /// The bytes of every file, in short.
    pub(crate) fn digests(&self) -> BTreeMap<String, u64> {
        self.files()
            .into_iter()
            .filter(|name| self.path(name).is_file())
            .map(|name| (name.clone(), digest(&self.path(&name))))
            .collect()
    }

    /// That files are unchanged, except for those that a line writes.
    pub(crate) fn assert_unchanged(&self, before: &BTreeMap<String, u64>, line: &str) {
        let mut written = written(line);
        // A link is replaced by its target.
        let root = fs::canonicalize(self.folder.path()).unwrap();
        let behind = |path: &String| {
            Some(
                fs::canonicalize(self.path(path))
                    .ok()?
                    .strip_prefix(&root)
                    .ok()?
                    .display()
                    .to_string(),
            )
        };
        let targets: Vec<String> = written.iter().filter_map(behind).collect();
        written.extend(targets);
        let may_change = |name: &str| {
            written.iter().any(|path| {
                Path::new(name).starts_with(path) || name.starts_with(&format!("{path}."))
            })
        };
        let now = self.digests();
        // What a killed run left is removed by the next.
        for (name, digest) in before
            .iter()
            .filter(|(name, _)| !may_change(name) && !is_unfinished(name))
        {
            assert_eq!(
                now.get(name),
                Some(digest),
                "{name} was changed by tegula {line}"
            );
        }
    }

    /// The same, and it must end well.
    pub(crate) fn ok(&self, line: &str) -> Ended {
        let ended = self.run(line);
        assert_eq!(ended.code, 0, "tegula {line}\n{}", ended.stderr);
        ended
    }

    /// The same, but the line must be refused with a message that contains all of these.
    pub(crate) fn refuses(&self, line: &str, says: &[&str]) -> Ended {
        let ended = self.run(line);
        assert_eq!(ended.code, 2, "tegula {line}\n{}", ended.stderr);
        for said in says {
            assert!(
                ended.stderr.contains(said),
                "tegula {line}: no '{said}' in\n{}",
                ended.stderr
            );
        }
        ended
    }
}

/// A server that ends with the test.
pub(crate) struct Server {
    child: Child,
    /// Host and port.
    pub(crate) address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Ended {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: output.stdout,
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    pub(crate) fn out(&self) -> &str {
        std::str::from_utf8(&self.stdout).unwrap()
    }

    /// Exit code, standard output and standard error, for a snapshot.
    pub(crate) fn shown(&self) -> String {
        format!(
            "exit code {}\n--- stdout\n{}--- stderr\n{}",
            self.code,
            self.out(),
            self.stderr
        )
    }
}

/// Compares with a snapshot; times and memory are blanked.
macro_rules! assert_shown {
    ($name:literal, $ended:expr) => {
        insta::with_settings!({
            filters => [
                (r"\d+\.\d\d s\b", "[time]"),
                (r"\d+\.\d\d\d ms\b", "[time]"),
                (r"\d+\.\d s, \d+ MiB", "[time], [size]"),
                (r"\d+ MiB of", "[size] of"),
                (r#""seconds":\{[^}]*\}"#, r#""seconds":{}"#),
                (r#""(peak_memory|memory_ceiling|peak_scratch)":\d+"#, r#""$1":0"#),
            ],
            omit_expression => true,
            prepend_module_to_snapshot => false,
        }, {
            insta::assert_snapshot!($name, $ended.shown());
        });
    };
}
pub(crate) use assert_shown;

pub(crate) fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata")
}

/// Whether a file is one of a run in the making.
pub(crate) fn is_unfinished(name: &str) -> bool {
    Path::new(name)
        .extension()
        .is_some_and(|ending| ending == "part" || ending == "lock")
}

/// The places that a line writes to.
fn written(line: &str) -> Vec<String> {
    let mut args = line.split_whitespace();
    let mut places = Vec::new();
    while let Some(arg) = args.next() {
        let (option, value) = arg
            .split_once('=')
            .map_or((arg, None), |(option, value)| (option, Some(value)));
        let mut value = || value.or_else(|| args.next()).unwrap_or_default();
        match option {
            "-o"
            | "--output"
            | "--removed"
            | "--fingerprints"
            | "--save-fingerprints"
            | "--run"
            | "--tables"
            | "--quarantine" => places.push(value()),
            "--list" => places.extend(value().split_once('=').map(|(_, file)| file)),
            _ => {}
        }
    }
    places
        .iter()
        .map(|place| {
            place
                .trim_start_matches("./")
                .trim_end_matches('/')
                .to_owned()
        })
        .collect()
}

/// A hash of a file's bytes; of a huge one, of its size and time.
fn digest(path: &Path) -> u64 {
    let about = fs::metadata(path).unwrap();
    if about.len() < HUGE {
        return xxhash_rust::xxh3::xxh3_64(&fs::read(path).unwrap_or_default());
    }
    let changed = about.modified().unwrap();
    let since = changed.duration_since(std::time::UNIX_EPOCH).unwrap();
    about.len() ^ since.as_nanos() as u64
}

/// Bytes from which a file is not read again and again.
const HUGE: u64 = 256 << 20;

fn collect(root: &Path, folder: &Path, names: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, names);
        } else {
            names.push(
                path.strip_prefix(root)
                    .unwrap()
                    .to_string_lossy()
                    .into_owned(),
            );
        }
    }
}

/// All recipes.
pub(crate) const RECIPES: [&str; 19] = [
    "exact",
    "plain",
    "copies",
    "ssr",
    "sscr",
    "ssr-containment",
    "sscr-containment",
    "revisions",
    "cops",
    "cosine",
    "i-match",
    "simhash",
    "sketch",
    "sketch-mod",
    "super-shingle",
    "simfinder",
    "messages",
    "onion",
    "benko",
];
