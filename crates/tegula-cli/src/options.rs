//! What the command line means: the one place where arguments become the library's options.
//!
//! Every check that needs no data happens here, and names the option, so that a wrong one fails
//! before anything is read.

use crate::args::{
    BadRecords, ConstraintArgs, Fingerprint, FormatArgs, InputArgs, MachineArgs, Memory,
    PolicyArgs, RecipeArgs, Setting, TokenSource, Unit,
};
use crate::handwritten;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use tegula::constraint::Constraints;
use tegula::date::DateFormat;
use tegula::decide::{Keep, KeepRule, Policy, chain};
use tegula::error::{Error, Result};
use tegula::machine::{Limits, free_memory};
use tegula::rabin::Rabin;
use tegula::recipe::{Action, Card, FingerprintKind, OnionTokens, Recipe, Staged, Weights};
use tegula::record::Level;
use tegula::text::classes;
use tegula::text::normalise::Normalisation;
use tegula_io::contents::Asked;
use tegula_io::options::ReadOptions;
use tegula_run::InputSpec;
use tegula_run::advice::AUTO;

impl InputArgs {
    /// What is read, and how, if the recipe defines the tokens.
    pub(crate) fn spec(
        &self,
        recipe: &RecipeArgs,
        constraints: &ConstraintArgs,
    ) -> Result<InputSpec> {
        constraints.check_date_formats()?;
        let mut spec = InputSpec::default();
        spec.paths.clone_from(&self.inputs);
        spec.against.clone_from(&constraints.against);
        spec.read = ReadOptions {
            date_formats: constraints.date_format.clone(),
            ..self.read_options(recipe)?
        };
        spec.on_bad_record = self.on_bad_record.into();
        spec.quarantine.clone_from(&self.quarantine);
        spec.strict_ids = self.strict_ids;
        Ok(spec)
    }

    /// How the inputs are read.
    pub(crate) fn read_options(&self, recipe: &RecipeArgs) -> Result<ReadOptions> {
        Ok(ReadOptions {
            format: self.format,
            encoding: self.encoding.clone(),
            include: self.include.clone(),
            exclude: self.exclude.clone(),
            text_keys: self.text_key.clone(),
            id_key: self.id_key.clone(),
            name_pattern: self.field_from_name.clone(),
            limit: self.limit,
            as_is: recipe.tokens == Some(TokenSource::AsIs),
            ..self.of_formats.read_options()?
        })
    }

    /// The requirements on records that are not compared with each other, or not by this command.
    pub(crate) fn asked(&self, level: Option<Level>) -> Asked {
        let passes_over = self.on_bad_record != BadRecords::Fail;
        Asked {
            levels: level.into_iter().collect(),
            has_others: true,
            passes_over,
            ids: true,
            ..Asked::default()
        }
    }

    /// Refuses a command line that names no input.
    pub(crate) fn check_any(&self) -> Result<()> {
        if self.inputs.is_empty() {
            return Err(Error::usage("expected at least one input, found none")
                .hint("name files or folders, or - for standard input"));
        }
        Ok(())
    }

    /// Refuses a column of tags if words are not weighted by class.
    pub(crate) fn check_classes(&self, classes: bool, recipe: &str) -> Result<()> {
        if !classes && self.of_formats.tag_column.is_some() {
            return Err(Error::usage(format!(
                "--tag-column: it has no effect in the recipe {recipe}: it has no weights by word class"
            ))
            .hint("use it with simfinder, or leave it out"));
        }
        Ok(())
    }
}

impl FormatArgs {
    /// How inputs of these formats are read.
    fn read_options(&self) -> Result<ReadOptions> {
        let character = |option: &str, text: &Option<String>| match text.as_deref() {
            None => Ok(None),
            Some("\\t" | "tab") => Ok(Some(b'\t')),
            Some(text) if text.len() == 1 => Ok(text.bytes().next()),
            Some(text) => Err(Error::usage(format!(
                "{option}: expected one ASCII character, found '{text}'"
            ))),
        };
        let (par_tag, par_elements) = self.paragraphs();
        Ok(ReadOptions {
            delimiter: character("--delimiter", &self.delimiter)?,
            quote: character("--quote", &self.quote)?,
            escape: character("--escape", &self.escape)?,
            comment: character("--comment", &self.comment)?,
            no_header: self.no_header,
            doc_tag: self.doc_tag.clone(),
            par_tag,
            sent_tag: self.sent_tag.clone(),
            glue_tag: self.glue_tag.clone(),
            word_column: self.word_column()?,
            tag_column: self.tag_column()?,
            columns: self.columns.clone(),
            doc_element: self.doc_element.clone(),
            par_elements,
            skip_elements: self.skip_element.clone(),
            reading: self.reading.into(),
            page_text: self.text.into(),
            quoted: self.quoted.into(),
            attachments: self.attachments.into(),
            ..ReadOptions::default()
        })
    }

