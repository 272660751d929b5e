//! What Onion's own commands know of tags and n-grams.

use clap::{Args, ValueEnum};
use tegula::error::{Error, Result};
use tegula_io::onion::Tags;

/// Tokens in an n-gram, where nothing says how many.
pub(crate) const NGRAM: usize = 7;

/// Where documents and paragraphs begin, and which paragraphs are judged as a whole.
#[derive(Debug, Clone, Args)]
pub(crate) struct TagArgs {
    /// Name of the tag that documents begin with
    #[arg(short = 'd', long, value_name = "TAG", default_value = "doc")]
    pub(crate) doc_tag: String,

    /// Name of the tag that paragraphs begin with; that of documents judges whole documents
    #[arg(short = 'p', long, value_name = "TAG", default_value = "p")]
    pub(crate) par_tag: String,

    /// What becomes of paragraphs shorter than an n-gram: judged by the n-grams they end (ngrams), or also gone if all
    /// of one was seen before (exact)
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    pub(crate) short: Short,
}

/// What becomes of paragraphs shorter than an n-gram.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Short {
    /// Judged by the n-grams that end in them
    #[default]
    Ngrams,
    /// Gone, too, if all of one was seen before
    Exact,
}

impl TagArgs {
    pub(crate) fn whole(&self) -> bool {
        self.short == Short::Exact
    }

    /// The tags of documents and paragraphs.
    ///
    /// # Errors
    /// Names the option whose tag is none.
    pub(crate) fn tags(&self) -> Result<Tags> {
        let (document, paragraph) = (&self.doc_tag, &self.par_tag);
        Tags::new(document, paragraph).map_err(|error| {
            let option = if error.message().starts_with("document") { "-d" } else { "-p" };
            Error::usage(format!("{option}: {}", error.message()))
        })
    }
}
