//! What goes wrong around a run: kills and signals at any moment, full disks, inputs that change,
//! descriptors that run out, readers that go away. After each: inputs untouched, all outputs or
//! none, and nothing left over when the next run is done.
//!
//! `TEGULA_FAULTS=200` tries more moments than the few of a usual run.
#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

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
        .unwrap_or(36)
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

#[test]
fn killed_and_interrupted_runs_leave_all_or_nothing_and_the_next_one_cleans_up() {
    let mut chance = Chance(1);
    let (expected, time) = undisturbed(LINE);
    assert!(expected.len() > 6, "{expected:?}");
    for round in 0..rounds() {
        let how = ["-KILL", "-TERM", "-INT"][(round % 3) as usize];
        let with_run = (round / 3) % 2 == 0;
        let line = if with_run {
            format!("{LINE} --run run --evidence all")
        } else {
            LINE.to_owned()
        };
        let rig = corpus();
        let before = inputs(&rig);
        let child = start(&rig, &line);
        std::thread::sleep(Duration::from_micros(chance.below(time.as_micros() as u64)));
        let clock = Instant::now();
        signal(&child, how);
        let (by_signal, ended) = end(child);
        let took = clock.elapsed();
        let said = format!("{how}, round {round}: {}", ended.stderr);
        assert_eq!(inputs(&rig), before, "{said}");
        if how != "-KILL" {
            assert!(took < Duration::from_millis(2500), "{took:?} {said}");
            // Before the program has looked at its arguments, the system ends it.
            let begun = by_signal.is_none();
            assert!(
                !begun || [0, 130].contains(&ended.code),
                "{} {said}",
                ended.code
            );
            assert!(begun || outputs(&rig).is_empty(), "{said}");
            assert_eq!(unfinished(&rig), [""; 0], "{said}");
            let written = outputs(&rig);
            assert!(
                written.is_empty() || written == expected,
                "{written:?} {said}"
            );
            if ended.code == 130 {
                assert!(ended.stderr.contains("interrupted"), "{said}");
            }
            if rig.path("run/stages/manifest.json").exists() {
                assert!(ended.stderr.contains("--resume"), "{said}");
            }
        }
        // The next run into the same place, with what was kept and without.
        let again = if with_run && chance.below(2) == 0 {
            format!("{line} --resume")
        } else {
            line
        };
        rig.ok(&again);
        assert_eq!(outputs(&rig), expected, "{said}");
        assert_eq!(unfinished(&rig), [""; 0], "{said}");
        assert!(!rig.path("run/stages").exists(), "{said}");
        assert_eq!(inputs(&rig), before, "{said}");
    }
}

#[test]
fn what_lists_passages_phrases_and_templates_leaves_all_or_nothing_too() {
    let mut chance = Chance(3);
    for line in [
        "passages in -o out.tsv --report page.html -q --common none",
        "phrases in -o out.tsv -q",
        "templates in -o out.tsv --report page.html -q",
        "dedup in -o out --unit passage --ngram 6 -q",
        "filter in/0.jsonl -o out.jsonl -q",
        "judge run -o page.html -q",
    ] {
        let corpus = || {
            let rig = corpus();
            if line.starts_with("judge") {
                rig.ok("pairs in --run run -q");
            }
            rig
        };
        let rig = corpus();
        let clock = Instant::now();
        rig.ok(line);
        let (expected, time) = (outputs(&rig), clock.elapsed());
        assert!(!expected.is_empty(), "{line}");
        for round in 0..rounds() / 6 {
            let how = ["-KILL", "-INT"][(round % 2) as usize];
            let rig = corpus();
            let before = inputs(&rig);
            let child = start(&rig, line);
            std::thread::sleep(Duration::from_micros(chance.below(time.as_micros() as u64)));
            signal(&child, how);
            let (_, ended) = end(child);
            let said = format!("{how}, {line}: {}", ended.stderr);
            let written = outputs(&rig);
            if how == "-INT" {
                assert!(written.is_empty() || written == expected, "{said}");
                assert_eq!(unfinished(&rig), [""; 0], "{said}");
            }
            rig.ok(line);
            assert_eq!(outputs(&rig), expected, "{said}");
            assert_eq!(unfinished(&rig), [""; 0], "{said}");
            assert_eq!(inputs(&rig), before, "{said}");
        }
    }
}

