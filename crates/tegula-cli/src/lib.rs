//! The command line of Tegula: arguments, options, a command, an exit code.
//!
//! [`main`] is the program `tegula`. What its commands do is in `tegula-run`; here they are typed and
//! shown.

mod allocator;
mod args;

mod commands;
mod config;
mod failure;
mod form;
mod host;
mod interrupt;
mod invocation;
mod machine;
mod output;
mod overview;
mod progress;
mod shell;
mod short_help;
mod summary;
mod terminal;
mod version;

use overview::Refused;
use std::process::ExitCode;
use tegula::error::{Error, ErrorKind};
use tegula::printable;

/// Prepares the process: once, before the first command.
pub fn prepare() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        allocator::give_back_soon();
        // Panics of decoders on damaged bytes are caught, and reported as errors.
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !tegula_io::decoder::is_guarded() {
                usual(panic);
            }
        }));
    });
}

/// The program `tegula`, with the program's name as the first argument. Prints errors, including
/// those in the arguments.
pub fn main(args: impl IntoIterator<Item = std::ffi::OsString>) -> ExitCode {
    allocator::use_small_pages();
    interrupt::outlive_limits();
    prepare();
    let asked = match overview::parse(args, true) {
        Ok(asked) => asked,
        Err(Refused::Config(error)) => return trouble(&error),
        Err(Refused::Help(help)) => {
            let shown = if terminal::colours() {
                help.ansi().to_string()
            } else {
                help.to_string()
            };
            return match output::data(shown.as_bytes()) {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => end(&error),
            };
        }
        Err(Refused::Args(error)) => {
            refused(&error);
            return ExitCode::from(if error.use_stderr() {
                interrupt::TROUBLE
            } else {
                0
            });
        }
    };
    match commands::run(&asked) {
        Ok(code) => code,
        Err(error) => end(&error),
    }
}

/// The same in a process that is connected to a cluster, which `--engine spark` means.
pub fn main_on(
    engine: std::sync::Arc<dyn tegula_run::cluster::Engine>,
    args: impl IntoIterator<Item = std::ffi::OsString>,
) -> ExitCode {
    commands::spark::connect(engine);
    main(args)
}

/// Reports arguments that cannot be parsed, or the help that they ask for.
fn refused(error: &clap::Error) {
    // A name in the arguments may be that of any file.
    let is_hidden = |arg: std::ffi::OsString| arg.to_string_lossy().contains(printable::is_hidden);
    if error.use_stderr() && std::env::args_os().any(is_hidden) {
        failure::report(&overview::refused(error));
    } else {
        // It is not an error if nobody listens.
        let _ = error.print();
    }
}

/// Reports what ended the run.
fn end(error: &Error) -> ExitCode {
    if failure::is_broken_pipe(error) || interrupt::is_deaf() {
        // The reader of our output has closed it.
        return interrupt::deaf().map_or(ExitCode::SUCCESS, |error| trouble(&error));
    }
    if error.kind() == ErrorKind::Cancelled {
        failure::report(&Error::new(ErrorKind::Cancelled, "interrupted").hint(interrupt::advice()));
        return ExitCode::from(interrupt::INTERRUPTED);
    }
    trouble(error)
}

fn trouble(error: &Error) -> ExitCode {
    failure::report(error);
    ExitCode::from(interrupt::TROUBLE)
}
