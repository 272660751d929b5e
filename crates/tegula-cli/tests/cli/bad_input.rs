use crate::rig::{Rig, assert_shown};
use std::io::Write;
use std::process::Stdio;

const GOOD: &str = "{\"id\":\"a\",\"text\":\"one two three four five six seven\"}\n";

/// Runs a job that must fail, and leave nothing but its input.
fn fails(name: &str, bytes: &[u8], line: &str) -> crate::rig::Ended {
    let rig = Rig::new();
    rig.write(name, bytes);
    let ended = rig.run(line);
    assert_eq!(ended.code, 2, "{}", ended.stderr);
    assert_eq!(rig.files(), [name]);
    assert_eq!(rig.read(name), bytes);
    ended
}

fn broken_gz() -> Vec<u8> {
    let rig = Rig::with("peps.jsonl");
    rig.ok("dedup peps.jsonl -o whole.jsonl.gz -q --recipe exact");
    let whole = rig.read("whole.jsonl.gz");
    whole[..whole.len() * 2 / 3].to_vec()
}

#[test]
fn a_truncated_file_is_named() {
    assert_shown!(
        "truncated_gz",
        fails(
            "a.jsonl.gz",
            &broken_gz(),
            "dedup a.jsonl.gz -o out.jsonl.gz"
        )
    );
}

#[test]
fn invalid_bytes_are_named() {
    let mut bytes = GOOD.as_bytes().to_vec();
    bytes.extend_from_slice(b"{\"id\":\"b\",\"text\":\"caf\xe9\"}\n");
    assert_shown!(
        "invalid_utf8",
        fails("a.jsonl", &bytes, "dedup a.jsonl -o out.jsonl")
    );
}

#[test]
fn a_line_that_is_not_json_is_named() {
    assert_shown!(
        "not_json",
        fails(
            "a.jsonl",
            format!("{GOOD}nonsense\n").as_bytes(),
            "dedup a.jsonl -o out.jsonl"
        )
    );
}

#[test]
fn a_missing_text_field_lists_what_is_there() {
    let bytes = format!("{GOOD}{{\"id\":\"b\",\"body\":\"x\",\"title\":\"y\"}}\n");
    assert_shown!(
        "no_text",
        fails("a.jsonl", bytes.as_bytes(), "dedup a.jsonl -o out.jsonl")
    );
}

#[test]
fn a_text_that_is_no_string_is_named() {
    assert_shown!(
        "text_number",
        fails("a.jsonl", b"{\"text\":7}\n", "dedup a.jsonl -o out.jsonl")
    );
}

#[test]
fn a_damaged_parquet_file_is_named() {
    assert_shown!(
        "bad_parquet",
        fails(
            "a.parquet",
            b"PAR1 and then nothing PAR1",
            "dedup a.parquet -o out.parquet"
        )
    );
}

#[test]
fn a_missing_file_is_named() {
    let rig = Rig::new();
    assert_shown!("missing_file", rig.run("dedup none.jsonl -o out.jsonl"));
    assert!(rig.files().is_empty());
}

#[test]
fn bad_records_are_passed_over_and_counted() {
    let rig = Rig::new();
    rig.write(
        "a.jsonl",
        format!("{GOOD}nonsense\n{}", GOOD.replace("\"a\"", "\"b\"")),
    );
    assert_shown!(
        "skip",
        rig.run("dedup a.jsonl -o out.jsonl --on-bad-record skip")
    );
    assert_eq!(rig.text("out.jsonl"), GOOD);
}

#[test]
fn bad_records_are_quarantined() {
    let rig = Rig::new();
    rig.write("a.jsonl", format!("{GOOD}nonsense\n{{\"text\":1}}\n"));
    assert_shown!(
        "quarantine",
        rig.run("dedup a.jsonl -o out.jsonl --on-bad-record quarantine")
    );
    assert_eq!(
        rig.files(),
        [
            "a.jsonl",
            "out.jsonl",
            "out.jsonl.quarantine/a.jsonl",
            "out.jsonl.quarantine/records.tsv"
        ]
    );
    assert_eq!(
        rig.text("out.jsonl.quarantine/a.jsonl"),
        "nonsense\n{\"text\":1}\n"
    );
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("quarantine_list", rig.text("out.jsonl.quarantine/records.tsv"));
    });
}

#[test]
fn what_precedes_the_damage_can_be_used() {
    let rig = Rig::new();
    rig.write("a.jsonl.gz", broken_gz());
    let ended = rig.ok("dedup a.jsonl.gz -o out.jsonl --on-bad-record skip");
    assert!(
        ended.stderr.contains("skipped    1 unreadable record\n"),
        "{}",
        ended.stderr
    );
    assert!(rig.text("out.jsonl").lines().count() > 10);
}

/// A Parquet file of 40 records whose last column, which is not compared, cannot be read. Ten of the
/// texts occur twice.
fn with_damaged_notes() -> Rig {
    let rig = Rig::new();
    let record = |number: usize| {
        let town = number % 30;
        format!(
            "{{\"id\":\"r{number}\",\"text\":\"town {town} has {town} piers, {town} boats and {town} lights\",\"note\":\"note {number}\"}}\n"
        )
    };
    rig.write("a.jsonl", (0..40).map(record).collect::<String>());
    // All ids differ, so that all records are converted.
    rig.ok("dedup a.jsonl -o a.parquet --recipe exact --text-key id -q");
    let mut bytes = rig.read("a.parquet");
    // The last page begins with what zstd begins with.
    let frame = [0x28, 0xB5, 0x2F, 0xFD];
    let at = bytes
        .windows(4)
        .rposition(|window| window == frame)
        .unwrap();
    bytes[at..at + 4].fill(0x77);
    rig.write("a.parquet", bytes);
    rig
}