#[test]
fn an_input_that_changes_is_noticed_or_does_not_matter() {
    let mut chance = Chance(2);
    let (expected, time) = undisturbed(LINE);
    for round in 0..rounds() {
        let rig = corpus();
        let path = rig.path(&format!("in/{}.jsonl", chance.below(4)));
        let original = fs::read(&path).unwrap();
        let child = start(&rig, LINE);
        std::thread::sleep(Duration::from_micros(chance.below(time.as_micros() as u64)));
        match round % 4 {
            0 => fs::write(
                &path,
                [
                    &original[..],
                    b"{\"id\":\"new\",\"text\":\"a new text at the end\"}\n",
                ]
                .concat(),
            )
            .unwrap(),
            1 => fs::OpenOptions::new()
                .write(true)
                .open(&path)
                .unwrap()
                .set_len(original.len() as u64 / 3)
                .unwrap(),
            2 => {
                // As many bytes, and a time as before: only the bytes say so.
                let time = fs::metadata(&path).unwrap().modified().unwrap();
                let other = String::from_utf8(original.clone())
                    .unwrap()
                    .replace(" a ", " e ");
                fs::write(&path, other).unwrap();
                fs::OpenOptions::new()
                    .write(true)
                    .open(&path)
                    .unwrap()
                    .set_modified(time)
                    .unwrap();
            }
            _ => {
                rig.write("new.jsonl", original.to_ascii_uppercase());
                fs::rename(rig.path("new.jsonl"), &path).unwrap();
            }
        }
        let changed = fs::read(&path).unwrap();
        let (_, ended) = end(child);
        let written = outputs(&rig);
        if ended.code == 0 {
            // It was read whole before, or opened afterwards.
            let late = {
                let rig = corpus();
                fs::write(rig.path("in").join(path.file_name().unwrap()), &changed).unwrap();
                rig.run(LINE).code == 0 && outputs(&rig) == written
            };
            assert!(
                written == expected || late,
                "round {round}: {}",
                ended.stderr
            );
        } else {
            assert_eq!(ended.code, 2, "round {round}: {}", ended.stderr);
            assert!(
                written.is_empty(),
                "round {round}: {written:?} {}",
                ended.stderr
            );
        }
        assert_eq!(unfinished(&rig), [""; 0], "round {round}");
        assert_eq!(
            fs::read(&path).unwrap(),
            changed,
            "the run changes nothing itself"
        );
    }
}

/// Between the stages of a run nothing is open, so that each of them must look.
#[test]
fn an_input_that_changed_is_noticed_by_from_and_resume_even_if_its_time_says_nothing() {
    let rig = Rig::with("peps.jsonl");
    rig.ok("dedup peps.jsonl -o a.jsonl --run run --evidence all -q");
    let time = fs::metadata(rig.path("peps.jsonl"))
        .unwrap()
        .modified()
        .unwrap();
    let other = rig.text("peps.jsonl").replace(" a ", " e ");
    rig.write("peps.jsonl", other);
    fs::OpenOptions::new()
        .write(true)
        .open(rig.path("peps.jsonl"))
        .unwrap()
        .set_modified(time)
        .unwrap();
    for line in [
        "dedup --from run -o b.jsonl",
        "dedup peps.jsonl -o b.jsonl --run run --evidence all --resume",
    ] {
        let ended = rig.run(line);
        assert_eq!(ended.code, 2, "{line}\n{}", ended.stderr);
        assert!(ended.stderr.contains("changed"), "{line}\n{}", ended.stderr);
        assert!(!rig.path("b.jsonl").exists());
    }
}

