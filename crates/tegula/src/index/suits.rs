//! Which recipes can be looked up.

use crate::error::{Error, Result};
use crate::recipe::{FingerprintKind, Keys, Recipe};
use crate::record::Level;
use crate::sketch::simhash::{Counting, SimhashKeys};
use crate::text::digest::Digest;

/// What can be done about a recipe that cannot be looked up.
const WORKS: &str = "use copies, ssr, sscr, ssr-containment, sscr-containment, exact, plain, messages, simhash or revisions, or a recipe of your own that starts from one of these";

/// Refuses recipes under which two texts alone do not decide, or not by what an index holds.
pub(super) fn check(recipe: &Recipe, texts: bool) -> Result<()> {
    recipe.check()?;
    let measure = recipe.measure;
    let votes = matches!(
        recipe.keys,
        Some(Keys::Simhash(SimhashKeys {
            weights: Counting::Tf,
            ..
        }))
    );
    let by_features = measure.needs_shingles() && recipe.keys.is_none();
    let by_signature = measure.is_of_signatures() && votes;
    let (field, expected) = if !(by_features || by_signature || measure.is_equality()) {
        return Err(Error::of("recipe")
            .expected("one that compares all shingles of two texts, their simhash, or whole texts")
            .found(&recipe.recipe)
            .hint(WORKS));
    } else if recipe.unit == Level::Passage {
        ("unit", "document, paragraph, line or sentence")
    } else if !recipe.lengths.are_all() {
        (
            "lengths",
            "\"all\", as a text is compared with all of the index",
        )
    } else if !recipe.select.is_all() {
        ("select", "\"all\", as texts are found by all shingles")
    } else if recipe.common > 0 {
        ("common", "0, as texts are found by all shingles")
    } else if recipe.fingerprint != FingerprintKind::Tokens {
        ("fingerprint", "tokens, as others must be validated")
    } else if recipe.digest != Digest::Tegula {
        ("digest", "\"tegula\", as an index has no other")
    } else if recipe.transitive {
        ("transitive", "false, as an index has no clusters")
    } else if !texts && (recipe.may_hide() || measure.needs_rarity()) {
        return Err(Error::of("⟨no_texts⟩")
            .expected("a recipe that compares nothing but tokens")
            .found(&recipe.recipe)
            .hint("leave it out, so that texts are kept"));
    } else {
        return Ok(());
    };
    Err(Error::of(field).expected(expected).hint(WORKS))
}

/// The error if frequencies are not given.
pub(super) fn needs_statistics(recipe: &Recipe) -> Error {
    Error::of("⟨statistics⟩")
        .expected(format!(
            "a file of frequencies, as {} weights shingles by them, and those of an index change",
            recipe.recipe
        ))
        .found("none")
        .hint("count them once: tegula stats ⟨recipe⟩")
}
