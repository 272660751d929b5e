//! `tegula pairs`: the similarity matrix above the threshold.

use super::dedup::tell;
use crate::args::{ConstraintArgs, InputArgs, MachineArgs, RecipeArgs, RunArgs};
use crate::evidence::{self, Evidence, Kept, measures};
use crate::search::{Search, Spec};
use crate::summary::Report;
use crate::{claims, output, terminal};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use tegula::cluster::Clusters;
use tegula::context::Context;
use tegula::engine::Findings;
use tegula::engine::remaining::Taken;
use tegula::error::{Error, Result};
use tegula::join::Pair;
use tegula::recipe::{Action, Measure};
use tegula::summary::Summary;
use tegula_io::outputs::Outputs;
use tegula_io::tables::{self, Form, PairRow, SheetWriter, Table, TableInfo, check_table_name};

/// Arguments of `tegula pairs`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tegula pairs news.jsonl -o pairs.parquet
  tegula pairs laws/ --recipe ssr --threshold 0.5 -o pairs.tsv
  tegula pairs old.jsonl new.jsonl -o - | head")]
pub(crate) struct PairsArgs {
    #[command(flatten)]
    input: InputArgs,

    /// Where the pairs are written to: a .parquet, .tsv or .jsonl file; `-` is standard output
    #[arg(long, short, value_name = "PAIRS", help_heading = "Output")]
    output: Option<PathBuf>,

    /// The form of the pairs on standard output
    #[arg(long, value_name = "FORM", value_enum, default_value_t, help_heading = "Output")]
    form: StdoutForm,

    /// List every pair of units, and not one pair for each two groups of equal units
    #[arg(long, help_heading = "Output")]
    expand: bool,

    #[command(flatten)]
    recipe: RecipeArgs,

    #[command(flatten)]
    constraints: ConstraintArgs,

    #[command(flatten)]
    run: RunArgs,

    #[command(flatten)]
    machine: MachineArgs,
}

/// The form of a table on standard output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum StdoutForm {
    /// Cells with tabs between, and a header
    #[default]
    Tsv,
    /// One JSON object a line
    Jsonl,
}

