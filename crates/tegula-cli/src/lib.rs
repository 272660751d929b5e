//! The command line of Tegula: arguments, options, a command, an exit code.
//!
//! [`main`] is the program `tegula`. [`call`] runs a command within another program, which receives
//! what the command prints; the Python package is such a program.

mod advised;
mod args;
mod breakdown;
mod call;
mod caller;
mod cli;
mod commands;
mod comparison;
mod config;
mod differing;
mod given;
mod handwritten;
mod host;
mod interrupt;
mod invocation;
mod machine;
mod options;
mod output;
mod overview;
mod progress;
mod shell;
mod short_help;
mod side_by_side;
mod summary;
mod terminal;
mod version;

pub use call::{Ended, Parameter, call, parameters};
pub use caller::{Call, Listener, Said};

use overview::Refused;
use std::process::ExitCode;
use tegula::error::{Error, ErrorKind};

/// Gives memory back to the system when a stage is done with it, which the system's own allocator
/// does not: without it `--memory` would bound what is used, and not what is held.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How long freed memory is kept before the system gets it back, in milliseconds: long enough that
/// what a thread needs again at once is still there, and short enough that one stage does not hold
/// what another needs. By itself the allocator waits for a second, and a run of three seconds held
/// a quarter more.
const KEPT_FREE: std::ffi::c_long = 25;

/// Sets [`KEPT_FREE`], unless the environment says otherwise.
#[expect(
    unsafe_code,
    reason = "options of the allocator are set by a foreign function"
)]
fn give_back_soon() {
    /// `mi_option_purge_delay`, which the bindings do not name.
    const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;
    // SAFETY: the function sets a number, and no other thread runs yet.
    unsafe { libmimalloc_sys::mi_option_set_default(PURGE_DELAY, KEPT_FREE) }
}

/// Prepares the process: once, before the first command.
pub fn prepare() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        give_back_soon();
        // Decoders that panic on damaged bytes are caught, and what they met is told as an error.
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !tegula_io::tables::is_guarded() {
                usual(panic);
            }
        }));
        output::knows(<cli::Cli as clap::CommandFactory>::command);
    });
}

/// The program `tegula`, with the program's name as the first argument. Prints errors, and what is
/// wrong with the arguments.
pub fn main(args: impl IntoIterator<Item = std::ffi::OsString>) -> ExitCode {
    prepare();
    let cli = match overview::parse(args, true) {
        Ok(cli) => cli,
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
            // That nobody listens is no error.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() {
                interrupt::TROUBLE
            } else {
                0
            });
        }
    };
    match cli.command.run() {
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

#[cfg(test)]
mod tests {
    #[test]
    #[expect(
        unsafe_code,
        reason = "options of the allocator are read by a foreign function"
    )]
    fn the_option_of_the_allocator_is_the_one_that_is_meant() {
        // SAFETY: the function reads a number.
        let delay = || unsafe { libmimalloc_sys::mi_option_get(15) };
        let is_chosen = std::env::var_os("MIMALLOC_PURGE_DELAY").is_some();
        assert!(is_chosen || delay() == 1000, "what it is by itself");
        super::give_back_soon();
        assert!(is_chosen || delay() == super::KEPT_FREE);
    }
}
