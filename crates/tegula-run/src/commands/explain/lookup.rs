//! Looks up a unit in a run folder.

use serde_json::Value;
use std::path::Path;
use tegula::error::{Error, ErrorKind, Result};
use tegula::recipe::Recipe;
use tegula_io::memory::Table as Memory;
use tegula_io::options::ReadOptions;
use tegula_io::store;
use tegula_io::tables::{
    Clusters, RunFolder, RunInfo, StageInfo, Table, TableReader, Units, Verdicts, Whereabouts,
};
use tegula_report::texts::Origin;
pub(super) use tegula_report::texts::UnitRef as Unit;

/// An open run.
pub(super) struct Run {
    folder: RunFolder,
    pub(super) info: RunInfo,
    pub(super) recipe: Recipe,
    /// The name of the stage, if there are several.
    pub(super) stage: String,
    read: ReadOptions,
}

/// The verdict on a unit.
#[derive(Debug, Clone, Default)]
pub(super) struct Verdict {
    /// `kept`, `removed` or `marked`.
    pub(super) fate: String,
    pub(super) witness: Option<(u64, String)>,
    pub(super) score: Option<f64>,
    pub(super) label: Option<String>,
    /// Units removed because of this one: number, id, score; the best first.
    pub(super) because_of_it: Vec<(u64, String, f64)>,
}

/// The cluster of a unit.
#[derive(Debug, Clone)]
pub(super) struct Cluster {
    pub(super) id: String,
    pub(super) size: u32,
    pub(super) min_edge: f64,
    pub(super) density: Option<f64>,
    /// Its earliest other member.
    pub(super) other: Option<String>,
}

/// A cluster with a lower density is called a chain.
const CHAIN: f64 = 0.5;

impl Cluster {
    /// Whether most of its units match some others but not each other.
    pub(super) fn is_chain(&self) -> bool {
        self.size > 2 && self.density.is_some_and(|density| density < CHAIN)
    }
}

/// Number of similar ids to suggest if one is not found.
const NEAREST: usize = 3;

impl Run {
    /// The stages of a run, or the run itself if it has one stage; `moved` is the new location of
    /// the inputs, if they have moved, and `tables` those that the caller still has.
    pub(super) fn open_stages(
        root: &Path,
        moved: Option<&Path>,
        tables: &[Memory],
    ) -> Result<Vec<Self>> {
        let stages = RunFolder::open(root)?.info()?.stages;
        if stages.is_empty() {
            return Ok(vec![Self::open(root, moved, tables)?]);
        }
        let open = |stage: &StageInfo| {
            Ok(Self {
                stage: stage.name.clone(),
                ..Self::open(&root.join(&stage.folder), moved, tables)?
            })
        };
        stages.iter().map(open).collect()
    }

    /// Whether there is a unit with this id.
    pub(super) fn has_unit(&self, id: &str) -> Result<bool> {
        let mut found = false;
        TableReader::<Units>::open(&self.folder.table::<Units>())?.for_each(|row| {
            found |= row.id == id;
            Ok(())
        })?;
        Ok(found)
    }

    fn open(root: &Path, moved: Option<&Path>, tables: &[Memory]) -> Result<Self> {
        let folder = RunFolder::open(root)?;
        let mut info = folder.info()?;
        let whereabouts = Whereabouts::of(&info, moved).holding(tables);
        info.inputs
            .iter_mut()
            .for_each(|input| *input = whereabouts.file(input));
        let damaged = |what: &str, error: serde_json::Error| {
            Error::new(
                ErrorKind::Run,
                format!("expected {what} in run.json: {error}"),
            )
            .at(root)
            .hint("run again, or use another run")
        };
        let recipe = serde_json::from_value(info.recipe.clone())
            .map_err(|error| damaged("a recipe", error))?;
        let read = match info
            .options
            .get("input")
            .and_then(|input| input.get("read"))
        {
            None | Some(Value::Null) => ReadOptions::default(),
            Some(read) => {
                serde_json::from_value(read.clone()).map_err(|error| damaged("options", error))?
            }
        };
        Ok(Self {
            folder,
            info,
            recipe,
            stage: String::new(),
            read,
        })
    }

