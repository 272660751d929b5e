//! Full disks, limits on the size of files, and descriptors that run out.

use super::*;

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
