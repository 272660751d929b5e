//! Runs that are killed or interrupted, and readers that go away.

use super::*;

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
        for round in 0..rounds() / 8 {
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
