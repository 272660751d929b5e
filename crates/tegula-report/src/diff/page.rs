//! A comparison of two runs as an HTML page.

use super::{Caught, Compared, Diff, Fate};
use crate::form::{count, decimal, percent};
use crate::html::chart::class_name;
use crate::html::split::{Whole, split};
use crate::html::table::{folded, table};
use crate::html::{Page, Section, clean, name};
use crate::run::plural;
use maud::{Markup, html};
use tegula::summary::Amounts;

/// Characters of a text that an example shows.
const SHOWN: usize = 600;

impl Diff {
    /// The page: what each run caught, as a picture and in tables, and examples of each kind.
    pub fn page(&self) -> String {
        let names = Caught::ALL.map(|caught| self.head(caught));
        let tables = self.tables();
        let units = plural(self.level);
        let whole = |label: String, amounts: &[Amounts; 4], of: fn(&Amounts) -> u64| Whole {
            label,
            parts: amounts.iter().map(of).collect(),
        };
        let all = [
            whole(units.to_owned(), &self.total, |amounts| amounts.units),
            whole("tokens".to_owned(), &self.total, |amounts| amounts.tokens),
        ];
        let by_length = |what: &str, of: fn(&Amounts) -> u64| -> Vec<Whole> {
            let classes = (0..).zip(&self.classes).map(|(class, amounts)| {
                let label = format!("{what} of {} tokens", class_name(class));
                whole(label, amounts, of)
            });
            classes.collect()
        };
        let picture = |at: usize, drawn: Markup| {
            html! {
                (drawn)
                @if at == 0 { @for made in tables.iter().take(1) { (table(made)) } }
                @else { @for made in tables.iter().skip(at).take(2) { (folded(made)) } }
            }
        };
        let sections = vec![
            Section::new(
                "caught",
                "What each run caught",
                picture(0, split("caught", "Caught by each run", &names, &all)),
            ),
            Section::new(
                "lengths",
                "By length",
                picture(
                    1,
                    html! {
                        (split("lengths", "What each run caught, by length", &names, &by_length(units, |amounts| amounts.units)))
                        (split("lengths-tokens", "The tokens of these, by length", &names,
                            &by_length(&format!("tokens of {units}"), |amounts| amounts.tokens)))
                    },
                ),
            ),
            Section::new("examples", "Examples", self.shown()),
        ];
        let [both, first, second, _] = self.total.map(|amounts| amounts.units);
        let lead = html! {
            p.claim {
                span.id { (clean(&self.names[0])) } " caught " (count(both + first)) " " (units) ", " span.id { (clean(&self.names[1])) } " " (count(both + second))
                "; " (count(both)) " of them are the same."
            }
            @for (name, methods) in self.names.iter().zip(&self.methods) {
                p { code { (clean(name)) } ": " (clean(&methods.join("; then "))) "." }
            }
            dl.facts {
                div { dt { "agreement" } dd { (percent(self.agreement())) } }
                @if let Some(kappa) = self.kappa() { div { dt { "Cohen's kappa" } dd { (decimal(kappa)) } } }
                @if let Some(overlap) = self.overlap() { div { dt { "caught by both, as a share of all caught" } dd { (percent(overlap)) } } }
            }
        };
        Page {
            title: format!("{} and {}", self.names[0], self.names[1]),
            lead,
            sections,
        }
        .render()
    }

    /// The examples of each kind.
    fn shown(&self) -> Markup {
        html! {
            @for caught in Caught::ALL {
                @let mut examples = self.examples.iter().filter(|one| one.caught == caught).peekable();
                @if examples.peek().is_some() {
                    h3 { (clean(&self.head(caught))) }
                    @for one in examples { (self.example(one)) }
                }
            }
        }
    }

    fn example(&self, one: &Compared) -> Markup {
        html! {
            details {
                summary { (name::label(&one.id)) }
                div.inside {
                    @if let Some(text) = &one.text { p.alone dir="auto" { (clean(&clipped(text))) } }
                    @for (name, fate) in self.names.iter().zip(&one.fates) {
                        p { code { (clean(name)) } ": " (verdict(fate)) }
                        @if let Some(text) = &fate.witness_text { p.alone dir="auto" { (clean(&clipped(text))) } }
                    }
                }
            }
        }
    }
}

fn verdict(fate: &Fate) -> Markup {
    html! {
        (clean(&fate.verdict))
        @if let Some(witness) = &fate.witness { ", as a copy of " span.id { (clean(witness)) } }
        @if let Some(score) = fate.score { ", score " span.score { (decimal(score)) } }
        @if let Some(label) = &fate.label { " (" (clean(label)) ")" }
    }
}

/// The beginning of a text.
fn clipped(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{} \u{2026}", &text[..end]),
        None => text.to_owned(),
    }
}
