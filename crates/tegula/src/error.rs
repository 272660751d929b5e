//! The library's error type: what kind, where, what was expected, what to do.

use crate::option::{self, Spelling};
use crate::printable;
use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

/// The result of every fallible call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The kind of error, for callers that handle it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An option or a recipe field has an invalid value; raised before any data is read.
    Usage,
    /// A file could not be opened, read or written.
    Io,
    /// A file or record does not conform to its format.
    Data,
    /// The memory ceiling is below the recipe's minimum.
    Memory,
    /// The scratch ceiling, or the disk behind it, is exhausted.
    Scratch,
    /// A run folder or stage file is missing, damaged, or belongs to another recipe or input.
    Run,
    /// An input has changed since it was first read.
    Changed,
    /// The user interrupted the run.
    Cancelled,
}

/// An error with its location and a remedy.
///
/// Message and advice write options as marks, such as `⟨id_key⟩` or `⟨tokens=found⟩` (see
/// [`option`](mod@crate::option)), because each front end spells them differently.
/// [`fmt::Display`], [`Error::message`] and [`Error::advice`] use the library's spelling, `id_key`
/// and `tokens = found`; front ends use [`Error::spelt`]. Code that derives an error from another
/// must use [`Error::marked`], which keeps the marks.
///
/// ```
/// use tegula::Error;
///
/// let error = Error::usage("⟨id_key⟩: expected the name of a field, found nothing").hint("leave out ⟨id_key⟩");
/// assert_eq!(error.to_string(), "id_key: expected the name of a field, found nothing");
/// assert_eq!(error.option(), Some("id_key"));
/// let spelt = error.spelt(&|name, _| format!("--{}", name.replace('_', "-")));
/// assert_eq!(spelt.advice.as_deref(), Some("leave out --id-key"));
/// ```
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    message: Text,
    path: Option<PathBuf>,
    record: Option<u64>,
    hint: Option<Text>,
    enough: Option<u64>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// A text with marks.
#[derive(Debug)]
struct Text {
    marked: String,
    /// The text in the library's spelling, if different.
    plain: Option<String>,
}

impl Text {
    fn new(marked: String) -> Self {
        let plain = match option::spell(&marked, &option::plain) {
            Cow::Owned(plain) => Some(plain),
            Cow::Borrowed(_) => None,
        };
        Self { marked, plain }
    }

    fn plain(&self) -> &str {
        self.plain.as_ref().unwrap_or(&self.marked)
    }
}

/// An error in the spelling of a front end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spelt {
    /// File, record and message, as [`fmt::Display`] writes them.
    pub line: String,
    /// What was expected and found, without the location.
    pub message: String,
    /// What to do about it, if known.
    pub advice: Option<String>,
}

impl Error {
    /// An error of `kind`; `message` states what was expected and found, in lower case without a
    /// final period, with options as marks. It is one line: line ends, control characters and
    /// direction marks of values in it become escapes such as `\u{1b}`.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let message = Text::new(printable::line(&message.into()).into_owned());
        Self(Box::new(Inner {
            kind,
            message,
            path: None,
            record: None,
            hint: None,
            enough: None,
            source: None,
        }))
    }

    /// An invalid option or recipe field.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, message)
    }

    /// A record or file that does not conform to its format.
    pub fn data(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Data, message)
    }

    /// A failed system call on `path`; `doing` is the attempted operation: "read", "create",
    /// "rename".
    pub fn io(doing: &str, path: &Path, source: std::io::Error) -> Self {
        use std::io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
        let error = Self::new(ErrorKind::Io, format!("cannot {doing}: {source}")).at(path);
        let error = match source.kind() {
            StorageFull | QuotaExceeded => {
                error.hint("free some space, or choose another folder with ⟨scratch⟩ or ⟨output⟩")
            }
            FileTooLarge => error.hint(
                "raise the limit on the size of files (ulimit -f), or that of the file system by another folder",
            ),
            _ => error,
        };
        error.because(source)
    }

    /// Adds the file.
    #[must_use]
    pub fn at(mut self, path: &Path) -> Self {
        self.0.path = Some(path.to_path_buf());
        self
    }

    /// Adds the record, counted from 1 in its file.
    #[must_use]
    pub fn record(mut self, number: u64) -> Self {
        self.0.record = Some(number);
        self
    }

    /// Adds advice, with options as marks; printable as the message is.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(Text::new(printable::line(&hint.into()).into_owned()));
        self
    }

    /// Adds a line of advice to the one that it has.
    #[doc(hidden)]
    #[must_use]
    pub fn also(mut self, hint: &str) -> Self {
        let hint = printable::line(hint);
        let all = match &self.0.hint {
            Some(first) => format!("{}\n{hint}", first.marked),
            None => hint.into_owned(),
        };
        self.0.hint = Some(Text::new(all));
        self
    }

    /// Adds advice to raise the memory ceiling to so many MiB, followed by other advice.
    #[doc(hidden)]
    #[must_use]
    pub fn raise_to(mut self, enough: u64, or: &str) -> Self {
        self.0.enough = Some(enough);
        self.hint(format!("raise ⟨memory⟩ to at least {enough}M{or}"))
    }

    /// The memory ceiling in MiB that it advises, if it does.
    #[doc(hidden)]
    pub fn enough(&self) -> Option<u64> {
        self.0.enough
    }

    /// The same, with a ceiling of at least so many MiB in its advice, if it advises one.
    #[doc(hidden)]
    #[must_use]
    pub fn at_least(mut self, enough: u64) -> Self {
        let (Some(named), Some(hint)) = (self.0.enough, &self.0.hint) else {
            return self;
        };
        if named >= enough {
            return self;
        }
        let hint = hint.marked.replace(
            &format!("at least {named}M"),
            &format!("at least {enough}M"),
        );
        self.0.enough = Some(enough);
        self.hint(hint)
    }

    /// Adds the cause.
    #[must_use]
    pub fn because(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// The kind of error.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The file at fault, if there is one.
    pub fn path(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }

    /// The record at fault, counted from 1 in its file, if there is one.
    pub fn record_number(&self) -> Option<u64> {
        self.0.record
    }

    /// The option or recipe field at fault, if the message begins with one: `⟨id_key⟩: ...`,
    /// `keys.bands: ...`.
    pub fn option(&self) -> Option<&str> {
        let message = &self.0.message.marked;
        option::first(message).or_else(|| {
            let (field, _) = message
                .split_once(": ")
                .filter(|_| self.kind() == ErrorKind::Usage)?;
            let is_name = |name: &str| name.starts_with(|c: char| c.is_ascii_lowercase());
            let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_.".contains(c);
            (is_name(field) && field.chars().all(fits)).then_some(field)
        })
    }

    /// What to do about it, if known, in the library's spelling.
    pub fn advice(&self) -> Option<&str> {
        self.0.hint.as_ref().map(Text::plain)
    }

    /// What was expected and found, without the location, in the library's spelling.
    pub fn message(&self) -> &str {
        self.0.message.plain()
    }

    /// Message and advice with options as marks, to derive another error from them.
    pub fn marked(&self) -> (&str, Option<&str>) {
        (
            &self.0.message.marked,
            self.0.hint.as_ref().map(|hint| hint.marked.as_str()),
        )
    }

    /// The error in the spelling of a front end.
    pub fn spelt(&self, spelling: Spelling<'_>) -> Spelt {
        let (message, advice) = self.marked();
        let message = option::spell(message, spelling).into_owned();
        let advice = advice.map(|advice| option::spell(advice, spelling).into_owned());
        Spelt {
            line: format!("{}{message}", Location(self)),
            message,
            advice,
        }
    }
}

