//! `tegula templates`: what texts filled in from one form have in common, and what is in the slots.

use crate::commands::{Asked, Show};
use crate::terminal::{self, count, plural};
use crate::{output, summary};
use std::fmt::Write as _;
use std::process::ExitCode;
use tegula::error::Result;
use tegula_run::commands::templates::{Template, Templates, TemplatesSpec};

/// Characters of a template shown.
const LONG: usize = 1000;
/// Characters of a filler shown.
const SHORT: usize = 60;
/// Slots listed of a template.
const SLOTS: usize = 12;
/// Fillers listed of a slot.
const FILLERS: usize = 5;

impl Show for TemplatesSpec {
    fn show(asked: &Asked<Self>) -> Result<ExitCode> {
        let found = asked.run()?;
        if asked.spec.table.output.is_none() {
            output::show(&listing(asked, &found))?;
        }
        if !asked.is_quiet() {
            output::tell(&(in_short(&found) + &summary::passed_over(&found.passed_over)));
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The templates for people.
fn listing(asked: &Asked<TemplatesSpec>, found: &Templates) -> String {
    let mut out = String::new();
    let shown = asked.shown.listed(found.list.len());
    for template in found.list.iter().take(shown) {
        let _ = write!(
            out,
            "{}, {}, {}\n  {}\n",
            plural(template.texts, "text"),
            plural(template.tokens.into(), &format!("constant {}", found.token)),
            plural(template.slots().count() as u64, "slot"),
            terminal::clipped(&template.pattern(), LONG),
        );
        for (slot, fillers) in (1..).zip(template.slots()).take(SLOTS) {
            let _ = writeln!(out, "    {{{slot}}}  {}", held(fillers));
        }
        let more = template.slots().count().saturating_sub(SLOTS) as u64;
        if more > 0 {
            let _ = writeln!(out, "    ... {}", plural(more, "more slot"));
        }
        out.push('\n');
    }
    if found.list.len() > shown {
        let more = count((found.list.len() - shown) as u64);
        let _ = write!(
            out,
            "... and {more} more; --top 0 lists all, -o TABLE writes them\n\n"
        );
    }
    out
}

/// What is in a slot.
fn held(fillers: &[(String, u64)]) -> String {
    let some = fillers.iter().take(FILLERS).map(|(filler, texts)| {
        let filler = match filler.as_str() {
            "" => "(nothing)".to_owned(),
            filler => terminal::clipped(filler, SHORT),
        };
        match texts {
            1 => filler,
            _ => format!("{filler} ({})", count(*texts)),
        }
    });
    let mut out = some.collect::<Vec<_>>().join(" | ");
    if fillers.len() > FILLERS {
        let more = count((fillers.len() - FILLERS) as u64);
        let _ = write!(out, " | ... {more} more");
    }
    out
}

/// How many templates there are.
fn in_short(found: &Templates) -> String {
    let texts = found.list.iter().map(|template| template.texts).sum();
    let among = plural(found.found.units.len() as u64, "text");
    let clusters = plural(found.clusters, "cluster");
    let mut out = match (found.list.len() as u64, found.clusters) {
        (0, 0) => format!("no templates, as no texts are similar, among {among}\n"),
        (0, _) => format!("no templates in {clusters} of similar texts, among {among}\n"),
        (templates, _) => format!(
            "{} of {}, from {clusters} of similar texts, among {among}\n",
            plural(templates, "template"),
            plural(texts, "text"),
        ),
    };
    if found.long > 0 {
        let _ = writeln!(
            out,
            "{} of more than {} tokens not aligned",
            plural(found.long, "text"),
            count(tegula::templates::MOST_TOKENS as u64),
        );
    }
    let without = |template: &&Template| template.regex.is_none();
    let without = found.list.iter().filter(without).count() as u64;
    if without > 0 {
        let _ = writeln!(
            out,
            "{} without a regular expression, which would be too long",
            plural(without, "template"),
        );
    }
    out
}
