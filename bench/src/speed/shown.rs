//! What was measured, as Markdown, as a plot, and run by run.

use super::medians::Medians;
use super::results::{Measured, Results};
use super::work::Work;
use serde_json::Value;
use std::fmt::Write as _;
use tegula_report::form::count;
use tegula_report::html::measured::{Bar, Panel, file};

/// The tables: time and memory, and the figures that do not depend on the machine.
pub(super) fn markdown(results: &Results) -> String {
    let mut text = results.about.join("\n");
    text.push_str("\n\n");
    let medians: Vec<Medians> = results.all.iter().map(Measured::medians).collect();
    let mut all = results.all.iter().zip(&medians);
    let peer = all.find_map(|(of, medians)| match &of.work {
        Work::Peer(name) => Some((name, medians.cpu.median)),
        Work::Recipe { .. } => None,
    });
    let (head, rule) = peer.map_or_else(Default::default, |(name, _)| {
        (format!(" of {name}'s |"), " ---: |")
    });
    let _ = writeln!(
        text,
        "| run | CPU s |{head} user s | wall s | peak MiB | spread of CPU | kept | removed |\n\
         | --- | ---: |{rule} ---: | ---: | ---: | ---: | ---: | ---: |"
    );
    for (of, medians) in results.all.iter().zip(&medians) {
        let ratio = peer.map_or_else(String::new, |(_, theirs)| {
            format!(" {:.2} |", medians.cpu.median / theirs)
        });
        let _ = writeln!(
            text,
            "| {} | {} |{ratio} {} | {} | {:.0} | {:.0} % | {} | {} |",
            of.work.name(),
            seconds(medians.cpu.median),
            seconds(medians.user.median),
            seconds(medians.wall.median),
            medians.mib.median,
            100.0 * medians.cpu.spread(),
            count(of.answer.kept),
            count(of.answer.removed),
        );
    }
    text.push_str(&work(&results.all));
    text
}

/// Two decimals, or one for long times.
fn seconds(value: f64) -> String {
    if value < 10.0 {
        format!("{value:.2}")
    } else {
        format!("{value:.1}")
    }
}

/// The work of each recipe, in figures that do not depend on the machine; those of its first number
/// of threads, which differ from others by less than a hundredth.
fn work(all: &[Measured]) -> String {
    let mut text = String::new();
    let mut said: Vec<&Work> = Vec::new();
    for of in all {
        let Some(Value::Object(figures)) = &of.figures else {
            continue;
        };
        if said.iter().any(|other| other.agrees_with(&of.work)) {
            continue;
        }
        if said.is_empty() {
            let names: Vec<String> = figures.keys().map(|name| name.replace('_', " ")).collect();
            let _ = writeln!(
                text,
                "\n| run | {} |\n| --- |{}",
                names.join(" | "),
                " ---: |".repeat(names.len())
            );
        }
        let cells: Vec<String> = figures
            .values()
            .map(|figure| figure.as_u64().map_or_else(String::new, count))
            .collect();
        let _ = writeln!(text, "| {} | {} |", of.work.name(), cells.join(" | "));
        said.push(&of.work);
    }
    text
}

/// Processor time and memory as bars, each with the range of the rounds.
pub(super) fn plot(results: &Results) -> String {
    let medians: Vec<(String, Medians)> = results
        .all
        .iter()
        .map(|of| (of.work.name(), of.medians()))
        .collect();
    let panel = |title: &str, of: fn(&Medians) -> super::medians::Rounds| Panel {
        title: title.to_owned(),
        bars: medians
            .iter()
            .map(|(name, medians)| {
                let rounds = of(medians);
                Bar {
                    name: name.clone(),
                    value: rounds.median,
                    range: Some((rounds.least, rounds.most)),
                }
            })
            .collect(),
    };
    file(&[
        panel("CPU seconds, user and system", |of| of.cpu),
        panel("Wall seconds", |of| of.wall),
        panel("Peak memory, MiB", |of| of.mib),
    ])
}

/// Every run, for other programs.
pub(super) fn runs(results: &Results) -> String {
    let mut text = "run\tround\tuser\tsystem\twall\tpeak_bytes\n".to_owned();
    for of in &results.all {
        for (round, took) in (1..).zip(&of.took) {
            let _ = writeln!(
                text,
                "{}\t{round}\t{:.3}\t{:.3}\t{:.3}\t{}",
                of.work.name(),
                took.user,
                took.system,
                took.wall,
                took.peak
            );
        }
    }
    text
}
