//! Converts a whole collection to another format, in one file.

use super::batches;
use super::rows::RowTexts;
use super::{Conversion, FieldValue, Fields, Inference, OutputRecord, RecordSink, SinkOptions};
use crate::block::Block;
use crate::block::Piece;
use crate::collection::Collection;
use crate::compress::Compression;
use crate::detect;
use crate::edit::{Edit, Marks};
use crate::foreign;
use crate::format::parquet::for_each_row;
use crate::format::{Patch, moved};
use crate::memory;
use crate::options::FormatName;
use crate::outputs::Outputs;
use crate::passed_over::Nulls;
use crate::rewrite::{Edits, Progress, RewriteOptions, Written, patched};
use crate::store;
use std::borrow::Cow;
use std::path::Path;
use tegula::error::{Error, ErrorKind, Result};
use tegula::record::{Batch, Source};

/// The format implied by the name of `output`, if it differs from that of the files. Several files
/// are then combined.
///
/// Tables in memory have no format to keep, so all are combined in that of the output.
///
/// # Errors
/// If several files of one format would be combined in the same format: they must remain separate,
/// byte for byte. If the output for tables in memory is no file of a known format.
pub fn wanted(collection: &Collection, output: &Path) -> Result<Option<FormatName>> {
    if collection.is_in_memory() {
        return of_tables(output).map(Some);
    }
    if output.as_os_str() == "-" || store::is_folder(output) {
        return Ok(None);
    }
    let name = output.file_name().unwrap_or_default().to_string_lossy();
    let Some(format) = detect::by_name(&name).0 else {
        check_ending(collection, output)?;
        return Ok(None);
    };
    let count = collection.files().len() as u32;
    if (0..count).all(|file| {
        collection
            .format(file)
            .is_some_and(|(known, _)| known == format || detect::promises(&name, known))
    }) {
        if collection.is_single() {
            return Ok(None);
        }
        return Err(ErrorKind::Usage
            .expected("a folder for the output of several files of this format")
            .found("the name of a file")
            .at(output)
            .hint("name a folder: each file keeps its name in it"));
    }
    Ok(Some(format))
}

/// The format in which tables in memory are written.
fn of_tables(output: &Path) -> Result<FormatName> {
    let wrong = |found: &str| {
        ErrorKind::Usage
            .expected("a file for the output of records that are in memory")
            .found(found)
            .at(output)
            .hint("name a file with the extension .parquet, .jsonl, .csv or .tsv")
    };
    if output.as_os_str() == "-" {
        return Err(wrong("standard output"));
    }
    if store::is_folder(output) {
        return Err(wrong("a folder"));
    }
    let name = output.file_name().unwrap_or_default().to_string_lossy();
    let format = detect::by_name(&name).0;
    format.ok_or_else(|| wrong("a name without a known extension"))
}

/// Refuses an output whose ending is that of no format, if the input's is that of one: it would not
/// be what its name says. Endings that say nothing about a format are those of drafts and versions.
fn check_ending(collection: &Collection, output: &Path) -> Result<()> {
    const NEUTRAL: [&str; 10] = [
        "tmp", "temp", "part", "partial", "out", "new", "bak", "old", "orig", "copy",
    ];
    let ending = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let stem = Compression::of_name(&name).0;
        let ending = stem.trim_start_matches('.').rsplit_once('.');
        ending.map(|(_, ending)| ending.to_ascii_lowercase())
    };
    let [input] = collection.list() else {
        return Ok(());
    };
    let Some(found) = ending(output).filter(|_| collection.is_single()) else {
        return Ok(());
    };
    let says_nothing = NEUTRAL.contains(&&*found) || !found.chars().all(char::is_alphabetic);
    if says_nothing
        || ending(Path::new(&input.name)).as_deref() == Some(&*found)
        || detect::by_name(&input.name).0.is_none()
    {
        return Ok(());
    }
    Err(ErrorKind::Usage
        .expected("an output in a format that can be written")
        .found(format!("the extension .{found}"))
        .at(output)
        .hint(foreign::WRITTEN))
}

