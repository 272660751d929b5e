//! The page of a folder: the matrix of its texts, the list of pairs, and pairs side by side.

use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};
use tegula::compare::Comparison;

use super::heat::shade;
use super::sides::{self, Shown};
use super::{Page, Section, clean, name, unfolding};
use crate::form::{count, decimal, percent, plural};
use crate::matrix::{Matrix, TextPair};

/// The maximum number of texts in the matrix; further ones are in the list of pairs.
pub const LARGEST: usize = 150;
/// The maximum number of pairs in the list.
pub const LISTED: usize = 2_000;
/// The maximum number of pairs shown side by side.
pub const DRAWN: usize = 200;

/// Of these, those that are not folded together.
const FIRST: usize = 12;

/// A pair to show side by side.
#[derive(Debug)]
pub struct Drawn<'a> {
    /// Its index in [`Matrix::pairs`].
    pub pair: usize,
    /// The comparison of the texts.
    pub found: Comparison,
    /// The texts.
    pub texts: (&'a str, &'a str),
}

/// The contents of the page.
#[derive(Debug, Clone, Copy)]
pub struct Folder<'a> {
    /// A short description of what was compared.
    pub title: &'a str,
    /// The method, in one line.
    pub method: &'a str,
    /// The measure by which pairs are found and sorted.
    pub measure: &'a str,
    /// Texts and pairs.
    pub matrix: &'a Matrix,
    /// Pairs shown side by side, at most [`DRAWN`].
    pub drawn: &'a [Drawn<'a>],
    /// The file, place and fault of each text that could not be read.
    pub unread: &'a [String],
    /// What was ignored, if anything.
    pub ignored: Option<&'a str>,
}

/// The page.
pub fn page(folder: Folder) -> Page {
    let matrix = folder.matrix;
    let order = matrix.order();
    let (own, baseline) = matrix.sizes();
    let lead = html! {
        p.claim { (clean(&claim(matrix))) }
        @if let Some(ignored) = folder.ignored {
            p.note { "Shingles of " span.id { (clean(ignored)) } " do not count as shared; in the texts they are grey." }
        }
        dl.facts {
            div { dt { "texts" } dd { (count(own)) } }
            @if baseline > 0 { div { dt { "texts of the baseline" } dd { (count(baseline)) } } }
            div { dt { "pairs" } dd { (count(matrix.pairs.len() as u64)) } }
            div { dt { "texts in a pair" } dd { (count(order.len() as u64)) } }
        }
        p.note { (clean(folder.method)) }
        @if !folder.unread.is_empty() {
            details {
                summary { (plural(folder.unread.len() as u64, "text")) " could not be read and " (if folder.unread.len() == 1 { "was" } else { "were" }) " not compared" }
                ul.inside { @for fault in folder.unread.iter().take(LISTED) { li { (clean(fault)) } } }
            }
        }
    };
    let drawn: BTreeSet<usize> = folder.drawn.iter().map(|drawn| drawn.pair).collect();
    let mut sections = Vec::new();
    if matrix.pairs.is_empty() {
        sections.push(Section::new(
            "pairs",
            "Pairs",
            html! { p { "No two texts share enough." } },
        ));
    } else {
        sections.push(Section::new(
            "matrix",
            "Matrix",
            grid(matrix, &order, &drawn),
        ));
        sections.push(Section::new("pairs", "Pairs", pairs(folder, &drawn)));
        sections.push(Section::new("texts", "Side by side", texts(folder)));
    }
    let alone: Vec<&str> = {
        let related: BTreeSet<usize> = order.iter().copied().collect();
        matrix
            .texts
            .iter()
            .enumerate()
            .filter(|(at, text)| !related.contains(at) && !text.is_baseline)
            .map(|(_, text)| text.id.as_str())
            .collect()
    };
    if !alone.is_empty() {
        let named = alone.len().min(LISTED);
        sections.push(Section::new("alone", "Texts in no pair", html! {
            details {
                summary { (plural(alone.len() as u64, "text")) }
                div.inside { p { @for (at, id) in alone[..named].iter().enumerate() { @if at > 0 { ", " } span.id { (clean(id)) } }
                    @if alone.len() > named { " and " (count((alone.len() - named) as u64)) " more" } } }
            }
        }));
    }
    Page {
        title: folder.title.to_owned(),
        lead,
        sections,
    }
}

