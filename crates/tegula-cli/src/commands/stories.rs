//! `tegula stories`: similar texts in chronological order.

use crate::commands::{Asked, Show};
use crate::terminal::{self, count, plural, say};
use crate::{output, summary};
use std::fmt::Write as _;
use std::process::ExitCode;
use tegula::error::Result;
use tegula_run::commands::stories::{Stories, StoriesSpec, Story};

/// Sources listed of a story.
const SOURCES: usize = 8;
/// Characters of a text shown.
const SHORT: usize = 100;

impl Show for StoriesSpec {
    fn show(asked: &Asked<Self>) -> Result<ExitCode> {
        let found = asked.run()?;
        if asked.spec.table.output.is_none() {
            output::show(&listing(asked, &found)?)?;
        }
        if !asked.is_quiet() {
            output::tell(
                &(in_short(&found, asked.spec.by.is_some())
                    + &summary::passed_over(&found.passed_over())),
            );
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The stories for people.
fn listing(asked: &Asked<StoriesSpec>, found: &Stories) -> Result<String> {
    let mut out = String::new();
    let shown = asked.shown.listed(found.list.len());
    let firsts: Vec<u32> = found.list[..shown]
        .iter()
        .map(|story| story.first().unit)
        .collect();
    let texts = found.texts_of(&firsts)?;
    for (story, text) in found.list.iter().zip(texts) {
        let mut facts = vec![plural(story.texts.len() as u64, "text")];
        if asked.spec.by.is_some() {
            facts.push(plural(story.sources.into(), "source"));
        }
        facts.push(story.in_days().unwrap_or_else(|| "no date".to_owned()));
        let _ = write!(
            out,
            "{}\n  {}\n",
            facts.join(", "),
            terminal::clipped(&text.unwrap_or_default(), SHORT)
        );
        for line in lines(found, story, asked.spec.by.is_some()) {
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
            "... {} more{}",
            count((texts.len() - SOURCES) as u64),
            if by { " sources" } else { "" }
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
