//! Compares all texts of a folder with each other.

use super::{Compared, Job};
use crate::evidence;
use crate::opened::Opened;
use rayon::prelude::*;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;
use tegula::context::Amount;
use tegula::engine::{self, bad_records::Told};
use tegula::error::{Error, ErrorKind, Result};
use tegula::recipe::Recipe;
use tegula_io::outputs::Outputs;
use tegula_io::tables::{self, Formulas, PairRow, TableFileWriter, TableInfo};
use tegula_report::form::{count, decimal, plural};
use tegula_report::html::matrix::{DRAWN, Drawn, Folder, page};
use tegula_report::matrix::{Matrix, PairFigures, TextInfo, TextPair};
use tegula_report::{comparison, screen};

/// Number of pairs printed on a terminal.
const PRINTED: usize = 50;
/// Maximum number of pairs: each takes about two hundred bytes.
const MOST: usize = 5_000_000;

/// The pairs at or above the threshold: the engine finds them, and each is compared again in full.
pub(super) fn find(job: &Job, opened: &Opened) -> Result<Matrix> {
    // Bad records were reported when the texts were read.
    let search = opened.job(&job.recipe, None);
    let found = engine::find(&opened.host.context, search, &mut Told)?;
    if found.units.len() != job.texts.len() {
        return Err(Error::new(
            ErrorKind::Run,
            "the inputs changed while they were read",
        ));
    }
    let mut groups: Vec<(u32, u32)> = Vec::new();
    for group in 0..found.groups.len() as u32 {
        if found.groups.members(group).len() > 1 {
            groups.push((group, group));
        }
    }
    found.pairs().map_or(Ok(()), |pairs| {
        pairs.for_each(|pair| {
            groups.push((pair.a, pair.b));
            Ok(())
        })
    })?;
    let size = |(a, b): &(u32, u32)| {
        let (a, b, same) = (
            found.groups.members(*a).len(),
            found.groups.members(*b).len(),
            a == b,
        );
        if same { a * (a - 1) / 2 } else { a * b }
    };
    let all: usize = groups.iter().map(size).sum();
    if all > MOST {
        return Err(ErrorKind::Usage
            .expected(format!("at most {} pairs", count(MOST as u64)))
            .found(count(all as u64))
            .hint("raise ⟨threshold⟩, or use tegula pairs, which holds no pair in memory"));
    }
    let measured = |(a, b): &(u32, u32)| -> Result<Vec<TextPair>> {
        opened.host.context.check()?;
        let members = (found.groups.members(*a), found.groups.members(*b));
        // Members of a group may differ in features that are not compared, such as case; their
        // figures are the same.
        let (first, second) = if a == b {
            (members.0[0], members.0[1])
        } else {
            (members.0[0], members.1[0])
        };
        let compared = job.comparer.compare(
            job.texts.text(first as usize),
            job.texts.text(second as usize),
        );
        let figures = PairFigures::of(&compared);
        opened.host.context.progress.advance(1);
        let mut pairs = Vec::new();
        let score = job.recipe.measure.rules().of_texts(&figures.counts);
        if let Some(score) =
            score.filter(|score| job.recipe.measure.admits(job.recipe.threshold, *score))
        {
            for x in members.0 {
                for y in members.1.iter().filter(|y| a != b || *y > x) {
                    if job.texts.is_baseline(*x as usize) && job.texts.is_baseline(*y as usize) {
                        continue;
                    }
                    let (a, b) = (*x.min(y) as usize, *x.max(y) as usize);
                    let figures = if x < y { figures } else { figures.turned() };
                    pairs.push(TextPair {
                        a,
                        b,
                        score: score.as_f64(),
                        figures,
                    });
                }
            }
        }
        Ok(pairs)
    };
    opened
        .host
        .context
        .progress
        .begin("comparing", Some(groups.len() as u64), Amount::Items);
    let pairs = opened
        .host
        .context
        .pool()?
        .install(|| groups.par_iter().map(measured).collect::<Result<Vec<_>>>())?;
    opened.host.context.progress.end();
    let texts = (0..job.texts.len())
        .map(|at| TextInfo {
            id: job.texts.id(at).to_owned(),
            tokens: u64::from(found.units.tokens[at]),
            is_baseline: job.texts.is_baseline(at),
        })
        .collect();
    Ok(Matrix::new(texts, pairs.into_iter().flatten().collect()))
}

/// The measure by which pairs are found.
fn measure(of: &Compared) -> String {
    format!("{} {}", of.job.recipe.recipe, of.job.recipe.bound())
}

pub(super) fn draw(of: &Compared, matrix: &Matrix) -> String {
    let drawn: Vec<Drawn> = matrix
        .pairs
        .iter()
        .enumerate()
        .take(DRAWN)
        .map(|(number, pair)| {
            let texts = (of.job.texts.text(pair.a), of.job.texts.text(pair.b));
            Drawn {
                pair: number,
                found: of.job.comparer.compare(texts.0, texts.1),
                texts,
            }
        })
        .collect();
    let named = &of.inputs;
    let title = match &named[..] {
        [one] => format!("Texts of {one}"),
        more => format!("{} inputs", more.len()),
    };
    let (method, measure, ignored) = (
        format!("Pairs by {}. {}", measure(of), of.method()),
        measure(of),
        of.ignored.clone(),
    );
    let folder = Folder {
        title: &title,
        method: &method,
        measure: &measure,
        matrix,
        drawn: &drawn,
        unread: of.job.texts.unread(),
        ignored: ignored.as_deref(),
    };
    page(folder).render()
}

