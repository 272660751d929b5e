//! This process as the host of a run: its resources, and the terminal it reports to.

use crate::commands::spark;
use crate::{interrupt, invocation, machine, output, progress};
use std::path::Path;
use tegula::context::Context;
use tegula::error::{Error, Result};
use tegula_io::outputs::Unfinished;
use tegula_run::options::{ProgressOptions, Shown, ShownOptions};
use tegula_run::{Host, Observer};

/// Reports to the terminal.
struct Terminal {
    quiet: bool,
}

impl Observer for Terminal {
    fn spell(&self, option: &str, value: Option<&str>) -> String {
        output::spelling(option, value)
    }

    fn warn(&self, text: &str) {
        output::warn(text);
    }

    fn note(&self, text: &str) {
        if !self.quiet {
            output::note(text);
        }
    }

    fn tell(&self, text: &str) {
        if !self.quiet {
            output::tell(text);
        }
    }

    fn unfinished(&self, outputs: Unfinished) {
        interrupt::watch_over(outputs);
    }

    fn writes(&self, path: &Path) {
        if path.as_os_str() == "-" {
            interrupt::watch_stdout();
        } else {
            interrupt::note_files();
        }
    }

    fn stage_kept(&self, _: &str) {
        interrupt::advise(
            "what was found so far is kept: continue with the same command and --resume",
        );
    }
}

/// This process as the host of a command with these options: its threads, memory and scratch, its
/// progress, the interrupt key, and the terminal.
///
/// # Errors
/// Invalid limits.
pub(crate) fn of(options: &ShownOptions, shown: Shown) -> Result<Host> {
    let ProgressOptions { progress, quiet } = options.progress;
    if quiet && options.verbose {
        return Err(Error::of("⟨verbose⟩")
            .expected("no ⟨quiet⟩")
            .found("both")
            .hint("leave out one of the two"));
    }
    let mut context = options.context(shown)?;
    if shown.has("memory") {
        machine::bound(&context);
    }
    if shown.has("progress") {
        context.progress = progress::new(progress.unwrap_or_default(), quiet);
    }
    context.cancel = interrupt::flag()?;
    let host = host_in(context, quiet).bounding_tasks(options.machine.limits().memory);
    Ok(if options.json {
        host.writing("⟨json⟩", "-")
    } else {
        host
    })
}

/// The host of a command, which never writes over the configuration that it uses.
fn host_in(context: Context, quiet: bool) -> Host {
    let config = invocation::config();
    let host = match spark::connected() {
        Some(engine) => Host::new(context).on(engine),
        None => Host::new(context),
    };
    host.observed_by(Terminal { quiet })
        .naming(invocation::recipes())
        .invoked_as(invocation::command_line())
        .reading(config.iter().map(|config| &config.file.path))
}
