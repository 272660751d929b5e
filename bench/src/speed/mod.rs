//! Tegula beside its peers: time and memory of whole runs that take turns, with their answers
//! checked.
//!
//! *Not useful for* small changes to one loop: `cargo xtask instructions` detects these.

mod asked;
mod digest;
mod medians;
mod process;
mod results;
mod shown;
mod work;

pub use asked::Speed;

use crate::found::Means;
use crate::peer;
use crate::source::failed;
use results::{Measured, Results};
use std::process::Command;
use tegula::threshold::Threshold;
use tegula::{Error, Result};
use tegula_io::outputs::Outputs;
use work::{Run, Work};

/// What counting the true pairs may use.
const MEANS: Means = Means {
    threads: 2,
    memory: 4 << 30,
};

/// The recipe whose pairs are counted in another way as well.
const CHECKED: &str = "ssr";

/// Measures, writes `speed.md`, `speed.svg` and `speed.tsv`, and returns the first and where they
/// are.
///
/// # Errors
/// If a run fails, or does not give the answer of the other runs.
pub fn run(asked: &Speed) -> Result<Vec<String>> {
    std::fs::create_dir_all(&asked.output).map_err(failed("create the folder", &asked.output))?;
    // Reading it brings the corpus into the system's file cache, which all runs then have.
    let (digest, texts) = digest::of(&asked.corpus)?;
    let bytes = std::fs::metadata(&asked.corpus).map_err(failed("read", &asked.corpus))?;
    let all = measured(asked)?;
    let mut about = vec![
        format!(
            "Corpus: {texts} texts, {} MB, xxh3 {digest}. {}",
            bytes.len().div_ceil(1_000_000),
            asked.note
        ),
        format!("Machine: {}.", machine()),
        format!("Versions: {}.", versions(asked, &all)?),
        format!(
            "Medians of {} interleaved {}; spread is between the fastest and the slowest round, as a share of the median. Every run of a \
             recipe wrote the same bytes.",
            asked.rounds,
            if asked.rounds == 1 { "round" } else { "rounds" }
        ),
    ];
    // Only now, as it takes memory.
    about.extend(checked(asked, &all)?);
    let results = Results { about, all };
    let table = shown::markdown(&results);
    let outputs = Outputs::default();
    for (name, text) in [
        ("speed.md", &table),
        ("speed.svg", &shown::plot(&results)),
        ("speed.tsv", &shown::runs(&results)),
    ] {
        outputs.write(&asked.output.join(name), text.as_bytes())?;
    }
    outputs.publish()?;
    let place = asked.output.join("speed");
    Ok(vec![
        table,
        format!("{0}.md, {0}.svg, {0}.tsv", place.display()),
    ])
}

/// Runs everything in turn, round by round.
fn measured(asked: &Speed) -> Result<Vec<Measured>> {
    let recipes = asked.recipes.iter().flat_map(|name| {
        let threads = asked.threads.iter();
        threads.map(|threads| Work::Recipe {
            name: name.clone(),
            threads: *threads,
        })
    });
    let peers = asked.peers.iter().cloned().map(Work::Peer);
    let works: Vec<Work> = recipes.chain(peers).collect();
    let folder =
        tempfile::tempdir_in(&asked.output).map_err(failed("create a folder in", &asked.output))?;
    let mut all: Vec<Measured> = Vec::new();
    for round in 0..asked.rounds {
        for (at, work) in works.iter().enumerate() {
            let Run {
                took,
                answer,
                figures,
                version,
            } = work.run(asked, folder.path())?;
            let same = |other: &&Measured| other.work.agrees_with(work);
            if let Some(other) = all.iter().find(same).filter(|other| other.answer != answer) {
                return Err(Error::data(format!(
                    "{}: expected the answer that {} gave before, {:?}, found {answer:?}",
                    work.name(),
                    other.work.name(),
                    other.answer
                )));
            }
            if round == 0 {
                all.push(Measured {
                    work: work.clone(),
                    took: vec![took],
                    answer,
                    figures,
                    version,
                });
            } else {
                all[at].took.push(took);
            }
        }
    }
    Ok(all)
}

