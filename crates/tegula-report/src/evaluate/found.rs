//! What was found: pairs with their scores, or clusters.

use super::ids::Ids;
use super::rows::{Rows, Shape, Wanted};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use tegula::error::{Error, ErrorKind, Result};
use tegula_io::tables::{Clusters, Groups, PairRow, Pairs, RunFolder, Table, TableReader, Verdicts};

/// A pair that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pair {
    /// The number of one id, the lower.
    pub(super) a: u32,
    /// That of the other.
    pub(super) b: u32,
    /// Its score.
    pub(super) score: f64,
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Pairs by (a, b), each once with its best score; of clusters the pairs of each member with the first.
    pub(super) pairs: Vec<Pair>,
    /// Whether these are clusters, so that all pairs in one were found.
    pub(super) clusters: bool,
    /// Whether the pairs have scores.
    pub(super) scored: bool,
    /// Ids that gold does not know.
    pub(super) unknown: u64,
    /// One of them.
    pub(super) example: Option<String>,
    /// Rows of an id with itself.
    pub(super) loops: u64,
}

/// Takes ids and pairs as they are read.
struct Reader<'a> {
    ids: &'a mut Ids,
    /// Whether ids that gold does not know are left out.
    closed: bool,
    unknown: HashSet<Box<str>>,
    found: Found,
}

/// Which column a pair's score stands in.
const SCORES: [&str; 7] = ["score", "ssr", "sscr", "containment_a", "containment_b", "levenshtein", "unmasked"];

/// Reads what was found. Where `closed`, ids that are not known yet are left out with their pairs; they are counted in any case.
pub(super) fn read(path: &Path, score: &str, ids: &mut Ids, closed: bool) -> Result<Found> {
    let known = ids.len();
    let mut reader = Reader { ids, closed, unknown: HashSet::new(), found: Found::default() };
    if let Some(root) = run_of(path) {
        reader.run(&root, score)?;
    } else if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("parquet")) {
        reader.parquet(path, score)?;
    } else {
        reader.list(path, score)?;
    }
    let mut found = reader.found;
    found.unknown = if closed { reader.unknown.len() } else { reader.ids.len() - known } as u64;
    if found.example.is_none() && found.unknown > 0 {
        found.example = Some(reader.ids.name(known as u32).to_owned());
    }
    found.pairs.sort_unstable_by(|x, y| (x.a, x.b).cmp(&(y.a, y.b)).then(y.score.total_cmp(&x.score)));
    found.pairs.dedup_by_key(|pair| (pair.a, pair.b));
    Ok(found)
}

/// The folder of the run that a path is, or whose table of pairs it is.
fn run_of(path: &Path) -> Option<PathBuf> {
    if path.is_dir() {
        return Some(path.to_path_buf());
    }
    let parent = path.parent().filter(|parent| path.ends_with("pairs.parquet") && parent.join("run.json").is_file());
    parent.map(|parent| if parent.as_os_str().is_empty() { PathBuf::from(".") } else { parent.to_path_buf() })
}

