//! `tegula judge`: pairs of a run judged by hand, and what the answers say about all pairs.

use crate::args::{FormulaArgs, MachineArgs};
use crate::form::Form;
use tegula_report::side_by_side::{self, LEGEND, Style};
use crate::terminal::{self, plural, say};
use crate::{interrupt, output};
use clap::Args;
use serde_json::json;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tegula::error::{Error, Result};
use tegula_io::outputs::Outputs;
use tegula_io::tables::{Formulas, is_tsv};
use tegula_report::judge::{Answer, Answers, Estimate, Judging, Options, Sheet, Shown};
use tegula_report::run::Run;
use tegula_run::opened::claims;
use tegula_run::{Host, near_misses};

/// Arguments of `tegula judge`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tegula judge run/ -o answers.tsv
  tegula judge run/ --pairs 200 -o judge.html
  tegula judge run/ --answers answers.jsonl
  tegula judge copies/ --with sscr/ -o judge.html
  tegula pairs docs.jsonl --threshold 0.5 --run wide/ && tegula judge wide/ --threshold 0.75 -o answers.tsv

Pairs are drawn from each tenth of the score and, with two runs, from those that both have and those that only one
has, in proportion to the square roots of their numbers. The same seed draws the same pairs, and a larger sample
contains a smaller one. You may stop after any number of answers.

Answers are a gold standard for tegula evaluate --judged-only as well.")]
pub(crate) struct JudgeArgs {
    /// The folder of a run
    #[arg(value_name = "RUN")]
    run: PathBuf,

    /// Another run on the same inputs: draw pairs that both have, and pairs that only one has
    #[arg(long, value_name = "RUN", conflicts_with_all = ["threshold", "near_misses"])]
    with: Option<PathBuf>,

    /// Number of pairs to draw
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=MOST))]
    pairs: u32,

    /// Seed of the sample: other seeds draw other pairs
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Lowest score of a pair that counts as found; pairs of the run below it are drawn as well, for
    /// the recall [default: that of the run]
    #[arg(long, value_name = "T", value_parser = crate::args::threshold)]
    threshold: Option<tegula::threshold::Threshold>,

    /// Search the inputs again for pairs up to a tenth below the run's threshold, and draw from
    /// these as well, for the recall
    #[arg(long)]
    near_misses: bool,

    /// Answers so far: estimate from them, or, with -o, judge the pairs not answered yet; may be
    /// repeated
    #[arg(long, value_name = "FILE", help_heading = "Answers")]
    answers: Vec<PathBuf>,

    /// Ask for each pair in the terminal, and keep each answer at once in this file (.tsv, .jsonl),
    /// with which a later session continues; or write a page to judge the pairs in a browser, which
    /// works offline (.html)
    #[arg(long, short, value_name = "FILE", help_heading = "Answers")]
    output: Option<PathBuf>,

    /// Output format of the estimates
    #[arg(
        long,
        value_name = "FORM",
        value_enum,
        default_value_t,
        help_heading = "Answers"
    )]
    form: Form,

    /// Width in columns [default: that of the terminal, or 100]
    #[arg(long, value_name = "COLUMNS", help_heading = "Answers")]
    width: Option<usize>,

    /// New location of the inputs of the runs, if they have moved
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,

    #[command(flatten)]
    formulas: FormulaArgs,

    #[command(flatten)]
    machine: MachineArgs,
}

/// The maximum number of pairs: more than anyone judges.
const MOST: i64 = 10_000;

/// Pairs below the threshold of a run from which is drawn, the best first.
const NEAR: usize = 1_000_000;

/// Rows of a table.
const ROWS: usize = 60;

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Written {
    Page,
    Tsv,
    Jsonl,
}

