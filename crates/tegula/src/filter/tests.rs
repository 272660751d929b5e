use super::*;
use crate::budget::Budget;
use crate::compare::Comparer;
use crate::scratch::Scratch;
use proptest::prelude::*;

const RECIPES: [&str; 8] = [
    "copies",
    "ssr",
    "sscr",
    "ssr-containment",
    "cops",
    "sscr-containment",
    "exact",
    "plain",
];

fn context(memory: u64) -> Context {
    Context::new(1, memory, Scratch::system())
}

fn filter(recipe: &Recipe, last: Option<u32>) -> Filter {
    Filter::new(recipe, &context(1 << 30), last.and_then(NonZeroU32::new)).unwrap()
}

/// The score of a later text with an earlier one, by its definition.
fn truth(recipe: &Recipe, comparer: &Comparer, earlier: &str, later: &str) -> Score {
    let counts = comparer.counts(earlier, later);
    match recipe.recipe.as_str() {
        "copies" | "ssr-containment" | "cops" => counts.shingle_containment().1,
        "sscr-containment" => counts.token_containment().1,
        "ssr" => counts.ssr(),
        "sscr" => counts.sscr(),
        _ => Score {
            part: counts.equal.into(),
            whole: 1,
        },
    }
}

/// Every text with every kept one before it.
fn by_brute_force(recipe: &Recipe, texts: &[String], last: Option<u32>) -> Vec<Option<Hidden>> {
    let comparer = Comparer::new(recipe).unwrap();
    let mut kept: Vec<usize> = Vec::new();
    let mut verdicts = Vec::new();
    for (place, text) in texts.iter().enumerate() {
        let reach = last.map_or(kept.len(), |last| kept.len().min(last as usize));
        let mut best: Option<Hidden> = None;
        for witness in &kept[kept.len() - reach..] {
            let score = truth(recipe, &comparer, &texts[*witness], text);
            if recipe.threshold.admits(score.part, score.whole)
                && best.is_none_or(|best| score > best.score)
            {
                best = Some(Hidden {
                    witness: *witness as u64,
                    score,
                });
            }
        }
        if best.is_none() {
            kept.push(place);
        }
        verdicts.push(best);
    }
    verdicts
}

/// Texts of few words, many of them made from others.
fn texts() -> impl Strategy<Value = Vec<String>> {
    let word = prop::sample::select(vec!["a", "b", "c", "d", "4", "!"]);
    let fresh = prop::collection::vec(word, 0..24);
    let made = (fresh, 0..6_u8, any::<prop::sample::Index>(), 0..24_usize);
    prop::collection::vec(made, 1..60).prop_map(|made| {
        let mut texts: Vec<Vec<&str>> = Vec::new();
        for (fresh, how, which, at) in made {
            let mut text = match texts.len() {
                0 => Vec::new(),
                many => texts[which.index(many)].clone(),
            };
            let at = at.min(text.len());
            match how {
                0 => text.truncate(at),
                1 => text = text.split_off(at),
                2 => text.insert(at, "e"),
                3 => text.extend(fresh),
                4 => text.extend_from_within(..at),
                _ => text = fresh,
            }
            texts.push(text);
        }
        texts.iter().map(|words| words.join(" ")).collect()
    })
}

proptest! {
    #[test]
    fn verdicts_are_those_of_brute_force(
        texts in texts(),
        recipe in prop::sample::select(RECIPES.to_vec()),
        n in 1..7_usize,
        threshold in prop::sample::select(vec!["0.1", "0.4", "1/2", "2/3", "0.75", "0.9", "1"]),
        last in prop::option::of(1..9_u32),
    ) {
        let mut recipe = Recipe::named(recipe).unwrap();
        if !recipe.measure.is_equality() {
            (recipe.ngram, recipe.threshold) = (n, threshold.parse().unwrap());
        }
        let mut filter = filter(&recipe, last);
        let verdicts: Vec<_> = texts.iter().map(|text| filter.judge(text).unwrap()).collect();
        prop_assert_eq!(verdicts, by_brute_force(&recipe, &texts, last));
    }
}

