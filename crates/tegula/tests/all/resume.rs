//! A run that was killed resumes from the stages it kept, with other threads and another ceiling,
//! and ends with the same result.

use crate::common::{Memory, Setting, context, expanded, job, settings};
use std::cell::Cell;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use tegula::constraint::Constraints;
use tegula::engine::bad_records::FailOnBad;
use tegula::engine::checkpoint::Checkpoint;
use tegula::engine::{Job, find};
use tegula::recipe::Recipe;

/// Keeps stages in a folder, and counts what was taken from there.
struct Folder {
    path: PathBuf,
    /// Stages that may be found.
    known: &'static [&'static str],
    found: Cell<usize>,
}

impl Checkpoint for Folder {
    fn find(&self, stage: &str) -> tegula::Result<Option<PathBuf>> {
        let path = self.path.join(stage);
        let known = self.known.contains(&stage) && path.exists();
        self.found.set(self.found.get() + usize::from(known));
        Ok(known.then_some(path))
    }

    fn keep(
        &self,
        stage: &str,
        write: &mut dyn FnMut(&mut dyn Write) -> std::io::Result<()>,
    ) -> tegula::Result<()> {
        let mut out = BufWriter::new(File::create(self.path.join(stage)).unwrap());
        write(&mut out).unwrap();
        out.flush().unwrap();
        Ok(())
    }
}

fn texts() -> Vec<String> {
    let words: Vec<String> = (0..400)
        .map(|i| format!("w{}", (i * i * 7 + i) % 97))
        .collect();
    (0..120)
        .map(|i| words[i * 3 % 300..i * 3 % 300 + 40 + i % 7].join(" "))
        .collect()
}

#[test]
fn a_run_goes_on_from_each_stage_under_any_setting() {
    let texts = texts();
    let source = Memory::new(&texts, 5);
    for name in ["ssr", "sscr", "ssr-containment", "sscr-containment"] {
        let recipe = Recipe::named(name)
            .unwrap()
            .with("threshold", "0.4")
            .unwrap();
        let folder = tempfile::tempdir().unwrap();
        let run = |known: &'static [&'static str], setting: Setting| {
            let folder = Folder {
                path: folder.path().to_path_buf(),
                known,
                found: Cell::new(0),
            };
            let constraints = Constraints::default();
            let job = Job {
                checkpoint: Some(&folder),
                ..job(&source, &recipe, &constraints, setting.tuning)
            };
            let found = find(&context(setting), job, &mut FailOnBad).unwrap();
            assert_eq!(folder.found.get(), known.len());
            expanded(&found)
        };
        for made in settings() {
            let truth = run(&[], made);
            assert!(!truth.is_empty());
            for setting in settings() {
                for known in [&["features"][..], &["pairs"], &["features", "pairs"]] {
                    assert_eq!(
                        run(known, setting),
                        truth,
                        "{name} {made:?} {setting:?} {known:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn damaged_stages_and_those_of_other_inputs_are_refused() {
    let texts = texts();
    let recipe = Recipe::named("sscr").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let run = |texts: &[String], known: &'static [&'static str]| {
        let source = Memory::new(texts, 5);
        let folder = Folder {
            path: folder.path().to_path_buf(),
            known,
            found: Cell::new(0),
        };
        let constraints = Constraints::default();
        let job = Job {
            checkpoint: Some(&folder),
            ..job(&source, &recipe, &constraints, settings()[0].tuning)
        };
        find(&context(settings()[0]), job, &mut FailOnBad).map(|_| ())
    };
    run(&texts, &[]).unwrap();
    for stage in [&["features"][..], &["pairs"]] {
        assert!(run(&texts[1..], stage).is_err());
        let path = folder.path().join(stage[0]);
        let whole = std::fs::read(&path).unwrap();
        for length in (0..whole.len()).step_by(whole.len() / 50 + 1) {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert!(run(&texts, stage).is_err(), "{length} of {}", whole.len());
        }
        std::fs::write(&path, &whole).unwrap();
        run(&texts, stage).unwrap();
    }
}
