//! Options for the recipe: the method and its parameters.

use super::values::Setting;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use tegula::recipe::Staged;
use tegula::record::Level;
use tegula::text::digest::Digest;
use tegula::threshold::Threshold;

/// The method and its parameters.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Recipe")]
pub(crate) struct RecipeArgs {
    /// A built-in recipe, a file NAME.toml, or auto, which chooses by a sample of the inputs; `tegula
    /// recipes` lists them [default: copies]
    #[arg(long, value_name = "NAME|FILE.toml")]
    pub(crate) recipe: Option<String>,

    /// The recipe chosen.
    #[arg(skip)]
    pub(crate) advice: Option<Staged>,

    /// Unit of comparison [default: the recipe's, document]
    #[arg(long, value_name = "UNIT", value_enum)]
    pub(crate) unit: Option<Unit>,

    /// Tokens in a shingle [default: the recipe's, 5]
    #[arg(long, value_name = "N")]
    pub(crate) ngram: Option<usize>,

    /// Lowest score of a match: 0.8, 80% or 4/5 [default: the recipe's, 0.75]
    #[arg(long, value_name = "T", value_parser = super::values::threshold)]
    pub(crate) threshold: Option<Threshold>,

    /// Normalisation: default, kupietz, plain, as-is, messages or message-words [default: the
    /// recipe's]
    #[arg(long, value_name = "PRESET")]
    pub(crate) normalize: Option<String>,

    /// Where tokens come from [default: found; own under onion and benko]
    #[arg(long, value_name = "HOW", value_enum)]
    pub(crate) tokens: Option<TokenSource>,

    /// What shingles are identified by [default: the recipe's, tokens]
    #[arg(long, value_name = "KIND", value_enum)]
    pub(crate) fingerprint: Option<Fingerprint>,

    /// Prime modulus that reduces Rabin fingerprints
    #[arg(long, value_name = "P", requires = "fingerprint")]
    pub(crate) modulus: Option<u64>,

    /// Digest that identifies whole units, under exact and plain [default: the recipe's, tegula]
    #[arg(long, value_name = "DIGEST", value_enum)]
    pub(crate) digest: Option<DigestArg>,

    /// Report scores estimated from signatures instead of the true measure, for recipes with
    /// signatures
    #[arg(long)]
    pub(crate) estimate: bool,

    /// Document frequencies for term weighting, from `tegula stats` [default: those of the inputs]
    #[arg(long, value_name = "FILE")]
    pub(crate) statistics: Option<PathBuf>,

    /// Weights of word classes for simfinder: a TOML file with lines such as noun = [0.8, 1.0]
    #[arg(long, value_name = "FILE.toml")]
    pub(crate) class_weights: Option<PathBuf>,

    /// Random seed, for sketches and random lexicons [default: the recipe's, 0]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u32>,

    /// Set a field of the recipe, such as normalise.digits=number, or of a stage, such as
    /// documents.ngram=5; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) settings: Vec<Setting>,
}

/// A unit, as named on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Unit {
    /// The whole record
    Document,
    /// Its paragraphs
    Paragraph,
    /// Its sentences
    Sentence,
    /// Passages that occur in other texts, wherever they begin and end: the recipe passages
    Passage,
}

impl From<Unit> for Level {
    fn from(unit: Unit) -> Self {
        match unit {
            Unit::Document => Self::Document,
            Unit::Paragraph => Self::Paragraph,
            Unit::Sentence => Self::Sentence,
            Unit::Passage => Self::Passage,
        }
    }
}

/// Where tokens come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TokenSource {
    /// Found in running text by the recipe's normalisation
    Found,
    /// The file's tokens: each line of a vertical file, each form of CoNLL-U; in other files as
    /// found. Onion only
    Own,
    /// Each line is a token, unchanged, in any file; in vertical files, each word line
    AsIs,
}

/// What shingles are identified by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Fingerprint {
    /// Hashes of their tokens, checked: scores are exact
    Tokens,
    /// Rabin fingerprints of their characters, modulo --modulus
    Rabin,
}

/// What whole units are identified by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DigestArg {
    /// Tegula's 128-bit hash: the fastest
    Tegula,
    /// MD5 of the tokens joined by spaces
    Md5,
    /// SHA-1 of the same
    Sha1,
    /// XXH3 of the same, 128 bits
    #[value(name = "xxh3-128")]
    Xxh3,
}

impl From<DigestArg> for Digest {
    fn from(digest: DigestArg) -> Self {
        match digest {
            DigestArg::Tegula => Self::Tegula,
            DigestArg::Md5 => Self::Md5,
            DigestArg::Sha1 => Self::Sha1,
            DigestArg::Xxh3 => Self::Xxh3,
        }
    }
}
