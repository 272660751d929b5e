//! Passages as an HTML page: which are in the most texts, when they were quoted, who shares how
//! much with whom, and the texts with their passages highlighted.

use super::{Passages, Shared};
use maud::{Markup, html};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use tegula::error::Result;
use tegula::field;
use tegula::passages::Place;
use tegula_report::form::{count, percent, plural};
use tegula_report::html::timeline::{Dot, Line, short, timeline};
use tegula_report::html::{Page, Section, clean, name, unfolding};

/// Families listed.
const LISTED: usize = 60;
/// Of these, those that are not folded together.
const FIRST: usize = 20;
/// Places listed of a family.
const PLACES: usize = 50;
/// Families in the timeline.
const LINES: usize = 25;
/// Texts in the matrix.
const LARGEST: usize = 40;
/// Texts shown.
const SHOWN: usize = 24;
/// Characters shown around a passage.
const AROUND: usize = 400;

/// The page. `date` is the field with the dates of the texts.
///
/// # Errors
/// If the texts cannot be read again.
pub(super) fn page(all: &Passages, title: &str, date: Option<&str>) -> Result<String> {
    let view = View::new(all, date)?;
    let found = &all.found;
    let pairs = all.pairs()?;
    let lead = html! {
        @if pairs > 0 {
            p.claim {
                (plural(pairs, "pair")) " of the " (all.texts_compared()) " " (if pairs == 1 { "shares" } else { "share" }) " "
                (plural(found.passages.len() as u64, "passage")) ", " (count(all.families.places.len() as u64)) " of them different."
            }
        }
        dl.facts {
            div { dt { "texts" } dd { (count(found.units.len() as u64)) } }
            div { dt { "tokens" } dd { (count(found.tokens)) } }
            div { dt { "passages" } dd { (count(found.passages.len() as u64)) } }
            div { dt { "different" } dd { (count(all.families.places.len() as u64)) } }
            div { dt { "pairs of texts" } dd { (count(pairs)) } }
        }
    };
    let mut sections = Vec::new();
    if found.passages.is_empty() {
        let none = html! { p { "No two texts share a passage of this length." } };
        sections.push(Section::new("families", "Passages", none));
    } else {
        sections.push(Section::new("families", "Passages", view.families()));
        if let Some(line) = view.timeline()? {
            sections.push(Section::new("timeline", "Over time", line));
        }
        sections.push(Section::new("pairs", "Pairs that share most", view.pairs()));
        sections.push(Section::new(
            "matrix",
            "Who shares how much with whom",
            view.matrix()?,
        ));
        sections.push(Section::new("texts", "Texts", view.texts()?));
    }
    Ok(Page {
        title: title.to_owned(),
        lead,
        sections,
    }
    .render())
}

/// What all sections need.
struct View<'a> {
    all: &'a Passages,
    date: Option<&'a str>,
    /// Families by rank, and the rank of each.
    ranked: Vec<u32>,
    rank: Vec<usize>,
    /// Code points of a unit in passages, by unit.
    covered: BTreeMap<u32, Vec<(Range<u32>, u32)>>,
    /// Units shown as texts.
    shown: BTreeSet<u32>,
    /// The texts of the first families by rank.
    texts: Vec<String>,
    /// The pairs that share the most tokens, and the number of all.
    pairs: Vec<Shared>,
    all_pairs: usize,
}

impl<'a> View<'a> {
    fn new(all: &'a Passages, date: Option<&'a str>) -> Result<Self> {
        let ranked = all.ranked();
        let mut rank = vec![0; ranked.len()];
        for (at, family) in ranked.iter().enumerate() {
            rank[*family as usize] = at;
        }
        let mut covered: BTreeMap<u32, Vec<(Range<u32>, u32)>> = BTreeMap::new();
        for (family, places) in (0..).zip(&all.families.places) {
            for place in places {
                let spans = covered.entry(place.unit).or_default();
                spans.push((place.chars.clone(), family));
            }
        }
        for spans in covered.values_mut() {
            spans.sort_unstable_by_key(|(span, family)| (span.start, span.end, *family));
        }
        let listed = &ranked[..ranked.len().min(LISTED)];
        let texts = all.family_texts(listed)?;
        let (pairs, all_pairs) = most_shared(all)?;
        // Texts that the page names come first: those of families, of pairs, then those with the
        // most passages.
        let mut units: Vec<u32> = Vec::new();
        for is_formula in [false, true] {
            for family in listed
                .iter()
                .filter(|of| all.is_formula(**of) == is_formula)
            {
                let places = all.places(*family, date).into_iter().take(PLACES);
                units.extend(places.map(|place| place.unit));
            }
        }
        units.extend(pairs.iter().flat_map(|pair| [pair.a, pair.b]));
        let mut others: Vec<u32> = covered.keys().copied().collect();
        others.sort_by_key(|unit| Reverse((covered[unit].len(), Reverse(*unit))));
        units.extend(others);
        let mut shown = BTreeSet::new();
        for unit in units {
            if shown.len() < SHOWN && covered.contains_key(&unit) {
                shown.insert(unit);
            }
        }
        Ok(Self {
            all,
            date,
            ranked,
            rank,
            covered,
            shown,
            texts,
            pairs,
            all_pairs,
        })
    }

