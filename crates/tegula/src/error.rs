//! The library's error type: what kind, where, what was expected, what to do.

use crate::option::{self, Spelling};
use crate::printable;
use serde::{Deserialize, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

/// The result of every fallible call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The kind of error, for callers that handle it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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
    /// The cluster on which texts are compared failed.
    Cluster,
}

/// An error: what it is about, what was expected and found, where, and what to do.
///
/// All texts write options as marks, such as `⟨id_key⟩` or `⟨tokens=found⟩` (see
/// [`option`](mod@crate::option)), because each front end spells them differently.
/// [`fmt::Display`], [`Error::message`] and [`Error::advice`] use the library's spelling, `id_key`
/// and `tokens = found`; front ends use [`Error::spelt`]. Code that derives an error from another
/// changes its parts: [`Error::about`], [`Error::also`], [`Error::at`].
///
/// ```
/// use tegula::Error;
///
/// let error = Error::of("⟨id_key⟩").expected("the name of a field").found("nothing");
/// let error = error.hint("leave out ⟨id_key⟩");
/// assert_eq!(error.to_string(), "id_key: expected the name of a field, found nothing");
/// assert_eq!(error.option(), Some("id_key"));
/// let spelt = error.spelt(&|name, _| format!("--{}", name.replace('_', "-")));
/// assert_eq!(spelt.expected.as_deref(), Some("the name of a field"));
/// assert_eq!(spelt.advice.as_deref(), Some("leave out --id-key"));
/// ```
#[derive(Serialize, Deserialize)]
pub struct Error(Box<Inner>);

#[derive(Debug, Serialize, Deserialize)]
struct Inner {
    kind: ErrorKind,
    subject: Option<Text>,
    problem: Option<Text>,
    expected: Option<Text>,
    found: Option<Text>,
    #[serde(serialize_with = "shown")]
    path: Option<PathBuf>,
    record: Option<u64>,
    hint: Option<Text>,
    enough: Option<u64>,
    #[serde(skip)]
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl ErrorKind {
    /// An error of this kind, by what was expected.
    pub fn expected(self, what: impl fmt::Display) -> Error {
        Error::empty(self).expected(what)
    }
}

/// A text with marks, on one line: line ends, control characters and direction marks of values in it
/// are escapes such as `\u{1b}`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
struct Text {
    marked: String,
    /// The text in the library's spelling, if different.
    plain: Option<String>,
}

impl From<String> for Text {
    fn from(marked: String) -> Self {
        Self::new(marked)
    }
}

impl From<Text> for String {
    fn from(text: Text) -> Self {
        text.marked
    }
}

/// A path that is no Unicode text is sent as it is displayed.
#[expect(clippy::ref_option, reason = "serde passes it so")]
fn shown<S: Serializer>(path: &Option<PathBuf>, to: S) -> Result<S::Ok, S::Error> {
    path.as_deref().map(Path::to_string_lossy).serialize(to)
}

impl Text {
    fn of(text: &str) -> Self {
        Self::new(printable::line(text).into_owned())
    }

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

    fn spelt(&self, spelling: Spelling<'_>) -> String {
        option::spell(&self.marked, spelling).into_owned()
    }
}

/// An error in the spelling of a front end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spelt {
    /// File, record and message, as [`fmt::Display`] writes them.
    pub line: String,
    /// What it is about and what is wrong, without the location.
    pub message: String,
    /// The option at fault, if there is one.
    pub option: Option<String>,
    /// What was expected, if it is said.
    pub expected: Option<String>,
    /// What was found instead, if it is said.
    pub found: Option<String>,
    /// What to do about it, if known.
    pub advice: Option<String>,
}

impl Error {
    fn empty(kind: ErrorKind) -> Self {
        Self(Box::new(Inner {
            kind,
            subject: None,
            problem: None,
            expected: None,
            found: None,
            path: None,
            record: None,
            hint: None,
            enough: None,
            source: None,
        }))
    }

