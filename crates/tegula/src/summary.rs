//! The run summary: units read, kept and removed, and anything that deserves attention.
//!
//! Counts only; the caller decides how to show them. References are counted separately, as they are
//! never removed.

use crate::cluster::Clusters;
use crate::context::Context;
use crate::decide::Decision;
use crate::error::Result;
use crate::evidence::{Candidates, Findings, Hidden};
use crate::field::FieldKey;
use crate::field::find;
use crate::levels::{FieldLevels, LevelCount};
use crate::measure::Compares;
use crate::option::{self, Spelling};
use crate::recall::Recall;
use crate::recipe::{Recipe, Short};
use crate::record::Level;
use crate::threshold::{Score, Threshold};
use serde::Serialize;

/// Units, tokens and bytes of text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Amounts {
    /// The number of units.
    pub units: u64,
    /// The number of their tokens.
    pub tokens: u64,
    /// The bytes of their texts.
    pub bytes: u64,
}

impl Amounts {
    fn add(&mut self, tokens: u32, bytes: u32) {
        self.units += 1;
        self.tokens += u64::from(tokens);
        self.bytes += u64::from(bytes);
    }
}

/// What was kept and removed of some units.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Balance {
    /// All of them.
    #[serde(rename = "in")]
    pub input: Amounts,
    /// The kept units.
    pub kept: Amounts,
    /// The removed or marked units.
    pub removed: Amounts,
}

impl Balance {
    fn add(&mut self, tokens: u32, bytes: u32, kept: bool) {
        self.input.add(tokens, bytes);
        if kept {
            &mut self.kept
        } else {
            &mut self.removed
        }
        .add(tokens, bytes);
    }

    /// Removed and all units, of at least two, if that is more than half; tokens of passages, as
    /// these are of any length.
    fn loses_most(&self, unit: Level) -> Option<(u64, u64)> {
        let of = |amounts: &Amounts| match unit {
            Level::Passage => amounts.tokens,
            _ => amounts.units,
        };
        let (removed, all) = (of(&self.removed), of(&self.input));
        (self.input.units > 1 && removed * 2 > all).then_some((removed, all))
    }
}

/// A file or a value of a field, with its balance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Part {
    /// The file's name, or the value.
    pub name: String,
    /// The balance of its units.
    #[serde(flatten)]
    pub balance: Balance,
}

/// The parts of the collection with the most removed units.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Parts {
    /// The parts with the most removed units first, with ties in collection order.
    pub list: Vec<Part>,
    /// The number of parts not listed.
    pub more: u64,
}

impl Parts {
    /// The maximum number of parts listed.
    pub const LISTED: usize = 10;
}

/// Units that are too short to be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Uncompared {
    /// The minimum number of tokens of a compared unit.
    pub min_tokens: u32,
    /// The shorter units; they are counted as kept.
    #[serde(flatten)]
    pub amounts: Amounts,
}

/// Removed or marked units, by where their match is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Whence {
    /// Units that match a reference.
    pub in_references: Amounts,
    /// Units that match no reference, but another text of the collection.
    pub in_collection: Amounts,
}

/// A cluster worth inspecting.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LargeCluster {
    /// Id of its earliest member.
    pub id: String,
    /// The number of units.
    pub size: u64,
    /// The lowest score among its pairs.
    pub min_edge: f64,
    /// Pairs divided by all possible pairs, if all pairs are listed.
    pub density: Option<f64>,
}

/// Invalid values of a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MisfitCount {
    /// The field.
    pub field: String,
    /// The required type: `dates` or `numbers`.
    pub expected: &'static str,
    /// The number of records with such a value.
    pub records: u64,
    /// The first such value.
    pub example: String,
}

/// The error of upper bounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ValidationCount {
    /// Pairs validated.
    pub pairs: u64,
    /// Mean difference of bound and true value.
    pub mean_excess: f64,
}

/// The candidates generated from keys, and their probability.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NominationCount {
    /// Pairs of texts that share a key; equal texts are one.
    pub candidates: u64,
    /// The candidates that were compared.
    pub compared: u64,
    /// The candidates skipped because they were already in one cluster.
    pub skipped: u64,
    /// The S-curve, if the keys are bands of minima.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub curve: Option<Curve>,
}

