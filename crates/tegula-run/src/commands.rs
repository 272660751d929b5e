//! The table of all commands, from which each front end knows them.

use crate::cluster::ClusterSpec;
use crate::command::{AnyCommand, Command};
use crate::compare::CompareSpec;
use crate::dedup::{DedupSpec, MarkSpec};
use crate::diff::DiffSpec;
use crate::evaluate::EvaluateSpec;
use crate::explain::ExplainSpec;
use crate::filter::FilterSpec;
use crate::find::FindSpec;
use crate::judge::JudgeSpec;
use crate::onion::OnionSpec;
use crate::pairs::PairsSpec;
use crate::passages::PassagesSpec;
use crate::phrases::PhrasesSpec;
use crate::plan::PlanSpec;
use crate::recipes::RecipesSpec;
use crate::report::ReportSpec;
use crate::rerun::RerunSpec;
use crate::statistics::StatsSpec;
use crate::stories::StoriesSpec;
use crate::sweep::SweepSpec;
use crate::templates::TemplatesSpec;
use crate::tokens::TokensSpec;
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
    Entry::of::<ClusterSpec>(),
    Entry::of::<CompareSpec>(),
    Entry::of::<DedupSpec>(),
    Entry::of::<DiffSpec>(),
    Entry::of::<EvaluateSpec>(),
    Entry::of::<ExplainSpec>(),
    Entry::of::<FilterSpec>(),
    Entry::of::<FindSpec>(),
    Entry::of::<JudgeSpec>(),
    Entry::of::<MarkSpec>(),
    Entry::of::<OnionSpec>(),
    Entry::of::<PairsSpec>(),
    Entry::of::<PassagesSpec>(),
    Entry::of::<PhrasesSpec>(),
    Entry::of::<PlanSpec>(),
    Entry::of::<RecipesSpec>(),
    Entry::of::<ReportSpec>(),
    Entry::of::<RerunSpec>(),
    Entry::of::<StatsSpec>(),
    Entry::of::<StoriesSpec>(),
    Entry::of::<SweepSpec>(),
    Entry::of::<TemplatesSpec>(),
    Entry::of::<TokensSpec>(),
];

/// A command by its name.
pub fn named(name: &str) -> Option<&'static Entry> {
    ALL.iter().find(|entry| entry.name == name)
}
