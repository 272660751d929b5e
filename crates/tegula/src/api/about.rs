//! The description of a recipe.

use crate::recipe::{Texts, cards};

/// A recipe's description: its source, its guarantee, and its uses.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct About {
    /// The name for [`Dedup::recipe`](crate::Dedup::recipe).
    pub name: String,
    /// What it finds, in one line.
    pub title: String,
    /// Its source: paper and section.
    pub paper: String,
    /// What it guarantees about its results.
    pub guarantee: String,
    /// What it costs.
    pub cost: String,
    /// What it is good for.
    pub good_for: String,
    /// What it is not good for.
    pub not_for: String,
}

impl About {
    pub(super) fn new(name: &str, texts: &Texts) -> Self {
        let Texts {
            title,
            paper,
            guarantee,
            cost,
            good_for,
            not_for,
        } = texts.clone();
        Self {
            name: name.to_owned(),
            title,
            paper,
            guarantee,
            cost,
            good_for,
            not_for,
        }
    }
}

/// The built-in recipes, starting with the default.
///
/// ```
/// for about in tegula::recipes() {
///     println!("{}: {}", about.name, about.title);
/// }
/// # assert_eq!(tegula::recipes().next().unwrap().name, "copies");
/// ```
pub fn recipes() -> impl Iterator<Item = About> {
    cards().map(|card| About::new(&card.name, &card.texts))
}
