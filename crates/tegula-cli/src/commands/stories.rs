//! `tegula stories`: similar texts in chronological order.

use crate::args::{Declared, MachineArgs};
use crate::terminal::{self, count, plural, say};
use crate::{output, summary};
use clap::Args;
use std::fmt::Write as _;
use std::process::ExitCode;
use tegula::error::Result;
use tegula_run::command::Command;
use tegula_run::stories::{Stories, StoriesSpec, Story};

/// Sources listed of a story.
const SOURCES: usize = 8;
/// Characters of a text shown.
const SHORT: usize = 100;

/// Arguments of `tegula stories`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tegula stories news.jsonl --window date=3d --by paper
  tegula stories news/ --window published=1w --by source --min-sources 3 -o stories.tsv --texts texts.tsv
  tegula stories messages.csv --date received --report spread.html

A story is a cluster of similar texts (--recipe sscr --threshold 0.5, unless others are named). With --window, texts
further apart are not compared, so a story continues as long as its next text appears in time. Texts of fewer than
20 tokens are skipped, unless --min-tokens says otherwise.")]
pub(crate) struct StoriesArgs {
    #[command(flatten)]
    spec: Declared<StoriesSpec>,

    /// List at most N stories, those in the most sources first; 0 lists all
    #[arg(long, value_name = "N", default_value_t = 10, help_heading = "Output")]
    top: usize,

    #[command(flatten)]
    machine: MachineArgs,
}

/// Runs `tegula stories`.
///
/// # Errors
/// When the run fails or is interrupted.
pub(crate) fn stories(args: &StoriesArgs) -> Result<ExitCode> {
    let found = args.spec.run(&args.machine.host()?)?;
    if args.spec.table.output.is_none() {
        output::show(&listing(args, &found)?)?;
    }
    if !args.machine.quiet {
        output::tell(
            &(in_short(&found, args.spec.by.is_some())
                + &summary::passed_over(&found.passed_over())),
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// The stories for people.
fn listing(args: &StoriesArgs, found: &Stories) -> Result<String> {
    let mut out = String::new();
    let shown = match args.top {
        0 => found.list.len(),
        top => top.min(found.list.len()),
    };
    let firsts: Vec<u32> = found.list[..shown]
        .iter()
        .map(|story| story.first().unit)
        .collect();
    let texts = found.texts_of(&firsts)?;
    for (story, text) in found.list.iter().zip(texts) {
        let mut facts = vec![plural(story.texts.len() as u64, "text")];
        if args.spec.by.is_some() {
            facts.push(plural(story.sources.into(), "source"));
        }
        facts.push(match story.span() {
            Some((first, last)) if first == last => "1 day".to_owned(),
            Some((first, last)) => format!(
                "{} within {}",
                plural(story.days.into(), "day"),
                count((last - first + 1) as u64)
            ),
            None => "no date".to_owned(),
        });
        let _ = write!(
            out,
            "{}\n  {}\n",
            facts.join(", "),
            terminal::clipped(&text.unwrap_or_default(), SHORT)
        );
        for line in lines(found, story, args.spec.by.is_some()) {
            say!(out, "    {line}");
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
    Ok(out)
}

/// The first texts of a story: of each source, if there are sources.
fn lines(found: &Stories, story: &Story, by: bool) -> Vec<String> {
    let texts = if by {
        story.by_source()
    } else {
        story.texts.clone()
    };
    let mut lines: Vec<String> = texts
        .iter()
        .take(SOURCES)
        .map(|text| {
            let id = found.found.units.id(text.unit);
            let day = found.day(text.unit).unwrap_or_else(|| "no date".to_owned());
            if by {
                format!("{day}  {}  {id}", found.source(*text).unwrap_or_default())
            } else {
                format!("{day}  {id}")
            }
        })
        .collect();
    if texts.len() > SOURCES {
        lines.push(format!(
            "... {} more",
            count((texts.len() - SOURCES) as u64)
        ));
    }
    lines
}

/// How many stories there are.
fn in_short(found: &Stories, by: bool) -> String {
    let texts: u64 = found
        .list
        .iter()
        .map(|story| story.texts.len() as u64)
        .sum();
    let wide = found.list.iter().filter(|story| story.sources > 1).count();
    let long = found.list.iter().filter(|story| story.days > 1).count();
    let sources = if by {
        format!("{} in several sources, ", count(wide as u64))
    } else {
        String::new()
    };
    let undated = found.list.iter().flat_map(|story| &story.texts);
    let undated = undated.filter(|text| text.day.is_none()).count() as u64;
    let among = plural(found.found.units.len() as u64, "text");
    let mut out = match found.list.len() as u64 {
        0 => format!("no stories among {among}\n"),
        stories => format!(
            "{} of {}, {sources}{} on several days, among {among}\n",
            terminal::plural(stories, "story").replace("storys", "stories"),
            plural(texts, "text"),
            count(long as u64),
        ),
    };
    if undated > 0 {
        let _ = writeln!(out, "{} of stories without a date", plural(undated, "text"));
    }
    out
}
