//! Arguments as a shell reads them.

/// An argument as it is typed in a shell.
pub(crate) fn typed(argument: &str) -> String {
    let quoted = |text: &str| {
        shlex::try_quote(text).map_or_else(|_| text.to_owned(), std::borrow::Cow::into_owned)
    };
    match argument.split_once('=') {
        Some((option, value)) if option.starts_with("--") => {
            format!("{}={}", quoted(option), quoted(value))
        }
        _ => quoted(argument),
    }
}
