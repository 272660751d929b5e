//! `tegula passages`: the stretches that texts share.

use crate::args::{InputArgs, MachineArgs, TableArgs, any};
use crate::terminal::{self, count, plural, say};
use crate::{invocation, output, summary};
use clap::Args;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use tegula::constraint::Constraints;
use tegula::error::Result;
use tegula::field::FieldKey;
use tegula::passages::{Place, Wanted};
use tegula::record::Level;
use tegula::threshold::Threshold;
use tegula_io::rewrite::MarkPlace;
use tegula_report::passages::page;
use tegula_run::OutputSpec;
use tegula_run::opened::claims;
use tegula_run::options::{PairOptions, RecipeOptions, TokenSource};
use tegula_run::passages::{Passages, PassagesSpec};

/// Arguments of `tegula passages`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tegula passages letters/
  tegula passages speeches.jsonl --in laws/ -o quoted.tsv --texts
  tegula passages books/ --min-tokens 20 --date year --report passages.html
  tegula passages sermons.xml --in bible.txt --marked quoted.xml --mark-place standoff

Two texts share a passage where n tokens in a row are equal (--ngram); it continues across small edits as long as
enough of it is equal (--min-identity). Without -o, the passages in most texts are listed, with all their
places, the earliest first.")]
pub(crate) struct PassagesArgs {
    #[command(flatten)]
    input: InputArgs,

    /// Only passages that the inputs share with these files or folders; may be repeated
    #[arg(
        long = "in",
        alias = "against",
        value_name = "PATH",
        help_heading = "Passages"
    )]
    within_these: Vec<PathBuf>,

    /// Minimum number of tokens in a passage, counted on its shorter side
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10,
        help_heading = "Passages"
    )]
    min_tokens: u32,

    /// Number of equal tokens in a row that a passage must contain
    #[arg(long, value_name = "N", default_value_t = 5, help_heading = "Passages")]
    ngram: u32,

    /// Maximum number of tokens between two equal stretches; 0 for exact passages
    #[arg(long, value_name = "N", default_value_t = 8, help_heading = "Passages")]
    max_gap: u32,

    /// Minimum share of equal tokens among equal tokens and edits
    #[arg(
        long,
        value_name = "SHARE",
        default_value = "0.75",
        value_parser = crate::args::threshold,
        help_heading = "Passages"
    )]
    min_identity: Threshold,

    /// Treat an n-gram in more places than this as a common phrase, which makes no passage on its
    /// own; `none` for no limit
    #[arg(
        long,
        value_name = "PLACES",
        default_value = "50",
        value_parser = common,
        help_heading = "Passages"
    )]
    common: Common,

    /// Minimum rarity of a passage, in bits: more words and rarer words give more bits (column
    /// rarity)
    #[arg(
        long,
        value_name = "BITS",
        default_value_t = 0,
        help_heading = "Passages"
    )]
    min_rarity: u32,

    /// Also list passages that occur twice in one text
    #[arg(long, conflicts_with = "within_these", help_heading = "Passages")]
    inside: bool,

    /// Unit in which passages are located
    #[arg(long, value_name = "UNIT", value_parser = any::<Level>(), help_heading = "Passages")]
    unit: Option<Level>,

    /// Normalisation of tokens: default, kupietz, plain, as-is, messages or message-words
    #[arg(long, value_name = "PRESET", help_heading = "Passages")]
    normalize: Option<String>,

    /// Compare only texts with the same value of a field; may be repeated, all must match
    #[arg(long, value_name = "FIELD", help_heading = "Which texts")]
    within: Vec<FieldKey>,

    /// Compare only texts with different values of a field, such as author
    #[arg(long, value_name = "FIELD", help_heading = "Which texts")]
    across: Option<FieldKey>,

    /// Field with the date of a text: the places of a passage are listed earliest first
    #[arg(long, value_name = "FIELD", help_heading = "Which texts")]
    date: Option<String>,

    /// Format of dates that are not recognised; see `tegula dedup --help`
    #[arg(long, value_name = "FORMAT", help_heading = "Which texts")]
    date_format: Vec<String>,

    #[command(flatten)]
    table: TableArgs,

    /// Also write the text of each passage to the table
    #[arg(long, help_heading = "Output")]
    texts: bool,

    /// Also write the inputs with their passages marked: each in the later of its two texts, or in
    /// the input if the other text is from --in; where passages overlap, the longest
    #[arg(long, value_name = "OUTPUT", help_heading = "Output")]
    marked: Option<PathBuf>,

    /// Vertical, CoNLL-U, TEI and WARC: where to write marks
    #[arg(
        long,
        value_name = "PLACE",
        value_parser = any::<MarkPlace>(),
        requires = "marked",
        help_heading = "Output"
    )]
    mark_place: Option<MarkPlace>,

    /// Also write a page: the passages, a timeline, a matrix, and the texts with passages marked
    #[arg(long, value_name = "PAGE.html", help_heading = "Output")]
    report: Option<PathBuf>,

    /// List at most N passages, those in the most texts first; 0 lists all
    #[arg(long, value_name = "N", default_value_t = 10, help_heading = "Output")]
    top: usize,

    #[command(flatten)]
    machine: MachineArgs,
}

/// A limit, or none.
type Common = Option<u32>;

fn common(text: &str) -> Result<Common, String> {
    match text {
        "none" => Ok(None),
        _ => text
            .parse()
            .map(Some)
            .map_err(|_| "expected a number or none".to_owned()),
    }
}

