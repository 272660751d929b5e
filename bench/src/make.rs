//! A corpus with planted copies, made from real texts: the same sources, size and seed give the
//! same bytes.
//!
//! ```text
//! sources → paragraphs → documents, on scratch → shuffled → each with 0 to 4 copies, on scratch → shuffled → FILE.jsonl
//! ```
//!
//! Texts wait on scratch and only their places are held in memory, so that a corpus may be larger
//! than memory.

use crate::clean;
use crate::cut::{Cutter, Lengths};
use crate::edit::{Editor, Kind};
use crate::random::Random;
use crate::source::{self, Source, failed};
use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tegula::{Error, Result};
use tegula_io::outputs::{AtomicFile, Outputs};
use xxhash_rust::xxh3::Xxh3;

/// What corpus is to be made.
#[derive(Debug, Clone)]
pub struct Order {
    /// Where the texts come from.
    pub sources: Vec<Source>,
    /// Bytes of text, with the copies.
    pub bytes: u64,
    /// Another number is another corpus.
    pub seed: u64,
    /// Lengths of documents.
    pub lengths: Lengths,
    /// Base documents in a hundred that have copies.
    pub copied: usize,
}

/// What was made.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Made {
    /// Documents, with the copies.
    pub documents: u64,
    /// Copies among them.
    pub planted: u64,
    /// Bytes of text.
    pub text_bytes: u64,
    /// Bytes of the file.
    pub file_bytes: u64,
    /// The file's xxh3 hash, 64 bits.
    pub xxh3: String,
    /// Whether the sources held enough text.
    pub enough: bool,
}

/// The most copies of one document.
const MOST_COPIES: usize = 4;

/// Makes the corpus: `out` and, beside it, what was planted, as `NAME.plants.tsv`.
///
/// # Errors
/// When a source cannot be read, or the corpus cannot be written.
pub fn make(order: &Order, out: &Path) -> Result<Made> {
    let folder = folder_of(out);
    let mut random = Random::new(order.seed);
    let mut base = cut_all(order, &mut random, folder)?;
    random.shuffle(&mut base.places);
    let mut editor = Editor::default();
    for number in 0..base.places.len().min(3000) {
        editor.learn(number, base.text(number)?);
    }
    while editor.wants_passages() > 0 && !base.places.is_empty() {
        let number = random.below(base.places.len());
        editor.learn_passage(base.text(number)?, &mut random);
    }
    let mut planted = plant(order, &mut base, &editor, &mut random, folder)?;
    drop(base);
    let mut made = Made {
        planted: planted.plants.len() as u64,
        enough: planted.enough,
        ..Made::default()
    };
    write_plants(&plants_path(out), &planted.plants)?;
    let mut turn: Vec<u32> = (0..planted.store.places.len() as u32).collect();
    random.shuffle(&mut turn);
    let mut writer = Writer::create(out)?;
    for number in turn {
        let (group, copy) = planted.names[number as usize];
        let text = planted.store.text(number as usize)?;
        made.documents += 1;
        made.text_bytes += text.len() as u64;
        writer.record(&id(group, copy), text)?;
    }
    (made.file_bytes, made.xxh3) = writer.finish()?;
    Ok(made)
}

/// The path of the list of plants: `NAME.jsonl` has `NAME.plants.tsv` beside it.
pub fn plants_path(out: &Path) -> PathBuf {
    out.with_extension("plants.tsv")
}

