//! How many pairs there are, and how many of them another program found.

use crate::found::{self, Means};
use crate::listing;
use crate::source::failed;
use std::collections::HashSet;
use std::fmt;
use std::io::{BufWriter, Write};
use std::path::Path;
use tegula::threshold::Threshold;
use tegula::{Error, Result};
use tegula_io::outputs::Outputs;

/// All pairs of a corpus at or above a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Truth {
    /// Texts.
    pub texts: usize,
    /// Groups of equal texts.
    pub groups: usize,
    /// Pairs of texts, equal ones among them.
    pub pairs: u64,
}

impl fmt::Display for Truth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} texts in {} groups of equal ones, {} pairs",
            self.texts, self.groups, self.pairs
        )
    }
}

/// Counts the pairs, and lists them by id if a file is named.
///
/// # Errors
/// When the corpus cannot be read, or the list cannot be written.
pub fn truth(
    corpus: &Path,
    threshold: Threshold,
    list: Option<&Path>,
    means: Means,
) -> Result<Truth> {
    let found = found::resemblance(corpus, threshold, means)?;
    if let Some(path) = list {
        let mut pairs = Vec::new();
        found.for_each(
            |_| true,
            |pair| {
                pairs.push(pair);
                Ok(())
            },
        )?;
        pairs.sort_unstable_by_key(|pair| pair.units);
        let outputs = Outputs::default();
        let mut out = BufWriter::new(outputs.create(path)?);
        let mut write = || {
            writeln!(out, "id_a\tid_b\tcommon\tsize_a\tsize_b")?;
            for pair in &pairs {
                let [a, b] = pair.units.map(|unit| found.id(unit));
                writeln!(
                    out,
                    "{a}\t{b}\t{}\t{}\t{}",
                    pair.common, pair.sizes[0], pair.sizes[1]
                )?;
            }
            Ok(())
        };
        write().map_err(failed("write", path))?;
        out.into_inner()
            .map_err(|error| Error::io("write", path, error.into_error()))?
            .finish()?;
        outputs.publish()?;
    }
    Ok(Truth {
        texts: found.len(),
        groups: found.findings.groups.len(),
        pairs: found.pairs()?,
    })
}

/// A peer's pairs against all pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recall {
    /// All pairs.
    pub true_pairs: u64,
    /// The peer's pairs, each once.
    pub found: u64,
    /// Those of them that are true.
    pub hits: u64,
    /// Texts with a true partner, and those of them that the peer has in some true pair.
    pub texts: u64,
    /// See `texts`.
    pub texts_hit: u64,
}

impl fmt::Display for Recall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = |part: u64, whole: u64| {
            if whole == 0 {
                1.0
            } else {
                part as f64 / whole as f64
            }
        };
        write!(
            f,
            "{} pairs found, {} of {} true ones: recall {:.4}, precision {:.4}; {} of {} texts with a partner: {:.4}",
            self.found,
            self.hits,
            self.true_pairs,
            share(self.hits, self.true_pairs),
            share(self.hits, self.found),
            self.texts_hit,
            self.texts,
            share(self.texts_hit, self.texts),
        )
    }
}

/// Holds the pairs of `found`, a TSV file with two ids a line, against the true pairs of `corpus`.
/// A text paired with itself counts as nothing, a pair in both orders once.
///
/// # Errors
/// When a file cannot be read, or a pair names a text that is not there.
pub fn recall(found: &Path, corpus: &Path, threshold: Threshold, means: Means) -> Result<Recall> {
    let truth = found::resemblance(corpus, threshold, means)?;
    let by_id = truth.by_id()?;
    let mut theirs = HashSet::new();
    for (pair, number) in listing::read(found)?.iter().zip(1..) {
        let unit = |id: &String| {
            let unit = by_id.get(id.as_str()).copied();
            unit.ok_or_else(|| {
                Error::data(format!("expected the id of a text, found \"{id}\""))
                    .at(found)
                    .record(number)
            })
        };
        let (a, b) = (unit(&pair.ids[0])?, unit(&pair.ids[1])?);
        if a != b {
            theirs.insert([a.min(b), a.max(b)]);
        }
    }
    let mut recall = Recall {
        true_pairs: 0,
        found: theirs.len() as u64,
        hits: 0,
        texts: 0,
        texts_hit: 0,
    };
    let mut partner = vec![(false, false); truth.len()];
    truth.for_each(
        |_| true,
        |pair| {
            let hit = theirs.contains(&pair.units);
            recall.true_pairs += 1;
            recall.hits += u64::from(hit);
            for unit in pair.units {
                partner[unit as usize].0 = true;
                partner[unit as usize].1 |= hit;
            }
            Ok(())
        },
    )?;
    recall.texts = partner.iter().filter(|(has, _)| *has).count() as u64;
    recall.texts_hit = partner.iter().filter(|(_, hit)| *hit).count() as u64;
    Ok(recall)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recall_and_precision_count_each_pair_once() {
        let folder = tempfile::tempdir().unwrap();
        let corpus = folder.path().join("c.jsonl");
        let texts = [
            "a b c d e f g",
            "a b c d e f g h",
            "a b c d e f g h i",
            "x y z v w u t",
        ];
        let lines: Vec<String> = texts
            .iter()
            .zip(["p", "q", "r", "s"])
            .map(|(text, id)| serde_json::json!({ "id": id, "text": text }).to_string())
            .collect();
        std::fs::write(&corpus, lines.join("\n")).unwrap();
        let found = folder.path().join("found.tsv");
        std::fs::write(&found, "id_a\tid_b\np\tq\nq\tp\ns\tp\nr\tr\n").unwrap();
        let means = Means {
            threads: 1,
            memory: 1 << 30,
        };
        let threshold: Threshold = "0.6".parse().unwrap();
        let list = folder.path().join("truth.tsv");
        let truth = truth(&corpus, threshold, Some(&list), means).unwrap();
        assert_eq!(
            truth,
            Truth {
                texts: 4,
                groups: 4,
                pairs: 3
            }
        );
        let expected = Recall {
            true_pairs: 3,
            found: 2,
            hits: 1,
            texts: 3,
            texts_hit: 2,
        };
        assert_eq!(recall(&found, &corpus, threshold, means).unwrap(), expected);
        let all = recall(&list, &corpus, threshold, means).unwrap();
        assert_eq!((all.hits, all.found), (3, 3));
    }
}