#[test]
fn a_full_disk_under_one_output_leaves_all_others_without_a_name() {
    let disk = |size: &str, line: &str| {
        let rig = corpus();
        fs::create_dir(rig.path("disk")).unwrap();
        let tegula = env!("CARGO_BIN_EXE_tegula");
        let script = format!(
            "mount -t tmpfs -o size={size} tmpfs disk || exit 99; {tegula} {line}; code=$?; find disk -type f 1>&2; exit $code"
        );
        let output = std::process::Command::new("unshare")
            .args(["-m", "sh", "-c", &script])
            .current_dir(rig.path(""))
            .env("NO_COLOR", "1")
            .output();
        (rig, output.map(Ended::of))
    };
    if !matches!(disk("1m", "recipes"), (_, Ok(Ended { code: 0, .. }))) {
        eprintln!("skipped: this test needs the right to mount a small disk");
        return;
    }
    for line in [
        "dedup in -o disk/out --removed removed --list kept=kept.txt",
        "dedup in -o out --removed disk/removed --list kept=kept.txt",
        "dedup in -o out --removed removed --run disk/run --evidence all",
        "pairs in -o disk/pairs.tsv --threshold 0.1 --run run",
        "dedup in -o disk/out.parquet --removed removed",
        "mark in -o disk/out --list removed=kept.txt",
        "passages in -o out.tsv --report disk/page.html",
        "passages in -o disk/passages.tsv --report page.html",
        "passages in -o passages.tsv --marked disk/marked",
        "phrases in -o disk/phrases.tsv",
        "templates in -o out.tsv --report disk/page.html",
        "dedup in -o disk/out --unit passage --ngram 6",
        "filter in/0.jsonl -o disk/hits.jsonl",
        "dedup - --format jsonl -o out --scratch disk < in/0.jsonl",
    ] {
        let (rig, ended) = disk("8k", line);
        let ended = ended.unwrap();
        assert_eq!(ended.code, 2, "{line}\n{}", ended.stderr);
        assert!(
            ended.stderr.contains("No space left"),
            "{line}\n{}",
            ended.stderr
        );
        // Stages that are whole are kept for --resume.
        let kept = |line: &str| {
            line.starts_with("disk/run/stages/") && !line.starts_with("disk/run/stages/.")
        };
        let left = ended
            .stderr
            .lines()
            .find(|line| line.starts_with("disk/") && !kept(line));
        assert_eq!(left, None, "left on the disk by {line}\n{}", ended.stderr);
        assert!(outputs(&rig).is_empty(), "{line}: {:?}", outputs(&rig));
        assert!(
            !ended.stderr.contains("panicked"),
            "{line}\n{}",
            ended.stderr
        );
    }
}

#[test]
fn a_limit_on_the_size_of_files_is_an_error_that_leaves_nothing() {
    let limited = |rig: &Rig, blocks: u32, line: &str| {
        let tegula = env!("CARGO_BIN_EXE_tegula");
        let script = format!("ulimit -f {blocks}; exec {tegula} {line}");
        let output = std::process::Command::new("bash")
            .args(["-c", &script])
            .current_dir(rig.path(""))
            .env("NO_COLOR", "1")
            .output();
        output.map(|output| (output.status.signal(), Ended::of(output)))
    };
    for line in [
        LINE,
        "dedup in -o out.parquet --run run --evidence all",
        "mark in -o marked --fingerprints digests.txt",
        "pairs in -o pairs.tsv --threshold 0.1",
        "passages in -o out.tsv --report page.html",
        "phrases in -o phrases.tsv",
        "templates in -o out.tsv --report page.html",
        "filter in/0.jsonl -o hits.jsonl",
        "dedup - --format jsonl -o out.jsonl --scratch scratch < in/0.jsonl",
        "dedup in --list kept > kept.txt",
        "dedup in --recipe ssr -o out --memory 64M --threads 1 --scratch scratch",
    ] {
        for blocks in [0, 1, 8] {
            let rig = corpus();
            let before = inputs(&rig);
            let Ok((by, ended)) = limited(&rig, blocks, line) else {
                eprintln!("skipped: this test needs bash");
                return;
            };
            let said = format!("ulimit -f {blocks}; {line}: {by:?} {}", ended.stderr);
            // A short list of ids fits.
            let fits = ended.code == 0 && line.contains("kept.txt") && blocks > 0;
            assert!(by.is_none() && (ended.code == 2 || fits), "{said}");
            if !fits {
                assert!(ended.stderr.contains("File too large"), "{said}");
                assert!(ended.stderr.contains("ulimit -f"), "{said}");
            }
            assert!(!ended.stderr.contains("panicked"), "{said}");
            let mut left = outputs(&rig);
            left.retain(|name, _| !name.starts_with("run/") && name != "kept.txt");
            assert!(left.is_empty(), "{left:?} {said}");
            assert_eq!(unfinished(&rig), [""; 0], "{said}");
            assert_eq!(inputs(&rig), before, "{said}");
        }
    }
}

