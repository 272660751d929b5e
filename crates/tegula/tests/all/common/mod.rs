//! A source in memory, and a brute-force oracle that shares no code with the library.

use proptest::prelude::*;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use tegula::constraint::Constraints;
use tegula::context::{Budget, Context};
use tegula::decide::Policy;
use tegula::engine::count::shingles;
use tegula::engine::{Job, Tuning, bad_records::FailOnBad, find, find_to_decide};
use tegula::evidence::Findings;
use tegula::recipe::{Measure, Recipe};
use tegula::record::{Batch, Chunk, Source, SourceFile};
use tegula::scratch::Scratch;
use tegula::statistics::{ShingleWriter, Statistics};

/// Texts of words from a list, many of them edits of others. A text has so many words, there are so
/// many texts to begin with, and so many changes of so many kinds; a change is made at a place in a
/// copy of a text.
pub(crate) fn edited(
    (words, lengths): (Vec<&'static str>, Range<usize>),
    texts: Range<usize>,
    (kinds, changes): (Range<u8>, Range<usize>),
    change: impl Fn(u8, usize, &mut Vec<&'static str>),
) -> impl Strategy<Value = Vec<String>> {
    let text = prop::collection::vec(prop::sample::select(words), lengths);
    let one = (
        kinds,
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
    );
    (
        prop::collection::vec(text, texts),
        prop::collection::vec(one, changes),
    )
        .prop_map(move |(mut texts, changes)| {
            for (kind, which, place) in changes {
                let mut copy = texts[which.index(texts.len())].clone();
                let at = if copy.is_empty() {
                    0
                } else {
                    place.index(copy.len())
                };
                change(kind, at, &mut copy);
                texts.push(copy);
            }
            texts.iter().map(|words| words.join(" ")).collect()
        })
}

/// Texts, `per_chunk` of them at a time, each with one field.
pub(crate) struct Memory {
    pub(crate) texts: Vec<String>,
    pub(crate) field: Vec<Option<String>>,
    pub(crate) per_chunk: usize,
    files: Vec<SourceFile>,
    names: Vec<String>,
    /// Texts of the first file; the others are in a second one.
    own: usize,
}

impl Memory {
    /// The texts from `own` on are in a second file, which may be references.
    pub(crate) fn in_two_files(texts: &[impl AsRef<str>], own: usize, per_chunk: usize) -> Self {
        let mut source = Self::new(texts, per_chunk);
        source.files = ["new", "old"]
            .map(|name| SourceFile {
                path: name.into(),
                name: name.into(),
                bytes: 1,
            })
            .to_vec();
        source.own = own;
        source
    }

    pub(crate) fn new(texts: &[impl AsRef<str>], per_chunk: usize) -> Self {
        let texts: Vec<String> = texts.iter().map(|t| t.as_ref().to_owned()).collect();
        let bytes = texts.iter().map(|t| t.len() as u64).sum();
        let files = vec![SourceFile {
            path: "memory".into(),
            name: "memory".into(),
            bytes,
        }];
        Self {
            field: vec![None; texts.len()],
            texts,
            per_chunk,
            own: usize::MAX,
            files,
            names: vec!["f".into()],
        }
    }
}

struct Piece {
    file: u32,
    first: usize,
    texts: Vec<String>,
    field: Vec<Option<String>>,
}

impl Source for Memory {
    fn files(&self) -> &[SourceFile] {
        &self.files
    }
    fn text_bytes(&self) -> u64 {
        self.texts.iter().map(|text| text.len() as u64).sum()
    }
    fn field_names(&self) -> &[String] {
        &self.names
    }
    fn chunks(
        &self,
    ) -> tegula::Result<Box<dyn Iterator<Item = tegula::Result<Box<dyn Chunk>>> + Send + '_>> {
        let own = self.own.min(self.texts.len());
        let pieces = [(0, 0..own), (1, own..self.texts.len())]
            .into_iter()
            .flat_map(move |(file, range)| {
                let starts: Vec<usize> = range.clone().step_by(self.per_chunk).collect();
                starts.into_iter().map(move |start| {
                    let all = start..(start + self.per_chunk).min(range.end);
                    let (texts, field) =
                        (self.texts[all.clone()].to_vec(), self.field[all].to_vec());
                    Ok(Box::new(Piece {
                        file,
                        first: start - range.start,
                        texts,
                        field,
                    }) as Box<dyn Chunk>)
                })
            });
        Ok(Box::new(pieces))
    }
}

impl Chunk for Piece {
    fn file(&self) -> u32 {
        self.file
    }
    fn disk_bytes(&self) -> u64 {
        self.texts.iter().map(|t| t.len() as u64).sum()
    }
    fn read(&self, batch: &mut Batch) {
        for (i, text) in self.texts.iter().enumerate() {
            let mark = batch.begin();
            batch.text.push_str(text);
            batch.fields.push(self.field[i].clone());
            let number = (self.first + i) as u64 + 1;
            batch.finish(&mark, number, number - 1..number, false);
        }
    }
}

/// How a run is set up; nothing here may change its output.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setting {
    pub(crate) threads: usize,
    pub(crate) memory: u64,
    pub(crate) tuning: Tuning,
}

