//! `simfinder`: short messages that share their telling words
//!
//! Terms weigh by class of word, frequency and length; runs of three of the heaviest nominate, weighted resemblance decides.

use super::{Card, Frequent, Keys, Measure, Scale, Weights};
use std::collections::BTreeMap;

pub(super) const CARD: Card = Card {
    name: "simfinder",
    title: "short messages that share their telling words",
    paper: "Gong et al. 2008 (SimFinder), §3",
    guarantee: "as the paper has it: pairs above the threshold that share three terms which follow each other in the order of weight; its score is the true one",
    cost: "three passes over the text, one table of terms in memory, few comparisons; with transitive = true fewer yet",
    good_for: "short messages, titles, posts, in English, German and Chinese",
    not_for: "long texts; scores depend on the collection, or on the background file",
    measure: Measure::WeightedResemblance,
    ngram: 1,
    threshold: (13, 20),
    normalise: "message-words",
    keys: Some(Keys::Grams { size: 3, features: 0 }),
    weights: Some(Weights::Classes { frequent: Frequent::Low, scale: Scale::Log, length: true, intervals: BTreeMap::new() }),
};
