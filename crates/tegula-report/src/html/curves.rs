//! Curves through points, over the unit square or a part of its width.

use maud::{Markup, html};

use super::chart::{BOTTOM, LEFT, TOP, WIDTHS, both, place, step};
use super::clean;

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
