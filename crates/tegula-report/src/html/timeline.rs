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
/// The radius of the largest dot, and the space between a dot and its label.
const LARGEST: f64 = 9.0;
const GAP: f64 = 5.0;
/// The width at which a label may be shortened rather than be put elsewhere.
const ROOM: f64 = 260.0;

/// The timeline, and the dates of its ends; empty without dots. The first dot of a line is dark, and
/// its label is beside its dots if there is room, else above them.
pub fn timeline(label: &str, lines: &[Line], ends: (&str, &str)) -> Markup {
    let days = || lines.iter().flat_map(|line| &line.dots).map(|dot| dot.day);
    let (Some(first), Some(last)) = (days().min(), days().max()) else {
        return html! {};
    };
    let tall = LINE * lines.len() as f64 + 26.0;
    let draw = |width: f64| {
        let x = |day: i64| {
            let span = (last - first).max(1) as f64;
            SIDE + (width - 2.0 * SIDE) * (day - first) as f64 / span
        };
        let y = |line: usize| place(28.0 + LINE * line as f64);
        html! {
            @for (at, line) in lines.iter().enumerate() {
                @if let (Some(from), Some(to)) = (line.dots.first(), line.dots.last()) {
                    (named(line, (x(from.day), x(to.day)), y(at), width))
                    line.axis x1=(place(x(from.day))) x2=(place(x(to.day))) y1=(y(at)) y2=(y(at)) {}
                }
                // The first one is on top.
                @for (number, dot) in line.dots.iter().enumerate().rev() {
                    circle class=(if number == 0 { "dark" } else { "light" }) cx=(place(x(dot.day))) cy=(y(at)) r=(place(radius(dot))) {
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

/// The radius of a dot: areas follow the number of texts.
fn radius(dot: &Dot) -> f64 {
    (4.0 + (dot.texts as f64).sqrt()).min(LARGEST)
}

/// The label of a line whose dots are between two places: to their left if there is room, else to
/// their right, else above them, from the first on.
fn named(line: &Line, (from, to): (f64, f64), y: f64, width: f64) -> Markup {
    let beside = |dot: Option<&Dot>| dot.map_or(0.0, radius) + GAP;
    let left = from - beside(line.dots.first());
    let right = to + beside(line.dots.last());
    let above = from - GAP;
    let spots = [
        (left, left, y + 4.0, "end"),
        (width - right, right, y + 4.0, "start"),
        (width - above, above, y - 12.0, "start"),
    ];
    let enough = wide(&line.label).min(ROOM);
    let roomy = spots.iter().find(|(space, ..)| *space >= enough);
    let widest = spots.iter().max_by(|a, b| a.0.total_cmp(&b.0));
    html! {
        @if let Some((space, x, y, anchor)) = roomy.or(widest) {
            a href={ "#" (line.anchor) } {
                title { (clean(&line.label)) }
                text x=(place(*x)) y=(place(*y)) text-anchor=(anchor) { (fitting(&line.label, *space)) }
            }
        }
    }
}

/// The width of a character of a label, about: rather too much than too little, as what does not
/// fit is lost.
fn letter(c: char) -> f64 {
    match c {
        ' ' | '.' | ',' | ':' | ';' | '\'' | '|' | 'i' | 'j' | 'l' | 't' | 'f' | 'r' => 4.9,
        'm' | 'w' | 'M' | 'W' | '\u{2026}' => 12.0,
        '\u{2e80}'.. => 12.5,
        _ if c.is_uppercase() => 8.8,
        _ => 7.6,
    }
}

fn wide(text: &str) -> f64 {
    text.chars().map(letter).sum()
}

/// As much of a label as there is space for.
fn fitting(label: &str, space: f64) -> String {
    if wide(label) <= space {
        return label.to_owned();
    }
    let mut used = letter('\u{2026}');
    let fits = label.chars().take_while(|c| {
        used += letter(*c);
        used <= space
    });
    let begun: String = fits.collect();
    format!("{}\u{2026}", begun.trim_end())
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

#[cfg(test)]
mod tests {
    use super::*;

    fn label(days: &[i64], text: &str) -> String {
        let dot = |day: &i64| Dot {
            day: *day,
            title: String::new(),
            texts: 1,
        };
        let line = |label: &str, days: &[i64]| Line {
            label: label.to_owned(),
            anchor: "x".to_owned(),
            dots: days.iter().map(dot).collect(),
        };
        let lines = [line("", &[0, 100]), line(text, days)];
        let page = timeline("t", &lines, ("", "")).into_string();
        let end = page.find(&format!(">{}", &text[..4])).unwrap();
        let end = page[end + 1..].find(&format!(">{}", &text[..4])).unwrap() + end + 1;
        page[page[..end].rfind("<text").unwrap()..end].to_owned()
    }

    #[test]
    fn labels_are_beside_their_dots() {
        assert!(label(&[90, 95], "A label").contains("text-anchor=\"end\""));
        assert!(label(&[1, 5], "A label").contains("text-anchor=\"start\""));
        assert!(label(&[0, 100], "A label").contains("x=\"7\""));
    }

    #[test]
    fn labels_are_shortened_at_their_end() {
        assert_eq!(fitting("abcdef", 100.0), "abcdef");
        assert_eq!(fitting("abcdef", 30.0), "ab\u{2026}");
    }
}
