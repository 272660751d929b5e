//! Inputs are never changed, and outputs are whole or not there.

use crate::rig::{Rig, assert_shown};
use std::fs;

/// Every way to name an input as an output; the rig compares the digests of all files.
#[test]
fn an_output_that_is_an_input_is_refused_whatever_writes_it() {
    let rig = Rig::with("peps.jsonl");
    rig.write("ref.jsonl", rig.read("peps.jsonl"))
        .write("in/a.jsonl", rig.read("peps.jsonl"))
        .write("in/notes.txt", "x")
        .write("gold.tsv", "id\tgroup\n1\ta\n2\ta\n")
        .write(
            "gold.jsonl",
            "{\"id_a\":\"1\",\"id_b\":\"2\",\"label\":1}\n",
        )
        .write("a.txt", "one two three four five six")
        .write("b.txt", "one two three four five seven")
        .write("in.vert", "<doc>\n<p>\na\nb\n</p>\n</doc>\n");
    fs::hard_link(rig.path("peps.jsonl"), rig.path("hard.jsonl")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("peps.jsonl", rig.path("soft.jsonl")).unwrap();
    rig.ok("pairs peps.jsonl -o pairs.tsv --run run -q");
    rig.ok("dedup peps.jsonl -o out.jsonl --run decided -q");
    rig.ok("stats peps.jsonl --recipe cosine -o stats.tsv -q");
    rig.ok("dedup in --against ref.jsonl -o of_folder --run folder --evidence all -q");
    rig.refused(
        "",
        &[
            "dedup peps.jsonl -o peps.jsonl",
            "dedup peps.jsonl -o ./in/../peps.jsonl",
            "dedup peps.jsonl -o hard.jsonl",
            "dedup peps.jsonl -o soft.jsonl",
            "dedup soft.jsonl -o peps.jsonl",
            "dedup peps.jsonl -o x.jsonl --list removed=peps.jsonl",
            "dedup peps.jsonl --list kept=peps.jsonl",
            "dedup peps.jsonl -o x.jsonl --removed peps.jsonl",
            "dedup peps.jsonl --fingerprints peps.jsonl --recipe exact",
            "dedup peps.jsonl --against ref.jsonl -o ref.jsonl",
            "dedup peps.jsonl --against in -o in/new.jsonl",
            "dedup in -o in",
            "dedup in -o in/out",
            "dedup in -o x --removed in/removed.jsonl",
            "dedup in -o x --run in/run",
            "dedup in --run in",
            "dedup in -o x.parquet --list removed=in/list",
            "dedup in -o x --on-bad-record quarantine --quarantine in",
            "dedup in -o x --on-bad-record quarantine --quarantine in/bad",
            "mark in -o in/deep/er",
            "pairs peps.jsonl -o peps.jsonl",
            "passages peps.jsonl -o peps.jsonl",
            "passages in -o x.tsv --report in/page.html",
            "passages peps.jsonl --in in -o in/passages.tsv",
            "passages peps.jsonl --marked peps.jsonl",
            "passages in --marked in",
            "passages peps.jsonl --in in --marked in/marked.jsonl",
            "phrases in -o in/phrases.tsv",
            "templates in -o in/templates.tsv",
            "templates in -o x.tsv --report in/page.html",
            "stories in --date mtime -o in/stories.tsv",
            "stories in --date mtime -o x.tsv --texts in/texts.tsv",
            "stories in --date mtime --report in/page.html",
            "filter peps.jsonl -o peps.jsonl",
            "pairs peps.jsonl --statistics stats.tsv --recipe cosine -o stats.tsv",
            "pairs peps.jsonl --set statistics=stats.tsv --recipe cosine -o stats.tsv",
            "stats peps.jsonl --recipe cosine -o peps.jsonl",
            "compare a.txt b.txt -o a.txt",
            "compare a.txt b.txt --ignore gold.html -o gold.html",
            "cluster pairs.tsv -o pairs.tsv",
            "cluster run -o run/pairs.parquet",
            "cluster run -o peps.jsonl",
            "cluster run/pairs.parquet -o peps.jsonl",
            "cluster folder -o in/clusters.tsv",
            "cluster folder -o ref.jsonl",
            "report folder -o in/report.html",
            "report folder --tables in/tables",
            "diff folder folder --tables in/tables",
            "diff folder folder -o in/caught.html",
            "sweep in -o in/grid.html",
            "dedup --from folder -o in/new",
            "report decided -o peps.jsonl",
            "report decided -o decided/units.parquet",
            "report decided --tables in/..",
            "diff decided decided -o decided/run.json",
            "evaluate gold.tsv pairs.tsv -o gold.tsv",
            "evaluate gold.tsv pairs.tsv -o pairs.tsv",
            "evaluate gold.tsv pairs.tsv run -o run/pairs.parquet",
            "judge run -o run/pairs.parquet",
            "judge folder -o in/judge.html",
            "judge decided --with folder -o in/judge.html",
            "judge run --answers gold.jsonl -o gold.jsonl",
            "onion in.vert -o in.vert",
            "onion in.vert --save-fingerprints in.vert",
            "dedup --from run -o run/units.parquet",
            "dedup --from run -o peps.jsonl",
        ],
    );
    assert_shown!(
        "output_is_input",
        rig.run("dedup peps.jsonl -o out2.jsonl --list removed=peps.jsonl")
    );
    assert_shown!("output_in_input", rig.run("dedup in -o x --run in/run"));
}

#[test]
fn files_that_options_name_are_inputs_too() {
    let rig = Rig::with("peps.jsonl");
    rig.write("own.toml", rig.ok("recipes sscr").out())
        .write("weights.toml", "noun = [0.8, 1.0]\n");
    rig.ok("stats peps.jsonl -o terms.tsv -q");
    rig.refused("", &[
        "dedup peps.jsonl --recipe own.toml -o own.toml",
        "dedup peps.jsonl --recipe own.toml -o a.jsonl --list removed=./own.toml",
        "dedup peps.jsonl --recipe simfinder --class-weights weights.toml -o weights.toml",
        "dedup peps.jsonl --recipe cosine --statistics terms.tsv -o a.jsonl --list kept=terms.tsv",
        "pairs peps.jsonl --recipe own.toml -o - --run own.toml",
        "stats peps.jsonl --recipe own.toml -o own.toml",
        "sweep peps.jsonl --recipe own.toml --tables own.toml",
    ]);
}

#[test]
fn two_outputs_have_two_places() {
    let rig = Rig::with("peps.jsonl");
    fs::create_dir(rig.path("old")).unwrap();
    rig.refused(
        "",
        &[
            "dedup peps.jsonl -o a.jsonl --removed a.jsonl",
            "dedup peps.jsonl -o a.jsonl --removed ./old/../a.jsonl",
            "dedup peps.jsonl -o a.jsonl --list removed=a.jsonl",
            "dedup peps.jsonl --list removed=a --fingerprints a --recipe exact",
            "dedup peps.jsonl -o a.jsonl --run a.jsonl",
            "dedup peps.jsonl -o a.jsonl --list removed=run/run.json --run run",
            "dedup peps.jsonl -o old --list removed=old/peps.jsonl",
            "dedup peps.jsonl -o a.jsonl --removed a.jsonl/removed.jsonl",
            "dedup peps.jsonl -o a.jsonl --list removed=a.jsonl/list",
            "dedup peps.jsonl -o a.jsonl --run a.jsonl/run",
            "dedup peps.jsonl --removed a.jsonl/removed.jsonl -o a.jsonl",
            "dedup peps.jsonl -o - --json",
            "dedup peps.jsonl -o - --removed -",
            "dedup peps.jsonl --list removed --json",
            "pairs peps.jsonl -o - --json",
        ],
    );
    assert_shown!(
        "outputs_the_same",
        rig.run("dedup peps.jsonl -o a.jsonl --list removed=a.jsonl")
    );
}

#[test]
fn an_output_folder_with_other_files_is_refused_and_an_earlier_run_removed_on_demand() {
    let rig = Rig::with("peps.jsonl");
    let text = rig.read("peps.jsonl");
    for shard in ["one", "two", "three"] {
        rig.write(&format!("in/{shard}.jsonl"), &text);
    }
    rig.ok("dedup in -o out -q");
    rig.ok("dedup in -o out -q");
    fs::remove_file(rig.path("in/two.jsonl")).unwrap();
    assert_shown!("folder_of_earlier_run", rig.run("dedup in -o out"));
    rig.write("out/thesis.txt", "x");
    assert_shown!("folder_of_others", rig.run("dedup in -o out"));
    rig.ok("dedup in -o out -q --overwrite");
    let out: Vec<String> = rig
        .files()
        .into_iter()
        .filter(|name| name.starts_with("out/"))
        .collect();
    assert_eq!(out, ["out/one.jsonl", "out/thesis.txt", "out/three.jsonl"]);
    // One file into a folder is one file, as when it is copied there.
    rig.ok("dedup peps.jsonl -o out -q");
    assert!(rig.path("out/peps.jsonl").is_file() && rig.path("out/one.jsonl").is_file());
    assert_shown!(
        "replaces",
        rig.run("dedup peps.jsonl -o out/peps.jsonl --recipe exact")
    );
}

#[test]
fn a_folder_of_another_program_is_no_run() {
    let rig = Rig::with("peps.jsonl");
    rig.write("wandb/run.json", "{\"loss\": [0.1, 0.2]}")
        .write("wandb/units.parquet", "x");
    let ended = rig.run("dedup peps.jsonl -o out.jsonl --run wandb");
    assert_eq!(ended.code, 2, "{}", ended.stderr);
    assert_eq!(
        rig.files(),
        ["peps.jsonl", "wandb/run.json", "wandb/units.parquet"]
    );
}

#[test]
fn a_run_that_fails_leaves_the_earlier_one_whole() {
    let rig = Rig::with("peps.jsonl");
    rig.ok("dedup peps.jsonl -o out.jsonl --run run --evidence all --removed r.jsonl -q");
    let before = rig.digests();
    rig.write("bad.jsonl", "{\"text\":\"a\"}\nnonsense\n");
    for line in [
        "dedup bad.jsonl -o out.jsonl --run run --removed r.jsonl",
        "dedup peps.jsonl -o out.jsonl --run run --removed /dev/full",
        "dedup peps.jsonl -o out.jsonl --run run --list removed=/dev/full",
        "dedup peps.jsonl -o /dev/full --run run --removed r.jsonl",
        "dedup peps.jsonl -o out.jsonl --recipe exact --fingerprints /dev/full",
    ] {
        let ended = rig.run(line);
        assert_eq!(ended.code, 2, "tegula {line}\n{}", ended.stderr);
        let mut now = rig.digests();
        now.remove("bad.jsonl");
        // What was found is kept, for the same command with --resume.
        now.retain(|name, _| !name.starts_with("run/stages/"));
        assert_eq!(now, before, "tegula {line}");
    }
}

#[test]
#[cfg(unix)]
fn links_named_as_outputs_are_followed() {
    let rig = Rig::with("peps.jsonl");
    rig.write("elsewhere/old.jsonl", "old");
    for (to, link) in [
        ("elsewhere/old.jsonl", "link.jsonl"),
        ("elsewhere/new.parquet", "link.parquet"),
    ] {
        std::os::unix::fs::symlink(to, rig.path(link)).unwrap();
    }
    rig.ok("dedup peps.jsonl -o link.jsonl -q");
    rig.ok("dedup peps.jsonl -o link.parquet -q");
    assert!(rig.path("link.jsonl").is_symlink() && rig.path("link.parquet").is_symlink());
    assert!(rig.text("elsewhere/old.jsonl").starts_with('{'));
    assert!(rig.read("elsewhere/new.parquet").starts_with(b"PAR1"));
    // Parquet to Parquet is another writer.
    rig.ok("dedup elsewhere/new.parquet -o link.parquet2 -q");
    std::os::unix::fs::symlink("elsewhere/third.parquet", rig.path("third.parquet")).unwrap();
    rig.ok("dedup link.parquet -o third.parquet -q");
    assert!(rig.path("third.parquet").is_symlink());
    assert!(rig.read("elsewhere/third.parquet").starts_with(b"PAR1"));
}

#[test]
#[cfg(unix)]
fn names_that_are_no_text_go_through_with_their_bytes() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let rig = Rig::with("peps.jsonl");
    let odd = OsStr::from_bytes(b"gr\xfcn.jsonl");
    fs::create_dir(rig.path("in")).unwrap();
    for name in [OsStr::new("a.jsonl"), odd] {
        fs::write(rig.path("in").join(name), rig.read("peps.jsonl")).unwrap();
    }
    let go = |args: &[&OsStr]| {
        let output = rig.command("").args(args).output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    };
    let text = OsStr::new;
    go(&[
        text("dedup"),
        text("in"),
        text("-o"),
        text("out"),
        text("--run"),
        text("run"),
        text("--evidence"),
        text("all"),
    ]);
    assert!(rig.path("out").join(odd).is_file());
    go(&[
        text("dedup"),
        text("--from"),
        text("run"),
        text("-o"),
        text("again"),
        text("--threshold"),
        text("0.9"),
    ]);
    assert!(rig.path("again").join(odd).is_file());
    let named = rig.path("in").join(odd);
    let odd_out = OsStr::from_bytes(b"\xff.tsv");
    go(&[
        text("pairs"),
        named.as_os_str(),
        text("-o"),
        odd_out,
        text("--run"),
        OsStr::from_bytes(b"run\xff"),
    ]);

    go(&[text("report"), text("run"), text("-o"), text("page.html")]);
    assert!(rig.path("").join(odd_out).is_file());
}

