//! Reports: a run folder read back as tables, charts and texts side by side, for the terminal, TSV, LaTeX and one HTML page.
//!
//! Nothing here finds or decides anything; what a run kept is counted, drawn and shown.

pub mod diff;
pub mod form;
pub mod render;
pub mod run;
pub mod table;
pub mod tables;
pub mod words;

#[cfg(test)]
mod testing;
