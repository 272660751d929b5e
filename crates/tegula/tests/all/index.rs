//! An index: answers are those of a run, whatever happened before.

use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;
use tegula::machine::Limits;
use tegula::{Dedup, ErrorKind, Index, Record, Similar, Unit};

/// What is done to an index.
#[derive(Debug, Clone)]
enum Step {
    /// Texts are added or replaced: each with the number of its id.
    Put(Vec<(u8, String)>),
    Remove(Vec<u8>),
    Merge(bool),
    /// All segments are merged, and before they are, texts are removed and added.
    During(Vec<u8>, Vec<(u8, String)>),
    Reopen,
    Ask(String),
}

const RECIPES: [&str; 9] = [
    "copies",
    "ssr",
    "sscr",
    "ssr-containment",
    "sscr-containment",
    "exact",
    "plain",
    "messages",
    "simhash",
];

/// Texts of few words, so that many resemble each other, some without words.
fn text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec!["a", "b", "c", "dd", "4", "55", "!", "a b c dd"]);
    prop::collection::vec(word, 0..24).prop_map(|words| words.join(" "))
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let put = || prop::collection::vec((any::<u8>(), text()), 1..12);
    let ids = || prop::collection::vec(any::<u8>(), 1..20);
    let step = prop_oneof![
        4 => put().prop_map(Step::Put),
        1 => ids().prop_map(Step::Remove),
        1 => any::<bool>().prop_map(Step::Merge),
        1 => (ids(), put()).prop_map(|(ids, put)| Step::During(ids, put)),
        1 => Just(Step::Reopen),
        5 => text().prop_map(Step::Ask),
    ];
    prop::collection::vec(step, 1..24)
}

/// The texts of an index, in the order in which they were added.
#[derive(Default)]
struct Model {
    texts: BTreeMap<u64, (u8, String)>,
    next: u64,
}

impl Model {
    fn remove(&mut self, id: u8) {
        self.texts.retain(|_, (known, _)| *known != id);
    }

    fn put(&mut self, id: u8, text: &str) {
        self.remove(id);
        self.texts.insert(self.next, (id, text.to_owned()));
        self.next += 1;
    }

    /// What a run finds with the texts as references: ids and scores, the best first.
    fn ask(&self, dedup: Dedup, asked: &str) -> Vec<(String, String)> {
        let texts: Vec<&(u8, String)> = self.texts.values().collect();
        let references = texts
            .iter()
            .map(|(id, text)| Record::new(text).id(id.to_string()));
        let pairs = dedup.threads(1).against(references).pairs([asked]).unwrap();
        let mut found: Vec<_> = pairs.iter().map(|pair| pair.unwrap()).collect();
        found.sort_by(|a, b| b.score.cmp(&a.score).then(a.b.cmp(&b.b)));
        let named = found
            .iter()
            .map(|pair| (texts[pair.b].0.to_string(), pair.score.to_string()));
        named.collect()
    }
}

fn asked(index: &Index, text: &str) -> Vec<(String, String)> {
    named(index.query(text).unwrap())
}

fn named(found: Vec<Similar>) -> Vec<(String, String)> {
    let named = found
        .into_iter()
        .map(|found| (found.id, found.score.to_string()));
    named.collect()
}

fn put(index: &Index, model: &mut Model, all: &[(u8, String)]) {
    for (id, text) in all {
        model.put(*id, text);
    }
    let records = all
        .iter()
        .map(|(id, text)| Record::new(text).id(id.to_string()));
    assert_eq!(index.replace(records).unwrap(), all.len());
}

fn remove(index: &Index, model: &mut Model, ids: &[u8]) {
    let before = model.texts.len();
    for id in ids {
        model.remove(*id);
    }
    let removed = index.remove(ids.iter().map(u8::to_string)).unwrap();
    assert_eq!(removed, before - model.texts.len());
}

/// Merges all segments of an index; between reading these and putting the new one in their place, it
/// is changed.
fn merged_during(path: &Path, change: impl FnOnce()) {
    let context = Limits::default().context().unwrap();
    let index = tegula::index::Index::open(path, &context).unwrap();
    let mut change = Some(change);
    let mut once = || change.take().map_or((), |change| change());
    index.merge_while(&context, true, &mut once).unwrap();
    // Without segments to merge it was not asked.
    once();
}