#[test]
fn what_looks_like_a_lock_is_neither_opened_nor_followed() {
    let rig = corpus();
    fs::create_dir(rig.path("out")).unwrap();
    let token = "0123456789abcdef";
    let content = format!("tegula run {token}\n");
    let part = format!("out/.a.Ab3xYz.{token}.part");
    let lock = format!("out/.tegula-{token}.lock");
    rig.write("precious", &content);
    let make: [(&str, &dyn Fn()); 5] = [
        ("a pipe", &|| {
            let made = std::process::Command::new("mkfifo")
                .args([rig.path(&lock), rig.path("out/.tegula-ab.lock")])
                .status();
            assert!(made.unwrap().success());
        }),
        ("a folder", &|| fs::create_dir(rig.path(&lock)).unwrap()),
        ("a link", &|| {
            std::os::unix::fs::symlink("../precious", rig.path(&lock)).unwrap();
        }),
        ("a device", &|| {
            std::os::unix::fs::symlink("/dev/zero", rig.path(&lock)).unwrap();
        }),
        ("empty", &|| {
            rig.write(&lock, "").write("out/.tegula-mkv.lock", "");
        }),
    ];
    for (what, make) in make {
        rig.write(&part, "of somebody")
            .write("out/movie.mkv.part", "of somebody");
        make();
        let clock = Instant::now();
        let mut child = start(&rig, "dedup in/0.jsonl -o out/new.jsonl -q");
        while child.try_wait().unwrap().is_none() && clock.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(20));
        }
        let hangs = child.try_wait().unwrap().is_none();
        if hangs {
            signal(&child, "-KILL");
        }
        let (_, ended) = end(child);
        assert!(!hangs && ended.code == 0, "{what}: {}", ended.stderr);
        assert!(rig.path(&lock).symlink_metadata().is_ok(), "{what}");
        for name in [&*part, "out/movie.mkv.part"] {
            assert_eq!(rig.text(name), "of somebody", "{what}");
        }
        assert_eq!(rig.text("precious"), content, "{what}");
        fs::remove_dir_all(rig.path("out")).unwrap();
        fs::create_dir(rig.path("out")).unwrap();
    }
    // A real one that was left is removed with its files, and nothing else is.
    rig.write(&lock, &content)
        .write(&part, "half")
        .write("out/movie.mkv.part", "mine");
    rig.ok("dedup in/0.jsonl -o out/new.jsonl -q");
    assert!(!rig.path(&lock).exists() && !rig.path(&part).exists());
    assert_eq!(rig.text("out/movie.mkv.part"), "mine");
}

#[test]
fn descriptors_that_run_out_are_an_error_and_no_panic() {
    for limit in [6, 8, 10, 12, 14, 17, 20, 25, 32] {
        let rig = corpus();
        let script = format!(
            "ulimit -n {limit}; exec {} {LINE} --run run",
            env!("CARGO_BIN_EXE_tegula")
        );
        let output = std::process::Command::new("sh")
            .args(["-c", &script])
            .current_dir(rig.path(""))
            .output()
            .unwrap();
        let ended = Ended::of(output);
        assert!(
            [0, 2].contains(&ended.code),
            "{limit}: {} {}",
            ended.code,
            ended.stderr
        );
        assert!(
            !ended.stderr.contains("panicked"),
            "{limit}: {}",
            ended.stderr
        );
        assert_eq!(
            ended.code == 2,
            outputs(&rig).is_empty(),
            "{limit}: {}",
            ended.stderr
        );
        assert_eq!(unfinished(&rig), [""; 0], "{limit}: {}", ended.stderr);
    }
}

#[test]
fn a_reader_that_goes_away_ends_the_run() {
    let rig = corpus();
    for (line, code) in [
        ("pairs in --threshold 0.1 -o - -q", 0),
        ("passages in -o - -q", 0),
        ("phrases in -o - -q", 0),
        ("templates in -o - -q", 0),
        ("filter in/0.jsonl -q", 0),
        ("dedup in --list removed -q", 0),
        ("dedup in --list removed -o out -q", 2),
    ] {
        let mut child = start(&rig, line);
        drop(child.stdout.take());
        let clock = Instant::now();
        let status = child.wait().unwrap();
        let mut said = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut said)
            .unwrap();
        assert!(clock.elapsed() < Duration::from_millis(2500), "{line}");
        assert_eq!(status.code(), Some(code), "{line}: {said}");
        assert_eq!(outputs(&rig), BTreeMap::new(), "{line}");
    }
}