#[test]
fn damage_in_a_column_that_is_not_compared_costs_its_values_only() {
    let rig = with_damaged_notes();
    let records = rig.text("a.jsonl");
    let kept = records.lines().take(30);
    let mut expected = String::new();
    for (record, _) in kept.filter_map(|line| line.split_once(",\"note\"")) {
        expected.push_str(record);
        expected.push_str(",\"note\":null}\n");
    }
    for policy in ["skip", "quarantine"] {
        for output in ["b.parquet", "b.jsonl"] {
            let ended = rig.ok(&format!(
                "dedup a.parquet -o {output} --recipe exact --on-bad-record {policy} --json"
            ));
            let all: serde_json::Value = serde_json::from_str(ended.out()).unwrap();
            assert_eq!(
                (&all["bad_records"], &all["records_removed"]),
                (&0.into(), &10.into())
            );
            let warning = format!(
                "a.parquet: 30 values of the column \"note\" could not be read and are null in {output}: "
            );
            let warnings = all["warnings"].as_array().unwrap();
            assert!(
                warnings[0].as_str().unwrap().starts_with(&warning),
                "{warnings:?}"
            );
            assert!(ended.stderr.contains(&warning), "{}", ended.stderr);
        }
        rig.ok("dedup b.parquet -o c.jsonl --recipe exact -q");
        for name in ["b.jsonl", "c.jsonl"] {
            assert_eq!(rig.text(name), expected, "{policy} {name}");
        }
    }
    assert!(rig.files().iter().all(|name| !name.contains("quarantine")));
    // What writes no records does not read the column, and nothing is lost without a word.
    let ended = rig.ok("pairs a.parquet -o p.tsv --recipe exact");
    assert!(!ended.stderr.contains("could not be read"));
    for output in ["d.parquet", "d.jsonl"] {
        let ended = rig.run(&format!("dedup a.parquet -o {output} --recipe exact"));
        assert_eq!(ended.code, 2);
        let says = [
            "a.parquet",
            "column \"note\"",
            "row group 1",
            "--on-bad-record skip",
        ];
        assert!(
            says.iter().all(|part| ended.stderr.contains(part)),
            "{}",
            ended.stderr
        );
        assert!(!rig.path(output).exists());
    }
}

#[test]
fn a_full_disk_leaves_no_output() {
    if !std::path::Path::new("/dev/full").exists() {
        return;
    }
    let rig = Rig::with("peps.jsonl");
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let ended = rig
        .command("dedup peps.jsonl -o -")
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(ended.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&ended.stderr).contains("cannot write"));
}

#[test]
fn a_reader_that_has_enough_ends_the_run_in_peace() {
    let rig = Rig::with("peps.jsonl");
    let mut child = rig
        .command("pairs peps.jsonl -o - --threshold 0.1")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let ended = child.wait_with_output().unwrap();
    assert_eq!(
        ended.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&ended.stderr)
    );
    assert!(!String::from_utf8_lossy(&ended.stderr).contains("error"));
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_run_and_leaves_nothing() {
    let rig = Rig::new();
    let mut child = rig
        .command("dedup - -o out.jsonl")
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(GOOD.as_bytes()).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(500));
    let id = child.id().to_string();
    assert!(
        std::process::Command::new("kill")
            .args(["-INT", &id])
            .status()
            .unwrap()
            .success()
    );
    std::thread::sleep(std::time::Duration::from_millis(200));
    drop(input);
    let ended = child.wait_with_output().unwrap();
    assert_eq!(
        ended.status.code(),
        Some(130),
        "{}",
        String::from_utf8_lossy(&ended.stderr)
    );
    assert!(rig.files().is_empty());
}

#[cfg(unix)]
#[test]
fn devices_pipes_and_links_stay_what_they_are() {
    use std::os::unix::fs::{FileTypeExt, symlink};
    let rig = Rig::with("peps.jsonl");
    rig.ok("dedup peps.jsonl -o plain.jsonl -q");
    rig.write("behind.jsonl", "old");
    symlink(rig.path("behind.jsonl"), rig.path("link.jsonl")).unwrap();
    rig.ok("dedup peps.jsonl -o link.jsonl -q");
    assert!(rig.path("link.jsonl").is_symlink());
    assert!(rig.read("behind.jsonl") == rig.read("plain.jsonl"));
    // A device of the test's own cannot be made without rights; a pipe is as little a file.
    let made = std::process::Command::new("mkfifo")
        .arg(rig.path("pipe.jsonl"))
        .status()
        .unwrap();
    assert!(made.success());
    let reader = || {
        let path = rig.path("pipe.jsonl");
        std::thread::spawn(move || std::fs::read(path).unwrap())
    };
    let read = reader();
    rig.ok("dedup peps.jsonl -o pipe.jsonl -q");
    assert!(read.join().unwrap() == rig.read("plain.jsonl"));
    assert!(
        std::fs::symlink_metadata(rig.path("pipe.jsonl"))
            .unwrap()
            .file_type()
            .is_fifo()
    );
    let read = reader();
    let listed = rig.ok("dedup peps.jsonl --list removed -q").stdout;
    rig.ok("dedup peps.jsonl -o o.jsonl --list removed=pipe.jsonl -q");
    assert!(read.join().unwrap() == listed);
    assert!(
        std::fs::symlink_metadata(rig.path("pipe.jsonl"))
            .unwrap()
            .file_type()
            .is_fifo()
    );
}
