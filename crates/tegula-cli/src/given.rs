//! Which options were given. A group of options is destructured in full, so that the compiler
//! reports a new option that is missing here.

use crate::args::{
    AttachmentsArg, BadRecords, ConstraintArgs, FormatArgs, InputArgs, QuotedArg, ReadingArg,
    RecipeArgs, RunArgs, TextArg,
};
use tegula::error::{Error, Result};
use tegula::recipe::Staged;
use tegula_io::options::{ReadOptions, SKIPPED};

/// The options of a list that were given.
fn of<const N: usize>(all: [(&'static str, bool); N]) -> impl Iterator<Item = &'static str> {
    all.into_iter()
        .filter(|(_, given)| *given)
        .map(|(option, _)| option)
}

impl InputArgs {
    /// The options whose values differ from their defaults.
    pub(crate) fn given(&self) -> impl Iterator<Item = &'static str> {
        let Self {
            inputs,
            format,
            include,
            exclude,
            encoding,
            text_key,
            id_key,
            field_from_name,
            limit,
            on_bad_record,
            quarantine,
            strict_ids,
            of_formats,
        } = self;
        let usual = ReadOptions::default();
        of([
            ("INPUT", !inputs.is_empty()),
            ("--format", format.is_some()),
            ("--include", !include.is_empty()),
            ("--exclude", !exclude.is_empty()),
            ("--encoding", *encoding != usual.encoding),
            ("--text-key", !text_key.is_empty()),
            ("--id-key", id_key.is_some()),
            ("--field-from-name", field_from_name.is_some()),
            ("--limit", limit.is_some()),
            ("--on-bad-record", *on_bad_record != BadRecords::Fail),
            ("--quarantine", quarantine.is_some()),
            ("--strict-ids", *strict_ids),
        ])
        .chain(of_formats.given())
    }
}

impl FormatArgs {
    /// The options whose values differ from their defaults.
    fn given(&self) -> impl Iterator<Item = &'static str> {
        let Self {
            delimiter,
            quote,
            escape,
            comment,
            no_header,
            doc_tag,
            par_tag,
            sent_tag,
            glue_tag,
            word_column,
            tag_column,
            columns,
            doc_element,
            skip_element,
            reading,
            text,
            quoted,
            attachments,
        } = self;
        let usual = ReadOptions::default();
        of([
            ("--delimiter", delimiter.is_some()),
            ("--quote", quote.is_some()),
            ("--escape", escape.is_some()),
            ("--comment", comment.is_some()),
            ("--no-header", *no_header),
            ("--doc-tag", *doc_tag != usual.doc_tag),
            ("--par-tag", par_tag.is_some()),
            ("--sent-tag", *sent_tag != usual.sent_tag),
            ("--glue-tag", *glue_tag != usual.glue_tag),
            ("--word-column", word_column.is_some()),
            ("--tag-column", tag_column.is_some()),
            ("--columns", !columns.is_empty()),
            ("--doc-element", doc_element.is_some()),
            ("--skip-element", *skip_element != SKIPPED),
            ("--reading", *reading != ReadingArg::default()),
            ("--text", *text != TextArg::default()),
            ("--quoted", *quoted != QuotedArg::default()),
            ("--attachments", *attachments != AttachmentsArg::default()),
        ])
    }
}

impl RecipeArgs {
    /// The options that were given.
    pub(crate) fn given(&self) -> impl Iterator<Item = &'static str> {
        let Self {
            recipe,
            advice,
            unit,
            ngram,
            threshold,
            normalize,
            tokens,
            fingerprint,
            modulus,
            digest,
            estimate,
            statistics,
            class_weights,
            seed,
            settings,
        } = self;
        of([
            ("--recipe", recipe.is_some() || advice.is_some()),
            ("--unit", unit.is_some()),
            ("--ngram", ngram.is_some()),
            ("--threshold", threshold.is_some()),
            ("--normalize", normalize.is_some()),
            ("--tokens", tokens.is_some()),
            ("--fingerprint", fingerprint.is_some()),
            ("--modulus", modulus.is_some()),
            ("--digest", digest.is_some()),
            ("--estimate", *estimate),
            ("--statistics", statistics.is_some()),
            ("--class-weights", class_weights.is_some()),
            ("--seed", seed.is_some()),
            ("--set", !settings.is_empty()),
        ])
    }

    /// The stages for which some name steps of normalisation.
    pub(crate) fn steps_named(&self, staged: &Staged) -> Vec<String> {
        staged
            .stages
            .iter()
            .map(|stage| stage.name.clone())
            .filter(|stage| self.names_steps(stage))
            .collect()
    }

    /// Whether some name steps of normalisation, for the recipe or for one of its stages.
    pub(crate) fn names_steps(&self, stage: &str) -> bool {
        let names = |key: &str| key.split('.').next() == Some("normalise");
        let of_stage = |key: &str| {
            key.strip_prefix(stage)
                .and_then(|key| key.strip_prefix('.'))
                .is_some_and(names)
        };
        self.normalize.is_some()
            || self
                .settings
                .iter()
                .any(|setting| names(&setting.key) || of_stage(&setting.key))
    }

    /// Refuses options that decide on pairs, for a command that only looks at units and their
    /// tokens.
    ///
    /// # Errors
    /// Names the option.
    pub(crate) fn of_tokens(&self, command: &str) -> Result<()> {
        const APPLY: [&str; 5] = ["--recipe", "--unit", "--normalize", "--tokens", "--set"];
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
    pub(crate) fn of_shingles(&self, command: &str) -> Result<()> {
        const APPLY: [&str; 6] = [
            "--recipe",
            "--unit",
            "--ngram",
            "--normalize",
            "--tokens",
            "--set",
        ];
        const FIELDS: [&str; 6] = [
            "unit",
            "ngram",
            "normalise",
            "rejoin",
            "distinct",
            "lengths",
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
            .settings
            .iter()
            .map(|setting| setting.key.as_str())
            .find(of_pairs)
            .map(|key| format!("--set {key}"));
        let option = self
            .given()
            .find(|option| !apply.contains(option))
            .map(str::to_owned);
        match option.or(setting) {
            Some(option) => Err(Error::usage(format!(
                "{option}: it has no effect in tegula {command}"
            ))
            .hint(format!(
                "leave it out; the options that apply are {}",
                apply.join(", ")
            ))),
            None => Ok(()),
        }
    }
}

impl ConstraintArgs {
    /// The options that were given.
    pub(crate) fn given(&self) -> impl Iterator<Item = &'static str> {
        let Self {
            within,
            across,
            window,
            date_format,
            min_tokens,
            against,
        } = self;
        of([
            ("--within", !within.is_empty()),
            ("--across", across.is_some()),
            ("--window", window.is_some()),
            ("--date-format", !date_format.is_empty()),
            ("--min-tokens", min_tokens.is_some()),
            ("--against", !against.is_empty()),
        ])
    }
}

impl RunArgs {
    /// The options that were given.
    pub(crate) fn given(&self) -> impl Iterator<Item = &'static str> {
        let Self {
            run,
            resume,
            by,
            check_recall,
            verbose,
            json,
        } = self;
        of([
            ("--run", run.is_some()),
            ("--resume", *resume),
            ("--by", !by.is_empty()),
            ("--check-recall", check_recall.is_some()),
            ("--verbose", *verbose),
            ("--json", *json),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct All {
        #[command(flatten)]
        input: InputArgs,
        #[command(flatten)]
        recipe: RecipeArgs,
        #[command(flatten)]
        constraints: ConstraintArgs,
        #[command(flatten)]
        run: RunArgs,
        #[command(flatten)]
        _machine: crate::args::MachineArgs,
    }

    #[test]
    fn what_is_not_named_is_not_given() {
        let all = All::parse_from(["tegula"]);
        let given = all
            .input
            .given()
            .chain(all.recipe.given())
            .chain(all.constraints.given())
            .chain(all.run.given());
        assert_eq!(given.collect::<Vec<_>>(), [""; 0]);
        let all = All::parse_from(
            "tegula --encoding gb18030 --reading original --skip-element x --seed 0".split(' '),
        );
        assert_eq!(
            all.input
                .given()
                .chain(all.recipe.given())
                .collect::<Vec<_>>(),
            ["--encoding", "--skip-element", "--reading", "--seed"]
        );
    }
}
