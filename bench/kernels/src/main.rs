//! The hot loops of the library, one at a time, so that their instructions can be counted:
//! `cargo xtask instructions` does.
//!
//! `tegula-kernels` lists them, `tegula-kernels NAME` runs one and prints a sum of its results,
//! which shows whether two builds did the same.

mod input;
mod kernel;

use input::Input;
use std::io::Write;
use std::process::ExitCode;
use tegula::{Error, Result};

/// What to print.
fn run(name: Option<&str>) -> Result<String> {
    let Some(name) = name else {
        let names: Vec<&str> = kernel::ALL.iter().map(|kernel| kernel.name).collect();
        return Ok(names.join("\n"));
    };
    let kernel = kernel::ALL.iter().find(|kernel| kernel.name == name);
    let kernel =
        kernel.ok_or_else(|| Error::usage(format!("expected a kernel, found \"{name}\"")))?;
    Ok(format!("{:016x}", kernel.run(&Input::new()?)?))
}

fn main() -> ExitCode {
    match run(std::env::args().nth(1).as_deref()) {
        Ok(said) if writeln!(std::io::stdout(), "{said}").is_ok() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            // If standard error is closed, nothing can be reported.
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}