#[test]
fn a_stream_that_never_ends_can_be_interrupted() {
    let rig = Rig::new();
    for how in ["-INT", "-TERM"] {
        let mut child = rig
            .command("dedup - -o out.jsonl --scratch scratch")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // `wait` closes the child's stdin, which would end the stream.
        let open = child.stdin.take();
        // The scratch folder is made after the handler of signals.
        let started = Instant::now();
        while !rig.path("scratch").exists() && started.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(100));
        let clock = Instant::now();
        signal(&child, how);
        let status = child.wait().unwrap();
        drop(open);
        assert!(clock.elapsed() < Duration::from_millis(2500), "{how}");
        assert_eq!(status.code(), Some(130), "{how}");
        assert_eq!(rig.files(), [""; 0], "{how}");
    }
}

/// The ids that an index has, and its answer to a question.
fn of_index(rig: &Rig) -> (u64, String) {
    let info = rig.ok("index idx --info --json");
    let texts = info.out().split("\"texts\": ").nth(1).unwrap();
    let texts = texts.split([',', '\n']).next().unwrap().parse().unwrap();
    (texts, rig.ok("query idx asked.jsonl -q").out().to_owned())
}

#[test]
fn an_index_loses_nothing_when_its_writer_is_killed() {
    let mut chance = Chance(7);
    let rig = corpus();
    let first = fs::read_to_string(rig.path("in/0.jsonl")).unwrap();
    let first = first.lines().next().unwrap();
    rig.write("asked.jsonl", format!("{first}\n"));
    rig.ok("index idx in/0.jsonl --threads 2 -q");
    let mut known = of_index(&rig);
    // How long a change takes.
    let clock = Instant::now();
    rig.ok("index other in/1.jsonl --threads 2 -q");
    let time = clock.elapsed();
    let (mut done, mut undone) = (0, 0);
    for round in 0..rounds() {
        let shard = 1 + round % 3;
        let line = match round % 4 {
            0 | 1 => format!("index idx in/{shard}.jsonl --replace --threads 2 --progress none"),
            2 => "index idx --merge --progress none".to_owned(),
            _ => format!("index idx --remove-list ids-{shard} --merge --progress none"),
        };
        let texts = fs::read_to_string(rig.path(&format!("in/{shard}.jsonl"))).unwrap();
        let ids = texts
            .lines()
            .map(|line| line.split('"').nth(3).unwrap().to_owned() + "\n");
        rig.write(&format!("ids-{shard}"), ids.collect::<String>());
        let child = start(&rig, &line);
        std::thread::sleep(Duration::from_micros(
            chance.below(time.as_micros() as u64 * 5 / 4),
        ));
        signal(&child, "-KILL");
        let (by_signal, ended) = end(child);
        // It is as before the change, or as after it.
        rig.ok("index idx --check");
        let now = of_index(&rig);
        if by_signal.is_none() {
            assert_eq!(ended.code, 0, "{line}: {}", ended.stderr);
        }
        let finished = rig.command(&format!("{line} --quiet")).output().unwrap();
        assert!(finished.status.success(), "{line}");
        let after = of_index(&rig);
        assert!(
            now == known || now == after,
            "{line}\n{now:?}\n{known:?}\n{after:?}"
        );
        assert!(
            by_signal.is_some() || now == after,
            "{line}: what was acknowledged is gone"
        );
        (done, undone) = (
            done + u64::from(now == after),
            undone + u64::from(now == known),
        );
        known = after;
    }
    assert!(done > 0 && undone > 0, "{done} {undone}");
    // Nothing is left of what was interrupted.
    let info = rig.ok("index idx --info --json");
    let segments = info.out().split("\"segments\": ").nth(1).unwrap();
    let segments: usize = segments.split([',', '\n']).next().unwrap().parse().unwrap();
    let files = rig
        .files()
        .into_iter()
        .filter(|name| name.starts_with("idx/segments/"));
    assert!(files.count() <= 2 * segments);
}

