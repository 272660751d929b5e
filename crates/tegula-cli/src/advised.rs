//! `--recipe auto`: chooses the recipe that suits the inputs.

use crate::args::{ConstraintArgs, InputArgs, MachineArgs, RecipeArgs, Unit};
use crate::{host, output};
use std::borrow::Cow;
use tegula::error::{Error, Result};
use tegula_run::advice::AUTO;

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
        if self.unit.is_some_and(|unit| unit != Unit::Document) {
            return Err(Error::usage(
                "--recipe auto: expected whole documents, found another --unit",
            )
            .hint(
                "name the recipe: the sample shows the length of documents, not of their parts",
            ));
        }
        input.check_any()?;
        let named = Self {
            recipe: None,
            ..self.clone()
        };
        let spec = input.spec(&named, constraints)?;
        let is_alone = self.given().all(|option| option == "--recipe");
        let advice =
            tegula_run::advice::advise(&host::usual(true)?, &spec, may_have_stages && is_alone)?;
        let advised = Self {
            recipe: None,
            advice: Some(advice.recipe.clone()),
            ..self.clone()
        };
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
