//! A key: the path of a field in a schema, and its column.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};

/// A wanted column: a top-level name, or a JSON Pointer into structs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Key {
    /// As the user wrote it.
    pub(super) name: String,
    /// The names to follow.
    pub(super) path: Vec<String>,
}

impl Key {
    pub(super) fn new(name: &str) -> Self {
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
    pub(super) fn field<'s>(&self, schema: &'s Schema) -> Option<&'s Field> {
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
    pub(super) fn column(&self, batch: &RecordBatch) -> Option<Nested> {
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

/// A column and the structs around it.
#[derive(Debug)]
pub(super) struct Nested {
    pub(super) array: ArrayRef,
    parents: Vec<ArrayRef>,
}

impl Nested {
    /// Whether the row is null, here or in a struct around it.
    pub(super) fn is_null(&self, row: usize) -> bool {
        self.array.is_null(row) || self.parents.iter().any(|parent| parent.is_null(row))
    }
}
