use crate::rig::{Rig, assert_shown};
use std::io::Write as _;

const GOLDENS: [(&str, &str); 6] = [
    ("n7-t0.5", "-n 7 -t 0.5"),
    ("n7-t0.5-nosmooth", "-m"),
    ("n7-t0.5-strip", "-s"),
    ("n5-t0.9", "-n 5 -t 0.9"),
    ("n10-t0.95-nosmooth", "-n10 -t0.95 -m"),
    ("n5-t0.5-doc", "-n 5 -d doc -p doc -l 20 -T 64 -b 1000"),
];

fn golden(rig: &Rig, name: &str) -> Vec<u8> {
    // Unpacked by the program itself: with nothing to find, every line stays.
    rig.ok(&format!(
        "onion -q -s -t 1 -m {name}.gz -o {name} --short ngrams"
    ));
    rig.read(name)
}

fn with_input() -> Rig {
    Rig::with("onion/input.vert.gz")
}

#[test]
fn the_flags_of_the_original_give_its_bytes() {
    let rig = with_input();
    rig.write("input.vert.gz", rig.read("onion/input.vert.gz"));
    let input = rig.read("input.vert.gz");
    for (name, flags) in GOLDENS {
        let file = format!("{name}.out");
        let rig = &rig;
        rig.write(
            &format!("{file}.gz"),
            std::fs::read(crate::rig::testdata().join(format!("onion/{file}.gz"))).unwrap(),
        );
        let expected = golden(rig, &file);
        for threads in 1..=3 {
            let ended = rig.ok(&format!(
                "onion -q {flags} --threads {threads} input.vert.gz"
            ));
            assert!(ended.stdout == expected, "{name}");
            assert_eq!(ended.stderr, "");
        }
        assert!(
            rig.fed(&format!("onion -q {flags}"), &input).stdout == expected,
            "{name}"
        );
        assert!(
            rig.fed(
                &format!("onion -q {flags} --one-pass --memory 64M -"),
                &input
            )
            .stdout
                == expected,
            "{name}"
        );
    }
}

/// More n-grams than fit under the smallest ceiling: documents of words that hardly recur, every
/// fifth a copy of one before.
fn large() -> Vec<u8> {
    let mut out = Vec::new();
    for document in 0..28_000_u64 {
        out.extend_from_slice(b"<doc>\n<p>\n");
        let copied = if document % 5 == 4 {
            document / 2
        } else {
            document
        };
        for token in copied * 120..copied * 120 + 120 {
            writeln!(out, "{:x}", token.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 44).unwrap();
        }
        out.extend_from_slice(b"</p>\n</doc>\n");
    }
    out
}

#[test]
fn a_run_under_the_ceiling_writes_the_same_bytes() {
    let rig = Rig::new();
    let input = large();
    rig.write("large.vert", &input);
    let roomy = rig.ok("onion large.vert --one-pass --memory 1G");
    assert!(roomy.stderr.contains("1 pass,"), "{}", roomy.stderr);
    let small = rig.ok("onion large.vert --memory 64M");
    assert!(small.stderr.contains("2 passes,"), "{}", small.stderr);
    assert!(small.stdout == roomy.stdout);
    // How long standard input is, is not known beforehand.
    let stream = rig.fed("onion --memory 64M", &input);
    assert!(stream.stderr.contains("2 passes,"), "{}", stream.stderr);
    assert!(stream.stdout == roomy.stdout);
    rig.refuses(
        "onion large.vert --one-pass --memory 64M -o out.vert",
        &["not enough memory for the table of previously seen n-grams"],
    );
    assert_eq!(rig.files(), ["large.vert"]);
}

#[test]
fn the_help_names_the_flags_of_the_original() {
    assert_shown!("onion_help", Rig::new().ok("onion --help"));
}

#[test]
fn the_end_says_what_was_done() {
    let rig = with_input();
    assert_shown!(
        "onion_closing",
        rig.ok("onion onion/input.vert.gz --threads 1 -o marked.vert")
    );
    rig.ok("onion onion/input.vert.gz -s -q -o clean.vert.zst");
    assert_eq!(
        rig.files(),
        ["clean.vert.zst", "marked.vert", "onion/input.vert.gz"]
    );
    assert_shown!(
        "onion_empty",
        rig.write("empty.vert", "").ok("onion empty.vert")
    );
}

#[test]
fn wrong_flags_are_named() {
    let rig = Rig::new();
    rig.write("a.vert", "<doc>\na\n</doc>\n");
    let mut shown = Vec::new();
    for line in [
        "onion -n 0 a.vert",
        "onion -t 1.5 a.vert",
        "onion -t lots a.vert",
        "onion -d <doc> a.vert",
        "onion -l x a.vert",
        "onion --one-pass -f a.ngrams a.vert",
        "onion --memory 1M a.vert",
        "onion none.vert",
        "onion a.vert -o a.vert",
        "onion a.vert -f a.vert",
        "onion a.vert a.vert",
        "onion a.vert --save-fingerprints a.vert",
    ] {
        let ended = rig.run(line);
        assert_eq!((ended.code, ended.out()), (2, ""), "{line}");
        shown.push(format!("tegula {line}\n{}", ended.stderr));
    }
    assert_eq!(rig.files(), ["a.vert"]);
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("onion_wrong", shown.join("\n"));
    });
}

#[test]
fn saved_fingerprints_are_used_and_a_damaged_file_is_refused() {
    let rig = with_input();
    assert_shown!(
        "fingerprints",
        rig.ok("onion onion/input.vert.gz -n 5 --save-fingerprints five.ngrams")
    );
    let saved = rig
        .ok("onion -f five.ngrams -t 0.9 onion/input.vert.gz")
        .stdout;
    assert!(saved == rig.ok("onion -n 5 -t 0.9 onion/input.vert.gz").stdout);
    let mut bytes = rig.read("five.ngrams");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    rig.write("five.ngrams", bytes);
    assert_shown!(
        "fingerprints_damaged",
        rig.run("onion -f five.ngrams onion/input.vert.gz")
    );
    assert_shown!(
        "fingerprints_other",
        rig.run("onion -f five.ngrams -n 7 onion/input.vert.gz")
    );
}

#[test]
fn the_page_of_a_run_in_order_claims_no_witness() {
    let rig = with_input();
    rig.write("input.vert.gz", rig.read("onion/input.vert.gz"));
    rig.ok("dedup input.vert.gz --recipe onion --unit paragraph -o out.vert --run run -q");
    rig.ok("report run -o report.html -q");
    let page = rig.text("report.html");
    assert!(page.contains("in n-grams of preceding text, or what stands around"));
    for claim in [
        "a near copy of",
        "its witness",
        "kept one that each is most similar",
    ] {
        assert!(!page.contains(claim), "{claim}");
    }
}
