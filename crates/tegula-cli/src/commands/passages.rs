//! `tegula passages`: the stretches that texts share.

use crate::commands::{Asked, Show};
use crate::terminal::{self, count, plural, say};
use crate::{output, summary};
use std::fmt::Write as _;
use std::process::ExitCode;
use tegula::error::Result;
use tegula::passages::Place;
use tegula_report::concordance;
use tegula_run::commands::passages::{Passages, PassagesSpec};

impl Show for PassagesSpec {
    fn adapt(command: clap::Command) -> clap::Command {
        command.mut_arg("against", |arg| arg.long("in").alias("against"))
    }

    fn show(asked: &Asked<Self>) -> Result<ExitCode> {
        let found = asked.run()?;
        let spec = &asked.spec;
        if spec.is_listed() {
            output::show(&listing(asked, &found)?)?;
        }
        if !asked.is_quiet() {
            output::tell(&(in_short(asked, &found)? + &summary::passed_over(&found.passed_over())));
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The passages by rank.
fn listing(asked: &Asked<PassagesSpec>, all: &Passages) -> Result<String> {
    let ranked = all.ranked();
    let shown = asked.shown.listed(ranked.len());
    let mut out = String::new();
    let listed = &ranked[..shown];
    let texts = all.family_texts(listed)?;
    for (family, text) in listed.iter().zip(&texts) {
        let places = all.places(*family, asked.spec.date.as_deref());
        let _ = writeln!(
            out,
            "{} in {}, {}",
            plural(places.len() as u64, "place"),
            plural(all.texts(*family), "text"),
            all.length(*family),
        );
        let few = &places[..places.len().min(PLACES)];
        let shown = if let Some(tokens) = asked.spec.context {
            in_context(asked, all, few, tokens as usize)?
        } else {
            let _ = writeln!(out, "  {}", terminal::clipped(text, LONG));
            let mut table = terminal::table(&[], usize::from(u16::MAX));
            for place in few {
                table.add_row([date(asked, all, place), span(all, place)]);
            }
            terminal::show(&table)
        };
        for line in shown.lines() {
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

/// Places with their context, one on a line.
fn in_context(
    asked: &Asked<PassagesSpec>,
    all: &Passages,
    places: &[&Place],
    tokens: usize,
) -> Result<String> {
    let named = |place: &Place| {
        let date = date(asked, all, place);
        let id = all.found.units.id(place.unit);
        let between = if date.is_empty() { "" } else { " " };
        format!("{date}{between}{id}")
    };
    let found = all.in_context(places, tokens)?;
    let lines: Vec<_> = places
        .iter()
        .zip(found)
        .map(|(place, context)| (named(place), context.unwrap_or_default()))
        .collect();
    // In a file or a pipe, nothing is cut.
    let room = terminal::room(asked.shown.width).unwrap_or(usize::MAX);
    let width = room.saturating_sub(2);
    Ok(concordance::lines(&lines, width))
}

/// Places listed of a passage.
const PLACES: usize = 12;

fn date(asked: &Asked<PassagesSpec>, all: &Passages, place: &Place) -> String {
    let date = asked.spec.date.as_deref().map(|field| {
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
fn in_short(asked: &Asked<PassagesSpec>, all: &Passages) -> Result<String> {
    let found = &all.found;
    let least = plural(asked.spec.wanted().min_tokens.into(), "token");
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
    if let Some(path) = &asked.spec.marked {
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
            asked.spec.wanted().common.unwrap_or_default()
        );
    }
    Ok(out)
}
