//! The program `tegula`.

use std::process::ExitCode;

fn main() -> ExitCode {
    tegula_cli::main(std::env::args_os())
}
