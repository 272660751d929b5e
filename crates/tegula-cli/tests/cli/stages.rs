//! Recipes of several stages, Onion over all formats, digests, sweeps.

use crate::rig::{Rig, assert_shown};
use std::io::Read;

/// Documents that share paragraphs and sentences, and one that is all copied.
const TEXTS: [&str; 4] = [
    "The quick brown fox jumps over the lazy dog near the river bank.\\n\\nA line of its own, 12 of 30.",
    "Something else entirely stands at the head of this text, č and ž too.\\n\\nThe quick brown fox jumps over the lazy dog near the river bank.\\n\\nAnd it ends. A line of its own, 7 of 9.",
    "The quick brown fox jumps over the lazy dog near the river bank. A line of its own, 12 of 30.",
    "Nothing of this was there before, not in any text of the four.",
];

fn jsonl() -> String {
    (1..).zip(TEXTS).fold(String::new(), |lines, (id, text)| {
        format!("{lines}{{\"id\":\"{id}\",\"text\":\"{text}\"}}\n")
    })
}

const STAGES: &str = "
[[stage]]
name = 'texts'
action = 'remove'
recipe = 'onion'
ngram = 4
threshold = '0.8'
onion = { smooth = false }
[[stage]]
name = 'paragraphs'
action = 'remove'
recipe = 'onion'
unit = 'paragraph'
ngram = 4
onion = { smooth = false }
[[stage]]
name = 'sentences'
action = 'mark'
recipe = 'plain'
unit = 'sentence'
";

#[test]
fn each_stage_sees_what_the_one_before_kept() {
    let rig = Rig::new();
    rig.write("in.jsonl", jsonl()).write("clean.toml", STAGES);
    assert_shown!(
        "stages",
        rig.run("dedup in.jsonl -o out.jsonl --recipe clean.toml --run run --removed gone.jsonl --threads 1")
    );
    insta::assert_snapshot!(
        "stages_output",
        rig.text("out.jsonl") + "--- removed\n" + &rig.text("gone.jsonl")
    );
    let first = rig.read("out.jsonl");
    for options in ["--threads 3", "--memory 64M --threads 2"] {
        rig.ok(&format!(
            "dedup in.jsonl -o again.jsonl --recipe clean.toml -q {options}"
        ));
        assert!(rig.read("again.jsonl") == first, "{options}");
    }
    for folder in ["1-texts", "2-paragraphs", "3-sentences"] {
        assert!(
            rig.path("run")
                .join(folder)
                .join("verdicts.parquet")
                .is_file()
        );
    }
    // Another run in the folder leaves nothing of this one behind.
    rig.ok("dedup in.jsonl -o again.jsonl --run run -q");
    assert!(!rig.path("run").join("1-texts").exists());
    rig.ok("mark in.jsonl -o marked.jsonl --recipe clean.toml -q");
    assert_eq!(rig.text("marked.jsonl").lines().count(), TEXTS.len());
}

#[test]
fn cuts_and_marks_go_together_in_every_format() {
    let rig = Rig::new();
    rig.write("in.jsonl", jsonl()).write("clean.toml", STAGES);
    rig.ok("dedup in.jsonl -o out.jsonl --recipe clean.toml -q");
    let expected = rig.text("out.jsonl");
    rig.ok("dedup in.jsonl -o in.parquet --recipe exact -q");
    rig.ok("dedup in.parquet -o out.parquet --recipe clean.toml -q");
    // Read back whole: what stays the same under a recipe that finds nothing.
    rig.ok("dedup out.parquet -o back.jsonl --recipe exact -q");
    let texts = |lines: &str| -> Vec<String> {
        lines
            .lines()
            .map(|line| {
                serde_json::from_str::<serde_json::Value>(line).unwrap()["text"].to_string()
            })
            .collect()
    };
    let spans = |lines: &str| -> Vec<String> {
        let of = |line| {
            serde_json::from_str::<serde_json::Value>(line).unwrap()["duplicate_spans"].to_string()
        };
        lines
            .lines()
            .map(of)
            .map(|spans| spans.replace("\\\"", "\""))
            .collect()
    };
    assert_eq!(texts(&rig.text("back.jsonl")), texts(&expected));
    assert_eq!(spans(&expected)[0], "[]");
    for (one, other) in spans(&rig.text("back.jsonl")).iter().zip(spans(&expected)) {
        assert_eq!(one.trim_matches('"').replace("1.0", "1"), other);
    }
    rig.ok("dedup in.jsonl -o in.csv --recipe exact -q");
    rig.ok("dedup in.csv -o out.csv --recipe clean.toml -q");
    assert!(
        rig.text("out.csv").contains("And it ends."),
        "{}",
        rig.text("out.csv")
    );
}

