//! What to find and which copies to keep: a recipe, constraints, and a keep order.

use super::machine::Machine;
use super::{About, Cancel, Record};
use crate::constraint::Constraints;
use crate::context::Progress;
use crate::date::DateFormat;
use crate::decide::Policy;
use crate::error::{Error, Result};
use crate::field::FieldNeed;
use crate::recipe::{Card, Recipe, Staged};
use crate::record::Level as Unit;
use crate::text::normalise::Normalisation;
use std::fmt;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;

/// Finds copies among texts. Choose a recipe, change its settings, and run it as often as you like:
///
/// ```
/// use tegula::Dedup;
///
/// let texts = vec![
///     "The harbour was closed at noon because of the storm, the port authority said on Monday.".to_owned(),
///     "Two more ferries were cancelled in the evening.".to_owned(),
///     "The harbour was closed at noon because of the storm, the port authority said.".to_owned(),
/// ];
/// let result = Dedup::recipe("copies")?.threshold("0.7")?.run(&texts)?;
/// for removed in result.removed() {
///     println!("{} is a copy of {} ({})", removed.index, removed.witness, removed.score);
/// }
/// assert_eq!(result.kept().collect::<Vec<_>>(), [0, 1]);
/// # Ok::<(), tegula::Error>(())
/// ```
///
/// Each setter rejects invalid values with an error of kind [`Usage`](crate::ErrorKind::Usage) that
/// names the setting; errors that involve several settings are raised before any text is read.
///
/// `'a` is the lifetime of the references ([`Dedup::against`]); without them it does not matter.
#[derive(Clone)]
pub struct Dedup<'a> {
    pub(super) recipe: Recipe,
    about: About,
    pub(super) policy: Policy,
    pub(crate) constraints: Constraints,
    pub(super) dates: DateFormat,
    pub(super) references: Vec<Record<'a>>,
    pub(super) machine: Machine,
}

impl fmt::Debug for Dedup<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            recipe,
            policy,
            constraints,
            references,
            ..
        } = self;
        let mut shown = f.debug_struct("Dedup");
        shown
            .field("recipe", recipe)
            .field("policy", policy)
            .field("constraints", constraints);
        shown
            .field("references", &references.len())
            .finish_non_exhaustive()
    }
}

impl Default for Dedup<'_> {
    fn default() -> Self {
        Self::new()
    }
}

