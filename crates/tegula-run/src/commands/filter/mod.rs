//! A stream of hits without near copies: each line is judged on arrival, and written or hidden.

mod known;

use crate::command::{Answer, Command};
use crate::host::Host;
use crate::opened::bad::{self, Bad};
use crate::opened::claims;
use crate::options::{BadRecordOptions, RecipeOptions, Shown};
use known::{Adds, Judged, Known};
use regex::Regex;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::Write as _;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tegula::declare::Options as _;
use tegula::engine::bad_records::BadRecords as _;
use tegula::error::{Error, ErrorKind, Result};
use tegula::filter::{Filter, Hidden};
use tegula::record::SourceFile;
use tegula_io::hits::{Content, Expanded, Hit, Hits, for_each_row};
use tegula_io::outputs::Packed;
use tegula_io::tables::{Expressions, Formulas, read_table};

tegula::options! {
    /// A stream of hits without near copies.
    pub struct FilterSpec under "" {
        /// A JSONL file, optionally compressed [default: -, standard input]
        #[serde(with = "tegula_io::path::option")]
        pub input: Option<PathBuf> => "FILE",
    } under "Output" {
        /// Output file, compressed according to its name; it appears under that name when the
        /// stream ends [default: -, standard output]
        #[serde(with = "tegula_io::path::option")]
        pub output: Option<PathBuf> => "FILE",

        /// Add to each kept hit a field `hidden` that lists the hits hidden under it: id, rank and
        /// score
        ///
        /// A line is then written only when no more can be hidden under it: at the end of the stream,
        /// or with ⟨last⟩ N once N more hits have been kept.
        pub expand: bool => "",
    } under "Input" {
        /// Field with the text: a top-level key, or a JSON Pointer such as /doc/body; repeat to join
        /// several [default: text]
        pub text_key: Vec<String> => "KEY",

        /// Field with the id of a hit, for ⟨expand⟩ and ⟨add⟩ [default: id if present]
        pub id_key: Option<String> => "KEY",

        /// Drop hits that match a template: a table of `tegula templates`, or any other with a
        /// column `regex`; may be repeated
        #[serde(with = "tegula_io::path::list")]
        pub drop_template: Vec<PathBuf> => "TABLE",

        /// Compare with the last N kept hits only, so that memory is bounded
        pub last: Option<NonZeroU32> => "N",
    } under "Index" {
        /// Also hide hits that match a text in this index; hits are then compared by its recipe
        #[serde(with = "tegula_io::path::option")]
        pub index: Option<PathBuf> => "INDEX",

        /// Add the kept hits to ⟨index⟩; a hit whose id is already there replaces that text
        pub add: bool => "",
    }
    blocks {
        /// What to do with lines that cannot be read.
        pub bad: BadRecordOptions,
        /// How hits are compared.
        pub recipe: RecipeOptions,
    }
    besides {}
}

impl Command for FilterSpec {
    const NAME: &'static str = "filter";
    const ABOUT: &'static str = "Filter a stream of hits, leaving out near copies of earlier ones";
    const EXAMPLES: &'static str = "Examples:
  search 'storm harbour' | tegula filter | head -20
  search 'storm harbour' | tegula filter --expand --text-key body --id-key url > hits.jsonl
  tail -f feed.jsonl | tegula filter --last 100000 --recipe ssr --threshold 0.8
  tegula filter messages.jsonl --drop-template spam.tsv -o rest.jsonl
  crawl | tegula filter --index seen.idx --add --id-key url > new.jsonl

Hits are lines of JSONL, the best first. A hit is hidden if an earlier hit that was kept matches it at or
above the threshold; all others are written unchanged and at once. Under copies and the other recipes of
containment, a hit is hidden if its own content is in the earlier one. A longer version that comes later is kept,
and so is the shorter one before it: rank decides, and what is written is never taken back.

All shingles of the kept hits are held, 25 to 50 bytes each. On endless streams, --last limits this, or
--index with --add, which keeps them on disk, for later streams too.";
    const SHOWN: Shown = Shown::only(&["json", "memory", "quiet"]);
    type Answer = Filtered;

    fn run(&self, host: &Host) -> Result<Filtered> {
        filter(host, self)
    }
}

