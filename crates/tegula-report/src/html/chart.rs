//! Charts as inline SVG: bars with their figures as titles, in the page's colours, accessible to
//! machines and without colours.

use maud::{Markup, html};

use super::clean;
use crate::form::{count, percent};

/// A bar of two stacked parts.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// The label below it.
    pub label: String,
    /// The lower, dark part: what is kept.
    pub dark: u64,
    /// The upper, light part: what is removed.
    pub light: u64,
}

/// The contents of a chart.
#[derive(Debug, Clone, Copy)]
pub struct Chart<'a> {
    /// Its id in the page; letters and hyphens.
    pub id: &'a str,
    /// Its title.
    pub title: &'a str,
    /// The label of the horizontal axis.
    pub across: &'a str,
    /// The items that are counted.
    pub counted: &'a str,
    /// The names of the dark and the light part; without them bars have one part.
    pub parts: Option<(&'a str, &'a str)>,
    /// The total, to draw bars as shares of it; none to draw counts.
    pub whole: Option<u64>,
}

/// The width of a drawing on a wide page, and on the screen of a phone.
pub(super) const WIDTHS: [f64; 2] = [760.0, 360.0];
const HEIGHT: f64 = 280.0;
pub(super) const LEFT: f64 = 64.0;
pub(super) const BOTTOM: f64 = 46.0;
pub(super) const TOP: f64 = 12.0;

/// The chart; empty if there is nothing to draw.
pub fn bars(chart: Chart, bars: &[Bar]) -> Markup {
    let highest = bars
        .iter()
        .map(|bar| bar.dark + bar.light)
        .max()
        .unwrap_or(0);
    if highest == 0 {
        return html! {};
    }
    let value = |count: u64| {
        chart.whole.map_or(count as f64, |whole| {
            100.0 * count as f64 / whole.max(1) as f64
        })
    };
    let step = step(value(highest));
    let top = (value(highest) / step).ceil() * step;
    let room = HEIGHT - TOP - BOTTOM;
    let y = |value: f64| TOP + room * (1.0 - value / top);
    let ticks = || (0..=(top / step).round() as u32).map(|tick| f64::from(tick) * step);
    let say = |bar: &Bar| match chart.parts {
        Some((dark, light)) => format!(
            "{}: {} {dark}, {} {light}{}",
            bar.label,
            count(bar.dark),
            count(bar.light),
            chart.whole.map_or_else(String::new, |whole| format!(
                " ({} and {} of all)",
                percent(crate::form::share(bar.dark, whole)),
                percent(crate::form::share(bar.light, whole))
            ))
        ),
        None => format!(
            "{}: {} {}",
            bar.label,
            count(bar.dark + bar.light),
            chart.counted
        ),
    };
    let longest = bars.iter().map(|bar| bar.label.chars().count()).max();
    let label = longest.unwrap_or(0) as f64 * LETTER + 10.0;
    let draw = |width: f64| {
        let slot = (width - LEFT - 8.0) / bars.len() as f64;
        let wide = (slot * 0.78).min(64.0);
        let every = (label * bars.len() as f64 / (width - LEFT)).ceil().max(1.0) as usize;
        // A label that is too long for the axis takes the whole width.
        let is_long = chart.across.chars().count() as f64 * LETTER > width - LEFT;
        let middle = if is_long { width } else { width + LEFT } / 2.0;
        // Where every second label fits, the others have a line of their own.
        let is_named = |number: usize| every <= 2 || number.is_multiple_of(every);
        let below = |number: usize| match every {
            2 if number.is_multiple_of(2) => 13.0,
            2 => 25.0,
            _ => 17.0,
        };
        html! {
            @for tick in ticks() {
                line.axis x1=(LEFT) x2=(width) y1=(place(y(tick))) y2=(place(y(tick))) {}
                text x=(LEFT - 8.0) y=(place(y(tick) + 4.0)) text-anchor="end" { (tick_label(tick, chart.whole.is_some())) }
            }
            @for (number, bar) in bars.iter().enumerate() {
                @let x = LEFT + slot * number as f64 + (slot - wide) / 2.0;
                @let (low, high) = (y(value(bar.dark)), y(value(bar.dark + bar.light)));
                g {
                    title { (clean(&say(bar))) }
                    // The hover area is the whole column.
                    rect x=(place(x)) y=(place(TOP)) width=(place(wide)) height=(place(room)) fill="transparent" {}
                    @if bar.dark > 0 { rect.dark x=(place(x)) y=(place(low)) width=(place(wide)) height=(place(y(0.0) - low)) {} }
                    @if bar.light > 0 { rect.light x=(place(x)) y=(place(high)) width=(place(wide)) height=(place(low - high)) {} }
                }
                @if is_named(number) {
                    text x=(place(x + wide / 2.0)) y=(place(HEIGHT - BOTTOM + below(number))) text-anchor="middle" { (clean(&bar.label)) }
                }
            }
            text x=(middle) y=(HEIGHT - 6.0) text-anchor="middle" { (chart.across) }
        }
    };
    figure(&chart, |_| HEIGHT, draw)
}