/// Displays the location of an error, before the message.
struct Location<'a>(&'a Error);

impl fmt::Display for Location<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = self.0.path() {
            write!(f, "{}: ", printable::line(&path.to_string_lossy()))?;
        }
        match self.0.record_number() {
            Some(record) => write!(f, "record {record}: "),
            None => Ok(()),
        }
    }
}

/// The kind, the error and its advice, for programs that return it from `main`.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.kind())?;
        self.advice()
            .map_or(Ok(()), |advice| write!(f, " ({advice})"))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", Location(self), self.message())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0
            .source
            .as_ref()
            .map(|s| &**s as &(dyn std::error::Error + 'static))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_file_and_record() {
        let error = Error::data("expected a string, found a number")
            .at(Path::new("a.jsonl"))
            .record(7)
            .hint("name the field");
        assert_eq!(
            error.to_string(),
            "a.jsonl: record 7: expected a string, found a number"
        );
        assert_eq!(error.advice(), Some("name the field"));
    }

    #[test]
    fn values_in_an_error_forge_no_line_and_command_no_terminal() {
        let error = Error::data("expected a date, found `a\u{1b}[2J\nerror: all is lost\u{202e}`")
            .at(Path::new("a\nb\u{9b}.jsonl"))
            .hint("use \u{7f}\r");
        assert_eq!(
            error.to_string(),
            "a\\nb\\u{9b}.jsonl: expected a date, found `a\\u{1b}[2J\\nerror: all is lost\\u{202e}`"
        );
        assert_eq!(error.advice(), Some("use \\u{7f}\\r"));
        assert_eq!(error.path(), Some(Path::new("a\nb\u{9b}.jsonl")));
        assert_eq!(error.spelt(&option::plain).line, error.to_string());
    }

    #[test]
    fn a_front_end_writes_options_in_its_own_words() {
        let error = Error::usage("⟨doc_tag⟩: expected a tag")
            .at(Path::new("⟨a⟩.vert"))
            .hint("name it with ⟨doc_tag⟩, or ⟨format=text⟩");
        assert_eq!(error.to_string(), "⟨a⟩.vert: doc_tag: expected a tag");
        assert_eq!(
            (error.message(), error.advice()),
            (
                "doc_tag: expected a tag",
                Some("name it with doc_tag, or format = text")
            )
        );
        let spelt = error.spelt(&|name, value| format!("{}({})", name, value.unwrap_or_default()));
        assert_eq!(spelt.line, "⟨a⟩.vert: doc_tag(): expected a tag");
        assert_eq!(
            spelt.advice.unwrap(),
            "name it with doc_tag(), or format(text)"
        );
        let (message, advice) = error.marked();
        assert_eq!(
            Error::usage(message).hint(advice.unwrap()).marked(),
            error.marked()
        );
    }

    #[test]
    fn an_error_knows_the_option_at_fault() {
        assert_eq!(
            Error::usage("⟨set⟩ a.b: expected a number").option(),
            Some("set")
        );
        assert_eq!(
            Error::usage("keys.bands: expected a number").option(),
            Some("keys.bands")
        );
        assert_eq!(
            Error::data("text: expected a number").option(),
            None,
            "no option, but what a file holds"
        );
        assert_eq!(Error::usage("expected one of these: a, b").option(), None);
    }
}