/// What became of a stream.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Filtered {
    /// Hits that were judged.
    pub hits: u64,
    /// Those that were written.
    pub kept: u64,
    /// Those that were hidden.
    pub hidden: u64,
    /// Those of them that match a text of the index.
    pub known: u64,
    /// Those that were dropped, as they match a template.
    pub dropped: u64,
    /// Lines that could not be read.
    pub skipped: u64,
    /// Seconds that judging took, without waiting for hits.
    pub seconds: f64,
}

impl Answer for Filtered {
    fn json(&self) -> Result<Value> {
        Ok(json!(self))
    }
}

/// Writes the hits that are not near copies of kept ones before them, each as soon as it is judged.
/// With lists of hidden hits, a kept line waits until its list is complete.
///
/// # Errors
/// Usage errors before anything is read; then errors of the stream, the memory ceiling or the
/// output. What was written to standard output by then remains.
pub fn filter(host: &Host, spec: &FilterSpec) -> Result<Filtered> {
    let input = spec.input.as_deref().unwrap_or(Path::new("-"));
    let output = spec.output.as_deref().unwrap_or(Path::new("-"));
    for (option, is_given) in [("⟨add⟩", spec.add), ("⟨last⟩", spec.last.is_some())] {
        match (&spec.index, option, is_given) {
            (None, "⟨add⟩", true) => {
                return Err(Error::of("⟨add⟩")
                    .expected("an index as ⟨index⟩")
                    .found("none"));
            }
            (Some(_), "⟨last⟩", true) => {
                return Err(Error::of("⟨last⟩")
                    .expected("no ⟨index⟩, which has all texts")
                    .found("both"));
            }
            _ => {}
        }
    }
    if spec.id_key.is_some() && !spec.expand && !spec.add {
        return Err(Error::of("⟨id_key⟩")
            .problem("it needs ⟨expand⟩, which lists ids, or ⟨add⟩")
            .hint("leave it out: no other option needs ids"));
    }
    let table = host.table(input);
    if table.is_some() && spec.expand {
        return Err(Error::of("⟨expand⟩")
            .expected("a stream of lines")
            .found("a table in memory")
            .hint("leave it out"));
    }
    if table.is_some() && spec.add {
        return Err(Error::of("⟨add⟩")
            .expected("a stream of lines")
            .found("a table in memory")
            .hint("leave it out, and add what is kept"));
    }
    let quarantine = spec.bad.quarantine_folder(Some(output))?;
    let host = &spec.recipe.read_by(host);
    let judge = match &spec.index {
        None => {
            let recipe = spec.recipe.recipe(host.recipes())?;
            Judge::Kept(Box::new(Filter::new(&recipe, &host.context, spec.last)?))
        }
        Some(path) => {
            let (given, threshold) = (spec.recipe.given(), spec.recipe.threshold);
            // A hit whose line is lost must not be in the index.
            let is_late = spec.expand || output.as_os_str() != "-";
            let adds = match (spec.add, is_late) {
                (false, _) => Adds::Nothing,
                (true, true) => Adds::Last,
                (true, false) => Adds::Often,
            };
            let known = Known::open(path, &given, threshold, adds, &host.context)?;
            Judge::Known(Box::new(known))
        }
    };
    let written: Vec<_> = std::iter::once(("⟨output⟩", Some(output)))
        .chain(host.written())
        .collect();
    let read = std::iter::once(input).chain(spec.drop_template.iter().map(PathBuf::as_path));
    let outputs = claims::outputs(host, read, &written)?;
    let files = [SourceFile {
        path: input.to_path_buf(),
        name: input.to_string_lossy().into_owned(),
        bytes: 0,
    }];
    if !quarantine.as_os_str().is_empty() {
        bad::claim(&outputs, &quarantine, &files)?;
    }
    outputs.begin()?;
    let quarantine = Some((&outputs, quarantine));
    let mut bad = Bad::new(spec.bad.on_bad_record(), quarantine, &files);
    let mut first_bad = None;
    let mut sieve = Sieve {
        judge,
        templates: expressions(&spec.drop_template)?,
        waiting: spec.expand.then(VecDeque::new),
        last: spec.last,
        kept: match table {
            Some(_) => Kept::Rows(Vec::new()),
            None => Kept::Lines(Box::new(Packed::create(&outputs, output)?)),
        },
        is_piped: output.as_os_str() == "-",
        held: host.context.budget.reserve(0, "kept lines")?,
        filtered: Filtered::default(),
    };
    let mut has_ids = false;
    let mut take = |hit: Hit<'_>| -> Result<()> {
        host.context.check()?;
        match hit.content {
            Ok(content) => {
                has_ids |= content.id.is_some();
                sieve
                    .judge(hit.line, hit.rank, &content)
                    .map_err(|error| at(error, input, hit.number))
            }
            Err(record) => {
                first_bad.get_or_insert_with(|| record.error.to_string());
                sieve.filtered.skipped += 1;
                bad.bad(0, record)
            }
        }
    };
    if let Some(table) = table {
        for_each_row(table, &spec.text_key, take)?;
    } else {
        // Last, as it waits for the first bytes.
        let mut hits = Hits::open(input, &spec.text_key, spec.id_key.as_deref())?;
        while let Some(hit) = hits.next_hit(spec.expand)? {
            take(hit)?;
        }
    }
    bad.finish(host)?;
    let (filtered, rows, judge) = sieve.finish()?;
    if let Some(received) = host.received(output) {
        received.put_numbers("row", rows)?;
    }
    if let (0, Some(first)) = (filtered.hits, first_bad) {
        return Err(ErrorKind::Data
            .expected("hits that can be read")
            .found(format!(
                "none: all {} lines are bad; the first: {first}",
                filtered.skipped
            ))
            .hint("set ⟨text_key⟩ to the field of the text, or repair the stream"));
    }
    if let (Some(key), false) = (&spec.id_key, has_ids || filtered.hits == 0) {
        return Err(Error::of("⟨id_key⟩")
            .expected("a field of the hits")
            .found(format!("none with `{key}`"))
            .hint("leave it out: hits are also named by their ranks"));
    }
    if filtered.hits == 0 {
        host.warn("there are no hits in the input");
    }
    claims::publish(host, &outputs)?;
    if let Judge::Known(mut index) = judge {
        index.flush()?;
    }
    Ok(filtered)
}

