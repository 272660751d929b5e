use super::run::{Tuning, tuned};
use super::*;
use crate::compress::{Compression, Input};
use crate::outputs::Outputs;
use proptest::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
use tegula::context::{Budget, Context};
use tegula::error::ErrorKind;
use tegula::hash::Width;
use tegula::onion::{Rules, single_precision};
use tegula::scratch::Scratch;

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata/onion")
        .join(name)
}

fn unpacked(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    Input::open(path, Compression::Gzip)
        .unwrap()
        .fill(&mut bytes, usize::MAX, path)
        .unwrap();
    bytes
}

fn options(ngram: usize, threshold: &str, smooth: bool) -> Options {
    Options {
        rules: Rules {
            ngram,
            threshold: single_precision(threshold).unwrap(),
            smooth: smooth.then_some(20),
        },
        tags: Tags::new("doc", "p").unwrap().optional(),
        whole: false,
        strip: false,
        once: false,
        saved: None,
    }
}

/// The original's outputs with the options that produced them.
fn goldens() -> Vec<(&'static str, Options)> {
    vec![
        ("n7-t0.5", options(7, "0.5", true)),
        ("n7-t0.5-nosmooth", options(7, "0.5", false)),
        (
            "n7-t0.5-strip",
            Options {
                strip: true,
                ..options(7, "0.5", true)
            },
        ),
        ("n5-t0.9", options(5, "0.9", true)),
        ("n10-t0.95-nosmooth", options(10, "0.95", false)),
        (
            "n5-t0.5-doc",
            Options {
                tags: Tags::new("doc", "doc").unwrap().optional(),
                ..options(5, "0.5", true)
            },
        ),
    ]
}

fn context(threads: usize, room: u64) -> Context {
    Context::new(threads, Budget::OVERHEAD + room, Scratch::system())
}

const TUNING: Tuning = Tuning {
    chunk: 1 << 16,
    width: Width::FULL,
};

fn written(
    context: &Context,
    input: &[u8],
    options: &Options,
    tuning: Tuning,
) -> (Vec<u8>, Summary) {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (
        folder.path().join("in.vert"),
        folder.path().join("out.vert"),
    );
    fs::write(&from, input).unwrap();
    let summary = {
        let outputs = Outputs::default();
        let summary = tuned(context, &from, (&outputs, Some(&to)), options, tuning).unwrap();
        outputs.publish().unwrap();
        summary
    };
    (fs::read(&to).unwrap(), summary)
}

#[test]
fn every_output_is_that_of_the_original() {
    let input = unpacked(&golden("input.vert.gz"));
    // The smallest ceiling holds no rows.
    for room in [1 << 30, 4 << 20, 2 << 20] {
        for threads in 1..=3 {
            for (name, options) in goldens() {
                let expected = unpacked(&golden(&format!("{name}.out.gz")));
                for once in [false, true] {
                    if once && room < 4 << 20 {
                        continue;
                    }
                    let options = Options {
                        once,
                        ..options.clone()
                    };
                    let context = context(threads, room);
                    let (output, summary) = written(&context, &input, &options, TUNING);
                    assert!(
                        output == expected,
                        "{name} {once} {threads} threads, room {room}"
                    );
                    assert_eq!(summary.passes, if once { 1 } else { 2 });
                    assert_eq!(context.budget.free(), room);
                }
            }
        }
    }
}

#[test]
fn chunks_and_collisions_change_no_byte() {
    let input = unpacked(&golden("input.vert.gz"));
    for (name, options) in goldens() {
        let expected = unpacked(&golden(&format!("{name}.out.gz")));
        for (chunk, bits) in [(1, 64), (1 << 20, 64), (5_000, 9)] {
            for once in [true, false] {
                let tuning = Tuning {
                    chunk,
                    width: Width::bits(bits),
                };
                let (output, _) = written(
                    &context(2, 64 << 20),
                    &input,
                    &Options {
                        once,
                        ..options.clone()
                    },
                    tuning,
                );
                assert!(output == expected, "{name} {chunk} {bits} {once}");
            }
        }
    }
}

