//! What the matcher sees: the tokens of texts, or their keys.

use crate::command::{Answer, Command};
use crate::commands::statistics;
use crate::describe;
use crate::host::Host;
use crate::opened::{Opened, Opening, claims, single};
use crate::options::{FormulaOptions, InputOptions, PairOptions, RecipeOptions, Shown};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use tegula::context::Context;
use tegula::engine::text_keys::{KeyBasis, TextKeys};
use tegula::error::{Error, Result};
use tegula::printable;
use tegula::recipe::Recipe;
use tegula::record::{Batch, Level, Record, Source, SourceFile, Tagged};
use tegula::statistics::Statistics;
use tegula::text::classes::Classes;
use tegula::text::normalise::{Normaliser, Tokens};
use tegula::text::segment::{self, Part};
use tegula_io::collection::Collection;
use tegula_io::outputs::Packed;
use tegula_io::tables::Formulas;
use tegula_report::form::count;
use tegula_report::say;

tegula::options! {
    /// What the matcher sees.
    pub struct TokensSpec under "What is shown" {
        /// Print only the record or unit with this id
        pub id: Option<String> => "ID",

        /// Print a table with one token per line: unit, token, its byte range in the text of the
        /// record, and the original text of that range
        pub lines: bool => "",

        /// Print each token with the word class that SimFinder weights it by: token/class, or a column
        /// after the token in the table
        pub classes: bool => "",

        /// Print the keys of each unit as a table in which other texts can be looked up: unit, slot and
        /// key, which is the SHA-1 of its terms under i-match (by lexicon), its 64 bits under simhash,
        /// else a hash
        pub keys: bool => "",

        /// Write to this file [default: -, standard output]
        #[serde(with = "tegula_io::path::option")]
        pub output: Option<PathBuf> => "FILE",
    }
    blocks {
        /// What is done with formulas in tables.
        pub formulas: FormulaOptions,
        /// What to read, and how.
        pub input: InputOptions,
        /// What texts and tokens are.
        pub recipe: RecipeOptions,
    }
    besides {}
}

/// What was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Listed {
    /// Units.
    pub units: u64,
    /// Those without tokens, or without keys if these are shown.
    pub without: u64,
}

impl Answer for Listed {
    fn json(&self) -> Result<Value> {
        Ok(json!({"units": self.units, "without": self.without}))
    }
}

impl Command for TokensSpec {
    const NAME: &'static str = "tokens";
    const ABOUT: &'static str = "Show what the matcher sees after normalisation";
    const EXAMPLES: &'static str = "Examples:
  tegula tokens --limit 3 news.jsonl
  tegula tokens --normalize kupietz --id T02/NOV.53095 --lines taz.vert
  tegula tokens --recipe simfinder --classes --limit 3 messages.jsonl
  tegula tokens --recipe i-match --statistics frequencies.tsv.zst --keys news.jsonl > digests.tsv";
    const SHOWN: Shown = Shown::only(&["quiet"]);
    const RULES_OUT: &'static [(&'static str, &'static [&'static str])] =
        &[("keys", &["lines", "classes"])];
    type Answer = Listed;

    fn run(&self, host: &Host) -> Result<Listed> {
        for (option, is_given) in [("⟨lines⟩", self.lines), ("⟨classes⟩", self.classes)] {
            if is_given && self.keys {
                return Err(Error::of("⟨keys⟩")
                    .expected(format!("no {option}, which is about tokens"))
                    .found("both")
                    .hint("leave out one of the two"));
            }
        }
        if !self.keys {
            self.recipe.of_tokens("tokens")?;
        }
        let formulas = self.formulas.of(self.is_table())?;
        let recipe = self.recipe.recipe(host.recipes())?;
        let input = self.input.spec(&self.recipe, &PairOptions::default())?;
        let output = self.output.as_deref().unwrap_or(Path::new("-"));
        let host = &self.recipe.read_by(host);
        let context = &host.context;
        let outputs = claims::outputs(host, [], &[("⟨output⟩", Some(output))])?;
        let staged = single(&recipe);
        let opened = Opened::new(
            host,
            &outputs,
            Opening {
                output: Some(output),
                classes: Some(self.classes),
                ..Opening::new(&input, &staged)
            },
        )?;
        let collection = &opened.inputs.main;
        opened.begin()?;
        host.observer().tell(&decisions(collection, &recipe)?);
        let statistics = if self.keys {
            frequencies(&recipe, context)?
        } else {
            Statistics::default()
        };
        let basis = self
            .keys
            .then(|| KeyBasis::new(&recipe, &statistics))
            .transpose()?;
        let mut printer = Printer {
            spec: self,
            formulas,
            keys: basis.as_ref().map(TextKeys::new).transpose()?,
            normaliser: recipe.check()?,
            classes: if self.classes {
                Some(Classes::new(&recipe.normalise)?)
            } else {
                None
            },
            names: Vec::new(),
            level: recipe.unit,
            rejoin: recipe.rejoin,
            tokens: Tokens::default(),
            parts: Vec::new(),
            out: String::new(),
            to: Packed::create(&outputs, output)?,
            units: 0,
            without: 0,
        };
        if self.keys {
            printer.out.push_str("unit\tslot\tkey\n");
        } else if self.lines {
            let class = if self.classes { "class\t" } else { "" };
            let _ = writeln!(printer.out, "unit\ttoken\t{class}start\tend\toriginal");
        }
        let mut batch = Batch::default();
        let printed = opened.read(|bad| {
            for chunk in collection.chunks()? {
                let chunk = chunk?;
                batch.clear();
                chunk.read(&mut batch);
                if let Some(file) = collection.files().get(chunk.file() as usize) {
                    for record in &batch.records {
                        printer.record(&batch, record, file)?;
                    }
                }
                let mut skipped = batch.bad.drain(..);
                skipped.try_for_each(|record| bad.bad(chunk.file(), record))?;
            }
            Ok(())
        });
        printer.flush()?;
        printed?;
        let listed = printer.end()?;
        opened.publish()?;
        Ok(listed)
    }
}