/// The recipe.
impl Dedup<'_> {
    /// Uses the default recipe, `copies`: a text is removed if at least three quarters of its
    /// distinct 5-token shingles are in one kept text.
    pub fn new() -> Self {
        Self::recipe(Recipe::DEFAULT)
            .unwrap_or_else(|error| unreachable!("the default recipe is built in: {error}"))
    }

    /// Uses a built-in recipe, one of [`recipes`](crate::recipes).
    ///
    /// # Errors
    /// A usage error if there is no recipe of that name, or it has several stages, like `benko`.
    pub fn recipe(name: &str) -> Result<Self> {
        if Staged::named(name).is_some() {
            return Err(several_stages(name));
        }
        Ok(Self::of(Card::named(name)?))
    }

    /// Uses your own recipe, in TOML: `recipe = "NAME"` to start from, and the fields that differ.
    /// [`Dedup::to_toml`] shows all fields and explains them.
    ///
    /// ```
    /// let dedup = tegula::Dedup::toml("recipe = 'ssr'\nthreshold = '60%'\nngram = 3\nnormalise = { digits = 'drop' }")?;
    /// # Ok::<(), tegula::Error>(())
    /// ```
    ///
    /// # Errors
    /// Usage errors naming the field; also if the recipe has several stages.
    pub fn toml(text: &str) -> Result<Self> {
        if Staged::is_in(text) {
            return Err(several_stages("in TOML"));
        }
        Ok(Self::of(&Card::from_toml(text, "own")?))
    }

    fn of(card: &Card) -> Self {
        Self {
            recipe: card.recipe(),
            about: About::new(&card.name, &card.texts),
            policy: Policy::default(),
            constraints: Constraints::default(),
            dates: DateFormat::default(),
            references: Vec::new(),
            machine: Machine::default(),
        }
    }

    /// The minimum score of a pair: a number above 0 and at most 1, as `"0.9"`, `0.9`, `"90%"`,
    /// `"9/10"` or a [`Threshold`](crate::Threshold). It is compared as a fraction, never as a
    /// float.
    ///
    /// # Errors
    /// A usage error if it is not such a number, or the recipe has no threshold, like `exact`.
    pub fn threshold(mut self, threshold: impl fmt::Display) -> Result<Self> {
        let threshold = threshold.to_string().parse()?;
        if threshold != self.recipe.threshold {
            self.recipe.check_effect("threshold")?;
        }
        self.recipe.threshold = threshold;
        Ok(self)
    }

    /// Tokens in a shingle, 1 to 64. Longer shingles find fewer and closer copies.
    ///
    /// # Errors
    /// A usage error if the number is out of range, or the recipe has no shingles.
    pub fn ngram(mut self, tokens: usize) -> Result<Self> {
        if tokens != self.recipe.ngram {
            self.recipe.check_effect("ngram")?;
        }
        self.recipe.ngram = tokens;
        self.recipe.check()?;
        Ok(self)
    }

    /// The units to compare, and keep or remove: whole texts, their paragraphs (separated by blank
    /// lines), or their sentences (UAX #29).
    #[must_use]
    pub fn unit(mut self, unit: Unit) -> Self {
        self.recipe.unit = unit;
        self
    }

    /// The preset that turns texts into tokens: `default`, `kupietz`, `plain`, `as-is`, `messages`
    /// or `message-words`. [`Dedup::set`] changes single steps, and [`Dedup::tokens`] shows the
    /// result.
    ///
    /// # Errors
    /// A usage error if there is no such preset, or the recipe cannot use its tokens.
    pub fn normalise(mut self, preset: &str) -> Result<Self> {
        self.recipe.normalise = Normalisation::preset(preset)?;
        self.recipe.check()?;
        Ok(self)
    }

    /// Sets a field of the recipe; `key` may be dotted, and `value` is TOML or a bare word, as in
    /// `set("normalise.digits", "drop")` or
    /// `set("keys", "{ type = 'min-wise', bands = 20, rows = 5 }")`.
    ///
    /// # Errors
    /// A usage error naming the field.
    pub fn set(mut self, key: &str, value: &str) -> Result<Self> {
        self.recipe = self.recipe.with(key, value)?;
        Ok(self)
    }

    /// Sets fields of the recipe together, as some need others: `set_all([("keys.bands", "20"),
    /// ("keys.rows", "5")])`. Values are as in [`Dedup::set`].
    ///
    /// # Errors
    /// A usage error naming the field.
    pub fn set_all<'a>(
        mut self,
        settings: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self> {
        self.recipe = self.recipe.with_all(settings)?;
        Ok(self)
    }

    /// The recipe as TOML, with all settings; [`Dedup::toml`] reads it.
    ///
    /// # Errors
    /// None in practice: a recipe can always be written.
    pub fn to_toml(&self) -> Result<String> {
        self.recipe.to_toml()
    }

    /// The description of the recipe: its paper, its guarantee, its cost. A modified recipe has the
    /// description of the one it is based on.
    pub fn about(&self) -> &About {
        &self.about
    }
}

/// Which copies are kept, and which pairs count.
impl<'a> Dedup<'a> {
    /// Which of several copies is kept: comma-separated rules, each of which breaks the ties of
    /// those before it; the order of the texts breaks the last ties. The default is `longest`.
    ///
    /// The rules are `longest`, `shortest` (in tokens), `first`, `last`, `newest:FIELD`,
    /// `oldest:FIELD` (dates), `highest:FIELD`, `lowest:FIELD` (numbers), `priority:FIELD=a,b,c`
    /// (the values of a field in this order), and `none`, which removes every text that has a copy.
    /// A record without the field comes last.
    ///
    /// # Errors
    /// A usage error if there is no such rule.
    pub fn keep(mut self, rules: &str) -> Result<Self> {
        self.policy.keep = rules.parse()?;
        Ok(self)
    }

    /// Keeps one copy for each value of this field: texts with different values never remove each
    /// other.
    ///
    /// # Errors
    /// A usage error if this is not a valid field name.
    pub fn keep_per(mut self, field: &str) -> Result<Self> {
        self.policy.keep_per = Some(field.parse()?);
        Ok(self)
    }

    /// Keeps at least one text for each value of this field in every cluster: the first in keep order
    /// of those that would be removed.
    ///
    /// # Errors
    /// A usage error if this is not a valid field name.
    pub fn keep_each(mut self, field: &str) -> Result<Self> {
        self.policy.keep_each = Some(field.parse()?);
        Ok(self)
    }

