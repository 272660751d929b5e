//! Stories: clusters of similar texts in chronological order: how long each ran, and in how many
//! sources.

mod page;

use crate::command::{Answer, Command};
use crate::describe;
use crate::evidence::recipe_hash;
use crate::host::Host;
use crate::opened::claims;
use crate::opened::inputs::Inputs;
use crate::options::{InputOptions, PairOptions, RecipeOptions, Shown, TableOptions};
use crate::search::Search;
use crate::spec::{RunKind, RunSpec};
use crate::table_output::TableOutput;
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use tegula::cluster::Clusters;
use tegula::decide::{Keep, KeepRule};
use tegula::error::{Error, Result};
use tegula::evidence::Findings;
use tegula::field::{self, FieldKey};
use tegula::stage_input::RemovedUnits;
use tegula_io::passed_over::PassedOver;
use tegula_io::tables::{self, StoryRow, StoryTextRow, TableInfo, check_table_name, escape_json};
use tegula_report::form::{count, plural};

/// The recipe and its threshold, unless one is named: reports are shortened, and combined with
/// others.
const RECIPE: (&str, &str) = ("sscr", "0.5");
/// The minimum number of tokens of a text, unless another is given: interjections and headings are
/// not stories.
const TOKENS: u32 = 20;

tegula::options! {
    /// A search for stories.
    pub struct StoriesSpec under "Stories" {
        /// Field with the date of each text [default: that of ⟨window⟩]
        pub date: Option<String> => "FIELD",

        /// Field with the source of each text: paper, or date:year
        pub by: Option<FieldKey> => "FIELD",

        /// Only stories of at least N texts [default: 2]
        pub min_texts: Option<u32> => "N",

        /// Only stories in at least N sources [default: 0]
        pub min_sources: Option<u32> => "N",
    } under "Output" {
        /// Also write a table of the texts of all stories, with their dates and sources
        #[serde(with = "tegula_io::path::option")]
        pub texts: Option<PathBuf> => "TABLE",

        /// Also write a page: stories with their timelines, how long they ran, and who had them first
        #[serde(with = "tegula_io::path::option")]
        pub report: Option<PathBuf> => "PAGE.html",
    }
    blocks {
        /// What to read, and how.
        pub input: InputOptions,
        /// The table.
        pub table: TableOptions,
        /// Which pairs count.
        pub pairs: PairOptions,
        /// How clusters are found.
        pub recipe: RecipeOptions,
    }
    besides {}
}

impl StoriesSpec {
    /// How clusters are found, and the field with the date of each text.
    fn search(&self, host: &Host) -> Result<(RunSpec, String)> {
        let recipe = self.recipe.otherwise(RECIPE)?;
        let resolved = recipe.recipe(host.recipes())?;
        let mut constraints = self.pairs.constraints();
        if self.pairs.min_tokens.is_none() {
            constraints.min_tokens = TOKENS;
        }
        let window = constraints.window.as_ref().map(|(key, _)| key.name.clone());
        let Some(date) = self.date.clone().or(window) else {
            return Err(Error::of("⟨date⟩")
                .expected("the field with the dates")
                .found("none")
                .hint("name it, as in ⟨date=published⟩, or ⟨window=published=3d⟩"));
        };
        let mut run = RunSpec::new(RunKind::Pairs, resolved, Vec::<PathBuf>::new());
        run.input = self.input.spec(&recipe, &self.pairs)?;
        run.input.steps_named = recipe.steps_named(&run.recipe);
        run.output.path.clone_from(&self.table.output);
        run.constraints = constraints;
        // Keeps the earliest first, so that the run reads dates, and refuses fields that have none.
        run.policy.keep = Keep::new(vec![KeepRule::Oldest(date.clone())])?;
        run.evidence.by = self.by.iter().cloned().collect();
        Ok((run, date))
    }
}

