//! `cargo xtask dist [TARGET]`: the program as it is distributed, packed.

use crate::{Result, host, output, root, run, tell};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const SHELLS: [(&str, &str); 4] = [
    ("bash", "tegula.bash"),
    ("zsh", "_tegula"),
    ("fish", "tegula.fish"),
    ("powershell", "tegula.ps1"),
];

/// Builds and packs the program.
pub(crate) fn dist(target: Option<String>) -> Result<()> {
    let root = root()?;
    let target = match target {
        Some(target) => target,
        None => host()?,
    };
    let built = root
        .join("target")
        .join(&target)
        .join("dist")
        .join(program(&target));
    let mut build = Command::new(env!("CARGO"));
    build
        .args([
            "rustc",
            "--locked",
            "--profile",
            "dist",
            "-p",
            "tegula-cli",
            "--bin",
            "tegula",
            "--target",
            &target,
            // The profile cannot say it: cargo forgets that of a package with settings of its own.
            "--",
            "-Cstrip=symbols",
        ])
        .current_dir(&root);
    if target.contains("linux") {
        build.env("RUSTFLAGS", "-C target-feature=+crt-static");
    }
    if let Ok(commit) = output(
        Command::new("git")
            .args(["rev-parse", "--short", "HEAD"])
            .current_dir(&root),
    ) {
        build.env("TEGULA_COMMIT", String::from_utf8(commit)?.trim());
    }
    run(&mut build)?;

    let name = format!("tegula-{}-{target}", env!("CARGO_PKG_VERSION"));
    let folder = root.join("target/dist").join(&name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(folder.join("completions"))?;
    fs::copy(&built, folder.join(program(&target)))?;
    for file in ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"] {
        fs::copy(root.join(file), folder.join(file))?;
    }
    // Asking the program about itself requires one that runs here.
    let own = if target == host()? {
        built
    } else {
        run(Command::new(env!("CARGO"))
            .args(["build", "--locked", "-p", "tegula-cli"])
            .current_dir(&root))?;
        root.join("target/debug").join(program(&host()?))
    };
    run(Command::new(&own).arg("man").arg(folder.join("man")))?;
    for (shell, file) in SHELLS {
        let script = output(Command::new(&own).args(["completions", shell]))?;
        fs::write(folder.join("completions").join(file), script)?;
    }
    let packed = pack(&folder, &name)?;
    let sum = hex(&Sha256::digest(fs::read(&packed)?));
    let file = packed.file_name().unwrap_or_default().to_string_lossy();
    fs::write(
        packed.with_extension("gz.sha256"),
        format!("{sum}  {file}\n"),
    )?;
    tell(&format!("{}\n", packed.display()))
}

/// Packs a folder as `NAME.tar.gz` beside it.
fn pack(folder: &Path, name: &str) -> Result<PathBuf> {
    let packed = folder.with_file_name(format!("{name}.tar.gz"));
    let gzip =
        flate2::write::GzEncoder::new(fs::File::create(&packed)?, flate2::Compression::best());
    let mut archive = tar::Builder::new(gzip);
    // The same archive for the same files, whoever builds it and when.
    archive.mode(tar::HeaderMode::Deterministic);
    archive.append_dir_all(name, folder)?;
    archive.into_inner()?.finish()?;
    Ok(packed)
}

fn program(target: &str) -> &'static str {
    if target.contains("windows") {
        "tegula.exe"
    } else {
        "tegula"
    }
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}
