//! `--recipe auto`: chooses the recipe that suits the inputs.

use crate::args::{ConstraintArgs, Declared, InputArgs, MachineArgs, RecipeArgs};
use crate::{host, output};
use std::borrow::Cow;
use tegula::error::{Error, Result};
use tegula::record::Level;
use tegula_run::advice::AUTO;
use tegula_run::options::RecipeOptions;

impl RecipeArgs {
    /// These arguments, with the recipe that suits the inputs if one is to be chosen; the choice is
    /// then reported, with the reason. Other options change it as they would change a named one;
    /// without them, and where `may_have_stages`, it may have several stages.
    ///
    /// # Errors
    /// Errors of the inputs, of which a sample is read.
    pub(crate) fn advised(
        &self,
        input: &InputArgs,
        constraints: &ConstraintArgs,
        machine: &MachineArgs,
        may_have_stages: bool,
    ) -> Result<Cow<'_, Self>> {
        if self.recipe.as_deref() != Some(AUTO) {
            return Ok(Cow::Borrowed(self));
        }
        if self.unit.is_some_and(|unit| unit != Level::Document) {
            return Err(Error::usage(
                "--recipe auto: expected whole documents, found another --unit",
            )
            .hint(
                "name the recipe: the sample shows the length of documents, not of their parts",
            ));
        }
        input.check_any()?;
        let named = RecipeOptions {
            recipe: None,
            ..self.0.clone()
        };
        let spec = input.spec(&named, constraints)?;
        let is_alone = self.given().iter().all(|option| option == "--recipe");
        let advice =
            tegula_run::advice::advise(&host::usual(true)?, &spec, may_have_stages && is_alone)?;
        let advised = Declared(RecipeOptions {
            advice: Some(advice.recipe.clone()),
            ..named
        });
        if !machine.quiet {
            // Options that are given change the recipe.
            let reason = if is_alone {
                advice.reason.clone()
            } else {
                advice.reason_for(&advised.recipe()?)
            };
            output::note(&format!("recipe {reason}"));
        }
        Ok(Cow::Owned(advised))
    }
}
