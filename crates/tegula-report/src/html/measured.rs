//! Measured values as bars in an SVG file, each with the range of its measurements. Files contain
//! their own colours.

use maud::{Markup, html};

use super::chart::{place, step};
use super::clean;
use super::plot::{GREY, LINE, document, frame, label};

/// Bars of one unit, from top to bottom.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// Its title, with the unit.
    pub title: String,
    /// The bars.
    pub bars: Vec<Bar>,
}

/// A measured value.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// What was measured.
    pub name: String,
    /// The value, not negative.
    pub value: f64,
    /// The least and the greatest measurement, if there were several.
    pub range: Option<(f64, f64)>,
}

const WIDTH: f64 = 620.0;
const LEFT: f64 = 170.0;
const RIGHT: f64 = 540.0;
const TOP: f64 = 34.0;
const ROW: f64 = 22.0;
const BELOW: f64 = 36.0;

/// Panels below each other as the text of an SVG file; those without values above 0 are skipped.
pub fn file(panels: &[Panel]) -> String {
    let drawn: Vec<&Panel> = panels
        .iter()
        .filter(|panel| panel.bars.iter().any(|bar| bar.value > 0.0))
        .collect();
    let titles: Vec<&str> = drawn.iter().map(|panel| panel.title.as_str()).collect();
    let parts = drawn.iter().map(|panel| (height(panel), one(panel)));
    document(&frame(
        "measured",
        &titles,
        WIDTH,
        &parts.collect::<Vec<_>>(),
    ))
}

fn height(panel: &Panel) -> f64 {
    TOP + ROW * panel.bars.len() as f64 + BELOW
}

fn one(panel: &Panel) -> Markup {
    let most = |bar: &Bar| bar.range.map_or(bar.value, |(_, most)| most.max(bar.value));
    let highest = panel.bars.iter().map(most).fold(0.0, f64::max);
    let between = step(highest);
    let end = (highest / between).ceil() * between;
    let x = |value: f64| place(LEFT + (RIGHT - LEFT) * value / end);
    let low = TOP + ROW * panel.bars.len() as f64;
    // A tenth of the space of a tick separates bars.
    let fine = between / 10.0;
    html! {
        text x=(LEFT) y="18" font-weight="bold" { (clean(&panel.title)) }
        @for tick in (0..=(end / between).round() as u32).map(|tick| f64::from(tick) * between) {
            line x1=(x(tick)) x2=(x(tick)) y1=(TOP) y2=(low) stroke=(GREY) stroke-opacity="0.3" {}
            text x=(x(tick)) y=(low + 17.0) text-anchor="middle" { (label(tick, between)) }
        }
        @for (number, bar) in panel.bars.iter().enumerate() {
            @let y = TOP + ROW * number as f64;
            text x=(LEFT - 8.0) y=(y + 15.0) text-anchor="end" { (clean(&bar.name)) }
            rect x=(LEFT) y=(y + 4.0) width=(place(x(bar.value) - LEFT)) height=(ROW - 8.0) fill=(LINE) {}
            @if let Some((least, most)) = bar.range {
                line x1=(x(least)) x2=(x(most)) y1=(y + ROW / 2.0) y2=(y + ROW / 2.0) stroke=(GREY) stroke-width="2" {}
            }
            text x=(x(most(bar)) + 6.0) y=(y + 15.0) { (label(bar.value, fine)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(name: &str, value: f64, range: Option<(f64, f64)>) -> Bar {
        Bar {
            name: name.into(),
            value,
            range,
        }
    }

    #[test]
    fn bars_have_their_values_and_ranges() {
        let panel = |title: &str, bars| Panel {
            title: title.into(),
            bars,
        };
        let drawn = file(&[
            panel(
                "<seconds>",
                vec![bar("a & b", 2.5, Some((2.0, 5.0))), bar("c", 1.0, None)],
            ),
            panel("nothing", vec![bar("a", 0.0, None)]),
        ]);
        assert!(
            drawn.contains("&lt;seconds&gt;") && drawn.contains("a &amp; b"),
            "{drawn}"
        );
        assert!(
            drawn.contains("width=\"185\"") && drawn.contains("width=\"74\""),
            "{drawn}"
        );
        assert!(drawn.contains("x1=\"318\" x2=\"540\""), "{drawn}");
        assert!(
            drawn.contains(">2.5<") && !drawn.contains("nothing"),
            "{drawn}"
        );
        assert!(!file(&[]).contains("NaN"));
    }
}
