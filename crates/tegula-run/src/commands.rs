//! The table of all commands, from which each front end knows them.

use crate::command::{AnyCommand, Command};
use tegula::declare::Declared;

/// A command in the table of all: its name, its options, and how one is made.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// Its options.
    pub options: fn() -> Vec<Declared>,
    /// A new one, without options.
    pub new: fn() -> Box<dyn AnyCommand>,
}

impl Entry {
    const fn of<T: Command + Send>() -> Self {
        Self {
            name: T::NAME,
            options: T::declared,
            new: || Box::new(T::default()),
        }
    }
}

/// All commands, in alphabetical order.
pub const ALL: &[Entry] = &[
    Entry::of::<crate::cluster::ClusterSpec>(),
    Entry::of::<crate::compare::CompareSpec>(),
    Entry::of::<crate::dedup::DedupSpec>(),
    Entry::of::<crate::diff::DiffSpec>(),
    Entry::of::<crate::evaluate::EvaluateSpec>(),
    Entry::of::<crate::explain::ExplainSpec>(),
    Entry::of::<crate::filter::FilterSpec>(),
    Entry::of::<crate::find::FindSpec>(),
    Entry::of::<crate::judge::JudgeSpec>(),
    Entry::of::<crate::dedup::MarkSpec>(),
    Entry::of::<crate::onion::OnionSpec>(),
    Entry::of::<crate::pairs::PairsSpec>(),
    Entry::of::<crate::passages::PassagesSpec>(),
    Entry::of::<crate::phrases::PhrasesSpec>(),
    Entry::of::<crate::plan::PlanSpec>(),
    Entry::of::<crate::recipes::RecipesSpec>(),
    Entry::of::<crate::report::ReportSpec>(),
    Entry::of::<crate::rerun::RerunSpec>(),
    Entry::of::<crate::statistics::StatsSpec>(),
    Entry::of::<crate::stories::StoriesSpec>(),
    Entry::of::<crate::sweep::SweepSpec>(),
    Entry::of::<crate::templates::TemplatesSpec>(),
    Entry::of::<crate::tokens::TokensSpec>(),
];

/// A command by its name.
pub fn named(name: &str) -> Option<&'static Entry> {
    ALL.iter().find(|entry| entry.name == name)
}
