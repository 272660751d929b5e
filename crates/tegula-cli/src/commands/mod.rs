//! One module for each command: its arguments and what it does.

pub(crate) mod cluster;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod dedup;
pub(crate) mod diff;
pub(crate) mod evaluate;
pub(crate) mod explain;
pub(crate) mod filter;
pub(crate) mod find;
pub(crate) mod judge;
pub(crate) mod onion;
pub(crate) mod pairs;
pub(crate) mod passages;
pub(crate) mod phrases;
pub(crate) mod plan;
pub(crate) mod recipes;
pub(crate) mod report;
pub(crate) mod rerun;
pub(crate) mod stats;
pub(crate) mod stories;
pub(crate) mod sweep;
pub(crate) mod templates;
pub(crate) mod tokens;