fn folder_of(out: &Path) -> &Path {
    out.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// The id of a base document (copy 0) or of one of its copies: what stands before the dot is the
/// source group.
fn id(group: u32, copy: u8) -> String {
    format!("g{group:07}.{copy}")
}

/// Texts on scratch, and where they stand.
struct Store {
    writer: BufWriter<File>,
    end: u64,
    places: Vec<(u64, u32)>,
    folder: PathBuf,
    buffer: Vec<u8>,
}

impl Store {
    fn new(folder: &Path) -> Result<Self> {
        let file = tempfile::tempfile_in(folder).map_err(failed("create a file in", folder))?;
        let writer = BufWriter::with_capacity(1 << 20, file);
        Ok(Self {
            writer,
            end: 0,
            places: Vec::new(),
            folder: folder.to_path_buf(),
            buffer: Vec::new(),
        })
    }

    fn push(&mut self, text: &str) -> Result<()> {
        self.writer
            .write_all(text.as_bytes())
            .map_err(failed("write to", &self.folder))?;
        self.places.push((self.end, text.len() as u32));
        self.end += text.len() as u64;
        Ok(())
    }

    fn text(&mut self, number: usize) -> Result<&str> {
        let (start, length) = self.places[number];
        self.writer
            .flush()
            .map_err(failed("write to", &self.folder))?;
        let file = self.writer.get_mut();
        self.buffer.resize(length as usize, 0);
        file.seek(SeekFrom::Start(start))
            .and_then(|_| file.read_exact(&mut self.buffer))
            .and_then(|()| file.seek(SeekFrom::Start(self.end)))
            .map_err(failed("read from", &self.folder))?;
        std::str::from_utf8(&self.buffer)
            .map_err(|error| Error::data("the scratch file was changed").because(error))
    }
}

fn cut_all(order: &Order, random: &mut Random, folder: &Path) -> Result<Store> {
    let mut store = Store::new(folder)?;
    for source in &order.sources {
        let collection = source::open(&source.path)?;
        let mut cutter = Cutter::new(order.lengths, Random::new(random.bits()));
        let mut chars = 0;
        source::each_record(&collection, |batch, record| {
            cutter.cut(&clean::paragraphs(batch.text_of(record)), |text| {
                chars += text.chars().count() as u64;
                store.push(text)
            })?;
            Ok(source.most.is_none_or(|most| chars <= most * 1_000_000))
        })?;
    }
    Ok(store)
}

/// A copy that was made.
struct Plant {
    group: u32,
    copy: u8,
    kind: Kind,
}

struct Planted {
    store: Store,
    names: Vec<(u32, u8)>,
    plants: Vec<Plant>,
    enough: bool,
}

/// Takes base documents until there is text enough, and makes their copies: always of the base
/// document, never of a copy.
fn plant(
    order: &Order,
    base: &mut Store,
    editor: &Editor,
    random: &mut Random,
    folder: &Path,
) -> Result<Planted> {
    let mut planted = Planted {
        store: Store::new(folder)?,
        names: Vec::new(),
        plants: Vec::new(),
        enough: true,
    };
    for number in 0..base.places.len() {
        if planted.store.end >= order.bytes {
            return Ok(planted);
        }
        let group = number as u32;
        let text = base.text(number)?;
        planted.store.push(text)?;
        planted.names.push((group, 0));
        if random.chance(order.copied) {
            for copy in 1..=random.between(1, MOST_COPIES) as u8 {
                let kind = Kind::draw(random);
                planted.store.push(&editor.copy(text, kind, random))?;
                planted.names.push((group, copy));
                planted.plants.push(Plant { group, copy, kind });
            }
        }
    }
    planted.enough = planted.store.end >= order.bytes;
    Ok(planted)
}

fn write_plants(path: &Path, plants: &[Plant]) -> Result<()> {
    let outputs = Outputs::default();
    let mut out = BufWriter::new(outputs.create(path)?);
    let mut write = || {
        writeln!(out, "id\tbase\tkind\trate")?;
        for plant in plants {
            let (copy, base) = (id(plant.group, plant.copy), id(plant.group, 0));
            writeln!(out, "{copy}\t{base}\t{}\t{}", plant.kind, plant.kind.rate())?;
        }
        Ok(())
    };
    write().map_err(failed("write", path))?;
    out.into_inner()
        .map_err(|error| Error::io("write", path, error.into_error()))?
        .finish()?;
    outputs.publish().map(drop)
}

/// Writes JSONL and hashes it on the way.
struct Writer {
    outputs: Outputs,
    out: BufWriter<AtomicFile>,
    path: PathBuf,
    line: Vec<u8>,
    hash: Xxh3,
    bytes: u64,
}

#[derive(serde::Serialize)]
struct Line<'a> {
    id: &'a str,
    text: &'a str,
}

