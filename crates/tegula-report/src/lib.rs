//! Reports: run folders as tables, charts and side-by-side texts, for the terminal, TSV, LaTeX and
//! an HTML page.
//!
//! This crate does not find or decide anything; it counts, draws and shows what a run kept.

pub mod ask;
pub mod comparison;
pub mod concordance;
pub mod diff;
pub mod differing;
pub mod evaluate;
pub mod figures;
pub mod form;
mod grid;
pub mod html;
pub mod judge;
pub mod matrix;
pub mod paint;
pub mod pieces;
pub mod render;
pub mod report;
pub mod run;
pub mod score;
pub mod screen;
pub mod side_by_side;
pub mod table;
pub mod tables;
pub mod texts;
mod width;
pub mod words;

#[cfg(test)]
mod testing;