/// Judges pairs of a run.
///
/// # Errors
/// When there is no such run, it lists no pairs, or a file cannot be read or written.
pub(crate) fn judge(args: &JudgeArgs) -> Result<ExitCode> {
    let written = args.output.as_deref().map(written).transpose()?;
    if written.is_none() && args.answers.is_empty() {
        return Err(Error::usage("-o: expected an output, found none").hint(
            "-o answers.tsv asks for each pair here, -o judge.html writes a page to judge them in a browser, --answers FILE estimates from answers",
        ));
    }
    let formulas = formulas(args)?;
    let host = args.machine.host()?;
    let answers: Vec<&Path> = args.answers.iter().map(PathBuf::as_path).collect();
    let folders = || {
        [Some(args.run.as_path()), args.with.as_deref()]
            .into_iter()
            .flatten()
    };
    let read = folders().chain(answers.iter().copied());
    let outputs = claims::outputs(&host, read, &[("-o", args.output.as_deref())])?;
    let runs = folders()
        .map(|run| Run::open_moved(run, args.root.as_deref()))
        .collect::<Result<Vec<_>>>()?;
    let runs: Vec<&Run> = runs.iter().collect();
    for input in runs.iter().flat_map(|run| run.inputs()) {
        outputs.protect(&input.path)?;
    }
    outputs.begin()?;
    // An earlier session with the same output is continued.
    let earlier = args
        .output
        .as_deref()
        .filter(|path| matches!(written, Some(Written::Tsv | Written::Jsonl)) && path.is_file());
    let lists: Vec<&Path> = answers.into_iter().chain(earlier).collect();
    let mut answers = Answers::read(&lists, formulas)?;
    let below = below(args, &host)?;
    let judging = |answers: &Answers| {
        let options = Options {
            pairs: args.pairs as usize,
            seed: args.seed,
            threshold: args.threshold.map(tegula::threshold::Threshold::as_f64),
        };
        Judging::new(&runs, options, answers, below.as_deref())
    };
    let drawn = judging(&answers)?;
    let (Some(path), Some(written)) = (&args.output, written) else {
        claims::publish(&host, &outputs)?;
        let estimate = drawn.estimate()?;
        show(args, &estimate, formulas)?;
        advise(args, &drawn);
        return Ok(ExitCode::SUCCESS);
    };
    let texts = drawn.texts(&runs)?;
    if written == Written::Page {
        let methods: Vec<String> = runs.iter().map(|run| run.stages()[0].method()).collect();
        outputs.write(path, drawn.page(&texts, &answers, &methods).as_bytes())?;
        claims::publish(&host, &outputs)?;
        if !args.machine.quiet {
            output::say(&format!(
                "{} to judge written to {}",
                plural(drawn.drawn.len() as u64, "pair"),
                path.display()
            ));
            output::hint(
                "open it in a browser, save the answers, and estimate with --answers FILE",
            );
        }
        return Ok(ExitCode::SUCCESS);
    }
    // In place after each answer; an interruption removes only what is not in place yet.
    let kept = Outputs::new(false);
    let open = |path| Sheet::open(path, formulas);
    let sheet = earlier.map(open).transpose()?.flatten();
    let sheet = sheet.unwrap_or_else(|| Sheet::new(written == Written::Tsv, formulas));
    let keep = |answers: &Answers| {
        kept.write(path, sheet.with(answers).as_bytes())?;
        kept.publish().map(drop)
    };
    keep(&answers)?;
    interrupt::advise(&format!(
        "the answers so far are in {}: the same command continues",
        path.display()
    ));
    ask(args, &drawn, &texts, &mut answers, keep)?;
    if !args.machine.quiet {
        output::say(&format!(
            "{} written to {}",
            plural(answers.len() as u64, "answer"),
            path.display()
        ));
    }
    // Undecided answers are no basis for estimates.
    if let Ok(estimate) = judging(&answers)?.estimate() {
        show(args, &estimate, formulas)?;
        advise(args, &drawn);
    }
    Ok(ExitCode::SUCCESS)
}

/// What is done with formulas in TSV, read or written.
fn formulas(args: &JudgeArgs) -> Result<Formulas> {
    let mut lists = args.answers.iter().chain(&args.output);
    args.formulas
        .of(args.form == Form::Tsv || lists.any(|path| is_tsv(path)))
}