/// A figure with its legend, drawn for wide pages and for phones; only one of the two is shown.
fn figure(chart: &Chart, height: impl Fn(f64) -> f64, draw: impl Fn(f64) -> Markup) -> Markup {
    html! {
        figure {
            figcaption { (clean(chart.title)) }
            @if let Some((dark, light)) = chart.parts {
                ul.legend { li { span.key.dark {} (dark) } li { span.key.light {} (light) } }
            }
            (both(chart.id, chart.title, height, draw))
        }
    }
}

/// A drawing for wide pages and one for phones.
pub(super) fn both(
    id: &str,
    title: &str,
    height: impl Fn(f64) -> f64,
    draw: impl Fn(f64) -> Markup,
) -> Markup {
    html! {
        @for (width, class) in WIDTHS.into_iter().zip(["wide", "narrow"]) {
            @let title_id = format!("chart-{id}-{class}-title");
            svg class=(class) id={ "chart-" (id) "-" (class) } role="img" viewBox={ "0 0 " (width) " " (place(height(width))) } aria-labelledby=(title_id) {
                title id=(title_id) { (clean(title)) }
                (draw(width))
            }
        }
    }
}

/// The height of a horizontal bar with its margin.
const ROW: f64 = 26.0;
/// The maximum number of characters of the name of a horizontal bar, and the width of one, about.
const NAMES: usize = 34;
const LETTER: f64 = 7.0;

/// The same with horizontal bars, which leaves room for names; `chart.across` is not shown, and
/// bars are counts.
pub fn lying(chart: Chart, bars: &[Bar]) -> Markup {
    let highest = bars
        .iter()
        .map(|bar| bar.dark + bar.light)
        .max()
        .unwrap_or(0);
    if highest == 0 {
        return html! {};
    }
    let step = step(highest as f64).max(1.0);
    let top = (highest as f64 / step).ceil() * step;
    let (dark_name, light_name) = chart.parts.unwrap_or((chart.counted, ""));
    let is_wide = |width: f64| width >= WIDTHS[0];
    let longest = bars
        .iter()
        .map(|bar| bar.label.chars().count().min(NAMES))
        .max();
    let names = (longest.unwrap_or(0) as f64 * LETTER + 14.0).max(LEFT);
    // On a phone the names are above their bars.
    let row = |width: f64| if is_wide(width) { ROW } else { 1.6 * ROW };
    let height = |width: f64| TOP + row(width) * bars.len() as f64 + 24.0;
    let draw = |width: f64| {
        let (row, height) = (row(width), height(width));
        let left = if is_wide(width) { names } else { 4.0 };
        let right = width - 24.0;
        let x = |value: f64| left + (right - left) * value / top;
        let ticks = (0..=(top / step).round() as u32)
            .map(|tick| f64::from(tick) * step)
            .step_by(if is_wide(width) { 1 } else { 2 });
        html! {
            @for tick in ticks {
                line.axis x1=(place(x(tick))) x2=(place(x(tick))) y1=(TOP) y2=(place(height - 22.0)) {}
                text x=(place(x(tick))) y=(place(height - 6.0)) text-anchor=(if tick == 0.0 { "start" } else { "middle" }) { (tick_label(tick, false)) }
            }
            @for (number, bar) in bars.iter().enumerate() {
                @let y = TOP + row * number as f64;
                @let bottom = y + row;
                @let (middle, end) = (x(bar.dark as f64), x((bar.dark + bar.light) as f64));
                g {
                    title { (clean(&format!("{}: {} {dark_name}, {} {light_name}", bar.label, count(bar.dark), count(bar.light)))) }
                    @if is_wide(width) {
                        text x=(left - 8.0) y=(place(y + ROW * 0.66)) text-anchor="end" { (clean(&shortened(&bar.label))) }
                    } @else {
                        text x=(left) y=(place(y + 13.0)) { (clean(&shortened(&bar.label))) }
                    }
                    @if bar.dark > 0 { rect.dark x=(place(left)) y=(place(bottom - ROW + 3.0)) width=(place(middle - left)) height=(ROW - 6.0) {} }
                    @if bar.light > 0 { rect.light x=(place(middle)) y=(place(bottom - ROW + 3.0)) width=(place(end - middle)) height=(ROW - 6.0) {} }
                }
            }
        }
    };
    figure(&chart, height, draw)
}

/// A shortened name: long ones are cut in the middle.
fn shortened(name: &str) -> String {
    let length = name.chars().count();
    if length <= NAMES {
        return name.to_owned();
    }
    let first = name.chars().take(NAMES / 2);
    let last = name.chars().skip(length + 1 - NAMES + NAMES / 2);
    first
        .chain(std::iter::once('\u{2026}'))
        .chain(last)
        .collect()
}

