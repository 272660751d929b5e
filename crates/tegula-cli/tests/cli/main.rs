//! The binary as people run it: what it prints, what it writes, how it ends.

#![allow(
    clippy::unwrap_used,
    reason = "helpers of tests end the test as tests do"
)]

mod added; // figures added to kept records, and copies kept besides
mod auto;
mod bad_input; // what is wrong with inputs, and that nothing incomplete is written
mod breakdowns; // what a score is made of
mod browser; // pages as a browser shows them
mod ceilings; // what is too large for --memory, and what a run took
mod commands; // of the library, and the same bytes
mod compare; // texts with each other, and the page of a run
mod config; // options and recipes in tegula.toml
mod corpus; // texts that are made
mod documents; // of word processors, books, PDF
mod evaluate; // results held against gold
#[cfg(unix)]
mod faults; // kills, full disks, inputs that change
mod files; // files that are not what their names say, and the names of outputs
mod filter; // a stream of hits
mod formats; // the same job on every format
mod formulas; // cells that a spreadsheet would run
mod frequencies; // counted before: tegula stats, and --statistics
mod guides; // the commands of the guides, and what they say these print
mod hostile; // values that try to be more than values
mod index; // an index made, changed and asked
mod inspect; // recipes, tokens, plan, explain, cluster
mod judge; // pairs judged by hand
mod keys; // candidates and recall of keys, and the page on methods
mod mail; // mailboxes, messages and Maildir
mod messages; // short ones
mod missing; // fields, dates, tags and texts that a run needs and the records lack
mod moved; // runs looked at from another folder, and after their inputs have moved
mod no_effect; // options that would change nothing
mod onion; // the drop-in for Onion, and saved fingerprints
mod opening; // what all commands that read a collection treat alike
mod options; // what is wrong with options, before anything is read
mod options_page; // docs/options.md
mod papers; // the commands of docs/papers.md
mod passages; // what texts share
mod phrases; // what recurs
mod plans; // plans against runs, and every recipe and format under ceilings
mod promises; // same bytes, inputs unchanged, nothing to do twice
mod recipes; // recipes that are built in, and files
mod rerun; // specifications of runs, repeated and run in this process
mod rig; // a folder for each test
mod runs; // the run folder, deciding again, resuming
mod safety; // inputs are never changed, and outputs are complete or absent
mod scores; // scores and thresholds, the same everywhere
#[cfg(feature = "serve")]
mod serve; // an index over HTTP, as its pages show it
mod shells; // completions, manual pages, suggestions
mod spelling; // options in messages of the libraries
mod stages; // recipes of several stages, Onion, digests, sweeps
#[cfg(all(unix, feature = "stores"))]
mod stores; // object stores
mod stories; // similar texts in time
mod summary; // the closing summary
mod tables; // tables of runs, and two runs side by side
mod templates; // forms from which texts were filled in
mod waist; // what works on evidence does not know what made it
mod web; // pages, archives, and copies among documents
mod without_text; // records in which no text is found
mod work; // what runs do, in figures