    fn id(&self, unit: u32) -> String {
        clean(&self.all.found.units.id(unit)).into_owned()
    }

    /// A link to a passage in a text, if the text is shown.
    fn link(&self, place: &Place, family: u32) -> Markup {
        let id = self.id(place.unit);
        html! {
            @if self.shown.contains(&place.unit) { a href={ "#" (anchor(place.unit, family)) } { (name::label(&id)) } }
            @else { (name::name(&id)) }
        }
    }

    /// A link to a text, if it is shown.
    fn text_link(&self, unit: u32) -> Markup {
        let id = self.id(unit);
        html! {
            @if self.shown.contains(&unit) { a href={ "#text-" (unit) } { (name::label(&id)) } }
            @else { (name::name(&id)) }
        }
    }

    fn families(&self) -> Markup {
        let (mut rare, mut formulas) = (Vec::new(), Vec::new());
        for (rank, (family, text)) in (1..).zip(self.ranked.iter().zip(&self.texts)) {
            let list = if self.all.is_formula(*family) {
                &mut formulas
            } else {
                &mut rare
            };
            list.push(self.family(rank, *family, text));
        }
        let all = self
            .ranked
            .iter()
            .filter(|family| self.all.is_formula(**family))
            .count();
        html! {
            p { "Rare and long passages first. The text is that of the first place." }
            (unfolding(&rare, FIRST, "passage"))
            @if all > 0 {
                details.more { summary { (plural(all as u64, "formula")) ": in more than a quarter of the texts" }
                    div.inside { @for formula in formulas { (formula) } } }
            }
            @if self.ranked.len() > LISTED {
                p.note { (count((self.ranked.len() - LISTED) as u64)) " more are in the table." }
            }
        }
    }

    fn family(&self, rank: usize, family: u32, text: &str) -> Markup {
        html! {
            details id={ "family-" (rank) } open[rank == 1] {
                summary {
                    b { (self.all.length(family)) } ", " (plural(self.all.texts(family), "text")) ": "
                    (clipped(text))
                }
                div.inside {
                    (whole(text))
                    (self.places(family, &self.all.places(family, self.date)))
                }
            }
        }
    }

    fn places(&self, family: u32, places: &[&Place]) -> Markup {
        html! {
            div.box tabindex="0" { table {
                thead { tr {
                    @if self.date.is_some() { th { "date" } }
                    th { "text" } th.n { "from" } th.n { "to" } th.n { "tokens" }
                } }
                tbody { @for place in places.iter().take(PLACES) { tr {
                    @if let Some(field) = self.date {
                        td.date { (self.day(field, place.unit).unwrap_or_default()) }
                    }
                    td { (self.link(place, family)) }
                    td.n { (count(place.chars.start.into())) } td.n { (count(place.chars.end.into())) }
                    td.n { (count(place.tokens.len() as u64)) }
                } } }
            } }
            @if places.len() > PLACES { p.note { "and " (count((places.len() - PLACES) as u64)) " more" } }
            (self.unlinked(places.iter().take(PLACES).map(|place| place.unit)))
        }
    }

    /// Why some of the texts named are no links.
    fn unlinked(&self, mut named: impl Iterator<Item = u32>) -> Markup {
        html! {
            @if named.any(|unit| !self.shown.contains(&unit)) {
                p.note { "Texts without a link are not on this page, which shows " (self.shown.len()) "." }
            }
        }
    }

    /// The date of a unit; none if it has none that can be read.
    fn day(&self, field: &str, unit: u32) -> Option<String> {
        let units = &self.all.found.units;
        let column = field::find(&units.records.fields, field).ok()?;
        Some(column.date(column.get(units.record_of(unit))?)?.date())
    }

