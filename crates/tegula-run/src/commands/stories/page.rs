//! Stories as an HTML page: which ran in the most sources, when, for how long, and who had them
//! first.

use super::{Member, Stories, Story};
use maud::{Markup, html};
use std::collections::BTreeMap;
use tegula::error::Result;
use tegula::field::FieldKey;
use tegula_report::form::{count, plural};
use tegula_report::html::chart::{Bar, Chart, bars};
use tegula_report::html::timeline::{Dot, Line, short, timeline};
use tegula_report::html::{Page, Section, clean, name, unfolding};

/// Stories listed.
const LISTED: usize = 60;
/// Of these, those that are not folded together.
const FIRST: usize = 12;
/// Texts listed of a story.
const TEXTS: usize = 30;
/// Stories in the timeline.
const LINES: usize = 30;
/// Sources in the matrix.
const LARGEST: usize = 30;
/// Characters of a story's first text.
const LONG: usize = 700;
/// Characters of its heading, and of a label of the timeline.
const SHORT: (usize, usize) = (110, 90);
/// Classes of counts: their lowest number and their name.
const CLASSES: [(u64, &str); 10] = [
    (1, "1"),
    (2, "2"),
    (3, "3"),
    (4, "4"),
    (5, "5\u{2013}7"),
    (8, "8\u{2013}14"),
    (15, "15\u{2013}30"),
    (31, "31\u{2013}90"),
    (91, "91\u{2013}365"),
    (366, "more"),
];

/// The page. `by` is the field with the sources.
///
/// # Errors
/// If the texts cannot be read again.
pub(super) fn page(all: &Stories, by: Option<&FieldKey>) -> Result<String> {
    let texts: u64 = all.list.iter().map(|story| story.texts.len() as u64).sum();
    let lead = html! {
        p.claim { (claim(all, texts)) }
        dl.facts {
            div { dt { "texts" } dd { (count(all.found.units.len() as u64)) } }
            div { dt { "stories" } dd { (count(all.list.len() as u64)) } }
            div { dt { "texts of stories" } dd { (count(texts)) } }
            @if by.is_some() { div { dt { "in several sources" } dd { (count(all.list.iter().filter(|story| story.sources > 1).count() as u64)) } } }
            div { dt { "on several days" } dd { (count(all.list.iter().filter(|story| story.days > 1).count() as u64)) } }
        }
    };
    let mut sections = Vec::new();
    if all.list.is_empty() {
        let none = html! { p { "No two texts are similar enough to be one story." } };
        sections.push(Section::new("stories", "Stories", none));
    } else {
        let firsts: Vec<u32> = all
            .list
            .iter()
            .take(LISTED)
            .map(|story| story.first().unit)
            .collect();
        let texts: Vec<String> = all
            .texts_of(&firsts)?
            .into_iter()
            .map(Option::unwrap_or_default)
            .collect();
        let title = if by.is_some() {
            "In the most sources"
        } else {
            "Of the most texts"
        };
        sections.push(Section::new("stories", title, listed(all, by, &texts)));
        if let Some(line) = lines(all, by, &texts) {
            sections.push(Section::new("timeline", "Over time", line));
        }
        sections.push(Section::new(
            "spread",
            "How far they spread",
            spread(all, by),
        ));
        if let Some(table) = by.and_then(|by| firsts_of(all, by)) {
            sections.push(Section::new("first", "Who has them first", table));
        }
    }
    Ok(Page {
        title: "Stories".to_owned(),
        lead,
        sections,
    }
    .render())
}

/// What was found, in a sentence.
fn claim(all: &Stories, texts: u64) -> String {
    let units = all.found.units.len() as u64;
    let (stories, among) = (all.list.len() as u64, plural(units, "text"));
    if stories == 0 {
        return format!("None of {among} tells the same story as another.");
    }
    let lengths = all.list.iter().filter_map(Story::length);
    let longest = lengths.max().map_or_else(String::new, |days| {
        let which = if stories == 1 { "it" } else { "the longest" };
        format!("; {which} went on for {}", plural(days, "day"))
    });
    let (texts, stories) = (count(texts), plural(stories, "story"));
    format!("{texts} of {among} tell {stories}{longest}.")
}

