//! The task that compares candidates.

use super::message::{Kind, Received, Sent};
use super::search::{At, of, of_text, ranked, texts};
use std::collections::BTreeMap;
use tegula::Result;
use tegula::evidence::{Hidden, Millionths};
use tegula::steps::{Candidate, Finds, Match, Ranked, Rescoring, Search, Text};

/// What rescoring says of a pair, by the ids of its texts.
pub(super) type Scored = (u64, u64, Option<Millionths>, Option<Millionths>);

/// Compares the candidates whose larger text is in a split.
pub(super) fn verify(
    at: &At,
    search: &Search,
    split: u64,
    received: &Received,
    sent: &mut Sent,
) -> Result<()> {
    let mut pairs = received.rows::<Candidate>(Kind::Candidates)?;
    if pairs.is_empty() {
        return Ok(());
    }
    pairs.sort_unstable();
    pairs.dedup();
    let (own, own_ranked) = (texts(received)?, ranked(received)?);
    let others: BTreeMap<u32, Text> = received
        .rows::<Text>(Kind::Sent)?
        .into_iter()
        .map(|text| (text.start, text))
        .collect();
    let mut bodies: BTreeMap<u32, String> = received
        .values::<(u32, String)>(Kind::Bodies)?
        .into_iter()
        .collect();
    let mut sent_ranked = received.rows::<Ranked>(Kind::SentRanked)?;
    sent_ranked.sort_by_key(|row| row.start());
    let starts = pairs.iter().flat_map(|pair| [pair.larger, pair.smaller]);
    let mut wanted: Vec<u32> = starts.filter(|start| !others.contains_key(start)).collect();
    wanted.sort_unstable();
    wanted.dedup();
    bodies.extend(at.bodies(split, &own, &wanted)?);
    let text = |start: u32| {
        let text = others.get(&start).unwrap_or_else(|| of(&own, start));
        (*text, bodies.get(&start).map_or("", String::as_str))
    };
    let features = |start: u32| {
        let all = if others.contains_key(&start) {
            &sent_ranked
        } else {
            &own_ranked
        };
        of_text(all, start)
    };
    let matches: Vec<Match> = if at.by_features(search) {
        let compare = |pair: &Candidate| {
            let [a, b] = [pair.larger, pair.smaller].map(|start| (text(start).0, features(start)));
            search.compare(a, b)
        };
        pairs.iter().filter_map(compare).collect()
    } else {
        search.verify(&pairs, text)
    };
    let starts: BTreeMap<u64, u32> = pairs
        .iter()
        .flat_map(|pair| [pair.larger, pair.smaller])
        .map(|start| (text(start).0.id(), start))
        .collect();
    let (mut passing, mut hidden_pairs, mut hidden) = (Vec::new(), Vec::new(), Hidden::default());
    let mut scores: Vec<Scored> = Vec::new();
    for pair in matches {
        let (a, b) = pair.ids();
        let [text_a, text_b] = [a, b].map(|id| text(starts[&id]));
        match search.rescored(pair, text_a, text_b)? {
            Rescoring::Hidden(by) => {
                by.count(&mut hidden);
                hidden_pairs.push(pair);
            }
            Rescoring::Passes {
                levenshtein,
                unmasked,
            } => {
                passing.push(pair);
                if levenshtein.is_some() || unmasked.is_some() {
                    scores.push((a, b, levenshtein, unmasked));
                }
            }
        }
    }
    sent.rows(Kind::Matches, split, 1, &passing);
    if at.worker.recipe.transitive {
        sent.rows(Kind::Matches, split, 0, &hidden_pairs);
    }
    if !scores.is_empty() {
        sent.value(Kind::Rescored, split, &scores)?;
    }
    let allows = |pair: &&Candidate| {
        let [a, b] = [pair.larger, pair.smaller].map(|start| text(start).0.whole.origin());
        at.method.allows(a, b)
    };
    let compared = pairs.iter().filter(allows).count() as u64;
    sent.value(Kind::Counted, split, &(compared, hidden))?;
    if search.finds() == Finds::Keys {
        let sets: Vec<(u64, u32)> = starts
            .iter()
            .map(|(id, start)| (*id, text(*start).0.set))
            .collect();
        sent.value(Kind::Sets, split, &sets)?;
    }
    Ok(())
}
