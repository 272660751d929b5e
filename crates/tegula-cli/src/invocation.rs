//! How the command of a thread was invoked: its arguments, and the configuration in force.

use crate::config::Config;
use crate::shell;
use std::cell::RefCell;
use std::ffi::OsString;
use std::rc::Rc;
use tegula_run::options::Named;

/// How a command was invoked.
#[derive(Debug, Clone, Default)]
pub(crate) struct Invocation {
    /// The arguments, those of the configuration among them, the program's name first.
    pub(crate) arguments: Vec<OsString>,
    /// The configuration.
    pub(crate) config: Option<Rc<Config>>,
}

thread_local! {
    static CURRENT: RefCell<Invocation> = RefCell::default();
}

/// Sets how the next command of this thread is invoked.
pub(crate) fn begin(invocation: Invocation) {
    CURRENT.set(invocation);
}

/// The configuration of the command that this thread runs.
pub(crate) fn config() -> Option<Rc<Config>> {
    CURRENT.with_borrow(|current| current.config.clone())
}

/// The files of recipes that the configuration names.
pub(crate) fn recipes() -> Named {
    config().map_or_else(Named::default, |config| config.file.recipes.clone())
}

/// The arguments of the command that this thread runs, the program's name first.
pub(crate) fn arguments() -> Vec<OsString> {
    CURRENT.with_borrow(|current| current.arguments.clone())
}

/// The command as it is typed.
pub(crate) fn command_line() -> String {
    let arguments = arguments();
    let arguments = arguments.iter().skip(1);
    let shown: Vec<String> = arguments
        .map(|argument| shell::typed(&argument.to_string_lossy()))
        .collect();
    format!("tegula {}", shown.join(" "))
}
