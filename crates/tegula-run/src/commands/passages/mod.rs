//! Passages: what texts share with each other, or with the texts of another collection.

mod context;
mod found;
mod marks;
mod page;
mod shares;

pub use found::Passages;
pub use shares::Shared;

use crate::command::{Answer, Command};
use crate::describe;
use crate::host::Host;
use crate::opened::inputs::Inputs;
use crate::opened::{Opened, Opening, claims, single};
use crate::options::{InputOptions, PairOptions, RecipeOptions, Shown, TableOptions, TokenSource};
use crate::spec::{OutputSpec, StdoutForm};
use crate::table_output::TableOutput;
use crate::targets::{Marking, Targets, Writing};
use marks::PassageMarks;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tegula::constraint::Constraints;
use tegula::declare::Parsed;
use tegula::error::{Error, ErrorKind, Result};
use tegula::field::{FieldKey, FieldNeed};
use tegula::passages::{self, Families};
use tegula::record::Level;
use tegula::threshold::Threshold;
use tegula_io::edit::Edit;
use tegula_io::outputs::{Outputs, Role};
use tegula_io::rewrite::MarkPlace;
use tegula_io::tables::{self, Formulas, PassageRow, TableInfo, check_table_name};

tegula::options! {
    /// A search for the passages that texts share.
    pub struct PassagesSpec under "Passages" {
        /// Only passages that the inputs share with these files or folders; may be repeated
        #[serde(with = "tegula_io::path::list")]
        pub against: Vec<PathBuf> => "PATH",

        /// Minimum number of tokens in a passage, counted on its shorter side [default: 10]
        pub min_tokens: Option<u32> => "N",

        /// Number of equal tokens in a row that a passage must contain [default: 5]
        pub ngram: Option<u32> => "N",

        /// Maximum number of tokens between two equal stretches; 0 for exact passages [default: 8]
        pub max_gap: Option<u32> => "N",

        /// Minimum share of equal tokens among equal tokens and edits [default: 0.75]
        pub min_identity: Option<Threshold> => "SHARE",

        /// Treat an n-gram in more places than this as a common phrase, which makes no passage on its
        /// own; `none` for no limit [default: 50]
        pub common: Option<Common> => "PLACES",

        /// Minimum rarity of a passage, in bits: more words and rarer words give more bits (column
        /// rarity) [default: 0]
        pub min_rarity: Option<u32> => "BITS",

        /// Also list passages that occur twice in one text
        pub inside: bool => "",

        /// Unit in which passages are located [default: document]
        pub unit: Option<Level> => "UNIT",

        /// Normalisation of tokens: default, kupietz, plain, as-is, messages or message-words
        pub normalize: Option<String> => "PRESET",
    } under "Which texts" {
        /// Compare only texts with the same value of a field; may be repeated, all must match
        pub within: Vec<FieldKey> => "FIELD",

        /// Compare only texts with different values of a field, such as author
        pub across: Option<FieldKey> => "FIELD",

        /// Field with the date of a text: the places of a passage are listed earliest first
        pub date: Option<String> => "FIELD",

        /// Format of dates that are not recognised; see `tegula dedup --help`
        pub date_format: Vec<String> => "FORMAT",
    } under "Output" {
        /// List each place on a line, with this many tokens before and after it, as a concordance does
        pub context: Option<u32> => "N",

        /// Also write the text of each passage to the table
        pub texts: bool => "",

        /// Also write a table with a row for each pair of texts: how much of each other they share
        #[serde(with = "tegula_io::path::option")]
        pub shares: Option<PathBuf> => "TABLE",

        /// Also write a table with a row for each text of ⟨against⟩ that shares passages with the
        /// inputs: with how many texts, and the most of it that one text has; for example,
        /// benchmark items found in training data
        #[serde(with = "tegula_io::path::option")]
        pub items: Option<PathBuf> => "TABLE",

        /// Also write the inputs with their passages marked: each in the later of its two texts, or in
        /// the input if the other text is from ⟨against⟩; where passages overlap, the longest
        #[serde(with = "tegula_io::path::option")]
        pub marked: Option<PathBuf> => "OUTPUT",

        /// Vertical, CoNLL-U, TEI and WARC: where to write marks [default: attribute]
        pub mark_place: Option<MarkPlace> => "PLACE",

        /// Also write a page: the passages, a timeline, a matrix, and the texts with passages marked
        #[serde(with = "tegula_io::path::option")]
        pub report: Option<PathBuf> => "PAGE.html",
    }
    blocks {
        /// What to read, and how.
        pub input: InputOptions,
        /// The table.
        pub table: TableOptions,
    }
    besides {}
}

