//! Tables in memory as inputs and references, and what has no effect on them.

use std::path::PathBuf;
use tegula::error::{Error, ErrorKind, Result};
use tegula::record::Source as _;
use tegula::scratch::Scratch;
use tegula_io::collection::Collection;
use tegula_io::memory::Table;
use tegula_io::options::ReadOptions;

/// Opens files and folders, or tables in memory, as a collection.
///
/// # Errors
/// If there are both; if one cannot be opened.
pub(crate) fn collection(
    other: Option<&Collection>,
    (paths, tables): (&[PathBuf], &[Table]),
    options: &ReadOptions,
    scratch: &Scratch,
) -> Result<Collection> {
    match (paths, tables) {
        (_, []) => Collection::open_in(other, paths, options, scratch),
        ([], _) => Collection::of_tables(tables, options),
        ([path, ..], [table, ..]) => Err(ErrorKind::Usage
            .expected("either files or tables in memory")
            .found(format!(
                "both: {} and the table '{}'",
                path.display(),
                table.name()
            ))
            .hint("read the file into a table, or write the table to a file")),
    }
}

/// Refuses references whose names in messages are those of inputs.
///
/// # Errors
/// Names the table.
pub(super) fn check_names(main: &Collection, references: &Collection) -> Result<()> {
    let mut files = main.files().iter();
    let same = files.find(|file| (references.files().iter()).any(|other| other.path == file.path));
    match same {
        Some(file) if main.is_in_memory() || references.is_in_memory() => Err(ErrorKind::Usage
            .expected("references of other names than the inputs")
            .found(format!("'{}' among both", file.name))),
        _ => Ok(()),
    }
}

/// Refuses options for files if all texts are in memory.
///
/// # Errors
/// Names the option.
pub(super) fn check_options<'c>(
    mut collections: impl Iterator<Item = (&'c Collection, u32)>,
    options: &ReadOptions,
) -> Result<()> {
    let given = [
        ("⟨format⟩", options.format.is_some()),
        ("⟨encoding⟩", options.encoding.is_some()),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        Some((option, _)) if collections.all(|(all, _)| all.is_in_memory()) => {
            Err(Error::of(option)
                .expected("files")
                .found("tables in memory only")
                .hint("leave it out"))
        }
        _ => Ok(()),
    }
}
