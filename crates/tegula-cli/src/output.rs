//! The one place that prints: data to standard output, everything else to standard error.

use std::io::{self, IsTerminal, Write};
use tegula::error::Error;

/// Whether standard error may carry colours.
fn colours() -> bool {
    let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    wanted && io::stderr().is_terminal()
}

/// Writes text to standard error; that nobody listens there is no error.
pub(crate) fn tell(text: &str) {
    let mut out = io::stderr().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Writes a labelled line to standard error.
fn label(name: &str, colour: &str, text: &str) {
    if colours() {
        tell(&format!("\u{1b}[1;{colour}m{name}:\u{1b}[0m {text}\n"));
    } else {
        tell(&format!("{name}: {text}\n"));
    }
}

/// Warns of something that does not end the run.
pub(crate) fn warn(text: &str) {
    label("warning", "33", text);
}

/// Says something that the user may want to know.
pub(crate) fn note(text: &str) {
    label("note", "36", text);
}

/// Says what to do about something.
pub(crate) fn hint(text: &str) {
    label("hint", "36", text);
}

/// Reports what ended the run, and what to do about it.
pub(crate) fn error(error: &Error) {
    label("error", "31", &error.to_string());
    for line in error.advice().into_iter().flat_map(str::lines) {
        hint(line);
    }
}

/// Writes data to standard output.
///
/// # Errors
/// When it cannot be written; a broken pipe too, which ends the program in peace.
pub(crate) fn data(bytes: &[u8]) -> tegula::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(|error| Error::io("write", std::path::Path::new("-"), error))
}

/// Whether the error says that the reader of standard output has gone.
pub(crate) fn is_broken_pipe(error: &Error) -> bool {
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        if cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
            return true;
        }
        source = cause.source();
    }
    false
}
