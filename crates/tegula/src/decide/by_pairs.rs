//! Decisions on scored pairs: the first maximal independent set in keep order, and for each removed
//! unit its best kept neighbour.

use super::fates::{Fate, Fates, Marked};
use super::restored::Restored;
use super::settle::{Edge, Edges, Rounds, State};
use super::{Decision, Policy};
use crate::cluster::UnionFind;
use crate::error::{Error, Result};
use crate::evidence::{Findings, ScoredPairs};
use crate::field::FieldKey;
use crate::pair::Pair;
use crate::threshold::{Score, Threshold};
use std::borrow::Cow;
use std::num::NonZeroU32;

/// What a decision on scored pairs looks at.
pub(super) struct ByPairs<'a> {
    found: &'a Findings,
    pairs: &'a ScoredPairs,
    policy: &'a Policy,
    threshold: Threshold,
    /// Each unit's position in keep order.
    order: Vec<u32>,
    /// Codes of `keep_per` by record.
    per: Option<Vec<u32>>,
}

impl<'a> ByPairs<'a> {
    pub(super) fn new(
        found: &'a Findings,
        pairs: &'a ScoredPairs,
        policy: &'a Policy,
        threshold: Threshold,
    ) -> Result<Self> {
        let order = policy.keep.order(&found.units)?;
        policy.check()?;
        let decider = Self {
            found,
            pairs,
            policy,
            threshold,
            order,
            per: None,
        };
        let per = decider.codes_of(policy.keep_per.as_ref())?;
        Ok(Self { per, ..decider })
    }

    /// The codes of a field, or of a part of it, by record.
    fn codes_of(&self, key: Option<&FieldKey>) -> Result<Option<Vec<u32>>> {
        let Some(key) = key else { return Ok(None) };
        let records = &self.found.units.records;
        let column = crate::field::find(&records.fields, &key.name)?;
        let codes = key.codes(column);
        let of_record = |record| codes[column.code(record) as usize];
        Ok(Some((0..records.len()).map(of_record).collect()))
    }

    /// Which units of a pair may be removed, and its score, if it reaches the threshold.
    fn edge(&self, pair: &Pair) -> Option<(Edge, Score)> {
        let score = self.pairs.admitted(pair, self.threshold)?;
        let (a_is_removable, b_is_removable) = self.pairs.removable(pair, self.threshold);
        let record = |group: u32| {
            let first = self.found.groups.first[group as usize];
            self.found.units.record_of(first)
        };
        // Where no copy is kept, no later stage can remove a witness.
        let by_length = !self.policy.keep.keeps_none();
        let outranks = |a, b| by_length && self.found.allowed.outranks(record(a), record(b));
        Some((
            Edge {
                a_is_removable: a_is_removable && !outranks(pair.a, pair.b),
                b_is_removable: b_is_removable && !outranks(pair.b, pair.a),
            },
            score,
        ))
    }

    fn is_reference(&self, unit: u32) -> bool {
        self.found
            .allowed
            .is_reference(self.found.units.record_of(unit))
    }

    /// The value of `keep_per`: units with different values never remove each other.
    fn class(&self, unit: u32) -> u32 {
        self.per
            .as_ref()
            .map_or(0, |codes| codes[self.found.units.record_of(unit)])
    }

