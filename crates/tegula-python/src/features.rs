//! The features of single texts, and joins over features, for programs that build on them.

use crate::error::raised;
use pyo3::prelude::*;
use std::collections::BTreeSet;
use std::sync::Mutex;
use tegula::Dedup;
use tegula::error::Result;
use tegula::hash::Width;
use tegula::recipe::Recipe;
use tegula::shingle::Shingler;
use tegula::sketch::minwise::MinWise;
use tegula::sketch::simhash;
use tegula::text::fingerprints::fingerprints;
use tegula::text::normalise::Normaliser;
use tegula::text::words::Words;

/// What a recipe compares of a text.
#[pyclass(frozen, module = "tegula._tegula")]
pub(crate) struct Features {
    normaliser: Normaliser,
    shingler: Shingler,
    seed: u64,
    words: Mutex<Words>,
}

impl Features {
    /// The number of tokens, and the shingles of a text.
    fn shingles(&self, text: &str) -> Vec<u64> {
        let mut words = self
            .words
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let (mut tokens, mut ids) = (Vec::new(), Vec::new());
        if fingerprints(&self.normaliser, &mut words, text, &mut tokens) > 0 {
            self.shingler.ids(&tokens, &mut ids);
        }
        ids
    }
}

#[pymethods]
impl Features {
    #[new]
    #[pyo3(signature = (recipe, ngram=None, settings=Vec::new()))]
    fn new(
        py: Python<'_>,
        recipe: &str,
        ngram: Option<usize>,
        settings: Vec<(String, String)>,
    ) -> PyResult<Self> {
        raised(py, Self::of(recipe, ngram, &settings))
    }

    /// The tokens of a text, as they are compared.
    fn tokens(&self, text: &str) -> Vec<String> {
        let mut all = Vec::new();
        self.normaliser
            .for_each(text, |token| all.push(token.to_owned()));
        all
    }

    /// The fingerprints of its shingles, in order.
    fn fingerprints(&self, py: Python<'_>, text: &str) -> Vec<u64> {
        py.detach(|| self.shingles(text))
    }

    /// The smallest values of its shingles under `count` hash functions.
    fn minhash(&self, py: Python<'_>, text: &str, count: usize) -> Vec<u32> {
        py.detach(|| {
            let mut minima = Vec::new();
            MinWise::new(count, self.seed).minima(&self.shingles(text), &mut minima);
            minima
        })
    }

    /// The 64 bits of its simhash, each shingle with the same weight.
    fn simhash(&self, py: Python<'_>, text: &str) -> u64 {
        py.detach(|| simhash::of_equal_weights(&self.shingles(text)))
    }
}

impl Features {
    fn of(recipe: &str, ngram: Option<usize>, settings: &[(String, String)]) -> Result<Self> {
        let mut recipe = Recipe::named(recipe)?;
        if let Some(ngram) = ngram {
            recipe.ngram = ngram;
        }
        let settings = settings.iter();
        recipe = recipe.with_all(settings.map(|(key, value)| (key.as_str(), value.as_str())))?;
        Ok(Self {
            normaliser: recipe.check()?,
            shingler: Shingler::new(recipe.ngram, Width::FULL),
            seed: recipe.seed.into(),
            words: Mutex::default(),
        })
    }
}

/// All pairs of sets whose score reaches a threshold.
#[pyclass(frozen, module = "tegula._tegula")]
pub(crate) struct Join {
    dedup: Dedup<'static>,
}

#[pymethods]
impl Join {
    #[new]
    fn new(py: Python<'_>, recipe: &str, threshold: &str) -> PyResult<Self> {
        // Sets are texts whose tokens are the numbers of their features.
        let dedup = Dedup::recipe(recipe)
            .and_then(|dedup| dedup.normalise("as-is")?.ngram(1)?.threshold(threshold));
        Ok(Self {
            dedup: raised(py, dedup)?,
        })
    }

    /// The pairs (i, j, score) of the sets, i before j. Empty sets are in no pair.
    fn pairs(&self, py: Python<'_>, sets: Vec<Vec<u64>>) -> PyResult<Vec<(usize, usize, f64)>> {
        let found = py.detach(|| self.found(&sets));
        raised(py, found)
    }
}

impl Join {
    fn found(&self, sets: &[Vec<u64>]) -> Result<Vec<(usize, usize, f64)>> {
        let texts = sets.iter().map(|set| {
            let distinct: BTreeSet<u64> = set.iter().copied().collect();
            let names: Vec<String> = distinct
                .iter()
                .map(|feature| format!("{feature:x}"))
                .collect();
            names.join("\n")
        });
        let texts: Vec<String> = texts.collect();
        let pairs = self.dedup.pairs(texts.iter().map(String::as_str))?;
        let mut found = Vec::new();
        for pair in pairs.iter() {
            let pair = pair?;
            let (a, b) = (pair.a, pair.b);
            if !sets[a].is_empty() && !sets[b].is_empty() {
                found.push((a, b, pair.score.as_f64()));
            }
        }
        found.sort_by_key(|(a, b, _)| (*a, *b));
        Ok(found)
    }
}
