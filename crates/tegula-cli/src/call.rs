//! Runs a command within another program, and says which parameters a command has.

use crate::caller::{self, Call, Guard};
use crate::cli::Cli;
use crate::overview::Refused;
use clap::{ArgAction, CommandFactory};
use std::ffi::OsString;
use tegula::declare::{Holds, Options};
use tegula::error::Result;
use tegula_io::options::ReadOptions;
use tegula_run::options::{
    EvidenceOptions, KeepOptions, PairOptions, RecipeOptions, RecordOptions,
};

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// Whether it ended with exit code 0. `dedup --check` does not if there are duplicates.
    pub success: bool,
    /// What it printed on standard output.
    pub printed: Vec<u8>,
}

/// A parameter of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name as a keyword: `min_tokens` for `--min-tokens`.
    pub name: String,
    /// Whether it takes a value; otherwise it is a switch.
    pub takes_value: bool,
    /// Whether it may be repeated.
    pub repeats: bool,
    /// The values that it can have, if there are few.
    pub values: Vec<String>,
    /// What a value is, if a library declares the option.
    pub holds: Option<Holds>,
    /// Its description.
    pub help: String,
}

/// Runs a command: the arguments of the program without its name. Standard input and output are the
/// caller's: files must be named.
///
/// # Errors
/// Those of the command; a usage error for arguments that it does not have.
pub fn call(args: impl IntoIterator<Item = impl Into<OsString>>, call: Call) -> Result<Ended> {
    let args = args.into_iter().map(Into::into);
    let args = std::iter::once(OsString::from("tegula")).chain(args);
    let _guard = Guard::enter(call);
    let cli = match crate::overview::parse(args, false) {
        Ok(cli) => cli,
        Err(Refused::Help(help)) => {
            return Ok(Ended {
                success: true,
                printed: help.to_string().into_bytes(),
            });
        }
        Err(Refused::Args(error)) => return Err(crate::overview::refused(&error)),
        Err(Refused::Config(error)) => return Err(error),
    };
    let code = cli.command.run()?;
    Ok(Ended {
        success: code == std::process::ExitCode::SUCCESS,
        printed: caller::output(),
    })
}

/// The parameters of a command by its name, except positional ones; none if there is no such
/// command.
pub fn parameters(command: &str) -> Option<Vec<Parameter>> {
    let mut all = Cli::command();
    all.build();
    let command = all.find_subcommand(command)?;
    let parameters = command.get_arguments().filter(|argument| {
        // Only the program looks for a configuration file.
        let is_own = argument.get_id() != "no_config"
            && !matches!(
                argument.get_action(),
                ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong | ArgAction::Version
            );
        is_own && !argument.is_positional()
    });
    Some(
        parameters
            .map(|argument| Parameter {
                name: argument.get_long().unwrap_or_default().replace('-', "_"),
                takes_value: argument.get_action().takes_values(),
                repeats: matches!(argument.get_action(), ArgAction::Append),
                values: argument
                    .get_possible_values()
                    .iter()
                    .map(|value| value.get_name().to_owned())
                    .collect(),
                holds: holds(argument.get_id().as_str()),
                help: argument
                    .get_help()
                    .map(ToString::to_string)
                    .unwrap_or_default(),
            })
            .collect(),
    )
}

/// What the value of an option is, by its name; none if no library declares it.
fn holds(name: &str) -> Option<Holds> {
    let all = [
        ReadOptions::declared(),
        RecordOptions::declared(),
        RecipeOptions::declared(),
        KeepOptions::declared(),
        PairOptions::declared(),
        EvidenceOptions::declared(),
    ];
    let known = all.iter().flatten().find(|option| option.name == name)?;
    Some(known.holds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::caller::is_within;
    use std::path::PathBuf;
    use std::sync::{Arc, Mutex};
    use tegula::context::{Amount, Progress, Silent};
    use tegula::error::ErrorKind;

    fn quiet(said: &Arc<Mutex<Vec<String>>>) -> Call {
        let said = Arc::clone(said);
        Call {
            cancel: Arc::default(),
            progress: Arc::new(Silent),
            said: Box::new(move |kind, text| {
                said.lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner)
                    .push(format!("{kind:?}: {text}"));
            }),
        }
    }

    #[test]
    fn what_a_command_prints_goes_to_the_caller() {
        let said = Arc::default();
        let ended = call(["recipes", "--json"], quiet(&said)).unwrap();
        assert!(ended.success);
        assert!(ended.printed.starts_with(b"["), "{:?}", ended.printed);
        assert!(!is_within());
    }

    /// Whether a folder was there whenever a step of a run began.
    struct Looks {
        at: PathBuf,
        steps: Mutex<Vec<bool>>,
    }

    impl Progress for Looks {
        fn begin(&self, _: &str, _: Option<u64>, _: Amount) {
            self.steps.lock().unwrap().push(self.at.exists());
        }

        fn advance(&self, _: u64) {}

        fn end(&self) {}
    }

    #[test]
    fn nothing_is_saved_for_resuming_as_programs_cannot_ask_for_it() {
        for resume in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("in.txt");
            std::fs::write(&path, "one two three four five six\n".repeat(3)).unwrap();
            let run = folder.path().join("run");
            let looks = Arc::new(Looks {
                at: run.join("stages"),
                steps: Mutex::default(),
            });
            let mut args: Vec<OsString> =
                vec!["dedup".into(), path.into(), "--run".into(), run.into()];
            args.extend(resume.then(|| "--resume".into()));
            let said = Arc::default();
            let progress = Arc::clone(&looks) as Arc<dyn Progress>;
            call(
                args,
                Call {
                    progress,
                    ..quiet(&said)
                },
            )
            .unwrap();
            let steps = looks.steps.lock().unwrap();
            assert!(
                steps.len() > 1 && steps.contains(&true) == resume,
                "{resume}: {steps:?}"
            );
        }
    }

    #[test]
    fn errors_come_back_without_how_to_use_the_program() {
        let said = Arc::default();
        let error = call(["dedup", "--threshold", "2", "x"], quiet(&said)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage);
        assert!(!error.to_string().contains("Usage:"), "{error}");
        let error = call(["dedup", "no such file", "--check"], quiet(&said)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Io, "{error}");
        assert!(!is_within());
    }

    #[test]
    fn parameters_are_those_of_the_command_line() {
        let all = parameters("dedup").unwrap();
        let named = |name: &str| all.iter().find(|parameter| parameter.name == name);
        assert!(named("threshold").unwrap().takes_value);
        assert!(!named("strict_ids").unwrap().takes_value);
        assert!(named("keep").unwrap().repeats);
        assert!(named("unit").unwrap().values.contains(&"paragraph".into()));
        assert!(named("help").is_none() && parameters("no such").is_none());
    }
}
