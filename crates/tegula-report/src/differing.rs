//! The links, amounts and codes by which two texts differ, in one sentence.

use serde_json::{Map, Value, json};
use tegula::error::Result;
use tegula::recipe::Recipe;
use tegula::text::items::{Distinct, Item, ItemKind, Items, differences};

/// The number of items of a kind shown for each text.
const SHOWN: usize = 5;

/// Finds the items by which texts differ.
#[derive(Debug)]
pub struct ItemComparer(Option<Items>);

impl ItemComparer {
    /// For a recipe that masks such items or separates texts by them; under others nothing differs.
    ///
    /// # Errors
    /// None in practice.
    pub fn new(recipe: &Recipe) -> Result<Self> {
        let is_used = !recipe.normalise.masks.is_none() || !recipe.distinct.is_none();
        let items = is_used.then(|| Items::new(&recipe.normalise, Distinct::all()));
        Ok(Self(items.transpose()?))
    }

    /// What differs in two texts. Cost: one pass over both.
    pub fn compare(&self, (a, b): (&str, &str)) -> Differing {
        let Some(items) = &self.0 else {
            return Differing(Vec::new());
        };
        let (of_a, of_b) = (items.of(a), items.of(b));
        let written = |text: &str, items: &[&Item]| -> Vec<String> {
            let parts = items.iter().map(|item| &text[item.range.clone()]);
            parts.map(str::to_owned).collect()
        };
        let kinds = differences(&of_a, &of_b).into_iter();
        Differing(
            kinds
                .map(|(kind, in_a, in_b)| (kind, written(a, &in_a), written(b, &in_b)))
                .collect(),
        )
    }
}

/// What differs in two texts, by kind, as written in them.
#[derive(Debug)]
pub struct Differing(Vec<(ItemKind, Vec<String>, Vec<String>)>);

impl Differing {
    /// A sentence, with characters as in the texts; none if nothing differs.
    pub fn sentence(&self) -> Option<String> {
        let listed = |items: &[String]| {
            let mut shown: Vec<String> = items.iter().take(SHOWN).cloned().collect();
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

    /// By kind, the items of each text; none if nothing differs.
    pub fn json(&self) -> Option<Value> {
        let kinds: Map<String, Value> = self
            .0
            .iter()
            .map(|(kind, a, b)| (kind.name().to_owned(), json!({ "a": a, "b": b })))
            .collect();
        (!kinds.is_empty()).then_some(Value::Object(kinds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_named_as_written_if_the_recipe_masks_them() {
        let texts = (
            "pay $5 at a.example/x",
            "pay € 7 at a.example/x, 1a 2a 3a 4a 5a 6a",
        );
        let said = |recipe: &str| {
            let recipe = Recipe::named(recipe).unwrap();
            ItemComparer::new(&recipe)
                .unwrap()
                .compare(texts)
                .sentence()
        };
        assert_eq!(
            said("messages").unwrap(),
            "They differ in amounts $5 / € 7; numbers none / 1, 2, 3, 4, 5, and 1 more."
        );
        assert_eq!(said("copies"), None);
    }
}
