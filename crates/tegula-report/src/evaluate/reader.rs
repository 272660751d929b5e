//! Reads a result: a list of pairs or clusters, or a run.

use super::equal::Equal;
use super::found::{Found, Listed, Pair};
use super::ids::Ids;
use super::options::ReadOptions;
use super::parts::Parts;
use super::rows::{RowColumns, Rows, Shape};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use tegula::error::{Error, ErrorKind, Result};
use tegula_io::tables::{Clusters, PairRow, Pairs, RunFolder, TableReader};

/// Collects ids and pairs.
pub(super) struct Reader<'a> {
    ids: &'a mut Ids,
    /// The number of ids in the gold standard, which have the lowest numbers.
    known: usize,
    /// Whether every id is that of a paragraph or sentence, to be replaced by its document.
    roll_up: bool,
    /// Whether ids that are not in the gold standard are dropped.
    closed: bool,
    unknown: HashSet<Box<str>>,
    /// The numbers of those that are not dropped.
    strangers: HashSet<u32>,
    /// Parts of documents, if the run lists them with their lengths.
    pub(super) parts: Option<Parts>,
    /// Pairs expanded from groups of equal texts.
    expanded: u64,
    pub(super) found: Found,
}

/// The columns that can contain a pair's score.
const SCORES: [&str; 7] = [
    "score",
    "ssr",
    "sscr",
    "containment_a",
    "containment_b",
    "levenshtein",
    "unmasked",
];

/// Reads the result. The first `known` ids are those of the gold standard. With `closed`, others are
/// dropped with their pairs; they are counted in any case.
pub(super) fn read(
    path: &Path,
    options: &ReadOptions,
    ids: &mut Ids,
    known: usize,
    closed: bool,
) -> Result<Found> {
    let (unknown, found) = (HashSet::new(), Found::default());
    let mut reader = Reader {
        ids,
        known,
        roll_up: options.roll_up,
        closed,
        unknown,
        strangers: HashSet::new(),
        parts: None,
        expanded: 0,
        found,
    };
    if let Some(root) = RunFolder::of_pairs(path) {
        reader.run(&root, options)?;
    } else if options.clusters {
        return Err(Error::of("⟨clusters⟩")
            .expected("the folder of a run")
            .found("another list")
            .at(path)
            .hint("leave it out: a list of clusters is always judged as clusters"));
    } else if path
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("parquet"))
    {
        reader.parquet(path, &options.score)?;
    } else {
        reader.list(path, options)?;
    }
    let mut found = reader.found;
    if options.score != SCORES[0] && found.of != Listed::Pairs {
        let what = if found.of == Listed::Clusters {
            "clusters"
        } else {
            "removals, as the run kept no pairs"
        };
        return Err(Error::of("⟨score⟩")
            .expected("pairs")
            .found(what)
            .at(path)
            .hint("leave it out"));
    }
    found.unknown = (reader.unknown.len() + reader.strangers.len()) as u64;
    found.pairs.sort_unstable_by(|x, y| {
        (x.a, x.b)
            .cmp(&(y.a, y.b))
            .then(y.score.total_cmp(&x.score))
    });
    found.pairs.dedup_by_key(|pair| (pair.a, pair.b));
    Ok(found)
}

/// The maximum number of expanded pairs of equal texts: a gibibyte.
const MOST: u64 = 1 << 26;

/// The error for rows that represent several pairs.
fn collapsed() -> Error {
    ErrorKind::Data
        .expected("a row for every pair")
        .found("one that represents the pairs of several equal texts")
        .hint("use the folder of the run (pairs ⟨run⟩), which has the groups of equal texts, or write the pairs with ⟨expand⟩")
}

