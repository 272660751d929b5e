//! The task that compares candidates.

use super::at::{At, by_start, of, of_text, texts};
use super::message::{Kind, Received, Sent};
use std::collections::{BTreeMap, HashMap, HashSet};
use tegula::Result;
use tegula::evidence::{Hidden, Millionths};
use tegula::pair::Validation;
use tegula::steps::{Candidate, Finds, Ranked, Rescoring, Search, Text};

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
    let (own, own_ranked) = (
        texts(received)?,
        by_start(received.rows::<Ranked>(Kind::Ranked)?),
    );
    let mut bodies: BTreeMap<u32, String> = received
        .values::<(u32, String)>(Kind::Bodies)?
        .into_iter()
        .collect();
    let others = received.rows::<Text>(Kind::Sent)?;
    let sent_ranked = by_start(received.rows::<Ranked>(Kind::SentRanked)?);
    let are_sent: HashSet<u32> = others.iter().map(|text| text.start).collect();
    let starts = pairs.iter().flat_map(|pair| [pair.larger, pair.smaller]);
    let mut wanted: Vec<u32> = starts.filter(|start| !are_sent.contains(start)).collect();
    wanted.sort_unstable();
    wanted.dedup();
    bodies.extend(at.bodies(split, &own, &wanted)?);
    let all: HashMap<u32, (Text, &str)> = others
        .into_iter()
        .chain(wanted.iter().map(|start| *of(&own, *start)))
        .map(|text| {
            let body = bodies.get(&text.start).map_or("", String::as_str);
            (text.start, (text, body))
        })
        .collect();
    let text = |start: u32| all[&start];
    let features = |start: u32| {
        let of_all = if are_sent.contains(&start) {
            &sent_ranked
        } else {
            &own_ranked
        };
        of_text(of_all, start)
    };
    let (matches, validation) = if at.by_features(search) {
        let compared = search.compare(&pairs, |start| (text(start).0, features(start)));
        (compared, Validation::default())
    } else {
        search.verify(&pairs, text, features)
    };
    let of_ids: HashMap<u64, (Text, &str)> = all.values().map(|of| (of.0.id(), *of)).collect();
    let (mut passing, mut hidden_pairs, mut hidden) = (Vec::new(), Vec::new(), Hidden::default());
    let mut scores: Vec<Scored> = Vec::new();
    for pair in matches {
        let (a, b) = pair.ids();
        match search.rescored(pair, of_ids[&a], of_ids[&b])? {
            Rescoring::Hidden(by) => {
                by.count(&mut hidden);
                hidden_pairs.push(pair);
            }
            Rescoring::Passes {
                of,
                levenshtein,
                unmasked,
            } => {
                passing.push(of);
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
    sent.value(Kind::Counted, split, &(compared, hidden, validation))?;
    if search.finds() == Finds::Keys {
        let mut sets: Vec<(u64, u32)> = all
            .values()
            .map(|(text, _)| (text.id(), text.set))
            .collect();
        sets.sort_unstable();
        sent.value(Kind::Sets, split, &sets)?;
    }
    Ok(())
}
