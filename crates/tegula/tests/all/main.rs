//! What the library promises, as programs see it: held against brute force and known answers.
#![allow(
    clippy::unwrap_used,
    reason = "helpers of tests end the test as tests do"
)]

mod common; // a source in memory, and brute force
mod conformance; // what every recipe must do
mod decisions; // the witness rule
mod facade; // what the crate promises to programs
mod fetch; // records that later passes ask for
mod index; // texts that are kept to be asked for
mod messages; // short texts
mod methods; // what each method promises
mod onion; // Onion's judge
mod onion_source; // Onion over a source
mod oracle; // complete recipes
mod passages; // what texts share
mod passes; // several passes where memory is short
mod phrases; // what recurs
mod pools; // threads
mod repeated; // passages that are cut
mod rescore; // pairs scored again by another measure
mod resume; // runs that were killed