    /// Keeps up to this many texts of each cluster, the first in keep order; more only if no kept text
    /// matches them. 0 counts as 1.
    #[must_use]
    pub fn keep_up_to(mut self, texts: u32) -> Self {
        self.policy.keep_up_to = NonZeroU32::new(texts.max(1));
        self
    }

    /// Compares only texts with the same value of this field, as `"source"`, or of a part of its
    /// date, as `"date:year"`, `"date:month"` or `"date:day"`. A missing value counts as a value.
    /// After several calls, texts must agree in every field.
    ///
    /// # Errors
    /// A usage error if this is not a valid field name.
    pub fn within(mut self, field: &str) -> Result<Self> {
        self.constraints.within.push(field.parse()?);
        Ok(self)
    }

    /// Compares only texts with different values of this field, or of a part of its date.
    ///
    /// # Errors
    /// A usage error if this is not a valid field name.
    pub fn across(mut self, field: &str) -> Result<Self> {
        self.constraints.across = Some(field.parse()?);
        Ok(self)
    }

    /// Compares only texts whose dates in this field are at most this many days apart. Texts
    /// without a date are compared with each other.
    ///
    /// # Errors
    /// A usage error if this is not a valid field name.
    pub fn window(mut self, field: &str, days: u32) -> Result<Self> {
        self.constraints.window = Some((field.parse()?, days));
        Ok(self)
    }

    /// The format of dates in fields, as in `%d.%m.%Y` (`strftime` directives). By default the
    /// usual formats are recognised, and an ambiguous date such as `03/04/2019` is an error.
    ///
    /// # Errors
    /// A usage error if the format does not determine a date.
    pub fn dates(mut self, format: &str) -> Result<Self> {
        self.dates = format.parse()?;
        Ok(self)
    }

    /// Ignores units with fewer tokens: they are neither removed nor used as witnesses.
    #[must_use]
    pub fn min_tokens(mut self, tokens: u32) -> Self {
        self.constraints.min_tokens = tokens;
        self
    }

    /// Also compares the texts with references, which are never removed and not compared with each
    /// other. A text that matches one is removed. Further calls add references.
    ///
    /// Each run reads all references again.
    #[must_use]
    pub fn against<T: Into<Record<'a>>>(mut self, references: impl IntoIterator<Item = T>) -> Self {
        self.references
            .extend(references.into_iter().map(Into::into));
        self
    }

    /// The required fields, and what each must contain.
    pub(super) fn needed_fields(&self) -> Vec<FieldNeed> {
        let of_policy = self.policy.needed_fields();
        of_policy.chain(self.constraints.needed_fields()).collect()
    }
}

/// Resource limits of a run.
impl Dedup<'_> {
    /// The memory that a run may use, in bytes; by default 70 % of free memory. The texts
    /// themselves do not count, as they are the caller's. Results never depend on it: data that do
    /// not fit spill to scratch files.
    ///
    /// # Errors
    /// A usage error below 64 MiB. A run for which the ceiling is too low ends with
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) and suggests one that is sufficient.
    pub fn memory(mut self, bytes: u64) -> Result<Self> {
        self.machine.limits.memory = Some(bytes);
        self.machine.limits.memory()?;
        Ok(self)
    }

    /// The maximum number of threads, by default the number of processors; 0 counts as 1. Results
    /// never depend on it. A low memory ceiling reduces it.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.machine.limits.threads = Some(threads.max(1));
        self
    }

    /// The folder for scratch files, which are anonymous and disappear when a run ends; by default
    /// the system's temporary folder. It is created if missing.
    #[must_use]
    pub fn scratch(mut self, folder: impl Into<PathBuf>) -> Self {
        self.machine.limits.scratch = Some(folder.into());
        self
    }

    /// Reports the progress of runs.
    #[must_use]
    pub fn progress(mut self, progress: impl Progress + 'static) -> Self {
        self.machine.progress = Some(Arc::new(progress));
        self
    }

    /// Lets this token cancel runs.
    #[must_use]
    pub fn cancel(mut self, token: &Cancel) -> Self {
        self.machine.cancel = Some(token.clone());
        self
    }
}

fn several_stages(name: &str) -> Error {
    Error::of("recipe")
        .expected("a recipe with one stage")
        .found(format!("several stages in the recipe {name}"))
        .hint("run the stages one after the other, each on the texts kept by the previous one")
}