#[test]
fn what_does_not_go_with_stages_is_refused() {
    let rig = Rig::new();
    rig.write("in.jsonl", jsonl())
        .write("bad.toml", "[[stage]]\nngram = 'x'\n");
    assert_shown!(
        "stages_ngram",
        rig.run("dedup in.jsonl -o o.jsonl --recipe benko --ngram 3")
    );
    assert_shown!(
        "stages_pairs",
        rig.run("pairs in.jsonl --recipe benko -o p.tsv")
    );
    assert_shown!(
        "stages_bad",
        rig.run("dedup in.jsonl -o o.jsonl --recipe bad.toml")
    );
    assert_shown!(
        "stages_set",
        rig.run("dedup in.jsonl -o o.jsonl --recipe benko --set ngram=3")
    );
    rig.ok("dedup in.jsonl -o o.jsonl --recipe benko --set documents.ngram=3 -q");
    assert_shown!(
        "onion_keep",
        rig.run("dedup in.jsonl -o o.jsonl --recipe onion --keep newest:date")
    );
    assert_shown!(
        "onion_across",
        rig.run("dedup in.jsonl -o o.jsonl --recipe onion --across source")
    );
    assert_shown!(
        "onion_pairs",
        rig.run("pairs in.jsonl -o p.tsv --recipe onion")
    );
    assert_shown!("recipes_benko", rig.run("recipes benko"));
}

/// The verdicts of the original Onion on the token lines of its input, for a set of options.
fn golden(name: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata/onion")
        .join(name);
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    text
}

#[test]
fn the_recipe_decides_as_the_original_does() {
    let rig = Rig::new();
    rig.write("in.vert", golden("input.vert.gz"));
    let verdicts = |text: &str| -> String {
        let tokens = text.lines().filter(|line| {
            !line.starts_with('<') && !line.starts_with("0\t<") && !line.starts_with("1\t<")
        });
        tokens.map(|line| &line[..1]).collect()
    };
    // The original compares in single precision, in which 0.9 is a little less.
    for (name, options) in [
        ("n7-t0.5", "--unit paragraph"),
        (
            "n7-t0.5-nosmooth",
            "--unit paragraph --set onion.smooth=false",
        ),
        (
            "n5-t0.9",
            "--unit paragraph --ngram 5 --threshold 8999/10000",
        ),
        (
            "n10-t0.95-nosmooth",
            "--unit paragraph --ngram 10 --threshold 0.95 --set onion.smooth=false",
        ),
        ("n5-t0.5-doc", "--ngram 5"),
    ] {
        let expected = verdicts(&golden(&format!("{name}.out.gz")));
        for machine in ["--threads 1", "--threads 3 --memory 64M", "--tokens as-is"] {
            rig.ok(&format!("mark in.vert -o out.vert --recipe onion --mark-place first-column -q {options} {machine}"));
            assert_eq!(
                verdicts(&rig.text("out.vert")),
                expected,
                "{name} {machine}"
            );
        }
    }
}

#[test]
fn digests_are_listed_with_their_ids() {
    let rig = Rig::new();
    rig.write("tv.jsonl", "{\"id\":\"a\",\"text\":\"19.30 Noviny STV\"}\n{\"id\":\"b\",\"text\":\"Film\"}\n{\"id\":\"c\",\"text\":\"23.45 Noviny STV\"}\n");
    for digest in ["tegula", "md5", "sha1", "xxh3-128"] {
        rig.ok(&format!("dedup tv.jsonl -o out.jsonl --recipe plain --digest {digest} --fingerprints {digest}.txt -q"));
        assert_eq!(rig.text("out.jsonl").lines().count(), 2, "{digest}");
        assert!(rig.text("out.jsonl").contains("19.30"));
        let text = rig.text(&format!("{digest}.txt"));
        let lines: Vec<(&str, &str)> = text
            .lines()
            .map(|line| line.split_once("  ").unwrap())
            .collect();
        // Those of equal units are marked, and the first of them stands for all.
        let unified = format!(
            "dedup tv.jsonl --recipe plain --digest {digest} --fingerprints - --unified -q"
        );
        let unified = rig.ok(&unified);
        let kept: Vec<&str> = text.lines().filter(|line| !line.contains("  c")).collect();
        assert_eq!(unified.out().lines().collect::<Vec<_>>(), kept);
        let marked = lines.iter().filter_map(|(_, id)| id.strip_suffix("\t*"));
        assert_eq!(marked.collect::<Vec<_>>(), ["a", "c"]);
        assert!(lines.is_sorted_by_key(|(digest, _)| *digest));
        let of = |id: &str| {
            lines
                .iter()
                .find(|(_, other)| other.trim_end_matches("\t*") == id)
                .unwrap()
                .0
        };
        assert_eq!(of("a"), of("c"));
        assert_ne!(of("a"), of("b"));
    }
    // printf '%s' film | md5sum
    assert!(
        rig.text("md5.txt")
            .contains("bdbd6db1d8cc09a957e86180fda9442a  b"),
        "{}",
        rig.text("md5.txt")
    );
    assert_shown!(
        "digest_shingles",
        rig.run("dedup tv.jsonl -o out.jsonl --digest md5")
    );
    assert_shown!(
        "fingerprints_stages",
        rig.run("dedup tv.jsonl -o out.jsonl --recipe benko --fingerprints f.txt")
    );
}