/// The output that a name implies.
fn written(path: &Path) -> Result<Written> {
    let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
    match ending.to_str() {
        Some("html") => Ok(Written::Page),
        Some("tsv") => Ok(Written::Tsv),
        Some("jsonl") => Ok(Written::Jsonl),
        _ => Err(Error::usage("-o: expected a name that ends in .tsv, .jsonl or .html").at(path)),
    }
}

/// Pairs below the threshold, searched for if requested.
fn below(args: &JudgeArgs, host: &Host) -> Result<Option<Vec<(u64, u64, f64)>>> {
    if !args.near_misses {
        return Ok(None);
    }
    match near_misses::misses(host, &args.run, args.root.as_deref(), NEAR)? {
        Some(found) => {
            if found.pairs.len() == NEAR {
                output::warn(&format!(
                    "of the pairs below the threshold only the best {NEAR} count"
                ));
            }
            Ok(Some(found.pairs))
        }
        None => Err(Error::usage(
            "--near-misses: expected a recipe with scores and a threshold above 0.1, found another",
        )
        .at(&args.run)
        .hint("leave it out")),
    }
}

/// Prints the estimates in the requested format.
fn show(args: &JudgeArgs, estimate: &Estimate, formulas: Formulas) -> Result<()> {
    let width = terminal::width(args.width);
    let tables = estimate.tables();
    args.form
        .print(|| Ok(json!(estimate)), &tables, (width, ROWS), formulas)
}

/// How to obtain a recall, if there is none.
fn advise(args: &JudgeArgs, judging: &Judging) {
    if args.with.is_none() && !judging.has_below() && !args.machine.quiet {
        output::hint(
            "to estimate recall, draw pairs below the threshold as well: with --near-misses, or with --threshold from a run made at a lower one",
        );
    }
}

/// Asks for each pair without an answer, and passes the answers to `keep` after each; the end of the
/// input is the end of the answers.
fn ask(
    args: &JudgeArgs,
    drawn: &Judging,
    texts: &Shown,
    answers: &mut Answers,
    keep: impl Fn(&Answers) -> Result<()>,
) -> Result<()> {
    let open: Vec<usize> = (0..drawn.drawn.len())
        .filter(|at| !drawn.drawn[*at].is_answered)
        .collect();
    let style = Style {
        width: terminal::width(args.width),
        colours: terminal::colours(),
        full: false,
    };
    let mut stdin = std::io::stdin().lock();
    let (mut at, mut is_shown) = (0, false);
    while let Some(pair) = open.get(at) {
        let ids = &drawn.drawn[*pair].ids;
        if !is_shown {
            let [a, b] = &texts.texts[*pair];
            let found = texts.comparer.compare(a, b);
            let columns = side_by_side::show(&found, (a, b), (&ids[0], &ids[1]), style);
            let mut head = format!("\nPair {} of {}\n{LEGEND}\n", at + 1, open.len());
            if let Some(sentence) = texts.items.compare((a, b)).sentence() {
                say!(head, "{sentence}");
            }
            output::show(&format!("{head}\n{columns}"))?;
            is_shown = true;
        }
        output::tell("Copies? y yes, n no, ? unsure, b back, q save and quit: ");
        let mut line = Vec::new();
        let read = stdin
            .read_until(b'\n', &mut line)
            .map_err(|error| Error::io("read", Path::new("-"), error))?;
        let answer = match line.trim_ascii() {
            _ if read == 0 => break,
            b"y" | b"Y" => Answer::Copies,
            b"n" | b"N" => Answer::Different,
            b"?" => Answer::Unsure,
            b"q" | b"Q" => break,
            b"b" | b"B" => {
                at = at.saturating_sub(1);
                is_shown = false;
                continue;
            }
            _ => continue,
        };
        answers.set(ids, Some(answer));
        keep(answers)?;
        at += 1;
        is_shown = false;
    }
    output::tell("\n");
    Ok(())
}
