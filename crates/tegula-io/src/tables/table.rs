//! Tables: a name, columns in a fixed order, and rows that borrow their strings.

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field};
use tegula::error::{Error, Result};

use super::cell::{Cell, Form};

/// One column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// Its type in Arrow.
    pub data_type: DataType,
    /// Whether a cell may be null.
    pub nullable: bool,
}

/// One of the run folder's tables. The rest of this trait is machinery that the macro `table!` writes.
pub trait Table: 'static {
    /// The name of the table and, with `.parquet`, of its file.
    const NAME: &'static str;
    /// A row; its strings are borrowed.
    type Row<'a>: Copy;
    /// Collects rows into columns.
    type Builders: Send;
    /// Columns read by row.
    type Columns: Send;

    /// The columns, in order.
    fn columns() -> Vec<Column>;
    /// Empty columns.
    fn builders() -> Self::Builders;
    /// Appends a row and says how many bytes of text it brought; none where a string is too long for a column.
    fn push(builders: &mut Self::Builders, row: &Self::Row<'_>) -> Option<usize>;
    /// The collected columns; the builders begin anew.
    fn finish(builders: &mut Self::Builders) -> Vec<ArrayRef>;
    /// The columns of a batch, found by name.
    fn read(batch: &RecordBatch) -> Result<Self::Columns>;
    /// A row of the columns.
    fn row(columns: &Self::Columns, row: usize) -> Self::Row<'_>;
    /// Writes a row as text: cells with tabs between, or a JSON object; without the line end.
    fn show(row: &Self::Row<'_>, form: Form, out: &mut String);
    /// Appends a row read from a text form: `cell` gives the text of a column, by its place in [`Table::columns`]. The error is the
    /// place of a column that does not fit.
    fn parse<'t>(builders: &mut Self::Builders, cell: &dyn Fn(usize) -> Option<&'t str>) -> Result<(), usize>;
    /// What the column at this place holds, for messages.
    fn expected(place: usize) -> &'static str;
}

/// The Arrow fields of a table.
pub(crate) fn fields<T: Table>() -> Vec<Field> {
    T::columns().into_iter().map(|column| Field::new(column.name, column.data_type, column.nullable)).collect()
}

/// The column `name` of a batch as `C`.
pub(crate) fn column<C: Cell>(batch: &RecordBatch, name: &str) -> Result<C::Column> {
    let Some(array) = batch.column_by_name(name) else {
        return C::missing(batch.num_rows()).ok_or_else(|| {
            let schema = batch.schema();
            let present: Vec<&str> = schema.fields().iter().map(|f| f.name().as_str()).collect();
            Error::data(format!("expected a column \"{name}\", found {}", present.join(", ")))
        });
    };
    let column = C::column(array).ok_or_else(|| {
        Error::data(format!("expected {} in column \"{name}\", found the type {}", C::EXPECTED, array.data_type()))
    })?;
    if !C::NULLABLE
        && let Some(row) = (0..batch.num_rows()).find(|row| C::is_null(&column, *row))
    {
        return Err(Error::data(format!(
            "expected {} in column \"{name}\", found null in row {} of a batch",
            C::EXPECTED,
            row + 1
        )));
    }
    Ok(column)
}

/// Declares that a marker type is a table: its name, its row, and each column's name and cell type.
macro_rules! table {
    (
        $table:ident, $name:literal, $row:ident, $builders:ident, $columns:ident,
        { $($column:ident: $cell:ty),+ $(,)? }
    ) => {
        #[doc = concat!("Collects rows of `", $name, "`.")]
        pub struct $builders { $($column: <$cell as $crate::tables::cell::Cell>::Builder),+ }

        #[doc = concat!("Columns of `", $name, "`.")]
        pub struct $columns { $($column: <$cell as $crate::tables::cell::Cell>::Column),+ }

        impl $crate::tables::table::Table for $table {
            const NAME: &'static str = $name;
            type Row<'a> = $row<'a>;
            type Builders = $builders;
            type Columns = $columns;

            fn columns() -> Vec<$crate::tables::table::Column> {
                use $crate::tables::cell::Cell;
                vec![$($crate::tables::table::Column {
                    name: stringify!($column),
                    data_type: <$cell>::data_type(),
                    nullable: <$cell>::NULLABLE,
                }),+]
            }

            fn builders() -> $builders {
                use $crate::tables::cell::Cell;
                $builders { $($column: <$cell>::builder()),+ }
            }

            fn push(builders: &mut $builders, row: &$row<'_>) -> Option<usize> {
                use $crate::tables::cell::Cell;
                let mut bytes = 0;
                $(bytes += <$cell>::push(&mut builders.$column, row.$column)?;)+
                Some(bytes)
            }

            fn finish(builders: &mut $builders) -> Vec<arrow_array::ArrayRef> {
                use $crate::tables::cell::Cell;
                vec![$(<$cell>::finish(&mut builders.$column)),+]
            }

            fn read(batch: &arrow_array::RecordBatch) -> tegula::error::Result<$columns> {
                Ok($columns {
                    $($column: $crate::tables::table::column::<$cell>(batch, stringify!($column))?),+
                })
            }

            fn row(columns: &$columns, row: usize) -> $row<'_> {
                use $crate::tables::cell::Cell;
                $row { $($column: <$cell>::get(&columns.$column, row)),+ }
            }

            fn show(row: &$row<'_>, form: $crate::tables::cell::Form, out: &mut String) {
                use $crate::tables::cell::{Cell, Form};
                let mut separator = if form == Form::Json { "{" } else { "" };
                $(
                    out.push_str(separator);
                    if form == Form::Json {
                        out.push_str(concat!("\"", stringify!($column), "\":"));
                    }
                    <$cell>::show(row.$column, form, out);
                    separator = if form == Form::Json { "," } else { "\t" };
                )+
                let _ = separator;
                if form == Form::Json {
                    out.push('}');
                }
            }

            fn parse<'t>(
                builders: &mut $builders,
                cell: &dyn Fn(usize) -> Option<&'t str>,
            ) -> std::result::Result<(), usize> {
                use $crate::tables::cell::Cell;
                let mut place = 0;
                $(
                    if !<$cell>::parse(&mut builders.$column, cell(place)) {
                        return Err(place);
                    }
                    place += 1;
                )+
                let _ = place;
                Ok(())
            }

            fn expected(place: usize) -> &'static str {
                use $crate::tables::cell::Cell;
                [$(<$cell>::EXPECTED),+].get(place).copied().unwrap_or("a value")
            }
        }
    };
}
pub(crate) use table;