/// A text of words that occur nowhere else.
fn unique(number: usize, words: usize) -> String {
    let word = |at: usize| format!("w{number}x{at} ");
    (0..words).map(word).collect()
}

#[test]
fn a_window_bounds_the_memory() {
    for recipe in ["copies", "sscr", "exact"] {
        let mut filter = filter(&Recipe::named(recipe).unwrap(), Some(300));
        let mut most = [0; 2];
        for number in 0..4000 {
            let text = unique(number, 30) + "and the same seven words in each";
            assert_eq!(filter.judge(&text).unwrap(), None);
            assert!(filter.kept.len() <= 300 + FEW.max(300 / 4) + 2);
            let early = usize::from(number >= 1000);
            most[early] = filter.bytes().max(most[early]);
        }
        // Tables double, and some do so later than others.
        assert!(most[1] <= 2 * most[0], "{most:?}");
        // The last 300 are known, and none before.
        for (number, witness) in [(3999, Some(3999)), (3700, Some(3700)), (3699, None)] {
            let text = unique(number, 30) + "and the same seven words in each";
            let hidden = filter.judge(&text).unwrap();
            assert_eq!(hidden.map(|hidden| hidden.witness), witness, "{recipe}");
        }
    }
}

#[test]
fn the_ceiling_ends_a_stream_and_names_the_way_out() {
    let recipe = Recipe::named("copies").unwrap();
    let mut filter = Filter::new(&recipe, &context(Budget::MINIMUM), None).unwrap();
    let error = (0..1 << 20)
        .find_map(|number| filter.judge(&unique(number, 1000)).err())
        .unwrap();
    assert_eq!(error.kind(), ErrorKind::Memory);
    assert!(error.advice().unwrap().contains("set last"), "{error}");
    // The text counts as not judged, and others are as before.
    let judged = filter.judged;
    let hidden = filter.judge(&unique(0, 1000)).unwrap().unwrap();
    assert_eq!((hidden.witness, hidden.score), (0, Score::ONE));
    assert_eq!(filter.judged, judged + 1);
}

#[test]
fn common_shingles_cost_little() {
    // All texts share a frame of half their length.
    let frame = unique(usize::MAX, 60);
    let mut filter = filter(&Recipe::named("copies").unwrap(), None);
    for number in 0..3000 {
        let text = frame.clone() + &unique(number, 60);
        assert_eq!(filter.judge(&text).unwrap(), None);
    }
    let hidden = filter.judge(&(frame + &unique(7, 59))).unwrap().unwrap();
    assert_eq!((hidden.witness, hidden.score), (7, Score::ONE));
}

#[test]
fn other_recipes_are_refused_with_those_that_work() {
    for card in crate::recipe::cards() {
        let recipe = card.recipe();
        let made = Filter::new(&recipe, &context(1 << 30), None);
        assert_eq!(
            made.is_ok(),
            RECIPES.contains(&&*card.name),
            "{}",
            card.name
        );
        if let Err(error) = made {
            assert_eq!(error.kind(), ErrorKind::Usage);
            assert!(error.advice().unwrap().contains("sscr-containment"));
        }
    }
    for (key, value) in [
        ("unit", "paragraph"),
        ("levenshtein", "0.5"),
        ("select", "{ type = 'modulo', modulus = 4 }"),
        ("common", "50"),
        ("thresholds", "0.9 up to 20"),
        ("distinct", "all"),
        ("lengths", "up to 90 bytes"),
        ("fingerprint", "{ type = 'rabin', modulus = 101 }"),
    ] {
        let recipe = Recipe::named("ssr").unwrap().with(key, value).unwrap();
        let error = Filter::new(&recipe, &context(1 << 30), None).err().unwrap();
        assert!(error.message().starts_with(key), "{error}");
    }
}
