//! The driver: it starts flows, and makes tables of what they keep.

use super::job::{Agreed, RankKeys, Task, Work, stage};
use super::message::{Kind, Message, Sent, from_bytes};
use super::plan::Plan;
use super::rows::{pack_rows, unpack_rows};
use super::staging::Staging;

use super::verify::Scored;
use super::{Engine, Flow, From, Stage};
use crate::host::Host;
use crate::opened::Opened;
use crate::opened::inputs::{InIndexes, Inputs};
use crate::opened::split::Split;
use crate::spec::RunSpec;
use arrow_buffer::Buffer;
use std::collections::{BTreeMap, HashSet};
use std::ops::{Range, RangeInclusive};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use tegula::constraint::Constraints;
use tegula::context::{Amount, Context};
use tegula::engine::elsewhere::{Compared, Elsewhere, Matched};
use tegula::evidence::{Candidates, Hidden, PairSink, Rescore};
use tegula::pair::{Pair, Validation};
use tegula::recipe::Recipe;
use tegula::record::Source as _;
use tegula::stage_input::RemovedUnits;
use tegula::statistics::Statistics;
use tegula::steps::{self, Count, Extent, Finds, Histogram, Match, Method, Search, Surveyed};
use tegula::{ErrorKind, Result};
use tegula_io::section::Section;
use tegula_io::tables::input_identity;
use xxhash_rust::xxh3::Xxh3;

/// Bytes of features in a partition: so many for each split, so that messages are not small, but no
/// more than a task can well hold.
const OF_SPLIT: u64 = 16 << 10;
const PARTITION: RangeInclusive<u64> = 1 << 20..=64 << 20;
/// Bytes of text whose messages are brought together in a partition.
const TOGETHER: u64 = 64 << 20;

/// A stage of a run whose texts are read and compared on a cluster.
pub(crate) struct Cluster<'a> {
    engine: &'a dyn Engine,
    opened: &'a Opened<'a>,
    context: &'a Context,
    recipe: &'a Recipe,
    constraints: &'a Constraints,
    pub(super) plan: Plan,
    pub(super) files: &'a Inputs,
    sent: Vec<u8>,
    partitions: u32,
    /// The inputs as they were when they were opened.
    inputs: String,
    /// Where what flows keep is left.
    staging: PathBuf,
    /// By flow, its digest.
    digests: Mutex<BTreeMap<String, String>>,
    /// What earlier stages have removed, if there are any.
    removed: Option<RemovedUnits>,
    counts: OnceLock<(u64, Vec<u8>)>,
}

