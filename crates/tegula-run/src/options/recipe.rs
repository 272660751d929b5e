//! The method of a run and its parameters.

use super::in_option;
use super::named::{Named, base, read_handwritten, stages};
use crate::host::Host;
use std::path::PathBuf;
use tegula::declare::{Options, Parsed};
use tegula::error::{Error, ErrorKind, Result};
use tegula::rabin::Rabin;
use tegula::recipe::{Action, FingerprintKind, OnionTokens, Recipe, Staged, Weights};
use tegula::record::Level;
use tegula::text::classes;
use tegula::text::digest::Digest;
use tegula::text::normalise::Normalisation;
use tegula::threshold::Threshold;

tegula::options! {
    /// The method of a run and its parameters.
    pub struct RecipeOptions under "Recipe" {
        /// A built-in recipe, a file NAME.toml, or auto, which chooses by a sample of the inputs; `tegula
        /// recipes` lists them [default: copies]
        pub recipe: Option<String> => "NAME|FILE.toml",

        /// Unit of comparison [default: the recipe's, document]
        pub unit: Option<Level> => "UNIT",

        /// Tokens in a shingle [default: the recipe's, 5]
        pub ngram: Option<usize> => "N",

        /// Lowest score of a match: 0.8, 80% or 4/5 [default: the recipe's, 0.75]
        pub threshold: Option<Threshold> => "T",

        /// Normalisation: default, kupietz, plain, as-is, messages or message-words [default: the
        /// recipe's]
        pub normalize: Option<String> => "PRESET",

        /// Where tokens come from [default: found; own under onion and benko]
        pub tokens: Option<TokenSource> => "HOW",

        /// What shingles are identified by [default: the recipe's, tokens]
        pub fingerprint: Option<Fingerprint> => "KIND",

        /// Prime modulus that reduces Rabin fingerprints
        pub modulus: Option<u64> => "P",

        /// Digest that identifies whole units, under exact and plain [default: the recipe's, tegula]
        pub digest: Option<Digest> => "DIGEST",

        /// Report scores estimated from signatures instead of the true measure, for recipes with
        /// signatures
        pub estimate: bool => "",

        /// Document frequencies for term weighting, from `tegula stats` [default: those of the inputs]
        #[serde(with = "tegula_io::path::option")]
        pub statistics: Option<PathBuf> => "FILE",

        /// Weights of word classes for simfinder: a TOML file with lines such as noun = [0.8, 1.0]
        #[serde(with = "tegula_io::path::option")]
        pub class_weights: Option<PathBuf> => "FILE.toml",

        /// Random seed, for sketches and random lexicons [default: the recipe's, 0]
        pub seed: Option<u32> => "N",

        /// Set a field of the recipe, such as normalise.digits=number, or of a stage, such as
        /// documents.ngram=5; may be repeated
        pub set: Vec<Setting> => "KEY=VALUE",
    }
    blocks {}
    besides {
        /// The recipe chosen, under `auto`.
        pub advice: Option<Staged>,
    }
}

tegula::choices! {
    /// Where tokens come from.
    pub enum TokenSource {
        /// Found in running text by the recipe's normalisation
        Found = "found",
        /// The file's tokens: each line of a vertical file, each form of CoNLL-U; in other files as
        /// found. Onion only
        Own = "own",
        /// Each line is a token, unchanged, in any file; in vertical files, each word line
        AsIs = "as-is",
    }
}

tegula::choices! {
    /// What shingles are identified by.
    pub enum Fingerprint {
        /// Hashes of their tokens, checked: scores are exact
        Tokens = "tokens",
        /// Rabin fingerprints of their characters, modulo a prime
        Rabin = "rabin",
    }
}

/// A field of a recipe with its value.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Setting {
    /// The field, dotted inside a table.
    pub key: String,
    /// TOML, or a bare word.
    pub value: String,
}

impl Parsed for Setting {
    fn parsed(text: &str) -> Result<Self> {
        match text.split_once('=') {
            Some((key, value)) if !key.trim().is_empty() => Ok(Self {
                key: key.trim().to_owned(),
                value: value.trim().to_owned(),
            }),
            _ => Err(ErrorKind::Usage
                .expected("key=value, such as normalise.digits=number")
                .found(format!("'{text}'"))),
        }
    }
}

impl TryFrom<String> for Setting {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parsed(&text)
    }
}

impl From<Setting> for String {
    fn from(setting: Setting) -> Self {
        format!("{}={}", setting.key, setting.value)
    }
}

impl RecipeOptions {
    /// The same or, if no recipe is named, this recipe with this threshold unless one is given.
    ///
    /// # Errors
    /// None in practice.
    pub fn otherwise(&self, (recipe, threshold): (&str, &str)) -> Result<Self> {
        let mut asked = self.clone();
        if asked.recipe.is_none() {
            asked.recipe = Some(recipe.to_owned());
            if asked.threshold.is_none() {
                asked.threshold = Some(threshold.parse()?);
            }
        }
        Ok(asked)
    }