#[test]
#[cfg(unix)]
fn a_pipe_named_as_an_input_is_read_like_standard_input() {
    let rig = Rig::with("peps.jsonl");
    rig.ok("dedup peps.jsonl -o expected.jsonl -q");
    let run = |line: &str| {
        let script = format!(
            "mkfifo pipe.jsonl; cat peps.jsonl > pipe.jsonl & exec {} {line}",
            env!("CARGO_BIN_EXE_tegula")
        );
        let output = std::process::Command::new("sh")
            .args(["-c", &script])
            .current_dir(rig.path(""))
            .output()
            .unwrap();
        fs::remove_file(rig.path("pipe.jsonl")).unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    };
    run("dedup pipe.jsonl -o out.jsonl -q");
    assert!(rig.read("out.jsonl") == rig.read("expected.jsonl"));
    rig.write("new.jsonl", "{\"id\":\"n\",\"text\":\"nothing like it\"}\n");
    run("dedup new.jsonl --against pipe.jsonl -o clean.jsonl -q");
    assert_eq!(rig.text("clean.jsonl").lines().count(), 1);
}

#[cfg(unix)]
#[test]
fn standard_output_that_leads_to_an_input_is_refused() {
    let rig = Rig::with("peps.jsonl");
    rig.write("in.vert", "<doc>\n<p>\na\nb\n</p>\n</doc>\n");
    let before = rig.digests();
    for (line, input) in [
        ("dedup peps.jsonl -o - -q", "peps.jsonl"),
        ("dedup - -o - -q", "peps.jsonl"),
        ("pairs peps.jsonl -o -", "peps.jsonl"),
        ("onion in.vert", "in.vert"),
        ("tokens in.vert", "in.vert"),
    ] {
        let append = fs::OpenOptions::new()
            .append(true)
            .open(rig.path(input))
            .unwrap();
        let read = fs::File::open(rig.path(input)).unwrap();
        let ended = rig
            .command(line)
            .stdin(read)
            .stdout(append)
            .output()
            .unwrap();
        assert_eq!(
            ended.status.code(),
            Some(2),
            "tegula {line}: {}",
            String::from_utf8_lossy(&ended.stderr)
        );
        assert_eq!(rig.digests(), before, "tegula {line}");
    }
}

