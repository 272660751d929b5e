//! The compiled half of the Python package `tegula`: commands of the library, run within the
//! interpreter; Arrow tables in and out; and the features of texts for programs that do more with
//! them. The typed half, and all of its documentation, is in `python/tegula`.

#![expect(
    clippy::needless_pass_by_value,
    reason = "arguments come from the interpreter by value"
)]

mod cluster;
mod command;
mod error;
mod features;
mod index;
mod memory;
mod store;
mod stream;
mod table;
mod value;

use pyo3::prelude::*;

#[pymodule]
fn _tegula(module: &Bound<'_, PyModule>) -> PyResult<()> {
    tegula_cli::prepare();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(command::main, module)?)?;
    module.add_function(wrap_pyfunction!(command::run, module)?)?;
    module.add_function(wrap_pyfunction!(command::command_names, module)?)?;
    module.add_function(wrap_pyfunction!(command::parameters, module)?)?;
    module.add_function(wrap_pyfunction!(memory::columns, module)?)?;
    module.add_function(wrap_pyfunction!(store::is_file, module)?)?;
    module.add_function(wrap_pyfunction!(store::read, module)?)?;
    module.add_function(wrap_pyfunction!(memory::numbered, module)?)?;
    module.add_class::<table::Table>()?;
    module.add_class::<features::Features>()?;
    module.add_class::<features::Join>()?;
    module.add_class::<index::Index>()?;
    module.add_class::<cluster::ClusterWorker>()?;
    module.add_class::<cluster::ClusterTask>()?;
    Ok(())
}