    pub(super) fn run(&self) -> Result<Decision> {
        if self.policy.keep.keeps_none() {
            return self.keep_none();
        }
        if self.pairs.scoring().is_transitive() {
            return self.by_cluster();
        }
        let nodes = &self.nodes();
        let Nodes {
            of_unit: node_of,
            champions,
            ..
        } = nodes;
        let groups = &self.found.groups;
        let states = match &self.pairs.settled {
            Some(settled) => settled
                .groups
                .iter()
                .map(|kept| if *kept { State::Kept } else { State::Removed })
                .collect(),
            None => self.settle(nodes)?,
        };
        let restored = self.restored_of(nodes, &states)?;
        // The witness of a node: its best-scoring kept neighbour, with ties broken by input order.
        let removed: Marked = states
            .iter()
            .map(|state| *state == State::Removed)
            .collect();
        let mut best: Vec<Option<(Score, u32)>> = vec![None; removed.count()];
        let mut offer = |node: u32, witness: u32, score: Score| {
            let Some(best) = removed.place(node).map(|place| &mut best[place]) else {
                return;
            };
            if best.is_none_or(|(s, w)| score > s || (score == s && witness < w)) {
                *best = Some((score, witness));
            }
        };
        // If equal units are not duplicates of each other (`--across`, short texts under a limit of
        // length), all members of a kept node are kept, and the earliest is the witness.
        let mut earliest = Cow::Borrowed(champions);
        if !groups.are_all_alike() {
            let earliest = earliest.to_mut();
            for (unit, node) in (0..).zip(node_of) {
                if !groups.are_alike(groups.of_unit[unit as usize]) {
                    let slot = &mut earliest[*node as usize];
                    *slot = (*slot).min(unit);
                }
            }
        }
        // Of a removed node some units may be kept after all: the first in keep order is the witness.
        let mut holds: Marked = states
            .iter()
            .map(|state| *state != State::Removed)
            .collect();
        if !restored.is_empty() {
            let mut faces = vec![None::<u32>; states.len()];
            for unit in restored.each() {
                let face = &mut faces[node_of[unit as usize] as usize];
                *face = (face.iter().copied().chain([unit])).min_by_key(|unit| self.place(*unit));
            }
            let earliest = earliest.to_mut();
            for (node, face) in faces.iter().enumerate() {
                if let (State::Removed, Some(face)) = (states[node], face) {
                    earliest[node] = *face;
                }
            }
            let states = states.iter().zip(&faces);
            holds = states
                .map(|(state, face)| *state != State::Removed || face.is_some())
                .collect();
        }
        let holds = |node: u32| holds.place(node).is_some();
        let face = |node: u32| earliest[node as usize];
        self.each_edge(nodes, &mut |a, b, (edge, score)| {
            if states[a as usize] == State::Removed && holds(b) && edge.a_is_removable {
                offer(a, face(b), score);
            }
            if states[b as usize] == State::Removed && holds(a) && edge.b_is_removable {
                offer(b, face(a), score);
            }
        })?;
        let fates = (0..node_of.len() as u32)
            .map(|unit| {
                let node = node_of[unit as usize] as usize;
                let group = groups.of_unit[unit as usize];
                match states[node] {
                    _ if restored.has(unit) => Fate::Kept,
                    State::Open | State::Kept => {
                        if champions[node] == unit || !groups.are_alike(group) {
                            Fate::Kept
                        } else {
                            Fate::Duplicate {
                                witness: champions[node],
                                score: Score::ONE,
                            }
                        }
                    }
                    State::Removed if holds(node as u32) && groups.are_alike(group) => {
                        Fate::Duplicate {
                            witness: face(node as u32),
                            score: Score::ONE,
                        }
                    }
                    State::Removed => {
                        match removed.place(node as u32).and_then(|place| best[place]) {
                            Some((score, witness)) => Fate::Duplicate { witness, score },
                            None => Fate::Kept,
                        }
                    }
                }
            })
            .collect();
        Ok(Decision { fates })
    }

    /// The units of nodes that are kept besides: none that a reference removes.
    fn restored_of(&self, nodes: &Nodes, states: &[State]) -> Result<Restored> {
        if !self.policy.restores() {
            return Ok(Restored::default());
        }
        let of_unit = &nodes.of_unit;
        let mut of_reference = vec![false; states.len()];
        for (unit, node) in (0..).zip(of_unit) {
            of_reference[*node as usize] |= self.is_reference(unit);
        }
        let mut barred = of_reference.clone();
        self.each_edge(nodes, &mut |a, b, (edge, _)| {
            barred[a as usize] |= of_reference[b as usize] && edge.a_is_removable;
            barred[b as usize] |= of_reference[a as usize] && edge.b_is_removable;
        })?;
        let groups = &self.found.groups;
        let is_kept = |unit: u32| {
            let node = of_unit[unit as usize] as usize;
            let is_first = nodes.champions[node] == unit;
            let all = !groups.are_alike(groups.of_unit[unit as usize]);
            states[node] != State::Removed && (is_first || all)
        };
        self.restored(&is_kept, &|unit| !barred[of_unit[unit as usize] as usize])
    }

