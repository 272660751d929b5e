//! What stands behind Tegula's figures: corpora with planted copies, exact truth, checks against
//! pairs that others listed.
//!
//! ```text
//! corpus   real texts → documents, some with copies that are known              make, cut, edit, clean, prose
//! gold     a listing of pairs by another program ↔ the pairs of `ssr`           gold, listing, rules
//! truth    how many pairs there are; recall: how many of them a peer found      peer
//! speed    runs that take turns → tables and a plot                             speed
//! ```
//!
//! [`fuzz_targets`] holds the fuzz targets as plain functions, so that a test can run them without
//! a fuzzer.

pub mod clean;
pub mod cut;
pub mod edit;
pub mod found;
pub mod fuzz_targets;
pub mod gold;
pub mod listing;
pub mod make;
pub mod peer;
pub mod prose;
pub mod random;
pub mod rules;
pub mod source;
pub mod speed;