/// Memory that is never short, in bytes.
const PLENTY: u64 = 1 << 30;

/// The settings under which every run must agree.
pub(crate) fn settings() -> Vec<Setting> {
    let tuning = Tuning::default();
    vec![
        Setting {
            threads: 1,
            memory: PLENTY,
            tuning,
        },
        Setting {
            threads: 1,
            memory: PLENTY,
            tuning: Tuning {
                id_bits: 8,
                ..tuning
            },
        },
        Setting {
            threads: 3,
            memory: PLENTY,
            tuning: Tuning {
                signature_bits: 1,
                ..tuning
            },
        },
        Setting {
            threads: 2,
            memory: PLENTY,
            tuning: Tuning {
                id_bits: 4,
                signature_bits: 1,
                position_bits: 38,
                ..tuning
            },
        },
        Setting {
            threads: 4,
            memory: PLENTY,
            tuning: Tuning {
                block_groups: 3,
                passes: 3,
                position_bits: 36,
                ..tuning
            },
        },
        Setting {
            threads: 2,
            memory: Budget::OVERHEAD + (3 << 20),
            tuning: Tuning {
                id_bits: 8,
                block_groups: 3,
                ..tuning
            },
        },
        Setting {
            threads: 1,
            memory: Budget::OVERHEAD + (4 << 20),
            tuning: Tuning {
                passes: 2,
                ..tuning
            },
        },
    ]
}

/// A context for a setting. A test has one for all its runs, as starting threads takes longer than most of
/// them; unless memory is short, after which a context has one thread.
pub(crate) fn context(setting: Setting) -> Context {
    thread_local! {
        static CONTEXTS: RefCell<BTreeMap<usize, Context>> = const { RefCell::new(BTreeMap::new()) };
    }
    let new = || Context::new(setting.threads, setting.memory, Scratch::system());
    if setting.memory < PLENTY {
        return new();
    }
    CONTEXTS.with_borrow_mut(|all| all.entry(setting.threads).or_insert_with(new).clone())
}

pub(crate) fn job<'a>(
    source: &'a dyn Source,
    recipe: &'a Recipe,
    constraints: &'a Constraints,
    tuning: Tuning,
) -> Job<'a> {
    Job {
        source,
        recipe,
        constraints,
        statistics: None,
        checkpoint: None,
        elsewhere: None,
        tuning,
    }
}

/// With hashes of tokens and shingles cut to this many bits, so that some collide.
pub(crate) fn with_ids_of(id_bits: u32) -> Tuning {
    Tuning {
        id_bits,
        ..Tuning::default()
    }
}

/// How many texts of a collection have each shingle of a recipe, written to a file and read back.
pub(crate) fn shingle_counts(source: &Memory, recipe: &Recipe, setting: Setting) -> Statistics {
    let (none, context) = (Constraints::default(), context(setting));
    let job = job(source, recipe, &none, setting.tuning);
    let shingles = shingles(&context, job, &mut FailOnBad).unwrap();
    let mut file = Vec::new();
    let mut writer = ShingleWriter::begin(&mut file, shingles.texts(), "", recipe.ngram).unwrap();
    shingles
        .each(&context, |id, texts| {
            writer.put(id, texts).unwrap();
            Ok(())
        })
        .unwrap();
    writer.end().unwrap();
    Statistics::read(&file[..], "", Some(recipe.ngram)).unwrap()
}

pub(crate) fn run(
    source: &Memory,
    recipe: &Recipe,
    constraints: &Constraints,
    setting: Setting,
) -> Findings {
    let job = job(source, recipe, constraints, setting.tuning);
    find(&context(setting), job, &mut FailOnBad).unwrap()
}

pub(crate) fn run_for(
    source: &Memory,
    recipe: &Recipe,
    policy: &Policy,
    setting: Setting,
) -> Findings {
    let constraints = &Constraints::default();
    let job = job(source, recipe, constraints, setting.tuning);
    find_to_decide(&context(setting), job, policy, &mut FailOnBad).unwrap()
}

