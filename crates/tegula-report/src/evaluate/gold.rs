//! The gold standard: labelled pairs, or groups of texts that are copies of each other.

use super::ids::Ids;
use super::options::{Half, ReadOptions};
use super::positive::Positive;
use super::rows::{Row, RowColumns, Rows, Shape};
use super::sorter::{By, Sorter};
use std::collections::HashMap;
use std::path::Path;
use tegula::cluster::UnionFind;
use tegula::error::{ErrorKind, Result};
use tegula::hash;

/// The maximum number of labels listed; a list with more of them has grades, not classes.
const LABELS: usize = 20;

/// The gold standard.
#[derive(Debug)]
pub(super) struct Gold {
    /// Its kind.
    pub(super) kind: Kind,
    /// By id, its group, named after the first id in it. For pairs these are the connected
    /// components of the positive ones.
    pub(super) groups: Vec<u32>,
    /// By id, the number of ids in its group; only for the first id.
    pub(super) sizes: Vec<u32>,
    /// By id, whether its group is in the judged half.
    pub(super) judged: Vec<bool>,
}

/// The kind of a gold standard.
#[derive(Debug)]
pub(super) enum Kind {
    /// Groups: all pairs in one are positive.
    Groups,
    /// Pairs with their labels.
    Pairs(Labelled),
}

/// Labelled pairs.
#[derive(Debug, Default)]
pub(super) struct Labelled {
    /// Sorted by (a, b), a before b.
    pub(super) list: Vec<Label>,
    /// The labels, if there are few, in order of first appearance.
    pub(super) names: Vec<String>,
    /// For each id, the start of its pairs in `partners`; with one more at the end.
    starts: Vec<usize>,
    /// For each id, its partners, and whether they are copies.
    partners: Vec<(u32, bool)>,
}

/// A labelled pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Label {
    /// The pair, by the numbers of its ids.
    pub(super) pair: (u32, u32),
    /// The index of its label in the list of labels.
    pub(super) name: u32,
    /// Whether it is a pair of copies.
    pub(super) positive: bool,
}

/// The parsed list, while more ids may follow.
pub(super) enum Read {
    Groups {
        sets: UnionFind,
        count: usize,
        /// The fields of documents.
        names: Vec<String>,
    },
    Pairs {
        list: Vec<Label>,
        names: Vec<String>,
    },
}

/// Reads the gold standard; ids are numbered in order of appearance. Groups also pass the fields of
/// documents to `sorters`.
pub(super) fn read(
    path: &Path,
    options: &ReadOptions,
    ids: &mut Ids,
    sorters: &mut [Sorter],
) -> Result<Read> {
    let fields: Vec<&str> = options.by.iter().map(By::field).collect();
    let wanted = RowColumns {
        id: &options.id_key,
        group: &options.group_key,
        third: options.label.as_deref().unwrap_or("label"),
        more: &fields,
        formulas: options.formulas,
    };
    let Some(rows) = Rows::open(path, wanted, options.groups.then_some(Shape::Groups))? else {
        return Err(ErrorKind::Data
            .expected("labelled pairs or groups")
            .found("an empty file")
            .at(path));
    };
    match rows.shape() {
        Shape::Groups => groups(rows, ids, sorters),
        Shape::Pairs => pairs(rows, options, ids).map_err(|error| {
            if error.path().is_none() {
                error.at(path)
            } else {
                error
            }
        }),
    }
}

fn groups(rows: Rows, ids: &mut Ids, sorters: &mut [Sorter]) -> Result<Read> {
    let mut sets = UnionFind::new(0);
    let mut firsts: HashMap<Box<str>, u32> = HashMap::new();
    let names = rows.names().to_vec();
    rows.for_each(|row| {
        let Row { first, second, .. } = row;
        let before = ids.len();
        let id = ids.number(&first)?;
        for (sorter, value) in sorters.iter_mut().zip(&row.more) {
            sorter.push(id, value.as_deref());
        }
        let is_new = ids.len() > before;
        if is_new {
            sets.push();
        }
        let Some(group) = second else { return Ok(()) };
        let known = firsts.get(group.as_ref()).copied();
        // An id may be repeated, but only in one group.
        if !is_new && known.is_none_or(|first| sets.find(id) != sets.find(first)) {
            return Err(ErrorKind::Data
                .expected("each id in one group")
                .found(format!("\"{}\" in two", ids.name(id))));
        }
        let first = known.unwrap_or(id);
        if known.is_none() {
            firsts.insert(group.as_ref().into(), id);
        }
        sets.union(first, id);
        Ok(())
    })?;
    Ok(Read::Groups {
        sets,
        count: ids.len(),
        names,
    })
}

