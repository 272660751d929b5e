//! A report on a run: as tables, as files of tables, and as a page.

use crate::command::{Answer, Command};
use crate::host::Host;
use crate::near_misses::{self, NearMisses};
use crate::opened::claims;
use crate::options::{Shown, TablesOptions};
use serde_json::{Value, json};
use std::path::PathBuf;
use tegula::error::{Error, ErrorKind, Result};
use tegula_io::outputs::Outputs;
use tegula_report::report::{self, CASES, Extra, Near, Searched};
use tegula_report::run::{Run, Stage};
use tegula_report::table::Table;
use tegula_report::{render, tables, words};

tegula::options! {
    /// A report on a run.
    pub struct ReportSpec under "" {
        /// The folder of a run
        #[serde(with = "tegula_io::path")]
        pub run: PathBuf => "RUN",
    } under "Options" {
        /// Write an HTML page with charts, clusters and texts side by side: a single file that works
        /// offline
        #[serde(with = "tegula_io::path::option")]
        pub output: Option<PathBuf> => "FILE.html",

        /// Search the inputs again for pairs just below the threshold [default: if they are smaller
        /// than 32 MB]
        pub near_misses: bool => "",

        /// List the words, and runs of up to four words, that the copies repeat, by keyness; reads the
        /// inputs again [default: in a page, if they are smaller than 32 MB]
        pub words: bool => "",

        /// New location of the inputs of the run, if they have moved
        #[serde(with = "tegula_io::path::option")]
        pub root: Option<PathBuf> => "DIR",
    }
    blocks {
        /// A folder of tables.
        pub folder: TablesOptions,
    }
    besides {}
}

/// What was reported.
pub struct Reported {
    /// The number of tables that were written.
    pub written: Option<u64>,
    /// What the page lacks, in words.
    pub missing: Vec<String>,
    /// The main tables, with those of words if they are asked for; none if a file was written.
    main: Vec<Table>,
    words: Vec<Table>,
}

/// Inputs smaller than this many bytes are read again by default.
const SMALL: u64 = 32_000_000;

/// Words in the page: enough to see the effect of the copies.
const IN_PAGE: words::Options = words::Options {
    longest: 3,
    rows: 25,
    least: 5,
    followed: 100_000,
    only_clear: true,
};

/// Rows of a table on the terminal.
const ROWS: usize = 40;
/// Rows of a table of words.
const WORDS: usize = 15;

impl Command for ReportSpec {
    const NAME: &'static str = "report";
    const ABOUT: &'static str = "Report on a run: as tables, as TSV and LaTeX, or as a page";
    const EXAMPLES: &'static str = "Examples:
  tegula report run/
  tegula report run/ -o report.html
  tegula report run/ --tables tables/
  tegula report run/ --words
  tegula report run/ -o report.html --root /mnt/archive/corpus";
    const SHOWN: Shown = Shown::running(&["width"]);
    type Answer = Reported;

    fn run(&self, host: &Host) -> Result<Reported> {
        if self.near_misses && self.output.is_none() {
            return Err(Error::of("⟨near_misses⟩")
                .problem("it needs ⟨output⟩")
                .hint("leave it out"));
        }
        let formulas = self.folder.checked(false)?;
        let run = Run::open_moved(&self.run, self.root.as_deref(), host.tables())?;
        let context = &host.context;
        let written = [("⟨output⟩", self.output.as_deref())];
        let outputs = claims::with_tables(host, &self.folder, [self.run.as_path()], &written)?;
        protect_inputs(&outputs, &run)?;
        outputs.begin()?;
        if !run.info().done {
            host.warn("the run is incomplete; its partial results are shown");
        }
        let listed = self.words && (self.folder.tables.is_some() || self.output.is_none());
        let words = if listed {
            words::tables(&run, &words::Options::default(), context)?
        } else {
            Vec::new()
        };
        let mut found = Reported {
            written: None,
            missing: Vec::new(),
            main: Vec::new(),
            words: words.clone(),
        };
        if let Some(folder) = &self.folder.tables {
            let written = tables::write_with(&outputs, &run, words, formulas, folder)?;
            found.written = Some(written.len() as u64);
        }
        if let Some(path) = &self.output {
            let (page, missing) = self.page(host, &run)?;
            found.missing = missing;
            outputs.write(path, page.as_bytes())?;
        }
        claims::publish(host, &outputs)?;
        if self.folder.tables.is_none() && self.output.is_none() {
            found.main = tables::of_run(&run)?;
            found.main.retain(tables::is_main);
        }
        Ok(found)
    }
}

