//! Timelines as inline SVG: lines of dots over one axis of days.

use maud::{Markup, html};

use super::chart::{both, place};
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

/// The space beside the outermost dots, and the height of a line.
const SIDE: f64 = 12.0;
const LINE: f64 = 38.0;
/// The width of a character of a label, about.
const LETTER: f64 = 6.6;

/// The timeline, and the dates of its ends; empty without dots. The first dot of a line is dark, and
/// its label is above it.
pub fn timeline(label: &str, lines: &[Line], ends: (&str, &str)) -> Markup {
    let days = || lines.iter().flat_map(|line| &line.dots).map(|dot| dot.day);
    let (Some(first), Some(last)) = (days().min(), days().max()) else {
        return html! {};
    };
    let tall = LINE * lines.len() as f64 + 26.0;
    // Areas follow the number of texts.
    let radius = |dot: &Dot| place((4.0 + (dot.texts as f64).sqrt()).min(9.0));
    let draw = |width: f64| {
        let x = |day: i64| {
            let span = (last - first).max(1) as f64;
            SIDE + (width - 2.0 * SIDE) * (day - first) as f64 / span
        };
        let y = |line: usize| place(28.0 + LINE * line as f64);
        let most = ((width - 2.0 * SIDE) / LETTER) as usize;
        html! {
            @for (at, line) in lines.iter().enumerate() {
                @let text = short(&line.label, most);
                @if let (Some(from), Some(to)) = (line.dots.first(), line.dots.last()) {
                    @let fits = x(from.day) + LETTER * text.chars().count() as f64 <= width;
                    a href={ "#" (line.anchor) } {
                        text x=(place(if fits { x(from.day) - 4.0 } else { width })) y=(y(at) - 12.0) text-anchor=(if fits { "start" } else { "end" }) { (text) }
                    }
                    line.axis x1=(place(x(from.day))) x2=(place(x(to.day))) y1=(y(at)) y2=(y(at)) {}
                }
                // The first one is on top.
                @for (number, dot) in line.dots.iter().enumerate().rev() {
                    circle class=(if number == 0 { "dark" } else { "light" }) cx=(place(x(dot.day))) cy=(y(at)) r=(radius(dot)) {
                        title { (clean(&dot.title)) }
                    }
                }
            }
            text x="0" y=(tall - 6.0) { (clean(ends.0)) }
            text x=(width) y=(tall - 6.0) text-anchor="end" { (clean(ends.1)) }
        }
    };
    html! { figure { (both("timeline", label, |_| tall, draw)) } }
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
