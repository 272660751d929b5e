//! Templates of a collection: its clusters, the constant part of each, and what fills the slots.

mod draft;
mod expression;
mod page;

use crate::command::{Answer, Command};
use crate::describe;
use crate::evidence::recipe_hash;
use crate::host::Host;
use crate::opened::claims;
use crate::options::{InputOptions, PairOptions, RecipeOptions, Shown, TableOptions};
use crate::search::Search;
use crate::spec::{RunKind, RunSpec};
use crate::table_output::TableOutput;
use draft::{Draft, Member};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use tegula::cluster::Clusters;
use tegula::error::Result;
use tegula::evidence::Findings;
use tegula::stage_input::RemovedUnits;
use tegula::templates::{Cluster, MOST_TOKENS, Wanted};
use tegula::text::normalise::{Normaliser, Tokens};
use tegula::threshold::Threshold;
use tegula_io::passed_over::PassedOver;
use tegula_io::tables::{self, TableInfo, TemplateRow, check_table_name, escape_json};

/// The recipe and its threshold, unless one is named: slots break sequences of tokens, so these are
/// short.
const RECIPE: (&str, &str) = ("sscr", "0.3");
/// Its tokens in a shingle.
const NGRAM: usize = 3;

tegula::options! {
    /// A search for templates.
    pub struct TemplatesSpec under "What counts as a template" {
        /// Only templates of at least N texts [default: 3]
        pub min_texts: Option<u32> => "N",

        /// Only templates with at least N constant tokens [default: 5]
        pub min_tokens: Option<u32> => "N",

        /// Minimum share of the tokens of each text that is constant [default: 0.5]
        pub min_constant: Option<Threshold> => "SHARE",
    } under "Output" {
        /// Also write a page: the templates with their slots and what fills them
        #[serde(with = "tegula_io::path::option")]
        pub report: Option<PathBuf> => "PAGE.html",
    }
    blocks {
        /// What to read, and how.
        pub input: InputOptions,
        /// The table.
        pub table: TableOptions,
        /// How clusters are found.
        pub recipe: RecipeOptions,
    }
    besides {}
}

impl TemplatesSpec {
    /// What counts as a template.
    fn wanted(&self) -> Wanted {
        let usual = Wanted::default();
        Wanted {
            min_texts: self.min_texts.unwrap_or(usual.min_texts),
            min_tokens: self.min_tokens.unwrap_or(usual.min_tokens),
            min_constant: self.min_constant.unwrap_or(usual.min_constant),
        }
    }

    /// How clusters are found.
    fn search(&self, host: &Host) -> Result<RunSpec> {
        let mut recipe = self.recipe.otherwise(RECIPE)?;
        if self.recipe.recipe.is_none() {
            recipe.ngram.get_or_insert(NGRAM);
        }
        let resolved = recipe.recipe(host.recipes())?;
        let mut run = RunSpec::new(RunKind::Pairs, resolved, Vec::<PathBuf>::new());
        run.input = self.input.spec(&recipe, &PairOptions::default())?;
        run.input.steps_named = recipe.steps_named(&run.recipe);
        run.output.path.clone_from(&self.table.output);
        Ok(run)
    }
}

impl Command for TemplatesSpec {
    const NAME: &'static str = "templates";
    const ABOUT: &'static str =
        "List the templates from which texts were filled in, with their slots and what fills them";
    const EXAMPLES: &'static str = "Examples:
  tegula templates messages.csv --text-key body
  tegula templates reports.jsonl --min-texts 10 -o templates.tsv
  tegula templates spam.jsonl --recipe messages --report templates.html

Texts are clustered (--recipe sscr --ngram 3 --threshold 0.3, unless others are named), and those of a cluster
aligned: what all of them have is constant, the rest is in slots. The table has a regular expression for each template.";
    const SHOWN: Shown = Shown::running(&["top"]);
    type Answer = Templates;

