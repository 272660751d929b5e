//! Timelines as inline SVG: lines of dots over one axis of days.

use maud::{Markup, html};

use super::clean;

/// A dot: the texts of one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dot {
    /// The day, counted from any one.
    pub day: i64,
    /// The date as written, and its texts.
    pub title: String,
    /// The number of texts.
    pub texts: u64,
}

/// A line of the timeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// What it shows.
    pub label: String,
    /// The id of the place in the page that its label leads to.
    pub anchor: String,
    /// Its dots, the earliest first.
    pub dots: Vec<Dot>,
}

const LEFT: f64 = 260.0;
const RIGHT: f64 = 850.0;
const HIGH: f64 = 22.0;

/// The timeline, and the dates of its ends; empty without dots. The first dot of a line is dark.
pub fn timeline(label: &str, lines: &[Line], ends: (&str, &str)) -> Markup {
    let days = || lines.iter().flat_map(|line| &line.dots).map(|dot| dot.day);
    let (Some(first), Some(last)) = (days().min(), days().max()) else {
        return html! {};
    };
    let x = |day: i64| {
        let span = (last - first).max(1) as f64;
        format!("{:.1}", LEFT + (RIGHT - LEFT) * (day - first) as f64 / span)
    };
    let y = |line: usize| format!("{:.1}", 14.0 + HIGH * line as f64);
    // Areas follow the number of texts.
    let radius = |dot: &Dot| format!("{:.1}", (4.0 + (dot.texts as f64).sqrt()).min(10.0));
    let tall = HIGH * lines.len() as f64 + 34.0;
    html! {
        figure { div.box tabindex="0" role="group" aria-label=(label) {
            svg role="img" viewBox={ "0 0 880 " (tall) } aria-label=(label) {
                @for (at, line) in lines.iter().enumerate() {
                    a href={ "#" (line.anchor) } { text x="0" y=(y(at)) dy="4" { (clean(&line.label)) } }
                    @if let (Some(from), Some(to)) = (line.dots.first(), line.dots.last()) {
                        line.axis x1=(x(from.day)) x2=(x(to.day)) y1=(y(at)) y2=(y(at)) {}
                    }
                    // The first one is on top.
                    @for (number, dot) in line.dots.iter().enumerate().rev() {
                        circle class=(if number == 0 { "dark" } else { "light" }) cx=(x(dot.day)) cy=(y(at)) r=(radius(dot)) {
                            title { (clean(&dot.title)) }
                        }
                    }
                }
                text x=(LEFT) y=(tall - 6.0) { (clean(ends.0)) }
                text x=(RIGHT) y=(tall - 6.0) text-anchor="end" { (clean(ends.1)) }
            }
        } }
    }
}

/// The beginning of a text, on one line, clean: for labels.
pub fn short(text: &str, most: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = clean(&words.join(" ")).into_owned();
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}\u{2026}", &text[..end]),
        None => text,
    }
}