    /// An error of `kind`; `message` states what is wrong, in lower case without a final period.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self::empty(kind).problem(message.into())
    }

    /// A usage error about an option (a mark, followed by the value given, if it helps) or a field
    /// of a recipe (`keys.bands`).
    pub fn of(subject: impl fmt::Display) -> Self {
        let subject = subject.to_string();
        Self::empty(ErrorKind::Usage).about(|_| subject)
    }

    /// Changes what it is about, which the function is given, if it is about something.
    #[must_use]
    pub fn about(mut self, subject: impl FnOnce(Option<&str>) -> String) -> Self {
        let old = self.0.subject.as_ref();
        let new = subject(old.map(|subject| subject.marked.as_str()));
        self.0.subject = Some(Text::of(&new));
        self
    }

    /// Adds what is wrong, where this is not a matter of what was expected.
    #[must_use]
    pub fn problem(mut self, what: impl fmt::Display) -> Self {
        self.0.problem = Some(Text::of(&what.to_string()));
        self
    }

    /// Adds what was expected.
    #[must_use]
    pub fn expected(mut self, what: impl fmt::Display) -> Self {
        self.0.expected = Some(Text::of(&what.to_string()));
        self
    }

    /// Adds what was found.
    #[must_use]
    pub fn found(mut self, what: impl fmt::Display) -> Self {
        self.0.found = Some(Text::of(&what.to_string()));
        self
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
    /// "rename". An error of this type that passed through a reader or writer is returned as it was.
    pub fn io(doing: &str, path: &Path, source: std::io::Error) -> Self {
        use std::io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
        let source = match source.downcast::<Self>() {
            Ok(error) => return error,
            Err(source) => source,
        };
        let error = Self::new(ErrorKind::Io, format!("cannot {doing}: {source}")).at(path);
        let error = match source.kind() {
            StorageFull | QuotaExceeded => {
                error.hint("free some space, or choose another folder with ⟨scratch⟩ or ⟨output⟩")
            }
            FileTooLarge => error.hint(
                "raise the file size limit (ulimit -f), or use a folder on a file system without this limit",
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
        self.0.hint = Some(Text::of(&hint.into()));
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

    /// Adds advice before that which it has.
    #[doc(hidden)]
    #[must_use]
    pub fn first(self, hint: &str) -> Self {
        let all = match &self.0.hint {
            Some(then) => format!("{hint}; or {}", then.marked),
            None => hint.to_owned(),
        };
        self.hint(all)
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

    /// The option or recipe field at fault, if there is one: `id_key`, `keys.bands`.
    pub fn option(&self) -> Option<&str> {
        let subject = &self.0.subject.as_ref()?.marked;
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_.".contains(c);
        option::first(subject).or_else(|| subject.chars().all(fits).then_some(subject.as_str()))
    }

    /// What to do about it, if known, in the library's spelling.
    pub fn advice(&self) -> Option<&str> {
        self.0.hint.as_ref().map(Text::plain)
    }

    /// What it is about and what is wrong, without the location, in the library's spelling.
    pub fn message(&self) -> String {
        self.worded(Text::plain)
    }

    /// Message and advice with options as marks.
    pub fn marked(&self) -> (String, Option<&str>) {
        (
            self.worded(|text| &text.marked),
            self.0.hint.as_ref().map(|hint| hint.marked.as_str()),
        )
    }

    /// The same error without its cause, for what is told of more than once.
    #[must_use]
    pub fn again(&self) -> Self {
        Self(Box::new(Inner {
            subject: self.0.subject.clone(),
            problem: self.0.problem.clone(),
            expected: self.0.expected.clone(),
            found: self.0.found.clone(),
            path: self.0.path.clone(),
            hint: self.0.hint.clone(),
            source: None,
            ..*self.0
        }))
    }

    /// The message, with each part as the function writes it.
    fn worded(&self, write: impl Fn(&Text) -> &str) -> String {
        let Inner {
            subject,
            problem,
            expected,
            found,
            ..
        } = &*self.0;
        let parts = [
            (": ", "", problem),
            (": ", "expected ", expected),
            (", ", "found ", found),
        ];
        let mut out = subject.as_ref().map_or("", &write).to_owned();
        for (separator, word, part) in parts {
            let Some(part) = part else { continue };
            if !out.is_empty() {
                out.push_str(separator);
            }
            out.push_str(word);
            out.push_str(write(part));
        }
        out
    }

    /// The error in the spelling of a front end.
    pub fn spelt(&self, spelling: Spelling<'_>) -> Spelt {
        let spelt = |text: &Option<Text>| text.as_ref().map(|text| text.spelt(spelling));
        let message = option::spell(&self.marked().0, spelling).into_owned();
        let of_option = |name: &str| match &self.0.subject {
            Some(subject) if subject.marked.starts_with(name) => name.to_owned(),
            _ => spelling(name, None),
        };
        Spelt {
            line: format!("{}{message}", Location(self)),
            message,
            option: self.option().map(of_option),
            expected: spelt(&self.0.expected),
            found: spelt(&self.0.found),
            advice: spelt(&self.0.hint),
        }
    }
}

/// Displays the location of an error, before the message.
struct Location<'a>(&'a Error);

impl fmt::Display for Location<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = self.0.path() {
            write!(f, "{}: ", printable::path(path))?;
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
        let error = ErrorKind::Data
            .expected("a string")
            .found("a number")
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
        let error = Error::of("⟨doc_tag⟩")
            .expected("a tag")
            .at(Path::new("⟨a⟩.vert"))
            .hint("name it with ⟨doc_tag⟩, or ⟨format=text⟩");
        assert_eq!(error.to_string(), "⟨a⟩.vert: doc_tag: expected a tag");
        assert_eq!(
            (error.message().as_str(), error.advice()),
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
        assert_eq!(error.again().marked(), error.marked());
    }

    #[test]
    fn an_error_knows_the_option_at_fault() {
        let of = |subject: &str| Error::of(subject).expected("a number");
        assert_eq!(of("⟨set⟩ a.b").option(), Some("set"));
        assert_eq!(of("keys.bands").option(), Some("keys.bands"));
        assert_eq!(of("field 'x'").option(), None);
        assert_eq!(Error::usage("text: it is wrong").option(), None);
    }

    #[test]
    fn parts_of_an_error_make_its_message() {
        let error = ErrorKind::Data.expected("a string").found(7);
        assert_eq!(error.message(), "expected a string, found 7");
        let error = error.about(|subject| {
            assert_eq!(subject, None);
            "⟨id_key⟩".to_owned()
        });
        let spelt = error.again().spelt(&|name, _| format!("--{name}"));
        assert_eq!(spelt.message, "--id_key: expected a string, found 7");
        assert_eq!(spelt.option.as_deref(), Some("--id_key"));
        assert_eq!(spelt.found.as_deref(), Some("7"));
        let error = Error::of("⟨keep⟩").problem("it keeps none").found("both");
        assert_eq!(error.message(), "keep: it keeps none, found both");
    }
}
