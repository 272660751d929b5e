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
const WIDTHS: [f64; 2] = [760.0, 360.0];
const HEIGHT: f64 = 280.0;
const LEFT: f64 = 64.0;
const BOTTOM: f64 = 46.0;
const TOP: f64 = 12.0;

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

/// Curves, in the unit square or a part of its width.
#[derive(Debug, Clone, Copy)]
pub struct Curves<'a> {
    /// Its id in the page; letters and hyphens.
    pub id: &'a str,
    /// Its title.
    pub title: &'a str,
    /// The label of the horizontal axis.
    pub across: &'a str,
    /// The label of the vertical axis, 0 to 1.
    pub up: &'a str,
}

/// A curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Its name.
    pub name: String,
    /// Its points, in order.
    pub spots: Vec<Spot>,
    /// The point that is marked, if there is one.
    pub marked: Option<Spot>,
}

/// A point of a curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Spot {
    /// Its horizontal position, 0 to 1.
    pub x: f64,
    /// Its vertical position, 0 to 1.
    pub y: f64,
    /// Its label, shown on hover.
    pub label: String,
}

/// The height of a curve's drawing.
const HIGH: f64 = 380.0;
/// The maximum number of points with labels; more would hide each other.
const SPOTS: usize = 100;

/// Curves that differ in colour and dashes; further ones repeat these.
const STROKES: usize = 6;

/// The curves through their points, each with at most one marked, which `marks` names; with a legend if
/// there are several. Empty if there are no points.
pub fn curves(chart: &Curves, lines: &[Curve], marks: &str) -> Markup {
    curves_over(
        chart,
        lines,
        marks,
        &Axis {
            from: 0,
            to: 10,
            step: 0.1,
        },
    )
}

/// The same over the range of their horizontal positions, in place of 0 to 1.
pub fn curves_in_range(chart: &Curves, lines: &[Curve], marks: &str) -> Markup {
    let all = || lines.iter().flat_map(|line| &line.spots).map(|spot| spot.x);
    let (low, high) = (all().fold(1.0, f64::min), all().fold(0.0, f64::max));
    curves_over(chart, lines, marks, &Axis::over(low, high))
}

/// The ticks of a horizontal axis: multiples of a step.
struct Axis {
    from: u32,
    to: u32,
    step: f64,
}

impl Axis {
    /// The axis of a range in 0 to 1; of all, if it is a point.
    fn over(low: f64, high: f64) -> Self {
        if high - low < 0.001 {
            return Self::over(0.0, 1.0);
        }
        let step = step(high - low);
        // A value on a tick is not beyond it.
        Self {
            from: (low / step + 1e-6).floor() as u32,
            to: (high / step - 1e-6).ceil() as u32,
            step,
        }
    }

    fn value(&self, tick: u32) -> f64 {
        f64::from(tick) * self.step
    }

    /// Where a value is, from 0 to 1.
    fn part(&self, value: f64) -> f64 {
        let (low, high) = (self.value(self.from), self.value(self.to));
        ((value - low) / (high - low)).clamp(0.0, 1.0)
    }

    /// A tick as text, with the decimals that the step needs.
    fn label(&self, tick: u32) -> String {
        let decimals = (-self.step.log10().floor()).max(0.0) as usize;
        format!("{:.decimals$}", self.value(tick))
    }
}

/// The number of curves after this one that take the same way for a while, and hide it there.
fn hidden_by(lines: &[Curve], at: usize) -> usize {
    let spots = |line: &Curve| -> Vec<(f64, f64)> {
        let near = |value: f64| (value * 200.0).round();
        let spots = line.spots.iter();
        spots.map(|spot| (near(spot.x), near(spot.y))).collect()
    };
    let own = spots(&lines[at]);
    let hides = |later: &&Curve| {
        let later = spots(later);
        later
            .windows(2)
            .any(|way| own.windows(2).any(|own| own == way))
    };
    lines[at + 1..].iter().filter(hides).count()
}