    /// When the passages in the most texts appeared.
    fn timeline(&self) -> Result<Option<Markup>> {
        let Some(field) = self.date else {
            return Ok(None);
        };
        let dated = |family: u32| -> Vec<(i64, String, &Place)> {
            let places = self.all.places(family, self.date);
            let dates = places.into_iter().filter_map(|place| {
                let (day, _) = self.all.date(field, place.unit)?;
                Some((day, self.day(field, place.unit)?, place))
            });
            dates.collect()
        };
        let lines: Vec<(u32, Vec<_>)> = self
            .ranked
            .iter()
            .map(|family| (*family, dated(*family)))
            .filter(|(_, places)| places.len() > 1)
            .take(LINES)
            .collect();
        let days = || lines.iter().flat_map(|(_, places)| places);
        let ends = (
            days().min_by_key(|(day, ..)| *day),
            days().max_by_key(|(day, ..)| *day),
        );
        let (Some((_, first, _)), Some((_, last, _))) = ends else {
            return Ok(None);
        };
        let families: Vec<u32> = lines.iter().map(|(family, _)| *family).collect();
        let texts = self.all.family_texts(&families)?;
        let lines: Vec<Line> = lines
            .iter()
            .zip(&texts)
            .map(|((family, places), text)| Line {
                label: short(text, 90),
                anchor: format!("family-{}", self.rank[*family as usize] + 1),
                dots: places
                    .iter()
                    .map(|(day, date, place)| Dot {
                        day: *day,
                        title: format!("{date}: {}", self.id(place.unit)),
                        texts: 1,
                    })
                    .collect(),
            })
            .collect();
        Ok(Some(html! {
            p { "Each dot is a text with the passage; the first of a line is its earliest." }
            (timeline("Texts with each passage, by date", &lines, (first, last)))
        }))
    }

    /// Tokens of each text in passages that it shares with each other.
    fn matrix(&self) -> Result<Markup> {
        let mut tokens: BTreeMap<(u32, u32), u64> = BTreeMap::new();
        self.all.for_each_pair(|pair| {
            for (unit, other, count) in [
                (pair.a, pair.b, pair.tokens_a),
                (pair.b, pair.a, pair.tokens_b),
            ] {
                *tokens.entry((unit, other)).or_default() += count;
            }
            Ok(())
        })?;
        let mut sums: BTreeMap<u32, u64> = BTreeMap::new();
        for ((unit, _), count) in &tokens {
            *sums.entry(*unit).or_default() += count;
        }
        let mut order: Vec<u32> = sums.keys().copied().collect();
        order.sort_by_key(|unit| (Reverse(sums[unit]), *unit));
        let more = order.len().saturating_sub(LARGEST);
        order.truncate(LARGEST);
        order.sort_unstable();
        let ids: Vec<String> = order.iter().map(|unit| self.id(*unit)).collect();
        let heads = name::distinct(&ids);
        let cell = |row: u32, column: u32| {
            let Some(count) = tokens.get(&(row, column)) else {
                return if row == column {
                    html! { td.self {} }
                } else {
                    html! { td {} }
                };
            };
            let part = self.all.share(*count, row);
            let said = format!(
                "{}: {} of its tokens are in passages of {}",
                self.id(row),
                percent(part),
                self.id(column)
            );
            let label = if part < 0.01 {
                "<1".to_owned()
            } else {
                format!("{:.0}", (100.0 * part).floor())
            };
            html! { td class={ "c" (((part * 10.0) as usize + 1).min(10)) } title=(said) { b { (label) } } }
        };
        let all: Vec<usize> = (0..order.len()).collect();
        // Texts are compared with references only, if there are any.
        let (rows, columns): (Vec<usize>, Vec<usize>) = if self.all.found.allowed.has_references() {
            let is_own = |at: &usize| !self.all.is_reference(order[*at]);
            all.into_iter().partition(is_own)
        } else {
            (all.clone(), all)
        };
        Ok(html! {
            p { "The percentage of the row's text that is in passages shared with the column's text." }
            @if more > 0 { p.note { "Not shown: " (plural(more as u64, "text")) " with less in common." } }
            div.box tabindex="0" { table.matrix {
                thead { tr { td {} @for at in &columns { th scope="col" title=(ids[*at]) { span { (heads[*at]) } } } } }
                tbody { @for row in &rows { tr { th scope="row" title=(ids[*row]) { (heads[*row]) } @for column in &columns { (cell(order[*row], order[*column])) } } } }
            } }
        })
    }

    /// The pairs of texts that share the most tokens.
    fn pairs(&self) -> Markup {
        let part = |tokens: u64, unit: u32| {
            html! { td.n.long data-head="of it" { (count(tokens)) " tokens, " (percent(self.all.share(tokens, unit))) } }
        };
        html! {
            div.box.tall[self.pairs.len() > 24] tabindex="0" role="group" aria-label="Pairs that share most" {
                table.stack {
                    caption { "How much of each text is in passages of the other" }
                    thead { tr {
                        th scope="col" { "text" } th.n scope="col" { "of it" } th scope="col" { "other text" } th.n scope="col" { "of it" }
                        th.n scope="col" { "passages" } th.n scope="col" { "longest" }
                    } }
                    tbody { @for pair in &self.pairs { tr {
                        th scope="row" dir="auto" { (self.text_link(pair.a)) } (part(pair.tokens_a, pair.a))
                        td.t dir="auto" data-head="other text" { (self.text_link(pair.b)) } (part(pair.tokens_b, pair.b))
                        td.n data-head="passages" { (count(pair.passages)) }
                        td.n data-head="longest" { (plural(pair.longest.into(), "token")) }
                    } } }
                }
            }
            @if self.all_pairs > self.pairs.len() { p.note { "Not shown: " (plural((self.all_pairs - self.pairs.len()) as u64, "pair")) " with less in common." } }
            (self.unlinked(self.pairs.iter().flat_map(|pair| [pair.a, pair.b])))
        }
    }