impl<'a> Cluster<'a> {
    /// For a stage of a run.
    ///
    /// # Errors
    /// If tasks ask indexes, and fail.
    pub(crate) fn new(
        (engine, host): (&'a dyn Engine, &'a Host),
        (spec, stage): (&'a RunSpec, usize),
        opened: &'a Opened<'a>,
        removed: RemovedUnits,
    ) -> Result<Self> {
        let (inputs, constraints) = (&opened.inputs, &opened.constraints);
        let plan = Plan::new(
            spec,
            inputs,
            stage,
            (engine.split_bytes(), host.memory_of_tasks()),
        )?;
        let identity = input_identity(&inputs.identify());
        let mut cluster = Self {
            engine,
            opened,
            context: &host.context,
            recipe: &spec.recipe.stages[stage].recipe,
            constraints,
            files: inputs,
            sent: plan.to_bytes()?,
            partitions: u32::try_from(inputs.text_bytes() / TOGETHER)
                .unwrap_or(u32::MAX)
                .clamp(2, 100_000),
            staging: Staging::of(host, spec)?.of_run(&plan, &identity),
            plan,
            inputs: identity,
            digests: Mutex::default(),
            removed: (stage > 0).then_some(removed),
            counts: OnceLock::new(),
        };
        cluster.find_sections(engine.split_bytes())?;
        if opened.asks_indexes() {
            cluster.ask_indexes()?;
        }
        Ok(cluster)
    }

    /// Reads sections of files from now on.
    pub(super) fn take_sections(&mut self, of: &dyn Fn(u32) -> Option<Vec<Section>>) -> Result<()> {
        self.plan.take_sections(of);
        self.sent = self.plan.to_bytes()?;
        Ok(())
    }

    /// Reads only these records of indexes from now on.
    pub(super) fn take_references(&mut self, of_indexes: InIndexes) -> Result<()> {
        self.files.keep_of_indexes(&of_indexes);
        self.plan.in_indexes = of_indexes;
        self.sent = self.plan.to_bytes()?;
        Ok(())
    }

    /// Runs tasks, the first on what `from` says, and fails as they do.
    pub(super) fn flow(&self, name: &str, from: From, stages: Vec<Stage>) -> Result<()> {
        self.context.check()?;
        self.context
            .progress
            .begin(&format!("{name} on the cluster"), None, Amount::Items);
        let digest = self.digest(&from, &stages);
        self.digests().insert(name.to_owned(), digest.clone());
        let folder = self.folder(name, &digest);
        let done = folder.with_extension("done");
        self.opened.say_resumed(&self.staging, done.exists());
        self.engine.run(&Flow {
            name: name.to_owned(),
            folder: folder.clone(),
            partitions: self.partitions,
            plan: self.sent.clone(),
            from,
            stages,
        })?;
        self.context.progress.end();
        self.check(name).inspect_err(|_| {
            // The next run does not go on from what failed.
            let _gone = std::fs::remove_file(done);
        })
    }

    /// Fails if a task of a flow has, or if a key was in several places: then tasks have found too little.
    fn check(&self, name: &str) -> Result<()> {
        self.read(name, Kind::Failed, &mut |message| {
            Err(from_bytes(&message.bytes)?)
        })?;
        let mut seen = HashSet::new();
        for work in self.values::<Work>(name, Kind::Work)? {
            for key in work.keys {
                if !seen.insert((work.task.clone(), key)) {
                    return Err(ErrorKind::Cluster
                        .expected("all messages of a key in one partition")
                        .found("several partitions that have some")
                        .hint("this engine cannot be used: use Apache Spark"));
                }
            }
        }
        Ok(())
    }

    fn digests(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.digests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the result of a flow depends on: the plan, the inputs, what it takes, and its tasks.
    fn digest(&self, from: &From, stages: &[Stage]) -> String {
        let mut all = Xxh3::new();
        let mut add = |bytes: &[u8]| {
            all.update(&(bytes.len() as u64).to_le_bytes());
            all.update(bytes);
        };
        add(&self.sent);
        add(self.inputs.as_bytes());
        match from {
            From::Driver(messages) => {
                for message in messages {
                    add(message.kind.name().as_bytes());
                    add(&message.key.to_le_bytes());
                    add(&message.bytes);
                }
            }
            From::Kept(flow, kind) => {
                add(self
                    .digests()
                    .get(flow)
                    .map_or(&[][..], |digest| digest.as_bytes()));
                add(kind.name().as_bytes());
            }
        }
        for stage in stages {
            add(&stage.job);
            if let Some((flow, kind)) = &stage.with {
                add(self
                    .digests()
                    .get(flow)
                    .map_or(&[][..], |digest| digest.as_bytes()));
                add(kind.name().as_bytes());
            }
        }
        format!("{:032x}", all.digest128())
    }

    fn folder(&self, flow: &str, digest: &str) -> PathBuf {
        let name = flow.replace(' ', "-");
        self.staging.join(format!("{name}-{digest}"))
    }

    /// Removes what flows have left, once everything is in place.
    ///
    /// # Errors
    /// None in practice.
    pub(crate) fn end(&self, host: &Host, spec: &RunSpec) -> Result<()> {
        Staging::of(host, spec)?.end(&self.staging);
        Ok(())
    }

    pub(super) fn read(
        &self,
        flow: &str,
        kind: Kind,
        each: &mut dyn FnMut(Message) -> Result<()>,
    ) -> Result<()> {
        self.engine.read(flow, kind, &mut |message| {
            self.context.check()?;
            each(message)
        })
    }

    fn values<T: serde::de::DeserializeOwned>(&self, flow: &str, kind: Kind) -> Result<Vec<T>> {
        let mut all = Vec::new();
        self.read(flow, kind, &mut |message| {
            all.push(from_bytes(&message.bytes)?);
            Ok(())
        })?;
        Ok(all)
    }

    /// What all splits are asked for.
    pub(super) fn splits(&self) -> From {
        let all = 0..self.plan.splits.len() as u64;
        From::Driver(
            all.map(|key| Message {
                kind: Kind::Split,
                key,
                bytes: Buffer::from_vec(Vec::<u8>::new()),
            })
            .collect(),
        )
    }

    /// The first unit of each split, and the number of units after all.
    fn first_units(&self, of: &Compared) -> Vec<u64> {
        let records = &of.units.records;
        let first = |split: &Split| {
            let file = split.files.start;
            let [start, end] =
                [file, file + 1].map(|file| records.file.partition_point(|of| *of < file));
            let number = split.section.as_ref().map_or(0, |section| section.first);
            let own = &records.number[start..end];
            let record = start + own.partition_point(|of| *of < number);
            let unit = records.first_unit.get(record).copied();
            unit.map_or(of.units.len() as u64, u64::from)
        };
        let mut units: Vec<u64> = self.plan.splits.iter().map(first).collect();
        units.push(of.units.len() as u64);
        units
    }

    /// How features are numbered: what all tasks agree on.
    fn agreed(&self, of: &Compared, tokens: &[u32], method: &Method) -> Result<Agreed> {
        let mut extent = Extent {
            longest: 1,
            ..Extent::default()
        };
        for tokens in tokens.iter().filter(|tokens| **tokens > 0) {
            extent = extent.and(Extent {
                texts: 1,
                longest: *tokens,
                tokens: (*tokens).into(),
            });
        }
        let splits = self.plan.splits.len() as u64;
        let partition = (splits * OF_SPLIT).clamp(*PARTITION.start(), *PARTITION.end());
        let partitions = (8 * extent.tokens / partition).max(1);
        let bits = (u64::BITS - partitions.leading_zeros()).clamp(3, 20);
        let search = Search::new(method, extent, bits)?;
        let units = self.first_units(of);
        let mut next = 0;
        let starts = units.windows(2).map(|ends| {
            let own = &tokens[ends[0] as usize..ends[1] as usize];
            let from = next;
            next += search.blocks(own.iter().copied().filter(|tokens| *tokens > 0));
            from
        });
        Ok(Agreed {
            extent,
            bits,
            starts: starts.collect(),
            units: units.clone(),
            removed: self.removed.clone(),
            counts: self.counts.get().cloned().unwrap_or_default(),
        })
    }

    /// Flows that find candidates' features: the name of the last, and those torn are split.
    fn chains(&self, firsts: &From, stage: &dyn Fn(Task) -> Result<Stage>) -> Result<&'static str> {
        let mut torn: Vec<Range<u64>> = Vec::new();
        for name in ["lists", "lists of split chains"] {
            let mut stages = vec![
                stage(Task::Features)?,
                stage(Task::Share)?,
                stage(Task::Chains)?,
            ];
            if !torn.is_empty() {
                stages.push(stage(Task::Split(torn))?);
            }
            stages.push(stage(Task::Lists)?);
            self.flow(name, firsts.clone(), stages)?;
            torn = self.values::<Vec<Range<u64>>>(name, Kind::Torn)?.concat();
            if torn.is_empty() {
                return Ok(name);
            }
        }
        Err(tegula::Error::data(
            "chains of shingles that were split are torn",
        ))
    }

    /// The tasks that rank all features, and that make postings of them.
    fn ranks(&self, flow: &str, search: &Search) -> Result<(Task, Task)> {
        let (mut lists, mut histograms) = (Vec::new(), Vec::new());
        self.read(flow, Kind::Histograms, &mut |message| {
            let (list, histogram): (u32, Histogram) = from_bytes(&message.bytes)?;
            lists.push((message.key, list));
            histograms.push(histogram);
            Ok(())
        })?;
        let common = search.first_common(&histograms);
        let ranks = steps::ranks(&histograms)?;
        let keys = RankKeys::of(&histograms);
        let ranked = Task::Ranked(lists.into_iter().zip(ranks).collect());
        Ok((ranked, Task::Postings(common, keys)))
    }
}

impl Elsewhere for Cluster<'_> {
    fn survey(&self, each: &mut dyn FnMut(Surveyed) -> Result<()>) -> Result<Statistics> {
        let agreed = Agreed {
            removed: self.removed.clone(),
            ..Agreed::default()
        };
        let stage = |task: Task| stage(task, &agreed);
        self.flow("survey", self.splits(), vec![stage(Task::Survey)?])?;
        self.read("survey", Kind::Surveyed, &mut |message| {
            each(from_bytes(&message.bytes)?)
        })?;
        self.read("survey", Kind::Tallies, &mut |message| {
            let tally = from_bytes(&message.bytes)?;
            self.files.take_tally(message.key as u32, &tally);
            Ok(())
        })?;
        if !self.recipe.needs_statistics() || self.recipe.statistics.is_some() {
            return Ok(Statistics::default());
        }
        let texts = self.values::<u64>("survey", Kind::Counted)?.iter().sum();
        let from = From::Kept("survey".into(), Kind::Counts);
        self.flow("terms", from, vec![stage(Task::Count)?])?;
        let mut counts = Vec::<Count>::new();
        self.read("terms", Kind::Counts, &mut |message| {
            counts.extend(unpack_rows::<Count>(&message.bytes)?.1);
            Ok(())
        })?;
        let _ = self.counts.set((texts, pack_rows(0, &counts)));
        Ok(steps::statistics(texts, &counts))
    }