/// A limit, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Common(pub Option<u32>);

impl Parsed for Common {
    const HOLDS: tegula::declare::Holds = tegula::declare::Holds::Any;

    fn parsed(text: &str) -> Result<Self> {
        match text {
            "none" => Ok(Self(None)),
            _ => text.parse().map(|limit| Self(Some(limit))).map_err(|_| {
                ErrorKind::Usage
                    .expected("a number or none")
                    .found(format!("'{text}'"))
            }),
        }
    }
}

impl PassagesSpec {
    /// What counts as a passage.
    pub fn wanted(&self) -> passages::Wanted {
        let mut wanted = passages::Wanted::default();
        let set = |to: &mut u32, from: Option<u32>| *to = from.unwrap_or(*to);
        set(&mut wanted.ngram, self.ngram);
        set(&mut wanted.min_tokens, self.min_tokens);
        set(&mut wanted.max_gap, self.max_gap);
        set(&mut wanted.min_rarity, self.min_rarity);
        wanted.min_identity = self.min_identity.unwrap_or(wanted.min_identity);
        wanted.common = self.common.map_or(wanted.common, |common| common.0);
        wanted.inside = self.inside;
        wanted.texts = self.texts || self.needs_places();
        wanted
    }

    /// Whether passages are listed.
    pub fn is_listed(&self) -> bool {
        [&self.table.output, &self.marked, &self.shares, &self.items]
            .iter()
            .all(|path| path.is_none())
    }

    /// Whether there is a list or a page of the places of each family.
    fn needs_places(&self) -> bool {
        self.is_listed() || self.report.is_some()
    }

    /// What texts and tokens are.
    fn recipe(&self) -> RecipeOptions {
        RecipeOptions {
            unit: self.unit,
            ngram: Some(self.wanted().ngram as usize),
            normalize: self.normalize.clone(),
            tokens: (self.normalize.as_deref() == Some("as-is")).then_some(TokenSource::AsIs),
            ..RecipeOptions::default()
        }
    }

    /// The collection with its passages marked, if it is written.
    fn marks(&self) -> Result<OutputSpec> {
        if self.mark_place.is_some() && self.marked.is_none() {
            return Err(Error::of("⟨mark_place⟩")
                .problem("it needs ⟨marked⟩")
                .hint("name what to write with marks, or leave it out"));
        }
        Ok(OutputSpec {
            path: self.marked.clone(),
            mark_place: self.mark_place.unwrap_or_default(),
            ..OutputSpec::default()
        })
    }
}

impl Answer for Passages {
    fn json(&self) -> Result<Value> {
        Ok(json!({
            "texts": self.found.units.len(),
            "tokens": self.found.tokens,
            "passages": self.found.passages.len(),
            "pairs": self.pairs()?,
            "families": self.families.count,
            "marked": self.marks,
            "passed_over": describe::passed_over_json(&self.passed_over()),
        }))
    }
}