#[test]
fn a_second_writer_of_an_index_is_told_who_writes() {
    let rig = corpus();
    rig.ok("index idx in/0.jsonl -q");
    let mut writer = rig
        .command("index idx - --format jsonl --replace --quiet")
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let named = format!("process {}", writer.id());
    let clock = Instant::now();
    while fs::read_to_string(rig.path("idx/lock")).unwrap() != named {
        assert!(clock.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(5));
    }
    let ended = rig.run_in("", "index idx --remove none");
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.contains(&named), "{}", ended.stderr);
    rig.ok("index idx --info");
    drop(writer.stdin.take());
    writer.kill().unwrap();
    writer.wait().unwrap();
    assert_eq!(rig.run_in("", "index idx --remove none").code, 0);
}

/// A server of the index, and where it listens.
#[cfg(feature = "serve")]
fn serve(rig: &Rig) -> (Child, std::net::SocketAddr) {
    use std::io::BufRead;
    let mut child = start(rig, "serve idx --address 127.0.0.1:0");
    let mut line = String::new();
    let said = child.stderr.as_mut().unwrap();
    std::io::BufReader::new(said).read_line(&mut line).unwrap();
    let address = line
        .split("http://")
        .nth(1)
        .and_then(|rest| rest.split('/').next());
    let address = address.unwrap_or_else(|| panic!("{line}")).parse().unwrap();
    (child, address)
}

/// The status with which a server answers; none if it has gone.
#[cfg(feature = "serve")]
fn asked(address: std::net::SocketAddr, line: &str, body: &str) -> Option<u16> {
    use std::io::Write;
    let mut stream = std::net::TcpStream::connect(address).ok()?;
    let length = body.len();
    let request = format!(
        "{line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    answer.split(' ').nth(1)?.parse().ok()
}

#[test]
#[cfg(feature = "serve")]
fn what_a_server_acknowledged_is_there_however_it_ends() {
    let mut chance = Chance(11);
    let rig = Rig::new();
    rig.write(
        "first.jsonl",
        "{\"id\":\"first\",\"text\":\"the first of all texts\"}\n",
    );
    rig.ok("index idx first.jsonl -q");
    // By id, whether the text is there; none if the answer was not seen.
    let mut known: BTreeMap<String, Option<bool>> = BTreeMap::new();
    let mut acknowledged = 0;
    for round in 0..rounds().div_ceil(3) {
        let (child, address) = serve(&rig);
        let clients = (0..4).map(|client| {
            std::thread::spawn(move || {
                let mut known = Vec::new();
                for number in 0.. {
                    let id = format!("{round}-{client}-{number}");
                    let text = format!("text {number} of client {client} in round {round}");
                    let body =
                        format!("{{\"texts\": [{{\"id\": \"{id}\", \"text\": \"{text}\"}}]}}");
                    let is_added = asked(address, "POST /texts", &body).map(|status| status == 201);
                    known.push((id.clone(), is_added));
                    if is_added.is_none() {
                        break;
                    }
                    if number % 3 == 2 {
                        let status = asked(address, &format!("DELETE /texts/{id}"), "");
                        known.push((id, status.map(|status| status != 204)));
                        if status.is_none() {
                            break;
                        }
                    }
                }
                known
            })
        });
        let clients: Vec<_> = clients.collect();
        std::thread::sleep(Duration::from_micros(chance.below(400_000)));
        let (how, code) = if round % 4 == 3 {
            ("-TERM", 0)
        } else {
            ("-KILL", -1)
        };
        signal(&child, how);
        let (by_signal, ended) = end(child);
        assert_eq!(
            (by_signal.is_none(), ended.code),
            (code == 0, code),
            "{}",
            ended.stderr
        );
        for client in clients {
            known.extend(client.join().unwrap());
        }
        rig.ok("index idx --check");
        let index = tegula::Index::open(rig.path("idx")).unwrap();
        for (id, is_there) in &mut known {
            let now = index.text(id).unwrap().is_some();
            acknowledged += u64::from(is_there.is_some());
            assert_eq!(is_there.unwrap_or(now), now, "{id} after {how}");
            *is_there = Some(now);
        }
        assert_eq!(
            index.len(),
            1 + known.values().filter(|known| **known == Some(true)).count()
        );
    }
    assert!(acknowledged > 0);
}
