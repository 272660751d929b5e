//! Chooses a recipe from a sample of the inputs: `--recipe auto`.

use crate::host::Host;
use crate::opened;
use crate::options::{InputOptions, PairOptions, RecipeOptions};
use crate::spec::InputSpec;
use std::borrow::Cow;
use std::path::Path;
use tegula::declare::Options as _;
use tegula::error::{Error, Result};
use tegula::recipe::Recipe;
pub use tegula::recipe::{Advice, Profile};
use tegula::record::{Batch, Level, Source};
use tegula_io::options::{Needs, ReadOptions};

impl RecipeOptions {
    /// These options, with the recipe that suits the inputs if one is to be chosen; the choice is
    /// then reported, with the reason. Other options change it as they would change a named one;
    /// without them, and where `may_have_stages`, it may have several stages.
    ///
    /// # Errors
    /// Errors of the inputs, of which a sample is read.
    pub(crate) fn advised(
        &self,
        host: &Host,
        input: &InputOptions,
        pairs: &PairOptions,
        may_have_stages: bool,
    ) -> Result<Cow<'_, Self>> {
        if self.recipe.as_deref() != Some(AUTO) {
            return Ok(Cow::Borrowed(self));
        }
        if self.unit.is_some_and(|unit| unit != Level::Document) {
            return Err(Error::of("⟨recipe=auto⟩")
                .expected("whole documents")
                .found("another ⟨unit⟩")
                .hint(
                    "name the recipe: the sample shows the length of documents, not of their parts",
                ));
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
}

/// The name that stands for the recipe that suits the inputs.
pub const AUTO: &str = "auto";

/// The texts of a sample.
const TEXTS: usize = 20_000;
/// The bytes of text of a sample.
const BYTES: u64 = 8 << 20;
/// The files of a sample.
const FILES: usize = 16;

/// Reads the beginnings of up to 16 files, 8 MiB of text and 20,000 texts at most, and advises a
/// recipe; of several stages only if it may have them.
///
/// # Errors
/// Errors of the inputs; a usage error if they cannot be read twice, as standard input cannot.
pub fn advise(host: &Host, input: &InputSpec, may_have_stages: bool) -> Result<Advice> {
    if input.paths.iter().any(|path| path == Path::new("-")) {
        return Err(Error::of("⟨recipe=auto⟩")
            .expected("files, as it reads a sample before the run")
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
    let all = opened::sampled(host, &host.context, input, &read, Vec::new())?;
    let files = (0_u32..).zip(all.files());
    let files: Vec<_> = files.filter(|(_, file)| file.bytes > 0).collect();
    let step = files.len().div_ceil(FILES).max(1);
    let chosen: Vec<_> = files.into_iter().step_by(step).collect();
    let mut profile = Profile::default();
    for (file, _) in &chosen {
        let single;
        let part = if all.files().len() == 1 {
            &all
        } else {
            let alone = all.alone(*file, &read, &host.context.scratch)?;
            single = alone.within(&host.context);
            &single
        };
        let before = profile.len();
        let mut bytes = 0;
        for chunk in part.chunks()? {
            let mut batch = Batch::default();
            chunk?.read(&mut batch);
            for record in &batch.records {
                let text = batch.text_of(record);
                profile.add(text);
                bytes += text.len() as u64;
            }
            if bytes >= BYTES / chosen.len() as u64
                || profile.len() - before >= TEXTS / chosen.len()
            {
                break;
            }
        }
    }
    profile.advice(may_have_stages)
}