/// What was found, in a sentence.
fn claim(matrix: &Matrix) -> String {
    let (own, baseline) = matrix.sizes();
    let mut among = plural(own, "text");
    if baseline > 0 {
        among = format!("{among} and {} of the baseline", count(baseline));
    }
    let Some(best) = matrix.pairs.first() else {
        return format!("No two of {among} share enough to be a pair.");
    };
    let (a, b) = best.figures.containment();
    let (part, whole) = if a < b {
        (best.b, best.a)
    } else {
        (best.a, best.b)
    };
    let pairs = plural(matrix.pairs.len() as u64, "pair");
    let are = if matrix.pairs.len() == 1 {
        "is similar:"
    } else {
        "are similar; of the most similar,"
    };
    format!(
        "Among {among}, {pairs} {are} {} of {} is in {}.",
        percent(a.max(b)),
        matrix.texts[part].id,
        matrix.texts[whole].id
    )
}

/// The id of a pair in links.
fn anchor(pair: &TextPair) -> String {
    format!("pair-{}-{}", pair.a + 1, pair.b + 1)
}

fn grid(matrix: &Matrix, order: &[usize], drawn: &BTreeSet<usize>) -> Markup {
    let shown = &order[..order.len().min(LARGEST)];
    let by_place: BTreeMap<(usize, usize), usize> = matrix
        .pairs
        .iter()
        .enumerate()
        .map(|(number, pair)| ((pair.a, pair.b), number))
        .collect();
    let cell = |row: usize, column: usize| {
        if row == column {
            return html! { td.self {} };
        }
        let Some(number) = by_place.get(&(row.min(column), row.max(column))) else {
            return html! { td {} };
        };
        let pair = &matrix.pairs[*number];
        let (a, b) = pair.figures.containment();
        let share = if row < column { a } else { b };
        let said = format!(
            "{}: {} of its tokens are in {}",
            matrix.texts[row].id,
            percent(share),
            matrix.texts[column].id
        );
        let label = format!("{:.0}", (100.0 * share).floor());
        html! {
            td class=(shade(share)) title=(clean(&said)) {
                @if drawn.contains(number) { a href={ "#" (anchor(pair)) } aria-label=(clean(&said)) { (label) } }
                @else { b { (label) } }
            }
        }
    };
    let ids: Vec<String> = shown
        .iter()
        .map(|text| clean(&matrix.texts[*text].id).into_owned())
        .collect();
    let heads = name::distinct(&ids);
    html! {
        p { "The percentage of the row's text that is in the column's text. Similar texts are next to each other; a number that is a link opens the pair." }
        @if order.len() > shown.len() {
            p.note { "The matrix contains the first " (count(shown.len() as u64)) " texts of " (count(order.len() as u64)) "; a table of the pairs lists all." }
        }
        div.box tabindex="0" role="group" aria-label="Matrix of containment" {
            table.matrix {
                caption.hidden-visually { "Containment of the row's text in the column's, in percent" }
                thead { tr { td {} @for (id, head) in ids.iter().zip(&heads) { th scope="col" title=(id) { span.id { (head) } } } } }
                tbody {
                    @for (row, (id, head)) in shown.iter().zip(ids.iter().zip(&heads)) {
                        tr { th scope="row" title=(id) { span.id { (head) } }
                            @for column in shown { (cell(*row, *column)) } }
                    }
                }
            }
        }
    }
}

fn sscr(pair: &TextPair) -> f64 {
    pair.figures.counts.sscr().as_f64()
}

