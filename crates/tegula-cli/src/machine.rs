//! What the machine has: free memory, and how much of it this process took at most.

use serde_json::{Map, Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use tegula::context::Context;
use tegula::scratch::Scratch;
use tegula::work::{Done, Work};

/// What is assumed where the system says nothing.
const UNKNOWN: u64 = 2 << 30;

/// Bytes of memory that are free: what the machine has available, or what its control group leaves, where that is less.
pub(crate) fn free_memory() -> u64 {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| kibibytes(&text, "MemAvailable:"));
    let group = groups().into_iter().filter_map(|folder| left(&folder)).min();
    machine.into_iter().chain(group).min().unwrap_or(UNKNOWN)
}

/// The most memory that this process has held at a time, where the system says so.
pub(crate) fn peak_memory() -> Option<u64> {
    kibibytes(&fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

/// What this process may take and counts, once a command has settled it.
static BOUND: OnceLock<Bound> = OnceLock::new();

struct Bound {
    ceiling: u64,
    scratch: Arc<Scratch>,
    work: Arc<Work>,
}

/// Remembers what a run may take, to compare it with what it took, and where it counts what it does.
pub(crate) fn bound(context: &Context) {
    let (scratch, work) = (Arc::clone(&context.scratch), Arc::clone(&context.work));
    let _ = BOUND.set(Bound { ceiling: context.budget.total(), scratch, work });
}

/// What the run took of the machine so far.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Took {
    memory: Option<u64>,
    ceiling: Option<u64>,
    scratch: u64,
    written: u64,
    done: Done,
}

/// What this process took so far.
pub(crate) fn took() -> Took {
    let bound = BOUND.get();
    Took {
        memory: peak_memory(),
        ceiling: bound.map(|bound| bound.ceiling),
        scratch: bound.map_or(0, |bound| bound.scratch.peak()),
        written: bound.map_or(0, |bound| bound.scratch.written()),
        done: bound.map_or_else(Done::default, |bound| bound.work.done()),
    }
}

impl Took {
    /// In a few words.
    pub(crate) fn words(self) -> String {
        let mebibytes = |bytes: u64| bytes.div_ceil(1 << 20);
        let memory = self.memory.map_or_else(String::new, |bytes| format!("memory {} MiB at most, ", mebibytes(bytes)));
        format!("{memory}scratch {} MiB at most", mebibytes(self.scratch))
    }

    /// As JSON.
    pub(crate) fn json(self) -> Map<String, Value> {
        let Done { read_bytes, features, met, compared } = self.done;
        let all = json!({
            "peak_memory": self.memory,
            "memory_ceiling": self.ceiling,
            "peak_scratch": self.scratch,
            "work": {
                "read_bytes": read_bytes,
                "features": features,
                "met": met,
                "compared": compared,
                "spilled_bytes": self.written,
            },
        });
        let Value::Object(all) = all else { return Map::new() };
        all
    }

    /// What is to be said where the run took more memory than it was given.
    pub(crate) fn beyond(self) -> Option<String> {
        let (peak, ceiling) = (self.memory?, self.ceiling?);
        (peak > ceiling).then(|| {
            let (peak, ceiling) = (peak.div_ceil(1 << 20), ceiling >> 20);
            format!("the run took {peak} MiB of memory at its peak, more than the {ceiling} MiB of --memory")
        })
    }
}

/// Begins to count the most memory anew, where the system lets us.
pub(crate) fn forget_peak_memory() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// Processor time that all threads of this process took so far, in seconds, where the system says so.
pub(crate) fn cpu_seconds() -> Option<f64> {
    ticks(&fs::read_to_string("/proc/self/stat").ok()?).map(|ticks| ticks as f64 / TICKS)
}

/// Ticks in a second, in which Linux tells programs of time on every processor.
const TICKS: f64 = 100.0;

/// User and system time from the line of the process file system, whose second field may have spaces and brackets.
fn ticks(line: &str) -> Option<u64> {
    let mut fields = line[line.rfind(')')? + 1..].split_whitespace().skip(11);
    let (user, system): (u64, u64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some(user + system)
}

/// A value in kB from a table of the process file system, in bytes.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib << 10)
}

/// The folders of the control groups that hold this process, and those above them: each may have a ceiling.
fn groups() -> Vec<PathBuf> {
    let mut folders = Vec::new();
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    for line in own.lines() {
        let mut parts = line.splitn(3, ':');
        let root = match (parts.next(), parts.next()) {
            (Some("0"), Some("")) => Path::new("/sys/fs/cgroup"),
            (_, Some(controllers)) if controllers.split(',').any(|c| c == "memory") => Path::new("/sys/fs/cgroup/memory"),
            _ => continue,
        };
        let below = parts.next().unwrap_or("/").trim_start_matches('/');
        let whole = root.join(below);
        folders.extend(whole.ancestors().take_while(|folder| folder.starts_with(root)).map(Path::to_path_buf));
    }
    folders
}

/// What a control group's ceiling leaves; file cache does not count, as it gives way.
fn left(folder: &Path) -> Option<u64> {
    let number = |name: &str| fs::read_to_string(folder.join(name)).ok()?.trim().parse::<u64>().ok();
    let ceiling = number("memory.max").or_else(|| number("memory.limit_in_bytes"))?;
    let used = number("memory.current").or_else(|| number("memory.usage_in_bytes"))?;
    let statistics = fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
    let cache = ["inactive_file", "active_file"]
        .iter()
        .filter_map(|name| statistics.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok()))
        .sum();
    Some(ceiling.saturating_sub(used.saturating_sub(cache)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peak_beyond_the_ceiling_is_said() {
        let took = |memory, ceiling| Took { memory, ceiling, scratch: 1, written: 1, done: Done::default() };
        assert_eq!(took(Some(64 << 20), Some(64 << 20)).beyond(), None);
        assert_eq!(took(None, Some(64 << 20)).beyond(), None);
        let said = took(Some((213 << 20) + 1), Some(64 << 20)).beyond().unwrap();
        assert!(said.contains("214 MiB") && said.contains("64 MiB"), "{said}");
        assert_eq!(took(Some(1 << 20), None).words(), "memory 1 MiB at most, scratch 1 MiB at most");
    }

    #[test]
    fn tables_of_the_process_file_system_are_read() {
        assert_eq!(kibibytes("A: 1 kB\nMemAvailable:   20 kB\n", "MemAvailable:"), Some(20 << 10));
        assert_eq!(kibibytes("A: 1 kB\n", "B:"), None);
        let stat = "1 (a b) c) S 2 3 4 5 6 7 8 9 10 11 120 30 14 15 16";
        assert_eq!((ticks(stat), ticks("1 (a) S"), ticks("")), (Some(150), None, None));
    }
}
