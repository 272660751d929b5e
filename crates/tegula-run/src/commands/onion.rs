//! Near-duplicate paragraphs of a vertical file, as the original Onion finds them.

use crate::command::{Answer, Command};
use crate::host::Host;
use crate::opened::claims;
use crate::options::Shown;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Instant;
use tegula::declare::{Holds, Parsed};
use tegula::error::{Error, ErrorKind, Result};
use tegula::onion::{Rules, single_precision};
use tegula::threshold::Threshold;
use tegula_io::onion::{self, Options, Summary, Tags};

tegula::options! {
    /// Marks near-duplicate paragraphs as Onion does, decision for decision.
    pub struct OnionSpec under "" {
        /// A vertical file, optionally compressed; several for ⟨save_fingerprints⟩ [default: -, standard
        /// input]
        #[serde(with = "tegula_io::path::list")]
        pub files: Vec<PathBuf> => "FILE",
    } under "Options" {
        /// Tokens in an n-gram [default: 7, or that of the saved fingerprints]
        pub ngram: Option<u16> => "NUM",

        /// Remove a paragraph if more than this share of its tokens was previously seen [default: 0.5]
        pub threshold: Option<Share> => "NUM",

        /// Tag that starts a document [default: doc]
        pub doc_tag: Option<String> => "TAG",

        /// Tag that starts a paragraph; use the document tag to judge whole documents [default: p]
        pub par_tag: Option<String> => "TAG",

        /// Treatment of paragraphs shorter than an n-gram: judged by the n-grams that end in them
        /// (ngrams), or also removed if the whole paragraph was seen before (exact) [default: ngrams]
        pub short: Option<Short> => "HOW",

        /// Write only the kept text, without marks
        pub strip: bool => "",

        /// No smoothing: short runs of kept paragraphs are kept whatever surrounds them
        pub no_smoothing: bool => "",

        /// Smoothing: maximum length, in tokens, of a run of paragraphs that is removed together with
        /// its surroundings [default: 20]
        pub max_stub_length: Option<u32> => "NUM",

        /// Fingerprints of repeated n-grams, saved by ⟨save_fingerprints⟩: one pass, with only these in
        /// memory
        #[serde(with = "tegula_io::path::option")]
        pub fingerprints: Option<PathBuf> => "FILE",

        /// Mark nothing, but write the n-grams that occur more than once in all files together to this
        /// file, for runs with ⟨fingerprints⟩ on these files, together or one by one, at any threshold
        /// and level, with the same n and document tag
        #[serde(with = "tegula_io::path::option")]
        pub save_fingerprints: Option<PathBuf> => "FILE",

        /// Read the input once, keep no copy of a stream, and hold every n-gram; fail if they do not fit
        /// [default: read it twice, and hold those that occur more than once]
        pub one_pass: bool => "",

        /// Output file, compressed according to its name [default: standard output]
        #[serde(with = "tegula_io::path::option")]
        pub output: Option<PathBuf> => "FILE",

        /// Accepted for compatibility, without effect: n-grams are not trimmed
        pub trim_bits: Option<u64> => "NUM",

        /// Accepted for compatibility, without effect: ⟨memory⟩ is the ceiling
        pub buffer_size: Option<u64> => "NUM",
    }
}

tegula::choices! {
    /// Treatment of paragraphs shorter than an n-gram.
    pub enum Short, by default Ngrams {
        /// Judged by the n-grams that end in them
        Ngrams = "ngrams",
        /// Also removed if the whole paragraph was seen before
        Exact = "exact",
    }
}

/// A share of tokens, in single precision as in the original.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Share {
    text: String,
    /// Its value.
    pub threshold: Threshold,
}

impl Parsed for Share {
    const HOLDS: Holds = Holds::Any;

    fn parsed(text: &str) -> Result<Self> {
        Ok(Self {
            text: text.to_owned(),
            threshold: single_precision(text)?,
        })
    }
}

impl TryFrom<String> for Share {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parsed(&text)
    }
}

impl From<Share> for String {
    fn from(share: Share) -> Self {
        share.text
    }
}

/// Default number of tokens in an n-gram.
const NGRAM: usize = 7;
/// Default maximum length of a stub in tokens.
const STUB: u32 = 20;

/// What was done.
#[derive(Debug, Clone, PartialEq)]
pub enum Done {
    /// Paragraphs were marked, or removed.
    Marked {
        /// The figures.
        summary: Summary,
        /// How long it took.
        seconds: f64,
    },
    /// N-grams were saved.
    Saved {
        /// Those that occur more than once.
        repeated: u64,
        /// All occurrences.
        all: u64,
    },
}

impl Answer for Done {
    fn json(&self) -> Result<Value> {
        Ok(match self {
            Self::Saved { repeated, all } => json!({"repeated": repeated, "ngrams": all}),
            Self::Marked { summary, seconds } => json!({
                "documents": summary.documents,
                "documents_removed": summary.documents_removed,
                "paragraphs": summary.paragraphs,
                "paragraphs_removed": summary.paragraphs_removed,
                "paragraphs_smoothed": summary.paragraphs_smoothed,
                "tokens": summary.tokens,
                "tokens_removed": summary.tokens_removed,
                "ngrams": summary.ngrams,
                "passes": summary.passes,
                "seconds": seconds,
            }),
        })
    }
}