impl Reader<'_> {
    /// The id of a number.
    pub(super) fn name(&self, number: u32) -> &str {
        self.ids.name(number)
    }

    /// The number of an id. An id that is not in the gold standard is replaced by its document, if
    /// that is.
    pub(super) fn number(&mut self, id: &str) -> Result<Option<u32>> {
        let listed = self.parts.as_ref().and_then(|parts| parts.document(id));
        self.number_of(
            id,
            listed
                .as_deref()
                .or_else(|| id.rsplit_once('#').map(|(document, _)| document)),
        )
    }

    /// The number of the id of a part of a document.
    pub(super) fn number_of(&mut self, id: &str, document: Option<&str>) -> Result<Option<u32>> {
        let in_gold = |id: &str| {
            self.ids
                .get(id)
                .is_some_and(|number| (number as usize) < self.known)
        };
        let id = match document {
            Some(document) if self.roll_up || (!in_gold(id) && in_gold(document)) => {
                self.found.rolled_up = true;
                document
            }
            _ => id,
        };
        let number = if self.closed {
            self.ids.get(id)
        } else {
            Some(self.ids.number(id)?)
        };
        if let Some(number) = number {
            let is_known = (number as usize) < self.known;
            self.found.met |= is_known;
            if !is_known && self.strangers.insert(number) {
                self.found.example.get_or_insert_with(|| id.to_owned());
            }
        }
        if number.is_none() && !self.unknown.contains(id) {
            self.found.example.get_or_insert_with(|| id.to_owned());
            self.unknown.insert(id.into());
        }
        Ok(number)
    }

    pub(super) fn pair(&mut self, id_a: &str, id_b: &str, score: f64) -> Result<()> {
        if score.is_nan() {
            return Err(ErrorKind::Data
                .expected(format!("a score for the pair of {id_a} and {id_b}"))
                .found("none")
                .hint("use another column as ⟨score⟩"));
        }
        if id_a == id_b {
            self.found.loops += 1;
            return Ok(());
        }
        // Two paragraphs of one document are not a pair of documents.
        if let (Some(a), Some(b)) = (self.number(id_a)?, self.number(id_b)?)
            && a != b
        {
            let listed = self
                .parts
                .as_mut()
                .is_some_and(|parts| parts.pair((id_a, a), (id_b, b)));
            if !listed {
                self.found.pairs.push(Pair {
                    a: a.min(b),
                    b: a.max(b),
                    score,
                });
            }
        }
        Ok(())
    }

    /// A pair represented by one or two groups of equal texts.
    pub(super) fn equal_pair(&mut self, id_a: &str, id_b: &str, score: f64) -> Result<()> {
        self.expanded += 1;
        if self.expanded > MOST {
            return Err(Error::new(
                ErrorKind::Memory,
                format!("expected at most {MOST} pairs of equal texts, found more"),
            )
            .hint("judge the clusters of the run, which have an entry for each text: ⟨clusters⟩"));
        }
        self.pair(id_a, id_b, score)
    }

    /// TSV or JSON Lines: pairs, or members of clusters.
    fn list(&mut self, path: &Path, options: &ReadOptions) -> Result<()> {
        let score = options.score.as_str();
        let wanted = RowColumns {
            id: "id",
            group: "cluster_id",
            third: score,
            more: &[],
            formulas: options.formulas,
        };
        let Some(rows) = Rows::open(path, wanted, None)? else {
            return Ok(());
        };
        if rows.shape() == Shape::Groups {
            let mut firsts: HashMap<Box<str>, Box<str>> = HashMap::new();
            self.found.of = Listed::Clusters;
            rows.for_each(|row| match row.second {
                None => Ok(()),
                Some(cluster) => self.member(&mut firsts, &cluster, &row.first),
            })?;
            return Ok(());
        }
        let (mut with, mut without) = (false, false);
        let found = rows.for_each(|row| {
            if !row.is_one {
                return Err(collapsed());
            }
            let score = match &row.third {
                Some(text) => number(text)?,
                None => 1.0,
            };
            (with, without) = (with || row.third.is_some(), without || row.third.is_none());
            if with && without {
                return Err(ErrorKind::Data
                    .expected("a score in every row or in none")
                    .found("both"));
            }
            self.pair(&row.first, row.second.as_deref().unwrap_or_default(), score)
        })?;
        if !found && score != SCORES[0] && !self.found.pairs.is_empty() {
            return Err(ErrorKind::Data
                .expected(format!("a column \"{score}\""))
                .found("none")
                .at(path));
        }
        self.found.scored = with;
        Ok(())
    }

    fn member(
        &mut self,
        firsts: &mut HashMap<Box<str>, Box<str>>,
        cluster: &str,
        id: &str,
    ) -> Result<()> {
        match firsts.get(cluster) {
            // The pair with the first known member represents the cluster.
            Some(first) => {
                let first = first.clone();
                if *first != *id {
                    self.pair(&first, id, 1.0)?;
                }
            }
            None if self.number(id)?.is_some() => drop(firsts.insert(cluster.into(), id.into())),
            None => {}
        }
        Ok(())
    }

    fn parquet(&mut self, path: &Path, score: &str) -> Result<()> {
        match TableReader::<Pairs>::open(path) {
            Ok(table) => self.pairs(table, path, score, None),
            // A table without the columns of pairs may have those of clusters.
            Err(error) => match TableReader::<Clusters>::open(path) {
                Ok(table) => self.clusters(table),
                Err(_) => Err(error),
            },
        }
    }

    pub(super) fn pairs(
        &mut self,
        table: TableReader<Pairs>,
        path: &Path,
        score: &str,
        equal: Option<&Equal>,
    ) -> Result<()> {
        let (in_run, none) = (equal.is_some(), Equal::default());
        let equal = equal.unwrap_or(&none);
        let of: fn(&PairRow) -> Option<f64> = match SCORES.iter().position(|name| *name == score) {
            Some(0) => |row| Some(row.score),
            Some(1) => |row| row.ssr,
            Some(2) => |row| row.sscr,
            Some(3) => |row| row.containment_a,
            Some(4) => |row| row.containment_b,
            Some(5) => |row| row.levenshtein,
            Some(6) => |row| row.unmasked,
            _ => {
                return Err(Error::of("⟨score⟩")
                    .expected(format!("one of {}", SCORES.join(", ")))
                    .found(score)
                    .at(path));
            }
        };
        self.found.scored = true;
        table.for_each(|row| {
            let score = of(&row).ok_or_else(|| {
                ErrorKind::Data
                    .expected(format!("a number in column \"{score}\""))
                    .found("null")
                    .at(path)
            })?;
            if !in_run && row.stands_for() != Some(1) {
                return Err(collapsed().at(path));
            }
            // A pair of the groups' first members represents those of all members.
            match (equal.of(row.id_a), equal.of(row.id_b)) {
                (None, None) => self.pair(row.id_a, row.id_b, score),
                (Some(of_a), None) => of_a
                    .iter()
                    .try_for_each(|a| self.equal_pair(a, row.id_b, score)),
                (None, Some(of_b)) => of_b
                    .iter()
                    .try_for_each(|b| self.equal_pair(row.id_a, b, score)),
                (Some(of_a), Some(of_b)) => of_a
                    .iter()
                    .try_for_each(|a| of_b.iter().try_for_each(|b| self.equal_pair(a, b, score))),
            }
        })
    }

    pub(super) fn clusters(&mut self, table: TableReader<Clusters>) -> Result<()> {
        let mut firsts = HashMap::new();
        self.found.of = Listed::Clusters;
        table.for_each(|row| self.member(&mut firsts, row.cluster_id, row.id))
    }
}

fn number(text: &str) -> Result<f64> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err(ErrorKind::Data
            .expected("a number as score")
            .found(format!("\"{text}\""))),
    }
}