#[test]
fn a_file_that_was_changed_without_another_length_is_not_removed() {
    let rig = Rig::with("peps.jsonl");
    rig.write("in/one.jsonl", rig.read("peps.jsonl"))
        .write("in/two.jsonl", rig.read("peps.jsonl"));
    rig.ok("dedup in -o out -q --keep none");
    rig.write("out/two.jsonl", rig.text("out/two.jsonl").replace('e', "x"));
    fs::remove_file(rig.path("in/two.jsonl")).unwrap();
    rig.ok("dedup in -o out -q --overwrite");
    assert!(rig.path("out/two.jsonl").is_file());
}

#[test]
fn bad_records_of_files_that_differ_in_their_compression_only_are_all_kept() {
    let rig = Rig::new();
    rig.write("in/a.jsonl", "{\"text\": \"one\"}\nfirst\n");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut packed, b"{\"text\": \"two\"}\nsecond\n").unwrap();
    rig.write("in/a.jsonl.gz", packed.finish().unwrap());
    rig.ok("dedup in -o out -q --on-bad-record quarantine --quarantine bad");
    assert_eq!(
        (rig.text("bad/a.jsonl"), rig.text("bad/a.jsonl.gz.bad")),
        ("first\n".into(), "second\n".into())
    );
}

#[test]
fn texts_are_not_compared_with_themselves_among_the_references() {
    let rig = Rig::with("peps.jsonl");
    rig.write(
        "all/old.jsonl",
        "{\"text\": \"nothing that any of them has\"}\n",
    )
    .write("all/new.jsonl", rig.read("peps.jsonl"));
    let ended = rig.run("dedup peps.jsonl --against peps.jsonl -o out.jsonl");
    assert_eq!(ended.code, 2, "{}", ended.stderr);
    let ended = rig.ok("dedup all/new.jsonl --against all -o out.jsonl");
    assert!(
        ended
            .stderr
            .contains("one of the inputs, not compared with itself"),
        "{}",
        ended.stderr
    );
    rig.ok("dedup peps.jsonl -o alone.jsonl -q");
    assert_eq!(rig.text("out.jsonl"), rig.text("alone.jsonl"));
}

#[test]
fn a_run_of_several_stages_is_resumed_with_its_own_inputs_only() {
    let rig = Rig::with("peps.jsonl");
    rig.write(
        "other.jsonl",
        "{\"text\": \"one two three four five six seven\"}\n",
    );
    rig.ok("dedup peps.jsonl -o out.jsonl --recipe benko --run run -q");
    rig.ok("dedup peps.jsonl -o out.jsonl --recipe benko --run run -q --resume");
    let before = rig.digests();
    let ended = rig.run("dedup other.jsonl -o out.jsonl --recipe benko --run run --resume");
    assert_eq!((ended.code, rig.digests()), (2, before), "{}", ended.stderr);
}
