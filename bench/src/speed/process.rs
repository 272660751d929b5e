//! Whole processes, and what the system measures of them.

use crate::source::failed;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;
use tegula::{Error, ErrorKind, Result};
use wait4::Wait4;

/// What a process took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Took {
    /// Processor seconds of all threads, in the program and in the system.
    pub(super) user: f64,
    pub(super) system: f64,
    /// Seconds that passed.
    pub(super) wall: f64,
    /// The largest resident set, in bytes.
    pub(super) peak: u64,
}

impl Took {
    /// Processor seconds.
    pub(super) fn cpu(self) -> f64 {
        self.user + self.system
    }
}

/// Runs a command to its end, and returns what it took and what it wrote to standard output, which
/// goes through a file in `folder`.
///
/// The peak of a process is never below that of the process that starts it, so this one has to be
/// small.
///
/// # Errors
/// If it cannot be started, or does not succeed.
pub(super) fn run(command: &mut Command, folder: &Path) -> Result<(Took, String)> {
    let file = || tempfile::tempfile_in(folder).map_err(failed("create a file in", folder));
    let (mut out, mut err) = (file()?, file()?);
    let copy = |file: &File| file.try_clone().map_err(failed("use a file in", folder));
    command
        .stdin(Stdio::null())
        .stdout(copy(&out)?)
        .stderr(copy(&err)?);
    let name = Path::new(command.get_program()).to_owned();
    let clock = Instant::now();
    let mut child = command.spawn().map_err(failed("run", &name))?;
    let used = child.wait4().map_err(failed("wait for", &name))?;
    let wall = clock.elapsed().as_secs_f64();
    if !used.status.success() {
        return Err(Error::new(
            ErrorKind::Run,
            format!("{command:?}: {}\n{}", used.status, text(&mut err, folder)?),
        ));
    }
    let took = Took {
        user: used.rusage.utime.as_secs_f64(),
        system: used.rusage.stime.as_secs_f64(),
        wall,
        peak: used.rusage.maxrss,
    };
    Ok((took, text(&mut out, folder)?))
}

/// All of a file, from its beginning.
fn text(file: &mut File, folder: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    file.rewind()
        .and_then(|()| file.read_to_end(&mut bytes))
        .map_err(failed("read a file in", folder))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_measured_and_a_failed_one_says_why() {
        let folder = tempfile::tempdir().unwrap();
        let shell = |line: &str| run(Command::new("sh").args(["-c", line]), folder.path());
        let busy = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; echo $i";
        let (took, said) = shell(busy).unwrap();
        assert_eq!(said, "100000\n");
        assert!(
            took.user > 0.0 && took.wall >= 0.5 * took.cpu() && took.peak > 1 << 16,
            "{took:?}"
        );
        let error = shell("echo no >&2; exit 3").unwrap_err().to_string();
        assert!(error.contains('3') && error.contains("no"), "{error}");
    }
}
