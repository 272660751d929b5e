//! Whether `ssr` reproduces the pairs that another program listed, and why where it does not.
//!
//! A difference is explained when each side is right by its own words: counting shingles anew with
//! the listing's words gives the listed numbers, counting them anew with Tegula's tokens gives the
//! found ones, and a named [`Rule`] parts the two.

use crate::found::{self, Found, Match, Means};
use crate::listing::{self, Listed};
use crate::rules::{self, Rule};
use crate::source;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::Path;
use tegula::text::normalise::{Normalisation, Normaliser, Tokens};
use tegula::threshold::Threshold;
use tegula::{Error, Result};
use tegula_io::fetch::{self, Wanted};
use xxhash_rust::xxh3::xxh3_64;

/// Tokens in a shingle.
const N: usize = 5;

/// Found pairs at or above it, in ten-thousandths, must be listed.
const COMPLETE_FROM: u64 = 3000;

/// What is known of a listing besides its rows.
#[derive(Debug, Clone, Copy, Default)]
pub struct Terms {
    /// The lowest resemblance listed, in ten-thousandths. None: by the file's name (`-j50` is 0.5),
    /// else 0.1.
    pub floor: Option<u64>,
    /// Texts of fewer words are not listed.
    pub least_words: usize,
}

/// The outcome.
#[derive(Debug, Default)]
pub struct Report {
    /// Texts.
    pub texts: usize,
    /// Pairs listed.
    pub listed: usize,
    /// Listed pairs that were found with the same numbers.
    pub same: usize,
    /// The pairs that differ.
    pub differences: Vec<Difference>,
}

/// A pair that differs.
#[derive(Debug)]
pub struct Difference {
    /// The ids, in the order of the texts.
    pub ids: [String; 2],
    /// As listed, in the same order; none for a pair that is not listed.
    pub listed: Option<Listed>,
    /// As found; none for a pair that was not found.
    pub found: Option<Match>,
    /// The rules that part the two, or what cannot be explained.
    pub why: std::result::Result<Vec<Rule>, &'static str>,
}

impl Report {
    /// Differences that no rule explains.
    pub fn unexplained(&self) -> usize {
        self.differences
            .iter()
            .filter(|difference| difference.why.is_err())
            .count()
    }

    fn count(&self, which: impl Fn(&Difference) -> bool) -> usize {
        self.differences
            .iter()
            .filter(|difference| which(difference))
            .count()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} texts, {} pairs listed: {} the same, {} differ, {} not found, {} found but not listed; {} unexplained",
            self.texts,
            self.listed,
            self.same,
            self.count(|d| d.listed.is_some() && d.found.is_some()),
            self.count(|d| d.found.is_none()),
            self.count(|d| d.listed.is_none()),
            self.unexplained(),
        )?;
        let mut causes: BTreeMap<Vec<Rule>, usize> = BTreeMap::new();
        for rules in self
            .differences
            .iter()
            .filter_map(|difference| difference.why.as_ref().ok())
        {
            *causes.entry(rules.clone()).or_default() += 1;
        }
        for (rules, count) in causes {
            write!(f, "\n  explained by {}: {count}", names(&rules))?;
        }
        Ok(())
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\t{}\tlisted ", self.ids[0], self.ids[1])?;
        match &self.listed {
            None => f.write_str("not")?,
            Some(listed) => {
                let shown = |number: Option<u64>| {
                    number.map_or_else(|| "-".to_owned(), |number| number.to_string())
                };
                let j = listed.j.map_or_else(
                    || "-".to_owned(),
                    |j| format!("{}.{:04}", j / 10_000, j % 10_000),
                );
                write!(
                    f,
                    "{j} = {} of {} and {}",
                    shown(listed.common),
                    shown(listed.sizes[0]),
                    shown(listed.sizes[1])
                )?;
            }
        }
        match self.found {
            None => f.write_str("\tfound not")?,
            Some(found) => {
                let j = found.common as f64 / found.union() as f64;
                write!(
                    f,
                    "\tfound {j:.4} = {} of {} and {}",
                    found.common, found.sizes[0], found.sizes[1]
                )?;
            }
        }
        match &self.why {
            Ok(rules) => write!(f, "\t{}", names(rules)),
            Err(what) => write!(f, "\tUNEXPLAINED: {what}"),
        }
    }
}

