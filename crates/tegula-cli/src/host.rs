//! This process as the host of a run: its resources, and the terminal it reports to.

use crate::args::MachineArgs;
use crate::{interrupt, invocation, machine, output, progress};
use std::path::{Path, PathBuf};
use tegula::context::Context;
use tegula::error::Result;
use tegula::machine::Limits;
use tegula::scratch::Scratch;
use tegula_io::outputs::Unfinished;
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

impl MachineArgs {
    /// Threads, memory, scratch, progress, the interrupt key, and the terminal.
    pub(crate) fn host(&self) -> Result<Host> {
        let mut context = self.limits.context()?;
        machine::bound(&context);
        context.progress = progress::new(self.progress, self.quiet);
        context.cancel = interrupt::flag()?;
        Ok(host_in(context, self.quiet).invoked_as(invocation::command_line()))
    }
}

/// The host of a command that itself writes to the path of an option, if it is given.
pub(crate) fn writing(host: Host, option: &str, path: Option<impl Into<PathBuf>>) -> Host {
    match path {
        Some(path) => host.writing(option, path),
        None => host,
    }
}

/// The host of a command that has none of these options; its memory limit is that of others.
pub(crate) fn usual(quiet: bool) -> Result<Host> {
    let mut context = Context::new(1, Limits::default().memory()?, Scratch::system());
    context.cancel = interrupt::flag()?;
    Ok(host_in(context, quiet))
}

/// The host of a command, which never writes over the configuration that it uses.
fn host_in(context: Context, quiet: bool) -> Host {
    let config = invocation::config();
    Host::new(context)
        .observed_by(Terminal { quiet })
        .naming(invocation::recipes())
        .reading(config.iter().map(|config| &config.file.path))
}