    /// The files that it names.
    pub fn files(&self, named: &Named) -> impl Iterator<Item = PathBuf> {
        let recipe = self.recipe.as_ref();
        let recipe = recipe
            .map(|name| named.get(name).cloned().unwrap_or_else(|| name.into()))
            .filter(|path| path.is_file());
        let named = [&self.statistics, &self.class_weights];
        recipe
            .into_iter()
            .chain(named.into_iter().flatten().cloned())
    }

    /// The host that reads its files, which then are no output.
    #[must_use]
    pub fn read_by(&self, host: &Host) -> Host {
        host.clone().reading(self.files(host.recipes()))
    }

    /// The stages with all settings applied, checked; `action` is what a single-stage recipe does
    /// with duplicates.
    ///
    /// # Errors
    /// Usage errors naming the option; if a file of a recipe cannot be read.
    pub fn staged(&self, action: Action, named: &Named) -> Result<Staged> {
        if let Some(staged) = self
            .advice
            .as_ref()
            .filter(|staged| staged.stages.len() > 1)
        {
            return Ok(staged.clone());
        }
        let Some((mut staged, _)) = stages(self.recipe.as_deref().unwrap_or_default(), named)?
        else {
            return Ok(Staged::single(self.recipe(named)?, action));
        };
        let mut given = self.given().into_iter();
        if let Some(option) = given.find(|name| !["recipe", "tokens", "set"].contains(name)) {
            let first = staged.stages.first().map_or("", |stage| &stage.name);
            return Err(Error::of(format!("⟨{option}⟩"))
                .problem(format!(
                    "the recipe {} has several stages, which determine it",
                    staged.recipe
                ))
                .hint(format!(
                    "set it for a stage, as in ⟨set⟩ {first}.{option}=..."
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
        if !self.set.is_empty() {
            staged = staged.with_all(self.pairs())?;
        }
        for stage in &staged.stages {
            stage
                .recipe
                .check_effects()
                .map_err(|error| in_option(&format!("stage {}", stage.name), error))?;
        }
        Ok(staged)
    }

    /// The settings, each as key and value.
    fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.set
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
            return Err(Error::of("⟨tokens=own⟩")
                .expected("the recipe onion or benko")
                .found(named)
                .hint(
                    "⟨tokens=as-is⟩ makes each line of a vertical file a token under any recipe",
                ));
        }
        Ok(())
    }

    /// The recipe with all settings applied, checked.
    ///
    /// # Errors
    /// As for [`staged`](Self::staged); if the recipe has several stages.
    pub fn recipe(&self, named: &Named) -> Result<Recipe> {
        let default = match self.unit {
            Some(Level::Passage) => "passages",
            _ => Recipe::DEFAULT,
        };
        let mut recipe = match &self.advice {
            Some(staged) => staged.stages[0].recipe.clone(),
            None => base(self.recipe.as_deref().unwrap_or(default), named)?,
        };
        if let Some(unit) = self.unit {
            recipe.unit = unit;
            recipe.check().map_err(|error| in_option("⟨unit⟩", error))?;
        }
        if let Some(ngram) = self.ngram {
            recipe.ngram = ngram;
            recipe
                .check()
                .map_err(|error| in_option("⟨ngram⟩", error))?;
        }
        if let Some(threshold) = self.threshold {
            recipe.threshold = threshold;
        }
        if let Some(preset) = &self.normalize {
            recipe.normalise =
                Normalisation::preset(preset).map_err(|error| in_option("⟨normalize⟩", error))?;
        }
        if self.tokens == Some(TokenSource::AsIs) {
            if self
                .normalize
                .as_deref()
                .is_some_and(|preset| preset != "as-is")
            {
                return Err(Error::of("⟨tokens=as-is⟩")
                    .expected("no ⟨normalize⟩")
                    .found("both")
                    .hint("unchanged tokens are not normalised; use only one of the two"));
            }
            recipe.normalise = Normalisation::preset("as-is")?;
        } else if let Some(source) = self.tokens {
            self.onion_tokens(source, std::iter::once(&mut recipe))?;
        }
        match (self.fingerprint, self.modulus) {
            (None, None) => {}
            (None | Some(Fingerprint::Tokens), Some(_)) => {
                let found = self.fingerprint.map_or("none", |_| "⟨fingerprint=tokens⟩");
                return Err(Error::of("⟨modulus⟩")
                    .expected("⟨fingerprint=rabin⟩")
                    .found(found));
            }
            (Some(Fingerprint::Tokens), None) => recipe.fingerprint = FingerprintKind::Tokens,
            (Some(Fingerprint::Rabin), None) => {
                return Err(Error::of("⟨fingerprint=rabin⟩")
                    .expected("a prime as ⟨modulus⟩")
                    .found("none")
                    .hint(
                    "name one, such as 1000003: the smaller it is, the more shingles collide, and the more pairs are validated",
                ));
            }
            (Some(Fingerprint::Rabin), Some(modulus)) => {
                recipe.fingerprint = FingerprintKind::Rabin { modulus }
            }
        }
        if let Some(digest) = self.digest {
            recipe.digest = digest;
            recipe
                .check()
                .map_err(|error| in_option("⟨digest⟩", error))?;
        }
        if let Some(seed) = self.seed {
            recipe.seed = seed;
        }
        if let Some(path) = &self.statistics {
            recipe.statistics = Some(tegula_io::path::to_string(path));
        }
        if let Some(path) = &self.class_weights {
            let text = read_handwritten(path)?;
            let weights = classes::Weights::from_toml(&text).map_err(|error| error.at(path))?;
            let Some(Weights::Classes { intervals, .. }) = &mut recipe.weights else {
                return Err(Error::of("⟨class_weights⟩")
                    .problem(format!(
                        "the recipe {} does not weight words by class",
                        recipe.recipe
                    ))
                    .hint("use it with simfinder"));
            };
            *intervals = weights.intervals();
        }
        if !self.set.is_empty() {
            recipe = recipe.with_all(self.pairs())?;
        }
        if self.estimate {
            recipe = recipe
                .estimated()
                .map_err(|error| in_option("⟨estimate⟩", error))?;
        }
        recipe.check().map_err(|error| in_option("recipe", error))?;
        recipe.check_effects().map_err(|error| {
            // The error names the field, which an option or a setting has set.
            let is_set =
                |field: &str| (self.set.iter()).any(|set| set.key.split('.').next() == Some(field));
            error.about(|field| match field.unwrap_or_default() {
                field if is_set(field) => format!("⟨set⟩ {field}"),
                "normalise" => "⟨normalize⟩".to_owned(),
                field => format!("⟨{field}⟩"),
            })
        })?;
        if let FingerprintKind::Rabin { modulus } = recipe.fingerprint {
            Rabin::new(Some(modulus)).map_err(|error| in_option("⟨modulus⟩", error))?;
            Rabin::check(&recipe.normalise)
                .map_err(|error| in_option("⟨fingerprint=rabin⟩", error))?;
        }
        Ok(recipe)
    }

    /// The stages for which some name steps of normalisation.
    pub fn steps_named(&self, staged: &Staged) -> Vec<String> {
        staged
            .stages
            .iter()
            .map(|stage| stage.name.clone())
            .filter(|stage| self.names_steps(stage))
            .collect()
    }

    /// Whether some name steps of normalisation, for the recipe or for one of its stages.
    pub fn names_steps(&self, stage: &str) -> bool {
        let names = |key: &str| key.split('.').next() == Some("normalise");
        let of_stage = |key: &str| {
            key.strip_prefix(stage)
                .and_then(|key| key.strip_prefix('.'))
                .is_some_and(names)
        };
        self.normalize.is_some()
            || self
                .set
                .iter()
                .any(|setting| names(&setting.key) || of_stage(&setting.key))
    }

    /// Refuses options that decide on pairs, for a command that only looks at units and their
    /// tokens.
    ///
    /// # Errors
    /// Names the option.
    pub fn of_tokens(&self, command: &str) -> Result<()> {
        const APPLY: [&str; 5] = ["recipe", "unit", "normalize", "tokens", "set"];
        const FIELDS: [&str; 3] = ["unit", "normalise", "rejoin"];
        self.only(
            (&APPLY, &FIELDS),
            &format!("{command}, which reads units and their tokens without comparing them"),
        )
    }

    /// Refuses options that decide on pairs, for a command that counts the shingles of units.
    ///
    /// # Errors
    /// Names the option.
    pub fn of_shingles(&self, command: &str) -> Result<()> {
        const APPLY: [&str; 6] = ["recipe", "unit", "ngram", "normalize", "tokens", "set"];
        // The measure and its weights decide that shingles are counted.
        const FIELDS: [&str; 8] = [
            "unit",
            "ngram",
            "normalise",
            "rejoin",
            "distinct",
            "lengths",
            "measure",
            "weights",
        ];
        self.only(
            (&APPLY, &FIELDS),
            &format!("{command}, which counts shingles without comparing texts"),
        )
    }

    /// Refuses options and fields other than these.
    fn only(&self, (apply, fields): (&[&str], &[&str]), command: &str) -> Result<()> {
        let of_pairs = |key: &&str| !fields.contains(&key.split('.').next().unwrap_or_default());
        let setting = self
            .set
            .iter()
            .map(|setting| setting.key.as_str())
            .find(of_pairs)
            .map(|key| format!("⟨set⟩ {key}"));
        let marked = |option: &&str| format!("⟨{option}⟩");
        let given = self.given();
        let option = given
            .iter()
            .find(|option| !apply.contains(option))
            .map(marked);
        match option.or(setting) {
            Some(option) => Err(Error::of(option)
                .problem(format!("it has no effect in tegula {command}"))
                .hint(format!(
                    "leave it out; the options that apply are {}",
                    apply.iter().map(marked).collect::<Vec<_>>().join(", ")
                ))),
            None => Ok(()),
        }
    }
}