/// The fate of every line, for a document with one-letter tokens on separate lines.
fn marks(input: &str, options: &Options) -> String {
    let input = input.replace(' ', "\n");
    let (output, _) = written(&context(1, 1 << 20), input.as_bytes(), options, TUNING);
    let output = String::from_utf8(output).unwrap();
    assert_eq!(
        output.lines().map(|line| &line[2..]).collect::<Vec<_>>(),
        input.lines().collect::<Vec<_>>()
    );
    output.lines().map(|line| &line[..1]).collect()
}

#[test]
fn lines_outside_paragraphs_are_paragraphs_and_structure_outside_documents_stays() {
    let hard = options(3, "0.5", false);
    let soft = options(3, "0.5", true);
    // A copy of the document is removed with its tags; lines around documents are not.
    let text = "<corpus> <doc> <p> a b c d </p> </doc> <doc> <p> a b c d </p> </doc> </corpus>";
    assert_eq!(marks(text, &hard), "0".repeat(9) + "11111111" + "0");
    // Without smoothing, what has no tokens is kept, but the tags of a document of which nothing is
    // kept are removed.
    assert_eq!(
        marks("<doc> a b c d <p> a b c d </p> <x/> </doc>", &hard),
        "0000011111100"
    );
    assert_eq!(marks("<doc> <x/> </doc>", &hard), "101");
    // With smoothing they are removed with their surroundings, or with a document that is too
    // short.
    let long = (0..21)
        .map(|i| format!("t{i} "))
        .collect::<Vec<_>>()
        .concat();
    let text = format!("<doc> <p> {long}</p> <x/> <p> {long}</p> <x/> </doc>");
    assert_eq!(marks(&text, &soft), "0".repeat(25) + &"1".repeat(24) + "0");
    assert_eq!(marks("<doc> <p> a b </p> </doc>", &soft), "111111");
    // Tokens between documents are a document; a closing tag may be missing; a tag may have
    // attributes, or none.
    assert_eq!(
        marks("a b c <doc> a b c <doc x> <docs> z", &hard),
        "00011110000"
    );
    assert_eq!(marks("</doc> </p> <p> </p>", &hard), "0000");
}

#[test]
fn the_example_of_the_documentation_holds() {
    let text = "<doc> <p> a b c d e </p> <p> f a b c </p> </doc> <doc> <p> b c d x </p> <p> c d x y </p> </doc> <doc> c d x z </doc>";
    assert_eq!(
        marks(text, &options(3, "0.5", false)),
        "0".repeat(8) + "111111" + "0" + &"1".repeat(14) + "000000"
    );
}

#[test]
fn ngrams_that_the_original_confuses_are_two() {
    // By its hash, letters change places or cancel (bench/papers/onion.md): it marks both second
    // documents.
    let strict = |ngram| options(ngram, "0.5", false);
    assert_eq!(
        marks(
            "<doc> <p> xa bc </p> </doc> <doc> <p> xb ac </p> </doc>",
            &strict(2)
        ),
        "0".repeat(12)
    );
    let text =
        |trade: &str| format!("<doc> <p> * * Abschlussprüfung als {trade} / {trade}in </p> </doc>");
    assert_eq!(
        marks(&[text("Tischler"), text("Drechsler")].join(" "), &strict(7)),
        "0".repeat(22)
    );
}

#[test]
fn short_paragraphs_may_be_removed_together() {
    let text = "<doc> <p> a b </p> <p> a b </p> <p> b </p> <p> b </p> </doc>";
    let plain = options(5, "0.5", false);
    assert_eq!(marks(text, &plain), "0".repeat(16));
    let whole = Options {
        whole: true,
        ..plain
    };
    assert_eq!(marks(text, &whole), "0000011110001110");
}

