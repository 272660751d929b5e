//! The command line of Tegula: arguments, options, a command, an exit code.

mod args;
mod bad;
mod claims;
mod cli;
mod commands;
mod comparison;
mod describe;
mod edits;
mod evidence;
mod given;
mod inputs;
mod interrupt;
mod machine;
mod made;
mod near;
mod options;
mod output;
mod progress;
mod search;
mod side_by_side;
mod stages;
mod statistics;
mod summary;
mod terminal;

use clap::Parser;
use std::process::ExitCode;
use tegula::error::{Error, ErrorKind};

/// Gives memory back to the system when a stage is done with it, which the system's own allocator does not: without it `--memory` would
/// bound what is used, and not what is held.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // Decoders that panic on damaged bytes are caught, and what they met is told as an error.
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !tegula_io::tables::is_guarded() {
            usual(panic);
        }
    }));
    match commands::run(cli::Cli::parse().command) {
        Ok(code) => code,
        Err(error) => end(&error),
    }
}

/// Reports what ended the run.
fn end(error: &Error) -> ExitCode {
    if output::is_broken_pipe(error) || interrupt::is_deaf() {
        // Whoever read our output has enough of it.
        return interrupt::deaf().map_or(ExitCode::SUCCESS, |error| trouble(&error));
    }
    if error.kind() == ErrorKind::Cancelled {
        output::error(&Error::new(ErrorKind::Cancelled, "interrupted").hint(interrupt::advice()));
        return ExitCode::from(interrupt::INTERRUPTED);
    }
    trouble(error)
}

fn trouble(error: &Error) -> ExitCode {
    output::error(error);
    ExitCode::from(interrupt::TROUBLE)
}
