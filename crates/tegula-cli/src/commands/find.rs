//! `tegula find`: the copies among the documents of folders, the earliest first.

use crate::commands::{Asked, Show};
use crate::terminal::{self, count, plural, size};
use crate::{output, summary};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::ExitCode;
use tegula::error::Result;
use tegula::printable;
use tegula_run::Copy;
use tegula_run::commands::find::{FindSpec, Found};

impl Show for FindSpec {
    fn show(asked: &Asked<Self>) -> Result<ExitCode> {
        let found = asked.run()?;
        if asked.spec.output.is_none() || !asked.is_quiet() {
            let width = terminal::room(asked.shown.width).unwrap_or(usize::MAX);
            output::show(&listing(
                asked.shown.listed(found.groups.len()),
                width,
                &found,
            ))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The listing for people, in lines of at most `width` columns if names and paths allow it.
fn listing(shown: usize, width: usize, found: &Found) -> String {
    let (mut out, groups) = (String::new(), &found.groups);
    for (group, copies) in (1..).zip(groups.iter().take(shown)) {
        let name = format!("group {group}");
        let lines = lines(&name, &rows(copies), width.saturating_sub(2));
        // The name is above the dates, whose column needs no other head.
        let heads = lines[0].strip_prefix(&name).unwrap_or(&lines[0]);
        let _ = writeln!(out, "{name}  {heads}");
        for line in &lines[1..] {
            let _ = writeln!(out, "  {line}");
        }
        out.push('\n');
    }
    if groups.len() > shown {
        let more = count((groups.len() - shown) as u64);
        let _ = write!(
            out,
            "... and {more} more groups; --top 0 lists all, -o TABLE writes them\n\n"
        );
    }
    out + &in_short(found)
}

/// What is said of each copy of a group, and where it is.
type Row = ([String; 3], String);

/// The copies of a group, each followed by its links.
fn rows(copies: &[Copy]) -> Vec<Row> {
    let first = if is_first_earliest(copies) {
        "earliest"
    } else {
        "read first"
    };
    let kept = copies.iter().filter(|copy| copy.is_kept).count();
    let mut rows = Vec::new();
    for (at, copy) in copies.iter().enumerate() {
        let mut score = match (copy.is_kept, copy.score) {
            (true, _) if at == 0 => first.to_owned(),
            // Another has a part of it, or it has a part of another.
            (true, _) => "not a copy".to_owned(),
            (false, Some(score)) => format!("{:.1} %", (score * 1000.0).floor() / 10.0),
            (false, None) => "copy".to_owned(),
        };
        if let (Some(witness), true) = (&copy.witness, kept > 1) {
            let _ = write!(score, " of {witness}");
        }
        let day = copy.date.as_deref().unwrap_or("no date");
        let day = day.split('T').next().unwrap_or(day).to_owned();
        rows.push(([day, size(copy.bytes), score], place(copy)));
        for link in &copy.links {
            let what = [String::new(), String::new(), "hard link".to_owned()];
            rows.push((what, link.display().to_string()));
        }
    }
    rows
}

/// The rows in columns under their heads, the first of which is given; where these are too wide, each
/// place is on a line of its own, in full, as it is what people copy.
fn lines(first: &str, rows: &[Row], width: usize) -> Vec<String> {
    let table = |has_places: bool| {
        let mut heads = vec![first, "size", "similarity"];
        heads.extend(has_places.then_some("file"));
        let mut table = terminal::table(&heads, usize::from(u16::MAX));
        for (what, place) in rows {
            table.add_row(what.iter().chain(has_places.then_some(place)));
        }
        terminal::show(&table)
    };
    let whole = table(true);
    if whole.lines().all(|line| terminal::columns(line) <= width) {
        return whole.lines().map(str::to_owned).collect();
    }
    let above = table(false);
    let mut above = above.lines().map(str::to_owned);
    let mut lines: Vec<String> = above.next().into_iter().collect();
    for (line, (_, place)) in above.zip(rows) {
        lines.push(line);
        lines.push(format!("  {}", printable::line(place)));
    }
    lines
}

/// Whether the first is known to be earlier than the others: a date may have no time of day.
fn is_first_earliest(copies: &[Copy]) -> bool {
    let Some((Some(first), others)) = copies
        .split_first()
        .map(|(first, others)| (first.date.as_deref(), others))
    else {
        return false;
    };
    let mut dates = others.iter().filter_map(|copy| copy.date.as_deref());
    dates.all(|date| !date.starts_with(first) && !first.starts_with(date))
}

/// Where a text is: its file, with its id if it is one of several in it.
fn place(copy: &Copy) -> String {
    let path = copy.path.display().to_string();
    if path.ends_with(&copy.id) {
        path
    } else {
        format!("{path}  {}", copy.id)
    }
}

/// How many texts, copies and files there are.
fn in_short(found: &Found) -> String {
    let Found { groups, outcome } = found;
    let copies: Vec<&Copy> = found.copies().collect();
    let bytes = copies.iter().map(|copy| copy.bytes).sum();
    let report = &outcome.reports()[0];
    let noun = if copies.len() == 1 { "copy" } else { "copies" };
    let among = plural(report.summary.balance.input.units, "document");
    let mut out = match (copies.len() as u64, groups.len() as u64) {
        (0, 0) => format!("no copies among {among}\n"),
        (copies, groups) => format!(
            "{} {noun} ({}) in {}, among {among}\n",
            count(copies),
            size(bytes),
            plural(groups, "group"),
        ),
    };
    if report.bad_records > 0 {
        let _ = writeln!(out, "unreadable: {}", plural(report.bad_records, "record"));
    }
    if let Some((count_of, first)) = outcome.no_dates() {
        let _ = writeln!(
            out,
            "dates that cannot be read: {}, such as '{}'; file dates are used instead",
            count(count_of),
            terminal::clipped(first, 60)
        );
    }
    out.push_str(&summary::passed_over(&report.passed_over));
    if !report.skipped.is_empty() {
        // Each ends with its reason in brackets.
        let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
        for skipped in &report.skipped {
            let why = skipped.rsplit_once(" (").map_or("", |(_, why)| why);
            *reasons.entry(why.trim_end_matches(')')).or_default() += 1;
        }
        let reasons: Vec<String> = reasons
            .iter()
            .map(|(why, files)| format!("{} {why}", count(*files)))
            .collect();
        let _ = writeln!(out, "files not read: {}", reasons.join(", "));
    }
    out
}
