//! Files that are not what their names say, what is passed over in them, and what outputs may be
//! called.

use crate::rig::Rig;
use std::io::Write as _;

const LINES: &str = "{\"id\":\"a\",\"text\":\"the quick brown fox jumps over the lazy dog at noon\"}\n{\"id\":\"b\",\"text\":\"the quick brown fox jumps over the lazy dog at noon\"}\n{\"id\":\"c\",\"text\":\"another line about something else entirely, with no dog\"}\n";

/// What remains of the lines.
fn kept() -> String {
    let lines: Vec<&str> = LINES.split_inclusive('\n').collect();
    [lines[0], lines[2]].concat()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A tar archive with one file.
fn tar(name: &str, content: &[u8]) -> Vec<u8> {
    let mut out = vec![0; 512];
    out[..name.len()].copy_from_slice(name.as_bytes());
    out[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
    out[257..263].copy_from_slice(b"ustar\0");
    out.extend_from_slice(content);
    out.resize(out.len().next_multiple_of(512) + 1024, 0);
    out
}

#[test]
fn files_compressed_in_another_way_than_their_names_say_are_read() {
    let rig = Rig::new();
    let zst = zstd::encode_all(LINES.as_bytes(), 1).unwrap();
    rig.write("gz.jsonl", gzip(LINES.as_bytes()))
        .write("plain.jsonl.gz", LINES)
        .write("zst.jsonl.gz", &zst)
        .write(
            "padded.jsonl.gz",
            [gzip(LINES.as_bytes()), vec![0; 9000]].concat(),
        );
    for name in [
        "gz.jsonl",
        "plain.jsonl.gz",
        "zst.jsonl.gz",
        "padded.jsonl.gz",
    ] {
        let ended = rig.ok(&format!("dedup {name} -o out.jsonl"));
        assert_eq!(rig.text("out.jsonl"), kept(), "{name}");
        let is_said = ended.stderr.contains("by its name");
        assert_eq!(is_said, !name.starts_with("padded"), "{}", ended.stderr);
    }
    // The folder of the output has files that are what their names say.
    rig.write("in/a.jsonl", gzip(LINES.as_bytes()))
        .write("in/b.jsonl.gz", LINES);
    let ended = rig.ok("dedup in -o out --within file.name");
    assert_eq!(rig.text("out/a.jsonl"), kept());
    assert_eq!(rig.read("out/b.jsonl.gz")[..2], [0x1f, 0x8b]);
    assert!(
        ended
            .stderr
            .contains("a.jsonl: uncompressed by its name, but in fact gzip"),
        "{}",
        ended.stderr
    );
    // What is broken is refused.
    rig.write("cut.jsonl.gz", &gzip(LINES.as_bytes())[..60])
        .write(
            "garbage.jsonl.gz",
            [
                gzip(LINES.as_bytes()),
                b"garbage that is no member".to_vec(),
            ]
            .concat(),
        );
    rig.refuses(
        "dedup cut.jsonl.gz -o no.jsonl",
        &[
            "cut.jsonl.gz: record 1",
            "the file ends inside a gzip member",
        ],
    );
    rig.refuses(
        "dedup garbage.jsonl.gz -o no.jsonl",
        &["garbage.jsonl.gz: record 4", "damage inside a gzip member"],
    );
}

#[test]
fn archives_and_other_kinds_of_files_are_named_with_the_way_out() {
    let rig = Rig::new();
    let archive = tar("a.jsonl", LINES.as_bytes());
    rig.write("a.tar", &archive)
        .write("a.tar.gz", gzip(&archive))
        .write("a.tgz", gzip(&archive))
        .write("a.zip", b"PK\x03\x04\x14\0\0\0a.jsonl")
        .write("b.csv", b"PK\x03\x04\x14\0\0\0a.csv")
        .write("a.7z", b"7z\xbc\xaf\x27\x1c\0\x04")
        .write("a.rar", b"Rar!\x1a\x07\x01\0");
    for name in [
        "a.tar", "a.tar.gz", "a.tgz", "a.zip", "b.csv", "a.7z", "a.rar",
    ] {
        for options in ["", " --format jsonl", " --format text"] {
            rig.refuses(
                &format!("dedup {name} -o out{options}"),
                &[name, "archive", "hint: unpack it first"],
            );
        }
    }
    rig.write("c.pdf", b"%PDF-1.4 text\n");
    rig.refuses(
        "dedup c.pdf -o out",
        &["expected a PDF file", "found damage"],
    );
    // Data with the name of a text is not compared as letters of some encoding.
    rig.write("d.txt", b"\x89\xe1\x01\n\xff\0\xf0")
        .write("e.txt", "a text");
    rig.refuses(
        "compare d.txt e.txt",
        &[
            "d.txt",
            "expected text",
            "found binary data: a NUL in line 2",
        ],
    );
    // In a folder they are not read, which is said.
    rig.write("in/a.jsonl", LINES)
        .write("in/b.zip", b"PK\x03\x04");
    let ended = rig.ok("dedup in -o out");
    assert!(
        ended.stderr.contains("b.zip (archive, not unpacked)"),
        "{}",
        ended.stderr
    );
    rig.write("only/b.zip", b"PK\x03\x04");
    rig.refuses("dedup only -o no", &["found archives", "unpack them first"]);
}

#[test]
fn what_is_passed_over_is_counted_in_every_summary() {
    let rig = Rig::new();
    let table = "# by hand\nid,text\n1,the quick brown fox jumps over the lazy dog at noon\n# more\n2,another line about something else entirely and with no dog\n";
    rig.write("a.csv", table);
    let ended = rig.ok("dedup a.csv -o out.csv --comment # --run run");
    assert!(
        ended
            .stderr
            .contains("passed over  2 in csv files (comment lines 2)"),
        "{}",
        ended.stderr
    );
    assert_eq!(rig.text("out.csv"), table);
    assert!(rig.text("run/run.json").contains("\"comment lines\": 2"));
    rig.ok("report run -o report.html");
    assert!(
        rig.text("report.html")
            .contains("Passed over in csv files: comment lines 2.")
    );
    for command in ["dedup a.csv -o out.csv", "pairs a.csv -o pairs.tsv"] {
        let ended = rig.ok(&format!("{command} --comment # --json"));
        let all: serde_json::Value = serde_json::from_slice(&ended.stdout).unwrap();
        assert_eq!(all["passed_over"]["csv"]["comment lines"], 2, "{command}");
    }
    for command in ["phrases a.csv -o phrases.tsv --min-texts 1", "sweep a.csv"] {
        let ended = rig.ok(&format!("{command} --comment # --json"));
        let all: serde_json::Value = serde_json::from_slice(&ended.stdout).unwrap();
        assert_eq!(all["passed_over"]["csv"]["comment lines"], 2, "{command}");
    }
    rig.write(
        "dated.csv",
        table
            .replace("text\n", "text,date\n")
            .replace(" dog\n", " dog,2020-01-01\n")
            .replace("noon\n", "noon,2020-01-01\n"),
    );
    for command in [
        "find a.csv",
        "passages a.csv",
        "phrases a.csv -o phrases.tsv",
        "stats a.csv -o frequencies.tsv",
        "stats a.csv -o shingles.tsv --recipe revisions",
        "stories dated.csv --date date",
        "sweep a.csv",
        "templates a.csv",
    ] {
        let ended = rig.ok(&format!("{command} --comment #"));
        let said = ended.stderr.clone() + ended.out();
        assert!(
            said.contains("\npassed over: 2 in csv files (comment lines 2)\n")
                || said.starts_with("passed over: 2 in csv files (comment lines 2)\n"),
            "{command}\n{said}"
        );
        let quiet = rig.ok(&format!("{command} --comment # -q"));
        assert!(!quiet.stderr.contains("passed over"), "{}", quiet.stderr);
    }
    let ended = rig.ok("dedup a.csv -o out.csv --comment # -v");
    assert!(
        ended
            .stderr
            .contains("  passed over: 2 in csv files (comment lines 2)"),
        "{}",
        ended.stderr
    );
}

#[test]
fn outputs_are_what_their_names_say_or_refused() {
    let rig = Rig::new();
    rig.write("a.jsonl", LINES).write("b.jsonl", LINES);
    for name in [
        "x.xlsx", "x.XLSX", "x.ods", "x.zip", "x.tar.gz", "x.sqlite", "x.png",
    ] {
        rig.refuses(
            &format!("dedup a.jsonl -o {name}"),
            &[
                "-o: expected the name of a file that can be written",
                "hint: records are written as .jsonl",
            ],
        );
        rig.refuses(&format!("dedup a.jsonl b.jsonl -o {name}"), &["-o: "]);
        rig.refuses(
            &format!("dedup a.jsonl -o y.jsonl --removed {name}"),
            &["--removed"],
        );
        rig.refuses(
            &format!("dedup a.jsonl -o y.jsonl --list removed={name}"),
            &["--list"],
        );
        rig.refuses(&format!("pairs a.jsonl -o {name}"), &["expected"]);
    }
    for name in ["x.foo", "x.parqet", "x.excel.gz"] {
        rig.refuses(
            &format!("dedup a.jsonl -o {name}"),
            &[
                "expected an output in a format that can be written",
                "hint: records are written as .jsonl",
            ],
        );
    }
    // Names that promise nothing have the format of the input.
    for name in [
        "x",
        "x.tmp",
        "x.jsonl.tmp",
        "corpus.v2",
        "x.2026-01",
        "x.ndjson",
        "x.jsonl.zst",
        ".x",
    ] {
        rig.ok(&format!("dedup a.jsonl -o {name} -q"));
        if name != "x.jsonl.zst" {
            assert_eq!(rig.text(name), kept(), "{name}");
        }
    }
    for name in ["corpus.v1", "corpus.de", "corpus"] {
        rig.write(name, LINES);
        for output in ["corpus2.v1", "out.de", "out.clean"] {
            rig.ok(&format!("dedup {name} -o {output} -q"));
            assert_eq!(rig.text(output), kept(), "{name} {output}");
        }
    }
    // A folder may have any name that is none of a file.
    rig.ok("dedup a.jsonl b.jsonl -o corpus.d -q");
    assert_eq!(rig.text("corpus.d/a.jsonl"), kept());
}

#[test]
fn values_that_are_not_finite_are_converted() {
    let rig = Rig::new();
    let line = |id: &str, n: &str| {
        format!(
            "{{\"id\":\"{id}\",\"text\":\"words {id} of a text that is long enough\",\"n\":{n},\"x\":[{n}]}}\n"
        )
    };
    rig.write(
        "a.jsonl",
        [line("a", "NaN"), line("b", "1.5"), line("c", "-Infinity")].concat(),
    );
    rig.ok("dedup a.jsonl -o b.jsonl -q");
    assert_eq!(rig.text("b.jsonl"), rig.text("a.jsonl"));
    rig.ok("dedup a.jsonl -o b.csv -q");
    assert_eq!(
        rig.text("b.csv").lines().nth(1).unwrap(),
        "a,words a of a text that is long enough,NaN,[NaN]"
    );
    rig.ok("dedup a.jsonl -o b.parquet -q");
    rig.ok("dedup b.parquet -o c.jsonl -q");
    rig.refuses(
        "dedup a.jsonl -o d.jsonl --by n",
        &["a.jsonl: record 1: expected a JSON value in `n`, found NaN"],
    );
    // A name of a column that is repeated is no key twice.
    rig.write(
        "d.csv",
        "id,text,note,note\n1,words of a text that is long enough,x,y\n",
    );
    rig.ok("dedup d.csv -o d.jsonl -q");
    assert!(
        rig.text("d.jsonl")
            .contains("\"note\":\"x\",\"note_2\":\"y\"")
    );
}
