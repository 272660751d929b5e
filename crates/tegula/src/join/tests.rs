//! Every measure through both drivers, compared with all pairs.

use super::*;
use crate::block::Block;
use crate::context::{Budget, Context};
use crate::evidence::PairSink;
use crate::hash::mix;
use crate::measure::{Bound, Collection, Compares, Keys, Marks, Measure};
use crate::pair::{Allow, Pair};
use crate::rarity::below;
use crate::scratch::Scratch;
use std::collections::BTreeMap;

/// Numbers that are the same in each run of the tests.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 += 1;
        mix(self.0) % end
    }
}

/// A text: its distinct shingles, its tokens, its group, its total weight, and its features.
type Row = (u32, u32, u32, u64, Vec<[u32; 3]>);

/// Texts of random features, some of which are near copies of others; as a block in the order that
/// a measure wants. With `chains`, features are of several shingles.
fn texts(numbers: &mut Numbers, measure: Measure, chains: bool, of: &Collection) -> Block {
    let (compares, squares) = (measure.compares(), measure == Measure::Cosine);
    let weighs = matches!(compares, Compares::Terms | Compares::Rarity);
    let kinds = 4 + numbers.below(40);
    let mut texts: Vec<Vec<u64>> = Vec::new();
    for _ in 0..5 + numbers.below(40) {
        let mut text: Vec<u64> = match texts.len() as u64 {
            count if count > 0 && numbers.below(2) == 0 => {
                texts[numbers.below(count) as usize].clone()
            }
            _ => (0..=numbers.below(25))
                .map(|_| numbers.below(kinds))
                .collect(),
        };
        for _ in 0..numbers.below(4) {
            let at = numbers.below(text.len() as u64) as usize;
            text[at] = numbers.below(2 * kinds);
        }
        texts.push(text);
    }
    // Shingles in a chain, or the weight of a term: the same in all texts.
    let length = |feature: u64| if chains { 1 + mix(feature) % 70 } else { 1 };
    let weight =
        |feature: u64, text: usize| 1 + (mix(feature) % 90_000 + mix(text as u64) % 9) as u32;
    let by_slot = |at: usize, feature: u64| {
        if compares == Compares::Slots {
            feature << 8 | at as u64
        } else {
            feature
        }
    };
    let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
    for text in &texts {
        let mut distinct: Vec<u64> = text
            .iter()
            .enumerate()
            .map(|(at, feature)| by_slot(at, *feature))
            .collect();
        distinct.sort_unstable();
        distinct.dedup();
        for feature in distinct {
            *counts.entry(feature).or_default() += 1;
        }
    }
    let mut order: Vec<(u64, u64)> = counts
        .iter()
        .filter(|(_, df)| **df > 1)
        .map(|(feature, df)| (*df, *feature))
        .collect();
    order.sort_unstable();
    let rank: BTreeMap<u64, u32> = order
        .iter()
        .zip(0..)
        .map(|((_, feature), rank)| (*feature, rank))
        .collect();
    let mut rows: Vec<Row> = Vec::new();
    for (group, text) in texts.iter().enumerate() {
        let (mut features, mut place, mut total) = (Vec::new(), 0, of.base);
        let mut seen = std::collections::BTreeSet::new();
        for (at, feature) in text.iter().enumerate() {
            let (feature, shingles) = (by_slot(at, *feature), length(*feature) as u32);
            let amount = match compares {
                Compares::Terms => weight(feature, group),
                Compares::Rarity => shingles * weight(feature, 0),
                _ => shingles,
            };
            let is_new = seen.insert(feature);
            if is_new && weighs {
                total += if squares {
                    u64::from(amount) * u64::from(amount)
                } else {
                    u64::from(amount)
                };
            }
            if let Some(rank) = rank.get(&feature)
                && (is_new || compares == Compares::Sequences)
            {
                features.push([*rank, place, amount]);
            }
            place += shingles;
        }
        features.sort_unstable();
        let distinct = seen
            .iter()
            .map(|feature| {
                length(if compares == Compares::Slots {
                    feature >> 8
                } else {
                    *feature
                }) as u32
            })
            .sum();
        let set = if compares == Compares::Rarity {
            below(total)
        } else {
            distinct
        };
        rows.push((set, place + of.n as u32 - 1, group as u32, total, features));
    }
    rows.retain(|(.., features)| !features.is_empty());
    let by_tokens = compares == Compares::Sequences;
    rows.sort_by_key(|(set, tokens, group, ..)| (if by_tokens { *tokens } else { *set }, *group));
    let mut block = Block {
        offsets: vec![0],
        ..Block::default()
    };
    for (set, tokens, group, total, features) in rows {
        block.groups.push(group);
        block.set_sizes.push(set);
        block.lengths.push(tokens);
        for [rank, place, amount] in features {
            block.ranks.push(rank);
            block.positions.push(place);
            if chains || weighs {
                block.amounts.push(amount);
            }
        }
        block.totals.extend([total as u32, (total >> 32) as u32]);
        block.offsets.push(block.ranks.len() as u32);
    }
    block
}

