//! Options of Onion only: how it treats short units, and which tokens it counts.

/// Options of Onion only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Onion {
    /// Whether short runs of kept units between removed ones, or at a document's edge, are also
    /// removed.
    pub smooth: bool,
    /// The maximum number of tokens in such a run.
    pub stub: u32,
    /// How to treat units shorter than an n-gram.
    pub short: Short,
    /// Which tokens count.
    pub tokens: Tokens,
}

impl Default for Onion {
    fn default() -> Self {
        Self {
            smooth: true,
            stub: 20,
            short: Short::Ngrams,
            tokens: Tokens::Own,
        }
    }
}

/// Which tokens Onion counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tokens {
    /// The file's own tokens, if its format marks them: each line of vertical text unchanged, each
    /// form of CoNLL-U; otherwise as found.
    #[default]
    Own,
    /// The tokens that normalisation finds in the text.
    Found,
}

/// How to treat units shorter than an n-gram.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Short {
    /// They match together with the tokens before them, like all others.
    #[default]
    Ngrams,
    /// They are also removed if an equal one was previously seen.
    Exact,
}
