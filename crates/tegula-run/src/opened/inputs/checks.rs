//! Whether the records have what a run needs, before they are compared.

use super::Inputs;
use crate::host::Host;
use crate::opened::bad::Bad;
use crate::options::BadRecordPolicy;
use tegula::engine::bad_records::BadRecords as _;
use tegula::error::{Error, Result};
use tegula::field::FieldNeed;
use tegula::recipe::Recipe;
use tegula::record::{Level, Source as _};
use tegula_io::collection::Collection;
use tegula_io::contents::{Asked, Contents};
use tegula_io::named;

/// The size of files above which scanning all of them takes a while.
const LARGE: u64 = 256 << 20;

impl Inputs {
    /// Checks that the records have what the run needs, as far as possible without comparing them:
    /// texts, fields, tags for units of these levels. References need the fields that affect pairs.
    ///
    /// # Errors
    /// Names what no record has, and lists the alternatives; the first bad record, if that ends a
    /// run.
    pub fn check(
        &self,
        host: &Host,
        levels: &[Level],
        on_pairs: &[FieldNeed],
        policy: BadRecordPolicy,
    ) -> Result<()> {
        let all: Vec<&Collection> = std::iter::once(&self.main)
            .chain(&self.references)
            .collect();
        named::check(&host.context, &all)?;
        let has_others = self.references.is_some();
        let passes_over = policy != BadRecordPolicy::Fail;
        let main = Asked {
            fields: self.needs.clone(),
            levels: levels.to_vec(),
            has_others,
            passes_over,
            ids: true,
        };
        let references = Asked {
            fields: on_pairs.to_vec(),
            ids: false,
            ..main.clone()
        };
        look(host, &self.main, &main, policy)?;
        self.references.as_ref().map_or(Ok(()), |collection| {
            look(host, collection, &references, policy)
        })
    }

    /// Refuses normalisation steps without effect, if all files have their own tokens and the
    /// recipe uses these; `named` says that options set some steps.
    ///
    /// # Errors
    /// Names the recipe, and how to make the steps effective.
    pub fn check_steps(&self, recipe: &Recipe, named: bool) -> Result<()> {
        let idle = recipe.counts_own_tokens()
            && !self.main.options().needs.as_is
            && matches!(self.with_own_tokens(), (1.., 0));
        if !idle || !(named || recipe.normalise != Recipe::named(&recipe.recipe)?.normalise) {
            return Ok(());
        }
        Err(Error::of("normalise")
            .problem(format!("the recipe {} ignores it: the files have their own tokens, which are used unchanged", recipe.recipe))
        .hint("use ⟨tokens=found⟩ to find tokens in the text of the files and normalise them, or omit the steps"))
    }
}

/// Checks that a collection has what its options name and the run requires.
///
/// # Errors
/// Names what no record has, and lists the alternatives; the first bad record, if that ends a run.
pub fn check(
    host: &Host,
    collection: &Collection,
    asked: &Asked,
    policy: BadRecordPolicy,
) -> Result<()> {
    named::check(&host.context, &[collection])?;
    look(host, collection, asked, policy)
}

fn look(
    host: &Host,
    collection: &Collection,
    asked: &Asked,
    policy: BadRecordPolicy,
) -> Result<()> {
    let context = &host.context;
    let mut contents =
        Contents::of_heads(
            context,
            collection,
            asked,
            &mut |record, others| match policy {
                // If none can be read, skipping them does not help.
                BadRecordPolicy::Fail if !others => Err(record.error),
                BadRecordPolicy::Fail => Bad::new(policy, None, &[]).bad(0, record),
                _ => Ok(()),
            },
        )?;
    let missing = contents.missing();
    if !missing.is_empty() {
        let large = collection
            .files()
            .iter()
            .map(|file| file.bytes)
            .sum::<u64>()
            > LARGE;
        if large {
            host.warn(&format!(
                "the first records of the files have no {}; searching all of them",
                missing.join(", no ")
            ));
        }
        contents.search(context)?;
    }
    contents
        .check(context)?
        .iter()
        .for_each(|note| host.warn(note));
    Ok(())
}