impl Command for PassagesSpec {
    const NAME: &'static str = "passages";
    const ABOUT: &'static str =
        "List the passages that texts share: quotations, reused and moved text";
    const EXAMPLES: &'static str = "Examples:
  tegula passages letters/
  tegula passages letters/ --context 8
  tegula passages speeches.jsonl --in laws/ -o quoted.tsv --texts
  tegula passages books/ --min-tokens 20 --date year --report passages.html
  tegula passages sermons.xml --in bible.txt --marked quoted.xml --mark-place standoff

Two texts share a passage where n tokens in a row are equal (--ngram); it continues across small edits as long as
enough of it is equal (--min-identity). Without -o, passages are listed, rare and long ones first, with all their
places, the earliest first.";
    const SHOWN: Shown = Shown::running(&["top", "width"]);
    type Answer = Passages;

    fn run(&self, host: &Host) -> Result<Passages> {
        passages(host, self)
    }
}

/// Finds passages, and writes what the options ask for.
///
/// # Errors
/// Invalid options, or errors of the inputs, the memory ceiling, scratch or the outputs.
pub fn passages(host: &Host, spec: &PassagesSpec) -> Result<Passages> {
    spec.input.check_any()?;
    let (wanted, form) = (
        spec.wanted(),
        (
            spec.table.form(),
            spec.table.formulas(
                [&spec.shares, &spec.items]
                    .into_iter()
                    .flatten()
                    .map(PathBuf::as_path),
            )?,
        ),
    );
    wanted.check()?;
    if spec.inside && !spec.against.is_empty() {
        return Err(Error::of("⟨inside⟩")
            .expected("no ⟨against⟩, under which every passage is shared with those files")
            .hint("leave out one of the two"));
    }
    let pairs = PairOptions {
        date_format: spec.date_format.clone(),
        against: spec.against.clone(),
        ..PairOptions::default()
    };
    let (input, marks) = (spec.input.spec(&spec.recipe(), &pairs)?, spec.marks()?);
    let recipe = spec.recipe().recipe(host.recipes())?;
    let context = &host.context;
    let table = spec.table.output.as_deref();
    if spec.context.is_some() && !spec.is_listed() {
        return Err(Error::of("⟨context⟩")
            .problem("it is about the listing, which is not printed when a table is written")
            .hint(
                "leave out one of the two; ⟨texts⟩ writes the text of each passage to the table",
            ));
    }
    if let Some(path) = table.filter(|path| path.as_os_str() != "-") {
        check_table_name(path)?;
    }
    for path in spec.shares.iter().chain(&spec.items) {
        check_table_name(path)?;
    }
    if spec.items.is_some() && spec.against.is_empty() {
        return Err(Error::of("⟨items⟩")
            .problem("it needs ⟨against⟩, whose texts it lists")
            .hint("name the texts to look for, such as a benchmark, with ⟨against⟩"));
    }
    let written: Vec<(&str, Option<&Path>)> = [
        ("⟨output⟩", table),
        ("⟨shares⟩", spec.shares.as_deref()),
        ("⟨items⟩", spec.items.as_deref()),
        ("⟨report⟩", spec.report.as_deref()),
    ]
    .into_iter()
    .chain(host.written())
    .collect();
    let outputs = &claims::outputs(host, [], &written)?;
    if let Some(path) = &spec.marked {
        outputs.claim("⟨marked⟩", path, Role::Undecided)?;
    }
    let staged = single(&recipe);
    let opened = Opened::new(
        host,
        outputs,
        Opening {
            constraints: Constraints {
                within: spec.within.clone(),
                across: spec.across.clone(),
                ..Constraints::default()
            },
            fields: spec
                .date
                .as_deref()
                .map(FieldNeed::dates)
                .into_iter()
                .collect(),
            output: table,
            writes_records: spec.marked.is_some(),
            compares_wholes: false,
            ..Opening::new(&input, &staged)
        },
    )?;
    let targets = Targets::resolve(writing(host, outputs, &opened.inputs, &marks))?;
    opened.begin()?;
    let job = opened.job(&recipe, None);
    let (found, _) = opened.read(|bad| passages::find(context, job, &wanted, bad))?;
    let families = Families::new(
        context,
        &found.passages,
        found.units.len(),
        spec.needs_places(),
    )?;
    let mut all = Passages {
        found,
        families,
        inputs: opened.inputs,
        rows: 0,
        marks: 0,
        min_tokens: wanted.min_tokens,
        recipe: recipe.clone(),
    };
    if let Some(path) = table {
        all.rows = write(outputs, path, (form, wanted.texts), &all)?;
    }
    if let Some(path) = &spec.shares {
        all.write_shares(outputs, path, form.1)?;
    }
    if let Some(path) = &spec.items {
        all.write_items(outputs, path, form.1)?;
    }
    if spec.marked.is_some() {
        let (places, _held) = PassageMarks::new(host, &all, (&recipe, spec.date.as_deref()))?;
        let edit = |file, number| places.edit(file, number);
        let warnings = targets.write(
            writing(host, outputs, &all.inputs, &marks),
            None,
            &edit,
            &|_, _| Edit::Drop,
        )?;
        for warning in warnings {
            host.warn(&warning);
        }
        all.marks = places.count();
    }
    if let Some(path) = &spec.report {
        let own = named(&spec.input.inputs);
        let title = if spec.against.is_empty() {
            format!("Passages in {own}")
        } else {
            format!("Passages of {own} in {}", named(&spec.against))
        };
        let page = page::page(&all, &title, spec.date.as_deref())?;
        outputs.write(path, page.as_bytes())?;
    }
    claims::publish(host, outputs)?;
    Ok(all)
}

