//! Columns, given frequencies, and rounds; whole searches are run from outside, by `outside/tests/cluster`.

use super::*;
use crate::hash::mix;
use crate::rarity::{Rarity, ShingleWeights};
use crate::recipe::Card;
use crate::statistics::ShingleWriter;

fn recipe_of(name: &str) -> Recipe {
    Card::named(name).unwrap().recipe()
}

#[test]
fn part_of_a_row_is_refused() {
    let rows = [Link::new(7, 0), Link::new(1 << 40, 1)];
    let numbers = to_numbers(&rows);
    assert_eq!(from_numbers::<Link>(numbers).unwrap(), rows);
    assert!(from_numbers::<Link>(&numbers[1..]).is_err());
    assert!(
        Rows::from_numbers(3, vec![0; 4]).is_err() && Rows::from_numbers(4, vec![0; 4]).is_err()
    );
}

#[test]
fn recipes_without_steps_are_refused() {
    for recipe in ["onion", "passages"] {
        let (recipe, none) = (recipe_of(recipe), Statistics::default());
        let method = Method::new(&recipe, &none, &Constraints::default()).map(drop);
        assert!(method.is_err(), "{}", recipe.recipe);
    }
}

#[test]
fn given_frequencies_decide_what_texts_weigh() {
    let texts_of = |seed: u64| -> Vec<String> {
        let word = |at: u64| format!("w{}", mix(mix(seed) ^ at) % 60);
        let text = |at: u64| {
            (0..30)
                .map(|place| word(at << 8 | place))
                .collect::<Vec<_>>()
                .join(" ")
        };
        (0..40).map(text).collect()
    };
    let (texts, others) = (texts_of(3), texts_of(4));
    let recipe = recipe_of("revisions").with("ngram", "2").unwrap();
    let (none, nothing) = (Constraints::default(), Statistics::default());
    // How many of the other texts have each feature, in a file.
    let method = Method::new(&recipe, &nothing, &none).unwrap();
    let search = Search::new(&method, Extent::default(), 4).unwrap();
    let occurrences = |search: &Search, texts: &[String]| -> (Vec<Text>, Vec<Occurrence>) {
        let given = (0..).zip(texts).map(|(id, text)| Given {
            id,
            origin: Origin::default(),
            place: None,
            text,
        });
        let wholes = method.wholes(0, given).remove(&0).unwrap();
        let texts = wholes.into_iter().zip(texts.iter().map(String::as_str));
        let batch = search.features(0, texts).unwrap();
        (
            batch.texts,
            batch.occurrences.into_values().flatten().collect(),
        )
    };
    let mut counts: BTreeMap<u64, u32> = BTreeMap::new();
    for row in occurrences(&search, &others).1 {
        *counts.entry(row.feature().id).or_default() += 1;
    }
    let mut file = Vec::new();
    let mut writer = ShingleWriter::begin(&mut file, 40, "", 2).unwrap();
    for (id, texts) in counts.iter().filter(|(_, texts)| **texts > 1) {
        writer.put(*id, *texts).unwrap();
    }
    writer.end().unwrap();
    let statistics = Statistics::read(&file[..], "", Some(2)).unwrap();
    let method = Method::new(&recipe, &statistics, &none).unwrap();
    let search = Search::new(
        &method,
        Extent {
            texts: 7,
            longest: 90,
            tokens: 630,
        },
        4,
    )
    .unwrap();
    let (mut weighed, rows) = occurrences(&search, &texts);
    let rarity = Rarity::new(7, ShingleWeights::default(), &statistics);
    let weight = |row: &Occurrence| {
        row.number * rarity.weight(counts.get(&row.feature().id).copied().unwrap_or(1))
    };
    let (_, _, lighter) = search.listed(&rows);
    search.weigh(&mut weighed, &lighter);
    let mut common = 0;
    for text in &weighed {
        let own = rows.iter().filter(|row| row.start == text.start);
        let total: u64 = own.clone().map(|row| u64::from(weight(row))).sum();
        assert_eq!(text.total(), total);
        common += own
            .filter(|row| counts.contains_key(&row.feature().id))
            .count();
    }
    assert!(common > 40, "{common}");
}

#[test]
fn fields_name_every_number_of_a_row() {
    fn check<T: Column>() {
        let numbers: usize = T::FIELDS.iter().map(|(_, width)| usize::from(*width)).sum();
        assert_eq!(4 * numbers, size_of::<T>(), "{}", T::KIND.escape_ascii());
        let names: std::collections::BTreeSet<_> = T::FIELDS.iter().map(|field| field.0).collect();
        assert_eq!(names.len(), T::FIELDS.len(), "{}", T::KIND.escape_ascii());
    }
    check::<Whole>();
    check::<Twins>();
    check::<Equal>();
    check::<Text>();
    check::<Count>();
    check::<Shared>();
    check::<Feature>();
    check::<Occurrence>();
    check::<Lighter>();
    check::<Ranked>();
    check::<Posting>();
    check::<Candidate>();
    check::<Match>();
    check::<Tie>();
    check::<Told>();
    check::<Link>();
}

#[test]
fn texts_that_wait_for_each_other_in_a_circle_are_settled_in_rounds() {
    // Each is contained in the next one way, but the last precedes the first in keep order.
    let whole = |id: u64, place: u64| {
        let given = Given {
            id,
            origin: Origin::default(),
            place: Some(place),
            text: "",
        };
        Whole::new(&given, 1, 0)
    };
    let texts = [whole(0, 2), whole(1, 1), whole(2, 0), whole(3, 3)];
    let of = |a: usize, b: usize, removable| Match::new([texts[a], texts[b]], (1, 1), removable);
    let matches = [
        of(0, 1, (true, false)),
        of(1, 2, (true, false)),
        of(0, 2, (true, true)),
        of(2, 3, (true, true)),
    ];
    let at_once = settle(&matches).unwrap();
    let (mut all, mut told, mut keep, mut removed) = (ties(&matches), vec![], None, vec![]);
    while !all.is_empty() {
        let round = settle_round(&all, &told, keep);
        keep = if round.told.is_empty() {
            round.first.map(|(_, _, id)| id)
        } else {
            None
        };
        removed.extend(round.removed);
        (all, told) = (round.ties, round.told);
    }
    removed.sort_unstable();
    assert_eq!(removed, at_once);
    assert_eq!(removed, [0, 1, 3]);
}