impl Command for StoriesSpec {
    const NAME: &'static str = "stories";
    const ABOUT: &'static str = "List clusters of similar texts in chronological order: their duration, sources and first source";
    const EXAMPLES: &'static str = "Examples:
  tegula stories news.jsonl --window date=3d --by paper
  tegula stories news/ --window published=1w --by source --min-sources 3 -o stories.tsv --texts texts.tsv
  tegula stories messages.csv --date received --report spread.html

A story is a cluster of similar texts (--recipe sscr --threshold 0.5, unless others are named). With --window, texts
further apart are not compared, so a story continues as long as its next text appears in time. Texts of fewer than
20 tokens are skipped, unless --min-tokens says otherwise.";
    const SHOWN: Shown = Shown::running(&["top"]);
    type Answer = Stories;

    fn run(&self, host: &Host) -> Result<Stories> {
        stories(host, self)
    }
}

impl Answer for Stories {
    fn json(&self) -> Result<Value> {
        let texts: usize = self.list.iter().map(|story| story.texts.len()).sum();
        Ok(json!({
            "stories": self.list.len(),
            "texts": texts,
            "among": self.found.units.len(),
            "passed_over": describe::passed_over_json(&self.passed_over()),
        }))
    }
}

/// A text of a story.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// The text.
    pub unit: u32,
    /// Its day, counted from 1970-01-01; none if it has no date.
    pub day: Option<i64>,
    /// The index of its source in [`Stories::sources`]; none if it names none.
    pub source: Option<u32>,
}

/// A cluster of texts in time.
#[derive(Debug, Clone, PartialEq)]
pub struct Story {
    /// Its texts, the earliest first; those of one day in input order, those without a date last.
    pub texts: Vec<Member>,
    /// Different texts among them.
    pub different: u32,
    /// The number of sources.
    pub sources: u32,
    /// The number of days on which it appeared.
    pub days: u32,
    /// The lowest score among its pairs.
    pub min_edge: f64,
    /// Pairs over all possible pairs.
    pub density: Option<f64>,
}

impl Story {
    /// Its earliest text.
    pub fn first(&self) -> Member {
        self.texts[0]
    }

    /// Its first and its last day; none if no text has a date.
    pub fn span(&self) -> Option<(i64, i64)> {
        let days = || self.texts.iter().filter_map(|text| text.day);
        days().min().zip(days().max())
    }

    /// The days from its first text to its last; none if no text has a date.
    pub(super) fn length(&self) -> Option<u64> {
        self.span().map(|(first, last)| (last - first + 1) as u64)
    }

    /// The days on which it appeared, of those from its first text to its last, as in "4 of 10
    /// days"; none if no text has a date.
    pub fn in_days(&self) -> Option<String> {
        let on = u64::from(self.days);
        Some(match self.length()? {
            1 => "1 day".to_owned(),
            all if all == on => format!("{} in a row", plural(on, "day")),
            all => format!("{} of {}", count(on), plural(all, "day")),
        })
    }

    /// Its sources in the order in which they had it, each with its first text; texts without a
    /// date or a source do not count.
    pub fn by_source(&self) -> Vec<Member> {
        let mut seen = std::collections::HashSet::new();
        let dated = self
            .texts
            .iter()
            .filter(|text| text.day.is_some() && text.source.is_some());
        dated
            .filter(|text| seen.insert(text.source))
            .copied()
            .collect()
    }
}

/// The stories of a collection.
pub struct Stories {
    /// Those in the most sources first, then those with the most texts, then the earliest.
    pub list: Vec<Story>,
    /// The findings that they are made of.
    pub found: Findings,
    /// The names of the sources; none if no field is named.
    pub sources: Vec<String>,
    /// The field with the dates.
    pub date: String,
    inputs: Inputs,
}

impl Stories {
    /// What the files hold besides the records that were read.
    pub fn passed_over(&self) -> Vec<PassedOver> {
        self.inputs.passed_over()
    }

    /// The date of a text as written, if it has one.
    pub fn written(&self, unit: u32) -> Option<&str> {
        let units = &self.found.units;
        let column = field::find(&units.records.fields, &self.date).ok()?;
        column.get(units.record_of(unit))
    }

