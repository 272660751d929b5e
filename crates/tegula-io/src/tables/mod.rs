//! The run folder: open tables that any data-frame library reads, `run.json`, and the stages from
//! which a killed run resumes.
//!
//! A [`Table`] is a marker type ([`Units`], [`Pairs`], ...) with a row struct whose strings are
//! borrowed. [`TableWriter`] writes it as Parquet and [`TableReader`] streams it back;
//! [`TableFileWriter`] and [`read_table`] also support its text forms.

mod cell;
pub(crate) mod numbers;
mod parquet_table;
mod rows;
pub mod run;
pub mod stages;
pub(crate) mod strings;
mod table;
mod table_file;
mod whereabouts;

pub use crate::written::listed;
pub use cell::escape_json;
pub use cell::{DECIMALS, Form, decimals};
pub(crate) use cell::{LONGEST, OF_MARKS};
pub use parquet_table::{Rows, TableInfo, TableReader, TableWriter};
pub(crate) use parquet_table::{guard, parquet_error};
pub use rows::{
    ClusterRow, Clusters, Copies, CopyRow, Coverage, CoverageRow, ExpressionRow, Expressions,
    GroupRow, Groups, ItemRow, Items, PairRow, Pairs, PassageRow, Passages, PhraseRow, Phrases,
    ShareRow, Shares, SpanRow, Spans, Stories, StoryRow, StoryTextRow, StoryTexts, TemplateRow,
    Templates, UnitRow, Units, VerdictRow, Verdicts,
};
pub use run::{InputFile, RunFolder, RunInfo, StageInfo, input_identity};
pub use stages::{Identity, Lookup, Stage, StageDraft, StageFile, Stages};
pub use table::{Column, Table};
pub use table_file::{TableFileWriter, check_table_name, is_tsv, read_table};
pub use tegula::tsv::Formulas;
pub use whereabouts::Whereabouts;

#[cfg(test)]
mod tests;