fn curves_over(chart: &Curves, lines: &[Curve], marks: &str, axis: &Axis) -> Markup {
    if lines.iter().all(|line| line.spots.is_empty()) {
        return html! {};
    }
    let low = HIGH - BOTTOM;
    let y = |value: f64| place(low - (low - TOP) * value.clamp(0.0, 1.0));
    let stroke = |at: usize| format!("curve k{}", at % STROKES);
    // The name is placed where there is room: to the left of a spot in the right half.
    let beside = |spot: &Spot| {
        if axis.part(spot.x) > 0.5 {
            (-10.0, "end")
        } else {
            (10.0, "start")
        }
    };
    let several = lines.len() > 1;
    let draw = |width: f64| {
        let right = width - 24.0;
        let x = |value: f64| place(LEFT + (right - LEFT) * axis.part(value));
        let points = |line: &Curve| -> String {
            let points: Vec<String> = line
                .spots
                .iter()
                .map(|spot| format!("{},{}", x(spot.x), y(spot.y)))
                .collect();
            points.join(" ")
        };
        let ticks = (0..=10).map(|tick| f64::from(tick) / 10.0);
        let every = if width >= WIDTHS[0] { 1 } else { 2 };
        html! {
            @for tick in ticks {
                line.axis x1=(LEFT) x2=(right) y1=(y(tick)) y2=(y(tick)) {}
                text x=(LEFT - 8.0) y=(y(tick) + 4.0) text-anchor="end" { (format!("{tick:.1}")) }
            }
            @for (number, tick) in (axis.from..=axis.to).enumerate() {
                line.axis x1=(x(axis.value(tick))) x2=(x(axis.value(tick))) y1=(TOP) y2=(low) {}
                @if number % every == 0 { text x=(x(axis.value(tick))) y=(low + 17.0) text-anchor="middle" { (axis.label(tick)) } }
            }
            @for (at, line) in lines.iter().enumerate() {
                // A curve that another is drawn over is wider and lighter, and shows on both sides of it.
                @match hidden_by(lines, at) {
                    0 => polyline class=(stroke(at)) points=(points(line)) {},
                    over => polyline class={ "k" (at % STROKES) } fill="none" stroke="var(--k)" stroke-opacity="0.5" stroke-width=(2 + 3 * over) points=(points(line)) {},
                }
                @for spot in line.spots.iter().step_by(line.spots.len().div_ceil(SPOTS).max(1)) {
                    circle class={ "dot k" (at % STROKES) } cx=(x(spot.x)) cy=(y(spot.y)) r="3" { title { (clean(&spot.label)) } }
                }
            }
            @for spot in lines.iter().filter_map(|line| line.marked.as_ref()) {
                circle.marked cx=(x(spot.x)) cy=(y(spot.y)) r="6" { title { (clean(&spot.label)) } }
                @if !several {
                    @let (side, anchor) = beside(spot);
                    text x=(x(spot.x) + side) y=(y(spot.y) + 22.0) text-anchor=(anchor) { (marks) }
                }
            }
            text x=(place(LEFT + (right - LEFT) / 2.0)) y=(HIGH - 6.0) text-anchor="middle" { (chart.across) }
            text x="14" y=(place(low / 2.0)) text-anchor="middle" transform={ "rotate(-90 14 " (place(low / 2.0)) ")" } { (chart.up) }
        }
    };
    html! {
        figure {
            figcaption { (clean(chart.title)) }
            @if several {
                ul.legend { @for (at, line) in lines.iter().enumerate() {
                    li { svg.stroke viewBox="0 0 28 8" aria-hidden="true" { line class=(stroke(at)) x1="0" x2="28" y1="4" y2="4" {} } (clean(&line.name)) }
                } @if lines.iter().any(|line| line.marked.is_some()) { li { "\u{25ef} " (marks) } } }
            }
            (both(chart.id, chart.title, |_| HIGH, draw))
        }
    }
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
    fn a_curve_stays_in_its_square_and_names_the_best() {
        let spot = |x, y, label: &str| Spot {
            x,
            y,
            label: label.to_owned(),
        };
        let line = Curve {
            name: "<one>".to_owned(),
            spots: vec![spot(0.0, 1.0, "<first>"), spot(2.0, 0.5, "last")],
            marked: Some(spot(2.0, 0.5, "last")),
        };
        let chart = Curves {
            id: "pr",
            title: "Precision",
            across: "recall",
            up: "precision",
        };
        let drawn = curves(&chart, std::slice::from_ref(&line), "best").into_string();
        assert!(drawn.contains("points=\"64,12 736,173\""), "{drawn}");
        assert!(
            drawn.contains("&lt;first&gt;") && drawn.contains(">best<"),
            "{drawn}"
        );
        let two = curves(&chart, &[line.clone(), line], "best").into_string();
        assert!(
            two.contains("&lt;one&gt;") && two.contains("curve k1"),
            "{two}"
        );
        assert!(curves(&chart, &[], "best").into_string().is_empty());
    }

    #[test]
    fn an_axis_has_the_range_of_its_values() {
        let ticks = |low, high| -> Vec<String> {
            let axis = Axis::over(low, high);
            (axis.from..=axis.to).map(|tick| axis.label(tick)).collect()
        };
        let all = ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"];
        assert_eq!(ticks(0.5, 0.95), ["0.5", "0.6", "0.7", "0.8", "0.9", "1.0"]);
        assert_eq!(
            ticks(0.6, 0.7),
            ["0.60", "0.62", "0.64", "0.66", "0.68", "0.70"]
        );
        assert_eq!(
            (ticks(0.0, 1.0), ticks(0.7, 0.7)),
            (all.map(String::from).into(), all.map(String::from).into())
        );
    }

    #[test]
    fn a_curve_that_another_hides_is_wider() {
        let line = |ys: [f64; 3]| Curve {
            name: "n".to_owned(),
            spots: ([0.5, 0.7, 0.9].into_iter().zip(ys))
                .map(|(x, y)| Spot {
                    x,
                    y,
                    label: String::new(),
                })
                .collect(),
            marked: None,
        };
        let lines = [
            line([0.4, 0.3, 0.2]),
            line([0.5, 0.3, 0.2]),
            line([0.6, 0.3, 0.1]),
        ];
        assert_eq!([0, 1, 2].map(|at| hidden_by(&lines, at)), [1, 0, 0]);
        let chart = Curves {
            id: "x",
            title: "",
            across: "",
            up: "",
        };
        let drawn = curves_in_range(&chart, &lines, "").into_string();
        assert_eq!(drawn.matches("stroke-width=\"5\"").count(), WIDTHS.len());
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