#[test]
fn paragraphs_that_were_broken_differently_are_found_when_rejoined() {
    let rig = Rig::new();
    let whole = "The council met on Monday in the town hall and talked about the bridge for three hours.\\n\\nNo decision was made, as the mayor was ill.";
    // As a page turned into text has it: paragraphs broken at the ends of columns, and words at the
    // ends of lines.
    let broken = "The council met on Monday in the\\n\\ntown hall and talked about the bri-\\ndge for three hours.\\n\\nNo decision was made, as the ma-\\n\\nyor was ill.";
    rig.write(
        "in.jsonl",
        format!("{{\"id\":\"a\",\"text\":\"{whole}\"}}\n{{\"id\":\"b\",\"text\":\"{broken}\"}}\n"),
    );
    let removed = |options: &str| {
        let ended = rig.ok(&format!(
            "dedup in.jsonl --recipe plain --unit paragraph --list removed -q {options}"
        ));
        ended.out().lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert!(removed("").is_empty());
    assert!(removed("--set rejoin=true").is_empty());
    assert_eq!(
        removed("--set rejoin=true --set normalise.hyphens=join"),
        ["b#p1", "b#p2"]
    );
}

#[test]
fn a_sweep_counts_what_would_go() {
    let rig = Rig::with("laws-sk.vert");
    assert_shown!("sweep", rig.run("sweep laws-sk.vert --unit paragraph --ngrams 5,10 --thresholds 0.5,0.95 --tables grid -q"));
    assert!(rig.text("grid/sweep-units.tsv").contains("10-grams"));
    assert_shown!(
        "sweep_ssr",
        rig.run(
            "sweep laws-sk.vert --unit paragraph --recipe ssr --ngrams 3,5 --thresholds 0.5,0.9 -q"
        )
    );
    rig.ok(
        "sweep laws-sk.vert --unit paragraph --ngrams 5,10 --thresholds 0.5,0.95 -o sweep.html -q",
    );
    let page = rig.text("sweep.html");
    assert_eq!(page.matches("class=\"heat\"").count(), 2);
    assert!(page.contains("table-sweep-tokens"), "{page}");
    let refused = rig.refused(
        "sweep",
        &[
            "laws-sk.vert -o sweep.tsv",
            "laws-sk.vert -o laws-sk.html/x",
        ],
    );
    assert!(
        refused.contains("expected a name that ends in .html"),
        "{refused}"
    );
    assert_shown!("sweep_exact", rig.run("sweep laws-sk.vert --recipe exact"));
    assert_shown!("sweep_ngram", rig.run("sweep laws-sk.vert --ngram 3"));
}

#[test]
fn onion_decides_alike_in_every_format_and_knows_references() {
    let rig = Rig::with("laws-sk.vert");
    let removed = |inputs: &str| {
        rig.ok(&format!(
            "dedup {inputs} --recipe onion --unit paragraph --list removed -q"
        ))
        .out()
        .to_owned()
    };
    assert!(removed("laws-sk.vert").lines().count() > 100);
    rig.write("in.jsonl", jsonl());
    for name in ["copy.jsonl", "copy.csv", "copy.parquet"] {
        // Texts with different ids are not compared, so that all of them are copied.
        rig.ok(&format!(
            "dedup in.jsonl -o {name} --recipe exact --within id -q"
        ));
        assert_eq!(removed(name), removed("in.jsonl"), "{name}");
    }
    rig.write("old.jsonl", jsonl().lines().next().unwrap());
    rig.write(
        "new.jsonl",
        jsonl().lines().skip(2).collect::<Vec<_>>().join("\n"),
    );
    let line =
        "dedup new.jsonl --recipe onion --ngram 4 --set onion.smooth=false --list removed -q";
    assert_eq!(rig.ok(line).out(), "");
    assert_eq!(rig.ok(&format!("{line} --against old.jsonl")).out(), "3\n");
    assert_eq!(
        rig.ok(&format!("{line} --against old.jsonl --within id"))
            .out(),
        ""
    );
}

#[test]
fn equal_units_are_left_out_on_any_machine() {
    let rig = Rig::with("laws-sk.vert");
    rig.write(
        "in.jsonl",
        jsonl() + "no json\n" + &jsonl().replace("\"id\":\"", "\"id\":\"again-"),
    );
    rig.ok("dedup in.jsonl -o in.csv --recipe ssr --on-bad-record skip -q");
    for (name, options) in [
        ("in.jsonl", "--recipe exact --on-bad-record skip"),
        (
            "in.jsonl",
            "--recipe plain --unit sentence --on-bad-record skip",
        ),
        ("in.csv", "--recipe plain --unit paragraph"),
        ("laws-sk.vert", "--recipe plain --unit paragraph"),
        (
            "laws-sk.vert",
            "--recipe exact --unit sentence --digest sha1",
        ),
    ] {
        rig.ok(&format!("dedup {name} -o two-{name} {options} --run two"));
        for machine in ["--threads 1", "--threads 3", "--threads 2 --memory 64M"] {
            rig.ok(&format!(
                "dedup {name} -o one-{name} {options} {machine} --run one --fingerprints one.txt"
            ));
            assert!(
                rig.read(&format!("one-{name}")) == rig.read(&format!("two-{name}")),
                "{name} {options} {machine}"
            );
            for table in ["units", "groups", "clusters", "verdicts"] {
                let table = format!("{table}.parquet");
                assert!(
                    rig.read(&format!("one/{table}")) == rig.read(&format!("two/{table}")),
                    "{name} {table}"
                );
            }
        }
    }
    let ended = rig.run("dedup in.jsonl -o none.jsonl --recipe exact");
    assert_eq!(ended.code, 2);
    assert!(!rig.path("none.jsonl").exists());
}

#[test]
fn decisions_of_stages_and_of_onion_are_explained() {
    let rig = Rig::new();
    rig.write("in.jsonl", jsonl()).write("clean.toml", STAGES);
    rig.ok("dedup in.jsonl -o out.jsonl --recipe clean.toml --run run -q");
    assert_shown!("explain_onion", rig.run("explain run 3 --width 80"));
    assert_shown!("explain_onion_kept", rig.run("explain run 1 --width 80"));
    assert_shown!("explain_stages", rig.run("explain run 2#p2 --width 80"));
    assert_shown!("explain_sentence", rig.run("explain run 2#s4 --width 80"));
    assert_shown!("explain_stages_unknown", rig.run("explain run 9"));
    assert_eq!(rig.run("explain run 2#p2 --json").code, 0);
}

#[test]
fn vertical_files_without_sentences_get_a_structure_around_marked_ones() {
    let rig = Rig::new();
    let words = |text: &str| {
        text.split(' ')
            .map(|word| format!("{word}\n"))
            .collect::<Vec<_>>()
            .concat()
    };
    let (one, two) = (
        words("This stands here ."),
        words("That is new , by the way !"),
    );
    let text = format!(
        "<doc id=\"a\">\n<p>\n{one}{two}</p>\n</doc>\n<doc id=\"b\">\n<p>\nWell .\n{one}</p>\n</doc>\n"
    );
    rig.write("in.vert", text.replace("Well .", "Well\n."));
    rig.ok("mark in.vert -o out.vert --recipe plain --unit sentence -q");
    let out = rig.text("out.vert");
    let marked =
        format!("<duplicate duplicate_of=\"a#s1\" duplicate_score=\"1\">\n{one}</duplicate>\n</p>");
    assert!(out.contains(&marked), "{out}");
    assert_eq!(
        out.replace(&marked, &format!("{one}</p>")),
        rig.text("in.vert")
    );
    // What is marked is read as before.
    rig.ok("mark out.vert -o again.vert --recipe plain --unit sentence --mark-prefix x_ -q");
    assert!(
        rig.text("again.vert")
            .contains("<x_duplicate x_duplicate_of=\"a#s1\""),
        "{}",
        rig.text("again.vert")
    );
    rig.ok("dedup in.vert -o clean.vert --recipe benko --mark-place first-column -q");
}

#[test]
fn onion_counts_the_tokens_of_files_that_have_some() {
    let rig = Rig::with("laws-sk.vert");
    // By default the recipe decides on a corpus as the command does, whatever is in the columns.
    let columns: String = rig
        .text("laws-sk.vert")
        .lines()
        .map(|line| {
            if line.starts_with('<') {
                format!("{line}\n")
            } else {
                format!("{line}\tNN\t{}\n", line.len())
            }
        })
        .collect();
    rig.write("columns.vert", columns);
    for file in ["laws-sk.vert", "columns.vert"] {
        let bad = |text: &str| {
            text.lines()
                .filter(|line| line.starts_with("1\t") && !line.starts_with("1\t<"))
                .count()
        };
        let expected = bad(rig.ok(&format!("onion -n 5 {file}")).out());
        assert!(expected > 1000, "{expected}");
        rig.ok(&format!("mark {file} -o out.vert --recipe onion --unit paragraph --ngram 5 --mark-place first-column -q"));
        assert_eq!(bad(&rig.text("out.vert")), expected, "{file}");
        let found =
            "--recipe onion --unit paragraph --ngram 5 --mark-place first-column --tokens found";
        let ended = rig.ok(&format!("mark {file} -o found.vert {found} -v"));
        assert!(
            ended.stderr.contains("tokens: words found in the text"),
            "{}",
            ended.stderr
        );
        assert_ne!(rig.text("found.vert"), rig.text("out.vert"));
    }
    // Where some files have tokens of their own and others none, each is read as it is; a
    // conversion has the running text.
    rig.write("a.conllu", "# newdoc id = a\n# text = Don't go, she said.\n1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_\n1\tDo\t_\t_\t_\t_\t_\t_\t_\t_\n2\tn't\t_\t_\t_\t_\t_\t_\t_\t_\n3\tgo\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n4\t,\t_\t_\t_\t_\t_\t_\t_\t_\n5\tshe\t_\t_\t_\t_\t_\t_\t_\t_\n6\tsaid\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n7\t.\t_\t_\t_\t_\t_\t_\t_\t_\n\n");
    rig.write(
        "b.jsonl",
        "{\"id\":\"b\",\"text\":\"Don't go, she said.\"}\n",
    );
    let json: serde_json::Value = serde_json::from_str(
        rig.ok("mark a.conllu b.jsonl -o both --recipe onion --ngram 2 --json -q")
            .out(),
    )
    .unwrap();
    assert_eq!(
        json["balance"]["in"]["tokens"],
        6 + 5,
        "Don't go , she said . and Don t go she said"
    );
    assert!(
        json["tokens"]
            .as_str()
            .unwrap()
            .starts_with("the files' own"),
        "{}",
        json["tokens"]
    );
    rig.ok("mark a.conllu -o a.jsonl --recipe onion --ngram 2 -q");
    assert!(
        rig.text("a.jsonl")
            .contains("\"text\":\"Don't go, she said.\""),
        "{}",
        rig.text("a.jsonl")
    );
    rig.refuses(
        "dedup laws-sk.vert -o out.vert --recipe ssr --tokens own",
        &["--tokens own: expected the recipe onion or benko, found ssr"],
    );
    let ended = rig.ok("dedup laws-sk.vert --recipe benko -o benko.vert -v");
    assert!(
        ended
            .stderr
            .matches("tokens: the files' own, one per line")
            .count()
            == 2,
        "{}",
        ended.stderr
    );
    assert!(
        ended
            .stderr
            .matches("tokens: words found in the text")
            .count()
            == 1,
        "{}",
        ended.stderr
    );
}

#[test]
fn a_run_of_several_stages_is_not_decided_again() {
    let rig = Rig::new();
    rig.write(
        "in.vert",
        "<doc>\n<p>\none\ntwo\n</p>\n</doc>\n<doc>\n<p>\none\ntwo\n</p>\n</doc>\n",
    );
    rig.ok("dedup in.vert --recipe benko --run run -o out.vert -q");
    rig.refuses(
        "dedup --from run --threshold 0.9 -o again.vert -q",
        &["expected a run of one stage, found one of "],
    );
}