/// The result, in one line.
pub(super) fn summary(of: &Compared, matrix: &Matrix) -> String {
    let related: std::collections::BTreeSet<usize> = matrix
        .pairs
        .iter()
        .flat_map(|pair| [pair.a, pair.b])
        .collect();
    let (own, baseline) = matrix.sizes();
    let own = plural(own, "text");
    let texts = match baseline {
        0 => own,
        _ => format!("{own} and {} of the baseline", count(baseline)),
    };
    format!(
        "{texts}, {} by {}; {} in a pair\n",
        plural(matrix.pairs.len() as u64, "pair"),
        measure(of),
        plural(related.len() as u64, "text")
    )
}

/// The best pairs as a table for the terminal.
pub(super) fn show(of: &Compared, matrix: &Matrix, width: usize) -> String {
    let mut out = summary(of, matrix);
    if matrix.pairs.is_empty() {
        return out;
    }
    let head = [
        "first",
        "second",
        "sscr",
        "ssr",
        "first in second",
        "second in first",
        "shared, both",
        "passages",
        "longest",
    ];
    let mut table = screen::table(&head, width);
    let printed = if of.full { usize::MAX } else { PRINTED };
    for pair in matrix.pairs.iter().take(printed) {
        let m = &pair.figures.counts;
        let (a, b) = pair.figures.containment();
        table.add_row([
            matrix.texts[pair.a].id.clone(),
            matrix.texts[pair.b].id.clone(),
            decimal(m.sscr().as_f64()),
            decimal(m.ssr().as_f64()),
            decimal(a),
            decimal(b),
            count(pair.figures.shared_tokens()),
            count(pair.figures.passages.count),
            count(pair.figures.passages.longest),
        ]);
    }
    table.names(1);
    for column in 2..head.len() {
        table.align_right(column);
    }
    out.push('\n');
    out.push_str(&screen::show(&table));
    if matrix.pairs.len() > printed {
        let _ = writeln!(
            out,
            "\nand {}: a table lists all",
            plural((matrix.pairs.len() - printed) as u64, "more pair")
        );
    }
    out
}

pub(super) fn as_json(of: &Compared, matrix: &Matrix) -> Value {
    let texts: Vec<Value> = matrix
        .texts
        .iter()
        .map(|text| {
            let mut shown = json!({"id": text.id, "tokens": text.tokens});
            if text.is_baseline {
                shown["baseline"] = true.into();
            }
            shown
        })
        .collect();
    let pairs: Vec<Value> = matrix
        .pairs
        .iter()
        .map(|pair| {
            json!({
                "id_a": matrix.texts[pair.a].id, "id_b": matrix.texts[pair.b].id, "score": pair.score,
                "measures": comparison::measures(&pair.figures.counts, of.job.comparer.n()),
                "ignored": pair.figures.counts.ignored,
                "sequences": pair.figures.passages,
            })
        })
        .collect();
    let mut all = json!({"recipe": of.job.recipe, "texts": texts, "pairs": pairs});
    let unread = of.job.texts.unread();
    if !unread.is_empty() {
        all["unread"] = json!(unread);
    }
    all
}

/// The pairs in the columns of `pairs.parquet`.
pub(super) fn write_table(
    outputs: &Outputs,
    path: &Path,
    (recipe, formulas): (&Recipe, Formulas),
    matrix: &Matrix,
) -> Result<()> {
    let info = TableInfo {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        recipe: evidence::recipe_hash(recipe)?,
        fields: Vec::new(),
    };
    let by_shingles = !recipe.measure.needs_positions();
    let mut table = TableFileWriter::<tables::Pairs>::create(outputs, path, formulas, &info)?;
    for pair in &matrix.pairs {
        let m = &pair.figures.counts;
        let containment = if by_shingles {
            m.shingle_containment()
        } else {
            m.token_containment()
        };
        let number = |value: u64| Some(u32::try_from(value).unwrap_or(u32::MAX));
        table.push(&PairRow {
            unit_a: Some(pair.a as u64),
            unit_b: Some(pair.b as u64),
            id_a: &matrix.texts[pair.a].id,
            id_b: &matrix.texts[pair.b].id,
            score: pair.score,
            ssr: Some(m.ssr().as_f64()),
            sscr: Some(m.sscr().as_f64()),
            containment_a: Some(containment.0.as_f64()),
            containment_b: Some(containment.1.as_f64()),
            common: number(m.common),
            size_a: number(m.set_a),
            size_b: number(m.set_b),
            covered_a: number(m.covered_a),
            covered_b: number(m.covered_b),
            tokens_a: number(m.tokens_a),
            tokens_b: number(m.tokens_b),
            equal_a: Some(1),
            equal_b: Some(1),
            ..PairRow::default()
        })?;
    }
    table.finish().map(drop)
}
