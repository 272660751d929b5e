//! `tegula pairs`: the similarity matrix above the threshold.

use super::dedup::tell;
use crate::args::{ConstraintArgs, InputArgs, MachineArgs, RecipeArgs, RunArgs};
use crate::evidence::{self, Evidence, Kept, measures};
use crate::search::{Search, Spec};
use crate::summary::Report;
use crate::{claims, output, terminal};
use clap::{Args, ValueEnum};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use tegula::cluster::Clusters;
use tegula::context::Context;
use tegula::engine::Findings;
use tegula::error::{Error, Result};
use tegula::pair::Pair;
use tegula::recipe::Action;
use tegula::remaining::Taken;
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
    ///
    /// Without it a row stands for equal_a times equal_b pairs, and each unit of a group but the first has a row with the first.
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
    if recipe.measure.is_in_order() {
        return Err(Error::usage("--recipe: Onion compares a text with all before it at once, and knows no pairs")
            .hint("use dedup or mark with it; a recipe that knows pairs for contained texts is sscr-containment"));
    }
    search.check_inputs(&context)?;
    search.begin(&args.run)?;
    let mut found = search.find(&context, 0, &Taken::default(), None)?;
    let clock = Instant::now();
    let clusters = Clusters::new(&found, recipe.threshold)?;
    let mut summary = Summary::new(&context, &found, &recipe, &clusters, None, &args.run.by)?;
    summary.spell(&output::spelling);
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
        if args.expand || !found.groups.alike || found.allowed.has_references() {
            sorted(&context, &found, args.expand, &mut sheet)?;
        } else {
            representatives(&context, &found, &mut sheet)?;
        }
        rows = Some(sheet.rows);
        sheet.finish()?;
    }
    report.timings.push(("write", clock.elapsed()));
    search.finish(args.machine.quiet)?;
    tell(&[report], args.run.json, args.machine.quiet)?;
    let pairs = summary.levels.first().map_or(0, |level| level.pairs);
    if let Some(rows) = rows.filter(|rows| *rows < pairs && !args.machine.quiet) {
        output::tell(&format!(
            "{} for {} of units: equal units are a group, and a row stands for equal_a times equal_b pairs; --expand lists every pair\n",
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

/// A pair of units, the earlier one first, and how many equal units each stands for; `measured` is the pair of their groups in the same
/// order.
fn row(found: &Findings, sheet: &mut Sheet, (a, b): (u32, u32), equal: [usize; 2], measured: &Pair) -> Result<()> {
    let (id_a, id_b) = (found.units.id(a), found.units.id(b));
    let [equal_a, equal_b] = equal.map(|count| u32::try_from(count).ok());
    let measured = measures(found, measured);
    sheet.push(&PairRow {
        unit_a: Some(a.into()),
        unit_b: Some(b.into()),
        id_a: &id_a,
        id_b: &id_b,
        equal_a,
        equal_b,
        ..measured
    })
}

/// One pair for each two groups of equal units, and for each unit of a group with the first of it, by (a, b): whoever reads them has all
/// clusters, and with what each row stands for all counts. A row inside a group stands for the pairs with all members before. Where members
/// of all groups are pairs of each other, rows come in this order by themselves.
fn representatives(context: &Context, found: &Findings, sheet: &mut Sheet) -> Result<()> {
    let groups = &found.groups;
    let first = |group: u32| groups.first[group as usize];
    let size = |group: u32| groups.members(group).len();
    let alike = (0..groups.len() as u32).filter(|group| groups.are_alike(*group));
    let mut inside = alike.flat_map(|group| (1..size(group)).map(move |before| (group, before))).peekable();
    let mut until = |sheet: &mut Sheet, end: Option<(u32, u32)>| -> Result<()> {
        let units = |(group, before): (u32, usize)| (first(group), groups.members(group)[before]);
        while let Some((group, before)) = inside.next_if(|one| end.is_none_or(|end| units(*one) < end)) {
            let equal = found.scoring.equal(group, found.sizes());
            row(found, sheet, units((group, before)), [before, 1], &equal)?;
        }
        Ok(())
    };
    found.pairs.for_each(|pair| {
        context.check()?;
        let units = (first(pair.a), first(pair.b));
        until(sheet, Some(units))?;
        row(found, sheet, units, [size(pair.a), size(pair.b)], &pair)
    })?;
    until(sheet, None)
}

/// A row to be written: two units, the earlier first, how many equal ones each stands for, and the pair of their groups turned likewise.
type Row = ((u32, u32), [usize; 2], Pair);

/// All rows, by (a, b): every pair of units, or those of [`links`].
///
/// Pairs of groups come in the order of the groups, not of their members, and there may be more pairs of units than memory holds. So the
/// units are taken in windows whose pairs fit, and the pairs of groups are read once for each window.
fn sorted(context: &Context, found: &Findings, every: bool, sheet: &mut Sheet) -> Result<()> {
    const FEW: u64 = 1 << 18;
    let size = size_of::<Row>() as u64;
    let _counts = context.budget.reserve(8 * found.units.len() as u64, "the counts of pairs by unit")?;
    let room = (context.budget.free() / 2 / size).max(FEW);
    let _held = context.budget.try_reserve(room * size);
    let each = if every { each_pair } else { links };
    let mut counts = vec![0_u64; found.units.len()];
    each(context, found, 0..found.units.len() as u32, &mut |((a, _), _, _)| counts[a as usize] += 1)?;
    let mut rows: Vec<Row> = Vec::new();
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
            each(context, found, from as u32..to as u32, &mut |one| rows.push(one))?;
            rows.sort_unstable_by_key(|(units, _, _)| *units);
            for (units, equal, pair) in &rows {
                row(found, sheet, *units, *equal, pair)?;
            }
        }
        from = to;
    }
    Ok(())
}

/// Calls `f` with each pair of units whose earlier one is in `window`, in no order.
fn each_pair(context: &Context, found: &Findings, window: Range<u32>, f: &mut dyn FnMut(Row)) -> Result<()> {
    let groups = &found.groups;
    let inside = |members: &[u32]| -> Range<usize> {
        members.partition_point(|unit| *unit < window.start)..members.partition_point(|unit| *unit < window.end)
    };
    for group in (0..groups.len() as u32).filter(|group| groups.are_alike(*group)) {
        let members = groups.members(group);
        let pair = found.scoring.equal(group, found.sizes());
        for at in inside(members) {
            members[at + 1..].iter().for_each(|later| f(((members[at], *later), [1, 1], pair)));
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
                of_b[later..].iter().for_each(|other| f(((*unit, *other), [1, 1], pair)));
            }
        }
        Ok(())
    })
}

