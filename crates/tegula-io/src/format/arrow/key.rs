//! A key: the path of a field in a schema, and its column.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};

/// A wanted column: a top-level name, or a JSON Pointer into structs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    /// As the user wrote it.
    pub(crate) name: String,
    /// The names to follow.
    pub(crate) path: Vec<String>,
}

impl Key {
    pub(crate) fn new(name: &str) -> Self {
        let path = match name.strip_prefix('/') {
            Some(pointer) => pointer
                .split('/')
                .map(|token| token.replace("~1", "/").replace("~0", "~"))
                .collect(),
            None => vec![name.to_owned()],
        };
        Self {
            name: name.to_owned(),
            path,
        }
    }

    /// The field with this key.
    pub(crate) fn field<'s>(&self, schema: &'s Schema) -> Option<&'s Field> {
        let (first, rest) = self.path.split_first()?;
        let find = |fields: &'s arrow_schema::Fields, name: &str| {
            fields.iter().find(|field| field.name() == name)
        };
        rest.iter()
            .try_fold(find(schema.fields(), first)?, |field, name| {
                match field.data_type() {
                    DataType::Struct(fields) => find(fields, name),
                    _ => None,
                }
            })
            .map(AsRef::as_ref)
    }

    /// The column of a batch, with the structs around it: everything inside a null struct is null.
    pub(crate) fn column(&self, batch: &RecordBatch) -> Option<Nested> {
        let (first, rest) = self.path.split_first()?;
        let mut nested = Nested {
            array: Arc::clone(batch.column_by_name(first)?),
            parents: Vec::new(),
        };
        for name in rest {
            let child = Arc::clone(nested.array.as_struct_opt()?.column_by_name(name)?);
            nested
                .parents
                .push(std::mem::replace(&mut nested.array, child));
        }
        Some(nested)
    }
}

/// The names of the columns; with `inner`, including those inside structs, as JSON Pointers.
pub(crate) fn names(schema: &Schema, inner: bool) -> Vec<String> {
    let mut names = Vec::new();
    for field in schema.fields() {
        names.push(field.name().clone());
        if let (DataType::Struct(fields), true) = (field.data_type(), inner) {
            names.extend(
                fields
                    .iter()
                    .map(|within| format!("/{}/{}", field.name(), within.name())),
            );
        }
    }
    names
}

/// A column and the structs around it.
#[derive(Debug)]
pub(crate) struct Nested {
    pub(crate) array: ArrayRef,
    parents: Vec<ArrayRef>,
}

impl Nested {
    /// Whether the row is null, here or in a struct around it.
    pub(crate) fn is_null(&self, row: usize) -> bool {
        self.array.is_null(row) || self.parents.iter().any(|parent| parent.is_null(row))
    }
}