fn pairs(rows: Rows, options: &ReadOptions, ids: &mut Ids) -> Result<Read> {
    let mut names: Vec<String> = Vec::new();
    let mut places: HashMap<String, u32> = HashMap::new();
    let mut list = Vec::new();
    let labelled = rows.for_each(|row| {
        let positive = options.positive.says(row.third.as_deref())?;
        let (a, b) = (
            ids.number(&row.first)?,
            ids.number(row.second.as_deref().unwrap_or_default())?,
        );
        let name = row.third.unwrap_or_default();
        let place = match places.get(name.as_ref()) {
            Some(place) => *place,
            None if names.len() > LABELS => names.len() as u32,
            None => {
                names.push(name.clone().into_owned());
                places.insert(name.into_owned(), names.len() as u32 - 1);
                names.len() as u32 - 1
            }
        };
        if let (true, Some(positive)) = (a != b, positive) {
            list.push(Label {
                pair: (a.min(b), a.max(b)),
                name: place,
                positive,
            });
        }
        Ok(())
    })?;
    if !labelled && (options.label.is_some() || options.positive != Positive::Customary) {
        let name = options.label.as_deref().unwrap_or("label");
        return Err(ErrorKind::Data
            .expected(format!("labels in a column \"{name}\""))
            .found("none")
            .hint("⟨label⟩ names the column of the labels"));
    }
    list.sort_unstable();
    list.dedup();
    if let Some(two) = list.windows(2).find(|two| two[0].pair == two[1].pair) {
        let (a, b) = two[0].pair;
        return Err(ErrorKind::Data
            .expected("one label for a pair")
            .found(format!("two for {} and {}", ids.name(a), ids.name(b))));
    }
    if names.len() > LABELS || !labelled {
        names.clear();
    }
    Ok(Read::Pairs { list, names })
}

impl Gold {
    /// The gold standard over all ids so far; ids added later are singletons.
    pub(super) fn new(read: Read, ids: &Ids) -> Self {
        let (mut sets, kind) = match read {
            Read::Groups {
                mut sets, count, ..
            } => {
                for _ in count..ids.len() {
                    sets.push();
                }
                (sets, Kind::Groups)
            }
            Read::Pairs { list, names } => {
                let mut sets = UnionFind::new(ids.len());
                list.iter()
                    .filter(|label| label.positive)
                    .for_each(|label| sets.union(label.pair.0, label.pair.1));
                (sets, Kind::Pairs(Labelled::new(list, names, ids.len())))
            }
        };
        let groups: Vec<u32> = (0..ids.len() as u32).map(|id| sets.find(id)).collect();
        let mut sizes = vec![0; groups.len()];
        for group in &groups {
            sizes[*group as usize] += 1;
        }
        Self {
            judged: vec![true; groups.len()],
            kind,
            groups,
            sizes,
        }
    }

    /// Judges only the documents of a half, and, with `labelled`, those in a labelled pair.
    pub(super) fn judge(&mut self, ids: &Ids, half: Option<Half>, labelled: bool) {
        for id in 0..self.groups.len() {
            let name = ids.name(self.groups[id]);
            self.judged[id] = half.is_none_or(|half| half_of(name) == half)
                && (!labelled || self.is_labelled(id as u32));
        }
    }

    /// Whether something is known of a document: with labelled pairs, if it is in one.
    pub(super) fn is_labelled(&self, id: u32) -> bool {
        match &self.kind {
            Kind::Groups => true,
            Kind::Pairs(pairs) => !pairs.partners(id).is_empty(),
        }
    }

    /// Whether a pair is one of copies; none if unknown.
    pub(super) fn says(&self, a: u32, b: u32) -> Option<bool> {
        match &self.kind {
            Kind::Groups => Some(self.groups[a as usize] == self.groups[b as usize]),
            Kind::Pairs(pairs) => {
                let pair = (a.min(b), a.max(b));
                pairs
                    .list
                    .binary_search_by_key(&pair, |label| label.pair)
                    .ok()
                    .map(|place| pairs.list[place].positive)
            }
        }
    }

    /// The number of copies of an id.
    pub(super) fn copies(&self, id: u32) -> u32 {
        match &self.kind {
            Kind::Groups => self.sizes[self.groups[id as usize] as usize] - 1,
            Kind::Pairs(pairs) => pairs
                .partners(id)
                .iter()
                .filter(|(_, positive)| *positive)
                .count() as u32,
        }
    }

    /// The total number of pairs of copies, regardless of the half.
    pub(super) fn positives(&self) -> u64 {
        (0..self.groups.len() as u32)
            .map(|id| u64::from(self.copies(id)))
            .sum::<u64>()
            / 2
    }

    /// Pairs labelled as different.
    pub(super) fn negatives(&self) -> u64 {
        match &self.kind {
            Kind::Groups => 0,
            Kind::Pairs(pairs) => pairs.list.iter().filter(|label| !label.positive).count() as u64,
        }
    }
}

impl Labelled {
    fn new(list: Vec<Label>, names: Vec<String>, ids: usize) -> Self {
        let mut starts = vec![0; ids + 1];
        for label in &list {
            starts[label.pair.0 as usize + 1] += 1;
            starts[label.pair.1 as usize + 1] += 1;
        }
        for id in 0..ids {
            starts[id + 1] += starts[id];
        }
        let mut next = starts.clone();
        let mut partners = vec![(0, false); 2 * list.len()];
        for label in &list {
            for (id, other) in [label.pair, (label.pair.1, label.pair.0)] {
                partners[next[id as usize]] = (other, label.positive);
                next[id as usize] += 1;
            }
        }
        Self {
            list,
            names,
            starts,
            partners,
        }
    }

    /// The labelled partners of an id, and whether they are copies.
    pub(super) fn partners(&self, id: u32) -> &[(u32, bool)] {
        &self.partners[self.starts[id as usize]..self.starts[id as usize + 1]]
    }
}

/// The half of a group: by a hash of its first id, so that it does not depend on the result.
fn half_of(name: &str) -> Half {
    if hash::mix(hash::token(name.as_bytes()).id) & 1 == 0 {
        Half::A
    } else {
        Half::B
    }
}