/// The regular expressions of tables of templates. A combined set would be slower, as it follows
/// all of them through every text.
fn expressions(paths: &[PathBuf]) -> Result<Vec<Regex>> {
    let mut all = Vec::new();
    for path in paths {
        let before = all.len();
        let mut number = 0;
        for rows in read_table::<Expressions>(path, Formulas::Kept)? {
            for row in rows?.iter() {
                number += 1;
                let Some(regex) = row.regex else { continue };
                let wrong = |error: regex::Error| {
                    // The parser's message shows the expression on separate lines.
                    let reason = error.to_string();
                    let reason = reason.lines().last().unwrap_or_default();
                    let reason = reason.trim_start_matches("error: ");
                    ErrorKind::Data
                        .expected("a regular expression")
                        .found(format!("'{regex}': {reason}"))
                        .at(path)
                        .record(number)
                };
                all.push(Regex::new(regex).map_err(wrong)?);
            }
        }
        if all.len() == before {
            return Err(Error::of("⟨drop_template⟩")
                .expected("regular expressions in a column `regex`")
                .found("none")
                .at(path)
                .hint("name a table that tegula templates wrote"));
        }
    }
    Ok(all)
}

/// The error with the line at which the memory ceiling was met.
fn at(error: Error, path: &Path, number: u64) -> Error {
    if error.kind() == tegula::ErrorKind::Memory {
        error.at(path).record(number)
    } else {
        error
    }
}

/// Judges hits and writes those that are kept.
struct Sieve {
    judge: Judge,
    /// Texts that match one are dropped.
    templates: Vec<Regex>,
    /// Kept lines with the numbers of their hits, if they list those hidden under them.
    waiting: Option<VecDeque<(u64, Expanded)>>,
    last: Option<NonZeroU32>,
    kept: Kept,
    is_piped: bool,
    held: tegula::context::Reservation,
    filtered: Filtered,
}