impl Writer {
    fn create(path: &Path) -> Result<Self> {
        let outputs = Outputs::default();
        let out = BufWriter::with_capacity(1 << 20, outputs.create(path)?);
        Ok(Self {
            outputs,
            out,
            path: path.to_path_buf(),
            line: Vec::new(),
            hash: Xxh3::new(),
            bytes: 0,
        })
    }

    fn record(&mut self, id: &str, text: &str) -> Result<()> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, &Line { id, text })
            .map_err(|error| Error::data("the record cannot be written as JSON").because(error))?;
        self.line.push(b'\n');
        self.hash.update(&self.line);
        self.bytes += self.line.len() as u64;
        self.out
            .write_all(&self.line)
            .map_err(failed("write", &self.path))
    }

    fn finish(self) -> Result<(u64, String)> {
        self.out
            .into_inner()
            .map_err(|error| Error::io("write", &self.path, error.into_error()))?
            .finish()?;
        self.outputs.publish()?;
        Ok((self.bytes, format!("{:016x}", self.hash.digest())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Texts that read like running text, without any that need a licence.
    fn write_source(folder: &Path) -> Source {
        let mut random = Random::new(77);
        let path = folder.join("source.jsonl");
        let mut file = File::create(&path).unwrap();
        for _ in 0..40 {
            let mut text = String::new();
            for _ in 0..random.between(1, 30) {
                for _ in 0..random.between(5, 80) {
                    text.push_str(
                        ["tile", "roof ", "Ziegel ", "12 ", "strecha, ", "over. "][random.below(6)],
                    );
                }
                text.push_str("\n\n");
            }
            writeln!(file, "{}", serde_json::json!({ "text": text })).unwrap();
        }
        Source { path, most: None }
    }

    fn order(folder: &Path, bytes: u64, seed: u64) -> Order {
        Order {
            sources: vec![write_source(folder)],
            bytes,
            seed,
            lengths: Lengths::default(),
            copied: 20,
        }
    }

    #[test]
    fn the_same_seed_makes_the_same_bytes_and_another_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("c.jsonl");
        let made = make(&order(folder.path(), 60_000, 5), &out).unwrap();
        let bytes = std::fs::read(&out).unwrap();
        assert_eq!(made.file_bytes, bytes.len() as u64);
        assert_eq!(made.xxh3, "fc29888adcebd68d");
        assert_eq!(make(&order(folder.path(), 60_000, 5), &out).unwrap(), made);
        assert_ne!(
            make(&order(folder.path(), 60_000, 6), &out).unwrap().xxh3,
            made.xxh3
        );
    }

    #[test]
    fn plants_and_ids_tell_where_a_document_came_from() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("c.jsonl");
        let made = make(&order(folder.path(), 60_000, 5), &out).unwrap();
        assert!(made.enough && made.text_bytes >= 60_000 && made.planted > 0);
        let mut texts = HashMap::new();
        source::each_record(&source::open(&out).unwrap(), |batch, record| {
            texts.insert(
                batch.id_of(record).unwrap().to_owned(),
                batch.text_of(record).to_owned(),
            );
            Ok(true)
        })
        .unwrap();
        assert_eq!(texts.len() as u64, made.documents);
        let plants = std::fs::read_to_string(plants_path(&out)).unwrap();
        assert_eq!(plants.lines().count() as u64, made.planted + 1);
        for line in plants.lines().skip(1) {
            let cells: Vec<&str> = line.split('\t').collect();
            let [copy, base, kind, _rate] = cells[..] else {
                panic!("{line}")
            };
            assert_eq!(
                copy.split_once('.').unwrap().0,
                base.split_once('.').unwrap().0
            );
            if kind == "exact" {
                assert_eq!(texts[copy], texts[base]);
            }
        }
    }

    #[test]
    fn sources_that_are_too_small_are_said_to_be() {
        let folder = tempfile::tempdir().unwrap();
        let made = make(
            &order(folder.path(), 1 << 40, 5),
            &folder.path().join("c.jsonl"),
        )
        .unwrap();
        assert!(!made.enough && made.documents > 10);
    }
}