    /// The source of its texts.
    pub(super) fn origin(&self) -> Origin<'_> {
        Origin {
            inputs: &self.info.inputs,
            read: &self.read,
            recipe: &self.recipe,
            whole: true,
        }
    }

    /// The minimum number of tokens of a compared unit.
    pub(super) fn min_tokens(&self) -> u64 {
        self.info
            .options
            .get("constraints")
            .and_then(|all| all.get("min_tokens"))
            .and_then(Value::as_u64)
            .unwrap_or(0)
    }

    fn has<T: Table>(&self) -> bool {
        store::is_file(&self.folder.table::<T>())
    }

    /// The units with these ids, all of which must exist.
    pub(super) fn units(&self, ids: &[&str]) -> Result<Vec<Unit>> {
        let mut found: Vec<Option<Unit>> = vec![None; ids.len()];
        let mut near = Nearest::default();
        TableReader::<Units>::open(&self.folder.table::<Units>())?.for_each(|row| {
            for (id, place) in ids.iter().zip(&mut found) {
                if *id == row.id && place.is_none() {
                    *place = Some(Unit::from(row));
                }
            }
            Ok(())
        })?;
        if let Some((id, _)) = ids.iter().zip(&found).find(|(_, place)| place.is_none()) {
            TableReader::<Units>::open(&self.folder.table::<Units>())?.for_each(|row| {
                near.offer(id, row.id);
                Ok(())
            })?;
            let error =
                Error::usage(format!("there is no unit '{id}' in the run")).at(self.folder.path());
            return Err(match near.hint() {
                Some(hint) => error.hint(hint),
                None => error.hint("units.parquet lists the ids"),
            });
        }
        Ok(found.into_iter().flatten().collect())
    }

    /// What the messages of these units are besides their text; empty for nothing.
    pub(super) fn apart(&self, units: [&Unit; 2]) -> Result<[String; 2]> {
        let mut found = [String::new(), String::new()];
        let table = TableReader::<Units>::open(&self.folder.table::<Units>())?;
        let fields = &table.info().fields;
        let place = fields
            .iter()
            .position(|name| name == ReadOptions::MAIL_APART);
        let Some(place) = place else {
            return Ok(found);
        };
        for rows in table {
            let rows = rows?;
            for at in 0..rows.len() {
                let number = rows.row(at).unit;
                for (unit, value) in units.iter().zip(&mut found) {
                    if unit.number == number {
                        rows.field(at, place).unwrap_or_default().clone_into(value);
                    }
                }
            }
        }
        Ok(found)
    }

    /// The verdict on a unit; none if the run made no decisions.
    pub(super) fn verdict(&self, unit: &Unit) -> Result<Option<Verdict>> {
        if !self.has::<Verdicts>() {
            return Ok(None);
        }
        let mut found = None;
        let mut because_of_it: Vec<(u64, String, f64)> = Vec::new();
        TableReader::<Verdicts>::open(&self.folder.table::<Verdicts>())?.for_each(|row| {
            if row.unit == unit.number {
                found = Some(Verdict {
                    fate: row.verdict.to_owned(),
                    witness: row.witness.zip(row.witness_id.map(str::to_owned)),
                    score: row.score,
                    label: row.label.map(str::to_owned),
                    because_of_it: Vec::new(),
                });
            } else if row.witness == Some(unit.number) {
                because_of_it.push((row.unit, row.id.to_owned(), row.score.unwrap_or_default()));
            }
            Ok(())
        })?;
        because_of_it.sort_by(|a, b| b.2.total_cmp(&a.2).then(a.0.cmp(&b.0)));
        Ok(found.map(|verdict| Verdict {
            because_of_it,
            ..verdict
        }))
    }

    /// The cluster of a unit, if it is in one.
    pub(super) fn cluster(&self, unit: &Unit) -> Result<Option<Cluster>> {
        if !self.has::<Clusters>() {
            return Ok(None);
        }
        let mut found: Option<Cluster> = None;
        // Members are adjacent, and the earliest names the cluster: it is known before the unit is
        // reached.
        let mut first: Option<(String, String)> = None;
        TableReader::<Clusters>::open(&self.folder.table::<Clusters>())?.for_each(|row| {
            let same = |of: &Option<(String, String)>| {
                of.as_ref()
                    .is_some_and(|(cluster, _)| cluster == row.cluster_id)
            };
            if row.id == unit.id {
                found = Some(Cluster {
                    id: row.cluster_id.to_owned(),
                    size: row.size,
                    min_edge: row.min_edge,
                    density: row.density,
                    other: if same(&first) {
                        first.take().map(|(_, id)| id)
                    } else {
                        None
                    },
                });
            } else if let Some(cluster) = &mut found {
                if cluster.other.is_none() && cluster.id == row.cluster_id {
                    cluster.other = Some(row.id.to_owned());
                }
            } else if !same(&first) {
                first = Some((row.cluster_id.to_owned(), row.id.to_owned()));
            }
            Ok(())
        })?;
        Ok(found)
    }
}

/// Ids similar to one that was not found.
#[derive(Default)]
struct Nearest {
    best: Vec<(usize, String)>,
}

impl Nearest {
    fn offer(&mut self, wanted: &str, id: &str) {
        let distance = if id
            .strip_prefix(wanted)
            .is_some_and(|rest| rest.starts_with('#'))
        {
            0
        } else {
            distance(wanted, id)
        };
        let most = (wanted.chars().count() / 3).max(2);
        if distance > most
            || (self.best.len() == NEAREST
                && self
                    .best
                    .last()
                    .is_some_and(|(worst, _)| *worst <= distance))
        {
            return;
        }
        let place = self.best.partition_point(|(other, _)| *other <= distance);
        self.best.insert(place, (distance, id.to_owned()));
        self.best.truncate(NEAREST);
    }

    fn hint(&self) -> Option<String> {
        let names: Vec<&str> = self.best.iter().map(|(_, id)| id.as_str()).collect();
        (!names.is_empty()).then(|| format!("the nearest ids are {}", names.join(", ")))
    }
}

/// Insertions, deletions and replacements of characters from one string to another.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut corner = i;
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = corner + usize::from(x != *y);
            corner = row[j + 1];
            row[j + 1] = replaced.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_ids_are_found() {
        assert_eq!(
            (
                distance("kitten", "sitting"),
                distance("", "ab"),
                distance("ä", "a")
            ),
            (3, 2, 1)
        );
        let mut near = Nearest::default();
        for id in ["T02/NOV.1", "T03/NOV.2", "x", "T03/NOV.1#p1", "T03/NOV.11"] {
            near.offer("T03/NOV.1", id);
        }
        assert_eq!(
            near.hint().unwrap(),
            "the nearest ids are T03/NOV.1#p1, T02/NOV.1, T03/NOV.2"
        );
        assert!(Nearest::default().hint().is_none());
    }
}
