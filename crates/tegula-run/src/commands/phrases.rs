//! Phrases: the sequences of tokens that recur in a collection, as a table.

use crate::command::{Answer, Command};
use crate::describe;
use crate::host::Host;
use crate::opened::{Opened, Opening, claims, single};
use crate::options::{InputOptions, PairOptions, RecipeOptions, Shown, TableOptions};
use crate::table_output::TableOutput;
use serde_json::{Value, json};
use std::time::Instant;
use tegula::error::Result;
use tegula::field::{FieldKey, FieldNeed};
use tegula::phrases::{self, Counted, Phrase, Wanted};
use tegula::record::Level;
use tegula_io::passed_over::PassedOver;
use tegula_io::tables::{PhraseRow, Phrases, TableInfo, check_table_name, escape_json};

tegula::options! {
    /// A list of phrases.
    pub struct PhrasesSpec under "Which phrases are listed" {
        /// Only phrases of at least N tokens [default: 3]
        pub min_tokens: Option<u32> => "N",

        /// Only phrases of at most N tokens [default: any]
        pub max_tokens: Option<u32> => "N",

        /// Only phrases in at least N texts [default: 2]
        pub min_texts: Option<u32> => "N",

        /// Only phrases with at least N occurrences [default: 2]
        pub min_occurrences: Option<u32> => "N",

        /// Only the first N of the list [default: all]
        pub top: Option<u64> => "N",

        /// Count texts and occurrences by the values of a field, and give the dispersion over these:
        /// source, or date:year
        pub by: Option<FieldKey> => "FIELD",

        /// Format of dates that are not recognised, for ⟨by=date:year⟩: %d/%m/%Y, %B %Y, %s; repeat to
        /// try several, `auto` among them
        pub date_format: Vec<String> => "FORMAT",
    }
    blocks {
        /// What to read, and how.
        pub input: InputOptions,
        /// The table.
        pub table: TableOptions,
        /// What texts and tokens are; nothing else of it applies.
        pub recipe: RecipeOptions,
    }
    besides {}
}

impl PhrasesSpec {
    fn wanted(&self) -> Wanted {
        let usual = Wanted::default();
        Wanted {
            min_tokens: self.min_tokens.unwrap_or(usual.min_tokens),
            max_tokens: self.max_tokens,
            min_texts: self.min_texts.unwrap_or(usual.min_texts),
            min_occurrences: self.min_occurrences.unwrap_or(usual.min_occurrences),
            top: self.top,
            by: self.by.clone(),
        }
    }
}

/// A list of phrases.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// Its figures.
    pub counted: Counted,
    /// What its texts are.
    pub unit: Level,
    /// What the files hold besides the records that were read.
    pub passed_over: Vec<PassedOver>,
    /// How long it took.
    pub seconds: f64,
}

impl Answer for Listed {
    fn json(&self) -> Result<Value> {
        Ok(json!({
            "texts": self.counted.texts,
            "tokens": self.counted.tokens,
            "phrases": self.counted.phrases,
            "passed_over": describe::passed_over_json(&self.passed_over),
            "seconds": (self.seconds * 1000.0).round() / 1000.0,
        }))
    }
}

impl Command for PhrasesSpec {
    const NAME: &'static str = "phrases";
    const ABOUT: &'static str = "List the phrases that recur, the longest first";
    const EXAMPLES: &'static str = "Examples:
  tegula phrases laws.jsonl -o phrases.tsv
  tegula phrases news/ --min-tokens 6 --min-texts 10 --by source -o phrases.parquet
  tegula phrases letters.jsonl --by date:year --date-format %d.%m.%Y --top 100 -o - | less -S

A phrase is a sequence of tokens that is not part of a longer one with the same number of occurrences: if a
sentence is always copied whole, only the sentence is listed; a part of it is listed if it also occurs elsewhere.
The longest come first; of equally long ones the most frequent comes first, then the earliest. `dp` is Gries'
deviation of proportions (0: spread evenly), `association` the binary logarithm of the occurrences over those
expected if the tokens were independent.";
    const SHOWN: Shown = Shown::running(&["json"]);
    type Answer = Listed;

    fn run(&self, host: &Host) -> Result<Listed> {
        phrases(host, self)
    }
}

/// Lists the phrases of a collection.
///
/// # Errors
/// Invalid options, or errors of the inputs, the memory ceiling, scratch or the output.
pub fn phrases(host: &Host, spec: &PhrasesSpec) -> Result<Listed> {
    let clock = Instant::now();
    spec.input.check_any()?;
    spec.recipe.of_tokens("phrases")?;
    let recipe = spec.recipe.recipe(host.recipes())?;
    let wanted = spec.wanted();
    let dates = PairOptions {
        date_format: spec.date_format.clone(),
        ..PairOptions::default()
    };
    let input = spec.input.spec(&spec.recipe, &dates)?;
    let output = spec.table.required()?;
    let form = (spec.table.form(), spec.table.formulas(None)?);
    wanted.check()?;
    if output.as_os_str() != "-" {
        check_table_name(output)?;
    }
    let host = &spec.recipe.read_by(host);
    let written: Vec<_> = std::iter::once(("⟨output⟩", Some(output)))
        .chain(host.written())
        .collect();
    let outputs = claims::outputs(host, [], &written)?;
    let staged = single(&recipe);
    let opened = Opened::new(
        host,
        &outputs,
        Opening {
            fields: wanted.by.iter().map(FieldNeed::from).collect(),
            output: Some(output),
            classes: Some(false),
            compares_wholes: false,
            ..Opening::new(&input, &staged)
        },
    )?;
    opened.begin()?;
    let info = TableInfo {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        recipe: String::new(),
        fields: Vec::new(),
    };
    let mut table = TableOutput::<Phrases>::create(&outputs, output, form, &info)?;
    let by_field = wanted.by.is_some();
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
    let job = opened.job(&recipe, None);
    let (counted, _) =
        opened.read(|bad| phrases::find(&host.context, job, &wanted, bad, &mut write))?;
    table.finish()?;
    opened.publish()?;
    Ok(Listed {
        counted,
        unit: recipe.unit,
        passed_over: opened.inputs.passed_over(),
        seconds: clock.elapsed().as_secs_f64(),
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
