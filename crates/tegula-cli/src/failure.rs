//! What ended a command: reported with advice, some of which depends on the configuration.

use crate::{invocation, output};
use std::io;
use tegula::error::Error;

/// Reports what ended the run, and what to do about it.
pub(crate) fn report(error: &Error) {
    let spelt = error.spelt(&output::spelling);
    output::label("error", "31", &spelt.line);
    for line in spelt.advice.iter().flat_map(|advice| advice.lines()) {
        output::label("hint", "36", line);
    }
    if let Some(advice) = invocation::config().and_then(|config| config.advice_on(&spelt.line)) {
        output::label("hint", "36", &advice);
    }
}

/// Whether the error says that the reader of standard output has closed it.
pub(crate) fn is_broken_pipe(error: &Error) -> bool {
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        if cause
            .downcast_ref::<io::Error>()
            .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
        {
            return true;
        }
        source = cause.source();
    }
    false
}
