//! Wholes split into parts, as bars of the same length: what each of two runs caught.

use maud::{Markup, html};

use super::chart::{both, place};
use super::clean;
use crate::form::{count, percent, share};

/// A whole and its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Whole {
    /// What it is.
    pub label: String,
    /// The size of each part, in the order of the parts' names.
    pub parts: Vec<u64>,
}

/// The height of a bar with its margin, and of a label above it.
const ROW: f64 = 30.0;
const LABEL: f64 = 18.0;
/// Percent from which a share is written into its part.
const WRITTEN: f64 = 0.09;
/// Looks of parts; further ones repeat these.
const LOOKS: usize = 4;

/// The bars, with a legend. An empty whole is omitted.
pub fn split(id: &str, title: &str, names: &[String], wholes: &[Whole]) -> Markup {
    let wholes: Vec<(&Whole, u64)> = wholes
        .iter()
        .map(|whole| (whole, whole.parts.iter().sum()))
        .filter(|(_, all)| *all > 0)
        .collect();
    let height = wholes.len() as f64 * (ROW + LABEL) + 6.0;
    let draw = |width: f64| {
        html! {
            @for (number, (whole, all)) in wholes.iter().enumerate() {
                @let top = number as f64 * (ROW + LABEL);
                text x="0" y=(place(top + 13.0)) { (clean(&whole.label)) ": " (count(*all)) }
                @for (place_of, x, wide) in spans(&whole.parts, *all, width) {
                    @let part = whole.parts[place_of];
                    @let of = share(part, *all);
                    g {
                        title { (clean(&names[place_of])) ": " (count(part)) " (" (percent(of)) ")" }
                        rect class={ "p" (place_of % LOOKS) } x=(place(x)) y=(place(top + LABEL)) width=(place(wide)) height=(ROW - 8.0) {}
                        @if of >= WRITTEN {
                            text class={ "in p" (place_of % LOOKS) } x=(place(x + wide / 2.0)) y=(place(top + LABEL + 15.0)) text-anchor="middle" {
                                (format!("{:.0} %", 100.0 * of))
                            }
                        }
                    }
                }
            }
        }
    };
    html! {
        figure {
            figcaption { (clean(title)) }
            ul.legend { @for (at, name) in names.iter().enumerate() { li { span class={ "key p" (at % LOOKS) } {} (clean(name)) } } }
            (both(id, title, |_| height, draw))
        }
    }
}

/// The parts that are not empty, each with where it begins and its width.
fn spans(parts: &[u64], all: u64, width: f64) -> Vec<(usize, f64, f64)> {
    let mut x = 0.0;
    let mut spans = Vec::new();
    for (place, part) in parts.iter().enumerate().filter(|(_, part)| **part > 0) {
        let wide = width * share(*part, all);
        spans.push((place, x, wide));
        x += wide;
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_fill_their_whole() {
        let found = spans(&[1, 0, 3], 4, 100.0);
        assert_eq!(found, [(0, 0.0, 25.0), (2, 25.0, 75.0)]);
        let whole = |label: &str, parts: &[u64]| Whole {
            label: label.to_owned(),
            parts: parts.to_vec(),
        };
        let names = ["<both>".to_owned(), "one".to_owned()];
        let wholes = [whole("units", &[19, 1]), whole("none", &[0, 0])];
        let shown = split("who", "Who", &names, &wholes).into_string();
        assert!(shown.contains("&lt;both&gt;: 19 (95.00 %)"), "{shown}");
        assert!(
            shown.contains(">95 %<") && !shown.contains(">5 %<"),
            "{shown}"
        );
        assert!(!shown.contains("none"), "{shown}");
    }
}