impl Command for OnionSpec {
    const NAME: &'static str = "onion";
    const ABOUT: &'static str =
        "Mark near-duplicate paragraphs in a vertical file: a drop-in replacement for Onion";
    const EXAMPLES: &'static str = "Every line is written with a prefix: 0 and a tab if it is kept, 1 and a tab if it is removed. A
paragraph is removed if the share of its tokens in previously seen n-grams exceeds the threshold:
n-grams earlier in its document, or in a kept paragraph of an earlier document. A line that starts
with < is structure; any other whole line is a token, in whatever encoding.

Examples:
  tegula onion corpus.vert > marked.vert
  tegula onion -n 5 -t 0.9 -s corpus.vert.gz -o clean.vert.zst
  zcat corpus.vert.gz | tegula onion -sm -d text -q > clean.vert
  tegula onion corpus.vert --save-fingerprints corpus.ngrams
  tegula onion -t 0.7 -f corpus.ngrams corpus.vert > marked.vert";
    const SHOWN: Shown = Shown::running(&[]);
    type Answer = Done;

    fn run(&self, host: &Host) -> Result<Done> {
        let options = self.options()?;
        if let Some(output) = &self.save_fingerprints {
            return self.save(host, output, &options);
        }
        let clock = Instant::now();
        let input = match &*self.files {
            [] => Path::new("-"),
            [file] => file,
            [_, second, ..] => {
                return Err(ErrorKind::Usage
                    .expected("one file")
                    .found(format!("a second, {}", second.display()))
                .hint(
                    "run once per file, or clean them together with tegula dedup and ⟨recipe=onion⟩",
                ));
            }
        };
        let target = self.output.as_deref().unwrap_or(Path::new("-"));
        let read = std::iter::once(input).chain(self.fingerprints.as_deref());
        let outputs = claims::files(host, read, &[("⟨output⟩", Some(target))])?;
        let to = (&outputs, self.output.as_deref());
        let summary = onion::deduplicate(&host.context, input, to, &options)?;
        claims::publish(host, &outputs)?;
        if summary.tokens == 0 {
            host.warn("there are no tokens in the input");
        }
        Ok(Done::Marked {
            summary,
            seconds: clock.elapsed().as_secs_f64(),
        })
    }
}

impl OnionSpec {
    /// Saves the n-grams that occur more than once.
    fn save(&self, host: &Host, output: &Path, options: &Options) -> Result<Done> {
        let stdin = [PathBuf::from("-")];
        let inputs = if self.files.is_empty() {
            &stdin
        } else {
            &*self.files
        };
        let outputs = claims::files(
            host,
            inputs.iter().map(PathBuf::as_path),
            &[("⟨save_fingerprints⟩", Some(output))],
        )?;
        let (repeated, all) =
            onion::save_fingerprints(&host.context, inputs, (&outputs, output), options)?;
        claims::publish(host, &outputs)?;
        Ok(Done::Saved { repeated, all })
    }

    /// Checks what can be checked before anything is read.
    fn options(&self) -> Result<Options> {
        if self.ngram == Some(0) {
            return Err(Error::of("⟨ngram⟩").expected("at least 1").found("0"));
        }
        for (option, is_given) in [
            ("⟨fingerprints⟩", self.fingerprints.is_some()),
            ("⟨strip⟩", self.strip),
            ("⟨one_pass⟩", self.one_pass),
            ("⟨output⟩", self.output.is_some()),
        ] {
            if is_given && self.save_fingerprints.is_some() {
                return Err(Error::of("⟨save_fingerprints⟩")
                    .expected(format!("no {option}, as nothing is marked"))
                    .found("both")
                    .hint("leave out one of the two"));
            }
        }
        if self.one_pass && self.fingerprints.is_some() {
            return Err(Error::of("⟨one_pass⟩")
                .expected("no ⟨fingerprints⟩, which need one pass anyway")
                .found("both")
                .hint("leave out one of the two"));
        }
        let ngram = match (self.ngram, &self.fingerprints) {
            (Some(ngram), _) => usize::from(ngram),
            (None, Some(path)) => onion::facts(path)?.ngram,
            (None, None) => NGRAM,
        };
        let threshold = self.threshold.as_ref().map(|share| share.threshold);
        let stub = self.max_stub_length.unwrap_or(STUB);
        Ok(Options {
            rules: Rules {
                ngram,
                threshold: threshold.map_or_else(|| single_precision("0.5"), Ok)?,
                smooth: (!self.no_smoothing).then_some(stub),
            },
            tags: self.tags()?,
            whole: self.short == Some(Short::Exact),
            strip: self.strip,
            once: self.one_pass,
            saved: self.fingerprints.clone(),
        })
    }

    /// The tags of documents and paragraphs.
    fn tags(&self) -> Result<Tags> {
        let document = self.doc_tag.as_deref().unwrap_or("doc");
        let paragraph = self.par_tag.as_deref().unwrap_or("p");
        Tags::new(document, paragraph).map_err(|error| {
            let option = if error.message().starts_with("document") {
                "⟨doc_tag⟩"
            } else {
                "⟨par_tag⟩"
            };
            Error::of(option).problem(error.message())
        })
    }
}
