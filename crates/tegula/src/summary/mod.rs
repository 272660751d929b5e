//! The run summary: units read, kept and removed, and anything that deserves attention.
//!
//! Counts only; the caller decides how to show them. References are counted separately, as they are
//! never removed.

mod counts;
mod tally;

pub use counts::{
    Amounts, Balance, CandidateCount, Curve, LargeCluster, MisfitCount, Part, Parts, Uncompared,
    ValidationCount, Whence, WithoutText,
};

use tally::{candidates, identical, largest, levels, parts, referenced, without_text};

use crate::cluster::Clusters;
use crate::context::Context;
use crate::decide::Decision;
use crate::error::Result;
use crate::evidence::{Findings, Hidden};
use crate::field::FieldKey;
use crate::field::find;
use crate::lengths::Lengths;
use crate::levels::{FieldLevels, LevelCount};
use crate::measure::Compares;
use crate::option::{self, Spelling};
use crate::recall::Recall;
use crate::recipe::{Recipe, Select, Short};
use crate::record::Level;
use crate::threshold::Threshold;
use serde::Serialize;

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
    /// Records in which no text was found, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without_text: Option<WithoutText>,
    /// Units with an identical copy with which they were compared.
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
    /// Units with too few shingles for an estimate of containment, if it is one.
    #[serde(skip)]
    pub few_shingles: u64,
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
    pub candidates: Option<CandidateCount>,
    /// The pairs that reached the threshold and were hidden, if the recipe may hide some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<Hidden>,
    /// Recall on a sample of texts, if requested: see [`crate::recall::check`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recall: Option<Recall>,
    /// Results that deserve attention, with options as marks: see [`Summary::spell`].
    pub warnings: Vec<String>,
}

/// Duplicates with fewer tokens say little.
const TINY: u32 = 5;
/// The number of such duplicates that triggers a warning.
const MANY: u64 = 10;
/// Below this number of shingles, containment estimated from a sample is too high.
const FEW_SHINGLES: u64 = 300;
/// Parts listed in a warning.
const NAMED: usize = 3;

impl Summary {
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
            without_text: without_text(&found.units),
            identical: identical(found)?,
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
            few_shingles: 0,
            repeated_ids: found.units.records.repeated_ids() as u64,
            missing: Vec::new(),
            misfits: Vec::new(),
            validation: found.notes.validation.map(|v| ValidationCount {
                pairs: v.pairs,
                mean_excess: v.mean_excess(),
            }),
            candidates: candidates(found, recipe)?,
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
        let is_sampled =
            matches!(recipe.select, Select::Modulo { .. }) && recipe.measure.is_directed();
        let few_shingles = if is_sampled {
            FEW_SHINGLES + recipe.ngram as u64 - 1
        } else {
            0
        };
        let min_tokens = found.allowed.min_tokens();
        let lengths = found.allowed.lengths();
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
                        .add(units.text_tokens(unit), units.text_bytes[unit as usize]);
                });
                continue;
            }
            self.records += 1;
            let mut stays = range.is_empty();
            for unit in range {
                let (tokens, bytes) = (units.text_tokens(unit), units.text_bytes[unit as usize]);
                let compared = units.tokens[unit as usize];
                let kept = decision.is_none_or(|decision| decision.keeps(unit));
                stays |= kept;
                if found.allowed.leave_out(units, unit) {
                    uncompared.add(tokens, bytes);
                } else {
                    // Short texts that another stage compares with each other need no advice, and
                    // those without any have their own.
                    let is_short = u64::from(compared) < short
                        && !lengths.part(bytes)
                        && !units.is_blank(unit);
                    self.short_units += u64::from(is_short);
                    self.few_shingles += u64::from(u64::from(compared) < few_shingles);
                }
                tiny += u64::from(!kept && compared < TINY);
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
        let some_are = min_tokens > 0 || matches!(lengths, Lengths::UpTo(_));
        self.uncompared = some_are.then_some(Uncompared {
            min_tokens,
            lengths,
            amounts: uncompared,
        });
        let name = |file: usize| units.files[file].as_str();
        self.warn_of_duplicates("file", &files, name);
        self.by_file = parts(&files, name);
        for (key, _, _, names, balances) in &fields {
            let name = |value: usize| names[value].as_str();
            self.warn_of_duplicates(key, balances, name);
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

    fn warn_of_duplicates<'a>(
        &mut self,
        what: &str,
        balances: &[Balance],
        name: impl Fn(usize) -> &'a str,
    ) {
        let mut many: Vec<usize> = (0..balances.len())
            .filter(|at| balances[*at].mostly_duplicates(self.unit).is_some())
            .collect();
        many.sort_by_key(|at| std::cmp::Reverse(balances[*at].removed.units));
        for at in many.iter().take(NAMED) {
            let Some((removed, all)) = balances[*at].mostly_duplicates(self.unit) else {
                continue;
            };
            let name = name(*at);
            let what_of = match self.unit {
                Level::Passage => "tokens",
                _ => "units",
            };
            let line = format!("{what} {name} is mostly duplicates: {removed} of {all} {what_of}");
            self.warnings.push(line);
        }
        if many.len() > NAMED {
            self.warnings.push(format!(
                "by {what}, {} more are mostly duplicates",
                many.len() - NAMED
            ));
        }
    }

    fn judge(&mut self, recipe: &Recipe, tiny: u64) {
        if let Some(WithoutText { records, example }) = &self.without_text {
            let records = match records {
                1 => "1 document".to_owned(),
                many => format!("{many} documents"),
            };
            self.warnings.push(format!(
                "{records} without text, such as {example}: only bytes were compared"
            ));
        }
        if self.uncompared.is_none() && tiny >= MANY && tiny * 10 > self.balance.removed.units {
            self.warnings.push(format!(
                "{tiny} of {} duplicates have fewer than {TINY} {}s, such as headings and numbers; ⟨min_tokens={TINY}⟩ leaves \
                 units that short alone",
                self.balance.removed.units,
                recipe.token()
            ));
        }
        if let (Select::Modulo { modulus }, 1..) = (recipe.select, self.few_shingles) {
            self.warnings.push(format!(
                "{} of {} units have fewer than {FEW_SHINGLES} shingles: containment estimated from one shingle in {modulus} is too \
                 high for them; ⟨recipe=ssr-containment⟩ scores them exactly",
                self.few_shingles, self.balance.input.units
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
                "{} of {} units have fewer than {} {}s, twice the length of a shingle: few near copies among them are found; {advice}",
                self.short_units,
                self.balance.input.units,
                2 * recipe.ngram,
                recipe.token()
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
            let format = if *expected == "dates" {
                " (⟨date_format⟩ says how dates are written)"
            } else {
                ""
            };
            self.warnings.push(format!(
                "field {field}: records whose values are not {expected}: {records}, such as '{example}'; they count as missing{format}"
            ));
        }
    }
}
