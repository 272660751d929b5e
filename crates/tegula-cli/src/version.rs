//! What `--version` prints.

use std::sync::LazyLock;

/// Version, and the features of the processor that the program uses.
pub(crate) fn version() -> &'static str {
    static VERSION: LazyLock<String> = LazyLock::new(long_version);
    &VERSION
}

fn long_version() -> String {
    let mut features: Vec<&str> = Vec::new();
    #[cfg(target_arch = "x86_64")]
    {
        let known = [
            ("sse4.1", std::arch::is_x86_feature_detected!("sse4.1")),
            ("avx2", std::arch::is_x86_feature_detected!("avx2")),
        ];
        features.extend(
            known
                .iter()
                .filter(|(_, is_there)| *is_there)
                .map(|(name, _)| *name),
        );
    }
    let commit =
        option_env!("TEGULA_COMMIT").map_or_else(String::new, |commit| format!(" ({commit})"));
    let features = if features.is_empty() {
        "none".to_owned()
    } else {
        features.join(", ")
    };
    format!(
        "{}{commit}\ntarget: {}-{}\nprocessor features in use: {features}",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH,
        std::env::consts::OS,
    )
}