    fn compare(&self, of: Compared<'_>) -> Result<Matched> {
        let method = Method::new(self.recipe, of.statistics, self.constraints)?;
        let mut tokens = vec![0; of.units.len()];
        for unit in &of.groups.first {
            if !of.allowed.leave_out(of.units, *unit) {
                tokens[*unit as usize] = of.units.tokens[*unit as usize].max(1);
            }
        }
        let agreed = self.agreed(&of, &tokens, &method)?;
        let search = Search::new(&method, agreed.extent, agreed.bits)?;
        let stage = |task: Task| stage(task, &agreed);
        let mut firsts = Sent::default();
        for (split, ends) in (0..).zip(agreed.units.windows(2)) {
            let own = &tokens[ends[0] as usize..ends[1] as usize];
            if own.iter().any(|tokens| *tokens > 0) {
                firsts.value(Kind::Firsts, split, &own)?;
            }
        }
        drop(tokens);
        let firsts = From::Driver(firsts.0);
        let (found, mut stages) = match search.finds() {
            Finds::Keys => {
                let stages = [Task::Features, Task::Meet, Task::Agree].map(&stage);
                let stages = stages.into_iter().collect::<Result<_>>()?;
                self.flow("candidates", firsts, stages)?;
                ("candidates", Vec::new())
            }
            finds => {
                let name = if finds == Finds::Chains {
                    self.chains(&firsts, &stage)?
                } else {
                    let stages = [Task::Features, Task::Listed, Task::Weigh].map(&stage);
                    let stages = stages.into_iter().collect::<Result<_>>()?;
                    self.flow("lists", firsts, stages)?;
                    "lists"
                };
                let (ranked, postings) = self.ranks(name, &search)?;
                let postings = Stage {
                    with: Some((name.into(), Kind::Texts)),
                    ..stage(postings)?
                };
                (
                    name,
                    vec![stage(ranked)?, postings, stage(Task::Candidates)?],
                )
            }
        };
        for task in [Task::Send, Task::Verify] {
            stages.push(Stage {
                with: Some((found.into(), Kind::Texts)),
                ..stage(task)?
            });
        }
        let kind = match search.finds() {
            Finds::Keys => Kind::Candidates,
            _ => Kind::Lists,
        };
        self.flow("matches", From::Kept(found.into(), kind), stages)?;
        let sets = match search.finds() {
            Finds::Keys => "matches",
            _ => found,
        };
        self.matched(&of, sets)
    }
}