#[test]
fn saved_fingerprints_serve_every_threshold_and_level() {
    let folder = tempfile::tempdir().unwrap();
    let (plain, kept) = (
        folder.path().join("in.vert"),
        folder.path().join("5.ngrams"),
    );
    let input = unpacked(&golden("input.vert.gz"));
    fs::write(&plain, &input).unwrap();
    let context = context(2, 4 << 20);
    let outputs = Outputs::default();
    let (repeated, all) = save_fingerprints(
        &context,
        &[plain],
        (&outputs, &kept),
        &options(5, "1", true),
    )
    .unwrap();
    outputs.publish().unwrap();
    assert!(repeated > 1000 && all > 2 * repeated);
    assert_eq!(
        (facts(&kept).unwrap().ngram, facts(&kept).unwrap().count),
        (5, repeated)
    );
    for (name, options) in goldens()
        .into_iter()
        .filter(|(_, options)| options.rules.ngram == 5)
    {
        let options = Options {
            saved: Some(kept.clone()),
            ..options
        };
        let (output, summary) = written(&context, &input, &options, TUNING);
        assert!(
            output == unpacked(&golden(&format!("{name}.out.gz"))),
            "{name}"
        );
        assert_eq!((summary.passes, summary.ngrams), (1, repeated));
    }
    assert_eq!(context.budget.free(), 4 << 20);
}

/// A file of the two trigrams that repeat in `a b c a b c d a b c d`.
const SAVED: &str = concat!(
    "746567756c61206e2d6772616d730d0a01000000580000007b22736368656d65223a22746567756c612d31222c22746f6b656e73223a226c",
    "696e65222c226e6772616d223a332c22646f63756d656e74223a22646f63222c2277686f6c65223a66616c73652c22636f756e74223a327d",
    "2c6f4f06c81a98224d68e8058966032c374188f24c636d808674c9c8e33d6180e02a5e92adc8296230264e53232aa311",
);

#[test]
fn fingerprints_that_are_damaged_or_of_other_options_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (plain, kept) = (
        folder.path().join("in.vert"),
        folder.path().join("3.ngrams"),
    );
    fs::write(&plain, "<doc>\na\nb\nc\na\nb\nc\nd\na\nb\nc\nd\n</doc>\n").unwrap();
    let context = context(1, 1 << 20);
    let made = options(3, "0.5", true);
    let outputs = Outputs::default();
    let (repeated, all) = save_fingerprints(
        &context,
        std::slice::from_ref(&plain),
        (&outputs, &kept),
        &made,
    )
    .unwrap();
    outputs.publish().unwrap();
    assert_eq!((repeated, all), (2, 9));
    let out = folder.path().join("out");
    let run = |options: Options| {
        let options = Options {
            saved: Some(kept.clone()),
            ..options
        };
        deduplicate(
            &context,
            &plain,
            (&Outputs::default(), Some(&out)),
            &options,
        )
        .map_err(|error| (error.kind(), error.to_string()))
    };
    assert!(run(made.clone()).is_ok());
    let others = [
        options(4, "0.5", true),
        Options {
            tags: Tags::new("text", "p").unwrap().optional(),
            ..made.clone()
        },
        Options {
            whole: true,
            ..made.clone()
        },
    ];
    for other in others {
        assert_eq!(run(other).unwrap_err().0, ErrorKind::Run);
    }
    let whole = fs::read(&kept).unwrap();
    // The same bytes on machines of either byte order.
    let hex: Vec<String> = whole.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hex.concat(), SAVED);
    for at in 0..whole.len() {
        let mut broken = whole.clone();
        broken[at] ^= 0x10;
        fs::write(&kept, &broken).unwrap();
        assert!(run(made.clone()).is_err(), "byte {at}");
        fs::write(&kept, &whole[..at]).unwrap();
        assert_eq!(
            run(made.clone()).unwrap_err().0,
            ErrorKind::Run,
            "cut at {at}"
        );
    }
    assert!(!out.exists());
}