    fn run(&self, host: &Host) -> Result<Templates> {
        templates(host, self)
    }
}

impl Answer for Templates {
    fn json(&self) -> Result<Value> {
        let texts: u64 = self.list.iter().map(|template| template.texts).sum();
        Ok(json!({
            "templates": self.list.len(),
            "texts": texts,
            "clusters": self.clusters,
            "long": self.long,
            "among": self.found.units.len(),
            "passed_over": describe::passed_over_json(&self.passed_over),
        }))
    }
}

/// A piece of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// The constant text as written in the first text, with single spaces; masked parts that differ between
    /// the texts, such as links, have the name of their mask.
    Constant(String),
    /// A slot and its fillers: those of the most texts first, then in alphabetical order.
    Slot(Vec<(String, u64)>),
}

/// A template, with its texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// Constant and variable pieces, in order.
    pub pieces: Vec<Piece>,
    /// Its constant tokens.
    pub tokens: u32,
    /// Its texts, in input order; of equal ones the first.
    pub units: Vec<u32>,
    /// The number of its texts, with equal ones.
    pub texts: u64,
    /// A regular expression that matches all its texts, if there is one.
    pub regex: Option<String>,
}

impl Template {
    /// Its slots.
    pub fn slots(&self) -> impl Iterator<Item = &[(String, u64)]> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Slot(fillers) => Some(fillers.as_slice()),
            Piece::Constant(_) => None,
        })
    }

    /// Its text, with the numbers of slots in braces, from 1.
    pub fn pattern(&self) -> String {
        let mut slot = 0;
        let pieces = self.pieces.iter().map(|piece| match piece {
            Piece::Constant(text) => text.clone(),
            Piece::Slot(_) => {
                slot += 1;
                format!("{{{slot}}}")
            }
        });
        pieces.collect::<Vec<_>>().join(" ")
    }
}

/// The templates of a collection.
pub struct Templates {
    /// Those of the most texts first, then those with the most constant tokens, then the earliest.
    pub list: Vec<Template>,
    /// What a token is called.
    pub token: &'static str,
    /// The findings that they are made of.
    pub found: Findings,
    /// Clusters of at least two different texts.
    pub clusters: u64,
    /// Texts of clusters that are too long to be aligned.
    pub long: u64,
    /// What the files hold besides the records that were read.
    pub passed_over: Vec<PassedOver>,
}

/// Fillers of a slot in the table.
const FILLERS: usize = 20;
/// Tokens of the texts that are in memory at a time, if there are several clusters.
const BATCH: u64 = 1 << 22;
/// Bytes of a token with its text and places, at most.
const TOKEN_BYTES: u64 = 64;

