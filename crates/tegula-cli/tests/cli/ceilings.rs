//! What is too large for `--memory`, and what a run took.

use crate::rig::{Ended, Rig};
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;

/// So many bytes of text, none of it twice.
fn words(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 16);
    let mut number = 7_u64;
    while text.len() < bytes {
        number = number
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let _ = write!(text, "w{} ", number >> 40);
    }
    text
}

/// The ceiling that an error names, as the hint writes it.
fn named(ended: &Ended) -> String {
    let hint = ended
        .stderr
        .split("at least ")
        .nth(1)
        .unwrap_or_else(|| panic!("no ceiling: {}", ended.stderr));
    hint.split(|c: char| c.is_whitespace() || c == ',')
        .next()
        .unwrap()
        .to_owned()
}

fn is_refused(ended: &Ended) -> bool {
    ended.code == 2 && !ended.stderr.contains("panicked") && !ended.stderr.contains("overflow")
}

/// Whether a run says that it took more memory than it was given. A program that is built for tests is
/// itself larger.
fn took_too_much(ended: &Ended) -> bool {
    let number = |after: &str| -> Option<u64> {
        let rest = ended.stderr.split(after).nth(1)?;
        rest.split(' ').next()?.parse().ok()
    };
    let more = if cfg!(debug_assertions) { 16 } else { 0 };
    let (peak, given) = (number("the run took "), number("more than the "));
    peak.zip(given)
        .is_some_and(|(peak, given)| peak > given + more)
}

/// Files in which the second of three records has six million bytes.
fn long(rig: &Rig) -> Vec<&'static str> {
    let text = words(6_000_000);
    let lines = text.replace(' ', "\n");
    let rows = (1..)
        .zip(text.split_whitespace())
        .map(|(at, word)| format!("{at}\t{word}\t_\t_\t_\t_\t_\t_\t_\t_\n"));
    let rows = rows.collect::<Vec<_>>().concat();
    let row = "1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n\n";
    rig.write(
        "a.jsonl",
        format!("{{\"text\":\"one\"}}\n{{\"text\":\"{text}\"}}\n{{\"text\":\"three\"}}\n"),
    )
    .write("a.csv", format!("id,text\n1,one\n2,\"{text}\"\n3,three\n"))
    .write(
        "a.vert",
        format!("<doc>\none\n</doc>\n<doc>\n{lines}</doc>\n<doc>\nthree\n</doc>\n"),
    )
    .write(
        "a.conllu",
        format!("# newdoc\n{row}# newdoc\n{rows}\n# newdoc\n{row}"),
    )
    .write("a.txt", &text)
    .write("a.xml", format!("<TEI><text><p>{text}</p></text></TEI>"));
    vec!["a.jsonl", "a.csv", "a.vert", "a.conllu", "a.txt", "a.xml"]
}

#[test]
fn a_record_too_long_for_the_ceiling_is_refused_with_one_that_is_enough() {
    let rig = Rig::new();
    let names = long(&rig);
    // With one thread, and with two.
    let ceilings = ["64M", "72M"].into_iter().cycle();
    for (name, ceiling) in names.iter().zip(ceilings).chain([(&"a.jsonl", "72M")]) {
        let line =
            format!("dedup {name} -o out-{name} --overwrite -q --threads 2 --recipe sscr --memory");
        let ended = rig.run(&format!("{line} {ceiling}"));
        assert!(is_refused(&ended), "{name}: {}", ended.stderr);
        let record = if matches!(*name, "a.txt" | "a.xml") {
            1
        } else {
            2
        };
        assert!(
            ended.stderr.contains(&format!("{name}: record {record}: ")),
            "{}",
            ended.stderr
        );
        let enough = named(&ended);
        let ended = rig.ok(&format!("{line} {enough}"));
        assert!(!took_too_much(&ended), "{name}: {}", ended.stderr);
    }
}

/// Small texts, of which every tenth has an equal one, and one cannot be read.
fn many(count: usize) -> String {
    let mut lines = String::new();
    for number in 0..count {
        let _ = writeln!(
            lines,
            "{{\"text\":\"word {} of several\"}}",
            number / 10 * 9 + number % 9
        );
        if number == count / 2 {
            lines.push_str("{\"text\":\n");
        }
    }
    lines
}

#[test]
fn a_run_takes_one_thread_where_two_do_not_fit() {
    let rig = Rig::new();
    rig.write("a.jsonl", many(190_000));
    let line = "dedup a.jsonl --on-bad-record skip --recipe ssr --memory";
    let two = rig.ok(&format!("{line} 68M --threads 2 -o two.jsonl"));
    assert!(two.stderr.contains("one thread was used"), "{}", two.stderr);
    assert_eq!(two.stderr.matches("skipped: ").count(), 1, "{}", two.stderr);
    let one = rig.ok(&format!("{line} 1G --threads 1 -o one.jsonl"));
    assert!(
        !one.stderr.contains("one thread was used"),
        "{}",
        one.stderr
    );
    assert_eq!(rig.text("two.jsonl"), rig.text("one.jsonl"));
}