impl TokensSpec {
    /// Whether a table is written, rather than text for people.
    fn is_table(&self) -> bool {
        self.keys || self.lines
    }
}

/// The document frequencies on which keys depend.
fn frequencies(recipe: &Recipe, context: &Context) -> Result<Statistics> {
    match statistics::load(recipe, context)? {
        Some(statistics) => Ok(statistics),
        None if recipe.needs_statistics() => Err(Error::of("⟨keys⟩")
            .problem(format!("the keys of {} depend on document frequencies, and there is no ⟨statistics⟩ file", recipe.recipe))
        .hint("count them once with tegula stats, and use the same file for all texts to be compared")),
        None => Ok(Statistics::default()),
    }
}

/// How the input is read.
fn decisions(collection: &Collection, recipe: &Recipe) -> Result<String> {
    /// Number of files that are described one by one.
    const SHOWN: usize = 10;
    let mut out = String::new();
    for (number, file) in collection.files().iter().enumerate().take(SHOWN) {
        let file = (collection.describe(number as u32)?, &file.name);
        say!(out, "{}", file.1);
        let mut tell = |label: &str, text: &str| say!(out, "  {label:<14} {text}");
        tell("format", &describe::format(&file.0));
        tell("encoding", &describe::encoding(&file.0));
        if let Some(dialect) = describe::dialect(&file.0) {
            tell("dialect", &dialect);
        }
        tell("text", &describe::text(&file.0, collection.options()));
    }
    if collection.files().len() > SHOWN {
        let _ = writeln!(
            out,
            "and {} more files",
            count((collection.files().len() - SHOWN) as u64)
        );
    }
    say!(out, "normalisation: {}", describe::normalisation(recipe));
    if recipe.counts_own_tokens() {
        let _ = writeln!(
            out,
            "the recipe does not normalise vertical files and CoNLL-U: each line is a token; as-is tokens show them"
        );
    }
    Ok(out)
}

struct Printer<'a> {
    spec: &'a TokensSpec,
    formulas: Formulas,
    keys: Option<TextKeys<'a>>,
    normaliser: Normaliser,
    classes: Option<Classes>,
    /// The class of each token of the unit, by name, where classes are printed.
    names: Vec<&'static str>,
    level: Level,
    rejoin: bool,
    tokens: Tokens,
    parts: Vec<Part>,
    out: String,
    to: Packed,
    units: u64,
    /// Units without tokens, or keys if these are printed.
    without: u64,
}

