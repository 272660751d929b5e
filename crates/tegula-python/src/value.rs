//! Figures as objects of the interpreter.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::Value;

/// The object for a value as JSON has them.
pub(crate) fn python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Null => Ok(py.None().into_bound(py)),
        Value::Bool(truth) => truth.into_bound_py_any(py),
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(number), _) => number.into_bound_py_any(py),
            (_, Some(number)) => number.into_bound_py_any(py),
            _ => number.as_f64().into_bound_py_any(py),
        },
        Value::String(text) => text.into_bound_py_any(py),
        Value::Array(values) => {
            let all = PyList::empty(py);
            for value in values {
                all.append(python(py, value)?)?;
            }
            Ok(all.into_any())
        }
        Value::Object(values) => {
            let all = PyDict::new(py);
            for (name, value) in values {
                all.set_item(name, python(py, value)?)?;
            }
            Ok(all.into_any())
        }
    }
}