impl Reader<'_> {
    fn number(&mut self, id: &str) -> Result<Option<u32>> {
        let number = if self.closed { self.ids.get(id) } else { Some(self.ids.number(id)?) };
        if number.is_none() && !self.unknown.contains(id) {
            self.found.example.get_or_insert_with(|| id.to_owned());
            self.unknown.insert(id.into());
        }
        Ok(number)
    }

    fn pair(&mut self, a: &str, b: &str, score: f64) -> Result<()> {
        if score.is_nan() {
            return Err(Error::data(format!("expected a score for the pair of {a} and {b}, found none"))
                .hint("name another column with --score"));
        }
        if a == b {
            self.found.loops += 1;
            return Ok(());
        }
        if let (Some(a), Some(b)) = (self.number(a)?, self.number(b)?) {
            self.found.pairs.push(Pair { a: a.min(b), b: a.max(b), score });
        }
        Ok(())
    }

    /// TSV or JSON Lines: pairs, or members of clusters.
    fn list(&mut self, path: &Path, score: &str) -> Result<()> {
        let wanted = Wanted { id: "id", group: "cluster_id", third: score };
        let Some(rows) = Rows::open(path, wanted, None)? else { return Ok(()) };
        if rows.shape() == Shape::Groups {
            let mut firsts: HashMap<Box<str>, Box<str>> = HashMap::new();
            self.found.clusters = true;
            rows.for_each(|row| match row.second {
                None => Ok(()),
                Some(cluster) => self.member(&mut firsts, &cluster, &row.first),
            })?;
            return Ok(());
        }
        let (mut with, mut without) = (false, false);
        let found = rows.for_each(|row| {
            let score = match &row.third {
                Some(text) => number(text)?,
                None => 1.0,
            };
            (with, without) = (with || row.third.is_some(), without || row.third.is_none());
            if with && without {
                return Err(Error::data("expected a score in every row or in none, found both"));
            }
            self.pair(&row.first, row.second.as_deref().unwrap_or_default(), score)
        })?;
        if !found && score != SCORES[0] && !self.found.pairs.is_empty() {
            return Err(Error::data(format!("expected a column \"{score}\", found none")).at(path));
        }
        self.found.scored = with;
        Ok(())
    }

    fn member(&mut self, firsts: &mut HashMap<Box<str>, Box<str>>, cluster: &str, id: &str) -> Result<()> {
        match firsts.get(cluster) {
            // The pair with the first known member stands for the cluster.
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
            Ok(table) => self.pairs(table, path, score, &Equal::default()),
            // The one without the columns of pairs may have those of clusters.
            Err(error) => match TableReader::<Clusters>::open(path) {
                Ok(table) => self.clusters(table),
                Err(_) => Err(error),
            },
        }
    }

    fn pairs(&mut self, table: TableReader<Pairs>, path: &Path, score: &str, equal: &Equal) -> Result<()> {
        let of: fn(&PairRow) -> Option<f64> = match SCORES.iter().position(|name| *name == score) {
            Some(0) => |row| Some(row.score),
            Some(1) => |row| row.ssr,
            Some(2) => |row| row.sscr,
            Some(3) => |row| row.containment_a,
            Some(4) => |row| row.containment_b,
            Some(5) => |row| row.levenshtein,
            Some(6) => |row| row.unmasked,
            _ => return Err(Error::usage(format!("--score: expected one of {}, found {score}", SCORES.join(", "))).at(path)),
        };
        self.found.scored = true;
        table.for_each(|row| {
            let score =
                of(&row).ok_or_else(|| Error::data(format!("expected a number in column \"{score}\", found null")).at(path))?;
            // A pair of the groups' first members stands for those of all members.
            match (equal.of(row.id_a), equal.of(row.id_b)) {
                (None, None) => self.pair(row.id_a, row.id_b, score),
                (Some(of_a), None) => of_a.iter().try_for_each(|a| self.pair(a, row.id_b, score)),
                (None, Some(of_b)) => of_b.iter().try_for_each(|b| self.pair(row.id_a, b, score)),
                (Some(of_a), Some(of_b)) => of_a.iter().try_for_each(|a| of_b.iter().try_for_each(|b| self.pair(a, b, score))),
            }
        })
    }

    fn clusters(&mut self, table: TableReader<Clusters>) -> Result<()> {
        let mut firsts = HashMap::new();
        self.found.clusters = true;
        table.for_each(|row| self.member(&mut firsts, row.cluster_id, row.id))
    }

    /// What a recipe without pairs and clusters, such as Onion, leaves: each unit that went, with its witness.
    fn witnesses(&mut self, folder: &RunFolder) -> Result<()> {
        let path = folder.table::<Verdicts>();
        if !path.is_file() {
            return Ok(());
        }
        TableReader::<Verdicts>::open(&path)?.for_each(|row| match row.witness_id {
            Some(witness) => self.pair(witness, row.id, row.score.unwrap_or(1.0)),
            None => Ok(()),
        })
    }

    /// A run folder: its pairs with the groups of equal units that they stand for, or its clusters.
    fn run(&mut self, root: &Path, score: &str) -> Result<()> {
        let folder = RunFolder::open(root)?;
        let info = folder.info()?;
        if let Some(stage) = info.stages.first() {
            return Err(Error::new(ErrorKind::Run, "expected a run of one stage, found one of several")
                .at(root)
                .hint(format!("name the folder of a stage, such as {}", root.join(&stage.folder).display())));
        }
        if !folder.table::<Pairs>().is_file() {
            let path = folder.table::<Clusters>();
            if !path.is_file() {
                return Err(Error::new(
                    ErrorKind::Run,
                    format!("expected pairs or clusters, found no {}.parquet", Clusters::NAME),
                )
                .at(root));
            }
            self.clusters(TableReader::open(&path)?)?;
            return if self.found.pairs.is_empty() { self.witnesses(&folder) } else { Ok(()) };
        }
        if ["across", "against"].iter().any(|name| info.options.get(*name).is_some_and(is_set)) {
            return Err(Error::new(
                ErrorKind::Run,
                "expected a run in which equal units are pairs, found one with --across or --against",
            )
            .at(root)
            .hint("list its pairs with tegula pairs --expand, and name that list"));
        }
        let mut groups = Equal::default();
        let path = folder.table::<Groups>();
        if path.is_file() {
            TableReader::<Groups>::open(&path)?.for_each(|row| {
                groups.push(row.group, row.id);
                Ok(())
            })?;
        }
        for members in &groups.members {
            for (place, a) in members.iter().enumerate() {
                for b in &members[place + 1..] {
                    self.pair(a, b, 1.0)?;
                }
            }
        }
        let path = folder.table::<Pairs>();
        self.pairs(TableReader::open(&path)?, &path, score, &groups)?;
        Ok(())
    }
}

fn is_set(value: &serde_json::Value) -> bool {
    !(value.is_null() || value.as_array().is_some_and(Vec::is_empty) || value.as_bool() == Some(false))
}

fn number(text: &str) -> Result<f64> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err(Error::data(format!("expected a number as score, found \"{text}\""))),
    }
}

/// Groups of equal units.
#[derive(Default)]
struct Equal {
    members: Vec<Vec<Box<str>>>,
    last: Option<u64>,
    /// By the first member: its group.
    firsts: HashMap<Box<str>, usize>,
}

impl Equal {
    /// Members of a group come one after the other.
    fn push(&mut self, group: u64, id: &str) {
        if self.last != Some(group) {
            self.last = Some(group);
            self.firsts.insert(id.into(), self.members.len());
            self.members.push(Vec::new());
        }
        if let Some(members) = self.members.last_mut() {
            members.push(id.into());
        }
    }

    fn of(&self, first: &str) -> Option<&[Box<str>]> {
        self.firsts.get(first).map(|place| self.members[*place].as_slice())
    }
}