/// Writes all kept records of `collection` to the single file `output`, in another format. Also
/// returns the columns whose types are not supported by that format. Columns of tables in memory
/// keep their types in Parquet.
///
/// # Errors
/// If a file cannot be read, or `output` cannot be written or cannot represent the records.
pub fn convert(
    collection: &Collection,
    outputs: &Outputs,
    (output, format): (&Path, FormatName),
    edits: Edits<'_>,
    options: &RewriteOptions,
    progress: Progress<'_>,
) -> Result<(Written, Vec<Conversion>)> {
    let walk = Pass { collection, edits };
    let silent: Progress<'_> = &|_| Ok(());
    let sink_options = SinkOptions {
        marks: options.marks,
        style: options.style.clone(),
    };
    if let Some(schema) = batches::schema(collection).filter(|_| format == FormatName::Parquet) {
        let target = (outputs, output, schema);
        let written = batches::write(collection, target, edits, &sink_options, progress)?;
        return Ok((written, Vec::new()));
    }
    let columns = if format == FormatName::Jsonl {
        None
    } else {
        let mut inference = Inference::new();
        walk.run(silent, &mut |record, _| {
            inference.observe(record.fields);
            Ok(())
        })?;
        Some(inference.finish())
    };
    let mut sink = RecordSink::create(outputs, output, format, columns.as_ref(), &sink_options)?;
    let mut written = Written::default();
    let types = walk.run(progress, &mut |record, edit| {
        match edit {
            Edit::Keep => written.kept += 1,
            Edit::Cut(_) | Edit::Change { .. } => written.cut += 1,
            Edit::Mark(_) => written.marked += 1,
            Edit::Drop => {}
        }
        sink.push(record)
    })?;
    written.dropped = types.dropped;
    written.nulls = types.nulls;
    let mut conversions = types.conversions;
    conversions.extend(sink.finish()?);
    conversions.sort();
    conversions.dedup();
    Ok((written, conversions))
}

/// Receives each kept record, and its edit.
type Visit<'a> = &'a mut dyn FnMut(&OutputRecord<'_>, &Edit) -> Result<()>;

/// What a pass finds in addition to records.
#[derive(Default)]
struct PassResult {
    dropped: u64,
    conversions: Vec<Conversion>,
    nulls: Nulls,
}

struct Pass<'a> {
    collection: &'a Collection,
    edits: Edits<'a>,
}