/// Runs `tegula passages`.
///
/// # Errors
/// When the run fails or is interrupted.
pub(crate) fn passages(args: &PassagesArgs) -> Result<ExitCode> {
    args.input.check_any()?;
    let spec = spec(args)?;
    let host = args.machine.host()?;
    let host = crate::host::writing(host, "--report", args.report.as_ref());
    let outputs = claims::outputs(&host, [], &[])?;
    let found = tegula_run::passages::passages(&host, &spec, &outputs)?;
    if let Some(path) = &args.report {
        let title = format!("Passages in {}", named(&args.input.inputs));
        let page = page(&found, &title, args.date.as_deref())?;
        outputs.write(path, page.as_bytes())?;
    }
    claims::publish(&host, &outputs)?;
    if args.table.output.is_none() && args.marked.is_none() {
        output::show(&listing(args, &found)?)?;
    }
    if !args.machine.quiet {
        output::tell(&(in_short(args, &found)? + &summary::passed_over(&found.passed_over())));
    }
    Ok(ExitCode::SUCCESS)
}

/// What the arguments mean.
fn spec(args: &PassagesArgs) -> Result<PassagesSpec> {
    let recipe = RecipeOptions {
        unit: args.unit,
        ngram: Some(args.ngram as usize),
        normalize: args.normalize.clone(),
        tokens: (args.normalize.as_deref() == Some("as-is")).then_some(TokenSource::AsIs),
        ..RecipeOptions::default()
    };
    let constraints = PairOptions {
        date_format: args.date_format.clone(),
        against: args.within_these.clone(),
        ..PairOptions::default()
    };
    let mut wanted = Wanted::default();
    wanted.ngram = args.ngram;
    wanted.min_tokens = args.min_tokens;
    wanted.max_gap = args.max_gap;
    wanted.min_identity = args.min_identity;
    wanted.common = args.common;
    wanted.min_rarity = args.min_rarity;
    wanted.inside = args.inside;
    wanted.texts = args.texts || args.table.output.is_none() || args.report.is_some();
    let mut marked = OutputSpec::default();
    marked.path.clone_from(&args.marked);
    marked.mark_place = args.mark_place.unwrap_or_default();
    Ok(PassagesSpec {
        input: args.input.spec(&recipe, &constraints)?,
        recipe: recipe.recipe(&invocation::recipe)?,
        wanted,
        constraints: Constraints {
            within: args.within.clone(),
            across: args.across.clone(),
            ..Constraints::default()
        },
        date: args.date.clone(),
        output: args.table.output.clone(),
        places: args.table.output.is_none() || args.report.is_some(),
        form: args.table.form.unwrap_or_default(),
        formulas: args.table.formulas(None)?,
        marked,
    })
}

/// The passages in the most texts.
fn listing(args: &PassagesArgs, all: &Passages) -> Result<String> {
    let ranked = all.ranked();
    let shown = if args.top == 0 {
        ranked.len()
    } else {
        args.top
    };
    let mut out = String::new();
    let listed = &ranked[..shown.min(ranked.len())];
    let texts = all.family_texts(listed)?;
    for (family, text) in listed.iter().zip(&texts) {
        let places = all.places(*family, args.date.as_deref());
        let _ = writeln!(
            out,
            "{} in {}, {}",
            plural(places.len() as u64, "place"),
            plural(all.texts(*family), "text"),
            plural(all.longest(*family).into(), "token"),
        );
        let _ = writeln!(out, "  {}", terminal::clipped(text, LONG));
        let mut table = terminal::table(&[], usize::from(u16::MAX));
        for place in places.iter().take(PLACES) {
            table.add_row([date(args, all, place), span(all, place)]);
        }
        for line in terminal::show(table).lines() {
            say!(out, "  {line}");
        }
        if places.len() > PLACES {
            let _ = writeln!(out, "  ... and {} more", places.len() - PLACES);
        }
        out.push('\n');
    }
    if ranked.len() > shown {
        let more = count((ranked.len() - shown) as u64);
        let _ = writeln!(
            out,
            "... and {more} more; --top 0 lists all, -o TABLE writes them"
        );
    }
    Ok(out)
}

/// Places listed of a passage.
const PLACES: usize = 12;

fn date(args: &PassagesArgs, all: &Passages, place: &Place) -> String {
    let date = args.date.as_deref().map(|field| {
        let date = all.date(field, place.unit);
        date.map_or("no date", |(_, written)| written)
    });
    date.unwrap_or_default().to_owned()
}

/// Where a place is.
fn span(all: &Passages, place: &Place) -> String {
    format!(
        "{}  {}-{}",
        all.found.units.id(place.unit),
        place.chars.start,
        place.chars.end
    )
}

/// Characters of a text shown on one line.
const LONG: usize = 240;

/// How many there are.
fn in_short(args: &PassagesArgs, all: &Passages) -> Result<String> {
    let found = &all.found;
    let least = plural(args.min_tokens.into(), "token");
    let among = format!(
        "among {} ({})",
        plural(found.units.len() as u64, "text"),
        plural(found.tokens, "token"),
    );
    let mut out = match found.passages.len() as u64 {
        0 => format!("no passages of at least {least}, {among}\n"),
        passages => format!(
            "{} of at least {least} between {} of texts: {} different, {among}\n",
            plural(passages, "passage"),
            plural(all.pairs()?, "pair"),
            count(all.families.count as u64),
        ),
    };
    if let Some(path) = &args.marked {
        say!(
            out,
            "{} marked in {}",
            plural(all.marks, "passage"),
            path.display()
        );
    }
    let equal = found.units.len() - found.groups.len();
    if equal > 0 {
        let _ = writeln!(
            out,
            "{} equal to an earlier one, and counted with it (equal_a, equal_b)",
            plural(equal as u64, "text")
        );
    }
    if found.common > 0 {
        let _ = writeln!(
            out,
            "common phrases: {} with n-grams in more than {} places; these make no passage on their own (--common)",
            plural(found.common, "place"),
            args.common.unwrap_or_default()
        );
    }
    Ok(out)
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
