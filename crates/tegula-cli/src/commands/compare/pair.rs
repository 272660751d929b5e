//! Compares two texts by every measure, side by side.

use super::job::Job;
use crate::form::pretty;
use crate::side_by_side::{self, LEGEND, Style};
use crate::terminal::{self, say};
use crate::{breakdown, comparison, output};
use serde_json::{Value, json};
use std::process::ExitCode;
use tegula::compare::Comparison;
use tegula::engine;
use tegula::engine::breakdown::Breakdown;
use tegula::error::{Error, Result};
use tegula_report::differing::{Differing, ItemComparer};
use tegula_report::figures::{Distances, Sequences, figures};
use tegula_report::html::pair::{Pair, page};
use tegula_report::html::sides::Shown;
use tegula_report::score::explained;
use tegula_run::statistics;

/// Compares the two texts.
///
/// # Errors
/// When the output cannot be written, or its format is not available for two texts.
pub(super) fn compare(job: &Job) -> Result<ExitCode> {
    let args = job.args;
    if let Some(path) = args.output.as_deref().filter(|path| !output::is_page(path)) {
        return Err(
            Error::usage("-o: expected a page (.html) of two texts, found a table")
                .at(path)
                .hint("use --json for the figures"),
        );
    }
    let texts = (job.texts.text(0), job.texts.text(1));
    let ids = (job.texts.id(0), job.texts.id(1));
    let found = job.comparer.compare(texts.0, texts.1);
    let distances = Distances::of(&found, texts);
    let statistics = statistics::load(job.recipe, &job.opened.host.context)?.unwrap_or_default();
    let breakdown = engine::breakdown::breakdown(job.recipe, &statistics, texts.0, texts.1)?;
    let differing = ItemComparer::new(job.recipe)?.compare(texts);
    let figures = figures(&found, &distances, job.comparer.n());
    if let Some(path) = &args.output {
        let method = job.method();
        let score = breakdown
            .as_ref()
            .map(|breakdown| explained(breakdown, job.recipe.measure.says()));
        let score = score.as_ref();
        let pair = Pair {
            found: &found,
            texts,
            ids,
            figures: &figures,
            method: &method,
            ignores: args.ignore.is_some(),
            differing: &differing,
            score,
        };
        let shown = if args.full { Shown::ALL } else { Shown::SHORT };
        job.opened
            .outputs
            .write(path, page(pair, shown).render().as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.json {
        output::json(&pretty(&as_json(
            job,
            &found,
            &distances,
            (breakdown.as_ref(), &differing),
        ))?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let style = Style {
        width: terminal::width(args.width),
        colours: terminal::colours(),
        full: args.full,
    };
    let mut table = terminal::table(&["", ids.0, ids.1], style.width);
    for figure in &figures {
        table.add_row([
            figure.name.as_str(),
            &figure.a,
            figure.b.as_deref().unwrap_or_default(),
        ]);
    }
    let mut out = terminal::show(table);
    if found.counts.equal {
        out.push_str("The two are equal after normalisation.\n");
    } else if found.counts.common == 0 {
        out.push_str("The two share no shingle.\n");
    }
    if let Some(why) = job.texts.kept_apart(0, 1) {
        say!(out, "A run does not compare the two: {why}.");
    }
    if let Some(breakdown) = &breakdown {
        out.push('\n');
        out.push_str(&breakdown::show(
            breakdown,
            job.recipe.measure.says(),
            style.width,
        ));
    }
    if let Some(sentence) = differing.sentence() {
        say!(out, "{sentence}");
    }
    out.extend(["\n", LEGEND, "\n\n"]);
    out.push_str(&side_by_side::show(&found, texts, ids, style));
    output::show(&out)?;
    Ok(ExitCode::SUCCESS)
}

fn as_json(
    job: &Job,
    found: &Comparison,
    distances: &Distances,
    (breakdown, differing): (Option<&Breakdown>, &Differing),
) -> Value {
    let texts = (job.texts.text(0), job.texts.text(1));
    let side = |at: usize, tokens: usize| json!({"id": job.texts.id(at), "tokens": tokens});
    let sequences = Sequences::of(found);
    let mut map = comparison::json(found, texts, job.comparer.n());
    map.insert("a".to_owned(), side(0, found.a.tokens()));
    map.insert("b".to_owned(), side(1, found.b.tokens()));
    map.insert(
        "ignored".to_owned(),
        json!({"file": job.ignored(), "common": found.counts.ignored}),
    );
    map.insert(
        "sequences".to_owned(),
        json!({
            "count": sequences.count, "longest": sequences.longest, "mean": sequences.mean(),
            "tokens": sequences.tokens, "out_of_order": sequences.out_of_order,
        }),
    );
    map.insert("levenshtein".to_owned(), json!(distances));
    let apart = job.texts.kept_apart(0, 1);
    map.extend(apart.map(|why| ("kept_apart".to_owned(), json!(why))));
    map.extend(
        differing
            .json()
            .map(|differing| ("differing".to_owned(), differing)),
    );
    map.extend(breakdown.map(|breakdown| ("score".to_owned(), breakdown::json(breakdown))));
    Value::Object(map)
}
