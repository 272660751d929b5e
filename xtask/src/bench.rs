//! `cargo xtask bench`: a corpus, the peers if requested, and `tegula-bench speed`.
//!
//! All other options are those of `tegula-bench speed`.

use crate::{Result, build, root, run, tell};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const HELP: &str = "\
cargo xtask bench [OPTIONS] [-- OPTIONS OF tegula-bench speed]

  --corpus FILE.jsonl   existing texts, instead of a generated corpus
  --source PATH         real texts that a corpus is made of: a file or folder, PATH@30 for about 30
                        million characters of it; may be repeated. Without any, texts are made up
  --target-mb MB        megabytes of the corpus [default: 50]
  --seed N              a different number makes a different corpus [default: 1]
  --peers NAME,...      gaoya, datasketch: installed by pip into a separate environment
  --output FOLDER       for the corpus, the environment, tables and plot [default: target/bench]
";

/// What was asked for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Asked {
    corpus: Option<PathBuf>,
    sources: Vec<String>,
    target_mb: Option<String>,
    seed: Option<String>,
    peers: Option<String>,
    output: Option<PathBuf>,
    others: Vec<String>,
}

impl Asked {
    fn new(options: &[&str]) -> Result<Self> {
        let mut asked = Self::default();
        let mut options = options.iter().map(|option| (*option).to_owned());
        while let Some(option) = options.next() {
            if option == "--" {
                asked.others = options.collect();
                break;
            }
            let mut value = || {
                options
                    .next()
                    .ok_or_else(|| format!("{option}: expected a value"))
            };
            match &*option {
                "--corpus" => asked.corpus = Some(value()?.into()),
                "--source" => asked.sources.push(value()?),
                "--target-mb" => asked.target_mb = Some(value()?),
                "--seed" => asked.seed = Some(value()?),
                "--peers" => asked.peers = Some(value()?),
                "--output" => asked.output = Some(value()?.into()),
                _ => return Err(format!("{option}: expected an option\n\n{HELP}").into()),
            }
        }
        if asked.corpus.is_some() && !asked.sources.is_empty() {
            return Err("expected --corpus or --source, found both".into());
        }
        Ok(asked)
    }
}

/// Builds everything, and measures.
pub(crate) fn bench(options: &[&str]) -> Result<()> {
    if options.contains(&"--help") {
        return tell(HELP);
    }
    let asked = Asked::new(options)?;
    let root = root()?;
    let output = match &asked.output {
        Some(folder) => std::path::absolute(folder)?,
        None => root.join("target/bench"),
    };
    fs::create_dir_all(&output)?;
    let programs = build(&["tegula-cli", "tegula-bench"])?;
    let bench = programs.join("tegula-bench");
    let (corpus, note) = corpus(&asked, &bench, &output)?;

    let mut speed = Command::new(&bench);
    speed.arg("speed").arg(corpus).args(["--note", &note]);
    speed.arg("--tegula").arg(programs.join("tegula"));
    speed.arg("-o").arg(&output);
    if let Some(peers) = &asked.peers {
        speed.args(["--peers", peers]);
        speed.arg("--python").arg(python(&root, &output, peers)?);
        speed
            .arg("--driver")
            .arg(root.join("bench/peers/run_peer.py"));
    }
    run(speed.args(&asked.others))
}

/// The corpus, and a sentence about it.
fn corpus(asked: &Asked, bench: &Path, output: &Path) -> Result<(PathBuf, String)> {
    if let Some(corpus) = &asked.corpus {
        return Ok((corpus.clone(), "Texts as they are.".to_owned()));
    }
    let target = asked.target_mb.as_deref().unwrap_or("50");
    let seed = asked.seed.as_deref().unwrap_or("1");
    let (mut sources, mut note) = (
        asked.sources.clone(),
        format!("Real texts with planted copies, seed {seed}."),
    );
    if sources.is_empty() {
        let prose = output.join("prose.jsonl");
        let mut make = Command::new(bench);
        make.arg("prose").arg("--out").arg(&prose);
        run(make.args(["--target-mb", target, "--seed", seed]))?;
        sources.push(prose.display().to_string());
        note = format!(
            "Texts of made-up words with planted copies, seed {seed}: for comparing builds, not programs."
        );
    }
    let corpus = output.join("corpus.jsonl");
    let mut make = Command::new(bench);
    make.arg("corpus").arg("--source").args(&sources);
    make.arg("--out").arg(&corpus);
    run(make.args(["--target-mb", target, "--seed", seed]))?;
    Ok((corpus, note))
}

/// A Python that has these peers, in the versions that were measured.
fn python(root: &Path, output: &Path, peers: &str) -> Result<PathBuf> {
    let environment = output.join("peers");
    let python = environment.join("bin/python");
    if !python.exists() {
        run(Command::new("python3")
            .args(["-m", "venv"])
            .arg(&environment))?;
    }
    let versions = root.join("bench/peers/requirements.txt");
    run(Command::new(&python)
        .args(["-m", "pip", "install", "--quiet", "--constraint"])
        .arg(versions)
        .args(peers.split(',')))?;
    Ok(python)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_after_two_dashes_are_passed_on() {
        let asked = Asked::new(&[
            "--source", "a", "--source", "b@3", "--peers", "gaoya", "--", "--rounds", "3",
        ])
        .unwrap();
        assert_eq!(asked.sources, ["a", "b@3"]);
        assert_eq!(asked.peers.as_deref(), Some("gaoya"));
        assert_eq!(asked.others, ["--rounds", "3"]);
        for wrong in [
            &["--sauce", "a"][..],
            &["--source"],
            &["--corpus", "a", "--source", "b"],
        ] {
            assert!(Asked::new(wrong).is_err(), "{wrong:?}");
        }
    }
}