fn names(rules: &[Rule]) -> String {
    rules
        .iter()
        .map(|rule| rule.name())
        .collect::<Vec<_>>()
        .join(", ")
}

/// Holds a listing against what `ssr` finds in the texts.
///
/// # Errors
/// When a file cannot be read, or the listing names a text that is not there.
pub fn check(pairs: &Path, docs: &Path, terms: Terms, means: Means) -> Result<Report> {
    let listed = listing::read(pairs)?;
    let floor = terms.floor.unwrap_or_else(|| floor_by_name(pairs));
    let lowest = listed
        .iter()
        .filter_map(|pair| pair.j)
        .min()
        .unwrap_or(floor)
        .min(floor);
    // Listed values are rounded.
    let threshold = Threshold::new(lowest.saturating_sub(1).clamp(1, 1000) as u32, 10_000)?;
    let found = found::resemblance(docs, threshold, means)?;
    let mut differences = compare(
        &found,
        &listed,
        floor,
        &long_enough(&found, terms.least_words)?,
    )?;
    explain(
        &found,
        &mut differences,
        (floor.max(COMPLETE_FROM), threshold),
    )?;
    let same = listed.len()
        - differences
            .iter()
            .filter(|difference| difference.listed.is_some())
            .count();
    Ok(Report {
        texts: found.len(),
        listed: listed.len(),
        same,
        differences,
    })
}

/// `-j50` before the endings is a floor of 0.5.
fn floor_by_name(path: &Path) -> u64 {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.split('.').next().unwrap_or_default();
    let percent = stem
        .rsplit_once("-j")
        .and_then(|(_, percent)| percent.parse::<u64>().ok());
    percent.map_or(1000, |percent| percent.min(100) * 100)
}

/// For each text whether it has so many words by the listing's rule.
fn long_enough(found: &Found, least: usize) -> Result<Vec<bool>> {
    let mut long = Vec::new();
    if least > 0 {
        source::each_record(&found.collection, |batch, record| {
            long.push(rules::words(batch.text_of(record), &[]).len() >= least);
            Ok(true)
        })?;
    }
    long.resize(found.len(), true);
    Ok(long)
}

/// The pairs that differ, not yet explained.
fn compare(found: &Found, listed: &[Listed], floor: u64, long: &[bool]) -> Result<Vec<Difference>> {
    let by_id = found.by_id()?;
    let mut rows: HashMap<[u32; 2], Listed> = HashMap::with_capacity(listed.len());
    for pair in listed {
        let unit = |id: &String| {
            by_id
                .get(id.as_str())
                .copied()
                .ok_or_else(|| Error::data(format!("expected a text with the listed id \"{id}\"")))
        };
        let mut pair = pair.clone();
        let mut units = [unit(&pair.ids[0])?, unit(&pair.ids[1])?];
        if units[0] > units[1] {
            units.reverse();
            pair.ids.reverse();
            pair.sizes.reverse();
        }
        if rows.insert(units, pair).is_some() {
            return Err(Error::data(
                "expected each pair once in the listing, found one again",
            ));
        }
    }
    let cut = floor.max(COMPLETE_FROM);
    let mut differences = Vec::new();
    let mut note = |units: [u32; 2], listed: Option<Listed>, found_pair: Option<Match>| {
        let ids = units.map(|unit| found.id(unit).to_owned());
        differences.push((
            units,
            Difference {
                ids,
                listed,
                found: found_pair,
                why: Err("not looked at"),
            },
        ));
    };
    found.for_each(
        |unit| long[unit as usize],
        |pair| {
            match rows.remove(&pair.units) {
                Some(row) if agrees(&row, pair) => {}
                Some(row) => note(pair.units, Some(row), Some(pair)),
                None if pair.common * 10_000 >= cut * pair.union() => {
                    note(pair.units, None, Some(pair));
                }
                None => {}
            }
            Ok(())
        },
    )?;
    let mut left: Vec<_> = rows.into_iter().collect();
    left.sort_by_key(|(units, _)| *units);
    for (units, row) in left {
        note(units, Some(row), None);
    }
    differences.sort_by_key(|(units, _)| *units);
    Ok(differences
        .into_iter()
        .map(|(_, difference)| difference)
        .collect())
}

