//! Reads the features of texts under a recipe.

use super::method::Method;
use super::reading::Reading;
use crate::engine::reading::{Buffers, Shingles, Steps};
use crate::engine::sign::{Signer, Work};
use crate::error::Result;
use crate::hash::{Fingerprint, Sequence, Width};
use crate::rarity::Rarity;
use crate::recipe::Recipe;
use crate::shingle::Shingler;
use crate::statistics::Statistics;
use crate::text::items::Items;
use crate::text::normalise::Normaliser;
use std::sync::{Arc, LazyLock};

/// Reads texts under a recipe that compares all features of two texts.
pub(crate) struct Reader {
    steps: Steps,
    method: Method,
    shingles: Shingles,
    signer: Option<Signer<'static>>,
    /// The frequencies of shingles, if they are weighted by these.
    statistics: Option<Arc<Statistics>>,
}

/// Those that signatures need: none, as a recipe whose keys do is not looked up.
static NO_STATISTICS: LazyLock<Statistics> = LazyLock::new(Statistics::default);

/// The buffers of one thread.
#[derive(Default)]
pub(crate) struct Room {
    buffers: Buffers,
    work: Work,
}

impl Room {
    /// The fingerprints of the tokens of the last text that was read; of one without tokens, that of its
    /// bytes.
    pub(crate) fn tokens(&self) -> &[Fingerprint] {
        &self.buffers.tokens
    }
}

impl Reader {
    /// For a recipe whose keys need no statistics; those of shingles are given if it weights them. With
    /// `of_asked`, scores are shares of the text that is asked about.
    ///
    /// # Errors
    /// Usage errors naming the field of the recipe.
    pub(crate) fn new(
        recipe: &Recipe,
        statistics: Option<Arc<Statistics>>,
        of_asked: bool,
    ) -> Result<Self> {
        let shingles = Shingles::of(recipe, Width::FULL)?;
        let signer = recipe.keys.as_ref();
        Ok(Self {
            steps: Steps::of(recipe)?,
            method: Method::new(recipe, of_asked),
            signer: signer
                .map(|keys| Signer::new(recipe, keys, &NO_STATISTICS, None, 0))
                .transpose()?,
            statistics: statistics.filter(|_| recipe.measure.needs_rarity()),
            shingles,
        })
    }

    /// How texts are scored.
    pub(crate) fn method(&self) -> Method {
        self.method
    }

    /// The normalisation.
    pub(crate) fn normaliser(&self) -> &Normaliser {
        &self.steps.normaliser
    }

    /// The items on which texts must agree.
    pub(crate) fn items(&self) -> Option<&Items> {
        self.steps.apart().items
    }

    /// How tokens become shingles.
    pub(crate) fn shingler(&self) -> &Shingler {
        &self.shingles.shingler
    }

    /// Reads the features of a text; returns whether it has tokens.
    pub(crate) fn read(&self, text: &str, room: &mut Room, out: &mut Reading) -> bool {
        let tokens = room.buffers.read(&self.steps.normaliser, text);
        self.features(text, tokens, room, out);
        tokens > 0
    }

    /// The features of a text with these tokens; `has_tokens` is false if that is one for its bytes. Not
    /// for shingles weighted by rarity, which need the text.
    pub(crate) fn read_tokens(
        &self,
        tokens: &[Fingerprint],
        has_tokens: bool,
        room: &mut Room,
        out: &mut Reading,
    ) {
        room.buffers.tokens.clear();
        room.buffers.tokens.extend_from_slice(tokens);
        let count = if has_tokens { tokens.len() } else { 0 };
        self.features("", count, room, out);
    }

    fn features(&self, text: &str, tokens: usize, room: &mut Room, out: &mut Reading) {
        let Room { buffers, work } = room;
        out.clear();
        let statistics = self.statistics.as_deref();
        let rarity = statistics.map(|counted| Rarity::new(0, self.shingles.weights, counted));
        let normaliser = &self.steps.normaliser;
        let whole = |tokens: &[Fingerprint]| {
            let mut all = Sequence::default();
            for token in tokens {
                all.push(*token);
            }
            all.finish()
        };
        if let Some(signer) = &self.signer {
            signer.sign(normaliser, text, tokens, buffers, work);
            let signature = &work.signature;
            if signature.keys.is_empty() {
                // It matches equal texts only.
                out.all.push((whole(&buffers.tokens), 0));
            } else {
                out.all.extend(signature.keys.iter().map(|key| (*key, 0)));
                out.signature = Some(signature.bits);
            }
        } else if self.method.measure().is_equality() {
            out.all.push((whole(&buffers.tokens), 0));
        } else {
            self.shingles.ids(normaliser, text, buffers);
            let shingler = &self.shingles.shingler;
            let tokens = &buffers.tokens;
            let times = |at: usize| match rarity {
                Some(rarity) if shingler.has(&buffers.numbers, at) => rarity.weights.numbers(),
                Some(_) => 1,
                None => at as u32,
            };
            (out.all).extend(buffers.ids.iter().enumerate().map(|(at, id)| {
                let check = shingler.check(tokens, at);
                (Fingerprint { id: *id, check }, times(at))
            }));
        }
        if rarity.is_some() {
            out.all.sort_unstable();
            out.all.dedup();
        }
        out.sort(buffers.tokens.len());
        if let Some(rarity) = rarity {
            let Reading {
                all,
                distinct,
                weights,
                size,
                ..
            } = out;
            weights.extend(distinct.iter().map(|at| {
                let equal = &all[at.start as usize..at.end as usize];
                let times: u64 = equal.iter().map(|(_, times)| u64::from(*times)).sum();
                times * u64::from(rarity.weight_of(equal[0].0.id, 1))
            }));
            size.weight = weights.iter().sum();
        }
    }
}
