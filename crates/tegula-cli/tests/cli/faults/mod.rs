//! What goes wrong around a run: kills and signals at any moment, full disks, inputs that change,
//! descriptors that run out, readers that go away. After each: inputs untouched, all outputs or
//! none, and nothing left over when the next run is done.
//!
//! `TEGULA_FAULTS=200` tries more moments than the few of a usual run.
#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

mod changes; // inputs that change while they are read
mod index; // writers and servers of an index that are killed
mod kills;
mod limits; // disks, files and descriptors that run out
mod locks;

use crate::rig::{self, Ended, Rig};
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// How many moments each fault is tried at.
fn rounds() -> u64 {
    std::env::var("TEGULA_FAULTS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(24)
}

/// Numbers that look random and are the same at each run of the tests.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit.max(1)
    }
}

/// A folder with enough text that a run takes a while.
fn corpus() -> Rig {
    let rig = Rig::new();
    let text = fs::read_to_string(rig::testdata().join("peps.jsonl")).unwrap();
    for shard in 0..4 {
        // The same texts with other words in them, so that there are exact and near copies.
        let text = text.replace(" the ", if shard % 2 == 0 { " the " } else { " some " });
        rig.write(
            &format!("in/{shard}.jsonl"),
            text.replace("\"id\": \"", &format!("\"id\": \"{shard}-")),
        );
    }
    rig
}

/// A job with every kind of output.
const LINE: &str =
    "dedup in -o out --removed removed --list kept=kept.txt --threads 2 --progress none";

/// What a job wrote: the files besides the inputs and the run folder.
fn outputs(rig: &Rig) -> BTreeMap<String, u64> {
    rig.digests()
        .into_iter()
        .filter(|(name, _)| !name.starts_with("in/") && !name.starts_with("run/"))
        .collect()
}

fn inputs(rig: &Rig) -> BTreeMap<String, u64> {
    rig.digests()
        .into_iter()
        .filter(|(name, _)| name.starts_with("in/"))
        .collect()
}

/// Files that a run in the making has.
fn unfinished(rig: &Rig) -> Vec<String> {
    rig.files()
        .into_iter()
        .filter(|name| rig::is_unfinished(name) && !name.starts_with("run/stages/"))
        .collect()
}

fn start(rig: &Rig, line: &str) -> Child {
    rig.command(line)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn signal(child: &Child, name: &str) {
    let pid = child.id().to_string();
    assert!(
        std::process::Command::new("kill")
            .args([name, &pid])
            .status()
            .unwrap()
            .success()
    );
}

fn end(child: Child) -> (Option<i32>, Ended) {
    let output = child.wait_with_output().unwrap();
    (output.status.signal(), Ended::of(output))
}

/// What an undisturbed run writes, and how long it takes.
fn undisturbed(line: &str) -> (BTreeMap<String, u64>, Duration) {
    let rig = corpus();
    let clock = Instant::now();
    rig.ok(line);
    (outputs(&rig), clock.elapsed())
}