    /// The date of a text as `YYYY-MM-DD`, if it has one.
    pub fn day(&self, unit: u32) -> Option<String> {
        let units = &self.found.units;
        let column = field::find(&units.records.fields, &self.date).ok()?;
        Some(column.date(self.written(unit)?)?.date())
    }

    /// The name of a text's source, if it names one.
    pub fn source(&self, member: Member) -> Option<&str> {
        Some(&self.sources[member.source? as usize])
    }

    /// The texts of some units, reread; none for a record that no longer exists.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn texts_of(&self, units: &[u32]) -> Result<Vec<Option<String>>> {
        self.inputs.texts(&self.found.units, units)
    }
}

/// Finds stories, and writes what the options ask for.
///
/// # Errors
/// Invalid options, or errors of the inputs, the memory ceiling, scratch or the outputs.
pub fn stories(host: &Host, spec: &StoriesSpec) -> Result<Stories> {
    spec.input.check_any()?;
    let (run, date) = spec.search(host)?;
    if spec.by.is_none() && spec.min_sources.is_some_and(|least| least > 0) {
        return Err(Error::of("⟨min_sources⟩")
            .expected("⟨by⟩ with the field of the sources")
            .found("none")
            .hint("name the field, as in ⟨by=source⟩"));
    }
    let (table, texts) = (spec.table.output.as_deref(), spec.texts.as_deref());
    let form = (spec.table.form(), spec.table.formulas(texts)?);
    for path in [table, texts].into_iter().flatten() {
        if path.as_os_str() != "-" {
            check_table_name(path)?;
        }
    }
    let host = &spec.recipe.read_by(host);
    let read = run.input.paths.iter().chain(&run.input.against);
    let report = spec.report.as_deref();
    let written: Vec<(&str, Option<&Path>)> = [
        ("⟨output⟩", table),
        ("⟨texts⟩", texts),
        ("⟨report⟩", report),
    ]
    .into_iter()
    .chain(host.written())
    .collect();
    let outputs = &claims::outputs(host, read.map(PathBuf::as_path), &written)?;
    let mut search = Search::open(host, &run, outputs)?;
    let recipe = search.recipe_of_pairs()?;
    search.begin()?;
    let found = search.find(0, &RemovedUnits::default(), None)?;
    let clusters = Clusters::new(&found, recipe.threshold)?;
    let _held = host.context.budget.reserve(
        2 * size_of::<Member>() as u64 * clusters.units(),
        "the texts of the stories",
    )?;
    let mut all = Stories {
        list: Vec::new(),
        found,
        sources: Vec::new(),
        date,
        inputs: search.opened.inputs,
    };
    fill(&mut all, &clusters, spec)?;
    let info = TableInfo {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        recipe: recipe_hash(&recipe)?,
        fields: Vec::new(),
    };
    if let Some(path) = table {
        let mut table = TableOutput::<tables::Stories>::create(outputs, path, form, &info)?;
        for (number, story) in (1..).zip(&all.list) {
            write(&all, spec, &mut table, (number, story))?;
        }
        table.finish()?;
    }
    if let Some(path) = texts {
        let mut table = TableOutput::<tables::StoryTexts>::create(outputs, path, form, &info)?;
        for (number, story) in (1..).zip(&all.list) {
            let first = story.first().day;
            for text in &story.texts {
                table.push(&StoryTextRow {
                    story: number,
                    id: &all.found.units.id(text.unit),
                    date: all.day(text.unit).as_deref(),
                    days_after: text.day.zip(first).map(|(day, first)| (day - first) as u32),
                    source: all.source(*text),
                })?;
            }
        }
        table.finish()?;
    }
    if let Some(path) = report {
        let page = page::page(&all, spec.by.as_ref())?;
        outputs.write(path, page.as_bytes())?;
    }
    claims::publish(host, outputs)?;
    Ok(all)
}

