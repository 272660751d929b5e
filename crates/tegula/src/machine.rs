//! The machine's free memory, this process's usage, and the limits of a run.

use crate::context::{Budget, Context};
use crate::error::{Error, Result};
use crate::scratch::Scratch;
use std::fs;
use std::path::{Path, PathBuf};

/// Resource limits of a run; those not set are determined when the run begins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of memory; by default 70 % of free memory.
    pub memory: Option<u64>,
    /// The maximum number of worker threads; by default one per core. Results never depend on it.
    pub threads: Option<usize>,
    /// The folder for temporary files; by default the system's.
    pub scratch: Option<PathBuf>,
    /// The maximum size of temporary files in bytes.
    pub scratch_bytes: Option<u64>,
}

/// The percentage of free memory that a run uses by default.
const SHARE: u64 = 70;

impl Limits {
    /// The memory that a run may use, in bytes.
    ///
    /// # Errors
    /// A usage error if the ceiling is below what any run needs.
    pub fn memory(&self) -> Result<u64> {
        match self.memory {
            None => Ok((free_memory() / 100 * SHARE).max(Budget::MINIMUM)),
            Some(memory) if memory < Budget::MINIMUM => Err(Error::of("⟨memory⟩")
                .expected(format!("at least {}M", Budget::MINIMUM >> 20))
                .found(format!("{}M", memory >> 20))),
            Some(memory) => Ok(memory),
        }
    }

    /// The number of worker threads.
    ///
    /// # Errors
    /// A usage error if it is 0.
    pub fn threads(&self) -> Result<usize> {
        match self.threads {
            Some(0) => Err(Error::of("⟨threads⟩").expected("at least 1").found("0")),
            Some(threads) => Ok(threads),
            None => Ok(std::thread::available_parallelism().map_or(1, std::num::NonZero::get)),
        }
    }

    /// The context of a run without progress display.
    ///
    /// # Errors
    /// Usage errors; an error if the folder for temporary files cannot be created.
    pub fn context(&self) -> Result<Context> {
        let scratch = match &self.scratch {
            None => Scratch::system(),
            Some(folder) => {
                fs::create_dir_all(folder)
                    .map_err(|error| Error::io("create the ⟨scratch⟩ folder", folder, error))?;
                Scratch::new(folder, self.scratch_bytes.unwrap_or(u64::MAX))
            }
        };
        Ok(Context::bounded(self.threads()?, self.memory()?, scratch))
    }
}

/// The free memory assumed if the system provides no information.
const UNKNOWN: u64 = 2 << 30;

/// Free memory in bytes: what the machine has available, or what its control group leaves, if that
/// is less.
pub fn free_memory() -> u64 {
    let machine = fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| kibibytes(&text, "MemAvailable:"));
    let group = groups()
        .into_iter()
        .filter_map(|folder| left(&folder))
        .min();
    machine.into_iter().chain(group).min().unwrap_or(UNKNOWN)
}

/// The peak memory of this process, if the system provides it.
pub fn peak_memory() -> Option<u64> {
    kibibytes(&fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

/// Resets the peak memory, if the system allows it.
pub fn forget_peak_memory() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// Processor time used by all threads of this process so far, in seconds, if the system provides
/// it.
pub fn cpu_seconds() -> Option<f64> {
    ticks(&fs::read_to_string("/proc/self/stat").ok()?).map(|ticks| ticks as f64 / TICKS)
}

/// Ticks per second of process times in Linux, on every processor.
const TICKS: f64 = 100.0;

/// User and system time from the line of the process file system, whose second field may contain
/// spaces and brackets.
fn ticks(line: &str) -> Option<u64> {
    let mut fields = line[line.rfind(')')? + 1..].split_whitespace().skip(11);
    let (user, system): (u64, u64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some(user + system)
}

/// A value in kB from a table of the process file system, in bytes.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace()
        .next()?
        .parse::<u64>()
        .ok()
        .map(|kib| kib << 10)
}

/// The folders of the control groups of this process, including their parents: each may have a
/// ceiling.
fn groups() -> Vec<PathBuf> {
    let mut folders = Vec::new();
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    for line in own.lines() {
        let mut parts = line.splitn(3, ':');
        let root = match (parts.next(), parts.next()) {
            (Some("0"), Some("")) => Path::new("/sys/fs/cgroup"),
            (_, Some(controllers)) if controllers.split(',').any(|c| c == "memory") => {
                Path::new("/sys/fs/cgroup/memory")
            }
            _ => continue,
        };
        let below = parts.next().unwrap_or("/").trim_start_matches('/');
        let whole = root.join(below);
        folders.extend(
            whole
                .ancestors()
                .take_while(|folder| folder.starts_with(root))
                .map(Path::to_path_buf),
        );
    }
    folders
}

/// The memory that a control group's ceiling leaves; file cache does not count, as it can be
/// reclaimed.
fn left(folder: &Path) -> Option<u64> {
    let number = |name: &str| {
        fs::read_to_string(folder.join(name))
            .ok()?
            .trim()
            .parse::<u64>()
            .ok()
    };
    let ceiling = number("memory.max").or_else(|| number("memory.limit_in_bytes"))?;
    let used = number("memory.current").or_else(|| number("memory.usage_in_bytes"))?;
    let statistics = fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
    let cache = ["inactive_file", "active_file"]
        .iter()
        .filter_map(|name| {
            statistics
                .lines()
                .find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok())
        })
        .sum();
    Some(ceiling.saturating_sub(used.saturating_sub(cache)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_the_process_file_system_are_read() {
        assert_eq!(
            kibibytes("A: 1 kB\nMemAvailable:   20 kB\n", "MemAvailable:"),
            Some(20 << 10)
        );
        assert_eq!(kibibytes("A: 1 kB\n", "B:"), None);
        let stat = "1 (a b) c) S 2 3 4 5 6 7 8 9 10 11 120 30 14 15 16";
        assert_eq!(
            (ticks(stat), ticks("1 (a) S"), ticks("")),
            (Some(150), None, None)
        );
    }
}
