//! Plots of measured numbers against a count, with the straight line from the origin to the last
//! point: values proportional to the count lie on it. Files contain their own colours.

use maud::{Markup, PreEscaped, html};

use super::chart::{place, step};
use super::clean;
use crate::form::count;

/// A plot.
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    /// Its id in a page; letters and hyphens.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The label of the horizontal axis.
    pub across: String,
    /// The label of the vertical axis.
    pub up: String,
    /// The points, from left to right; no coordinate is negative.
    pub points: Vec<(f64, f64)>,
    /// The square and linear coefficients of a curve through the origin to draw; without it, the
    /// straight line to the last point.
    pub curve: Option<(f64, f64)>,
}

const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 74.0;
const RIGHT: f64 = 500.0;
const TOP: f64 = 34.0;
const LOW: f64 = 250.0;

pub(super) const GREY: &str = "#808080";
pub(super) const LINE: &str = "#1f77b4";

/// Plots below each other as the text of an SVG file; those without points above 0 are skipped.
pub fn file(plots: &[Plot]) -> String {
    let drawn: Vec<&Plot> = plots.iter().filter(|plot| is_drawn(plot)).collect();
    document(&svg(&drawn))
}

/// A plot as a figure of a page; empty without points above 0.
pub fn figure(plot: &Plot) -> Markup {
    html! {
        @if is_drawn(plot) {
            figure { (svg(&[plot])) }
        }
    }
}

/// The text of an SVG file.
pub(super) fn document(svg: &Markup) -> String {
    let file = html! { (PreEscaped("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")) (svg) };
    clean(&file.into_string()).into_owned() + "\n"
}

fn is_drawn(plot: &Plot) -> bool {
    plot.points.iter().any(|(x, y)| *x > 0.0 && *y > 0.0)
}

fn svg(plots: &[&Plot]) -> Markup {
    let titles: Vec<&str> = plots.iter().map(|plot| plot.title.as_str()).collect();
    let id = plots.first().map_or("", |plot| plot.id.as_str());
    let parts = plots.iter().map(|plot| (HEIGHT, one(plot)));
    frame(
        &format!("plot-{id}"),
        &titles,
        WIDTH,
        &parts.collect::<Vec<_>>(),
    )
}

/// Pictures below each other, each with its height.
pub(super) fn frame(id: &str, titles: &[&str], wide: f64, parts: &[(f64, Markup)]) -> Markup {
    let tall: f64 = parts.iter().map(|(height, _)| height).sum();
    let tops = parts.iter().scan(0.0, |end, (height, _)| {
        let top = *end;
        *end += height;
        Some(top)
    });
    html! {
        svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox={ "0 0 " (wide) " " (tall) } font-family="sans-serif" font-size="12"
            fill=(GREY) aria-labelledby={ (id) "-title" } {
            title id={ (id) "-title" } { (clean(&titles.join("; "))) }
            @for (top, (_, part)) in tops.zip(parts) {
                g transform={ "translate(0 " (top) ")" } { (part) }
            }
        }
    }
}

fn one(plot: &Plot) -> Markup {
    let most = |of: fn(&(f64, f64)) -> f64| plot.points.iter().map(of).fold(0.0, f64::max);
    let (widest, highest) = (most(|point| point.0), most(|point| point.1));
    let (across, up) = (step(widest), step(highest));
    let (right, top) = (
        (widest / across).ceil() * across,
        (highest / up).ceil() * up,
    );
    let x = |value: f64| place(LEFT + (RIGHT - LEFT) * value / right);
    let y = |value: f64| place(LOW - (LOW - TOP) * value / top);
    let ticks = |step: f64, end: f64| {
        (0..=(end / step).round() as u32).map(move |tick| f64::from(tick) * step)
    };
    let line: Vec<String> = plot
        .points
        .iter()
        .map(|point| format!("{},{}", x(point.0), y(point.1)))
        .collect();
    let curve: Vec<String> = plot.curve.map_or_else(Vec::new, |(square, linear)| {
        (0..=40)
            .map(|step| widest * f64::from(step) / 40.0)
            .map(|at| (at, (square * at * at + linear * at).clamp(0.0, top)))
            .map(|(at, value)| format!("{},{}", x(at), y(value)))
            .collect()
    });
    let last = plot.points.last().copied().unwrap_or_default();
    html! {
        text x=(LEFT) y="18" font-weight="bold" { (clean(&plot.title)) }
        @for tick in ticks(up, top) {
            line x1=(LEFT) x2=(RIGHT) y1=(y(tick)) y2=(y(tick)) stroke=(GREY) stroke-opacity="0.3" {}
            text x=(LEFT - 8.0) y=(y(tick) + 4.0) text-anchor="end" { (label(tick, up)) }
        }
        @for tick in ticks(across, right) {
            text x=(x(tick)) y=(LOW + 17.0) text-anchor="middle" { (label(tick, across)) }
        }
        @if curve.is_empty() {
            line x1=(x(0.0)) y1=(y(0.0)) x2=(x(last.0)) y2=(y(last.1)) stroke=(GREY) stroke-dasharray="5 4" {}
        } @else {
            polyline points=(curve.join(" ")) fill="none" stroke=(GREY) stroke-dasharray="5 4" {}
        }
        polyline points=(line.join(" ")) fill="none" stroke=(LINE) stroke-width="2" {}
        @for point in &plot.points {
            circle cx=(x(point.0)) cy=(y(point.1)) r="4" fill=(LINE) {
                title { (label(point.0, 1.0)) ": " (label(point.1, up)) }
            }
        }
        text x=(place(f64::midpoint(LEFT, RIGHT))) y=(HEIGHT - 14.0) text-anchor="middle" { (clean(&plot.across)) }
        text x="14" y=(place(f64::midpoint(TOP, LOW))) text-anchor="middle"
            transform={ "rotate(-90 14 " (place(f64::midpoint(TOP, LOW))) ")" } { (clean(&plot.up)) }
    }
}

/// A number with as many decimals as needed to distinguish ticks.
pub(super) fn label(value: f64, step: f64) -> String {
    if step >= 1e6 {
        format!("{} M", count((value / 1e6).round() as u64))
    } else if step >= 1.0 {
        count(value.round() as u64)
    } else {
        format!("{value:.*}", (-step.log10().floor()) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(points: &[(f64, f64)]) -> Plot {
        Plot {
            id: "time".into(),
            title: "Time & <more>".into(),
            across: "records".into(),
            up: "seconds".into(),
            points: points.to_vec(),
            curve: None,
        }
    }

    #[test]
    fn a_plot_has_its_points_and_the_straight_line() {
        let drawn = file(&[of(&[(500.0, 0.5), (1000.0, 1.0)])]);
        assert!(
            drawn.starts_with("<?xml")
                && drawn.contains("xmlns=")
                && drawn.contains("Time &amp; &lt;more&gt;"),
            "{drawn}"
        );
        assert!(drawn.contains("points=\"287,142 500,34\""), "{drawn}");
        assert!(
            drawn.contains("x1=\"74\" y1=\"250\" x2=\"500\" y2=\"34\""),
            "{drawn}"
        );
        assert!(
            drawn.contains(">1,000<") && drawn.contains(">0.4<"),
            "{drawn}"
        );
    }

    #[test]
    fn what_cannot_be_drawn_is_left_out() {
        for points in [&[][..], &[(0.0, 0.0)], &[(5.0, 0.0)]] {
            assert!(!file(&[of(points)]).contains("<polyline"));
        }
    }
}
