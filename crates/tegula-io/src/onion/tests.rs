use super::run::{Tuning, tuned};
use super::*;
use crate::compress::{Compression, Input};
use proptest::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
use tegula::context::{Budget, Context};
use tegula::error::ErrorKind;
use tegula::hash::Width;
use tegula::onion::{Rules, single_precision};
use tegula::scratch::Scratch;

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/onion").join(name)
}

fn unpacked(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    Input::open(path, Compression::Gzip).unwrap().fill(&mut bytes, usize::MAX, path).unwrap();
    bytes
}

fn options(ngram: usize, threshold: &str, smooth: bool) -> Options {
    Options {
        rules: Rules { ngram, threshold: single_precision(threshold).unwrap(), smooth: smooth.then_some(20) },
        tags: Tags::new("doc", "p").unwrap(),
        whole: false,
        strip: false,
        passes: Passes::Auto,
        saved: None,
    }
}

/// The original's outputs with the options that made them.
fn goldens() -> Vec<(&'static str, Options)> {
    vec![
        ("n7-t0.5", options(7, "0.5", true)),
        ("n7-t0.5-nosmooth", options(7, "0.5", false)),
        ("n7-t0.5-strip", Options { strip: true, ..options(7, "0.5", true) }),
        ("n5-t0.9", options(5, "0.9", true)),
        ("n10-t0.95-nosmooth", options(10, "0.95", false)),
        ("n5-t0.5-doc", Options { tags: Tags::new("doc", "doc").unwrap(), ..options(5, "0.5", true) }),
    ]
}

fn context(threads: usize, room: u64) -> Context {
    Context::new(threads, Budget::OVERHEAD + room, Scratch::system())
}

const TUNING: Tuning = Tuning { chunk: 1 << 16, width: Width::FULL };

fn written(context: &Context, input: &[u8], options: &Options, tuning: Tuning) -> (Vec<u8>, Summary) {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("in.vert"), folder.path().join("out.vert"));
    fs::write(&from, input).unwrap();
    let summary = tuned(context, &from, Some(&to), options, tuning).unwrap();
    (fs::read(&to).unwrap(), summary)
}

#[test]
fn every_output_is_that_of_the_original() {
    let input = unpacked(&golden("input.vert.gz"));
    // The smallest ceiling holds what occurs twice, and not much besides.
    for (room, again) in [(1 << 30, false), (4 << 20, false), (700 << 10, true)] {
        for threads in 1..=3 {
            for (name, options) in goldens() {
                let expected = unpacked(&golden(&format!("{name}.out.gz")));
                for passes in [Passes::Auto, Passes::Two] {
                    let options = Options { passes, ..options.clone() };
                    let context = context(threads, room);
                    let (output, summary) = written(&context, &input, &options, TUNING);
                    assert!(output == expected, "{name} {passes:?} {threads} threads, room {room}");
                    assert_eq!(summary.passes == 2, again || passes == Passes::Two, "{name} {room}");
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
            for passes in [Passes::One, Passes::Two] {
                let tuning = Tuning { chunk, width: Width::bits(bits) };
                let (output, _) = written(&context(2, 64 << 20), &input, &Options { passes, ..options.clone() }, tuning);
                assert!(output == expected, "{name} {chunk} {bits} {passes:?}");
            }
        }
    }
}
