//! `cargo xtask instructions`: how many instructions the hot loops of the library take, compared
//! with `bench/instructions.tsv`.
//!
//! Instruction counts do not depend on what else a machine does, only on the compiler, on the
//! standard libraries, and on the vector instructions available to a loop. So figures are compared
//! only if the table is of the same compiler and target. Valgrind counts them; it does not support
//! AVX-512, so loops use AVX2 under it even if the processor has AVX-512. Sources that were counted are not
//! compiled and counted again.

use crate::{Result, build, host, output, root, rustc, tell};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PACKAGE: &str = "tegula-kernels";
/// The kernel that does nothing; its count is subtracted from all others.
const NOTHING: &str = "nothing";
const COLUMNS: &str = "kernel\tinstructions";
/// Begins the line with the digest of the sources.
const SOURCES: &str = "# sources ";
/// What is compiled.
const COMPILED: [&str; 4] = [
    "Cargo.lock",
    "Cargo.toml",
    "bench/kernels",
    "crates/tegula/src",
];
const WRITE: &str = "cargo xtask instructions --write";

/// Counts, and fails if a kernel takes a twentieth more than the table says, or a tenth less.
pub(crate) fn check() -> Result<()> {
    let table = fs::read_to_string(path()?)?;
    let Table {
        compiler: of,
        sources,
        counts: expected,
    } = read(&table)?;
    let compiler = compiler()?;
    if of != compiler {
        return tell(&format!(
            "skipped: bench/instructions.tsv is of {of}, and this is {compiler}; {WRITE} regenerates it\n"
        ));
    }
    if sources == digest()? {
        return tell("these sources have been counted\n");
    }
    let found = counted()?;
    let (said, wrong) = compared(&expected, &found);
    tell(&said)?;
    if wrong.is_empty() {
        return tell(&format!("{WRITE} notes that these sources were counted\n"));
    }
    Err(format!(
        "{}\nif that is intended, {WRITE} regenerates bench/instructions.tsv",
        wrong.join("\n")
    )
    .into())
}

/// Counts, and writes the table.
pub(crate) fn write() -> Result<()> {
    let mut table = format!("# {}\n{SOURCES}{}\n{COLUMNS}\n", compiler()?, digest()?);
    for (name, count) in counted()? {
        let _ = writeln!(table, "{name}\t{count}");
    }
    fs::write(path()?, &table)?;
    tell(&table)
}

fn path() -> Result<PathBuf> {
    Ok(root()?.join("bench/instructions.tsv"))
}

/// The compiler and its target.
fn compiler() -> Result<String> {
    Ok(format!("{}, {}", rustc(["--version"])?.trim(), host()?))
}

/// The digest of what is compiled.
fn digest() -> Result<String> {
    let mut files = Vec::new();
    for name in COMPILED {
        files_of(&root()?.join(name), &mut files)?;
    }
    files.sort();
    let mut all = Sha256::new();
    for file in files {
        all.update(Sha256::digest(fs::read(file)?));
    }
    let mut digest = String::new();
    for byte in all.finalize() {
        write!(digest, "{byte:02x}")?;
    }
    Ok(digest)
}

fn files_of(path: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            files_of(&entry?.path(), files)?;
        }
    } else {
        files.push(path.to_path_buf());
    }
    Ok(())
}

/// What was counted.
#[derive(Debug, PartialEq)]
struct Table {
    compiler: String,
    /// The digest of what was compiled; empty if it was not noted.
    sources: String,
    counts: BTreeMap<String, u64>,
}

fn read(table: &str) -> Result<Table> {
    let mut lines = table.lines();
    let first = lines.next().and_then(|line| line.strip_prefix("# "));
    let compiler = first.ok_or("expected a table that begins with its compiler")?;
    let (mut sources, mut counts) = (String::new(), BTreeMap::new());
    for line in lines.filter(|line| *line != COLUMNS) {
        if let Some(digest) = line.strip_prefix(SOURCES) {
            digest.clone_into(&mut sources);
            continue;
        }
        let (name, count) = line
            .split_once('\t')
            .ok_or("expected a kernel and a count")?;
        counts.insert(name.to_owned(), count.parse()?);
    }
    Ok(Table {
        compiler: compiler.to_owned(),
        sources,
        counts,
    })
}

