//! Tables in memory as a Parquet file whose columns keep their types: batches are filtered, and only
//! cut texts are built anew. *Not useful for* tables with different columns, or with texts inside
//! structs: these are converted like any other records.

use super::columns::{MarkBuilders, mark_fields, writer};
use super::output::SinkOptions;
use super::sink::clash;
use crate::collection::Collection;
use crate::edit::{Edit, Marks};
use crate::format::arrow::Texts;
use crate::format::joined::{JOINT, split_cuts};
use crate::memory::Piece;
use crate::outputs::Outputs;
use crate::rewrite::{Edits, Progress, Written};
use crate::tables::parquet_error;
use arrow_array::{
    ArrayRef, BinaryArray, BinaryViewArray, BooleanArray, LargeBinaryArray, LargeStringArray,
    RecordBatch, RecordBatchOptions, StringArray, StringViewArray,
};
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use arrow_select::filter::filter;
use parquet::arrow::ArrowSchemaConverter;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use tegula::error::{Error, Result};
use tegula::record::Source as _;

/// The columns in which the tables of a collection can be written; none if they differ, or if
/// Parquet lacks their types.
pub(super) fn schema(collection: &Collection) -> Option<SchemaRef> {
    let layouts: Vec<_> = (0..collection.files().len() as u32)
        .map_while(|file| collection.layout(file))
        .collect();
    let first = layouts.first()?.table.schema();
    let same = |other: &SchemaRef| {
        let both = first.fields().iter().zip(other.fields());
        first.fields().len() == other.fields().len()
            && both.into_iter().all(|(one, other)| {
                one.name() == other.name() && one.data_type() == other.data_type()
            })
    };
    let is_text = |key: &str| {
        let data_type = first.field_with_name(key).ok()?.data_type();
        can_be_cut(data_type).then_some(())
    };
    let fits = layouts.iter().all(|layout| same(layout.table.schema()))
        && (collection.options().text_keys().into_iter()).all(|key| is_text(key).is_some())
        && ArrowSchemaConverter::new().convert(first).is_ok();
    fits.then(|| Arc::clone(first))
}

/// Whether an array of this type can be built anew by [`built`].
fn can_be_cut(data_type: &DataType) -> bool {
    use DataType as T;
    matches!(
        data_type,
        T::Utf8 | T::LargeUtf8 | T::Utf8View | T::Binary | T::LargeBinary | T::BinaryView
    )
}

/// Writes the kept rows of a collection of tables to a Parquet file with these columns, and those of
/// marks.
///
/// # Errors
/// If a column has the name of a mark, or the file cannot be written.
pub(super) fn write(
    collection: &Collection,
    (outputs, path, schema): (&Outputs, &Path, SchemaRef),
    edits: Edits<'_>,
    options: &SinkOptions,
    progress: Progress<'_>,
) -> Result<Written> {
    let marks: Vec<_> = mark_fields(options).into_iter().map(Arc::new).collect();
    let clashing = |mark: &&Arc<_>| {
        schema
            .field_with_name(arrow_schema::Field::name(mark))
            .is_ok()
    };
    if let Some(mark) = marks.iter().find(clashing) {
        return Err(clash(mark.name()).at(path));
    }
    let own = schema.fields().iter();
    // Tables may differ in whether a column has nulls.
    let own = own.map(|field| Arc::new(field.as_ref().clone().with_nullable(true)));
    let fields: Vec<_> = own.chain(marks).collect();
    let schema = Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()));
    let keys = collection.options().text_keys();
    let draft = outputs.create(path)?;
    let mut writer = writer(&draft, &schema)?;
    let mut written = Written::default();
    let mut left = collection.options().limit.unwrap_or(u64::MAX);
    for file in 0..collection.files().len() as u32 {
        let Some(layout) = collection.layout(file) else {
            continue;
        };
        layout.table.check_present()?;
        for Piece { rows, bytes } in &layout.pieces {
            for (first, batch) in layout.table.slices(rows.clone()) {
                let mut rows = Rows::new(&batch, &keys, options);
                for row in 0..batch.num_rows() {
                    if left == 0 {
                        rows.kept.push(false);
                        continue;
                    }
                    left -= 1;
                    let edit = edits(file, first + row as u64 + 1);
                    rows.push(row, &edit, &mut written);
                }
                let batch = rows
                    .finish(&schema)
                    .map_err(|error| Error::data(error.to_string()).at(path))?;
                writer
                    .write(&batch)
                    .map_err(|error| parquet_error("write", path, error))?;
            }
            progress(*bytes)?;
        }
    }
    writer
        .close()
        .map_err(|error| parquet_error("write", path, error))?;
    draft.finish()?;
    Ok(written)
}