/// Puts clusters in the order of time.
fn fill(all: &mut Stories, clusters: &Clusters, spec: &StoriesSpec) -> Result<()> {
    let units = &all.found.units;
    let column = field::find(&units.records.fields, &all.date)?;
    let days: Vec<Option<i64>> = column
        .values()
        .iter()
        .map(|value| column.date(value).map(tegula::date::Moment::day))
        .collect();
    let by = match &spec.by {
        Some(key) => {
            let column = field::find(&units.records.fields, &key.name)?;
            let (codes, names) = key.parts(column);
            all.sources = names;
            let named = |code: &u32| all.sources[*code as usize] != field::MISSING;
            let codes: Vec<Option<u32>> = codes
                .into_iter()
                .map(|code| Some(code).filter(named))
                .collect();
            Some((column, codes))
        }
        None => None,
    };
    let mut of_cluster: Vec<Vec<Member>> = vec![Vec::new(); clusters.list.len()];
    let mut digests: Vec<Vec<u128>> = vec![Vec::new(); clusters.list.len()];
    for (group, cluster) in (0..).zip(&clusters.of_group) {
        if *cluster == Clusters::NONE {
            continue;
        }
        // Equal texts that are not compared with each other are several groups.
        let first = all.found.groups.first[group as usize];
        digests[*cluster as usize].push(units.digest[first as usize]);
        for unit in all.found.groups.members(group) {
            let record = units.record_of(*unit);
            of_cluster[*cluster as usize].push(Member {
                unit: *unit,
                day: days[column.code(record) as usize],
                source: by
                    .as_ref()
                    .and_then(|(column, codes)| codes[column.code(record) as usize]),
            });
        }
    }
    let (min_sources, min_texts) = (spec.min_sources.unwrap_or(0), spec.min_texts.unwrap_or(2));
    for ((cluster, mut texts), mut digests) in clusters.list.iter().zip(of_cluster).zip(digests) {
        digests.sort_unstable();
        digests.dedup();
        let different = digests.len() as u32;
        texts.sort_unstable_by_key(|text| (text.day.is_none(), text.day, text.unit));
        let count = |of: &dyn Fn(&Member) -> Option<i64>| {
            let mut values: Vec<i64> = texts.iter().filter_map(of).collect();
            values.sort_unstable();
            values.dedup();
            values.len() as u32
        };
        let sources = count(&|text| text.source.map(i64::from));
        let days = count(&|text| text.day);
        if sources >= min_sources && texts.len() as u64 >= u64::from(min_texts) {
            all.list.push(Story {
                different,
                sources,
                days,
                min_edge: cluster.min_edge.as_f64(),
                density: cluster.density(),
                texts,
            });
        }
    }
    all.list.sort_by_key(|story| {
        (
            Reverse((story.sources, story.texts.len(), story.days)),
            story.first().day,
            story.first().unit,
        )
    });
    Ok(())
}

fn write(
    all: &Stories,
    spec: &StoriesSpec,
    table: &mut TableOutput<tables::Stories>,
    (number, story): (u64, &Story),
) -> Result<()> {
    let (first, units) = (story.first(), &all.found.units);
    let dated = story.texts.iter().rev().find(|text| text.day.is_some());
    let last = dated.and_then(|text| all.day(text.unit));
    let mut ids = String::from("[");
    for (at, text) in story.texts.iter().enumerate() {
        ids.push_str(if at > 0 { "," } else { "" });
        escape_json(&units.id(text.unit), &mut ids);
    }
    ids.push(']');
    table.push(&StoryRow {
        story: number,
        texts: story.texts.len() as u64,
        different: story.different,
        sources: spec.by.as_ref().map(|_| story.sources),
        days: story.days,
        first_date: all.day(first.unit).as_deref(),
        last_date: last.as_deref(),
        span_days: story.span().map(|(first, last)| (last - first + 1) as u32),
        first_id: &units.id(first.unit),
        first_source: all.source(first),
        tokens: units.tokens[first.unit as usize],
        min_edge: story.min_edge,
        density: story.density,
        ids: &ids,
    })
}
