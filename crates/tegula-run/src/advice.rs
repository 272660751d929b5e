//! Chooses a recipe by what the inputs are like: `--recipe auto`.

use crate::host::Host;
use crate::opened;
use crate::options::{InputOptions, PairOptions, RecipeOptions};
use crate::spec::InputSpec;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use tegula::context::Amount;
use tegula::declare::Options as _;
use tegula::error::{Error, Result};
use tegula::flow::{in_order, weighed};
use tegula::index::Index;
use tegula::recipe::{Action, Recipe, Staged};
pub use tegula::recipe::{Advice, Profile};
use tegula::record::{Batch, Level, Source};
use tegula_io::options::{Needs, ReadOptions};

impl RecipeOptions {
    /// These options, with the recipe that suits the inputs if one is to be chosen; the choice is
    /// then reported, with the reason. Other options change it as they would change a named one;
    /// without them, and where `may_have_stages`, it may have several stages.
    ///
    /// # Errors
    /// Errors of the inputs, which are read.
    pub(crate) fn advised(
        &self,
        host: &Host,
        input: &InputOptions,
        pairs: &PairOptions,
        may_have_stages: bool,
    ) -> Result<Cow<'_, Self>> {
        if self.recipe.is_none() && self.unit != Some(Level::Passage) {
            return self.of_index(host, &pairs.against);
        }
        if self.recipe.as_deref() != Some(AUTO) {
            return Ok(Cow::Borrowed(self));
        }
        match self.unit {
            None | Some(Level::Document) => {}
            Some(Level::Passage) => {
                return Err(Error::of("⟨recipe=auto⟩")
                    .expected("documents, or paragraphs or sentences of them")
                    .found("passages")
                    .hint("⟨recipe=passages⟩ finds these"));
            }
            Some(_) => {
                let note = format!("recipe {PARTS}, for parts of documents");
                host.observer().note(&note);
                return Ok(Cow::Owned(Self {
                    recipe: Some(PARTS.to_owned()),
                    ..self.clone()
                }));
            }
        }
        input.check_any()?;
        let named = Self {
            recipe: None,
            ..self.clone()
        };
        let spec = input.spec(&named, pairs)?;
        let is_alone = self.given() == ["recipe"];
        let advice = advise(host, &spec, may_have_stages && is_alone)?;
        let advised = Self {
            advice: Some(advice.recipe.clone()),
            ..named
        };
        // Options that are given change the recipe.
        let reason = if is_alone {
            advice.reason.clone()
        } else {
            advice.reason_for(&advised.recipe(host.recipes())?)
        };
        host.observer().note(&format!("recipe {reason}"));
        Ok(Cow::Owned(advised))
    }

    /// Where no recipe is named, that of the indexes among the references.
    fn of_index(&self, host: &Host, references: &[PathBuf]) -> Result<Cow<'_, Self>> {
        let mut found: Option<(&Path, Recipe)> = None;
        for path in references.iter().filter(|path| Index::is_one(path)) {
            let recipe = Index::open(path, &host.context)?.recipe().clone();
            match &found {
                Some((first, other)) if *other != recipe => {
                    return Err(Error::of("⟨against⟩")
                        .expected("indexes with one recipe")
                        .found(format!("another recipe than in {}", first.display()))
                        .at(path)
                        .hint("name the recipe with ⟨recipe⟩"));
                }
                _ => found = Some((path, recipe)),
            }
        }
        let Some((path, recipe)) = found else {
            return Ok(Cow::Borrowed(self));
        };
        if recipe.recipe != Recipe::DEFAULT {
            let (name, path) = (&recipe.recipe, path.display());
            host.observer()
                .note(&format!("recipe {name}, that of {path}"));
        }
        Ok(Cow::Owned(Self {
            advice: Some(Staged::single(recipe, Action::Remove)),
            ..self.clone()
        }))
    }
}

/// The name that stands for the recipe that suits the inputs.
pub const AUTO: &str = "auto";

/// The recipe for parts of documents, whatever their lengths.
const PARTS: &str = "clauses";

/// The bytes of text that are read; of more, chunks at equal distances.
const BYTES: u64 = 64 << 20;

/// Reads all texts, or of more than 64 MiB of text as much from chunks at equal distances, and advises a
/// recipe; of several stages only if it may have them. The choice depends on how many texts have which
/// length and script, not on their order, files or format.
///
/// # Errors
/// Errors of the inputs; a usage error if they cannot be read twice, as standard input cannot.
pub fn advise(host: &Host, input: &InputSpec, may_have_stages: bool) -> Result<Advice> {
    if input.paths.iter().any(|path| path == Path::new("-")) {
        return Err(Error::of("⟨recipe=auto⟩")
            .expected("files, as it reads them before the run")
            .found("standard input")
            .hint("name the recipe, or save the input in a file"));
    }
    let read = ReadOptions {
        needs: Needs {
            least_reply: Recipe::named(Recipe::DEFAULT)?.shortest_text(),
            ..input.read.needs.clone()
        },
        ..input.read.clone()
    };
    let context = &host.context;
    let all = opened::sampled(host, context, input, &read, Vec::new())?;
    let step = usize::try_from(all.text_bytes() / BYTES + 1).unwrap_or(usize::MAX);
    let (mut profile, bytes) = (Profile::default(), all.text_bytes() / step as u64);
    context
        .progress
        .begin("choosing a recipe", Some(bytes), Amount::Bytes);
    in_order(
        context,
        weighed(context, all.files(), all.chunks()?.step_by(step)),
        Batch::default,
        |batch, (_held, chunk)| {
            batch.clear();
            chunk.read(batch);
            let mut own = Profile::default();
            for record in &batch.records {
                own.add(batch.text_of(record));
            }
            Ok((own, chunk.disk_bytes()))
        },
        |(own, bytes)| {
            profile.merge(&own);
            context.progress.advance(bytes);
            Ok(())
        },
    )?;
    context.progress.end();
    profile.stands_for(step as u64);
    profile.advice(may_have_stages)
}
