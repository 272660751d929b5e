//! Which pairs count, and which copy is kept.

use super::values::Window;
use clap::Args;
use std::path::PathBuf;
use tegula::field::FieldKey;

/// Which pairs count, and which copy is kept.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Which copy is kept")]
pub(crate) struct PolicyArgs {
    /// Which copy to keep: longest, shortest, first, last, newest:F, oldest:F, highest:F, lowest:F,
    /// priority:F=a,b,c or none [default: longest, ties to the first]
    ///
    /// Several rules form a chain: each breaks the ties left by the rules before it, and input
    /// order breaks the rest. Repeat the option, or separate rules with commas. `priority:F=`
    /// consumes the rest of its value, so give any later rules in another option: --keep
    /// priority:source=wire,web --keep newest:date
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
    /// Compare only units with the same value of a field: source, or date:year; may be repeated,
    /// all must match
    #[arg(long, value_name = "FIELD")]
    pub(crate) within: Vec<FieldKey>,

    /// Compare only units with different values of a field
    #[arg(long, value_name = "FIELD")]
    pub(crate) across: Option<FieldKey>,

    /// Compare only units whose dates are at most this many days or weeks apart: date=3d, date=2w
    #[arg(long, value_name = "FIELD=3d")]
    pub(crate) window: Option<Window>,

    /// Format of dates that are not recognised: %d/%m/%Y, %B %Y, %s; repeat to try several, `auto`
    /// among them
    ///
    /// ISO 8601, the format of e-mail, 26-FEB-1987 15:01, 26.02.1987, 2 January 2021, and plain
    /// years are recognised. Other formats, and ambiguous dates such as 03/04/2019, need a format
    /// with strftime directives.
    #[arg(long, value_name = "FORMAT")]
    pub(crate) date_format: Vec<String>,

    /// Compare only units of at least N tokens; shorter ones are kept, and cause no removals
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) min_tokens: Option<u32>,

    /// Also compare with these files or folders, which are not changed: texts that match one of
    /// them are removed; may be repeated
    #[arg(long, value_name = "PATH")]
    pub(crate) against: Vec<PathBuf>,
}
