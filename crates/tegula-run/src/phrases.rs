//! Phrases: the sequences of tokens that recur in a collection, as a table.

use crate::bad::{self, Bad};
use crate::claims;
use crate::host::Host;
use crate::inputs::Inputs;
use crate::search::check_date_formats;
use crate::spec::{InputSpec, StdoutForm, read_options};
use crate::table_output::TableOutput;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use tegula::constraint::Constraints;
use tegula::engine::{Job, Tuning};
use tegula::error::Result;
use tegula::field::FieldNeed;
use tegula::phrases::{self, Counted, Wanted};
use tegula::recipe::{Action, Recipe, Staged};
use tegula::record::Source as _;
use tegula_io::passed_over::PassedOver;
use tegula_io::tables::{Formulas, PhraseRow, Phrases, TableInfo, check_table_name, escape_json};

/// The specification of a list of phrases.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhrasesSpec {
    /// What to read, and how.
    pub input: InputSpec,
    /// What texts and tokens are; nothing else of it is used.
    pub recipe: Recipe,
    /// Which phrases are listed.
    pub wanted: Wanted,
    /// A table by its name, or `-` for standard output.
    pub output: PathBuf,
    /// The format on standard output.
    pub form: StdoutForm,
    /// What is done with formulas in TSV.
    #[serde(default)]
    pub formulas: Formulas,
}

/// A list of phrases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its figures.
    pub counted: Counted,
    /// What the files hold besides the records that were read.
    pub passed_over: Vec<PassedOver>,
}

/// Lists the phrases of a collection.
///
/// # Errors
/// Invalid options, or errors of the inputs, the memory ceiling, scratch or the output.
pub fn phrases(host: &Host, spec: &PhrasesSpec) -> Result<Listed> {
    spec.wanted.check()?;
    if spec.output.as_os_str() != "-" {
        check_table_name(&spec.output)?;
    }
    let mut input = spec.input.clone();
    let outputs = host.outputs(false)?;
    let written: Vec<_> = std::iter::once(("⟨output⟩", Some(spec.output.as_path())))
        .chain(host.written())
        .collect();
    let read = input.paths.iter().map(PathBuf::as_path);
    claims::claim(host, &outputs, read, &written)?;
    let quarantine = input.quarantine_folder(Some(&spec.output))?;
    let fields: Vec<FieldNeed> = spec.wanted.by.iter().map(FieldNeed::from).collect();
    check_date_formats(&input.read, &fields)?;
    let recipe = &spec.recipe;
    input.read = read_options(
        &input.read,
        &Staged::single(recipe.clone(), Action::Remove),
        &fields,
    );
    let inputs = Inputs::open(host, &input)?.with_needed_fields(fields.clone());
    outputs.guard(inputs.guards())?;
    if !quarantine.as_os_str().is_empty() {
        bad::claim(&outputs, &quarantine, inputs.files())?;
    }
    outputs.begin()?;
    inputs.warn(host);
    inputs.check(host, &[recipe.unit], &fields, input.on_bad_record)?;
    let mut bad = Bad::new(
        input.on_bad_record,
        Some((&outputs, quarantine)),
        inputs.files(),
    );
    let info = TableInfo {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        recipe: String::new(),
        fields: Vec::new(),
    };
    let mut table =
        TableOutput::<Phrases>::create(&outputs, &spec.output, (spec.form, spec.formulas), &info)?;
    let job = Job {
        source: &inputs,
        recipe,
        constraints: &Constraints::default(),
        statistics: None,
        checkpoint: None,
        tuning: Tuning::default(),
    };
    let by_field = spec.wanted.by.is_some();
    let counted = phrases::find(&host.context, job, &spec.wanted, &mut bad, &mut |phrase| {
        table.push(&PhraseRow {
            phrase: phrase.text,
            tokens: phrase.tokens,
            texts: phrase.texts,
            occurrences: phrase.occurrences,
            dp: phrase.dp,
            association: phrase.association,
            id: phrase.id,
            start: phrase.start,
            end: phrase.end,
            by: by_field.then(|| object(phrase.by)).as_deref(),
        })
    })?;
    bad.finish(host)?;
    inputs.warn_of_repairs(host);
    table.finish()?;
    claims::publish(host, &outputs)?;
    Ok(Listed {
        counted,
        passed_over: inputs.passed_over(),
    })
}

/// Texts and occurrences by value, as a JSON object.
fn object(by: &[(&str, u32, u32)]) -> String {
    use std::fmt::Write as _;
    let mut out = String::from("{");
    for (value, texts, occurrences) in by {
        if out.len() > 1 {
            out.push(',');
        }
        escape_json(value, &mut out);
        let _ = write!(out, r#":{{"texts":{texts},"occurrences":{occurrences}}}"#);
    }
    out.push('}');
    out
}