#[test]
fn a_stage_for_short_texts_refuses_no_long_record_that_others_take() {
    let rig = Rig::new();
    let words: Vec<String> = (0..150_000).map(|at| format!("w{}", at % 9973)).collect();
    let text = words.join(" ");
    assert!(text.len() > 800_000);
    let short = "{\"text\":\"a short text of some words\"}\n";
    rig.write(
        "a.jsonl",
        format!("{short}{{\"text\":\"{text}\"}}\n{short}"),
    );
    for recipe in ["copies", "mixed"] {
        let ended = rig.ok(&format!(
            "dedup a.jsonl -o {recipe}.jsonl -q --threads 1 --memory 80M --recipe {recipe}"
        ));
        assert!(!took_too_much(&ended), "{recipe}: {}", ended.stderr);
    }
    assert_eq!(rig.text("mixed.jsonl").lines().count(), 2);
}

#[test]
fn records_that_are_too_long_can_be_passed_over() {
    let rig = Rig::new();
    for name in long(&rig).into_iter().take(4) {
        rig.ok(&format!(
            "dedup {name} -o out-{name} -q --on-bad-record skip --memory 64M"
        ));
        let (input, output) = (rig.text(name), rig.text(&format!("out-{name}")));
        assert!(
            output.len() < 300 && input.starts_with(&output[..output.len() / 2]),
            "{output}"
        );
        assert!(output.contains("three") || name == "a.conllu", "{output}");
    }
}

#[test]
fn a_bomb_is_refused_in_every_compression() {
    let rig = Rig::new();
    let zeros = vec![0_u8; 1 << 20];
    let mut file = zstd::Encoder::new(File::create(rig.path("a.jsonl.zst")).unwrap(), 3).unwrap();
    (0..150).for_each(|_| file.write_all(&zeros).unwrap());
    file.finish().unwrap();
    for name in ["a.txt.zst", "a.vert.zst", "a.csv.zst", "a.xml.zst"] {
        rig.write(name, rig.read("a.jsonl.zst"));
    }
    let lines = [
        "dedup a.jsonl.zst -o out.jsonl",
        "dedup a.txt.zst -o out.txt",
        "dedup a.csv.zst -o out.csv",
        "dedup a.xml.zst -o out.xml",
        "stats a.vert.zst -o stats.tsv",
        "sweep a.jsonl.zst",
        "onion a.vert.zst -o out.vert",
        "compare a.txt.zst a.jsonl.zst",
        "dedup a.csv.zst -o out.csv --recipe cosine --statistics a.jsonl.zst",
    ];
    for line in lines {
        let ended = rig.run(
            &format!("{line} -q --memory 64M").replace("sweep a.jsonl.zst -q", "sweep a.jsonl.zst"),
        );
        assert!(is_refused(&ended), "{line}: {}", ended.stderr);
        assert!(
            ended.stderr.contains("raise --memory to at least"),
            "{line}: {}",
            ended.stderr
        );
        assert!(!took_too_much(&ended), "{line}: {}", ended.stderr);
    }
    assert_eq!(rig.files().len(), 5, "{:?}", rig.files());
}

#[test]
fn a_recipe_without_an_end_is_refused() {
    let rig = Rig::with("peps.jsonl");
    File::create(rig.path("long.toml"))
        .unwrap()
        .set_len(1 << 30)
        .unwrap();
    for line in [
        "dedup peps.jsonl --check --recipe long.toml",
        "dedup peps.jsonl --check --recipe simfinder --class-weights long.toml",
    ] {
        let ended = rig.run(&format!("{line} --memory 64M"));
        assert!(is_refused(&ended), "{}", ended.stderr);
        assert!(
            ended.stderr.contains("expected a file of at most"),
            "{}",
            ended.stderr
        );
    }
}

#[test]
fn a_run_says_what_it_took_and_when_that_was_more_than_it_was_given() {
    let rig = Rig::with("peps.jsonl");
    let ended = rig.ok("dedup peps.jsonl -o out.jsonl --json -q");
    let found: serde_json::Value = serde_json::from_slice(&ended.stdout).unwrap();
    for name in ["peak_memory", "memory_ceiling", "peak_scratch"] {
        assert!(found[name].is_u64(), "{name}: {found}");
    }
    assert!(
        rig.ok("dedup peps.jsonl -o out.jsonl")
            .stderr
            .contains(" MiB of memory\n")
    );
}

/// Runs `tegula LINE` after a `ulimit`.
#[cfg(target_os = "linux")]
fn limited(rig: &Rig, limit: &str, line: &str) -> Ended {
    let binary = env!("CARGO_BIN_EXE_tegula");
    let mut command = std::process::Command::new("sh");
    command
        .args(["-c", &format!("ulimit {limit}; exec {binary} {line}")])
        .current_dir(rig.path(""))
        .env("NO_COLOR", "1");
    Ended::of(command.output().unwrap())
}

