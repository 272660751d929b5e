//! `tegula diff`: compares what two runs on the same inputs caught.

use crate::args::FormulaArgs;
use crate::form::pretty;
use crate::output::{self, is_page};
use crate::terminal::{self, count, plural, say};
use clap::Args;
use serde_json::json;
use std::fmt::Write as _;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tegula::error::{Error, Result};
use tegula::printable;
use tegula_io::outputs::{AtomicFile, Outputs, Role};
use tegula_io::tables::Formulas;
use tegula_report::diff::{Caught, Compared, Diff};
use tegula_report::render;
use tegula_report::run::{self, Run};
use tegula_report::tables::write_tables;
use tegula_run::opened::claims;

/// Arguments of `tegula diff`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tegula diff plain/ onion/\n  tegula diff plain/ onion/ --examples 20 -o caught.html\n  tegula diff plain/ onion/ --tables tables/\n\nThe runs must have the same inputs. If one splits texts into smaller units, those are compared: a paragraph is caught with its document."
)]
pub(crate) struct DiffArgs {
    /// The folder of a run
    #[arg(value_name = "RUN")]
    first: PathBuf,

    /// The folder of another run on the same inputs
    #[arg(value_name = "RUN")]
    second: PathBuf,

    /// Write a page of what each run caught (.html), or list the units that either run caught (.tsv, -
    /// for standard output)
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Number of units of each kind to show with their texts
    #[arg(long, value_name = "N", default_value_t = 3)]
    examples: usize,

    /// Write the tables to this folder, as TSV and LaTeX
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,

    /// Write tables into a folder that holds other files: files written there by an earlier command
    /// are removed, all others are kept
    #[arg(long, requires = "tables")]
    overwrite: bool,

    /// New location of the inputs of the runs, if they have moved
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Width in columns [default: that of the terminal, or 100]
    #[arg(long, value_name = "COLUMNS")]
    width: Option<usize>,

    #[command(flatten)]
    formulas: FormulaArgs,
}

/// Maximum number of lines of an example.
const LINES: usize = 2;
/// Rows of a table.
const ROWS: usize = 40;

