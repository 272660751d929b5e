//! Phrases: the sequences of tokens that recur in a collection, as a table.

use crate::host::Host;
use crate::opened::{Opened, Opening, claims, single};
use crate::spec::{InputSpec, StdoutForm};
use crate::table_output::TableOutput;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use tegula::error::Result;
use tegula::field::FieldNeed;
use tegula::phrases::{self, Counted, Phrase, Wanted};
use tegula::recipe::Recipe;
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
    let written: Vec<_> = std::iter::once(("⟨output⟩", Some(spec.output.as_path())))
        .chain(host.written())
        .collect();
    let outputs = claims::outputs(host, [], &written)?;
    let recipe = single(&spec.recipe);
    let opened = Opened::new(
        host,
        &outputs,
        Opening {
            fields: spec.wanted.by.iter().map(FieldNeed::from).collect(),
            output: Some(&spec.output),
            classes: Some(false),
            compares_wholes: false,
            ..Opening::new(&spec.input, &recipe)
        },
    )?;
    opened.begin()?;
    let info = TableInfo {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        recipe: String::new(),
        fields: Vec::new(),
    };
    let mut table =
        TableOutput::<Phrases>::create(&outputs, &spec.output, (spec.form, spec.formulas), &info)?;
    let by_field = spec.wanted.by.is_some();
    let mut write = |phrase: &Phrase| {
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
    };
    let job = opened.job(&spec.recipe, None);
    let (counted, _) =
        opened.read(|bad| phrases::find(&host.context, job, &spec.wanted, bad, &mut write))?;
    table.finish()?;
    opened.publish()?;
    Ok(Listed {
        counted,
        passed_over: opened.inputs.passed_over(),
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