/// A score as `(part, whole)` of two texts, worked out on plain sets of word lists. Tokens are what
/// white space parts.
pub(crate) fn oracle_score(measure: Measure, a: &str, b: &str, n: usize) -> (u64, u64) {
    let words =
        |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_lowercase).collect() };
    let (a, b) = (words(a), words(b));
    if a == b {
        return (1, 1);
    }
    if a.len().min(b.len()) < n {
        return (0, 1);
    }
    let set =
        |w: &[String]| -> BTreeSet<Vec<String>> { w.windows(n).map(<[String]>::to_vec).collect() };
    let (sa, sb) = (set(&a), set(&b));
    let shared: BTreeSet<_> = sa.intersection(&sb).cloned().collect();
    let covered = |w: &[String]| -> u64 {
        let mut marks = vec![false; w.len()];
        for (i, shingle) in w.windows(n).enumerate() {
            if shared.contains(shingle) {
                marks[i..i + n].fill(true);
            }
        }
        marks.iter().filter(|m| **m).count() as u64
    };
    let best = |x: (u64, u64), y: (u64, u64)| match x.1.cmp(&y.1) {
        std::cmp::Ordering::Less => x,
        std::cmp::Ordering::Greater => y,
        std::cmp::Ordering::Equal => x.max(y),
    };
    let s = shared.len() as u64;
    match measure {
        Measure::PreviouslySeen
        | Measure::Passages
        | Measure::RarityContainment
        | Measure::RarityDice
        | Measure::RarityMean
        | Measure::Cosine
        | Measure::WeightedResemblance
        | Measure::Hamming
        | Measure::Agreement
        | Measure::AgreementContainment => {
            unreachable!("they have oracles of their own")
        }
        Measure::Equality => (0, 1),
        Measure::Resemblance => (s, (sa.len() + sb.len()) as u64 - s),
        Measure::Coverage => (covered(&a) + covered(&b), (a.len() + b.len()) as u64),
        Measure::ResemblanceContainment => best((s, sa.len() as u64), (s, sb.len() as u64)),
        Measure::CoverageContainment => {
            best((covered(&a), a.len() as u64), (covered(&b), b.len() as u64))
        }
    }
}

/// All pairs of texts at or above `p / q` with their scores, by brute force.
pub(crate) fn oracle(
    texts: &[String],
    measure: Measure,
    n: usize,
    (p, q): (u64, u64),
    allow: impl Fn(usize, usize) -> bool,
) -> BTreeMap<(u32, u32), (u64, u64)> {
    let mut found = BTreeMap::new();
    for a in 0..texts.len() {
        for b in a + 1..texts.len() {
            let (part, whole) = oracle_score(measure, &texts[a], &texts[b], n);
            if allow(a, b) && part * q >= p * whole {
                found.insert((a as u32, b as u32), (part, whole));
            }
        }
    }
    found
}

/// The shares, in billionths, of each text in each other, weighted by rarity: those of the text that
/// weighs less, on plain sets of word lists. `numbers` is how many times as much a shingle weighs
/// with a number in it; shingles in more texts than `most` weigh nothing, and all others the same, unless
/// it is 0. Equal texts count once. Texts with a shingle are counted in `collection`.
pub(crate) fn rarity_oracle(
    texts: &[String],
    collection: &[String],
    measure: Measure,
    n: usize,
    (p, q): (u64, u64),
    (numbers, most): (u64, u64),
) -> BTreeMap<(u32, u32), (u64, u64)> {
    let words_of = |text: &String| text.split_whitespace().map(str::to_lowercase).collect();
    let words: Vec<Vec<String>> = texts.iter().map(words_of).collect();
    let distinct: BTreeSet<Vec<String>> = collection.iter().map(words_of).collect();
    let set = |words: &[String]| -> BTreeSet<Vec<String>> {
        words.windows(n).map(<[String]>::to_vec).collect()
    };
    let mut texts_with: BTreeMap<Vec<String>, u64> = BTreeMap::new();
    for shingle in distinct.iter().flat_map(|words| set(words)) {
        *texts_with.entry(shingle).or_default() += 1;
    }
    let weight = |shingle: &Vec<String>| -> u64 {
        let with = texts_with.get(shingle).copied().unwrap_or(1);
        let ratio = 1.0 + distinct.len().max(1) as f64 / with as f64;
        let is_number = |word: &String| word.chars().any(char::is_numeric);
        let times = if shingle.iter().any(is_number) {
            numbers
        } else {
            1
        };
        let log = (ratio.log2() * 1024.0 + 1e-9).floor() as u64;
        times
            * match most {
                0 => log * log / 4096,
                _ => u64::from(with <= most),
            }
    };
    let billionths = |part: u64, whole: u64| {
        let part = u128::from(part) * 1_000_000_000;
        (part / u128::from(whole.max(1))) as u64
    };
    let mut found = BTreeMap::new();
    for a in 0..words.len() {
        for b in a + 1..words.len() {
            if words[a] == words[b] {
                found.insert((a as u32, b as u32), (1, 1));
                continue;
            }
            let (set_a, set_b) = (set(&words[a]), set(&words[b]));
            let sum = |set: &BTreeSet<Vec<String>>| set.iter().map(weight).sum::<u64>();
            let shared: u64 = set_a.intersection(&set_b).map(weight).sum();
            let (of_a, of_b) = (sum(&set_a), sum(&set_b));
            let (lighter, all) = (of_a.min(of_b), of_a + of_b);
            let score = match measure {
                Measure::RarityContainment => billionths(shared, lighter),
                Measure::RarityDice => billionths(2 * shared, all),
                _ => billionths(shared * (all + 2 * lighter), 2 * lighter * all),
            };
            if shared > 0 && score >= billionths(p, q) {
                found.insert((a as u32, b as u32), (score, 1_000_000_000));
            }
        }
    }
    found
}

