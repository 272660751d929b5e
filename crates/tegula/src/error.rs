//! The one error of the library: what kind, where, what was expected, what to do.

use std::fmt;
use std::path::{Path, PathBuf};

/// The result of every fallible call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, for callers that act on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An option or a recipe field has a value that makes no sense; raised before any data is read.
    Usage,
    /// A file could not be opened, read or written.
    Io,
    /// A file or record is not what its format demands.
    Data,
    /// The memory ceiling is below the recipe's minimum.
    Memory,
    /// The scratch ceiling, or the disk behind it, is exhausted.
    Scratch,
    /// A run folder or stage file is missing, damaged, or belongs to another recipe or input.
    Run,
    /// An input is no longer what it was when it was read first.
    Changed,
    /// The user interrupted the run.
    Cancelled,
}

/// An error with its place and its remedy.
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    message: String,
    path: Option<PathBuf>,
    record: Option<u64>,
    hint: Option<String>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// An error of `kind`; `message` says what was expected and what was found, in lower case without a final period.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner { kind, message: message.into(), path: None, record: None, hint: None, source: None }))
    }

    /// A wrong option or recipe field.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, message)
    }

    /// A record or file that is not what its format demands.
    pub fn data(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Data, message)
    }

    /// A failed system call on `path`; `doing` is what was tried: "read", "create", "rename".
    pub fn io(doing: &str, path: &Path, source: std::io::Error) -> Self {
        let full = source.kind() == std::io::ErrorKind::StorageFull;
        let error = Self::new(ErrorKind::Io, format!("cannot {doing}: {source}")).at(path);
        let error = if full { error.hint("free some space, or name another folder with --scratch or -o") } else { error };
        error.because(source)
    }

    /// Names the file.
    #[must_use]
    pub fn at(mut self, path: &Path) -> Self {
        self.0.path = Some(path.to_path_buf());
        self
    }

    /// Names the record, counted from 1 in its file.
    #[must_use]
    pub fn record(mut self, number: u64) -> Self {
        self.0.record = Some(number);
        self
    }

    /// Says what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// Keeps the cause.
    #[must_use]
    pub fn because(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// What went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The file, where one is to blame.
    pub fn path(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }

    /// The record, counted from 1 in its file, where one is to blame.
    pub fn record_number(&self) -> Option<u64> {
        self.0.record
    }

    /// What to do about it, where that is known.
    pub fn advice(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// What was expected and found, without the place.
    pub fn message(&self) -> &str {
        &self.0.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.0.path {
            write!(f, "{}: ", path.display())?;
        }
        if let Some(record) = self.0.record {
            write!(f, "record {record}: ")?;
        }
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_ref().map(|s| &**s as &(dyn std::error::Error + 'static))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_file_and_record() {
        let error = Error::data("expected a string, found a number").at(Path::new("a.jsonl")).record(7).hint("name the field");
        assert_eq!(error.to_string(), "a.jsonl: record 7: expected a string, found a number");
        assert_eq!(error.advice(), Some("name the field"));
    }
}