    /// The tag of a paragraph in vertical files, and the elements in TEI.
    fn paragraphs(&self) -> (String, Vec<String>) {
        let ReadOptions {
            par_tag,
            par_elements,
            ..
        } = ReadOptions::default();
        match &self.par_tag {
            Some(tags) => (tags.clone(), tags.split(',').map(str::to_owned).collect()),
            None => (par_tag, par_elements),
        }
    }

    /// The number of the word column, from 1, if one is named.
    fn word_column(&self) -> Result<Option<usize>> {
        let column = self.word_column.as_deref();
        column
            .map(|column| self.column("--word-column", column))
            .transpose()
    }

    /// The number of the column with the tags, from 1, if one is named.
    fn tag_column(&self) -> Result<Option<usize>> {
        if let Some(column) = &self.tag_column {
            return self.column("--tag-column", column).map(Some);
        }
        let usual =
            |name: &String| ["tag", "pos", "upos", "xpos"].contains(&name.to_lowercase().as_str());
        Ok(self.columns.iter().position(usual).map(|place| place + 1))
    }

    /// The number of a column, from 1, by its number or name.
    fn column(&self, option: &str, column: &str) -> Result<usize> {
        if let Ok(number) = column.parse() {
            if number == 0 {
                return Err(Error::usage(format!(
                    "{option}: columns are counted from 1, found 0"
                )));
            }
            return Ok(number);
        }
        let found = self.columns.iter().position(|name| name == column);
        found.map(|place| place + 1).ok_or_else(|| {
            let hint = if self.columns.is_empty() {
                "name all columns in their order with --columns, as in --columns word,lemma,tag"
                    .to_owned()
            } else {
                format!("the columns are {}", self.columns.join(", "))
            };
            Error::usage(format!(
                "{option}: expected a number or the name of a column, found '{column}'"
            ))
            .hint(hint)
        })
    }
}

impl RecipeArgs {
    /// The same or, if no recipe is named, this recipe with this threshold unless one is given.
    ///
    /// # Errors
    /// None in practice.
    pub(crate) fn otherwise(&self, (recipe, threshold): (&str, &str)) -> Result<Self> {
        let mut asked = self.clone();
        if asked.recipe.is_none() {
            asked.recipe = Some(recipe.to_owned());
            if asked.threshold.is_none() {
                asked.threshold = Some(crate::args::threshold(threshold).map_err(Error::usage)?);
            }
        }
        Ok(asked)
    }

    /// The files that it names.
    pub(crate) fn files(&self) -> impl Iterator<Item = PathBuf> {
        let recipe = self.recipe.as_ref();
        let recipe = recipe
            .map(|name| crate::invocation::recipe(name).unwrap_or_else(|| name.into()))
            .filter(|path| path.is_file());
        let named = [&self.statistics, &self.class_weights];
        recipe
            .into_iter()
            .chain(named.into_iter().flatten().cloned())
    }

    /// The stages with all settings applied, checked; `action` is what a single-stage recipe does
    /// with duplicates.
    pub(crate) fn staged(&self, action: Action) -> Result<Staged> {
        if let Some(staged) = self
            .advice
            .as_ref()
            .filter(|staged| staged.stages.len() > 1)
        {
            return Ok(staged.clone());
        }
        let Some((mut staged, _)) = stages(self.recipe.as_deref().unwrap_or_default())? else {
            return Ok(Staged::single(self.recipe()?, action));
        };
        if let Some(option) = self
            .given()
            .find(|option| !["--recipe", "--tokens", "--set"].contains(option))
        {
            let first = staged.stages.first().map_or("", |stage| &stage.name);
            return Err(Error::usage(format!(
                "{option}: the recipe {} has several stages, which determine it",
                staged.recipe
            ))
            .hint(format!(
                "set it for a stage, as in --set {first}.{}=...",
                option.trim_start_matches('-')
            )));
        }
        match self.tokens {
            None => {}
            Some(TokenSource::AsIs) => {
                for stage in &mut staged.stages {
                    stage.recipe.normalise = Normalisation::preset("as-is")?;
                }
            }
            Some(source) => self.onion_tokens(
                source,
                staged.stages.iter_mut().map(|stage| &mut stage.recipe),
            )?,
        }
        if !self.settings.is_empty() {
            staged = staged.with_all(self.pairs())?;
        }
        for stage in &staged.stages {
            stage
                .recipe
                .check_effects()
                .map_err(|error| in_option(&format!("stage {}", stage.name), &error))?;
        }
        Ok(staged)
    }

