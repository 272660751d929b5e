//! Tasks of this repository that need more than one command.
//!
//! `cargo xtask dist [TARGET]` builds the program as it is handed out, and packs it: `target/dist/tegula-VERSION-TARGET.tar.gz`
//! with the program, manual pages, completions and licences, and its checksum beside it. On Linux the program is static: it runs
//! on any distribution.

use sha2::{Digest, Sha256};
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const SHELLS: [(&str, &str); 4] = [
    ("bash", "tegula.bash"),
    ("zsh", "_tegula"),
    ("fish", "tegula.fish"),
    ("powershell", "tegula.ps1"),
];

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    match args.next().as_deref() {
        Some("dist") => dist(args.next()),
        _ => Err("expected a task: cargo xtask dist [TARGET]".into()),
    }
}

/// Builds and packs the program.
fn dist(target: Option<String>) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()?;
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
            "build",
            "--locked",
            "--profile",
            "dist",
            "-p",
            "tegula-cli",
            "--target",
            &target,
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
    // What the program says of itself needs one that runs here.
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

/// The target of this machine.
fn host() -> Result<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let facts = String::from_utf8(output(Command::new(rustc).arg("-vV"))?)?;
    let line = facts.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(line.ok_or("rustc -vV names no host")?.to_owned())
}

fn run(command: &mut Command) -> Result<()> {
    let status = command.status()?;
    if status.success() {
        return Ok(());
    }
    Err(format!("{command:?}: {status}").into())
}

fn output(command: &mut Command) -> Result<Vec<u8>> {
    let done = command.output()?;
    if done.status.success() {
        return Ok(done.stdout);
    }
    Err(format!("{command:?}: {}", done.status).into())
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

fn tell(text: &str) -> Result<()> {
    use std::io::Write;
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(())
}
