//! Values with a syntax: sizes, windows, `key=value`.

use tegula::error::Error;
use tegula::threshold::Threshold;

/// A threshold. The message omits the recipe's field name, as clap names the option.
pub(crate) fn threshold(text: &str) -> Result<Threshold, String> {
    text.parse()
        .map_err(|error: Error| error.message().trim_start_matches("threshold: ").to_owned())
}
