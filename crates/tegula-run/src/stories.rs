//! Stories: clusters of similar texts in chronological order: how long each ran, and in how many
//! sources.

use crate::evidence::recipe_hash;
use crate::host::Host;
use crate::opened::claims;
use crate::opened::inputs::Inputs;
use crate::search::Search;
use crate::spec::RunSpec;
use crate::table_output::TableOutput;
use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use tegula::cluster::Clusters;
use tegula::decide::{Keep, KeepRule};
use tegula::error::{Error, Result};
use tegula::evidence::Findings;
use tegula::field::{self, FieldKey};
use tegula::stage_input::RemovedUnits;
use tegula_io::outputs::Outputs;
use tegula_io::passed_over::PassedOver;
use tegula_io::tables::{self, StoryRow, StoryTextRow, TableInfo, check_table_name, escape_json};

/// The specification of a search for stories.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct StoriesSpec {
    /// How clusters are found, and where their table is written.
    pub run: RunSpec,
    /// The field with the date of each text.
    pub date: String,
    /// The field with the source of each text.
    pub by: Option<FieldKey>,
    /// Texts of a story, at least.
    pub min_texts: u32,
    /// Sources of a story, at least.
    pub min_sources: u32,
    /// The table of the texts of all stories: .tsv, .jsonl or .parquet.
    #[serde(with = "tegula_io::path::option")]
    pub texts: Option<PathBuf>,
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

/// Finds stories and writes their tables, if any are named. The caller claims further outputs in
/// `outputs` before, and publishes all of them after.
///
/// # Errors
/// Invalid options, or errors of the inputs, the memory ceiling, scratch or the outputs.
pub fn stories(host: &Host, spec: &StoriesSpec, outputs: &Outputs) -> Result<Stories> {
    if spec.by.is_none() && spec.min_sources > 0 {
        return Err(Error::usage(
            "⟨min_sources⟩: expected ⟨by⟩ with the field of the sources, found none",
        )
        .hint("name the field, as in ⟨by=source⟩"));
    }
    let mut run = spec.run.clone();
    // Keeps the earliest first, so that the run reads dates, and refuses fields that have none.
    run.policy.keep = Keep::new(vec![KeepRule::Oldest(spec.date.clone())])?;
    run.evidence.by = spec.by.iter().cloned().collect();
    let (table, texts) = (run.output.path.as_deref(), spec.texts.as_deref());
    for path in [table, texts].into_iter().flatten() {
        if path.as_os_str() != "-" {
            check_table_name(path)?;
        }
    }
    let read = run.input.paths.iter().chain(&run.input.against);
    let written: Vec<(&str, Option<&Path>)> = [("⟨output⟩", table), ("⟨texts⟩", texts)]
        .into_iter()
        .chain(host.written())
        .collect();
    claims::claim(host, outputs, read.map(PathBuf::as_path), &written)?;
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
        date: spec.date.clone(),
        inputs: search.opened.inputs,
    };
    fill(&mut all, &clusters, spec)?;
    let info = TableInfo {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        recipe: recipe_hash(&recipe)?,
        fields: Vec::new(),
    };
    let form = (run.output.form, run.output.formulas);
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
    Ok(all)
}

/// Puts clusters in the order of time.
fn fill(all: &mut Stories, clusters: &Clusters, spec: &StoriesSpec) -> Result<()> {
    let units = &all.found.units;
    let column = field::find(&units.records.fields, &spec.date)?;
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
        if sources >= spec.min_sources && texts.len() as u64 >= u64::from(spec.min_texts) {
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
