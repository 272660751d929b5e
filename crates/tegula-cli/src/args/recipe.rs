//! The method and its parameters.

use super::values::Setting;
use clap::{Args, ValueEnum};
use tegula::record::Level;
use tegula::threshold::Threshold;

/// The method and its parameters.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Recipe")]
pub(crate) struct RecipeArgs {
    /// A recipe by name, or a file NAME.toml; `tegula recipes` lists them [default: sscr]
    #[arg(long, value_name = "NAME|FILE.toml")]
    pub(crate) recipe: Option<String>,

    /// What is compared [default: the recipe's, document]
    #[arg(long, value_name = "UNIT", value_enum)]
    pub(crate) unit: Option<Unit>,

    /// Tokens in a shingle [default: the recipe's, 5]
    #[arg(long, value_name = "N")]
    pub(crate) ngram: Option<usize>,

    /// Pairs at or above it count: 0.8, 80% or 4/5 [default: the recipe's, 0.8]
    #[arg(long, value_name = "T", value_parser = super::values::threshold)]
    pub(crate) threshold: Option<Threshold>,

    /// How text is normalised: default, kupietz, plain or as-is [default: the recipe's]
    #[arg(long, value_name = "PRESET")]
    pub(crate) normalize: Option<String>,

    /// What a token is: found in running text, or each line as it stands
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    pub(crate) tokens: TokenSource,

    /// What shingles are told apart by [default: the recipe's, tokens]
    #[arg(long, value_name = "KIND", value_enum)]
    pub(crate) fingerprint: Option<Fingerprint>,

    /// The prime that reduces Rabin fingerprints
    #[arg(long, value_name = "P", requires = "fingerprint")]
    pub(crate) modulus: Option<u64>,

    /// Set a field of the recipe, such as normalise.digits=number; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) settings: Vec<Setting>,
}

/// A unit by its name on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Unit {
    /// The whole record
    Document,
    /// Its paragraphs
    Paragraph,
    /// Its sentences
    Sentence,
}

impl From<Unit> for Level {
    fn from(unit: Unit) -> Self {
        match unit {
            Unit::Document => Self::Document,
            Unit::Paragraph => Self::Paragraph,
            Unit::Sentence => Self::Sentence,
        }
    }
}

/// Where tokens come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TokenSource {
    /// The recipe's normalisation finds them in running text
    #[default]
    Found,
    /// Each line is a token as it stands; for vertical files each word line
    AsIs,
}

/// What shingles are told apart by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Fingerprint {
    /// Hashes of their tokens, checked: scores are exact
    Tokens,
    /// Rabin fingerprints of their characters, reduced by --modulus
    Rabin,
}