fn id(all: &Stories, unit: u32) -> String {
    clean(&all.found.units.id(unit)).into_owned()
}

/// The days of a story, in words.
fn days(story: &Story) -> String {
    let days = story.in_days().map(|days| format!("on {days}"));
    days.unwrap_or_else(|| "without a date".to_owned())
}

fn listed(all: &Stories, by: Option<&FieldKey>, texts: &[String]) -> Markup {
    let stories = (1..).zip(all.list.iter().zip(texts));
    let shown = stories.map(|(number, (story, text))| one(all, by, number, story, text));
    html! {
        p { "Each with its earliest text, and where it appeared from then on." }
        (unfolding(&shown.collect::<Vec<_>>(), FIRST, "story"))
        @if all.list.len() > texts.len() { p.note { (count((all.list.len() - texts.len()) as u64)) " more are in the table." } }
    }
}

fn one(all: &Stories, by: Option<&FieldKey>, number: usize, story: &Story, text: &str) -> Markup {
    html! {
        details id={ "story-" (number) } open[number == 1] {
            summary {
                b { (plural(story.texts.len() as u64, "text")) }
                @if by.is_some() { ", " (plural(story.sources.into(), "source")) "," }
                " " (days(story)) ": " (short(text, SHORT.0))
            }
            div.inside {
                p.alone { (clean(&text.chars().take(LONG).collect::<String>())) @if text.chars().count() > LONG { "\u{2026}" } }
                (members(all, by, story))
                @if story.density.is_some_and(|density| density < 0.5) {
                    p.note { "A chain: most of its texts are similar to some of the others, and not to each other." }
                }
            }
        }
    }
}

/// The date of a text: the day, or what is written if that is none.
fn date(all: &Stories, unit: u32) -> String {
    let written = || clean(all.written(unit).unwrap_or_default()).into_owned();
    all.day(unit).unwrap_or_else(written)
}

fn members(all: &Stories, by: Option<&FieldKey>, story: &Story) -> Markup {
    let first = story.first().day;
    let after = |text: &Member| match text.day.zip(first) {
        Some((day, first)) => count((day - first) as u64),
        None => String::new(),
    };
    html! {
        div.box tabindex="0" { table {
            thead { tr { th { "date" } th.n { "days after" } @if let Some(by) = by { th { (clean(&by.to_string())) } } th { "text" } } }
            tbody { @for text in story.texts.iter().take(TEXTS) { tr {
                td.date { (date(all, text.unit)) }
                td.n { (after(text)) }
                @if by.is_some() { td { (clean(all.source(*text).unwrap_or(""))) } }
                td { (name::name(&id(all, text.unit))) }
            } } }
        } }
        @if story.texts.len() > TEXTS { p.note { "and " (count((story.texts.len() - TEXTS) as u64)) " more" } }
    }
}

/// When the stories ran.
fn lines(all: &Stories, by: Option<&FieldKey>, texts: &[String]) -> Option<Markup> {
    let mut ends: Vec<(i64, u32)> = Vec::new();
    let mut lines = Vec::new();
    for (number, (story, text)) in (1..).zip(all.list.iter().zip(texts)) {
        let dated: Vec<&Member> = story
            .texts
            .iter()
            .filter(|text| text.day.is_some())
            .collect();
        if dated.len() < 2 || lines.len() == LINES {
            continue;
        }
        ends.extend(dated.iter().filter_map(|text| Some((text.day?, text.unit))));
        let dots = dated.chunk_by(|a, b| a.day == b.day).map(|texts| {
            let names: Vec<&str> = match by {
                Some(_) => texts
                    .iter()
                    .filter_map(|text| all.source(**text))
                    .take(5)
                    .collect(),
                None => Vec::new(),
            };
            Dot {
                day: texts[0].day.unwrap_or_default(),
                title: format!(
                    "{}: {} {}",
                    all.day(texts[0].unit).unwrap_or_default(),
                    plural(texts.len() as u64, "text"),
                    names.join(", ")
                ),
                texts: texts.len() as u64,
            }
        });
        lines.push(Line {
            label: short(text, SHORT.1),
            anchor: format!("story-{number}"),
            dots: dots.collect(),
        });
    }
    let day = |end: Option<&(i64, u32)>| end.and_then(|(_, unit)| all.day(*unit));
    let (first, last) = (day(ends.iter().min())?, day(ends.iter().max())?);
    Some(html! {
        p { "A dot is a day on which a story appeared, larger with more texts; the first of a line is its beginning." }
        (timeline("Days on which each story appeared", &lines, (&first, &last)))
    })
}