/// A coordinate with one decimal, which is precise enough.
pub(super) fn place(at: f64) -> f64 {
    (at * 10.0).round() / 10.0
}

/// The interval of ticks: 1, 2 or 5 times a power of ten, so that there are four to eight.
pub(super) fn step(highest: f64) -> f64 {
    let rough = highest / 6.0;
    let power = 10_f64.powf(rough.log10().floor());
    let first = rough / power;
    let step = if first <= 1.0 {
        1.0
    } else if first <= 2.0 {
        2.0
    } else if first <= 5.0 {
        5.0
    } else {
        10.0
    };
    step * power
}

fn tick_label(tick: f64, percent: bool) -> String {
    if percent {
        let rounded = (tick * 1000.0).round() / 1000.0;
        format!("{rounded} %")
    } else if tick.fract().abs() < 1e-9 {
        count(tick as u64)
    } else {
        String::new()
    }
}

/// The class of a number in powers of two: 0 for 0, 1 for 1, 2 for 2 and 3, 3 for 4 to 7, ...
pub fn class_of(number: u64) -> usize {
    (u64::BITS - number.leading_zeros()) as usize
}

/// The name of a class in powers of two.
pub fn class_name(class: usize) -> String {
    match class {
        0 | 1 => class.to_string(),
        2..10 => format!("{}\u{2013}{}", 1 << (class - 1), (1_u64 << class) - 1),
        // Up to the next class: 512–1k is for the lengths from 512 to 1,023.
        _ => format!(
            "{}\u{2013}{}",
            short(1 << (class - 1)),
            short(1_u64.checked_shl(class as u32).unwrap_or(u64::MAX))
        ),
    }
}

/// From 1,024 on in powers of 1,024, like the boundaries of classes.
fn short(number: u64) -> String {
    match number {
        0..1_024 => number.to_string(),
        1_024..1_048_576 => format!("{}k", number >> 10),
        _ => format!("{}M", number >> 20),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_powers_of_two() {
        assert_eq!([0, 1, 2, 3, 4, 7, 8].map(class_of), [0, 1, 2, 2, 3, 3, 4]);
        assert_eq!(
            [0, 1, 2, 5, 17].map(class_name),
            ["0", "1", "2\u{2013}3", "16\u{2013}31", "64k\u{2013}128k"]
        );
        assert_eq!(
            [9, 10, 11].map(class_name),
            ["256\u{2013}511", "512\u{2013}1k", "1k\u{2013}2k"]
        );
    }

    #[test]
    fn ticks_are_few_and_round() {
        for highest in [0.3, 1.0, 7.0, 12.5, 99.0, 12_345.0] {
            let ticks = (highest / step(highest)).ceil();
            assert!((3.0..=7.0).contains(&ticks), "{highest}: {ticks}");
        }
        assert_eq!(
            [
                tick_label(0.5, false),
                tick_label(2500.0, false),
                tick_label(0.2, true)
            ],
            ["", "2,500", "0.2 %"]
        );
    }

    #[test]
    fn each_bar_is_named_if_its_label_is_short() {
        let bar = |number: u32| Bar {
            label: number.to_string(),
            dark: 1,
            light: 0,
        };
        let chart = Chart {
            id: "x",
            title: "",
            across: "",
            counted: "",
            parts: None,
            whole: None,
        };
        let drawn = bars(chart, &(101..=113).map(bar).collect::<Vec<_>>()).into_string();
        for number in 101..=113 {
            assert_eq!(drawn.matches(&format!(">{number}<")).count(), WIDTHS.len());
        }
    }

    #[test]
    fn bars_say_what_they_are() {
        let chart = Chart {
            id: "x",
            title: "Units",
            across: "tokens",
            counted: "units",
            parts: Some(("kept", "removed")),
            whole: Some(8),
        };
        let drawn = bars(
            chart,
            &[Bar {
                label: "<b>".into(),
                dark: 3,
                light: 1,
            }],
        )
        .into_string();
        assert!(
            drawn.contains("&lt;b&gt;: 3 kept, 1 removed (37.50 % and 12.50 % of all)"),
            "{drawn}"
        );
        assert!(drawn.contains("role=\"img\"") && !drawn.contains("NaN"));
        assert!(bars(chart, &[]).into_string().is_empty());
        let drawn = lying(
            chart,
            &[Bar {
                label: format!("<b>{}", "x".repeat(40)),
                dark: 3,
                light: 1,
            }],
        )
        .into_string();
        assert!(
            !drawn.contains("<b>")
                && drawn.contains(": 3 kept, 1 removed")
                && drawn.contains("\u{2026}xxx"),
            "{drawn}"
        );
    }
}
