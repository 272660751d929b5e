use crate::rig::Rig;

/// Everything that a job writes, under any threads and memory.
#[test]
fn the_bytes_are_the_same_whatever_the_threads_and_the_memory() {
    let rig = Rig::with("peps.jsonl");
    let mut first: Option<Vec<Vec<u8>>> = None;
    for (at, machine) in [
        "--threads 1",
        "--threads 2",
        "--threads 7",
        "--threads 2 --memory 64M",
    ]
    .iter()
    .enumerate()
    {
        rig.ok(&format!(
            "dedup peps.jsonl -o {at}.jsonl --removed r{at}.jsonl --list removed=l{at} -q {machine}"
        ));
        rig.ok(&format!(
            "pairs peps.jsonl -o {at}.tsv --expand --threshold 0.3 -q {machine}"
        ));
        let written = [
            format!("{at}.jsonl"),
            format!("r{at}.jsonl"),
            format!("l{at}"),
            format!("{at}.tsv"),
        ];
        let written: Vec<Vec<u8>> = written.iter().map(|name| rig.read(name)).collect();
        assert!(written.iter().all(|bytes| !bytes.is_empty()));
        match &first {
            None => first = Some(written),
            Some(first) => assert!(*first == written, "{machine}"),
        }
    }
}

#[test]
fn nothing_is_left_to_do_the_second_time() {
    for (sample, options) in [
        ("peps.jsonl", ""),
        ("peps.jsonl", "--recipe ssr --threshold 0.5"),
        ("peps.jsonl", "--recipe sscr-containment"),
        ("peps.jsonl", "--recipe exact --unit paragraph"),
        ("peps.jsonl", "--unit sentence --recipe plain"),
        ("laws-sk.vert", "--unit paragraph"),
    ] {
        let rig = Rig::with(sample);
        let before = rig.read(sample);
        assert_eq!(
            rig.run(&format!("dedup {sample} --check -q {options}"))
                .code,
            1,
            "{sample} {options}"
        );
        rig.ok(&format!("dedup {sample} -o out-{sample} -q {options}"));
        let again = rig.run(&format!("dedup out-{sample} --check {options}"));
        assert_eq!(again.code, 0, "{sample} {options}\n{}", again.stderr);
        assert_eq!(rig.read(sample), before, "the input is unchanged");
        assert_eq!(rig.files().len(), 2);
    }
}

#[test]
fn what_stays_is_byte_for_byte_what_it_was() {
    let rig = Rig::with("peps.jsonl");
    rig.ok("dedup peps.jsonl -o out.jsonl --removed gone.jsonl --list kept=kept.txt -q");
    let before = rig.text("peps.jsonl");
    let kept = rig.text("out.jsonl");
    let mut lines = before.split_inclusive('\n');
    assert!(
        kept.split_inclusive('\n')
            .all(|line| lines.any(|other| other == line)),
        "lines of the input, in their order"
    );
    assert_eq!(kept.lines().count(), rig.text("kept.txt").lines().count());
    let gone = rig.text("gone.jsonl");
    assert_eq!(
        kept.lines().count() + gone.lines().count(),
        before.lines().count()
    );
    // Every removed record names a kept witness and a score at or above the threshold.
    let ids = rig.text("kept.txt");
    for line in gone.lines() {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        let witness = record["duplicate_of"].as_str().unwrap();
        assert!(ids.lines().any(|id| id == witness), "{witness}");
        assert!(record["duplicate_score"].as_f64().unwrap() >= 0.75);
    }
}

#[test]
fn standard_input_and_output_serve_too() {
    let rig = Rig::with("peps.jsonl");
    rig.ok("dedup peps.jsonl -o out.jsonl -q");
    let input = std::fs::File::open(rig.path("peps.jsonl")).unwrap();
    let ended = rig
        .command("dedup - -o - -q")
        .stdin(input)
        .output()
        .unwrap();
    assert_eq!(ended.status.code(), Some(0));
    assert!(ended.stdout == rig.read("out.jsonl"));
}

#[test]
fn references_are_left_as_they_are() {
    let rig = Rig::with("peps.jsonl");
    let text = rig.text("peps.jsonl");
    let (old, new): (Vec<(usize, &str)>, Vec<_>) = text
        .split_inclusive('\n')
        .enumerate()
        .partition(|(at, _)| at.is_multiple_of(2));
    let lines = |of: Vec<(usize, &str)>| of.into_iter().map(|(_, line)| line).collect::<String>();
    rig.write("old/a.jsonl", lines(old))
        .write("new.jsonl", lines(new));
    let ended = rig.ok("dedup new.jsonl --against old -o out.jsonl --removed gone.jsonl");
    assert!(ended.stderr.contains("references"), "{}", ended.stderr);
    assert_eq!(
        rig.files(),
        [
            "gone.jsonl",
            "new.jsonl",
            "old/a.jsonl",
            "out.jsonl",
            "peps.jsonl"
        ]
    );
    // What remains matches nothing in the references.
    let check = rig.run("dedup out.jsonl --against old --check -q");
    assert_eq!(check.code, 0);
}

#[test]
fn a_text_file_that_is_a_copy_is_not_written() {
    let rig = Rig::new();
    let text = "one two three four five six seven eight nine ten";
    rig.write("in/a.txt", text)
        .write("in/b.txt", format!("{text} eleven"))
        .write("in/c.txt", "quite another text, this one");
    rig.ok("dedup in -o out -q");
    assert_eq!(
        rig.files(),
        ["in/a.txt", "in/b.txt", "in/c.txt", "out/b.txt", "out/c.txt"]
    );
}