/// The instructions of each kernel, in the order of the program.
fn counted() -> Result<Vec<(String, u64)>> {
    let program = build(&[PACKAGE])?.join(PACKAGE);
    let names = String::from_utf8(output(&mut Command::new(&program))?)?;
    let before = count(&program, NOTHING)?;
    names
        .lines()
        .filter(|name| *name != NOTHING)
        .map(|name| {
            Ok((
                name.to_owned(),
                count(&program, name)?.saturating_sub(before),
            ))
        })
        .collect()
}

/// All instructions of the program when it runs this kernel.
fn count(program: &Path, kernel: &str) -> Result<u64> {
    let mut valgrind = Command::new("valgrind");
    valgrind
        .args([
            "--tool=cachegrind",
            "--cache-sim=no",
            "--cachegrind-out-file=/dev/null",
        ])
        .arg(program)
        .arg(kernel);
    let done = valgrind
        .output()
        .map_err(|error| format!("valgrind cannot be run: {error}"))?;
    let said = String::from_utf8_lossy(&done.stderr);
    if !done.status.success() {
        return Err(format!("{kernel}: {}\n{said}", done.status).into());
    }
    total(&said)
        .ok_or_else(|| format!("{kernel}: expected a count of instructions, found:\n{said}").into())
}

/// The number in the line `==1== I   refs:      1,234`.
fn total(said: &str) -> Option<u64> {
    let number = said
        .lines()
        .find_map(|line| line.split_once("refs:").map(|(_, number)| number))?;
    number.trim().replace(',', "").parse().ok()
}

/// A table of all counts, and what is wrong with them.
fn compared(expected: &BTreeMap<String, u64>, found: &[(String, u64)]) -> (String, Vec<String>) {
    let mut said = String::new();
    let mut wrong = Vec::new();
    for (name, count) in found {
        let before = expected.get(name).copied();
        let change = before.map_or_else(
            || "not in the table".to_owned(),
            |before| {
                let percent = 100.0 * (*count as f64 / before.max(1) as f64 - 1.0);
                format!("{percent:+.1} %")
            },
        );
        let _ = writeln!(said, "{name:24} {count:>12} {change:>8}");
        match before {
            Some(before) if *count * 20 > before * 21 => {
                wrong.push(format!(
                    "{name}: grew from {before} to {count} instructions"
                ));
            }
            Some(before) if *count * 10 < before * 9 => {
                wrong.push(format!(
                    "{name}: fell from {before} to {count} instructions"
                ));
            }
            Some(_) => {}
            None => wrong.push(format!("{name}: {count} instructions, not in the table")),
        }
    }
    let is_missing = |name: &&String| !found.iter().any(|(other, _)| other == *name);
    let missing = expected.keys().filter(is_missing);
    wrong.extend(missing.map(|name| format!("{name}: in the table, but no longer a kernel")));
    (said, wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_by_more_than_a_twentieth_is_seen() {
        let table = format!("# rustc 1, here\n{SOURCES}0f\n{COLUMNS}\na\t1000\nb\t1000\n");
        let table = read(&table).unwrap();
        assert_eq!((&*table.compiler, &*table.sources), ("rustc 1, here", "0f"));
        let expected = table.counts;
        let wrong = |a, b| {
            let found = [("a", a), ("b", b)].map(|(name, count)| (name.to_owned(), count));
            compared(&expected, &found).1
        };
        assert!(wrong(1050, 900).is_empty());
        assert_eq!(
            wrong(1051, 899),
            [
                "a: grew from 1000 to 1051 instructions",
                "b: fell from 1000 to 899 instructions"
            ]
        );
        assert_eq!(compared(&expected, &[("c".to_owned(), 1)]).1.len(), 3);
    }

    #[test]
    fn counts_are_read_from_old_and_new_valgrind() {
        assert_eq!(
            total("==7== \n==7== I   refs:      1,234,567\n"),
            Some(1_234_567)
        );
        assert_eq!(total("==7== I refs:      89\n"), Some(89));
        assert_eq!(total("==7== nothing\n"), None);
    }
}
