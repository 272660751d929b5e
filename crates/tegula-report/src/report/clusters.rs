//! Clusters by size, and the largest with their members.

use std::collections::BTreeMap;
use tegula::error::Result;
use tegula_io::tables::{Clusters, TableReader};

use crate::run::Stage;

/// The number of clusters shown with their members.
pub(super) const LARGEST: usize = 10;
/// The maximum number of members listed for each.
pub(super) const MEMBERS: usize = 40;

/// A cluster.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Cluster {
    pub(super) id: String,
    pub(super) size: u32,
    pub(super) min_edge: f64,
    pub(super) density: Option<f64>,
    /// Its first members: number and id.
    pub(super) members: Vec<(Option<u64>, String)>,
}

/// The clusters of a stage.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct StageClusters {
    /// The number of clusters, by size.
    pub(super) sizes: BTreeMap<u32, u64>,
    /// The largest clusters, with ties in input order.
    pub(super) largest: Vec<Cluster>,
}

impl StageClusters {
    /// Reads the clusters; none if the stage has no such table.
    pub(super) fn of(stage: &Stage) -> Result<Option<Self>> {
        if !stage.has::<Clusters>() {
            return Ok(None);
        }
        let mut found = Self::default();
        let mut current = Cluster::default();
        TableReader::<Clusters>::open(&stage.folder().table::<Clusters>())?.for_each(|row| {
            if current.size == 0 || current.id != row.cluster_id {
                found.take(std::mem::take(&mut current));
                current = Cluster {
                    id: row.cluster_id.to_owned(),
                    size: row.size,
                    min_edge: row.min_edge,
                    density: row.density,
                    members: Vec::new(),
                };
            }
            if current.members.len() < MEMBERS {
                current.members.push((row.unit, row.id.to_owned()));
            }
            Ok(())
        })?;
        found.take(current);
        Ok(Some(found))
    }

    fn take(&mut self, cluster: Cluster) {
        if cluster.size == 0 {
            return;
        }
        *self.sizes.entry(cluster.size).or_default() += 1;
        let place = self
            .largest
            .partition_point(|other| other.size >= cluster.size);
        if place < LARGEST {
            self.largest.insert(place, cluster);
            self.largest.truncate(LARGEST);
        }
    }

    /// The number of clusters.
    pub(super) fn count(&self) -> u64 {
        self.sizes.values().sum()
    }
}
