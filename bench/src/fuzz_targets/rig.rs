//! What fuzz targets on files have in common: a folder, a file in it, all its records.

use std::path::{Path, PathBuf};
use tegula::context::{Budget, Context};
use tegula::record::{Batch, Source};
use tegula::scratch::Scratch;
use tegula_io::collection::Collection;

pub(super) fn context() -> Context {
    Context::new(1, Budget::MINIMUM, Scratch::system())
}

pub(super) fn folder() -> tempfile::TempDir {
    match tempfile::tempdir() {
        Ok(folder) => folder,
        Err(error) => panic!("no folder for temporary files: {error}"),
    }
}

pub(super) fn write(folder: &Path, name: &str, data: &[u8]) -> PathBuf {
    let path = folder.join(name);
    if let Err(error) = std::fs::write(&path, data) {
        panic!("{error}");
    }
    path
}

pub(super) fn must<T>(result: tegula::Result<T>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{error}"),
    }
}

/// All records; `None` where reading ends with an error.
pub(super) fn read(collection: &Collection) -> Option<Batch> {
    let mut batch = Batch::default();
    for chunk in collection.chunks().ok()? {
        chunk.ok()?.read(&mut batch);
    }
    Some(batch)
}
