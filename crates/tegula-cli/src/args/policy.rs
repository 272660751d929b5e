//! Which pairs count, and which copy stays.

use super::values::Window;
use clap::Args;
use std::path::PathBuf;
use tegula::field::FieldKey;

/// Which pairs count, and which copy stays.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Which copy stays")]
pub(crate) struct PolicyArgs {
    /// Which copy stays: longest, shortest, first, last, newest:F, oldest:F, highest:F, lowest:F, priority:F=a,b,c or none
    /// [default: longest, ties to the first]
    ///
    /// Several rules make a chain, each breaking the ties of those before it; input order breaks the last. Repeat the option, or part rules
    /// by commas; `priority:F=` takes all that follows it up to the end of its value, so rules behind it need an option of their own:
    /// --keep priority:source=wire,web --keep newest:date
    #[arg(long, value_name = "RULE")]
    pub(crate) keep: Vec<String>,

    /// Keep one copy for each value of a field: source, or date:year
    #[arg(long, value_name = "FIELD")]
    pub(crate) keep_per: Option<FieldKey>,

    #[command(flatten)]
    pub(crate) constraints: ConstraintArgs,
}

/// Which pairs count.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Which pairs count")]
pub(crate) struct ConstraintArgs {
    /// Compare only units with the same value of a field: source, or date:year; of several fields, if it is repeated
    #[arg(long, value_name = "FIELD")]
    pub(crate) within: Vec<FieldKey>,

    /// Compare only units with different values of a field
    #[arg(long, value_name = "FIELD")]
    pub(crate) across: Option<FieldKey>,

    /// Compare only units whose dates are at most so many days or weeks apart: date=3d
    #[arg(long, value_name = "FIELD=3d")]
    pub(crate) window: Option<Window>,

    /// How dates are written, where their form is not known: %d/%m/%Y, %B %Y, %s; repeat to try several, `auto` among them
    ///
    /// Known are the forms of ISO 8601 and of mail, 26-FEB-1987 15:01, 26.02.1987, 2 January 2021, and plain years. Others, and dates such as
    /// 03/04/2019, whose order nobody can know, need a format, with the directives of strftime.
    #[arg(long, value_name = "FORMAT")]
    pub(crate) date_format: Vec<String>,

    /// Compare only units of at least N tokens; shorter ones are kept, and nothing is removed because of them
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) min_tokens: Option<u32>,

    /// Compare with these files or folders too, and leave them as they are: a text that is in them goes; may be repeated
    #[arg(long, value_name = "PATH")]
    pub(crate) against: Vec<PathBuf>,
}