/// All pairs, examined one by one.
fn all(bound: &dyn Bound, block: &Block, allow: Allow) -> Vec<Pair> {
    let (mut found, mut marks) = (Vec::new(), Marks::default());
    for i in 0..block.len() {
        for j in 0..block.len() {
            let (a, b) = (block.text(i), block.text(j));
            let shares = a.ranks().iter().any(|rank| b.ranks().contains(rank));
            if a.group() < b.group()
                && shares
                && allow.pair(a.group(), b.group())
                && let Some((in_a, in_b)) = bound.shared(a, b, &mut marks)
            {
                found.push(Pair {
                    a: a.group(),
                    b: b.group(),
                    in_a,
                    in_b,
                });
            }
        }
    }
    found.sort_unstable();
    found
}

/// The pairs of blocks that are joined with blocks, cut at these places.
fn by_blocks(
    context: &Context,
    bound: &dyn Bound,
    block: &Block,
    cuts: &[usize],
    allow: Allow,
) -> Vec<Pair> {
    let ranks = block.ranks.iter().max().map_or(0, |rank| rank + 1);
    let parts: Vec<(u32, Block)> = cuts
        .windows(2)
        .filter(|cut| cut[0] < cut[1])
        .map(|cut| (cut[0] as u32, block.part(cut[0]..cut[1])))
        .collect();
    let sink = PairSink::new(context);
    for (base, indexed) in &parts {
        let side = Side::new(bound, indexed, *base);
        let index = Index::new(bound, &side, None, ranks);
        let of = |block: &Block| {
            let sizes = bound.sizes(block);
            (sizes[0], sizes[sizes.len() - 1])
        };
        for (base, block) in &parts {
            if bound.partners(of(block).0).reaches(of(indexed), of(block)) {
                join(
                    bound,
                    &index,
                    &Side::new(bound, block, *base),
                    (None, allow),
                    &sink,
                    &|| Ok(()),
                )
                .unwrap();
            }
        }
    }
    let (mut found, pairs) = (Vec::new(), sink.finish().unwrap());
    pairs
        .for_each(|pair| {
            found.push(pair);
            Ok(())
        })
        .unwrap();
    found
}

#[test]
fn every_measure_finds_the_same_pairs_by_either_driver() {
    let context = Context::new(1, Budget::MINIMUM, Scratch::system());
    let mut numbers = Numbers(20_131_107);
    let mut pairs = BTreeMap::new();
    for round in 0..200 {
        for measure in Measure::ALL {
            let base = if measure == Measure::Cosine {
                numbers.below(2) * 5_000
            } else {
                0
            };
            let chains = round % 2 == 1 && measure.needs_shingles();
            let of = Collection {
                n: 1 + numbers.below(6) as usize,
                longest: 1 << 11,
                base,
                slots: 25,
                singly: !chains,
            };
            let threshold = ["0.1", "1/3", "0.5", "0.75", "0.8", "0.95", "1"]
                [numbers.below(7) as usize]
                .parse()
                .unwrap();
            let Some(bound) = measure.rules().bound(threshold, &of) else {
                continue;
            };
            let block = texts(&mut numbers, measure, chains, &of);
            let some: Vec<bool> = (0..1000).map(|group| group % 3 == 0).collect();
            let allow = Allow {
                either: (round % 5 == 0).then_some(&some),
                ..Allow::default()
            };
            let expected = all(&*bound, &block, allow);
            let mut cuts = vec![0, block.len()];
            cuts.extend(
                (0..numbers.below(4)).map(|_| numbers.below(block.len() as u64 + 1) as usize),
            );
            cuts.sort_unstable();
            assert_eq!(
                by_blocks(&context, &*bound, &block, &cuts, allow),
                expected,
                "{measure:?} {threshold} in blocks, round {round}"
            );
            assert_eq!(
                postings(&*bound, &block, allow),
                expected,
                "{measure:?} {threshold} by postings, round {round}"
            );
            *pairs.entry(format!("{measure:?}")).or_insert(0) += expected.len();
        }
        let block = texts(
            &mut numbers,
            Measure::Resemblance,
            false,
            &Collection {
                n: 1,
                ..Collection::default()
            },
        );
        let expected = all(&Keys(1), &block, Allow::default());
        assert_eq!(
            by_blocks(
                &context,
                &Keys(1),
                &block,
                &[0, block.len() / 2, block.len()],
                Allow::default()
            ),
            expected
        );
        assert_eq!(postings(&Keys(1), &block, Allow::default()), expected);
    }
    let half = "0.5".parse().unwrap();
    let bounds = Measure::ALL.iter().filter(|measure| {
        measure
            .rules()
            .bound(half, &Collection::default())
            .is_some()
    });
    assert_eq!(pairs.len(), bounds.count());
    assert!(pairs.values().all(|count| *count > 500), "{pairs:?}");
}
