//! Reports: a run folder read back as tables, charts and texts side by side, for the terminal, TSV, LaTeX and one HTML page.
//!
//! Nothing here finds or decides anything; what a run kept is counted, drawn and shown.

pub mod diff;
pub mod evaluate;
pub mod figures;
pub mod form;
pub mod html;
pub mod matrix;
pub mod pieces;
pub mod render;
pub mod report;
pub mod run;
pub mod score;
pub mod table;
pub mod tables;
pub mod texts;
pub mod words;

#[cfg(test)]
mod testing;
