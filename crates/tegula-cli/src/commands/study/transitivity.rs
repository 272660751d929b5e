//! `tegula study transitivity`: what skipping pairs of one cluster saves, and what the skipped pairs would have scored.

use super::{Lab, On, Shown, ending, number, write_tsv};
use clap::Args;
use std::path::PathBuf;
use std::time::Instant;
use tegula::cluster::UnionFind;
use tegula::engine;
use tegula::error::Result;
use tegula::evidence::Findings;
use tegula::recipe::Recipe;
use tegula::threshold::Score;
use tegula_report::form::{count, share};
use tegula_report::table::{Cell, Kind, Table};

/// Arguments of `tegula study transitivity`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tegula study transitivity messages.jsonl
  tegula study transitivity messages.jsonl --draw 100000 --set threshold=0.8 -o skipped.tsv
  tegula study transitivity weibo.tsv --set normalise.boundaries=chinese --form tsv

The clusters are the same with and without skipping: a pair is skipped only where its two texts are in one cluster already.")]
pub(super) struct TransitivityArgs {
    #[command(flatten)]
    on: On,

    /// Skipped pairs that are scored, drawn at random
    #[arg(long, value_name = "N", default_value_t = 10_000, help_heading = "Experiment")]
    draw: usize,

    /// Write the tables to this file
    #[arg(long, short, value_name = "TABLES.tsv", help_heading = "Output")]
    output: Option<PathBuf>,

    #[command(flatten)]
    shown: Shown,
}

/// Runs with and without skipping, and scores what was skipped.
pub(super) fn transitivity(args: &TransitivityArgs) -> Result<()> {
    args.output.as_ref().map(|path| ending(path, &["tsv"])).transpose()?;
    let lab = Lab::open(&args.on, args.output.as_deref())?;
    let transitive = Recipe { transitive: true, ..lab.recipe.clone() };
    transitive.check()?;
    let plain = Recipe { transitive: false, ..lab.recipe.clone() };
    let columns = [
        ("Pairs of one cluster", Kind::Text),
        ("Candidates", Kind::Count),
        ("Compared", Kind::Count),
        ("Skipped", Kind::Count),
        ("Pairs found", Kind::Count),
        ("Clusters", Kind::Count),
        ("Texts in them", Kind::Count),
        ("Seconds", Kind::Text),
    ];
    let mut saved = Table::new("skipped", "What skipping saves", &columns);
    let clock = Instant::now();
    let found = lab.find(&plain)?;
    saved.rows.push(row("compared", &found, clock.elapsed().as_secs_f64())?);
    let clock = Instant::now();
    let (found, skipped) = lab.run(|bad| engine::find_and_audit(&lab.host.context, lab.job(&transitive), args.draw, bad))?;
    saved.rows.push(row("skipped", &found, clock.elapsed().as_secs_f64())?);
    let pairs = super::pairs(&found)?;
    let scores: Vec<Score> = skipped.iter().map(|pair| pairs.score(pair)).collect();
    let tables = [saved, audit(&scores, &transitive)];
    if let Some(path) = &args.output {
        write_tsv(&lab.outputs, path, &tables)?;
    }
    lab.outputs.publish()?;
    args.shown.show(&tables)
}

fn row(name: &str, found: &Findings, seconds: f64) -> Result<Vec<Cell>> {
    let nominated = found.notes.candidates.unwrap_or_default();
    let mut sets = UnionFind::new(found.groups.len());
    let mut members = vec![false; found.groups.len()];
    let mut joins = 0;
    super::pairs(found)?.for_each(|pair| {
        joins += u64::from(sets.find(pair.a) != sets.find(pair.b));
        sets.union(pair.a, pair.b);
        members[pair.a as usize] = true;
        members[pair.b as usize] = true;
        Ok(())
    })?;
    let texts = members.iter().filter(|one| **one).count() as u64;
    Ok(vec![
        Cell::Text(name.to_owned()),
        Cell::Count(nominated.candidates),
        Cell::Count(nominated.compared),
        Cell::Count(nominated.skipped),
        Cell::Count(super::pairs(found)?.pairs.len()),
        // Each join makes one cluster of two.
        Cell::Count(texts - joins),
        Cell::Count(texts),
        number(seconds, 1),
    ])
}

/// The scores of the skipped pairs, in tenths, and how many would not have been pairs.
fn audit(scores: &[Score], recipe: &Recipe) -> Table {
    let title = format!("What {} skipped pairs, drawn at random, score", count(scores.len() as u64));
    let mut table =
        Table::new("skipped-scores", &title, &[("Score", Kind::Text), ("Pairs", Kind::Count), ("Share", Kind::Percent)]);
    let mut tenths = [0_u64; 11];
    for score in scores {
        tenths[(10 * score.part / score.whole.max(1)).min(10) as usize] += 1;
    }
    let all = scores.len() as u64;
    for (tenth, pairs) in tenths.into_iter().enumerate().skip_while(|(_, pairs)| *pairs == 0) {
        let name =
            if tenth == 10 { "1.0".to_owned() } else { format!("0.{tenth}\u{2013}{}.{}", (tenth + 1) / 10, (tenth + 1) % 10) };
        table.rows.push(vec![Cell::Text(name), Cell::Count(pairs), Cell::Share(share(pairs, all))]);
    }
    let below = below(scores, recipe);
    table.rows.push(vec![Cell::Text("no pairs".into()), Cell::Count(below), Cell::Share(share(below, all))]);
    table.total = true;
    let lowest = scores.iter().min().map_or_else(|| "\u{2013}".to_owned(), |score| format!("{:.4}", score.as_f64()));
    table.note = format!(
        "Those of the last row do not reach the threshold, {}; they are counted above as well. The lowest score is {lowest}.",
        recipe.threshold
    );
    table
}

/// How many scores are none of pairs: weighted resemblance must be above the threshold, other measures may be at it.
fn below(scores: &[Score], recipe: &Recipe) -> u64 {
    scores.iter().filter(|score| !recipe.measure.admits(recipe.threshold, **score)).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_at_the_threshold_are_no_pairs_of_weighted_resemblance() {
        let simfinder = Recipe::named("simfinder").unwrap();
        let ssr = Recipe::named("ssr").unwrap().with("threshold", "0.65").unwrap();
        let scores = [Score { part: 13, whole: 20 }, Score { part: 14, whole: 20 }, Score { part: 0, whole: 1 }];
        assert_eq!((below(&scores, &simfinder), below(&scores, &ssr)), (2, 1));
        let table = audit(&scores, &simfinder);
        assert_eq!(table.rows.last().unwrap()[1], Cell::Count(2));
        assert_eq!(table.rows[0][0], Cell::Text("0.0\u{2013}0.1".into()));
    }
}