    /// The settings, each as key and value.
    fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.settings
            .iter()
            .map(|setting| (setting.key.as_str(), setting.value.as_str()))
    }

    /// Chooses between the files' own tokens and those found; only Onion has this choice.
    fn onion_tokens<'a>(
        &self,
        source: TokenSource,
        recipes: impl Iterator<Item = &'a mut Recipe>,
    ) -> Result<()> {
        let own = source == TokenSource::Own;
        let mut any = false;
        for onion in recipes.filter_map(|recipe| recipe.onion.as_mut()) {
            onion.tokens = if own {
                OnionTokens::Own
            } else {
                OnionTokens::Found
            };
            any = true;
        }
        if own && !any {
            let named = self.recipe.as_deref().unwrap_or(Recipe::DEFAULT);
            return Err(Error::usage(format!(
                "--tokens own: expected the recipe onion or benko, found {named}"
            ))
            .hint("--tokens as-is makes each line of a vertical file a token under any recipe"));
        }
        Ok(())
    }

    /// The recipe with all settings applied, checked.
    pub(crate) fn recipe(&self) -> Result<Recipe> {
        let default = match self.unit {
            Some(Unit::Passage) => "passages",
            _ => Recipe::DEFAULT,
        };
        let mut recipe = match &self.advice {
            Some(staged) => staged.stages[0].recipe.clone(),
            None => base(self.recipe.as_deref().unwrap_or(default))?,
        };
        if let Some(unit) = self.unit {
            recipe.unit = unit.into();
            recipe
                .check()
                .map_err(|error| in_option("--unit", &error))?;
        }
        if let Some(ngram) = self.ngram {
            recipe.ngram = ngram;
            recipe
                .check()
                .map_err(|error| in_option("--ngram", &error))?;
        }
        if let Some(threshold) = self.threshold {
            recipe.threshold = threshold;
        }
        if let Some(preset) = &self.normalize {
            recipe.normalise =
                Normalisation::preset(preset).map_err(|error| in_option("--normalize", &error))?;
        }
        if self.tokens == Some(TokenSource::AsIs) {
            if self
                .normalize
                .as_deref()
                .is_some_and(|preset| preset != "as-is")
            {
                return Err(
                    Error::usage("--tokens as-is: expected no --normalize, found both")
                        .hint("unchanged tokens are not normalised; use only one of the two"),
                );
            }
            recipe.normalise = Normalisation::preset("as-is")?;
        } else if let Some(source) = self.tokens {
            self.onion_tokens(source, std::iter::once(&mut recipe))?;
        }
        match (self.fingerprint, self.modulus) {
            (None, _) => {}
            (Some(Fingerprint::Tokens), None) => recipe.fingerprint = FingerprintKind::Tokens,
            (Some(Fingerprint::Tokens), Some(_)) => {
                return Err(Error::usage(
                    "--modulus: it belongs to --fingerprint rabin, found --fingerprint tokens",
                ));
            }
            (Some(Fingerprint::Rabin), None) => {
                return Err(Error::usage("--fingerprint rabin: expected a prime as --modulus, found none").hint(
                    "name one, such as 1000003: the smaller it is, the more shingles collide, and the more pairs are validated",
                ));
            }
            (Some(Fingerprint::Rabin), Some(modulus)) => {
                recipe.fingerprint = FingerprintKind::Rabin { modulus }
            }
        }
        if let Some(digest) = self.digest {
            recipe.digest = digest.into();
            recipe
                .check()
                .map_err(|error| in_option("--digest", &error))?;
        }
        if let Some(seed) = self.seed {
            recipe.seed = seed;
        }
        if let Some(path) = &self.statistics {
            recipe.statistics = Some(tegula_io::path::to_string(path));
        }
        if let Some(path) = &self.class_weights {
            let text = handwritten::read(path)?;
            let weights = classes::Weights::from_toml(&text).map_err(|error| error.at(path))?;
            let Some(Weights::Classes { intervals, .. }) = &mut recipe.weights else {
                return Err(Error::usage(format!(
                    "--class-weights: the recipe {} does not weight words by class",
                    recipe.recipe
                ))
                .hint("use it with simfinder"));
            };
            *intervals = weights.intervals();
        }
        if !self.settings.is_empty() {
            recipe = recipe.with_all(self.pairs())?;
        }
        if self.estimate {
            recipe = recipe
                .estimated()
                .map_err(|error| in_option("--estimate", &error))?;
        }
        recipe
            .check()
            .map_err(|error| in_option("recipe", &error))?;
        recipe.check_effects().map_err(|error| {
            // The error names the field, which an option or a setting has set.
            let (message, advice) = error.marked();
            let field = error.option().unwrap_or_default();
            let set = |setting: &Setting| setting.key.split('.').next() == Some(field);
            let option = if self.settings.iter().any(set) {
                "--set "
            } else {
                "--"
            };
            Error::usage(format!("{option}{message}")).hint(advice.unwrap_or_default())
        })?;
        if let FingerprintKind::Rabin { modulus } = recipe.fingerprint {
            Rabin::new(Some(modulus)).map_err(|error| in_option("--modulus", &error))?;
            Rabin::check(&recipe.normalise)
                .map_err(|error| in_option("--fingerprint rabin", &error))?;
        }
        Ok(recipe)
    }
}

