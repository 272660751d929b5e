//! The links, amounts and codes by which two texts differ, in one sentence.

use crate::terminal;
use serde_json::{Map, Value, json};
use tegula::error::Result;
use tegula::recipe::Recipe;
use tegula::text::items::{Distinct, Item, ItemKind, Items, differences};

/// The number of items of a kind shown for each text.
const SHOWN: usize = 5;

/// What differs, by kind, as written in the texts.
pub(crate) struct Differing(Vec<(ItemKind, Vec<String>, Vec<String>)>);

impl Differing {
    /// For a recipe that masks such items or separates texts by them; nothing under others.
    ///
    /// # Errors
    /// None in practice.
    pub(crate) fn new(recipe: &Recipe, (a, b): (&str, &str)) -> Result<Self> {
        if recipe.normalise.masks.is_none() && recipe.distinct.is_none() {
            return Ok(Self(Vec::new()));
        }
        let items = Items::new(&recipe.normalise, Distinct::all())?;
        let (of_a, of_b) = (items.of(a), items.of(b));
        let written = |text: &str, items: &[&Item]| -> Vec<String> {
            let parts = items.iter().map(|item| &text[item.range.clone()]);
            parts.map(str::to_owned).collect()
        };
        Ok(Self(
            differences(&of_a, &of_b)
                .into_iter()
                .map(|(kind, in_a, in_b)| (kind, written(a, &in_a), written(b, &in_b)))
                .collect(),
        ))
    }

    /// A sentence; none if nothing differs.
    pub(crate) fn sentence(&self) -> Option<String> {
        let listed = |items: &[String]| {
            let mut shown: Vec<String> = items
                .iter()
                .take(SHOWN)
                .map(|item| terminal::clean(item))
                .collect();
            if items.len() > SHOWN {
                shown.push(format!("and {} more", items.len() - SHOWN));
            }
            if shown.is_empty() {
                "none".to_owned()
            } else {
                shown.join(", ")
            }
        };
        let kinds: Vec<String> = self
            .0
            .iter()
            .map(|(kind, a, b)| format!("{} {} / {}", kind.name(), listed(a), listed(b)))
            .collect();
        (!kinds.is_empty()).then(|| format!("They differ in {}.", kinds.join("; ")))
    }

    /// By kind, the items of each text.
    pub(crate) fn json(&self) -> Option<Value> {
        let kinds: Map<String, Value> = self
            .0
            .iter()
            .map(|(kind, a, b)| (kind.name().to_owned(), json!({ "a": a, "b": b })))
            .collect();
        (!kinds.is_empty()).then_some(Value::Object(kinds))
    }
}