/// The probability that a pair becomes a candidate, by its resemblance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Curve {
    /// Keys of a text.
    pub bands: u64,
    /// Minima in a key.
    pub rows: u64,
    /// The probability at the threshold.
    pub at_threshold: f64,
    /// Resemblance and probability, in steps of 0.05.
    pub points: Vec<(f64, f64)>,
}

impl Curve {
    /// The curve of a recipe; none if its keys have none, or scores measure something else.
    ///
    /// # Errors
    /// Usage errors if the keys are invalid.
    pub fn of(recipe: &Recipe) -> Result<Option<Self>> {
        Ok(recipe.curve()?.map(|bands| Self {
            bands: bands.bands() as u64,
            rows: bands.rows() as u64,
            at_threshold: bands.collision(recipe.threshold.as_f64()),
            points: bands.table(),
        }))
    }
}

/// A run summary.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// What a unit is.
    pub unit: Level,
    /// What was kept and removed; everything is kept if there was no decision.
    pub balance: Balance,
    /// Records that contain the units.
    pub records: u64,
    /// Records with all units removed.
    pub records_removed: u64,
    /// Units of references.
    pub references: Amounts,
    /// Removed units by the location of their match, if there are references.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed_as: Option<Whence>,
    /// Units too short to be compared, if there is a minimum length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncompared: Option<Uncompared>,
    /// Units with an identical copy.
    pub identical: u64,
    /// Pairs and clusters, ordered by threshold.
    pub levels: Vec<LevelCount>,
    /// An estimate of the number of pairs of groups of equal units, if there were too many to list:
    /// then `levels` and `largest` count those of a kept and a removed unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs_about: Option<u64>,
    /// The largest clusters at the run's threshold, with ties in input order.
    pub largest: Vec<LargeCluster>,
    /// By file.
    pub by_file: Parts,
    /// By the requested fields.
    pub by_field: Vec<(String, Parts)>,
    /// Pairs and clusters by the values of these fields.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub levels_by_field: Vec<FieldLevels>,
    /// Units with fewer than twice the tokens of a shingle.
    pub short_units: u64,
    /// Records with the id of an earlier one.
    pub repeated_ids: u64,
    /// Records without a value, by field.
    pub missing: Vec<(String, u64)>,
    /// Records whose value is not of the required type, by field.
    pub misfits: Vec<MisfitCount>,
    /// The error of upper bounds, if they were used.
    pub validation: Option<ValidationCount>,
    /// The candidates generated from keys, if the recipe has keys and they were generated in this
    /// run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nomination: Option<NominationCount>,
    /// The pairs that reached the threshold and were hidden, if the recipe may hide some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<Hidden>,
    /// Recall on a sample of texts, if requested: see [`crate::recall::check`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recall: Option<Recall>,
    /// Results that deserve attention, with options as marks: see [`Summary::spell`].
    pub warnings: Vec<String>,
}

/// Clusters listed one by one.
const LARGEST: usize = 5;
/// Duplicates with fewer tokens say little.
const TINY: u32 = 5;
/// The number of such duplicates that triggers a warning.
const MANY: u64 = 10;
/// Parts listed in a warning.
const NAMED: usize = 3;

impl Summary {
    /// Thresholds at which pairs and clusters are counted in addition to the run's own.
    pub const LEVELS: [(u32, u32); 3] = [(7, 10), (8, 10), (9, 10)];