/// The edits of the rows of a batch.
struct Rows<'b> {
    batch: &'b RecordBatch,
    /// The texts and the index of each text column.
    texts: Vec<(usize, Texts)>,
    kept: Vec<bool>,
    /// The cuts of each text column, by row.
    cuts: HashMap<usize, Vec<Vec<Range<usize>>>>,
    marks: Option<MarkBuilders>,
    spans: bool,
}

impl<'b> Rows<'b> {
    fn new(batch: &'b RecordBatch, keys: &[&str], options: &SinkOptions) -> Self {
        let place = |key: &&str| batch.schema_ref().index_of(key).ok();
        let texts = keys.iter().filter_map(place);
        Self {
            batch,
            texts: texts.map(|at| (at, Texts::of(batch.column(at)))).collect(),
            kept: Vec::with_capacity(batch.num_rows()),
            cuts: HashMap::new(),
            marks: options.marks.then(|| MarkBuilders::new(options)),
            spans: options.marks && options.style.spans,
        }
    }

    /// Adds the edit of the next row.
    fn push(&mut self, row: usize, edit: &Edit, written: &mut Written) {
        self.kept.push(*edit != Edit::Drop);
        match edit {
            Edit::Drop => {
                written.dropped += 1;
                return;
            }
            Edit::Keep => written.kept += 1,
            Edit::Cut(_) | Edit::Change { .. } => written.cut += 1,
            Edit::Mark(_) => written.marked += 1,
        }
        if let Edit::Cut(cuts) | Edit::Change { cuts, .. } = edit {
            let lengths = self.texts.iter().map(|(_, texts)| texts.bytes(row));
            self.cuts.insert(row, split_cuts(lengths, cuts));
        }
        let marks = match edit {
            Edit::Mark(marks) => Cow::Borrowed(marks),
            Edit::Change { cuts, marks } => Cow::Owned(marks.after(cuts)),
            _ => Cow::Owned(Marks::default()),
        };
        let has_spans = self.spans && marks.spans.is_some();
        let text = if has_spans {
            let texts = 0..self.texts.len();
            let left = texts.map(|column| self.left(column, row).unwrap_or_default());
            left.collect::<Vec<_>>().join(JOINT)
        } else {
            String::new()
        };
        if let Some(builders) = &mut self.marks {
            builders.push(&marks, &text);
        }
    }

    /// What is left of a text.
    fn left(&self, column: usize, row: usize) -> Option<Cow<'_, str>> {
        let text = self.texts[column].1.get(row).as_str()?;
        let cuts = self.cuts.get(&row).and_then(|all| all.get(column));
        let cuts = cuts.filter(|cuts| !cuts.is_empty());
        let Some(cuts) = cuts else {
            return Some(text.into());
        };
        let mut left = text.to_owned();
        for cut in cuts.iter().rev() {
            left.replace_range(cut.clone(), "");
        }
        Some(left.into())
    }

    /// The kept rows with their marks.
    fn finish(mut self, schema: &SchemaRef) -> std::result::Result<RecordBatch, ArrowError> {
        let kept = BooleanArray::from(std::mem::take(&mut self.kept));
        let mut columns = Vec::with_capacity(schema.fields().len());
        for (at, array) in self.batch.columns().iter().enumerate() {
            let text = self.texts.iter().position(|(column, _)| *column == at);
            let is_cut = |column: &usize| {
                let mut all = self.cuts.values();
                all.any(|cuts| cuts.get(*column).is_some_and(|cuts| !cuts.is_empty()))
            };
            columns.push(match text.filter(is_cut) {
                Some(column) => {
                    let rows = (0..self.batch.num_rows()).filter(|row| kept.value(*row));
                    built(array.data_type(), rows.map(|row| self.left(column, row)))
                }
                None => filter(array, &kept)?,
            });
        }
        if let Some(marks) = &mut self.marks {
            marks.finish(&mut columns);
        }
        // A row without columns is still a row.
        let options = RecordBatchOptions::new().with_row_count(Some(kept.true_count()));
        RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)
    }
}

/// An array of this type with these texts.
fn built<'t>(data_type: &DataType, texts: impl Iterator<Item = Option<Cow<'t, str>>>) -> ArrayRef {
    let texts: Vec<_> = texts.collect();
    let strings = texts.iter().map(Option::as_deref);
    let bytes = strings.clone().map(|text| text.map(str::as_bytes));
    match data_type {
        DataType::LargeUtf8 => Arc::new(strings.collect::<LargeStringArray>()),
        DataType::Utf8View => Arc::new(strings.collect::<StringViewArray>()),
        DataType::Binary => Arc::new(bytes.collect::<BinaryArray>()),
        DataType::LargeBinary => Arc::new(bytes.collect::<LargeBinaryArray>()),
        DataType::BinaryView => Arc::new(bytes.collect::<BinaryViewArray>()),
        _ => Arc::new(strings.collect::<StringArray>()),
    }
}