/// How long stories run, and in how many sources.
fn spread(all: &Stories, by: Option<&FieldKey>) -> Markup {
    let chart = |id, title, across, of: &dyn Fn(&Story) -> Option<u64>| {
        let mut counts = vec![0; CLASSES.len()];
        for number in all.list.iter().filter_map(of) {
            counts[CLASSES.partition_point(|(from, _)| *from <= number).max(1) - 1] += 1;
        }
        while counts.last() == Some(&0) {
            counts.pop();
        }
        let drawn: Vec<Bar> = counts
            .iter()
            .zip(CLASSES)
            .map(|(stories, (_, label))| Bar {
                label: label.to_owned(),
                dark: *stories,
                light: 0,
            })
            .collect();
        let chart = Chart {
            id,
            title,
            across,
            counted: "stories",
            parts: None,
            whole: None,
        };
        bars(chart, &drawn)
    };
    html! {
        (chart("days", "Stories by the days from first to last", "days", &Story::length))
        @if by.is_some() { (chart("sources", "Stories by their sources", "sources", &|story: &Story| Some(story.sources.into()))) }
    }
}

/// In how many stories one source is at least a day before another.
fn firsts_of(all: &Stories, by: &FieldKey) -> Option<Markup> {
    let mut before: BTreeMap<(u32, u32), (u64, u64)> = BTreeMap::new();
    let mut shared: BTreeMap<u32, u64> = BTreeMap::new();
    for story in all.list.iter().filter(|story| story.sources > 1) {
        let texts: Vec<(u32, Option<i64>)> = story
            .by_source()
            .iter()
            .filter_map(|text| Some((text.source?, text.day)))
            .collect();
        for (at, (one, day)) in texts.iter().enumerate() {
            *shared.entry(*one).or_default() += 1;
            for (other, later) in &texts[at + 1..] {
                let entry = before.entry((*one, *other)).or_default();
                *entry = (entry.0 + u64::from(day < later), entry.1 + 1);
                before.entry((*other, *one)).or_default().1 += 1;
            }
        }
    }
    let mut order: Vec<u32> = shared.keys().copied().collect();
    order.sort_by_key(|source| (std::cmp::Reverse(shared[source]), *source));
    let more = order.len().saturating_sub(LARGEST);
    order.truncate(LARGEST);
    if order.len() < 2 {
        return None;
    }
    let name = |source: u32| clean(&all.sources[source as usize]).into_owned();
    let names: Vec<String> = order.iter().map(|source| name(*source)).collect();
    let heads = name::distinct(&names);
    let most = before.values().map(|(earlier, _)| *earlier).max()?.max(1);
    let cell = |row: u32, column: u32| match before.get(&(row, column)) {
        _ if row == column => html! { td.self {} },
        None => html! { td {} },
        Some((earlier, all)) => {
            let said = format!(
                "{} was at least a day before {} in {earlier} of {}",
                name(row),
                name(column),
                plural(*all, "common story")
            );
            let class = match earlier {
                0 => "c".to_owned(),
                _ => format!("c c{}", 1 + 9 * (earlier - 1) / most),
            };
            html! { td class=(class) title=(said) { b { (count(*earlier)) } } }
        }
    };
    Some(html! {
        p { "In how many of the stories that both have, the " (clean(&by.to_string())) " of the row was at least a day before that of the column." }
        @if more > 0 { p.note { "Not shown: " (plural(more as u64, "source")) " with fewer stories." } }
        div.box tabindex="0" { table.matrix {
            thead { tr { td {} @for (name, head) in names.iter().zip(&heads) { th scope="col" title=(name) { span { (head) } } } } }
            tbody { @for (row, (name, head)) in order.iter().zip(names.iter().zip(&heads)) { tr { th scope="row" title=(name) { (head) } @for column in &order { (cell(*row, *column)) } } } }
        } }
    })
}