/// With a recipe, and another threshold at which it can be asked.
fn run(dedup: impl Fn() -> Dedup<'static>, other: Option<&str>, texts: bool, steps: &[Step]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("idx");
    let make = |path: &Path| {
        if texts {
            Index::create(path, &dedup(), &[])
        } else {
            Index::create_without_texts(path, &dedup(), &[])
        }
    };
    let mut index = match make(&path) {
        Ok(index) => index,
        Err(error) => {
            assert!(!texts && error.option() == Some("no_texts"), "{error}");
            return;
        }
    };
    let mut model = Model::default();
    for step in steps {
        match step {
            Step::Put(all) => put(&index, &mut model, all),
            Step::Remove(ids) => remove(&index, &mut model, ids),
            Step::During(ids, all) => {
                merged_during(&path, || {
                    remove(&index, &mut model, ids);
                    put(&index, &mut model, all);
                });
                index.refresh().unwrap();
            }
            Step::Merge(true) => index.merge().unwrap(),
            Step::Merge(false) => index.check().unwrap(),
            Step::Reopen => index = Index::open(&path).unwrap(),
            Step::Ask(text) => {
                assert_eq!(asked(&index, text), model.ask(dedup(), text), "{text}");
            }
        }
        assert_eq!(index.len(), model.texts.len());
    }
    for (id, text) in model.texts.values() {
        assert_eq!(asked(&index, text), model.ask(dedup(), text), "{text}");
        if let Some(other) = other {
            let found = named(index.query_at(text, other).unwrap());
            let wanted = dedup().threshold(other).unwrap();
            assert_eq!(found, model.ask(wanted, text), "{text} at {other}");
        }
        let kept = index.text(&id.to_string()).unwrap();
        assert_eq!(kept.as_ref(), Some(text).filter(|_| texts));
    }
    index.check().unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn answers_are_those_of_a_run_whatever_happened_before(
        steps in steps(),
        recipe in prop::sample::select(RECIPES.to_vec()),
        ngram in 1..5_usize,
        threshold in prop::sample::select(vec!["0.2", "0.5", "2/3", "0.75", "0.9", "1"]),
        other in prop::sample::select(vec!["0.3", "0.6", "0.8"]),
        texts in any::<bool>(),
    ) {
        let is_fixed = matches!(recipe, "exact" | "plain" | "simhash");
        let dedup = || {
            let dedup = Dedup::recipe(recipe).unwrap();
            if is_fixed {
                return dedup;
            }
            dedup.ngram(ngram).unwrap().threshold(threshold).unwrap()
        };
        run(dedup, (!is_fixed).then_some(other), texts, &steps);
    }
}

#[test]
fn parts_of_records_are_found_and_removed_with_these() {
    for texts in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("idx");
        let dedup = Dedup::recipe("ssr").unwrap().unit(Unit::Paragraph);
        let index = if texts {
            Index::create(&path, &dedup, &["date"]).unwrap()
        } else {
            Index::create_without_texts(&path, &dedup, &["date"]).unwrap()
        };
        let wing = "The museum opens a new wing for maps and globes in May.";
        let record =
            |id: &'static str, text: String| Record::new(text).id(id).field("date", "2024");
        index
            .add([
                record("a", format!("All rights reserved.\n\n{wing}")),
                record(
                    "b",
                    format!("{wing}\n\n{wing}\n\nTickets are sold from April on."),
                ),
            ])
            .unwrap();
        let found = index.query(wing).unwrap();
        let ids: Vec<&str> = found.iter().map(|found| found.id.as_str()).collect();
        assert_eq!(ids, ["a#p2", "b#p1", "b#p2"]);
        assert!(
            found
                .iter()
                .all(|found| found.field("date") == Some("2024"))
        );
        assert_eq!(found[0].text.as_deref(), texts.then_some(wing));
        assert_eq!((index.remove(["b", "c"]).unwrap(), index.len()), (1, 1));
        index.merge().unwrap();
        assert_eq!(index.query(wing).unwrap().len(), 1);
    }
}

#[test]
fn a_ranked_list_has_the_best_of_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("idx");
    let index = Index::create(&path, &Dedup::new().ngram(1).unwrap(), &[]).unwrap();
    let text = |words: usize| {
        let words: Vec<String> = (0..words).map(|word| format!("w{word} ")).collect();
        words.concat()
    };
    for part in [1..20, 20..40] {
        index
            .add(part.map(|words| (words.to_string(), text(words) + "x y z")))
            .unwrap();
    }
    let found = index.ranked(&text(30), 5).unwrap();
    let ids: Vec<&str> = found.iter().map(|found| found.id.as_str()).collect();
    assert_eq!(ids, ["30", "31", "32", "33", "34"]);
    let asked = text(30) + "x y";
    let all = index.ranked(&asked, 100).unwrap();
    assert_eq!(all.len(), 39);
    assert_eq!(index.ranked(&asked, 7).unwrap(), all[..7]);
    assert!(index.ranked("nothing", 7).unwrap().is_empty());
    assert!(index.ranked(&asked, 0).unwrap().is_empty());
    let at = index.query_at(&asked, "0.97").unwrap();
    assert_eq!(
        at,
        all.iter()
            .filter(|found| found.score.as_f64() >= 0.97)
            .cloned()
            .collect::<Vec<_>>()
    );
}