    /// Summarises findings and decision. `clusters` are those at the recipe's threshold; `by` are
    /// the fields by which to break the numbers down.
    ///
    /// # Errors
    /// If a field was not read, memory does not suffice, or scratch fails.
    pub fn new(
        context: &Context,
        found: &Findings,
        recipe: &Recipe,
        clusters: &Clusters,
        decision: Option<&Decision>,
        by: &[FieldKey],
    ) -> Result<Self> {
        let mut summary = Self {
            unit: found.units.level,
            balance: Balance::default(),
            records: 0,
            records_removed: 0,
            references: Amounts::default(),
            removed_as: None,
            uncompared: None,
            identical: identical(found),
            levels: levels(found, recipe.threshold, clusters)?,
            pairs_about: found
                .pairs()
                .and_then(|pairs| pairs.settled.as_ref())
                .map(|settled| settled.pairs),
            largest: largest(found, clusters),
            by_file: Parts::default(),
            by_field: Vec::new(),
            levels_by_field: Vec::new(),
            short_units: 0,
            repeated_ids: found.units.records.repeated_ids() as u64,
            missing: Vec::new(),
            misfits: Vec::new(),
            validation: found.notes.validation.map(|v| ValidationCount {
                pairs: v.pairs,
                mean_excess: v.mean_excess(),
            }),
            nomination: nomination(found, recipe)?,
            hidden: found.notes.hidden,
            recall: None,
            warnings: Vec::new(),
        };
        for column in &found.units.records.fields {
            if column.missing() > 0 {
                summary
                    .missing
                    .push((column.name().to_owned(), column.missing() as u64));
            }
            if let Some((records, example)) = column.misfits(|_| true) {
                let (field, expected, example) = (
                    column.name().to_owned(),
                    column.kind(),
                    example.chars().take(60).collect(),
                );
                summary.misfits.push(MisfitCount {
                    field,
                    expected,
                    records,
                    example,
                });
            }
        }
        if let Some(pairs) = found.pairs() {
            let thresholds: Vec<Threshold> =
                summary.levels.iter().map(|level| level.threshold).collect();
            for key in by {
                let column = find(&found.units.records.fields, &key.name)?;
                summary.levels_by_field.push(FieldLevels::of(
                    context,
                    (found, pairs),
                    key,
                    column,
                    &thresholds,
                )?);
            }
        }
        let tiny = summary.count(context, found, recipe, decision, by)?;
        summary.judge(recipe, tiny);
        Ok(summary)
    }

    /// One pass over the units; returns the number of duplicates with fewer than [`TINY`] tokens.
    fn count(
        &mut self,
        context: &Context,
        found: &Findings,
        recipe: &Recipe,
        decision: Option<&Decision>,
        by: &[FieldKey],
    ) -> Result<u64> {
        let units = &found.units;
        let mut files = vec![Balance::default(); units.files.len()];
        let (mut fields, mut held) = (Vec::new(), Vec::new());
        for key in by {
            let column = find(&units.records.fields, &key.name)?;
            let each = (size_of::<Balance>() + 2 * size_of::<String>()) as u64;
            let bytes = column
                .values()
                .iter()
                .map(|value| 2 * value.len() as u64 + each)
                .sum();
            held.push(
                context
                    .budget
                    .reserve(bytes, "the counts by the values of a field (⟨by⟩)")?,
            );
            let (codes, names) = key.parts(column);
            let balances = vec![Balance::default(); names.len()];
            fields.push((key.to_string(), column, codes, names, balances));
        }
        let short = match recipe.measure.compares() {
            // Passages are found in whole texts.
            Compares::Whole | Compares::Passages => 0,
            Compares::Before => recipe.ngram as u64,
            _ => 2 * recipe.ngram as u64,
        };
        let min_tokens = found.allowed.min_tokens();
        let mut whence = Whence::default();
        let referenced = decision
            .filter(|_| found.allowed.has_references())
            .map(|_| referenced(found, recipe.threshold))
            .transpose()?;
        let mut uncompared = Amounts::default();
        let mut tiny = 0;
        for record in 0..units.records.len() {
            let range = units.of_record(record);
            if found.allowed.is_reference(record) {
                range.for_each(|unit| {
                    self.references
                        .add(units.tokens[unit as usize], units.text_bytes[unit as usize]);
                });
                continue;
            }
            self.records += 1;
            let mut stays = range.is_empty();
            for unit in range {
                let (tokens, bytes) =
                    (units.tokens[unit as usize], units.text_bytes[unit as usize]);
                let kept = decision.is_none_or(|decision| decision.keeps(unit));
                stays |= kept;
                if found.allowed.is_short(tokens) {
                    uncompared.add(tokens, bytes);
                } else {
                    self.short_units += u64::from(u64::from(tokens) < short);
                }
                tiny += u64::from(!kept && tokens < TINY);
                if let (false, Some(decision), Some(referenced)) = (kept, decision, &referenced) {
                    let is_reference =
                        |unit: u32| found.allowed.is_reference(units.record_of(unit));
                    let group = found.groups.of_unit[unit as usize] as usize;
                    let there = referenced[group]
                        || decision.fate(unit).because_of().is_some_and(is_reference);
                    if there {
                        &mut whence.in_references
                    } else {
                        &mut whence.in_collection
                    }
                    .add(tokens, bytes);
                }
                self.balance.add(tokens, bytes, kept);
                files[units.records.file[record] as usize].add(tokens, bytes, kept);
                for (_, column, codes, _, balances) in &mut fields {
                    balances[codes[column.code(record) as usize] as usize].add(tokens, bytes, kept);
                }
            }
            self.records_removed += u64::from(!stays);
        }
        self.removed_as = referenced.map(|_| whence);
        self.uncompared = (min_tokens > 0).then_some(Uncompared {
            min_tokens,
            amounts: uncompared,
        });
        let name = |file: usize| units.files[file].as_str();
        self.warn_of_losers("file", &files, name);
        self.by_file = parts(&files, name);
        for (key, _, _, names, balances) in &fields {
            let name = |value: usize| names[value].as_str();
            self.warn_of_losers(key, balances, name);
            self.by_field.push((key.clone(), parts(balances, name)));
        }
        Ok(tiny)
    }

