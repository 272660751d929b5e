//! Options of Onion's own commands: tags and n-grams.

use clap::{Args, ValueEnum};
use tegula::error::{Error, Result};
use tegula_io::onion::Tags;

/// Default number of tokens in an n-gram.
pub(crate) const NGRAM: usize = 7;

/// Tags of documents and paragraphs, and the treatment of short paragraphs.
#[derive(Debug, Clone, Args)]
pub(crate) struct TagArgs {
    /// Tag that starts a document
    #[arg(short = 'd', long, value_name = "TAG", default_value = "doc")]
    pub(crate) doc_tag: String,

    /// Tag that starts a paragraph; use the document tag to judge whole documents
    #[arg(short = 'p', long, value_name = "TAG", default_value = "p")]
    pub(crate) par_tag: String,

    /// Treatment of paragraphs shorter than an n-gram: judged by the n-grams that end in them
    /// (ngrams), or also removed if the whole paragraph was seen before (exact)
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    pub(crate) short: Short,
}

/// Treatment of paragraphs shorter than an n-gram.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Short {
    /// Judged by the n-grams that end in them
    #[default]
    Ngrams,
    /// Also removed if the whole paragraph was seen before
    Exact,
}

impl TagArgs {
    pub(crate) fn whole(&self) -> bool {
        self.short == Short::Exact
    }

    /// The tags of documents and paragraphs.
    ///
    /// # Errors
    /// When a tag is invalid; names its option.
    pub(crate) fn tags(&self) -> Result<Tags> {
        let (document, paragraph) = (&self.doc_tag, &self.par_tag);
        Tags::new(document, paragraph).map_err(|error| {
            let option = if error.message().starts_with("document") {
                "-d"
            } else {
                "-p"
            };
            Error::usage(format!("{option}: {}", error.message()))
        })
    }
}