#[test]
fn one_writes_and_many_read_what_they_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("idx");
    let index = Index::create(&path, &Dedup::new(), &[]).unwrap();
    let text = "The harbour was closed at noon because of the storm.";
    let reader = Index::open(&path).unwrap();
    index.add([("a", text)]).unwrap();
    assert!(reader.query(text).unwrap().is_empty());
    reader.refresh().unwrap();
    assert_eq!(reader.query(text).unwrap().len(), 1);
    let taken = index.add([("b", text), ("a", text)]).unwrap_err();
    assert_eq!(
        (taken.kind(), taken.record_number()),
        (ErrorKind::Data, Some(2))
    );
    assert_eq!(index.len(), 1);
    assert!(
        index
            .add(["without an id"])
            .unwrap_err()
            .message()
            .contains("id")
    );
    assert_eq!(
        index
            .replace([("b", text), ("a", "other"), ("b", "third")])
            .unwrap(),
        3
    );
    assert_eq!(
        (index.len(), index.text("b").unwrap().as_deref()),
        (2, Some("third"))
    );
    // Segments that are gone stay with whoever opened them.
    assert_eq!(reader.query(text).unwrap()[0].id, "a");
    let again = Index::create(&path, &Dedup::new(), &[]).unwrap_err();
    assert_eq!(again.kind(), ErrorKind::Usage);
    std::fs::write(folder.path().join("other"), "").unwrap();
    assert!(Index::create(folder.path(), &Dedup::new(), &[]).is_err());
    assert!(Index::open(folder.path()).is_err());
}

/// Texts of words that look random, of which many are in many texts.
fn many(from: usize, to: usize) -> Vec<(String, String)> {
    let mut state = 7_u64 + from as u64;
    let mut draw = |limit: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % limit
    };
    let mut text = || -> String {
        let words = (0..80).map(|_| {
            let limit = 1 + draw(3000);
            format!("word{} ", draw(limit))
        });
        words.collect()
    };
    (from..to).map(|id| (id.to_string(), text())).collect()
}

#[test]
fn texts_come_back_from_blocks_that_are_compressed_with_what_they_have_in_common() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("idx");
    let index = Index::create(&path, &Dedup::new(), &[]).unwrap();
    // Too few at first; then enough, and few again.
    let parts = [many(0, 50), many(50, 6000), many(6000, 6050)];
    let all: Vec<&(String, String)> = parts.iter().flatten().collect();
    for part in &parts {
        index
            .add(part.iter().map(|(id, text)| (&**id, &**text)))
            .unwrap();
    }
    let check = |index: &Index, gone: &[&str]| {
        index.check().unwrap();
        for (id, text) in &all {
            let expected = (!gone.contains(&&**id)).then_some(text);
            assert_eq!(index.text(id).unwrap().as_ref(), expected, "{id}");
        }
        let found = index.query(&all[3000].1).unwrap();
        assert_eq!(
            (found[0].id.as_str(), found[0].text.as_ref()),
            ("3000", Some(&all[3000].1))
        );
    };
    check(&index, &[]);
    let description = std::fs::read_to_string(path.join("index.toml")).unwrap();
    assert_eq!(
        description.matches("primed = true").count(),
        2,
        "{description}"
    );
    index.remove(["7", "4000", "6001"]).unwrap();
    index.merge().unwrap();
    check(&index, &["7", "4000", "6001"]);
    let reopened = Index::open(&path).unwrap();
    check(&reopened, &["7", "4000", "6001"]);
    let description = std::fs::read_to_string(path.join("index.toml")).unwrap();
    assert_eq!(description.matches("primed = true").count(), 1);
    let primer = description.split("[primer]\nfile = ").nth(1).unwrap();
    let primer: u64 = primer.split('\n').next().unwrap().parse().unwrap();
    let file = path.join(format!("segments/{primer:08}"));
    let whole = std::fs::read(&file).unwrap();
    assert!(whole.len() > 1000);
    let mut damaged = whole.clone();
    damaged[500] ^= 1;
    std::fs::write(&file, damaged).unwrap();
    let error = Index::open(&path).unwrap_err();
    assert!(
        error.to_string().contains("compression dictionary"),
        "{error}"
    );
}