/// Finds templates, and writes what the options ask for.
///
/// # Errors
/// Invalid options, or errors of the inputs, the memory ceiling, scratch or the outputs.
pub fn templates(host: &Host, spec: &TemplatesSpec) -> Result<Templates> {
    spec.input.check_any()?;
    let (run, wanted) = (spec.search(host)?, spec.wanted());
    wanted.check()?;
    let table = spec.table.output.as_deref();
    let form = (spec.table.form(), spec.table.formulas(None)?);
    if let Some(path) = table.filter(|path| path.as_os_str() != "-") {
        check_table_name(path)?;
    }
    let host = &spec.recipe.read_by(host);
    let read = run.input.paths.iter().map(PathBuf::as_path);
    let report = spec.report.as_deref();
    let written: Vec<(&str, Option<&Path>)> = [("⟨output⟩", table), ("⟨report⟩", report)]
        .into_iter()
        .chain(host.written())
        .collect();
    let outputs = &claims::outputs(host, read, &written)?;
    let mut search = Search::open(host, &run, outputs)?;
    let recipe = search.recipe_of_pairs()?;
    search.begin()?;
    let found = search.find(0, &RemovedUnits::default(), None)?;
    let clusters = Clusters::new(&found, recipe.threshold)?;
    let mut all = Templates {
        list: Vec::new(),
        token: recipe.token(),
        clusters: 0,
        long: 0,
        passed_over: search.opened.inputs.passed_over(),
        found,
    };
    let reading = Reading {
        host,
        search: &search,
        normaliser: &recipe.check()?,
        wanted: &wanted,
    };
    reading.all(&clusters, &mut all)?;
    all.list.sort_by_key(|template| {
        (
            Reverse((template.texts, template.tokens)),
            template.units.first().copied(),
        )
    });
    if let Some(path) = table {
        let info = TableInfo {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            recipe: recipe_hash(&recipe)?,
            fields: Vec::new(),
        };
        let mut table = TableOutput::<tables::Templates>::create(outputs, path, form, &info)?;
        for (number, template) in (1..).zip(&all.list) {
            table.push(&TemplateRow {
                template: number,
                texts: template.texts,
                different: template.units.len() as u32,
                tokens: template.tokens,
                slots: template.slots().count() as u32,
                pattern: &template.pattern(),
                regex: template.regex.as_deref(),
                fillers: &fillers(template),
                ids: &ids(&all.found, template),
            })?;
        }
        table.finish()?;
    }
    if let Some(path) = report {
        outputs.write(path, page::page(&all).as_bytes())?;
    }
    claims::publish(host, outputs)?;
    Ok(all)
}

/// What the templates of all clusters are made with.
struct Reading<'a> {
    host: &'a Host,
    search: &'a Search<'a>,
    normaliser: &'a Normaliser,
    wanted: &'a Wanted,
}