/// Runs `tegula pairs`.
///
/// # Errors
/// What ended it before its time.
pub(crate) fn run(args: &PairsArgs) -> Result<ExitCode> {
    check(args)?;
    let outputs = claims::outputs(false)?;
    let json = args.run.json.then_some(Path::new("-"));
    claims::claim(&outputs, [], &[("-o", args.output.as_deref()), ("--json", json)])?;
    let context = args.machine.context()?;
    let spec = Spec {
        outputs: &outputs,
        command: "pairs",
        input: &args.input,
        recipe: &args.recipe,
        action: Action::Mark,
        constraints: &args.constraints,
        fields: &[],
        run: &args.run,
        evidence: Kept::All,
        from: None,
        moved: None,
        output: args.output.as_deref(),
    };
    let mut search = Search::open(&context, spec)?;
    let recipe = search.staged.stages[0].recipe.clone();
    if recipe.measure == Measure::Known {
        return Err(Error::usage("--recipe: Onion compares a text with all before it at once, and knows no pairs")
            .hint("use dedup or mark with it; a recipe that knows pairs for contained texts is sscr-containment"));
    }
    search.check_inputs(&context)?;
    search.begin(&args.run)?;
    let mut found = search.find(&context, 0, &Taken::default())?;
    let clock = Instant::now();
    let clusters = Clusters::new(&found, recipe.threshold)?;
    let mut summary = Summary::new(&found, &recipe, &clusters, None, &args.run.by)?;
    let mut timings = std::mem::take(&mut found.timings);
    timings.push(("count", clock.elapsed()));
    let clock = Instant::now();
    summary.recall = search.recall(&context, &found, &args.run)?;
    if summary.recall.is_some() {
        timings.push(("check recall", clock.elapsed()));
    }
    let skipped = search.inputs.skipped();
    let mut report = Report {
        stage: None,
        summary: &summary,
        verb: None,
        bad_records: search.options.left_out.len() as u64,
        cut_records: 0,
        skipped: &skipped,
        tokens: search.tokens(&recipe),
        timings,
        recipe: &recipe,
    };
    let clock = Instant::now();
    let mut rows = None;
    if let Some(folder) = &search.folder {
        let inputs = search.inputs.identify();
        let evidence = Evidence {
            outputs: &outputs,
            folder,
            recipe: &recipe,
            options: &search.options,
            inputs: &inputs,
            found: &found,
            clusters: &clusters,
            stage: &recipe.recipe,
            decision: None,
        };
        evidence::write(evidence, search.is_stored_in_folder())?;
        evidence.info(&report)?;
    }
    if let Some(path) = &args.output {
        let info = TableInfo {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            recipe: evidence::recipe_hash(&recipe)?,
            fields: Vec::new(),
        };
        let mut sheet = Sheet::create(&outputs, path, args.form, &info)?;
        let list = if args.expand { expanded } else { representatives };
        list(&context, &found, &mut sheet)?;
        rows = Some(sheet.rows);
        sheet.finish()?;
    }
    report.timings.push(("write", clock.elapsed()));
    search.finish(args.machine.quiet)?;
    tell(&[report], args.run.json, args.machine.quiet)?;
    let pairs = summary.levels.first().map_or(0, |level| level.pairs);
    if let Some(rows) = rows.filter(|rows| *rows < pairs && !args.machine.quiet) {
        output::tell(&format!(
            "{} for {} of units: equal units are a group, two groups have one row, and units of one group none; --expand lists every pair\n",
            terminal::plural(rows, "row"),
            terminal::plural(pairs, "pair"),
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Refuses what does not go together, before anything is opened.
fn check(args: &PairsArgs) -> Result<()> {
    if args.input.inputs.is_empty() {
        return Err(
            Error::usage("expected at least one input, found none").hint("name files or folders, or - for standard input")
        );
    }
    match &args.output {
        None if args.run.run.is_none() => Err(Error::usage("-o: expected an output, found none")
            .hint("name a .parquet, .tsv or .jsonl file, or - for standard output; or use --run")),
        Some(path) if path.as_os_str() != "-" => check_table_name(path),
        _ => Ok(()),
    }
}

/// Where pairs go, and how many there are.
struct Sheet {
    to: To,
    rows: u64,
}

/// A file, or standard output.
enum To {
    File(Box<SheetWriter<tables::Pairs>>),
    Stdout { form: Form, lines: String },
}

/// Bytes that are written to standard output at a time.
const PIECE: usize = 1 << 16;

impl Sheet {
    fn create(outputs: &Outputs, path: &Path, form: StdoutForm, info: &TableInfo) -> Result<Self> {
        if path.as_os_str() != "-" {
            return Ok(Self { to: To::File(Box::new(SheetWriter::create(outputs, path, info)?)), rows: 0 });
        }
        let to = match form {
            StdoutForm::Jsonl => To::Stdout { form: Form::Json, lines: String::new() },
            StdoutForm::Tsv => {
                let names: Vec<&str> = tables::Pairs::columns().iter().map(|column| column.name).collect();
                To::Stdout { form: Form::Tsv, lines: names.join("\t") + "\n" }
            }
        };
        Ok(Self { to, rows: 0 })
    }

    fn push(&mut self, row: &PairRow) -> Result<()> {
        self.rows += 1;
        match &mut self.to {
            To::File(writer) => writer.push(row),
            To::Stdout { form, lines } => {
                tables::Pairs::show(row, *form, lines);
                lines.push('\n');
                if lines.len() >= PIECE {
                    output::data(lines.as_bytes())?;
                    lines.clear();
                }
                Ok(())
            }
        }
    }

    fn finish(self) -> Result<()> {
        match self.to {
            To::File(writer) => writer.finish().map(drop),
            To::Stdout { lines, .. } => output::data(lines.as_bytes()),
        }
    }
}

/// A pair of units, the earlier one first; `measured` is the pair of their groups in the same order.
fn row(found: &Findings, sheet: &mut Sheet, units: (u32, u32), measured: &Pair) -> Result<()> {
    let (a, b) = units;
    let (id_a, id_b) = (found.units.id(a), found.units.id(b));
    let measured = measures(found, measured);
    sheet.push(&PairRow { unit_a: Some(a.into()), unit_b: Some(b.into()), id_a: &id_a, id_b: &id_b, ..measured })
}

/// One pair for each two groups of equal units, as they were found.
fn representatives(context: &Context, found: &Findings, sheet: &mut Sheet) -> Result<()> {
    let first = |group: u32| found.groups.first[group as usize];
    found.pairs.for_each(|pair| {
        context.check()?;
        row(found, sheet, (first(pair.a), first(pair.b)), &pair)
    })
}

/// Every pair of units, by (a, b).
///
/// Pairs of groups come in the order of the groups, not of their members, and there may be more pairs of units than memory holds. So the
/// units are taken in windows whose pairs fit, and the pairs of groups are read once for each window.
fn expanded(context: &Context, found: &Findings, sheet: &mut Sheet) -> Result<()> {
    const FEW: u64 = 1 << 18;
    let size = size_of::<(u32, Pair)>() as u64 + 4;
    let _counts = context.budget.reserve(8 * found.units.len() as u64, "the counts of pairs by unit")?;
    let room = (context.budget.free() / 2 / size).max(FEW);
    let _held = context.budget.try_reserve(room * size);
    let mut counts = vec![0_u64; found.units.len()];
    each_pair(context, found, 0..found.units.len() as u32, |a, _, _| counts[a as usize] += 1)?;
    let mut rows: Vec<(u32, u32, Pair)> = Vec::new();
    let mut from = 0;
    while from < found.units.len() {
        let mut to = from;
        let mut sum = 0;
        while to < found.units.len() && (to == from || sum + counts[to] <= room) {
            sum += counts[to];
            to += 1;
        }
        if sum > 0 {
            rows.clear();
            each_pair(context, found, from as u32..to as u32, |a, b, pair| rows.push((a, b, pair)))?;
            rows.sort_unstable_by_key(|(a, b, _)| (*a, *b));
            for (a, b, pair) in &rows {
                row(found, sheet, (*a, *b), pair)?;
            }
        }
        from = to;
    }
    Ok(())
}

/// Calls `f` with each pair of units whose earlier one is in `window`, in no order, and with the pair of their groups, turned so that it
/// begins with the earlier unit's.
fn each_pair(context: &Context, found: &Findings, window: std::ops::Range<u32>, mut f: impl FnMut(u32, u32, Pair)) -> Result<()> {
    let groups = &found.groups;
    let inside = |members: &[u32]| -> std::ops::Range<usize> {
        members.partition_point(|unit| *unit < window.start)..members.partition_point(|unit| *unit < window.end)
    };
    if groups.alike {
        for group in 0..groups.len() as u32 {
            let members = groups.members(group);
            if members.len() > 1 {
                let pair = found.scoring.equal(group, found.sizes());
                // References are not compared with each other.
                if found.allowed.is_reference(found.units.record_of(members[0])) {
                    continue;
                }
                for at in inside(members) {
                    members[at + 1..].iter().for_each(|later| f(members[at], *later, pair));
                }
            }
        }
    }
    found.pairs.for_each(|pair| {
        context.check()?;
        let turned = found.scoring.turned(&pair);
        for (pair, of_a, of_b) in
            [(pair, groups.members(pair.a), groups.members(pair.b)), (turned, groups.members(pair.b), groups.members(pair.a))]
        {
            for unit in &of_a[inside(of_a)] {
                let later = of_b.partition_point(|other| other < unit);
                of_b[later..].iter().for_each(|other| f(*unit, *other, pair));
            }
        }
        Ok(())
    })
}
