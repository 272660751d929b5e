//! `tegula tokens`: what the matcher sees.

use crate::args::{BadRecords, InputArgs, RecipeArgs};
use crate::{output, terminal};
use clap::Args;
use std::fmt::Write;
use std::process::ExitCode;
use tegula::error::{Error, Result};
use tegula::recipe::Recipe;
use tegula::record::{Batch, Level, Record, Source, SourceFile, Tagged};
use tegula::text::classes::Classes;
use tegula::text::normalise::{Normaliser, Tokens};
use tegula::text::segment::{self, Part};
use tegula_io::collection::Collection;
use tegula_io::named;
use tegula_io::options::ReadOptions;
use tegula_run::{claims, describe, inputs};

/// Arguments of `tegula tokens`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tegula tokens --limit 3 news.jsonl\n  tegula tokens --normalize kupietz --id T02/NOV.53095 --lines taz.vert
  tegula tokens --recipe simfinder --classes --limit 3 messages.jsonl"
)]
pub(crate) struct TokensArgs {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    recipe: RecipeArgs,

    /// Print only the record or unit with this id
    #[arg(long, value_name = "ID")]
    id: Option<String>,

    /// Print a table with one token per line: unit, token, its byte range in the text of the
    /// record, and the original text of that range
    #[arg(long)]
    lines: bool,

    /// Print each token with the word class that SimFinder weights it by: token/class, or a column
    /// after the token in the table
    #[arg(long)]
    classes: bool,

    /// Do not describe how the input is read
    #[arg(long, short)]
    quiet: bool,
}

/// Prints tokens.
///
/// # Errors
/// Wrong options, what the input gives, or no such id.
pub(crate) fn tokens(args: &TokensArgs) -> Result<ExitCode> {
    args.recipe.of_tokens("tokens")?;
    let recipe = args.recipe.recipe()?;
    args.input.check_classes(args.classes, &recipe.recipe)?;
    let options = ReadOptions {
        classes: args.classes,
        ..args.input.read_options(&args.recipe)?
    };
    let host = crate::host::usual(args.quiet)?;
    let context = &host.context;
    claims::files(
        &host,
        args.input.inputs.iter().map(std::path::PathBuf::as_path),
        &[],
    )?;
    let collection =
        Collection::open(&args.input.inputs, &options, &std::env::temp_dir())?.within(context);
    named::check(context, &[&collection])?;
    if args.input.on_bad_record != BadRecords::Fail {
        inputs::check(
            &host,
            &collection,
            &args.input.asked(None),
            args.input.on_bad_record.into(),
        )?;
    }
    if !args.quiet {
        output::tell(&decisions(&collection, &recipe)?);
    }
    collection
        .warnings()
        .iter()
        .for_each(|warning| output::warn(warning));
    let mut printer = Printer {
        args,
        normaliser: recipe.check()?,
        classes: if args.classes {
            Some(Classes::new(&recipe.normalise)?)
        } else {
            None
        },
        names: Vec::new(),
        level: recipe.unit,
        mend: recipe.mend,
        tokens: Tokens::default(),
        parts: Vec::new(),
        out: String::new(),
        units: 0,
        tokenless: 0,
    };
    if args.lines {
        let class = if args.classes { "class\t" } else { "" };
        let _ = writeln!(printer.out, "unit\ttoken\t{class}start\tend\toriginal");
    }
    let mut batch = Batch::default();
    for chunk in collection.chunks()? {
        let chunk = chunk?;
        batch.clear();
        chunk.read(&mut batch);
        if let Some(file) = collection.files().get(chunk.file() as usize) {
            for record in &batch.records {
                printer.record(&batch, record, file)?;
            }
        }
        for bad in batch.bad.drain(..) {
            match args.input.on_bad_record {
                BadRecords::Fail => return printer.flush().and(Err(bad.error)),
                _ => output::warn(&bad.error.to_string()),
            }
        }
    }
    printer.flush()?;
    printer.end()
}