fn pairs(folder: Folder, drawn: &BTreeSet<usize>) -> Markup {
    let matrix = folder.matrix;
    let left_out = matrix.pairs.len().saturating_sub(LISTED);
    let has_scores = matrix
        .pairs
        .iter()
        .any(|pair| pair.score.total_cmp(&sscr(pair)).is_ne());
    let id = |text: usize| name::name(&matrix.texts[text].id);
    html! {
        div.box.tall[matrix.pairs.len() > 24] tabindex="0" role="group" aria-label="Pairs" {
            table.stack {
                caption { "Pairs by " (folder.measure) ", the best first" }
                thead { tr {
                    th scope="col" { "first" } th scope="col" { "second" } @if has_scores { th.n scope="col" { "score" } } th.n scope="col" { "sscr" } th.n scope="col" { "ssr" }
                    th.n scope="col" { "first in second" } th.n scope="col" { "second in first" } th.n scope="col" { "shared, both" }
                    th.n scope="col" { "passages" } th.n scope="col" { "longest" } th scope="col" { "texts" }
                } }
                tbody {
                    @for (number, pair) in matrix.pairs.iter().enumerate().take(LISTED) {
                        @let containment = pair.figures.containment();
                        tr {
                            td.t data-head="first" { (id(pair.a)) } td.t data-head="second" { (id(pair.b)) }
                            @if has_scores { td.n data-head="score" { (decimal(pair.score)) } }
                            td.n data-head="sscr" { (decimal(sscr(pair))) }
                            td.n data-head="ssr" { (decimal(pair.figures.counts.ssr().as_f64())) }
                            td.n data-head="first in second" { (decimal(containment.0)) } td.n data-head="second in first" { (decimal(containment.1)) }
                            td.n data-head="shared, both" { (count(pair.figures.shared_tokens())) }
                            td.n data-head="passages" { (count(pair.figures.passages.count)) }
                            td.n data-head="longest" { (count(pair.figures.passages.longest)) }
                            td data-head="texts" { @if drawn.contains(&number) { a href={ "#" (anchor(pair)) } { "show" } } }
                        }
                    }
                }
            }
        }
        @if left_out > 0 { p.note { "Not listed: " (plural(left_out as u64, "pair")) " below these; a table of the pairs lists all." } }
    }
}

fn texts(folder: Folder) -> Markup {
    let matrix = folder.matrix;
    let left_out = matrix.pairs.len().saturating_sub(folder.drawn.len());
    html! {
        p.note { "By score, the highest first: " (clean(folder.measure)) "." }
        @if left_out > 0 {
            p.note { "The " (count(folder.drawn.len() as u64)) " best pairs are shown; " code { "tegula compare A B" } " shows any other." }
        }
        (unfolding(&folder.drawn.iter().map(|drawn| beside(matrix, drawn)).collect::<Vec<_>>(), FIRST, "pair"))
    }
}

fn beside(matrix: &Matrix, drawn: &Drawn) -> Markup {
    let pair = &matrix.pairs[drawn.pair];
    let (a, b) = (&matrix.texts[pair.a].id, &matrix.texts[pair.b].id);
    html! {
        details id={ (anchor(pair)) } {
            summary { (name::label(a)) " and " (name::label(b)) ", score " span.score { (decimal(pair.score)) } }
            div.inside {
                p.note {
                    (percent(pair.figures.containment().0)) " of the first is in the second, " (percent(pair.figures.containment().1))
                    " of the second in the first; " (plural(pair.figures.passages.count, "passage")) ", the longest of "
                    (plural(pair.figures.passages.longest, "token")) "; sscr " (decimal(sscr(pair))) "."
                }
                (sides::sides(&drawn.found, drawn.texts, (a, b), Shown::BRIEF))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::{PairFigures, TextInfo};
    use tegula::compare::Comparer;
    use tegula::recipe::Recipe;

    #[test]
    fn every_cell_of_a_drawn_pair_opens_it() {
        let comparer =
            Comparer::new(&Recipe::named("sscr").unwrap().with("ngram", "2").unwrap()).unwrap();
        let texts = ("a b c <script>", "a b c d e f");
        let found = comparer.compare(texts.0, texts.1);
        let infos = ["x\"y", "<z>"]
            .map(|id| TextInfo {
                id: id.to_owned(),
                is_baseline: false,
                tokens: 3,
            })
            .to_vec();
        let pair = TextPair {
            a: 0,
            b: 1,
            score: 0.5,
            figures: PairFigures::of(&found),
        };
        let matrix = Matrix::new(infos, vec![pair]);
        let drawn = [Drawn {
            pair: 0,
            found,
            texts,
        }];
        let unread = ["c.pdf: <encrypted>".to_owned()];
        let folder = Folder {
            title: "t",
            method: "m",
            measure: "sscr",
            matrix: &matrix,
            drawn: &drawn,
            unread: &unread,
            ignored: None,
        };
        let shown = page(folder).render();
        assert!(shown.contains("1 text could not be read and was not compared"));
        assert!(shown.contains("c.pdf: &lt;encrypted&gt;"));
        assert_eq!(
            shown.matches("href=\"#pair-1-2\"").count(),
            3,
            "two cells and a row of the list"
        );
        assert_eq!(shown.matches("id=\"pair-1-2\"").count(), 1);
        assert!(
            !shown.contains("<script>a") && !shown.contains("<z>") && shown.contains("&lt;z&gt;")
        );
        assert_eq!([0.0, 0.1, 0.95, 1.0].map(shade), ["c1", "c2", "c10", "c10"]);
    }
}
