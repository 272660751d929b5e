//! `tegula passages`: the stretches that texts share.

use crate::args::{Declared, MachineArgs};
use crate::terminal::{self, count, plural, say};
use crate::{output, summary};
use clap::Args;
use std::fmt::Write as _;
use std::process::ExitCode;
use tegula::error::Result;
use tegula::passages::Place;
use tegula_run::command::Command;
use tegula_run::passages::{Passages, PassagesSpec};

/// Arguments of `tegula passages`.
#[derive(Debug, Args)]
#[command(mut_arg("against", |arg| arg.long("in").alias("against")), after_help = "Examples:
  tegula passages letters/
  tegula passages speeches.jsonl --in laws/ -o quoted.tsv --texts
  tegula passages books/ --min-tokens 20 --date year --report passages.html
  tegula passages sermons.xml --in bible.txt --marked quoted.xml --mark-place standoff

Two texts share a passage where n tokens in a row are equal (--ngram); it continues across small edits as long as
enough of it is equal (--min-identity). Without -o, the passages in most texts are listed, with all their
places, the earliest first.")]
pub(crate) struct PassagesArgs {
    #[command(flatten)]
    spec: Declared<PassagesSpec>,

    /// List at most N passages, those in the most texts first; 0 lists all
    #[arg(long, value_name = "N", default_value_t = 10, help_heading = "Output")]
    top: usize,

    #[command(flatten)]
    machine: MachineArgs,
}

/// Runs `tegula passages`.
///
/// # Errors
/// When the run fails or is interrupted.
pub(crate) fn passages(args: &PassagesArgs) -> Result<ExitCode> {
    let found = args.spec.run(&args.machine.host()?)?;
    if args.spec.table.output.is_none() && args.spec.marked.is_none() {
        output::show(&listing(args, &found)?)?;
    }
    if !args.machine.quiet {
        output::tell(&(in_short(args, &found)? + &summary::passed_over(&found.passed_over())));
    }
    Ok(ExitCode::SUCCESS)
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
        let places = all.places(*family, args.spec.date.as_deref());
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
    let date = args.spec.date.as_deref().map(|field| {
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
    let least = plural(args.spec.wanted().min_tokens.into(), "token");
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
    if let Some(path) = &args.spec.marked {
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
            args.spec.wanted().common.unwrap_or_default()
        );
    }
    Ok(out)
}
