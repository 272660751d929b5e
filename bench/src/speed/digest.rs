//! A file in a few digits, so that runs can be compared without keeping what they write.

use crate::source::failed;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use tegula::Result;
use xxhash_rust::xxh3::Xxh3;

/// The digest of a file, and the number of its lines.
///
/// # Errors
/// If it cannot be read.
pub(super) fn of(path: &Path) -> Result<(String, u64)> {
    let mut file = File::open(path).map_err(failed("open", path))?;
    let (mut hash, mut lines, mut is_open) = (Xxh3::new(), 0, false);
    let mut some = vec![0; 1 << 18];
    loop {
        let length = file.read(&mut some).map_err(failed("read", path))?;
        if length == 0 {
            return Ok((
                format!("{:016x}", hash.digest()),
                lines + u64::from(is_open),
            ));
        }
        hash.update(&some[..length]);
        lines += some[..length].split(|byte| *byte == b'\n').count() as u64 - 1;
        is_open = some[length - 1] != b'\n';
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_last_line_counts_whether_it_is_ended_or_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        let lines = |text: &str| {
            std::fs::write(&path, text).unwrap();
            of(&path).unwrap().1
        };
        assert_eq!(["", "a", "a\n", "a\n\nb"].map(lines), [0, 1, 1, 3]);
    }
}
