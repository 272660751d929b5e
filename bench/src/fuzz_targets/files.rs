//! Files that are not read as text: Parquet, compressed ones, run folders, and vertical files as
//! Onion reads them.

use super::rig::{context, folder, must, read, write};
use std::path::Path;
use std::sync::OnceLock;
use tegula::onion::Rules;
use tegula::record::{Batch, Source};
use tegula::threshold::Threshold;
use tegula_io::collection::Collection;
use tegula_io::edit::Edit;
use tegula_io::onion::{self, Options, Tags};
use tegula_io::options::ReadOptions;
use tegula_io::outputs::{Outputs, Packed};
use tegula_io::rewrite::{RewriteOptions, rewrite};
use tegula_io::tables::{
    Formulas, PairRow, Pairs, RunFolder, TableFileWriter, TableInfo, read_table,
};
use tegula_io::target::Target;

/// Changes of a good file: a place in it by two bytes, and what to put there.
pub(super) const CHANGES: &[&str] = &[
    "",
    "\u{0}\u{4}\u{7f}",
    "\u{7f}\u{7f}\u{0}\u{7e}\u{0}\u{15}",
    "abcdefghijklmnopqrstuvwxyz",
];

pub(super) const PACKED: &[&str] = &[
    "0{\"text\": \"packed\"}\n{\"text\": \"twice\"}\n",
    "1{\"text\": \"packed\"}\n{\"text\": \"twice\"}\n",
    "2{\"text\": \"packed\"}\n{\"text\": \"twice\"}\n",
    "3{\"text\": \"packed\"}\n{\"text\": \"twice\"}\n",
];

pub(super) const RUNS: &[&str] = &[
    "{\"format\":1,\"version\":\"0.1.0\",\"command\":\"dedup\",\"recipe\":{\"recipe\":\"sscr\"},\"inputs\":[],\"counts\":{},\"seconds\":{}}",
    "{\"format\":1,\"inputs\":[{\"path\":\"/a\",\"name\":\"a\",\"bytes\":1,\"modified\":0}],\"stages\":[{\"name\":\"x\"}]}",
    "{}",
];

/// Lets panics pass that a guard around a decoder catches; any other ends the process.
#[expect(clippy::print_stderr, reason = "the process ends here")]
pub fn quiet_guards() {
    std::panic::set_hook(Box::new(|panic| {
        if !tegula_io::decoder::is_guarded() {
            eprintln!("{panic}");
            std::process::abort();
        }
    }));
}

/// A table of pairs as Parquet.
fn table() -> &'static [u8] {
    static TABLE: OnceLock<Vec<u8>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let folder = folder();
        let path = folder.path().join("pairs.parquet");
        let outputs = Outputs::default();
        let mut writer = must(TableFileWriter::<Pairs>::create(
            &outputs,
            &path,
            Formulas::Kept,
            &TableInfo::default(),
        ));
        for at in 0..50_u64 {
            let id = format!("text {}", at % 7);
            must(writer.push(&PairRow {
                unit_a: Some(at),
                id_a: &id,
                id_b: "b",
                score: 0.5,
                ..PairRow::default()
            }));
        }
        must(writer.finish());
        must(outputs.publish());
        match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) => panic!("{error}"),
        }
    })
}

/// The table with some of its bytes changed.
fn changed(data: &[u8]) -> Vec<u8> {
    let mut bytes = table().to_vec();
    for change in data.as_chunks::<3>().0 {
        let at = (usize::from(change[0]) << 8 | usize::from(change[1])) % bytes.len();
        bytes[at] = change[2];
    }
    let rest = data.as_chunks::<3>().1.len();
    bytes.truncate(bytes.len() - rest * rest);
    bytes
}

/// A Parquet file with any bytes changed is read and written back, or refused, and what is read
/// twice is the same.
///
/// # Panics
/// When that is not so.
pub fn parquet_reader(data: &[u8]) {
    let folder = folder();
    let path = write(folder.path(), "fuzz.parquet", &changed(data));
    // As a table of a run.
    if let Ok(tables) = read_table::<Pairs>(&path, Formulas::Kept) {
        let _ = tables
            .take_while(Result::is_ok)
            .map(|rows| rows.map_or(0, |rows| rows.iter().count()))
            .sum::<usize>();
    }
    let options = ReadOptions {
        text_key: vec!["id_a".into()],
        id_key: Some("unit_a".into()),
        ..ReadOptions::default()
    };
    let Ok(collection) = Collection::open(&[path], &options, folder.path()) else {
        return;
    };
    let collection = collection.within(&context());
    let Some(batch) = read(&collection) else {
        return;
    };
    let again = read(&collection).unwrap_or_default();
    assert_eq!((&batch.records, &batch.text), (&again.records, &again.text));
    let target = must(Target::resolve(
        &folder.path().join("out.parquet"),
        &collection,
    ));
    // Columns that are not read may be damaged, too.
    let _ = rewrite(
        &collection,
        (&Outputs::default(), &target),
        &|_, number| {
            if number % 3 == 0 {
                Edit::Drop
            } else {
                Edit::Keep
            }
        },
        &RewriteOptions::default(),
        &|_| Ok(()),
    );
}