impl ReportSpec {
    /// The page, and what it lacks.
    fn page(&self, host: &Host, run: &Run) -> Result<(String, Vec<String>)> {
        if !is_small(run) {
            note_left_out(host, self);
        }
        let words =
            (is_small(run) || self.words).then(|| words::tables(run, &IN_PAGE, &host.context));
        let mut not_searched = None;
        let searched = match searched(self, run, host) {
            // Missing inputs are not an error, unless pairs below the threshold were requested.
            Err(error) if !self.near_misses && error.kind() != ErrorKind::Cancelled => {
                not_searched = Some(error);
                Vec::new()
            }
            searched => searched?,
        };
        let extra = Extra {
            searched,
            words: words.filter(|_| run.stages()[0].is_decided()),
        };
        let mut page = report::page(run, &extra)?;
        page.missing
            .extend(not_searched.map(|error| format!("pairs just below the threshold: {error}")));
        Ok((page.html, page.missing))
    }
}

impl Answer for Reported {
    fn json(&self) -> Result<Value> {
        Ok(json!({"written": self.written, "missing": self.missing}))
    }

    fn text(&self, width: usize, _: bool) -> Option<String> {
        let main = self.main.iter();
        let main = main.map(|table| render::terminal(table, width, ROWS));
        let words = self.words.iter();
        let words = words.map(|table| render::terminal(table, width, WORDS));
        Some(main.chain(words).collect::<Vec<_>>().join("\n\n"))
    }
}

/// Refuses to overwrite inputs of the run that still exist.
fn protect_inputs(outputs: &Outputs, run: &Run) -> Result<()> {
    run.inputs()
        .iter()
        .try_for_each(|input| outputs.protect(&input.path))
}

/// Whether the inputs are small enough to be read again by default.
fn is_small(run: &Run) -> bool {
    run.inputs().iter().map(|input| input.bytes).sum::<u64>() < SMALL
}

/// Says what a page lacks because its inputs are large.
fn note_left_out(host: &Host, spec: &ReportSpec) {
    let left_out: Vec<&str> = [("⟨near_misses⟩", spec.near_misses), ("⟨words⟩", spec.words)]
        .iter()
        .filter(|(_, given)| !given)
        .map(|(option, _)| *option)
        .collect();
    if !left_out.is_empty() {
        host.observer().note(&format!(
            "the inputs are large, and are read again only on request: {}",
            left_out.join(" and ")
        ));
    }
}

/// Pairs below the threshold, for a run of one stage with decisions.
fn searched(spec: &ReportSpec, run: &Run, host: &Host) -> Result<Vec<Option<Searched>>> {
    let plain = !run.is_staged() && run.stages().iter().all(Stage::is_decided);
    if !plain {
        if spec.near_misses {
            return Err(Error::of("⟨near_misses⟩")
                .expected("a run of one stage with decisions")
                .found("another")
                .at(run.path()));
        }
        return Ok(Vec::new());
    }
    if !is_small(run) && !spec.near_misses {
        return Ok(Vec::new());
    }
    let found = near_misses::misses(host, run.path(), spec.root.as_deref(), CASES)?;
    let near = |found: NearMisses| Searched {
        near: found
            .pairs
            .into_iter()
            .map(|(a, b, score)| Near { a, b, score })
            .collect(),
        from: found.from,
    };
    Ok(vec![found.map(near)])
}