    /// Spells the options in the warnings like a front end, or like [`option::plain`].
    pub fn spell(&mut self, spelling: Spelling<'_>) {
        for warning in &mut self.warnings {
            *warning = option::spell(warning, spelling).into_owned();
        }
    }

    fn warn_of_losers<'a>(
        &mut self,
        what: &str,
        balances: &[Balance],
        name: impl Fn(usize) -> &'a str,
    ) {
        let mut losers: Vec<usize> = (0..balances.len())
            .filter(|at| balances[*at].loses_most(self.unit).is_some())
            .collect();
        losers.sort_by_key(|at| std::cmp::Reverse(balances[*at].removed.units));
        for at in losers.iter().take(NAMED) {
            let Some((removed, all)) = balances[*at].loses_most(self.unit) else {
                continue;
            };
            let name = name(*at);
            let what_of = match self.unit {
                Level::Passage => "tokens",
                _ => "units",
            };
            let line = format!(
                "{what} {name} loses more than half: {removed} of {all} {what_of} are duplicates"
            );
            self.warnings.push(line);
        }
        if losers.len() > NAMED {
            self.warnings.push(format!(
                "by {what}, {} more lose more than half",
                losers.len() - NAMED
            ));
        }
    }

    fn judge(&mut self, recipe: &Recipe, tiny: u64) {
        if self.uncompared.is_none() && tiny >= MANY && tiny * 10 > self.balance.removed.units {
            self.warnings.push(format!(
                "{tiny} of {} duplicates have fewer than {TINY} tokens, such as headings and numbers; ⟨min_tokens={TINY}⟩ leaves \
                 units that short alone",
                self.balance.removed.units
            ));
        }
        if recipe.common > 0 && recipe.keys.is_none() {
            self.warnings.push(format!(
                "pairs are found only if they share something that at most {} texts have (common)",
                recipe.common
            ));
        }
        let many_short = self.short_units * 10 > self.balance.input.units;
        if many_short && let Some(onion) = recipe.onion {
            if onion.short == Short::Ngrams {
                self.warnings.push(format!(
                    "{} of {} units have fewer than {} tokens, the length of an n-gram: they match only together with the tokens \
                     before them; ⟨set=onion.short=exact⟩ compares them whole",
                    self.short_units, self.balance.input.units, recipe.ngram
                ));
            }
        } else if many_short {
            let advice = recipe.for_short_units();
            self.warnings.push(format!(
                "{} of {} units have fewer than {} tokens, twice the length of a shingle: few near copies among them are found; {advice}",
                self.short_units,
                self.balance.input.units,
                2 * recipe.ngram
            ));
        }
        if self.repeated_ids > 0 {
            self.warnings.push(format!(
                "ids already used by an earlier record: {}; they are shown with a suffix, as in ID~2 (⟨strict_ids⟩ refuses them)",
                self.repeated_ids
            ));
        }
        for (field, count) in &self.missing {
            self.warnings.push(format!(
                "field {field}: records without it: {count}; they share the value {}",
                crate::field::MISSING
            ));
        }
        for MisfitCount {
            field,
            expected,
            records,
            example,
        } in &self.misfits
        {
            self.warnings.push(format!(
                "field {field}: records whose values are not {expected}: {records}, such as '{example}'; they count as missing"
            ));
        }
    }
}

/// Which groups may be removed because of a reference.
fn referenced(found: &Findings, threshold: Threshold) -> Result<Vec<bool>> {
    let mut referenced = vec![false; found.groups.len()];
    let is_reference = |group: u32| {
        found
            .allowed
            .is_reference(found.units.record_of(found.groups.first[group as usize]))
    };
    let Some(pairs) = found.pairs() else {
        return Ok(referenced);
    };
    pairs.for_each(|pair| {
        if pairs.admitted(&pair, threshold).is_some() {
            let (a_may_go, b_may_go) = pairs.removable(&pair, threshold);
            referenced[pair.a as usize] |= a_may_go && is_reference(pair.b);
            referenced[pair.b as usize] |= b_may_go && is_reference(pair.a);
        }
        Ok(())
    })?;
    Ok(referenced)
}