/// A compressed file with bytes changed is read up to the damage.
///
/// # Panics
/// When reading it does.
pub fn compressed(data: &[u8]) {
    const ENDINGS: [&str; 4] = ["gz", "zst", "bz2", "xz"];
    let (first, bytes) = data.split_first().unwrap_or((&0, &[]));
    let ending = ENDINGS[usize::from(*first) % ENDINGS.len()];
    let folder = folder();
    // What is no compressed file is packed first; where it is one by its first bytes, it is taken
    // as it is.
    let path = folder.path().join(format!("fuzz.jsonl.{ending}"));
    let is_packed = [
        &[0x1f, 0x8b][..],
        &[0x28, 0xb5, 0x2f, 0xfd],
        b"BZh",
        &[0xfd, b'7', b'z', b'X', b'Z'],
    ]
    .iter()
    .any(|magic| bytes.starts_with(magic));
    if is_packed {
        write(folder.path(), &format!("fuzz.jsonl.{ending}"), bytes);
    } else {
        let outputs = Outputs::default();
        let mut draft = must(Packed::create(&outputs, &path));
        must(draft.put(bytes));
        must(draft.finish());
        must(outputs.publish());
        let mut packed = std::fs::read(&path).unwrap_or_default();
        // A change somewhere, by the input itself.
        let sum = bytes.iter().fold(usize::from(*first), |sum, byte| {
            sum.wrapping_mul(31).wrapping_add(usize::from(*byte))
        });
        if sum % 4 != 0 {
            let at = sum / 4 % packed.len().max(1);
            if let Some(byte) = packed.get_mut(at) {
                *byte ^= 1 << (sum % 8);
            }
        }
        write(folder.path(), &format!("fuzz.jsonl.{ending}"), &packed);
    }
    let Ok(collection) = Collection::open(&[path], &ReadOptions::default(), folder.path()) else {
        return;
    };
    let collection = collection.within(&context());
    let mut batch = Batch::default();
    let Ok(chunks) = collection.chunks() else {
        return;
    };
    for chunk in chunks {
        let Ok(chunk) = chunk else { return };
        chunk.read(&mut batch);
    }
}

/// The description of a run is read, or refused with its place.
///
/// # Panics
/// When that is not so.
pub fn run_folder(data: &[u8]) {
    let folder = folder();
    write(folder.path(), "run.json", data);
    for table in ["units.parquet", "pairs.parquet"] {
        write(folder.path(), table, &changed(data));
    }
    let run = match RunFolder::open(folder.path()) {
        Ok(run) => run,
        Err(error) => return assert!(!error.message().is_empty()),
    };
    match run.info() {
        Ok(info) => {
            let outputs = Outputs::default();
            must(run.write_info(&outputs, &info));
            must(outputs.publish());
            must(run.info());
        }
        Err(error) => assert!(error.path().is_some()),
    }
    let _ = run.stages();
    if let Ok(tables) = read_table::<tegula_io::tables::Units>(
        &run.table::<tegula_io::tables::Units>(),
        Formulas::Kept,
    ) {
        let _ = tables.take_while(Result::is_ok).count();
    }
}

/// Onion writes every line of any file behind a mark, and what it keeps is what it marks so.
///
/// # Panics
/// When that is not so.
pub fn onion_drop_in(data: &[u8]) {
    let folder = folder();
    let path = write(folder.path(), "fuzz.vert", data);
    let threshold: Threshold = must("0.5".parse());
    for tag in ["p", "doc"] {
        let options = Options {
            rules: Rules {
                ngram: 2,
                threshold,
                smooth: Some(3),
            },
            tags: must(Tags::new("doc", tag)),
            whole: false,
            strip: false,
            once: true,
            saved: None,
        };
        let run = |name: &str, options: &Options| {
            let out = folder.path().join(name);
            let outputs = Outputs::default();
            match onion::deduplicate(&context(), &path, (&outputs, Some(&out)), options) {
                Ok(_) => {
                    must(outputs.publish());
                    Some(lines(&out))
                }
                // Compressed by its first bytes, and not to its last.
                Err(error) => {
                    assert!(!error.message().is_empty());
                    None
                }
            }
        };
        let Some(marked) = run("marked", &options) else {
            return;
        };
        let Some(twice) = run(
            "twice",
            &Options {
                once: false,
                ..options.clone()
            },
        ) else {
            return;
        };
        assert_eq!(marked, twice, "one pass and two");
        let Some(kept) = run(
            "kept",
            &Options {
                strip: true,
                ..options
            },
        ) else {
            return;
        };
        let stay: Vec<&[u8]> = marked
            .iter()
            .filter_map(|line| line.strip_prefix(b"0\t"))
            .collect();
        assert!(
            marked
                .iter()
                .all(|line| line.starts_with(b"0\t") || line.starts_with(b"1\t")),
            "a line without a mark"
        );
        assert_eq!(stay, kept.iter().map(Vec::as_slice).collect::<Vec<_>>());
    }
}

fn lines(path: &Path) -> Vec<Vec<u8>> {
    let content = std::fs::read(path).unwrap_or_default();
    let mut lines: Vec<Vec<u8>> = content
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    if lines.last().is_some_and(Vec::is_empty) {
        lines.pop();
    }
    lines
}