impl Printer<'_> {
    fn record(&mut self, batch: &Batch, record: &Record, file: &SourceFile) -> Result<()> {
        let id = match batch.id_of(record) {
            Some(id) if !id.is_empty() => id.to_owned(),
            _ => format!("{}:{}", file.name, record.number),
        };
        let wanted = self.spec.id.as_deref();
        let level = self.level;
        let named = batch
            .segments_of(record)
            .iter()
            .filter(|segment| segment.level == level);
        let of_unit = named.clone().any(|segment| segment.id.as_deref() == wanted);
        if wanted.is_some_and(|wanted| !wanted.starts_with(&id)) && !of_unit {
            return Ok(());
        }
        let text = batch.text_of(record);
        let mut parts = std::mem::take(&mut self.parts);
        parts.clear();
        segment::parts(
            text,
            batch.segments_of(record),
            self.level,
            self.rejoin,
            &mut parts,
        );
        for (number, part) in (1_u64..).zip(&parts) {
            let unit = match self.level {
                // Passages are found in whole texts.
                Level::Document | Level::Passage => id.clone(),
                Level::Paragraph => format!("{id}#p{number}"),
                Level::Line => format!("{id}#l{number}"),
                Level::Sentence => format!("{id}#s{number}"),
            };
            let own = named
                .clone()
                .find(|segment| segment.text == part.text)
                .and_then(|segment| segment.id.as_deref());
            if wanted.is_none_or(|wanted| wanted == id || wanted == unit || own == Some(wanted)) {
                let own = own.unwrap_or(&unit);
                self.unit(own, text, part, batch.tags_of(record, part.text.start));
                // No other field is read.
                let apart = batch.fields_of(record).first().cloned().flatten();
                if let Some(apart) = apart.filter(|apart| !apart.is_empty()) {
                    self.apart(own, &apart);
                }
                if !(self.spec.is_table()) {
                    self.out.push('\n');
                }
            }
        }
        self.parts = parts;
        if self.out.len() >= 1 << 16 {
            self.flush()
        } else {
            Ok(())
        }
    }

    fn unit(&mut self, id: &str, text: &str, part: &Part, tags: &[Tagged]) {
        self.units += 1;
        if let Some(keys) = &mut self.keys {
            let found = keys.of(&text[part.text.clone()]);
            self.without += u64::from(found.is_empty());
            for (slot, key) in found {
                self.formulas.write(id, &mut self.out);
                let _ = writeln!(self.out, "\t{slot}\t{key}");
            }
            return;
        }
        self.normaliser
            .tokens(&text[part.text.clone()], &mut self.tokens);
        self.names.clear();
        if let Some(classes) = &self.classes {
            classes.for_each_tagged(
                &text[part.text.clone()],
                tags,
                part.text.start,
                |_, class| self.names.push(class.name()),
            );
        }
        self.without += u64::from(self.tokens.is_empty());
        if self.spec.lines {
            for (at, (token, span)) in self.tokens.iter().zip(&self.tokens.spans).enumerate() {
                let bytes = part.text.start + span.start..part.text.start + span.end;
                self.formulas.write(id, &mut self.out);
                self.out.push('\t');
                self.formulas.write(token, &mut self.out);
                if let Some(class) = self.names.get(at) {
                    let _ = write!(self.out, "\t{class}");
                }
                let _ = write!(self.out, "\t{}\t{}\t", bytes.start, bytes.end);
                self.formulas.write(&text[bytes], &mut self.out);
                self.out.push('\n');
            }
            return;
        }
        for (at, token) in self.tokens.iter().enumerate() {
            if at > 0 {
                self.out.push(' ');
            }
            self.out.push_str(token);
            if let Some(class) = self.names.get(at) {
                let _ = write!(self.out, "/{class}");
            }
        }
    }

    /// What a message must have in common with another besides its tokens.
    fn apart(&mut self, id: &str, apart: &str) {
        if self.spec.keys {
            return;
        }
        if !self.spec.lines {
            let gap = if self.tokens.is_empty() { "" } else { " " };
            let _ = write!(self.out, "{gap}[{apart}]");
            return;
        }
        self.formulas.write(id, &mut self.out);
        let class = if self.spec.classes { "\t" } else { "" };
        let _ = writeln!(self.out, "\t[{apart}]{class}\t\t\t");
    }

    fn flush(&mut self) -> Result<()> {
        if self.spec.is_table() {
            self.to.put(self.out.as_bytes())?;
        } else {
            self.to.put(printable::text(&self.out).as_bytes())?;
        }
        self.out.clear();
        Ok(())
    }

    fn end(self) -> Result<Listed> {
        if self.units == 0
            && let Some(id) = &self.spec.id
        {
            return Err(Error::of("⟨id⟩").problem(format!("there is no record or unit '{id}'"))
                .hint("units inside a document are called ID#p3 or ID#s17, and need ⟨unit=paragraph⟩ or ⟨unit=sentence⟩"));
        }
        self.to.finish()?;
        Ok(Listed {
            units: self.units,
            without: self.without,
        })
    }
}