/// The result of comparing the pairs with all true pairs, if that recipe was run.
fn checked(asked: &Speed, all: &[Measured]) -> Result<Option<String>> {
    let is_checked = |measured: &&Measured| matches!(&measured.work, Work::Recipe { name, .. } if name == CHECKED);
    let Some(pairs) = all.iter().find(is_checked).and_then(|of| of.answer.pairs) else {
        return Ok(None);
    };
    let threshold: Threshold = "0.8".parse()?;
    let truth = peer::truth(&asked.corpus, threshold, None, MEANS)?;
    if truth.pairs != pairs {
        return Err(Error::data(format!(
            "{CHECKED}: expected {} pairs, as tegula-bench truth counts them, found {pairs}",
            truth.pairs
        )));
    }
    Ok(Some(format!(
        "`{CHECKED}` found {pairs} pairs, as many as `tegula-bench truth` counts."
    )))
}

/// The processor and the system.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let facts = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = facts
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .map_or("unknown processor", |rest| {
            rest.trim_start_matches([':', ' ', '\t'])
        });
    format!("{cores} cores, {model}, {}", std::env::consts::OS)
}

/// The versions of all programs.
fn versions(asked: &Speed, all: &[Measured]) -> Result<String> {
    let mut command = Command::new(&asked.tegula);
    let (_, said) = process::run(command.arg("--version"), &asked.output)?;
    let mut versions = vec![said.lines().next().unwrap_or_default().to_owned()];
    for measured in all {
        if let (Work::Peer(name), Some(version)) = (&measured.work, &measured.version) {
            versions.push(format!("{name} {version}"));
        }
    }
    Ok(versions.join(", "))
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    /// Two equal texts and another one.
    const TEXTS: &str = "{\"id\":\"a\",\"text\":\"one two three\"}\n\
                         {\"id\":\"b\",\"text\":\"one two three\"}\n\
                         {\"id\":\"c\",\"text\":\"four\"}\n";

    /// Measures a program that keeps two texts, and runs this line of a shell on the file it wrote
    /// (`$4`), with so many pairs.
    fn measure(line: &str, pairs: u64) -> Result<String> {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("in.jsonl"), TEXTS).unwrap();
        let said = format!(
            r#"{{"records":3,"records_removed":1,"levels":[{{"pairs":{pairs}}}],"work":{{"rows":7}}}}"#
        );
        let script = format!(
            "#!/bin/sh\nif [ $1 = --version ]; then echo made 1; exit; fi\n\
             head -n 2 $2 > $4\n{line}\necho '{said}'\n"
        );
        // A file that this process writes could not be run while another test starts a process.
        let mut write = Command::new("sh");
        write.args([
            "-c",
            "printf %s \"$0\" > \"$1\" && chmod +x \"$1\"",
            &script,
        ]);
        process::run(write.arg(path("tegula")), folder.path()).unwrap();
        let asked = Speed {
            corpus: path("in.jsonl"),
            tegula: path("tegula"),
            recipes: vec!["ssr".to_owned()],
            threads: vec![1, 2],
            peers: Vec::new(),
            python: PathBuf::new(),
            driver: PathBuf::new(),
            rounds: 2,
            note: String::new(),
            output: path("out"),
        };
        let said = run(&asked)?;
        let runs = std::fs::read_to_string(path("out/speed.tsv")).unwrap();
        assert_eq!(runs.lines().count(), 5);
        Ok(said[0].clone())
    }

    #[test]
    fn answers_are_checked_while_runs_are_measured() {
        let table = measure("", 1).unwrap();
        assert!(
            table.contains("| ssr, 2 threads |") && table.contains("| ssr | 7 |"),
            "{table}"
        );
        let refused = |line: &str, pairs| measure(line, pairs).unwrap_err().to_string();
        // The script receives the number of threads.
        let other = refused("if [ $8 = 2 ]; then tail -n 2 $2 > $4; fi", 1);
        assert!(
            other.contains("expected the answer that ssr gave before"),
            "{other}"
        );
        let lost = refused("head -n 1 $2 > $4", 1);
        assert!(lost.contains("expected 2 lines"), "{lost}");
        let pairs = refused("", 2);
        assert!(pairs.contains("expected 1 pairs"), "{pairs}");
        let failed = refused("echo broken >&2; exit 2", 1);
        assert!(failed.contains("broken"), "{failed}");
    }
}
