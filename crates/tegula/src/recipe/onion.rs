//! What only Onion has: what it does with short units, and which tokens it counts.

/// What only Onion has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Onion {
    /// Whether short runs of kept units between removed ones, or at a document's edge, go too.
    pub smooth: bool,
    /// Tokens that such a run has at most.
    pub stub: u32,
    /// What is done with units shorter than an n-gram.
    pub short: Short,
    /// Which tokens count.
    pub tokens: Tokens,
}

impl Default for Onion {
    fn default() -> Self {
        Self { smooth: true, stub: 20, short: Short::Ngrams, tokens: Tokens::Own }
    }
}

/// Which tokens Onion counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tokens {
    /// The file's own, where its format marks tokens: each line of vertical text as it stands, each form of CoNLL-U; else as found.
    #[default]
    Own,
    /// Those that the normalisation finds in the text.
    Found,
}

/// What is done with units shorter than an n-gram.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Short {
    /// They match together with the tokens before them, as all others do.
    #[default]
    Ngrams,
    /// They go too where an equal one was seen before.
    Exact,
}