/// The same with as many pairs as link all units. Members of a group that are no pairs of each other (references, and under `--across`)
/// are linked through their partners: the first of the one group with all of the other, and the first of the other with all of the one.
fn links(context: &Context, found: &Findings, window: Range<u32>, f: &mut dyn FnMut(Row)) -> Result<()> {
    let groups = &found.groups;
    for group in (0..groups.len() as u32).filter(|group| groups.are_alike(*group)) {
        let members = groups.members(group);
        if window.contains(&members[0]) {
            let pair = found.scoring.equal(group, found.sizes());
            (1..members.len()).for_each(|before| f(((members[0], members[before]), [before, 1], pair)));
        }
    }
    // The units of a group that are named, and for how many each stands.
    let named = |group: u32| {
        let members = groups.members(group);
        if groups.are_alike(group) { (&members[..1], members.len()) } else { (members, 1) }
    };
    found.pairs.for_each(|pair| {
        context.check()?;
        let turned = found.scoring.turned(&pair);
        let ((of_a, each_a), (of_b, each_b)) = (named(pair.a), named(pair.b));
        let mut link = |a: u32, b: u32, [equal_a, equal_b]: [usize; 2]| {
            let row = if a < b { ((a, b), [equal_a, equal_b], pair) } else { ((b, a), [equal_b, equal_a], turned) };
            if window.contains(&row.0.0) {
                f(row);
            }
        };
        for a in of_a {
            link(*a, of_b[0], [each_a, each_b]);
        }
        for b in &of_b[1..] {
            link(of_a[0], *b, [of_a.len() * each_a, each_b]);
        }
        Ok(())
    })
}