/// The parts with the most removed units; parts without units are skipped.
fn parts<'a>(balances: &[Balance], name: impl Fn(usize) -> &'a str) -> Parts {
    let mut order: Vec<usize> = (0..balances.len())
        .filter(|at| balances[*at].input.units > 0)
        .collect();
    order.sort_by_key(|at| std::cmp::Reverse(balances[*at].removed.units));
    let more = order.len().saturating_sub(Parts::LISTED) as u64;
    order.truncate(Parts::LISTED);
    Parts {
        list: order
            .into_iter()
            .map(|at| Part {
                name: name(at).to_owned(),
                balance: balances[at],
            })
            .collect(),
        more,
    }
}

/// Units with the same token sequence as another unit or a reference, regardless of constraints;
/// references are not counted.
fn identical(found: &Findings) -> u64 {
    let groups = &found.groups;
    let size = |group: u32| groups.members(group).len() as u64;
    if found.allowed.all() {
        return (0..groups.len() as u32)
            .map(size)
            .filter(|size| *size > 1)
            .sum();
    }
    // Constraints may split equal units into several groups.
    let digest = |group: u32| found.units.digest[groups.first[group as usize] as usize];
    let is_short = |group: u32| {
        found
            .allowed
            .is_short(found.units.tokens[groups.first[group as usize] as usize])
    };
    let mut order: Vec<u32> = (0..groups.len() as u32)
        .filter(|group| !is_short(*group))
        .collect();
    order.sort_unstable_by_key(|group| digest(*group));
    let runs = order.chunk_by(|a, b| digest(*a) == digest(*b));
    let is_reference = |group: u32| {
        found
            .allowed
            .is_reference(found.units.record_of(groups.first[group as usize]))
    };
    let sum = |run: &[u32], counts: &dyn Fn(u32) -> bool| -> u64 {
        run.iter()
            .filter(|group| counts(**group))
            .map(|group| size(*group))
            .sum()
    };
    runs.filter(|run| sum(run, &|_| true) > 1)
        .map(|run| sum(run, &|group| !is_reference(group)))
        .sum()
}

fn nomination(found: &Findings, recipe: &Recipe) -> Result<Option<NominationCount>> {
    let Some(Candidates {
        candidates,
        compared,
        skipped,
    }) = found.notes.candidates
    else {
        return Ok(None);
    };
    Ok(Some(NominationCount {
        candidates,
        compared,
        skipped,
        curve: Curve::of(recipe)?,
    }))
}

fn levels(found: &Findings, threshold: Threshold, clusters: &Clusters) -> Result<Vec<LevelCount>> {
    let count = |threshold: Threshold, clusters: &Clusters| LevelCount {
        threshold,
        pairs: clusters.pairs,
        units: clusters.units(),
        clusters: clusters.list.len() as u64,
    };
    let value = |threshold: Threshold| Score {
        part: threshold.numerator(),
        whole: threshold.denominator(),
    };
    let mut levels = vec![count(threshold, clusters)];
    if found
        .pairs()
        .is_some_and(|pairs| pairs.scoring().is_transitive())
    {
        // Pairs of one cluster were skipped, so pairs at another threshold are not known.
        return Ok(levels);
    }
    for (numerator, denominator) in Summary::LEVELS {
        let level = Threshold::new(numerator, denominator)?;
        if value(level) > value(threshold) {
            levels.push(count(level, &Clusters::new(found, level)?));
        }
    }
    Ok(levels)
}

fn largest(found: &Findings, clusters: &Clusters) -> Vec<LargeCluster> {
    let mut order: Vec<_> = clusters.list.iter().collect();
    order.sort_by_key(|cluster| std::cmp::Reverse(cluster.size));
    order.truncate(LARGEST);
    let show = |cluster: &crate::cluster::Cluster| LargeCluster {
        id: found.units.id(cluster.first),
        size: u64::from(cluster.size),
        min_edge: cluster.min_edge.as_f64(),
        density: cluster.density(),
    };
    order.into_iter().map(show).collect()
}