    /// The texts, with their passages highlighted.
    fn texts(&self) -> Result<Markup> {
        let shown: Vec<u32> = self.shown.iter().copied().collect();
        let texts = self.all.texts_of(&shown)?;
        Ok(html! {
            p {
                "Text that also occurs in other texts is marked; the number links to the passage and all its places. Long stretches without passages are omitted."
            }
            @if self.covered.len() > self.shown.len() {
                p.note { (shown.len()) " of " (count(self.covered.len() as u64)) " texts with passages: those of the first passages and pairs above." }
            }
            @for (unit, text) in shown.iter().zip(&texts) {
                @if let Some(text) = text {
                    details id={ "text-" (unit) } {
                        summary { (name::label(&self.id(*unit))) " \u{2013} " (plural(self.covered[unit].len() as u64, "passage")) }
                        div.inside { (self.text(*unit, text)) }
                    }
                }
            }
        })
    }

    /// A text, cut where passages begin and end.
    fn text(&self, unit: u32, text: &str) -> Markup {
        let chars: Vec<char> = text.chars().collect();
        let spans = &self.covered[&unit];
        let mut cuts: BTreeSet<usize> = [0, chars.len()].into();
        for (span, _) in spans {
            cuts.extend([span.start as usize, span.end as usize].map(|at| at.min(chars.len())));
        }
        let cuts: Vec<usize> = cuts.into_iter().collect();
        let piece = |from: usize, to: usize| {
            let text: String = chars[from..to].iter().collect();
            clean(&text).into_owned()
        };
        html! {
            p.alone {
                @for (at, cut) in cuts.windows(2).enumerate() {
                    @let (from, to) = (cut[0], cut[1]);
                    @let families: Vec<u32> = spans.iter().filter(|(span, _)| span.start as usize <= from && to <= span.end as usize).map(|(_, family)| *family).collect();
                    @if families.is_empty() {
                        @let last = at + 2 == cuts.len();
                        @if to - from > 2 * AROUND + 200 {
                            @if at > 0 { (piece(from, from + AROUND)) }
                            span.gap { (count((to - from) as u64)) " characters, of which some are omitted" }
                            @if !last { (piece(to - AROUND, to)) }
                        } @else { (piece(from, to)) }
                    } @else {
                        @for (span, family) in spans { @if span.start as usize == from {
                            a.id id=(anchor(unit, *family)) href={ "#family-" (self.rank[*family as usize] + 1) } { (self.rank[*family as usize] + 1) } " "
                        } }
                        span.shared { (piece(from, to)) }
                    }
                }
            }
        }
    }
}

/// The pairs that share the most tokens, and the number of all.
fn most_shared(all: &Passages) -> Result<(Vec<Shared>, usize)> {
    let mut most: BTreeMap<(Reverse<u64>, u32, u32), Shared> = BTreeMap::new();
    let mut pairs = 0;
    all.for_each_pair(|pair| {
        pairs += 1;
        let shared = Reverse(pair.tokens_a.min(pair.tokens_b));
        most.insert((shared, pair.a, pair.b), pair);
        if most.len() > LISTED {
            most.pop_last();
        }
        Ok(())
    })?;
    Ok((most.into_values().collect(), pairs))
}

/// A text without its middle, if it is long.
fn whole(text: &str) -> Markup {
    let count_of = text.chars().count();
    let at = |chars: usize| {
        text.char_indices()
            .nth(chars)
            .map_or(text.len(), |(at, _)| at)
    };
    // Not inside a word, if there is white space near.
    let from = at(AROUND);
    let from = text[..from]
        .rfind(char::is_whitespace)
        .filter(|found| from - found < 40)
        .unwrap_or(from);
    let to = at(count_of.saturating_sub(AROUND));
    let to = text[to..]
        .find(char::is_whitespace)
        .filter(|found| *found < 40)
        .map_or(to, |found| to + found);
    html! {
        p.alone {
            @if count_of > 2 * AROUND + 200 {
                (clean(&text[..from]))
                span.gap { (count(text[from..to].chars().count() as u64)) " characters omitted" }
                (clean(text[to..].trim_start()))
            } @else { (clean(text)) }
        }
    }
}

fn anchor(unit: u32, family: u32) -> String {
    format!("passage-{unit}-{family}")
}

fn clipped(text: &str) -> String {
    short(text, 120)
}