/// Pairs after what their scores lose for missing numbers, in billionths: `first.0` / 8 if all numbers among
/// the first `first.1` words are missing, and `rate` / 8 for each missing one per 10 words.
pub(crate) fn lowered(
    texts: &[String],
    pairs: BTreeMap<(u32, u32), (u64, u64)>,
    (first, rate): ((u64, usize), u64),
    (p, q): (u64, u64),
) -> BTreeMap<(u32, u32), (u64, u64)> {
    const ALL: u64 = 1_000_000_000;
    let words = |text: u32| -> Vec<String> {
        let words = texts[text as usize].split_whitespace();
        words.map(str::to_lowercase).collect()
    };
    let missing = |a: &[String], b: &[String]| {
        let numbers = |words: &[String]| -> Vec<String> {
            let is_number = |word: &&String| word.chars().any(char::is_numeric);
            words.iter().filter(is_number).cloned().collect()
        };
        let (left, mut right) = (numbers(a), numbers(b));
        let fewer = left.len().min(right.len()) as u64;
        let shared = left.iter().filter(|number| {
            let place = right.iter().position(|other| other == *number);
            place.map(|place| right.swap_remove(place)).is_some()
        });
        (fewer - shared.count() as u64, fewer.max(1))
    };
    let left = |((a, b), (part, whole)): ((u32, u32), (u64, u64))| {
        let (a_words, b_words) = (words(a), words(b));
        if a_words == b_words {
            return Some(((a, b), (part, whole)));
        }
        let start = |words: &[String]| words[..words.len().min(first.1)].to_vec();
        let (at_first, of_first) = missing(&start(&a_words), &start(&b_words));
        let (all, _) = missing(&a_words, &b_words);
        let shorter = a_words.len().min(b_words.len()).max(1) as u64;
        let lost = (first.0 * at_first * ALL / (8 * of_first)).min(ALL)
            + (rate * all * 10 * ALL / (8 * shorter)).min(ALL);
        let part = part.saturating_sub(lost.min(ALL));
        // Where scores are billionths, the threshold is rounded like them.
        let least = if whole == ALL {
            p * ALL / q * q
        } else {
            p * whole
        };
        (part > 0 && part * q >= least).then_some(((a, b), (part, whole)))
    };
    pairs.into_iter().filter_map(left).collect()
}

/// All pairs of units that a run found, groups expanded.
pub(crate) fn expanded(found: &Findings) -> BTreeMap<(u32, u32), (u64, u64)> {
    let mut all = BTreeMap::new();
    let mut put = |a: u32, b: u32, score: (u64, u64)| {
        assert!(
            all.insert((a.min(b), a.max(b)), score).is_none(),
            "{a} and {b} came twice"
        );
    };
    found
        .pairs()
        .unwrap()
        .for_each(|pair| {
            let score = found.pairs().unwrap().score(&pair);
            for a in found.groups.members(pair.a) {
                for b in found.groups.members(pair.b) {
                    put(*a, *b, (score.part, score.whole));
                }
            }
            Ok(())
        })
        .unwrap();
    for group in (0..found.groups.len() as u32).filter(|group| found.groups.are_alike(*group)) {
        let members = found.groups.members(group);
        for (at, a) in members.iter().enumerate() {
            for b in &members[at + 1..] {
                put(*a, *b, (1, 1));
            }
        }
    }
    all
}
