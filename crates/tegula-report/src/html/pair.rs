//! The page of two texts.

use maud::{Markup, html};
use tegula::compare::Comparison;

use super::sides::{self, Shown};
use super::{Page, Section, clean, name};
use crate::differing::Differing;
use crate::figures::{Figure, Sequences, ratio};
use crate::form::{count, plural};
use crate::pieces::outside_numbers;
use crate::score::Explained;

/// Two compared texts.
#[derive(Debug, Clone, Copy)]
pub struct Pair<'a> {
    /// Their comparison.
    pub found: &'a Comparison,
    /// The texts.
    pub texts: (&'a str, &'a str),
    /// Their ids.
    pub ids: (&'a str, &'a str),
    /// All figures.
    pub figures: &'a [Figure],
    /// The method, in one line.
    pub method: &'a str,
    /// The items by which they differ.
    pub differing: &'a Differing,
    /// The breakdown of the score, if shingles do not explain it.
    pub score: Option<&'a Explained>,
}

/// The maximum number of passages listed.
const LISTED: usize = 500;
/// The maximum number of characters of a listed passage.
const EXCERPT: usize = 160;

/// The page.
pub fn page(pair: Pair, shown: Shown) -> Page {
    let sequences = Sequences::of(pair.found);
    let m = &pair.found.counts;
    let containment = m.token_containment();
    let lead = html! {
        p.claim { (clean(&claim(pair, &sequences))) }
        dl.facts {
            div { dt { "of all tokens are shared (sscr)" } dd { (percent(m.sscr().as_f64())) } }
            div { dt { "of the first is in the second" } dd { (percent(containment.0.as_f64())) } }
            div { dt { "of the second is in the first" } dd { (percent(containment.1.as_f64())) } }
            div { dt { "tokens in the longest shared passage" } dd { (count(sequences.longest)) } }
        }
        p.note { (clean(pair.method)) }
    };
    let mut sections = vec![
        Section::new(
            "texts",
            "Side by side",
            html! {
                (sides::differing(pair.differing))
                (sides::sides(pair.found, pair.texts, pair.ids, shown))
            },
        ),
        Section::new("measures", "Measures", measures(pair)),
        Section::new("passages", "Shared passages", passages(pair, &sequences)),
    ];
    if let Some(score) = pair.score {
        sections.insert(1, Section::new("score", "Score", explained(score)));
    }
    Page {
        title: format!("{} and {}", pair.ids.0, pair.ids.1),
        lead,
        sections,
    }
}

/// What the two have in common, in a sentence.
fn claim(pair: Pair, sequences: &Sequences) -> String {
    let m = &pair.found.counts;
    if m.equal {
        return "The two texts are equal after normalisation.".to_owned();
    }
    if m.common == 0 {
        let ssr = ratio(m.ssr());
        return format!("The two texts have no shingle in common: ssr {ssr}.");
    }
    format!(
        "The two texts share {} of their tokens, in {}.",
        percent(m.sscr().as_f64()),
        plural(sequences.count, "passage")
    )
}

fn percent(share: f64) -> String {
    crate::form::percent(share)
}

fn explained(score: &Explained) -> Markup {
    html! {
        p { (clean(&score.sentences.join(" "))) }
        @if !score.terms.is_empty() {
            div.box tabindex="0" {
                table {
                    caption { "Shared terms" }
                    thead { tr { th scope="col" { "term" } th.n scope="col" { "share" } } }
                    tbody {
                        @for [term, share] in &score.terms {
                            tr { th scope="row" { (clean(term)) } td.n { (share) } }
                        }
                    }
                }
            }
        }
    }
}

fn measures(pair: Pair) -> Markup {
    html! {
        div.box tabindex="0" {
            table {
                caption { "Every measure of the two texts" }
                thead { tr { th scope="col" { "measure" } th scope="col" { (name::name(pair.ids.0)) } th scope="col" { (name::name(pair.ids.1)) } } }
                tbody {
                    @for figure in pair.figures {
                        tr {
                            th scope="row" { (figure.name) }
                            @match &figure.b {
                                Some(b) => { td { (figure.a) } td { (b) } }
                                None => td colspan="2" { (figure.a) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn passages(pair: Pair, sequences: &Sequences) -> Markup {
    let found = pair.found;
    // Without the part of a number with which one begins or ends.
    let whole = found.passages.iter().map(|passage| {
        let part = outside_numbers(found, pair.texts, (&passage.a, &passage.b));
        (
            passage.a.start + part.start,
            passage.b.start + part.start,
            part.len(),
            passage.in_order,
        )
    });
    let mut longest: Vec<_> = whole.filter(|(_, _, length, _)| *length > 0).collect();
    longest.sort_by_key(|(_, _, length, _)| std::cmp::Reverse(*length));
    let left_out = longest.len().saturating_sub(LISTED);
    let excerpt = |tokens: std::ops::Range<usize>| {
        let text = pair.texts.0.get(found.a.bytes(tokens)).unwrap_or_default();
        let mut short: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some((end, _)) = short.char_indices().nth(EXCERPT) {
            short.truncate(end);
            short.push('\u{2026}');
        }
        short
    };
    html! {
        p { (plural(sequences.count, "passage")) ", " (plural(sequences.tokens, "token")) " in all; " (count(sequences.out_of_order))
            " out of order: moved, or repeated. Positions are in tokens from 1, in the texts after normalisation." }
        @if !longest.is_empty() {
            div.box.tall[longest.len() > 12] tabindex="0" role="group" aria-label="Shared passages" {
                table {
                    caption { "Shared passages, the longest first" }
                    thead { tr {
                        th.n scope="col" { "tokens" } th.n scope="col" { "from, first" } th.n scope="col" { "from, second" }
                        th scope="col" { "order" } th scope="col" { "text" }
                    } }
                    tbody {
                        @for (a, b, length, in_order) in longest.iter().take(LISTED) {
                            tr {
                                td.n { (count(*length as u64)) }
                                td.n { (count(*a as u64 + 1)) }
                                td.n { (count(*b as u64 + 1)) }
                                td { @if !in_order { "moved" } }
                                td.t dir="auto" { (clean(&excerpt(*a..a + length))) }
                            }
                        }
                    }
                }
            }
            @if left_out > 0 { p.note { "Not listed: " (plural(left_out as u64, "shorter passage")) "." } }
        }
    }
}