#[cfg(target_os = "linux")]
#[test]
fn threads_that_cannot_start_are_an_error_or_fewer_threads() {
    let rig = Rig::with("peps.jsonl");
    rig.ok("dedup peps.jsonl -o all.jsonl -q");
    // Each thread reserves addresses for its stack.
    for limit in ["-v 600000", "-v 1000000", "-v 1400000"] {
        let ended = limited(
            &rig,
            limit,
            "dedup peps.jsonl -o out.jsonl -q --threads 512 --memory 64M",
        );
        // The libraries below abort if a thread starts and there is no memory for what it needs.
        let below = [
            "alternative stack",
            "Fatal glibc error",
            "memory allocation of",
        ];
        if below.iter().any(|words| ended.stderr.contains(words)) {
            continue;
        }
        assert!(
            !ended.stderr.contains("panicked"),
            "{limit}: {}",
            ended.stderr
        );
        match ended.code {
            0 => assert!(rig.read("out.jsonl") == rig.read("all.jsonl"), "{limit}"),
            2 => assert!(ended.stderr.contains("hint: "), "{limit}: {}", ended.stderr),
            code => panic!("{limit}: {code}: {}", ended.stderr),
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn files_that_cannot_be_opened_any_more_are_an_error() {
    let rig = Rig::with("peps.jsonl");
    for at in 0..40 {
        rig.write(
            &format!("in/{at}.jsonl"),
            format!("{{\"text\":\"the text of file {at} and no other\"}}\n"),
        );
    }
    for files in [5, 8, 12, 16, 32] {
        for line in [
            "dedup in -o out -q --threads 4 --memory 64M",
            "pairs peps.jsonl -o pairs.tsv -q --threads 4",
        ] {
            let ended = limited(&rig, &format!("-n {files}"), line);
            assert!(matches!(ended.code, 0 | 2), "{files}: {}", ended.stderr);
            assert!(
                !ended.stderr.contains("panicked"),
                "{files}: {}",
                ended.stderr
            );
        }
    }
}

#[test]
fn a_stream_that_is_read_twice_counts_as_scratch() {
    let rig = Rig::new();
    let lines = format!("{{\"text\":\"{}\"}}\n", words(3 << 20));
    let run = |ceiling: &str| {
        // A run that ends early reads no further.
        let line = format!("dedup - -o out.jsonl --scratch .:{ceiling}");
        rig.fed(&line, &lines)
    };
    let ended = run("2M");
    assert!(
        is_refused(&ended) && ended.stderr.contains("2 MiB of scratch"),
        "{}",
        ended.stderr
    );
    let ended = run("8M");
    assert!(
        ended.code == 0 && ended.stderr.contains(" 4 MiB of scratch\n"),
        "{}",
        ended.stderr
    );
}

#[test]
fn the_least_memory_that_plan_names_has_room_for_the_largest_record() {
    let rig = Rig::new();
    rig.write(
        "in.jsonl",
        format!(
            "{{\"text\":\"one\"}}\n{{\"text\":\"{}\"}}\n",
            words(6_000_000)
        ),
    );
    let plan = rig.ok("plan in.jsonl --memory 1G");
    let least = plan
        .out()
        .split("the lowest --memory is ")
        .nth(1)
        .unwrap()
        .split('.')
        .next()
        .unwrap()
        .to_owned();
    let refused = rig.run("dedup in.jsonl -o out.jsonl -q --memory 64M");
    assert_eq!(least, named(&refused));
    rig.ok(&format!("dedup in.jsonl -o out.jsonl -q --memory {least}"));
}

#[test]
fn a_file_that_was_compressed_with_a_long_window_takes_its_memory() {
    let rig = Rig::with("peps.jsonl");
    for log in [27, 28] {
        let mut file =
            zstd::Encoder::new(File::create(rig.path("a.jsonl.zst")).unwrap(), 3).unwrap();
        file.window_log(log).unwrap();
        file.write_all(rig.text("peps.jsonl").as_bytes()).unwrap();
        file.finish().unwrap();
        let command = "dedup a.jsonl.zst -o out.jsonl -q --overwrite --memory";
        let ended = rig.run(&format!("{command} 64M"));
        assert!(
            is_refused(&ended) && ended.stderr.contains("the window of a compressed file"),
            "{}",
            ended.stderr
        );
        rig.ok(&format!("{command} {}", named(&ended)));
        rig.ok("dedup peps.jsonl -o expected.jsonl -q --overwrite");
        assert_eq!(rig.text("out.jsonl"), rig.text("expected.jsonl"));
    }
}

#[test]
fn the_ceiling_named_for_a_table_that_grows_is_enough_for_the_whole_run() {
    let rig = Rig::new();
    let text = words(12_000_000);
    let words: Vec<&str> = text.split(' ').collect();
    let lines = words
        .chunks(40)
        .map(|words| format!("{{\"text\":\"{}\"}}\n", words.join(" ")));
    rig.write("a.jsonl", lines.collect::<String>());
    let line = "dedup a.jsonl -o out.jsonl --recipe cosine -q --threads 1 --memory";
    let refused = rig.run(&format!("{line} 64M"));
    assert!(is_refused(&refused), "{}", refused.stderr);
    let enough = named(&refused);
    let ended = rig.run(&format!("{line} {enough}"));
    assert_eq!(ended.code, 0, "{enough}: {}", ended.stderr);
}
