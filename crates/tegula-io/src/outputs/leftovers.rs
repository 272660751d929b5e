//! Unfinished files: how they are named, and how those of killed runs are found.
//!
//! Those of a run are named `.NAME.RANDOM.TOKEN.part`. If its [lock](crate::lock) in a folder can be acquired, the
//! run is dead: all of its files can be removed.

use crate::lock;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

/// The suffix of unfinished files.
pub(super) const PART: &str = ".part";
/// Random letters and digits in the name of an unfinished file.
pub(super) const RANDOM: usize = 6;
/// Stands for the random part in the name of a file that makes way for another.
pub(super) const BEFORE: &str = "before";
/// Bytes of the final name that are part of an unfinished file's name, so that the latter is not
/// too long for file systems.
const LONGEST: usize = 96;

/// The prefix of an unfinished file's name.
pub(super) fn prefix(name: &OsStr) -> OsString {
    let mut prefix = OsString::from(".");
    if name.len() <= LONGEST {
        prefix.push(name);
    } else {
        prefix.push(
            name.to_string_lossy()
                .chars()
                .take(LONGEST / 4)
                .collect::<String>(),
        );
    }
    prefix.push(".");
    prefix
}

/// Whether this is an unfinished file.
pub(crate) fn is_unfinished(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.starts_with(b".") && (name.ends_with(PART.as_bytes()) || lock::token(name).is_some())
}

/// Whether an unfinished file belongs to the run with this token: `.NAME.RANDOM.TOKEN.part`.
fn is_part_of(name: &[u8], token: &[u8]) -> bool {
    let random = |name: &'_ [u8]| -> Option<bool> {
        let name = name.strip_prefix(b".")?.strip_suffix(PART.as_bytes())?;
        let name = name.strip_suffix(token)?.strip_suffix(b".")?;
        let at = name.iter().rposition(|byte| *byte == b'.')?;
        let (before, random) = (&name[..at], &name[at + 1..]);
        let is_random = random.len() == RANDOM && random.iter().all(u8::is_ascii_alphanumeric);
        Some(!before.is_empty() && (is_random || random == BEFORE.as_bytes()))
    };
    random(name).unwrap_or(false)
}

/// Removes what killed runs left in a folder, and with `below` in its subfolders.
pub(super) fn sweep(folder: &Path, below: bool) {
    let mut dead: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    let depth = if below { usize::MAX } else { 1 };
    let entries = || {
        walkdir::WalkDir::new(folder)
            .min_depth(1)
            .max_depth(depth)
            .into_iter()
            .flatten()
    };
    for entry in entries() {
        if let Some(token) = lock::token(entry.file_name().as_encoded_bytes())
            && entry.file_type().is_file()
            && lock::is_dead(entry.path(), token)
        {
            dead.push((entry.path().to_path_buf(), token.to_vec()));
        }
    }
    if dead.is_empty() {
        return;
    }
    for entry in entries().filter(|entry| entry.file_type().is_file()) {
        let name = entry.file_name().as_encoded_bytes();
        if dead.iter().any(|(_, token)| is_part_of(name, token)) {
            let _gone = fs::remove_file(entry.path());
        }
    }
    // Last, so that if this is killed, the next sweep finds the rest.
    for (lock, _) in dead {
        let _gone = fs::remove_file(lock);
    }
}

/// Removes what the run with this token left in a folder and its subfolders.
pub(super) fn sweep_run(folder: &Path, token: &[u8]) {
    let entries = walkdir::WalkDir::new(folder).min_depth(1).into_iter();
    for entry in entries
        .flatten()
        .filter(|entry| entry.file_type().is_file())
    {
        if is_part_of(entry.file_name().as_encoded_bytes(), token) {
            let _gone = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_a_run_are_known_by_their_whole_names() {
        let token = b"0123456789abcdef";
        for (name, is_ours) in [
            (".a.jsonl.Ab3xYz.0123456789abcdef.part", true),
            (".a.before.0123456789abcdef.part", true),
            ("a.Ab3xYz.0123456789abcdef.part", false),
            (".a.0123456789abcdef.part", false),
            (".a.b.0123456789abcdef.part", false),
            (".Ab3xYz.0123456789abcdef.part", false),
            (".a.Ab3xYz.0123456789abcdee.part", false),
        ] {
            assert_eq!(is_part_of(name.as_bytes(), token), is_ours, "{name}");
        }
        let longest = prefix(OsStr::new(&"ä".repeat(200)));
        let name = [longest.as_encoded_bytes(), b"Ab3xYz.", token, b".part"].concat();
        assert!(is_part_of(&name, token));
    }
}