#[test]
fn what_is_wrong_with_files_is_said_and_nothing_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let (plain, out) = (
        folder.path().join("in.vert"),
        folder.path().join("out.vert"),
    );
    let packed = fs::read(golden("input.vert.gz")).unwrap();
    fs::write(&plain, &packed[..packed.len() / 2]).unwrap();
    let context = context(2, 64 << 20);
    let made = options(3, "0.5", true);
    let fails = |from: &Path, to: &Path| {
        deduplicate(&context, from, (&Outputs::default(), Some(to)), &made)
            .unwrap_err()
            .kind()
    };
    assert_eq!(fails(&plain, &out), ErrorKind::Data);
    assert_eq!(fails(&plain, &plain), ErrorKind::Usage);
    assert_eq!(fails(folder.path(), &out), ErrorKind::Usage);
    assert_eq!(fails(&folder.path().join("none"), &out), ErrorKind::Io);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    for tag in ["", "a b", "<p>", "a/"] {
        assert!(
            Tags::new(tag, "p").is_err() && Tags::new("doc", tag).is_err(),
            "{tag}"
        );
    }
}

#[test]
fn a_document_beyond_the_ceiling_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (plain, out) = (
        folder.path().join("in.vert"),
        folder.path().join("out.vert"),
    );
    fs::write(&plain, "token\n".repeat(2 << 20)).unwrap();
    let refused = deduplicate(
        &context(1, 16 << 20),
        &plain,
        (&Outputs::default(), Some(&out)),
        &options(3, "0.5", true),
    )
    .unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Memory);
    assert!(refused.to_string().contains("without a <doc>"), "{refused}");
}

/// Lines of a vertical file in any order, some of them no lines of text at all.
fn vertical() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        4 => prop::sample::select(vec!["a", "b", "c", "d", ""]).prop_map(|line| line.as_bytes().to_vec()),
        3 => prop::sample::select(vec!["<doc>", "<doc id=1>", "</doc>", "<p>", "</p>", "<s>", "<doc", "<", "</", "<p/>", "<docs>"])
            .prop_map(|line| line.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..20),
    ];
    let end = prop_oneof![9 => Just(&b"\n"[..]), 1 => Just(&b"\r\n"[..])];
    let lines = prop::collection::vec((line, end), 0..80);
    (lines, any::<bool>()).prop_map(|(lines, cut)| {
        let mut bytes: Vec<u8> = lines
            .into_iter()
            .flat_map(|(line, end)| [line, end.to_vec()].concat())
            .collect();
        if cut {
            bytes.pop();
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_come_back_marked_and_stripped(
        input in vertical(), n in 1..5_usize, smooth: bool, whole: bool, same: bool, chunk in 1..200_usize
    ) {
        let tags = Tags::new("doc", if same { "doc" } else { "p" }).unwrap().optional();
        let options = Options { tags, whole, once: true, ..options(n, "0.5", smooth) };
        let context = context(1, 1 << 20);
        let (marked, summary) = written(&context, &input, &options, TUNING);
        let mut kept = Vec::new();
        let mut all = Vec::new();
        for line in marked.split_inclusive(|b| *b == b'\n') {
            prop_assert!(line.starts_with(b"0\t") || line.starts_with(b"1\t"));
            all.extend_from_slice(&line[2..]);
            if line[0] == b'0' {
                kept.extend_from_slice(&line[2..]);
            }
        }
        prop_assert_eq!(&all, &input);
        let lines = input.split_inclusive(|b| *b == b'\n').filter(|line| !line.starts_with(b"<")).count() as u64;
        prop_assert_eq!(summary.tokens, lines);
        let strip = Options { strip: true, ..options.clone() };
        prop_assert_eq!(&written(&context, &input, &strip, TUNING).0, &kept);
        let two = Options { once: false, ..options };
        let tuning = Tuning { chunk, width: Width::bits(3) };
        prop_assert_eq!(&written(&context, &input, &two, tuning).0, &marked);
    }
}