impl Reading<'_> {
    /// Adds the templates of all clusters of several different texts.
    fn all(&self, clusters: &Clusters, all: &mut Templates) -> Result<()> {
        let mut of_cluster: Vec<Vec<u32>> = vec![Vec::new(); clusters.list.len()];
        for (group, cluster) in (0..).zip(&clusters.of_group) {
            if let Some(groups) = of_cluster.get_mut(*cluster as usize) {
                groups.push(group);
            }
        }
        of_cluster.retain(|groups| groups.len() > 1);
        all.clusters = of_cluster.len() as u64;
        let progress = &self.host.context.progress;
        progress.begin(
            "aligning texts",
            Some(all.clusters),
            tegula::context::Amount::Items,
        );
        let tokens = |groups: &Vec<u32>| -> u64 {
            let tokens = |group: &u32| {
                let first = all.found.groups.first[*group as usize];
                u64::from(all.found.units.tokens[first as usize])
            };
            groups.iter().map(tokens).sum()
        };
        let sizes: Vec<u64> = of_cluster.iter().map(tokens).collect();
        let budget = &self.host.context.budget;
        let most = BATCH.min(budget.free() / 4 / TOKEN_BYTES);
        let mut at = 0;
        while at < of_cluster.len() {
            let (mut end, mut size) = (at, 0);
            while end < of_cluster.len() && (end == at || size + sizes[end] <= most) {
                size += sizes[end];
                end += 1;
            }
            let _held = budget.reserve(TOKEN_BYTES * size, "the texts of a cluster")?;
            self.batch(&of_cluster[at..end], most, all)?;
            progress.advance((end - at) as u64);
            at = end;
        }
        progress.end();
        Ok(())
    }

    /// Adds the templates of some clusters, given by their groups, reading at most `most` tokens of
    /// equal texts at a time.
    fn batch(&self, clusters: &[Vec<u32>], most: u64, all: &mut Templates) -> Result<()> {
        let found = &all.found;
        let units: Vec<u32> = clusters
            .iter()
            .flatten()
            .map(|group| found.groups.first[*group as usize])
            .collect();
        let texts = self.search.opened.inputs.texts(&found.units, &units)?;
        let mut texts = units.iter().zip(texts);
        let mut drafts = Vec::new();
        for groups in clusters {
            self.host.context.check()?;
            let mut members = Vec::new();
            for (group, (unit, text)) in groups.iter().zip(texts.by_ref()) {
                let count = found.groups.members(*group).len() as u32;
                // A missing file is noticed when the outputs are published.
                let text = text.unwrap_or_default();
                let mut tokens = Tokens::default();
                self.normaliser.tokens(&text, &mut tokens);
                all.long += u64::from(tokens.len() > MOST_TOKENS);
                members.push(Member {
                    unit: *unit,
                    count,
                    text,
                    tokens,
                });
            }
            let tokens: Vec<&Tokens> = members.iter().map(|member| &member.tokens).collect();
            let cluster = Cluster::new(&tokens);
            let what = "the alignment of texts";
            let _held = self.host.context.budget.reserve(cluster.bytes(), what)?;
            let counts: Vec<u32> = members.iter().map(|member| member.count).collect();
            for template in cluster.templates(&counts, self.wanted) {
                drafts.push(Draft::new(template, &members));
            }
        }
        self.equal_texts(found, &mut drafts, most)?;
        all.list.extend(drafts.into_iter().map(Draft::finish));
        Ok(())
    }

    /// Adds to the expressions of templates the texts that equal others in their tokens: they may be
    /// written in another way.
    fn equal_texts(&self, found: &Findings, drafts: &mut [Draft], most: u64) -> Result<()> {
        let mut equal: Vec<(u32, usize, usize)> = Vec::new();
        for (at, draft) in drafts.iter().enumerate() {
            for (member, unit) in draft.spelled.units.iter().enumerate() {
                let group = found.groups.of_unit[*unit as usize];
                let others = found.groups.members(group).iter().skip(1);
                equal.extend(others.map(|other| (*other, at, member)));
            }
        }
        equal.sort_unstable();
        let mut rest = equal.as_slice();
        while !rest.is_empty() {
            self.host.context.check()?;
            let mut size = 0;
            let fits = |(unit, ..): &&(u32, usize, usize)| {
                size += u64::from(found.units.tokens[*unit as usize]);
                size <= most
            };
            let count = rest.iter().take_while(fits).count().max(1);
            let (these, after) = rest.split_at(count);
            rest = after;
            let _held = self
                .host
                .context
                .budget
                .reserve(TOKEN_BYTES * size, "equal texts")?;
            let units: Vec<u32> = these.iter().map(|(unit, ..)| *unit).collect();
            let texts = self.search.opened.inputs.texts(&found.units, &units)?;
            let mut tokens = Tokens::default();
            for ((_, at, member), text) in these.iter().zip(texts) {
                let text = text.unwrap_or_default();
                self.normaliser.tokens(&text, &mut tokens);
                drafts[*at].add(*member, &text, &tokens);
            }
        }
        Ok(())
    }
}

/// The fillers of each slot, as JSON.
fn fillers(template: &Template) -> String {
    let mut out = String::from("[");
    for (at, fillers) in template.slots().enumerate() {
        out.push_str(if at > 0 { "," } else { "" });
        let _ = write!(out, r#"{{"different":{},"most":["#, fillers.len());
        for (at, (filler, texts)) in fillers.iter().take(FILLERS).enumerate() {
            out.push_str(if at > 0 { ",[" } else { "[" });
            escape_json(filler, &mut out);
            let _ = write!(out, ",{texts}]");
        }
        out.push_str("]}");
    }
    out.push(']');
    out
}

/// The ids of its texts, equal ones included, as JSON.
fn ids(found: &Findings, template: &Template) -> String {
    let mut out = String::from("[");
    for unit in &template.units {
        let group = found.groups.of_unit[*unit as usize];
        for member in found.groups.members(group) {
            out.push_str(if out.len() > 1 { "," } else { "" });
            escape_json(&found.units.id(*member), &mut out);
        }
    }
    out.push(']');
    out
}