/// How the input is read.
fn decisions(collection: &Collection, recipe: &Recipe) -> Result<String> {
    /// Number of files that are described one by one.
    const SHOWN: usize = 10;
    let mut out = String::new();
    for (number, file) in collection.files().iter().enumerate().take(SHOWN) {
        let file = (collection.describe(number as u32)?, &file.name);
        let _ = writeln!(out, "{}", file.1);
        let mut say = |label: &str, text: &str| {
            let _ = writeln!(out, "  {label:<14} {text}");
        };
        say("format", &describe::format(&file.0));
        say("encoding", &describe::encoding(&file.0));
        if let Some(dialect) = describe::dialect(&file.0) {
            say("dialect", &dialect);
        }
        say("text", &describe::text(&file.0, collection.options()));
    }
    if collection.files().len() > SHOWN {
        let _ = writeln!(
            out,
            "and {} more files",
            terminal::count((collection.files().len() - SHOWN) as u64)
        );
    }
    let _ = writeln!(out, "normalisation: {}", describe::normalisation(recipe));
    if recipe.counts_own_tokens() {
        let _ = writeln!(
            out,
            "the recipe takes no step on vertical files and CoNLL-U: each line is a token; --tokens as-is shows them"
        );
    }
    Ok(out)
}

struct Printer<'a> {
    args: &'a TokensArgs,
    normaliser: Normaliser,
    classes: Option<Classes>,
    /// The class of each token of the unit, by name, where classes are printed.
    names: Vec<&'static str>,
    level: Level,
    mend: bool,
    tokens: Tokens,
    parts: Vec<Part>,
    out: String,
    units: u64,
    tokenless: u64,
}

impl Printer<'_> {
    fn record(&mut self, batch: &Batch, record: &Record, file: &SourceFile) -> Result<()> {
        let id = match batch.id_of(record) {
            Some(id) if !id.is_empty() => id.to_owned(),
            _ => format!("{}:{}", file.name, record.number),
        };
        let wanted = self.args.id.as_deref();
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
            self.mend,
            &mut parts,
        );
        for (number, part) in (1_u64..).zip(&parts) {
            let unit = match self.level {
                // Passages are found in whole texts.
                Level::Document | Level::Passage => id.clone(),
                Level::Paragraph => format!("{id}#p{number}"),
                Level::Sentence => format!("{id}#s{number}"),
            };
            let own = named
                .clone()
                .find(|segment| segment.text == part.text)
                .and_then(|segment| segment.id.as_deref());
            if wanted.is_none_or(|wanted| wanted == id || wanted == unit || own == Some(wanted)) {
                self.unit(
                    own.unwrap_or(&unit),
                    text,
                    part,
                    batch.tags_of(record, part.text.start),
                );
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
        self.tokenless += u64::from(self.tokens.is_empty());
        if self.args.lines {
            for (at, (token, span)) in self.tokens.iter().zip(&self.tokens.spans).enumerate() {
                let bytes = part.text.start + span.start..part.text.start + span.end;
                tegula_io::tables::escape_tsv(id, &mut self.out);
                self.out.push('\t');
                tegula_io::tables::escape_tsv(token, &mut self.out);
                if let Some(class) = self.names.get(at) {
                    let _ = write!(self.out, "\t{class}");
                }
                let _ = write!(self.out, "\t{}\t{}\t", bytes.start, bytes.end);
                tegula_io::tables::escape_tsv(&text[bytes], &mut self.out);
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
        self.out.push('\n');
    }

    fn flush(&mut self) -> Result<()> {
        output::data(self.out.as_bytes())?;
        self.out.clear();
        Ok(())
    }

    fn end(&self) -> Result<ExitCode> {
        if self.units == 0
            && let Some(id) = &self.args.id
        {
            return Err(Error::usage(format!("--id: there is no record or unit '{id}'"))
                .hint("units inside a document are called ID#p3 or ID#s17, and need --unit paragraph or --unit sentence"));
        }
        if self.tokenless > 0 && !self.args.quiet {
            output::tell(&format!(
                "units without tokens, compared by their raw text: {}\n",
                terminal::count(self.tokenless)
            ));
        }
        Ok(ExitCode::SUCCESS)
    }
}
