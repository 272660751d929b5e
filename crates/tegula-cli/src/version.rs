//! What `--version` prints.

use std::sync::LazyLock;

/// Version, and the features of the processor that the program uses.
pub(crate) fn version() -> &'static str {
    static VERSION: LazyLock<String> = LazyLock::new(long_version);
    &VERSION
}

fn long_version() -> String {
    let commit =
        option_env!("TEGULA_COMMIT").map_or_else(String::new, |commit| format!(" ({commit})"));
    format!(
        "{}{commit}\ntarget: {}-{}\nvector instructions in use: {}",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH,
        std::env::consts::OS,
        tegula::text::words::Words::default().lanes(),
    )
}