/// Whether the listed numbers, as far as there are any, are those of the pair.
fn agrees(listed: &Listed, pair: Match) -> bool {
    let same = |listed: Option<u64>, counted: u64| listed.is_none_or(|listed| listed == counted);
    let rounded = |j: u64| 2 * (10_000 * pair.common).abs_diff(j * pair.union()) <= pair.union();
    same(listed.common, pair.common)
        && same(listed.sizes[0], pair.sizes[0])
        && same(listed.sizes[1], pair.sizes[1])
        && listed.j.is_none_or(rounded)
}

/// A text by both rules.
struct Text {
    listed: Vec<u64>,
    found: Vec<u64>,
    rules: Vec<Rule>,
    /// Whether the named rules are all that parts the two.
    complete: bool,
}

impl Text {
    fn new(text: &str, normaliser: &Normaliser) -> Self {
        let mut tokens = Tokens::default();
        normaliser.tokens(text, &mut tokens);
        let tokens: Vec<&str> = tokens.iter().collect();
        let words = rules::words(text, &[]);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        Self {
            listed: shingles(&words),
            found: if tokens.is_empty() {
                vec![xxh3_64(text.as_bytes())]
            } else {
                shingles(&tokens)
            },
            rules: rules::that_matter(text),
            complete: rules::words(text, &Rule::ALL) == tokens,
        }
    }
}

