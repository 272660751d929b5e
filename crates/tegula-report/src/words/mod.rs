//! Words and runs of words that the copies repeat, which mislead counts of hits (Benko 2013, §1: "35
//! occurrences ... only 2 are really unique").
//!
//! The texts are read three times: to count runs in the removed parts, to count the same runs in
//! the rest, and for examples. A run of words is inside one unit; it is kept if none of its words
//! is in a removed part.
//!
//! Frequent words lose most hits, and rare ones the largest share by chance. So the list is sorted by
//! keyness: the binary logarithm of how many times as frequent a run is in the removed text as in
//! the rest, at the lower end of its interval (the conservative log ratio of Evert 2022, after
//! Hardie 2014).

mod examples;
mod grams;

use crate::form::share;
use crate::run::{Run, Text};
use crate::table::{Cell, Kind, Table};
use examples::Examples;
use grams::{Gram, Grams};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use tegula::context::Context;
use tegula::error::{Error, ErrorKind, Result};
use tegula::partition::Partitions;

/// What to count and list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Words in the longest run: 1 to 7.
    pub longest: usize,
    /// Rows of a table.
    pub rows: usize,
    /// The minimum number of removed hits for a run to be listed.
    pub least: u64,
    /// The number of runs of each length to follow through the kept text: those that lose most
    /// hits. Results are exact if this is sufficient, as the tables state.
    pub followed: usize,
    /// Whether to list only those of which chance does not explain that they are more frequent in removed
    /// text: by their keyness, which is above 0.
    pub only_clear: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            longest: 4,
            rows: 50,
            least: 5,
            followed: 100_000,
            only_clear: false,
        }
    }
}

impl Options {
    /// The lowest keyness listed.
    fn lowest(&self) -> f64 {
        if self.only_clear {
            LEAST
        } else {
            f64::NEG_INFINITY
        }
    }
}

/// Hits of a run of words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Hits {
    removed: u64,
    kept: u64,
}

/// Runs of one length.
#[derive(Debug, Clone, Default)]
struct Order {
    /// All hits.
    all: Hits,
    /// The maximum number of hits lost by a run that was not followed.
    passed_over: u64,
}

/// The lowest keyness that is not written as 0.
const LEAST: f64 = 0.0001;

/// Standard deviations to the lower end of an interval of 95 %.
const DEVIATIONS: f64 = 1.959_963_985;

impl Order {
    /// The log ratio of the relative frequencies in removed and remaining text, at the lower end of
    /// its interval; half a hit is added to both sides, so that a run may have lost all of its hits.
    fn keyness(&self, hits: Hits) -> f64 {
        let [removed, kept] = [hits.removed, hits.kept].map(|hits| hits as f64 + 0.5);
        let [all_removed, all_kept] =
            [self.all.removed, self.all.kept].map(|hits| hits as f64 + 1.0);
        let ratio = ((removed / all_removed) / (kept / all_kept)).log2();
        let variance = 1.0 / removed - 1.0 / all_removed + 1.0 / kept - 1.0 / all_kept;
        ratio - DEVIATIONS * variance.max(0.0).sqrt() / std::f64::consts::LN_2
    }

    /// Whether a run is more frequent in removed than in kept text.
    fn is_key(&self, hits: Hits) -> bool {
        u128::from(hits.removed) * u128::from(self.all.kept)
            > u128::from(hits.kept) * u128::from(self.all.removed)
    }

    /// The maximum keyness of a run that was not followed. Keyness grows with the hits lost. In the
    /// hits kept it grows while the interval narrows faster than the ratio falls, which ends before
    /// DEVIATIONS² / 4 = 0.96, half a hit included.
    fn bound(&self) -> f64 {
        let removed = self.passed_over;
        (0..=1)
            .map(|kept| self.keyness(Hits { removed, kept }))
            .fold(f64::NEG_INFINITY, f64::max)
    }
}

/// Creates a table for each length of runs: words, pairs of words, and so on. Normalises like the
/// run's first stage. Holds [`Options::followed`] runs of each length; removed runs are counted in
/// partitions that spill to scratch.
///
/// # Errors
/// If the inputs have changed since the run, or memory or scratch do not suffice.
pub fn tables(run: &Run, options: &Options, context: &Context) -> Result<Vec<Table>> {
    if !(1..=grams::LONGEST).contains(&options.longest) {
        return Err(ErrorKind::Usage
            .expected(format!("runs of 1 to {} words", grams::LONGEST))
            .found(options.longest));
    }
    let mut grams = Grams::new(run, options.longest)?;
    let mut orders = vec![Order::default(); options.longest];
    let mut followed = count_removed(run, options, context, &mut grams, &mut orders)?;
    count_kept(run, context, &mut grams, &mut orders, &mut followed)?;
    let mut chosen: Vec<Vec<(Gram, Hits)>> = vec![Vec::new(); options.longest];
    let mut list: Vec<(Gram, Hits)> = followed.into_iter().collect();
    list.sort_unstable_by_key(|(gram, _)| *gram);
    for (gram, hits) in list {
        chosen[gram.words() - 1].push((gram, hits));
    }
    for (order, list) in orders.iter().zip(&mut chosen) {
        list.retain(|(_, hits)| order.is_key(*hits) && order.keyness(*hits) >= options.lowest());
        list.sort_by(|a, b| {
            order
                .keyness(b.1)
                .total_cmp(&order.keyness(a.1))
                .then(a.0.cmp(&b.0))
        });
        list.truncate(options.rows);
    }
    let examples = Examples::find(
        run,
        &mut grams,
        chosen.iter().flatten().map(|(gram, _)| *gram),
    )?;
    let tables = orders.iter().zip(&chosen).enumerate();
    Ok(tables
        .map(|(place, (order, list))| table(place + 1, order, list, &examples, options))
        .collect())
}

