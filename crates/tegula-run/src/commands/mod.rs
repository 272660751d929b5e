//! All commands, and the table from which each front end knows them.

pub mod cluster;
pub mod compare;
pub mod dedup;
pub mod diff;
pub mod evaluate;
pub mod explain;
pub mod filter;
pub mod find;
pub mod index;
pub mod judge;
pub mod onion;
pub mod pairs;
pub mod passages;
pub mod phrases;
pub mod plan;
pub mod query;
pub mod recipes;
pub mod report;
pub mod rerun;
#[cfg(feature = "serve")]
pub mod serve;
pub mod statistics;
pub mod stories;
pub mod study;
pub mod sweep;
pub mod templates;
pub mod tokens;

use crate::command::{AnyCommand, Command};
use crate::options::{Shown, ShownOptions};
use tegula::declare::{Declared, Options};

/// A command in the table of all.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// What it does, in a line; options in it are marked.
    pub about: &'static str,
    /// Examples and remarks, for a command line.
    pub examples: &'static str,
    /// The options of front ends that it has.
    pub shown: Shown,
    /// Options with those that they rule out ([`Command::RULES_OUT`]).
    pub rules_out: &'static [(&'static str, &'static [&'static str])],
    /// Whether the first screen of help lists it ([`Command::IS_LISTED`]).
    pub is_listed: bool,
    /// Its own options.
    pub options: fn() -> Vec<Declared>,
    /// A new one, without options.
    pub new: fn() -> Box<dyn AnyCommand>,
}

impl Entry {
    const fn of<T: Command + Send>() -> Self {
        Self {
            name: T::NAME,
            about: T::ABOUT,
            examples: T::EXAMPLES,
            shown: T::SHOWN,
            rules_out: T::RULES_OUT,
            is_listed: T::IS_LISTED,
            options: T::declared,
            new: || Box::new(T::default()),
        }
    }

    /// All its options: its own, and those of front ends.
    pub fn all_options(&self) -> Vec<Declared> {
        let shown = ShownOptions::declared().into_iter();
        let shown = shown.filter(|option| self.shown.has(option.name));
        (self.options)().into_iter().chain(shown).collect()
    }
}

/// Commands of one purpose.
#[derive(Debug, Clone, Copy)]
pub struct Group {
    /// The purpose.
    pub name: &'static str,
    /// The commands, the most used first.
    pub commands: &'static [Entry],
}

/// All commands by purpose, in the order in which they are listed.
pub const GROUPS: &[Group] = &[
    Group {
        name: "Clean",
        commands: &[
            Entry::of::<dedup::DedupSpec>(),
            Entry::of::<dedup::MarkSpec>(),
            Entry::of::<filter::FilterSpec>(),
            Entry::of::<onion::OnionSpec>(),
        ],
    },
    Group {
        name: "Inspect",
        commands: &[
            Entry::of::<explain::ExplainSpec>(),
            Entry::of::<report::ReportSpec>(),
            Entry::of::<compare::CompareSpec>(),
            Entry::of::<find::FindSpec>(),
            Entry::of::<tokens::TokensSpec>(),
        ],
    },
    Group {
        name: "Query",
        commands: &[
            Entry::of::<index::IndexSpec>(),
            Entry::of::<query::QuerySpec>(),
            #[cfg(feature = "serve")]
            Entry::of::<serve::ServeSpec>(),
        ],
    },
    Group {
        name: "List",
        commands: &[
            Entry::of::<pairs::PairsSpec>(),
            Entry::of::<cluster::ClusterSpec>(),
            Entry::of::<passages::PassagesSpec>(),
            Entry::of::<phrases::PhrasesSpec>(),
            Entry::of::<templates::TemplatesSpec>(),
            Entry::of::<stories::StoriesSpec>(),
        ],
    },
    Group {
        name: "Measure",
        commands: &[
            Entry::of::<evaluate::EvaluateSpec>(),
            Entry::of::<judge::JudgeSpec>(),
            Entry::of::<sweep::SweepSpec>(),
            Entry::of::<diff::DiffSpec>(),
            Entry::of::<study::StudySpec>(),
        ],
    },
    Group {
        name: "More",
        commands: &[
            Entry::of::<plan::PlanSpec>(),
            Entry::of::<rerun::RerunSpec>(),
            Entry::of::<recipes::RecipesSpec>(),
            Entry::of::<statistics::StatsSpec>(),
        ],
    },
];

/// All commands.
pub fn all() -> impl Iterator<Item = &'static Entry> {
    GROUPS.iter().flat_map(|group| group.commands)
}

/// A command by its name.
pub fn named(name: &str) -> Option<&'static Entry> {
    all().find(|entry| entry.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_of_commands_and_of_their_options_are_unique() {
        let names: BTreeSet<&str> = all().map(|entry| entry.name).collect();
        assert_eq!(names.len(), all().count());
        for entry in all() {
            let options = entry.all_options();
            let names: BTreeSet<&str> = options.iter().map(|option| option.name).collect();
            assert_eq!(names.len(), options.len(), "{}", entry.name);
        }
    }

    #[test]
    fn options_of_front_ends_are_declared() {
        let declared = ShownOptions::declared();
        for entry in all() {
            for name in entry.shown.names() {
                let is_it = |option: &Declared| option.name == name;
                assert!(declared.iter().any(is_it), "{} {name}", entry.name);
            }
        }
    }
}
