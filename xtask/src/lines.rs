//! Counts the lines of production code: what is neither test, comment nor blank, nor only brackets.

use crate::{Result, root};
use std::fs;
use std::io::Write;
use std::path::Path;

/// Prints the lines of each crate, and of all.
pub(crate) fn print() -> Result<()> {
    let root = root()?;
    let mut out = std::io::stdout().lock();
    let mut all = 0;
    let mut crates: Vec<_> = fs::read_dir(root.join("crates"))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<_>>()?;
    crates.sort();
    for path in crates {
        let lines = of_folder(&path.join("src"))?;
        let name = path.file_name().unwrap_or_default().display();
        writeln!(out, "{lines:>8}  {name}")?;
        all += lines;
    }
    writeln!(out, "{all:>8}  lines of production code")?;
    Ok(())
}

fn of_folder(folder: &Path) -> Result<u64> {
    let mut lines = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        if stem == "tests" || stem.ends_with("_tests") {
            continue;
        }
        if path.is_dir() {
            lines += of_folder(&path)?;
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            lines += count(&fs::read_to_string(&path)?);
        }
    }
    Ok(lines)
}

/// The lines of a file up to its module of tests.
fn count(text: &str) -> u64 {
    let before_tests = text
        .split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or(text);
    let is_code = |line: &&str| {
        let line = line.trim();
        !line.starts_with("//") && line.chars().any(char::is_alphanumeric)
    };
    before_tests.lines().filter(is_code).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_code_counts() {
        let text = "//! Module.\n\n/// Item.\nfn f() {\n    g();\n}\n\n#[cfg(test)]\nmod tests {\n    fn h() {}\n}\n";
        assert_eq!(count(text), 2);
    }
}