impl Sieve {
    fn judge(&mut self, line: &[u8], rank: u64, content: &Content<'_>) -> Result<()> {
        let clock = Instant::now();
        let is_of = |template: &Regex| template.is_match(content.text);
        let dropped = self.templates.iter().any(is_of);
        let number = self.filtered.hits - self.filtered.dropped;
        let judged = match &mut self.judge {
            _ if dropped => Judged::New,
            Judge::Kept(filter) => match filter.judge(content.text)? {
                Some(hidden) => Judged::Hidden(hidden),
                None => Judged::New,
            },
            Judge::Known(index) => index.judge(number, content.text)?,
        };
        self.filtered.seconds += clock.elapsed().as_secs_f64();
        self.filtered.hits += 1;
        if dropped {
            self.filtered.dropped += 1;
            return Ok(());
        }
        match judged {
            Judged::New => {}
            Judged::Known => {
                self.filtered.hidden += 1;
                self.filtered.known += 1;
                return Ok(());
            }
            Judged::Hidden(hidden) => {
                self.filtered.hidden += 1;
                return self.hide(hidden, rank, content);
            }
        }
        self.filtered.kept += 1;
        match (&mut self.waiting, Expanded::new(line, content)) {
            (Some(waiting), Some(kept)) => {
                self.held.grow(kept.bytes(), WHAT).map_err(shorter)?;
                waiting.push_back((number, kept));
                let last = self.last.map_or(usize::MAX, |last| last.get() as usize);
                if waiting.len() > last {
                    self.release()?;
                }
            }
            _ => self.write(line, rank)?,
        }
        match &mut self.judge {
            Judge::Known(index) => index.keep(line, content),
            Judge::Kept(_) => Ok(()),
        }
    }

    /// Lists a hit under its witness.
    fn hide(&mut self, hidden: Hidden, rank: u64, content: &Content<'_>) -> Result<()> {
        let Some(waiting) = &mut self.waiting else {
            return Ok(());
        };
        let place = waiting.binary_search_by_key(&hidden.witness, |(number, _)| *number);
        if let Some((_, kept)) = place.ok().and_then(|place| waiting.get_mut(place)) {
            let before = kept.bytes();
            kept.hide(content.id, rank, hidden.score);
            self.held
                .grow(kept.bytes() - before, WHAT)
                .map_err(shorter)?;
        }
        Ok(())
    }

    /// Writes the line that has waited longest.
    fn release(&mut self) -> Result<()> {
        let Some((_, kept)) = self.waiting.as_mut().and_then(VecDeque::pop_front) else {
            return Ok(());
        };
        self.held.shrink(kept.bytes());
        self.write(&kept.into_line(), 0)
    }

    /// Writes a line, so that the reader of a pipe has it at once; of a table, notes the row.
    fn write(&mut self, line: &[u8], rank: u64) -> Result<()> {
        match &mut self.kept {
            Kept::Rows(rows) => rows.push(rank - 1),
            Kept::Lines(output) => {
                output.put(line)?;
                if self.is_piped {
                    (output.flush()).map_err(|error| Error::io("write", Path::new("-"), error))?;
                }
            }
        }
        Ok(())
    }

    /// What became of the hits; of a table, the rows that are kept; and what they were judged by.
    fn finish(mut self) -> Result<(Filtered, Vec<u64>, Judge)> {
        while self
            .waiting
            .as_ref()
            .is_some_and(|waiting| !waiting.is_empty())
        {
            self.release()?;
        }
        let rows = match self.kept {
            Kept::Rows(rows) => rows,
            Kept::Lines(output) => output.finish().map(|()| Vec::new())?,
        };
        Ok((self.filtered, rows, self.judge))
    }
}

/// What hits are judged by.
enum Judge {
    /// Those that were kept.
    Kept(Box<Filter>),
    /// Those, and the texts of an index.
    Known(Box<Known>),
}

/// What is kept: lines, each written at once, or rows of a table in memory.
enum Kept {
    Lines(Box<Packed>),
    Rows(Vec<u64>),
}

/// What the memory is for, in errors.
const WHAT: &str = "kept lines, which wait until no more hits can be hidden under them";

/// The error at the memory ceiling, which a shorter reach avoids.
fn shorter(error: Error) -> Error {
    error.first("compare with fewer kept hits: set or lower ⟨last⟩")
}