impl Cluster<'_> {
    /// The pairs of groups that the last flow has found.
    fn matched(&self, of: &Compared, sets: &str) -> Result<Matched> {
        let group = |id: u64| of.groups.of_unit[id as usize];
        let mut matched = Matched {
            sets: vec![0; of.groups.len()],
            ..Matched::default()
        };
        self.read(sets, Kind::Sets, &mut |message| {
            for (id, set) in from_bytes::<Vec<(u64, u32)>>(&message.bytes)? {
                matched.sets[group(id) as usize] = set;
            }
            Ok(())
        })?;
        let mut candidates = Candidates::default();
        self.read("matches", Kind::Counted, &mut |message| {
            let (compared, hidden, validation): (u64, Hidden, Validation) =
                from_bytes(&message.bytes)?;
            candidates.compared += compared;
            matched.hidden.add(hidden);
            matched.validation.add(validation);
            Ok(())
        })?;
        candidates.generated = candidates.compared;
        matched.candidates = self.recipe.keys.is_some().then_some(candidates);
        let (sink, joining) = (PairSink::new(self.context), PairSink::new(self.context));
        let pair = |of: &Match| {
            let (a, b) = of.ids();
            Pair {
                a: group(a),
                b: group(b),
                in_a: of.in_a,
                in_b: of.in_b,
            }
        };
        self.read("matches", Kind::Matches, &mut |message| {
            let (passes, rows) = unpack_rows::<Match>(&message.bytes)?;
            let to = if passes == 1 { &sink } else { &joining };
            to.take(&mut rows.iter().map(pair).collect())
        })?;
        (matched.pairs, matched.joining) = self
            .context
            .pool()?
            .install(|| Ok((sink.finish()?, joining.finish()?)))?;
        for (a, b, levenshtein, unmasked) in self
            .values::<Vec<Scored>>("matches", Kind::Rescored)?
            .concat()
        {
            matched.rescored.push(Rescore {
                a: group(a),
                b: group(b),
                levenshtein,
                unmasked,
            });
        }
        matched
            .rescored
            .sort_unstable_by_key(|seen| (seen.a, seen.b));
        Ok(matched)
    }
}
