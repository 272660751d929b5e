//! Tables from other libraries by the Arrow C stream interface.

use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods};

/// The name of capsules that hold a stream.
pub(crate) const NAME: &std::ffi::CStr = c"arrow_array_stream";

/// The batches of an object with `__arrow_c_stream__`.
#[expect(
    unsafe_code,
    reason = "the interface passes a C structure by its address"
)]
pub(crate) fn reader(object: &Bound<'_, PyAny>) -> PyResult<RecordBatchStreamReader> {
    let capsule = object.call_method0("__arrow_c_stream__")?;
    let capsule = capsule.cast::<PyCapsule>().map_err(|_| {
        PyTypeError::new_err("__arrow_c_stream__: expected a capsule, found another object")
    })?;
    let pointer = capsule
        .pointer_checked(Some(NAME))?
        .cast::<FFI_ArrowArrayStream>();
    // SAFETY: a capsule of this name holds a stream, which is moved out of it once: what remains is
    // marked as released.
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr()) };
    if stream.release().is_none() {
        return Err(PyValueError::new_err("the Arrow stream was read already"));
    }
    RecordBatchStreamReader::try_new(stream)
        .map_err(|error| PyValueError::new_err(error.to_string()))
}