/// The set of shingles, by hash, sorted.
fn shingles(words: &[&str]) -> Vec<u64> {
    let mut hashes = Vec::new();
    for window in words.windows(N.min(words.len()).max(1)) {
        hashes.push(xxh3_64(window.join("\u{1f}").as_bytes()));
    }
    if words.is_empty() {
        hashes.push(0);
    }
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

/// The pair of two sets of shingles.
fn count(units: [u32; 2], a: &[u64], b: &[u64]) -> Match {
    let common = a
        .iter()
        .filter(|hash| b.binary_search(hash).is_ok())
        .count() as u64;
    Match {
        units,
        sizes: [a.len() as u64, b.len() as u64],
        common,
    }
}

/// Counts anew by both rules and names what parts them.
fn explain(
    found: &Found,
    differences: &mut [Difference],
    (cut, threshold): (u64, Threshold),
) -> Result<()> {
    let by_id = found.by_id()?;
    let mut units: Vec<u32> = differences
        .iter()
        .flat_map(|d| d.ids.iter().map(|id| by_id[id.as_str()]))
        .collect();
    units.sort_unstable();
    units.dedup();
    let records = &found.findings.units.records;
    let wanted: Vec<Wanted> = (units.iter().map(|unit| *unit as usize))
        .map(|unit| Wanted {
            file: records.file[unit],
            number: records.number[unit],
            bytes: None,
        })
        .collect();
    let normaliser = Normaliser::new(&Normalisation::default())?;
    let mut texts = HashMap::with_capacity(units.len());
    for (unit, text) in units.iter().zip(fetch::texts(&found.collection, &wanted)?) {
        let text = text.ok_or_else(|| Error::data("a text that was read before is missing"))?;
        texts.insert(*unit, Text::new(&text, &normaliser));
    }
    for difference in differences {
        let units = [0, 1].map(|side| by_id[difference.ids[side].as_str()]);
        let [a, b] = units.map(|unit| &texts[&unit]);
        let by_words = count(units, &a.listed, &b.listed);
        let by_tokens = count(units, &a.found, &b.found);
        let listing_right = match &difference.listed {
            Some(listed) => agrees(listed, by_words),
            None => by_words.common * 10_000 < cut * by_words.union(),
        };
        let found_right = match difference.found {
            Some(pair) => pair == by_tokens,
            None => !threshold.admits(by_tokens.common, by_tokens.union()),
        };
        let mut rules: Vec<Rule> = a.rules.iter().chain(&b.rules).copied().collect();
        rules.sort_unstable();
        rules.dedup();
        difference.why = if !found_right {
            Err("counting Tegula's tokens by hand gives another pair")
        } else if !listing_right {
            Err("counting the listing's words by hand gives another pair")
        } else if !(a.complete && b.complete) || rules.is_empty() {
            Err("the tokens differ by more than the named rules")
        } else {
            Ok(rules)
        };
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const DOCS: [(&str, &str); 4] = [
        ("a", "one two three four five six seven"),
        ("b", "one two three four five six eight"),
        ("c", "x\u{301}y two three four five six seven"),
        ("d", "Short, too."),
    ];

    fn check_text(pairs: &str) -> Result<Report> {
        let folder = tempfile::tempdir().unwrap();
        let docs = folder.path().join("d.jsonl");
        let mut file = std::fs::File::create(&docs).unwrap();
        for (id, text) in DOCS {
            writeln!(file, "{}", serde_json::json!({ "id": id, "text": text })).unwrap();
        }
        let path = folder.path().join("pairs.tsv");
        std::fs::write(&path, pairs).unwrap();
        check(
            &path,
            &docs,
            Terms::default(),
            Means {
                threads: 1,
                memory: 1 << 30,
            },
        )
    }

    #[test]
    fn a_right_listing_is_reproduced_and_differing_words_are_explained() {
        // By the listing's words, c has eight of them.
        let report = check_text(
            "id1\tid2\tj5_word\tn1\tn2\tcommon\na\tb\t0.5000\t3\t3\t2\na\tc\t0.4000\t3\t4\t2\nb\tc\t0.1667\t3\t4\t1\n",
        );
        let report = report.unwrap();
        assert_eq!((report.same, report.unexplained()), (1, 0), "{report}");
        assert_eq!(report.differences.len(), 2);
        assert!(
            report
                .differences
                .iter()
                .all(|d| d.why == Ok(vec![Rule::Marks]))
        );
        assert!(
            report.differences[0]
                .to_string()
                .ends_with("found 0.5000 = 2 of 3 and 3\tmarks in words")
        );
    }

    #[test]
    fn wrong_and_missing_rows_are_unexplained() {
        let report = check_text(
            "id2\tid1\tj5_word\tn2\tn1\tcommon\na\tb\t0.5000\t3\t3\t1\na\td\t0.3000\t3\t1\t0\n",
        )
        .unwrap();
        // a-b has a wrong number, a-d is none, a-c is missing although it has 0.4 by the listing's
        // words.
        assert_eq!((report.same, report.unexplained()), (0, 3), "{report}");
        assert!(
            check_text("id1\tid2\nz\tb\n")
                .unwrap_err()
                .message()
                .contains("\"z\"")
        );
    }

    #[test]
    fn floors_are_read_off_names() {
        for (name, floor) in [
            ("pairs.tsv.zst", 1000),
            ("pairs-j50.tsv.zst", 5000),
            ("x/en-pairs-j60.tsv", 6000),
        ] {
            assert_eq!(floor_by_name(Path::new(name)), floor);
        }
    }
}