    /// The units that are kept besides those that `is_kept` names, of those that `may` be.
    fn restored(
        &self,
        is_kept: &dyn Fn(u32) -> bool,
        may: &dyn Fn(u32) -> bool,
    ) -> Result<Restored> {
        if !self.policy.restores() {
            return Ok(Restored::default());
        }
        let values = self.codes_of(self.policy.keep_each.as_ref())?;
        let most = self.policy.keep_up_to.map_or(0, NonZeroU32::get) as usize;
        Restored::of(
            (self.found, self.threshold),
            &self.order,
            (values.as_deref(), most),
            is_kept,
            may,
        )
    }

    fn nodes(&self) -> Nodes {
        let groups = &self.found.groups;
        let mut nodes = Nodes {
            of_unit: vec![0_u32; groups.of_unit.len()],
            of_group: Vec::with_capacity(groups.len() + 1),
            champions: Vec::with_capacity(groups.len()),
            sizes: Vec::with_capacity(groups.len()),
        };
        let mut members: Vec<u32> = Vec::new();
        for group in 0..groups.len() as u32 {
            nodes.of_group.push(nodes.champions.len() as u32);
            members.clear();
            members.extend_from_slice(groups.members(group));
            members.sort_unstable_by_key(|unit| (self.class(*unit), self.place(*unit)));
            for class in members.chunk_by(|a, b| self.class(*a) == self.class(*b)) {
                for unit in class {
                    nodes.of_unit[*unit as usize] = nodes.champions.len() as u32;
                }
                nodes.champions.push(class[0]);
                nodes.sizes.push(class.len() as u32);
            }
        }
        nodes.of_group.push(nodes.champions.len() as u32);
        nodes
    }

    /// A unit's position in keep order. References come first, as they are always kept and the
    /// earliest represents equal ones.
    fn place(&self, unit: u32) -> u32 {
        if self.is_reference(unit) {
            unit
        } else {
            self.order[unit as usize]
        }
    }

    /// Calls `f` with the nodes of each pair that reaches the threshold, if they are of one class.
    fn each_edge(&self, nodes: &Nodes, f: &mut dyn FnMut(u32, u32, (Edge, Score))) -> Result<()> {
        self.pairs.for_each(|pair| {
            if let Some(edge) = self.edge(&pair) {
                for a in nodes.of(pair.a) {
                    for b in nodes.of(pair.b) {
                        if self.class(nodes.champions[a as usize])
                            == self.class(nodes.champions[b as usize])
                        {
                            f(a, b, edge);
                        }
                    }
                }
            }
            Ok(())
        })
    }

    fn settle(&self, nodes: &Nodes) -> Result<Vec<State>> {
        let champions = &nodes.champions;
        let places: Vec<u32> = champions
            .iter()
            .map(|unit| self.order[*unit as usize])
            .collect();
        let mut states: Vec<State> = champions
            .iter()
            .map(|unit| {
                if self.is_reference(*unit) {
                    State::Kept
                } else {
                    State::Open
                }
            })
            .collect();
        Rounds::new(&places).settle(&mut states, &OfNodes(self, nodes))?;
        Ok(states)
    }