/// The text of a recipe file, if a file is named.
fn file(name: &str) -> Result<Option<String>> {
    if let Some(path) = crate::invocation::recipe(name) {
        return handwritten::read(&path).map(Some);
    }
    let path = Path::new(name);
    if !path
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("toml"))
    {
        return Ok(None);
    }
    handwritten::read(path).map(Some)
}

/// A multi-stage recipe with its TOML, built in or from a file; none if it has only one stage.
pub(crate) fn stages(name: &str) -> Result<Option<(Staged, String)>> {
    if let Some(toml) = Staged::named(name) {
        return Ok(Some((Staged::from_toml(toml, name)?, toml.to_owned())));
    }
    let Some(text) = file(name)?.filter(|text| Staged::is_in(text)) else {
        return Ok(None);
    };
    let staged =
        Staged::from_toml(&text, &stem(name)).map_err(|error| error.at(Path::new(name)))?;
    Ok(Some((staged, text)))
}

/// The name of a recipe file.
fn stem(name: &str) -> Cow<'_, str> {
    Path::new(name)
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
}

/// A single-stage recipe from a file, if a file is named.
pub(crate) fn card(name: &str) -> Result<Option<Card>> {
    let card = |text: String| {
        Card::from_toml(&text, &stem(name)).map_err(|error| error.at(Path::new(name)))
    };
    file(name)?.map(card).transpose()
}

/// A built-in recipe, or one from a file.
fn base(name: &str) -> Result<Recipe> {
    if name == AUTO {
        return Err(Error::usage(
            "--recipe auto: expected a recipe by name, found auto, which only dedup, mark, pairs and plan accept",
        )
        .hint("tegula plan --recipe auto shows which one suits the inputs"));
    }
    if stages(name)?.is_some() {
        return Err(Error::usage(format!(
            "--recipe {name}: it has several stages, which only dedup and mark accept"
        ))
        .hint("name the recipe of one of its stages"));
    }
    match card(name)? {
        Some(card) => Ok(card.recipe()),
        None => Recipe::named(name).map_err(|error| in_option("--recipe", &error)),
    }
}

/// The error with the option's name before it, instead of the recipe field's.
fn in_option(option: &str, error: &Error) -> Error {
    let (message, advice) = error.marked();
    let field = option.trim_start_matches('-');
    let message = message
        .strip_prefix(field)
        .and_then(|rest| rest.strip_prefix(": "))
        .unwrap_or(message);
    let named = Error::usage(format!("{option}: {message}"));
    match advice {
        Some(advice) => named.hint(advice),
        None => named,
    }
}

impl ConstraintArgs {
    /// Which pairs count.
    pub(crate) fn constraints(&self) -> Constraints {
        Constraints {
            within: self.within.clone(),
            across: self.across.clone(),
            window: self
                .window
                .as_ref()
                .map(|window| (window.field.clone(), window.days)),
            references_from: None,
            min_tokens: self.min_tokens.unwrap_or(0),
        }
    }

    /// Refuses invalid date formats.
    fn check_date_formats(&self) -> Result<()> {
        for format in &self.date_format {
            format
                .parse::<DateFormat>()
                .map_err(|error| in_option("--date-format", &error))?;
        }
        Ok(())
    }
}

impl PolicyArgs {
    /// Which copy is kept.
    pub(crate) fn policy(&self) -> Result<Policy> {
        let mut rules = Vec::new();
        for text in &self.keep {
            for rule in chain(text) {
                rules.push(
                    rule.parse::<KeepRule>()
                        .map_err(|error| in_option("--keep", &error))?,
                );
            }
        }
        let keep = match rules.len() {
            0 => Keep::default(),
            _ => Keep::new(rules).map_err(|error| in_option("--keep", &error))?,
        };
        Ok(Policy {
            keep,
            keep_per: self.keep_per.clone(),
        })
    }
}

impl MachineArgs {
    /// The resource limits of a run.
    pub(crate) fn limits(&self) -> Limits {
        let mut limits = Limits::default();
        limits.memory = self.memory.map(|memory| match memory {
            Memory::Bytes(bytes) => bytes,
            Memory::Percent(share) => free_memory() / 100 * share,
        });
        limits.threads = self.threads;
        limits.scratch = self.scratch.as_ref().map(|place| place.folder.clone());
        limits.scratch_bytes = self.scratch.as_ref().and_then(|place| place.ceiling);
        limits
    }
}