/// Counts the runs in removed text, and chooses those that lose most.
fn count_removed(
    run: &Run,
    options: &Options,
    context: &Context,
    grams: &mut Grams,
    orders: &mut [Order],
) -> Result<HashMap<Gram, Hits>> {
    const PARTITIONS: usize = 256;
    let partitions = Partitions::<Gram>::new(context, PARTITIONS, 512);
    {
        let mut writer = partitions.writer();
        run.for_each_text(|text: &Text| {
            context.check()?;
            grams.for_each(text, |gram, is_removed, _| {
                if is_removed {
                    orders[gram.words() - 1].all.removed += 1;
                    return writer.push(gram.spread() as usize % PARTITIONS, gram);
                }
                orders[gram.words() - 1].all.kept += 1;
                Ok(())
            })?;
            Ok(true)
        })?;
    }
    partitions.seal()?;
    let mut most: Vec<BinaryHeap<Reverse<(u64, Gram)>>> =
        orders.iter().map(|_| BinaryHeap::new()).collect();
    for partition in 0..PARTITIONS {
        let _held = context.budget.reserve(
            partitions.rows(partition) * size_of::<Gram>() as u64,
            "a share of the runs of words",
        )?;
        let mut rows = partitions.take(partition)?;
        rows.sort_unstable();
        for same in rows.chunk_by(|a, b| a == b) {
            let (gram, hits) = (same[0], same.len() as u64);
            if hits < options.least {
                continue;
            }
            let heap = &mut most[gram.words() - 1];
            heap.push(Reverse((hits, gram)));
            if heap.len() > options.followed
                && let Some(Reverse((least, _))) = heap.pop()
            {
                let order = &mut orders[gram.words() - 1];
                order.passed_over = order.passed_over.max(least);
            }
        }
    }
    let all = most.into_iter().flatten();
    Ok(all
        .map(|Reverse((removed, gram))| (gram, Hits { removed, kept: 0 }))
        .collect())
}

/// Counts the chosen runs in kept text.
fn count_kept(
    run: &Run,
    context: &Context,
    grams: &mut Grams,
    orders: &mut [Order],
    followed: &mut HashMap<Gram, Hits>,
) -> Result<()> {
    let mut all = 0_u64;
    run.for_each_text(|text| {
        context.check()?;
        grams.for_each(text, |gram, is_removed, _| {
            if !is_removed {
                all += 1;
                if let Some(hits) = followed.get_mut(&gram) {
                    hits.kept += 1;
                }
            }
            Ok(())
        })?;
        Ok(true)
    })?;
    if all != orders.iter().map(|order| order.all.kept).sum::<u64>() {
        return Err(Error::new(
            tegula::error::ErrorKind::Run,
            "the inputs changed while they were read",
        )
        .at(run.path()));
    }
    Ok(())
}

fn table(
    words: usize,
    order: &Order,
    list: &[(Gram, Hits)],
    examples: &Examples,
    options: &Options,
) -> Table {
    let columns = [
        (if words == 1 { "Word" } else { "Words" }, Kind::Text),
        ("Hits", Kind::Count),
        ("Removed", Kind::Count),
        ("Kept", Kind::Count),
        ("Kept %", Kind::Percent),
        ("Keyness", Kind::Score),
        ("A kept hit", Kind::Text),
        ("A removed hit", Kind::Text),
    ];
    let what = if words == 1 {
        "Words".to_owned()
    } else {
        format!("Runs of {words} words")
    };
    let mut table = Table::new(
        &format!("words-{words}"),
        &format!("{what} that the copies repeat"),
        &columns,
    );
    for (gram, hits) in list {
        let example = examples.of(*gram);
        table.rows.push(vec![
            Cell::Text(example.words.clone()),
            Cell::Count(hits.removed + hits.kept),
            Cell::Count(hits.removed),
            Cell::Count(hits.kept),
            Cell::Share(share(hits.kept, hits.removed + hits.kept)),
            Cell::Share(order.keyness(*hits)),
            Cell::Text(example.kept.clone().unwrap_or_default()),
            Cell::Text(example.removed.clone().unwrap_or_default()),
        ]);
    }
    let all = order.all.removed + order.all.kept;
    table.note = format!(
        "After the run's normalisation, inside units. Of all {} hits {:.2} % were removed. Keyness is the binary logarithm of how many times as \
         frequent the words are in removed text as in kept text, at the lower end of the 95 % interval: 1 is at least twice, \
         3 eight times; of words with {} removed hits or more.",
        crate::form::count(all),
        100.0 * share(order.all.removed, all),
        options.least
    );
    // If the list is not full, runs that were not followed might belong at its end.
    let last = match list.last() {
        Some((_, hits)) if list.len() >= options.rows => order.keyness(*hits),
        _ => options.lowest(),
    };
    table.note.push_str(if order.passed_over == 0 || last >= order.bound() {
        " Counts and list are exact."
    } else {
        " Counts are exact; a run of words that loses fewer hits than those followed may be missing."
    });
    table
}

#[cfg(test)]
mod tests;