/// Compares two runs.
///
/// # Errors
/// When there is no such run, the runs have different inputs, or the list cannot be written.
pub(crate) fn diff(args: &DiffArgs) -> Result<ExitCode> {
    let listed = args.output.as_deref().filter(|path| !is_page(path));
    let formulas = args
        .formulas
        .of(listed.is_some() || args.tables.is_some())?;
    let host = crate::host::usual(false)?;
    let read = [args.first.as_path(), args.second.as_path()];
    let written = [("-o", args.output.as_deref())];
    let outputs = claims::into_folders(&host, args.overwrite, read, &written)?;
    if let Some(folder) = &args.tables {
        outputs.claim("⟨tables⟩", folder, Role::Folder)?;
    }
    let open = |run: &Path| Run::open_moved(run, args.root.as_deref());
    let (first, second) = (open(&args.first)?, open(&args.second)?);
    for input in first.inputs().iter().chain(second.inputs()) {
        outputs.protect(&input.path)?;
    }
    outputs.begin()?;
    let runs = [&first, &second];
    for run in runs.iter().filter(|run| !run.info().done) {
        output::warn(&format!(
            "{}: the run is incomplete; its partial results are compared",
            run.path().display()
        ));
    }
    let to_stdout = args.output.as_deref() == Some(Path::new("-"));
    let page = args.output.as_deref().filter(|path| is_page(path));
    let mut list = listed
        .map(|path| List::create(&outputs, path, formulas))
        .transpose()?;
    let mut diff = Diff::of(runs, args.examples, &mut |one| {
        list.as_mut().map_or(Ok(()), |list| list.push(one))
    })?;
    if let Some(list) = list {
        list.finish()?;
    }
    if let Some(folder) = &args.tables {
        let of = format!(
            "two runs side by side: {} and {}",
            diff.names[0], diff.names[1]
        );
        write_tables(&outputs, &diff.tables(), &of, formulas, folder)?;
    }
    if !to_stdout && let Err(error) = diff.fetch(runs) {
        output::warn(&format!("examples are without their texts: {error}"));
    }
    if let Some(path) = page {
        outputs.write(path, diff.page().as_bytes())?;
    }
    claims::publish(&host, &outputs)?;
    if to_stdout {
        return Ok(ExitCode::SUCCESS);
    }
    if args.json {
        output::json(&pretty(&as_json(&diff)?)?)?;
    } else {
        output::show(&show(&diff, terminal::width(args.width)))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn as_json(diff: &Diff) -> Result<serde_json::Value> {
    let failed = |error| Error::data(format!("cannot write as JSON: {error}"));
    let kinds = |amounts: &[tegula::summary::Amounts; 4]| {
        Caught::ALL
            .into_iter()
            .map(|caught| (caught.name().to_owned(), json!(amounts[caught as usize])))
            .collect::<serde_json::Map<_, _>>()
    };
    let classes = diff.classes.iter().enumerate().map(|(class, amounts)| {
        let mut kinds = kinds(amounts);
        kinds.insert(
            "length".into(),
            tegula_report::tables::class_name(class).into(),
        );
        kinds
    });
    Ok(json!({
        "runs": diff.names,
        "methods": diff.methods,
        "unit": run::noun(diff.level),
        "units_of": diff.names[diff.units_of],
        "caught": kinds(&diff.total),
        "unmatched": diff.unmatched,
        "agreement": diff.agreement(),
        "kappa": diff.kappa(),
        "overlap": diff.overlap(),
        "by_length": classes.collect::<Vec<_>>(),
        "examples": serde_json::to_value(&diff.examples).map_err(failed)?,
    }))
}

fn show(diff: &Diff, width: usize) -> String {
    let mut out = String::new();
    let wide = diff
        .names
        .iter()
        .map(|name| terminal::columns(name))
        .max()
        .unwrap_or_default();
    for (name, methods) in diff.names.iter().zip(&diff.methods) {
        let pad = " ".repeat(wide - terminal::columns(name));
        say!(out, "{name}{pad}  {}", methods.join("; then "));
    }
    out.push('\n');
    for (place, table) in diff.tables().iter().enumerate() {
        if place > 0 {
            out.push('\n');
        }
        out.push_str(&render::terminal(table, width, ROWS));
        if place == 0 {
            agreement(diff, &mut out);
        }
    }
    for caught in Caught::ALL {
        let mut examples = diff
            .examples
            .iter()
            .filter(|example| example.caught == caught)
            .peekable();
        if examples.peek().is_some() {
            out.push('\n');
            say!(out, "{}:", diff.head(caught));
        }
        for one in examples {
            example(one, diff, width, &mut out);
        }
    }
    out
}

fn agreement(diff: &Diff, out: &mut String) {
    let kappa = diff
        .kappa()
        .map_or_else(|| "not defined".to_owned(), |kappa| format!("{kappa:.4}"));
    let _ = write!(
        out,
        "\nThe runs agree on {:.2} % of the {}; Cohen's kappa {kappa}",
        100.0 * diff.agreement(),
        run::plural(diff.level)
    );
    if let Some(overlap) = diff.overlap() {
        let _ = write!(
            out,
            "; of those that either caught, both caught {:.2} %",
            100.0 * overlap
        );
    }
    out.push_str(".\n");
}

fn example(one: &Compared, diff: &Diff, width: usize, out: &mut String) {
    out.push('\n');
    say!(out, "  {}  ({})", one.id, plural(one.tokens, "token"));
    if let Some(text) = &one.text {
        shortened(text, 4, width, out);
    }
    for (name, fate) in diff.names.iter().zip(&one.fates) {
        let mut line = format!(
            "  {name}: {}",
            if fate.verdict.is_empty() {
                "not seen"
            } else {
                &fate.verdict
            }
        );
        if let Some(score) = fate.score {
            let _ = write!(line, ", score {score:.4}");
        }
        if let Some(label) = &fate.label {
            let _ = write!(line, " ({label})");
        }
        if let Some(witness) = &fate.witness {
            let _ = write!(line, ", because of {witness}");
        }
        say!(out, "{line}");
        if let Some(text) = fate
            .witness_text
            .as_ref()
            .filter(|text| Some(*text) != one.text.as_ref())
        {
            shortened(text, 6, width, out);
        }
    }
}

/// A text with its white space collapsed, in at most [`LINES`] lines.
fn shortened(text: &str, indent: usize, width: usize, out: &mut String) {
    let room = width.saturating_sub(indent).max(20);
    let mut lines: Vec<String> = vec![String::new()];
    let mut whole = true;
    'words: for word in text.split_whitespace() {
        let word = printable::line(word);
        let mut word = &*word;
        loop {
            let last = lines.len() - 1;
            let space = usize::from(!lines[last].is_empty());
            if terminal::columns(&lines[last]) + space + terminal::columns(word) <= room {
                lines[last].push_str(if space > 0 { " " } else { "" });
                lines[last].push_str(word);
                continue 'words;
            }
            if lines.len() == LINES {
                whole = false;
                break 'words;
            }
            if space > 0 {
                lines.push(String::new());
                continue;
            }
            // A word longer than a line, as in a script without spaces, is broken.
            let mut columns = 0;
            let fits = word.char_indices().find(|(_, c)| {
                columns += terminal::columns_of(*c);
                columns > room
            });
            let at = fits.map_or(word.len(), |(at, _)| at.max(1));
            lines[last].push_str(&word[..at]);
            word = &word[at..];
            lines.push(String::new());
        }
    }
    for (place, line) in lines.iter().enumerate() {
        let more = if !whole && place + 1 == lines.len() {
            " …"
        } else {
            ""
        };
        let _ = writeln!(out, "{}{line}{more}", " ".repeat(indent));
    }
}

/// The list of units that either run caught.
struct List {
    out: Out,
    path: PathBuf,
    formulas: Formulas,
    line: String,
    rows: u64,
}

enum Out {
    File(BufWriter<AtomicFile>),
    Stdout,
}

impl List {
    fn create(outputs: &Outputs, path: &Path, formulas: Formulas) -> Result<Self> {
        let out = if path == Path::new("-") {
            Out::Stdout
        } else if path
            .extension()
            .is_some_and(|ending| ending.eq_ignore_ascii_case("tsv"))
        {
            Out::File(BufWriter::new(outputs.create(path)?))
        } else {
            return Err(Error::usage(format!(
                "--output: expected a name that ends in .tsv, found '{}'",
                path.display()
            )));
        };
        let mut list = Self {
            out,
            path: path.to_path_buf(),
            formulas,
            line: String::new(),
            rows: 0,
        };
        let of_run = |which: &str| {
            ["verdict", "witness", "score", "label"]
                .map(|column| format!("{which}_{column}"))
                .join("\t")
        };
        list.line = format!(
            "id\tfile\trecord\ttokens\tcaught\t{}\t{}\n",
            of_run("first"),
            of_run("second")
        );
        list.write()?;
        Ok(list)
    }

    fn push(&mut self, one: &Compared) -> Result<()> {
        self.line.clear();
        self.formulas.write(&one.id, &mut self.line);
        self.line.push('\t');
        self.formulas.write(&one.file, &mut self.line);
        let _ = write!(
            self.line,
            "\t{}\t{}\t{}",
            one.record,
            one.tokens,
            one.caught.name()
        );
        for fate in &one.fates {
            let score = fate.score.map_or_else(String::new, |score| {
                tegula_io::tables::decimals(score, tegula_io::tables::DECIMALS)
            });
            for text in [
                fate.verdict.as_str(),
                fate.witness.as_deref().unwrap_or_default(),
                &score,
                fate.label.as_deref().unwrap_or_default(),
            ] {
                self.line.push('\t');
                self.formulas.write(text, &mut self.line);
            }
        }
        self.line.push('\n');
        self.rows += 1;
        self.write()
    }

    fn write(&mut self) -> Result<()> {
        match &mut self.out {
            Out::File(file) => file
                .write_all(self.line.as_bytes())
                .map_err(|error| Error::io("write", &self.path, error)),
            Out::Stdout => output::data(self.line.as_bytes()),
        }
    }

    fn finish(self) -> Result<()> {
        if let Out::File(file) = self.out {
            file.into_inner()
                .map_err(|error| Error::io("write", &self.path, error.into_error()))?
                .finish()?;
            output::say(&format!(
                "{} listed in {}",
                count(self.rows),
                self.path.display()
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_shortened_to_their_lines() {
        let mut out = String::new();
        shortened("one two\n three", 2, 40, &mut out);
        assert_eq!(out, "  one two three\n");
        for text in [
            "word ".repeat(40),
            "語".repeat(100),
            "x".repeat(100),
            "\u{1f600}".repeat(90),
        ] {
            out.clear();
            shortened(&text, 2, 32, &mut out);
            assert_eq!(out.lines().count(), LINES, "{out}");
            assert!(out.ends_with(" …\n"), "{out}");
            assert!(
                out.lines().all(|line| terminal::columns(line) <= 34),
                "{out}"
            );
        }
        out.clear();
        shortened("", 2, 32, &mut out);
        assert_eq!(out, "  \n");
    }
}