impl Pass<'_> {
    fn run(&self, progress: Progress<'_>, visit: Visit<'_>) -> Result<PassResult> {
        let mut seen = PassResult::default();
        let mut left = self.collection.options().limit;
        for (file, source) in (0..).zip(self.collection.files()) {
            if self
                .collection
                .format(file)
                .is_some_and(|(format, _)| format == FormatName::Parquet)
            {
                self.rows(file, &mut left, &mut seen, visit)?;
                progress(source.bytes)?;
                continue;
            }
            let mut pieces = self.collection.pieces(file, left);
            for piece in pieces.by_ref() {
                // The broken end of a file is skipped.
                if let Piece::Block(block) = piece? {
                    self.block(&block, &mut seen, visit)?;
                    progress(block.disk)?;
                }
            }
            left = pieces.left();
        }
        Ok(seen)
    }

    fn block(&self, block: &Block, seen: &mut PassResult, visit: Visit<'_>) -> Result<()> {
        let whole = block.valid_text();
        let format = &block.plan.format;
        block.try_each(|number, range| {
            let edit = (self.edits)(block.plan.file, number);
            if edit == Edit::Drop {
                seen.dropped += 1;
                return Ok(());
            }
            let placed = |error: Error| {
                if error.path().is_some() {
                    error
                } else {
                    block.plan.place(error, number)
                }
            };
            let record = block.record(range, whole).map_err(placed)?;
            let cut;
            let whole_record = &*record;
            // A text with its own encoding cannot be cut inside its record, only in another format.
            let is_outside = block.plan.encoding.is_bytes;
            let record = match &edit {
                Edit::Cut(cuts) | Edit::Change { cuts, .. } if !is_outside => {
                    cut = patched(
                        whole_record,
                        &format.remove(whole_record, cuts).map_err(placed)?,
                    );
                    &cut
                }
                _ => whole_record,
            };
            let mut fields = format.fields(record).map_err(placed)?;
            if let (Edit::Cut(cuts) | Edit::Change { cuts, .. }, true) = (&edit, is_outside) {
                let text = fields.iter_mut().find(|(name, _)| name == "text");
                if let Some((_, FieldValue::Text(text))) = text {
                    let cuts: Vec<Patch> = cuts.iter().cloned().map(Patch::remove).collect();
                    *text = patched(text, &cuts).into();
                }
            }
            let marks = match &edit {
                Edit::Change { cuts, marks } if is_outside => Some(Cow::Owned(marks.after(cuts))),
                Edit::Change { cuts, marks } => Some(Cow::Owned(
                    moved(&**format, whole_record, record, cuts, marks).map_err(placed)?,
                )),
                edit => marks(edit),
            };
            let marks = marks.as_deref();
            let mut batch = Batch::default();
            if marks.is_some_and(|marks| marks.spans.is_some()) {
                match fields.iter().find(|(name, _)| is_outside && name == "text") {
                    Some((_, FieldValue::Text(text))) => batch.text.push_str(text),
                    _ => drop(format.decode(record, &mut batch).map_err(placed)?),
                }
            }
            visit(
                &OutputRecord {
                    fields: &fields,
                    text: &batch.text,
                    marks,
                },
                &edit,
            )
        })
    }

    /// The rows of a Parquet file, or of a table in memory.
    fn rows(
        &self,
        file: u32,
        left: &mut Option<u64>,
        seen: &mut PassResult,
        visit: Visit<'_>,
    ) -> Result<()> {
        let texts = RowTexts::of(self.collection);
        let (guard, limits) = (
            &self.collection.guards()[file as usize],
            self.collection.limits(),
        );
        let options = self.collection.options();
        let mut row = |number: u64, fields: &Fields<'_>| {
            if *left == Some(0) {
                return Ok(false);
            }
            if let Some(left) = left {
                *left -= 1;
            }
            let edit = (self.edits)(file, number);
            if edit == Edit::Drop {
                seen.dropped += 1;
                return Ok(false);
            }
            let cut;
            let fields = match &edit {
                Edit::Cut(cuts) | Edit::Change { cuts, .. } => {
                    cut = texts.cut(fields, cuts)?;
                    &cut
                }
                _ => fields,
            };
            let marks = marks(&edit);
            let text = match &marks {
                Some(marks) if marks.spans.is_some() => texts.joined(fields)?,
                _ => String::new(),
            };
            let record = OutputRecord {
                fields,
                text: &text,
                marks: marks.as_deref(),
            };
            visit(&record, &edit)?;
            Ok(true)
        };
        if let Some(layout) = self.collection.layout(file) {
            let conversions = memory::for_each_row(layout, options, &mut row)?;
            seen.conversions.extend(conversions);
            return Ok(());
        }
        let shown = for_each_row(guard, options, limits, &mut row)?;
        seen.conversions.extend(shown.conversions);
        seen.nulls.add(&shown.nulls);
        Ok(())
    }
}

/// The marks of a record for the output.
fn marks(edit: &Edit) -> Option<Cow<'_, Marks>> {
    match edit {
        Edit::Mark(marks) => Some(Cow::Borrowed(marks)),
        Edit::Change { cuts, marks } => Some(Cow::Owned(marks.after(cuts))),
        _ => None,
    }
}
