//! The texts of units, read again from the files that the run read.

use super::lookup::{Run, Unit};
use tegula::error::{Error, ErrorKind, Result};
use tegula::hash::Sequence;
use tegula::record::{Level, SourceFile};
use tegula::text::fingerprints::fingerprints;
use tegula::text::words::Words;
use tegula_io::collection::Collection;
use tegula_io::fetch::{self, Wanted};
use tegula_io::options::{FormatName, ReadOptions};
use tegula_io::tables::InputFile;

/// The text of a unit, which must be the one that the run read.
///
/// # Errors
/// When its file has gone or changed.
pub(super) fn text(run: &Run, unit: &Unit) -> Result<String> {
    let input =
        run.info.inputs.iter().find(|input| input.name == unit.file).ok_or_else(|| {
            Error::new(ErrorKind::Run, format!("expected the file '{}' among the inputs of the run", unit.file))
        })?;
    check(input)?;
    let options = ReadOptions { limit: None, ..run.read.clone() };
    let collection = Collection::open(std::slice::from_ref(&input.path), &options, &std::env::temp_dir())?;
    let parquet = collection.format(0).is_some_and(|(format, _)| format == FormatName::Parquet);
    let wanted = Wanted { file: 0, number: unit.record, bytes: (!parquet).then(|| unit.bytes.clone()) };
    let found = fetch::texts(&collection, std::slice::from_ref(&wanted))?.into_iter().next().flatten();
    let part = |text: String| match &unit.part {
        Some(part) if run.recipe.unit != Level::Document => text.get(part.clone()).map(str::to_owned),
        _ => Some(text),
    };
    let text = found.and_then(part).filter(|text| is_same(run, unit, text));
    text.ok_or_else(|| changed(input, "the record is no longer the one that the run read").record(unit.record))
}

fn check(input: &InputFile) -> Result<()> {
    if !input.path.exists() {
        let stdin = input.name == "stdin" || input.name.ends_with("/stdin");
        let hint = if stdin {
            "the run read standard input, which is not kept; run again on a file"
        } else {
            "put the file back where it was, or run again"
        };
        return Err(Error::new(ErrorKind::Run, "the file that the run read is gone").at(&input.path).hint(hint));
    }
    let source = SourceFile { path: input.path.clone(), name: input.name.clone(), bytes: input.bytes };
    let now = InputFile::of(&source)?;
    if now != *input {
        return Err(changed(input, "the file has changed since the run"));
    }
    Ok(())
}

fn changed(input: &InputFile, message: &str) -> Error {
    Error::new(ErrorKind::Run, message).at(&input.path).hint("run again, or put the file back as it was")
}

/// Whether the text has the digest that the run took.
fn is_same(run: &Run, unit: &Unit, text: &str) -> bool {
    let Ok(normaliser) = run.recipe.check() else { return false };
    let mut tokens = Vec::new();
    fingerprints(&normaliser, &mut Words::default(), text, &mut tokens);
    let mut sequence = Sequence::default();
    for token in &tokens {
        sequence.push(*token);
    }
    sequence.finish().digest() == unit.digest
}
