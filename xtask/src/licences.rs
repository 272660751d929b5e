//! `cargo xtask licences`: every dependency is free to use, change and pass on, and comes from the registry in a version that is named.
//!
//! `deny.toml` names the licences. `cargo deny` also checks for known flaws, for which it asks the network.

use crate::{Result, output, root, tell};
use serde_json::Value;
use std::fs;
use std::process::Command;

/// Fails with all that is not as it should be.
pub(crate) fn check() -> Result<()> {
    let root = root()?;
    let rules: toml::Table = toml::from_str(&fs::read_to_string(root.join("deny.toml"))?)?;
    let allowed: Vec<&str> = rules["licenses"]["allow"]
        .as_array()
        .ok_or("deny.toml: expected a list of licences in licenses.allow")?
        .iter()
        .filter_map(toml::Value::as_str)
        .collect();
    let mut metadata = Command::new(env!("CARGO"));
    metadata
        .args([
            "metadata",
            "--format-version=1",
            "--locked",
            "--all-features",
        ])
        .current_dir(&root);
    let metadata: Value = serde_json::from_slice(&output(&mut metadata)?)?;
    let packages = metadata["packages"].as_array().ok_or("no packages")?;
    let wrong: Vec<String> = packages
        .iter()
        .filter_map(|package| {
            let name = package["name"].as_str().unwrap_or_default();
            fault(package, &allowed).map(|fault| format!("{name}: {fault}"))
        })
        .collect();
    if !wrong.is_empty() {
        return Err(wrong.join("\n").into());
    }
    let count = packages.len();
    tell(&format!(
        "{count} packages have licences that deny.toml allows\n"
    ))
}

/// What is wrong with a package; nothing if nothing is.
fn fault(package: &Value, allowed: &[&str]) -> Option<String> {
    let own = package["source"].is_null();
    let source = package["source"].as_str().unwrap_or_default();
    if !own && !source.starts_with("registry+") {
        return Some(format!(
            "expected a version from the registry, found {source}"
        ));
    }
    let any = package["dependencies"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|dependency| own && dependency["req"] == "*" && dependency["path"].is_null());
    if let Some(any) = any {
        return Some(format!("any version of {} would do", any["name"]));
    }
    let Some(licence) = package["license"].as_str() else {
        return Some("it names no licence".to_owned());
    };
    match spdx::Expression::parse_mode(licence, spdx::ParseMode::LAX) {
        Err(error) => Some(format!("its licence cannot be read: {error}")),
        Ok(expression) => {
            let free =
                expression.evaluate(|required| allowed.contains(&required.to_string().as_str()));
            (!free).then(|| format!("deny.toml does not allow {licence}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn licences_and_sources_are_checked() {
        let package = |licence: &str, source: &str| json!({ "license": licence, "source": source, "dependencies": [{ "name": "any", "req": "*" }] });
        let registry = "registry+https://registry";
        let allowed = ["MIT", "Apache-2.0 WITH LLVM-exception"];
        for licence in [
            "MIT",
            "GPL-3.0-only OR MIT",
            "MIT/GPL-3.0",
            "Apache-2.0 WITH LLVM-exception AND MIT",
        ] {
            assert_eq!(
                fault(&package(licence, registry), &allowed),
                None,
                "{licence}"
            );
        }
        for licence in ["GPL-3.0-only", "MIT AND GPL-3.0-only", "Apache-2.0", "?"] {
            assert!(
                fault(&package(licence, registry), &allowed).is_some(),
                "{licence}"
            );
        }
        assert!(fault(&package("MIT", "git+https://branch"), &allowed).is_some());
        assert!(fault(&json!({ "source": registry }), &allowed).is_some());
        let own = json!({ "license": "MIT", "source": null, "dependencies": [{ "name": "any", "req": "*" }] });
        assert!(fault(&own, &allowed).is_some());
    }
}