/// The first inputs, named.
fn named(inputs: &[PathBuf]) -> String {
    let names: Vec<String> = inputs
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    match &names[..] {
        [one] => one.clone(),
        [one, two] => format!("{one} and {two}"),
        [one, more @ ..] => format!("{one} and {} more", more.len()),
        [] => String::new(),
    }
}

/// The collection with marks.
fn writing<'a>(
    host: &'a Host,
    outputs: &'a Outputs,
    inputs: &'a Inputs,
    marks: &'a OutputSpec,
) -> Writing<'a> {
    Writing {
        host,
        outputs,
        main: &inputs.main,
        spec: marks,
        option: "⟨marked⟩",
        marks: Marking::All,
        parts: true,
        passages: true,
    }
}

fn write(
    outputs: &Outputs,
    path: &Path,
    (form, has_texts): ((StdoutForm, Formulas), bool),
    all: &Passages,
) -> Result<u64> {
    let Passages {
        found, families, ..
    } = all;
    let info = TableInfo {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        recipe: String::new(),
        fields: Vec::new(),
    };
    let mut table = TableOutput::<tables::Passages>::create(outputs, path, form, &info)?;
    let mut families = families.of.iter();
    found.passages.for_each(|passage| {
        let Some(family) = families.next() else {
            return Ok(());
        };
        let (a, b) = (&passage.a, &passage.b);
        table.push(&PassageRow {
            id_a: &found.units.id(a.unit),
            start_a: a.chars.start,
            end_a: a.chars.end,
            id_b: &found.units.id(b.unit),
            start_b: b.chars.start,
            end_b: b.chars.end,
            tokens: passage.tokens(),
            identity: f64::from(passage.same) / f64::from(passage.same + passage.edits),
            rarity: (passage.rarity as f64 / 100.0).round() / 10.0,
            family: u64::from(*family) + 1,
            byte_start_a: a.bytes.start,
            byte_end_a: a.bytes.end,
            byte_start_b: b.bytes.start,
            byte_end_b: b.bytes.end,
            equal_a: all.equal(a.unit),
            equal_b: all.equal(b.unit),
            text: has_texts.then_some(&*passage.text),
        })
    })?;
    let rows = table.rows;
    table.finish()?;
    Ok(rows)
}