    /// Keeps the first unit of each cluster in keep order, and all references.
    fn by_cluster(&self) -> Result<Decision> {
        if self.policy.keep_per.is_some() {
            return Err(Error::of("⟨keep_per⟩")
                .problem("a transitive recipe keeps one text of each cluster")
                .hint("leave it out, or set transitive=false"));
        }
        let groups = &self.found.groups;
        let mut clusters = UnionFind::new(groups.len());
        // Without a pair, equal units are a cluster only if they are duplicates of each other.
        let mut is_cluster = vec![groups.alike; groups.len()];
        self.pairs.for_each(|pair| {
            if self.edge(&pair).is_some() {
                clusters.union(pair.a, pair.b);
                is_cluster[pair.a as usize] = true;
                is_cluster[pair.b as usize] = true;
            }
            Ok(())
        })?;
        let place = |unit: u32| (!self.is_reference(unit), self.place(unit));
        let mut survivors: Vec<Option<u32>> = vec![None; groups.len()];
        for unit in 0..groups.of_unit.len() as u32 {
            let survivor = &mut survivors[clusters.find(groups.of_unit[unit as usize]) as usize];
            if survivor.is_none_or(|kept| place(unit) < place(kept)) {
                *survivor = Some(unit);
            }
        }
        let survivors: Vec<u32> = (0..groups.of_unit.len() as u32)
            .map(|unit| {
                let group = groups.of_unit[unit as usize];
                let survivor = survivors[clusters.find(group) as usize];
                let survivor = survivor.filter(|_| is_cluster[group as usize]);
                survivor
                    .filter(|_| !self.is_reference(unit))
                    .unwrap_or(unit)
            })
            .collect();
        let survivor_of = |unit: u32| survivors[unit as usize];
        let restored = self.restored(&|unit| survivor_of(unit) == unit, &|unit| {
            !self.is_reference(survivor_of(unit))
        })?;
        let mut fates: Fates = (0..groups.of_unit.len() as u32)
            .map(|unit| {
                let group = groups.of_unit[unit as usize];
                let survivor = survivor_of(unit);
                if survivor == unit || restored.has(unit) {
                    Fate::Kept
                } else if groups.of_unit[survivor as usize] == group && groups.alike {
                    Fate::Duplicate {
                        witness: survivor,
                        score: Score::ONE,
                    }
                } else {
                    Fate::Chained { survivor }
                }
            })
            .collect();
        // If the survivor itself was compared, it is the witness.
        self.pairs.for_each(|pair| {
            if let Some((_, score)) = self.edge(&pair) {
                for (group, other) in [(pair.a, pair.b), (pair.b, pair.a)] {
                    for unit in groups.members(group) {
                        if let Some(fate) = fates.of_removed(*unit)
                            && let Fate::Chained { survivor } = *fate
                            && groups.of_unit[survivor as usize] == other
                        {
                            *fate = Fate::Duplicate {
                                witness: survivor,
                                score,
                            };
                        }
                    }
                }
            }
            Ok(())
        })?;
        Ok(Decision { fates })
    }

    /// Removes every unit that has a removable duplicate, and keeps no copy.
    fn keep_none(&self) -> Result<Decision> {
        let (groups, nodes) = (&self.found.groups, &self.nodes());
        let mut best: Vec<Option<Score>> = vec![None; nodes.champions.len()];
        for group in (0..groups.len() as u32).filter(|group| groups.are_alike(*group)) {
            for node in nodes
                .of(group)
                .filter(|node| nodes.sizes[*node as usize] > 1)
            {
                best[node as usize] = Some(Score::ONE);
            }
        }
        self.each_edge(nodes, &mut |a, b, (edge, score)| {
            for (node, removable) in [(a, edge.a_is_removable), (b, edge.b_is_removable)] {
                let best = &mut best[node as usize];
                if removable && best.is_none_or(|best| score > best) {
                    *best = Some(score);
                }
            }
        })?;
        let fates = (0..groups.of_unit.len() as u32)
            .map(|unit| match best[nodes.of_unit[unit as usize] as usize] {
                Some(score) if !self.is_reference(unit) => Fate::Unwitnessed { score },
                _ => Fate::Kept,
            })
            .collect();
        Ok(Decision { fates })
    }
}

/// The pairs of nodes that reach the threshold.
struct OfNodes<'a>(&'a ByPairs<'a>, &'a Nodes);

impl Edges for OfNodes<'_> {
    fn each(&self, f: &mut dyn FnMut(u32, u32, Edge)) -> Result<()> {
        self.0
            .each_edge(self.1, &mut |a, b, (edge, _)| f(a, b, edge))
    }
}

/// Equal units of one class: they share their neighbours, and are represented by one of them.
#[derive(Default)]
struct Nodes {
    /// The node of each unit.
    of_unit: Vec<u32>,
    /// By node, the unit that represents it, the first in keep order.
    champions: Vec<u32>,
    /// By node, the number of its units.
    sizes: Vec<u32>,
    /// By group, its first node; with one more at the end.
    of_group: Vec<u32>,
}

impl Nodes {
    /// The nodes of a group.
    fn of(&self, group: u32) -> std::ops::Range<u32> {
        self.of_group[group as usize]..self.of_group[group as usize + 1]
    }
}
