//! Fields that records get from their file: its location, age and size, and what its name says.
//!
//! Every record has `file.path`, `file.name`, `file.folder`, `file.mtime` and `file.size`; those of
//! plain text, which have no other fields, also without the prefix. Plain text and web pages that
//! state no `date` get the date of their file; where documents of any format are read, so do those
//! that state a date that is none. Keys of folders (`year=2020/`) are
//! fields of records that have none of these names. A pattern with named groups gives more:
//! `(?<paper>T\d+)/(?<month>[A-Z]+)` matches `T03/JUL.31966`, whose record then has the fields
//! `paper` and `month`, instead of its own fields with these names.

use crate::folder_keys;
use crate::format::Settings;
use crate::guard::InputGuard;
use crate::options::{FormatName, ReadOptions};
use regex::Regex;
use tegula::date::DateFormat;
use tegula::error::{Error, Result};
use tegula::record::{Batch, Chunk, LargeRecord, NoDates};

/// The prefix of the names of fields that every record has.
const PREFIX: &str = "file.";
/// The field that is filled from a file if a record does not.
const DATE: &str = "date";
/// The rest of their names.
const NAMES: [&str; 5] = ["path", "name", "folder", "mtime", "size"];

/// The pattern of the options, checked.
///
/// # Errors
/// If it is not a regular expression, or has no named group.
pub(crate) fn pattern(options: &ReadOptions) -> Result<Option<Regex>> {
    let Some(text) = &options.field_from_name else {
        return Ok(None);
    };
    let wrong = |what: String| {
        Error::of("⟨field_from_name⟩").problem(what)
            .hint(r"name a group for each field: '(?<paper>\w+)/(?<month>\w+)' takes two from the path T03/JUL.31966")
    };
    // The parser's message shows the pattern on separate lines.
    let pattern = Regex::new(text).map_err(|error| {
        let message = error.to_string();
        let reason = message
            .lines()
            .last()
            .unwrap_or_default()
            .trim_start_matches("error: ")
            .to_owned();
        wrong(format!(
            "expected a regular expression, found '{text}': {reason}"
        ))
    })?;
    if pattern.capture_names().flatten().next().is_none() {
        return Err(wrong(format!(
            "expected a regular expression with a named group, found '{text}'"
        )));
    }
    Ok(Some(pattern))
}

/// Refuses a pattern that matches the name of no file.
///
/// # Errors
/// Names the pattern and a file.
pub(crate) fn check<'a>(
    pattern: &Regex,
    mut names: impl Iterator<Item = &'a str> + Clone,
) -> Result<()> {
    if names.clone().any(|name| pattern.is_match(name)) {
        return Ok(());
    }
    let first = names.next().unwrap_or_default();
    Err(Error::of("⟨field_from_name⟩")
        .expected("a pattern that matches the name of a file")
        .found(format!("'{pattern}'"))
        .hint(format!(
            "names are relative to the input folder; the first is {first}"
        )))
}

/// The names of the fields that files give to records, for messages.
pub(crate) fn names(settings: &Settings) -> Vec<String> {
    let groups = settings
        .name_pattern
        .iter()
        .flat_map(Regex::capture_names)
        .flatten()
        .map(str::to_owned);
    let date = settings.options.needs.documents.then(|| DATE.to_owned());
    groups
        .chain(NAMES.map(|name| format!("{PREFIX}{name}")))
        .chain(date)
        .collect()
}

/// The fields of one file, by their place among those that are read.
#[derive(Debug, Clone, Default)]
pub(crate) struct FileFields {
    /// Those that replace a record's own.
    own: Vec<(usize, Option<String>)>,
    /// Those of the keys of its folders, which a record gets if it has none.
    folders: Vec<(usize, String)>,
    /// Those of the system that a record gets if it has none.
    missing: Vec<(usize, Option<String>)>,
    /// How dates are written, if a value that is no date counts as none.
    dates: Option<DateFormat>,
}

impl FileFields {
    /// The fields of the file called `name` in its collection.
    pub(crate) fn of(
        name: &str,
        guard: &InputGuard,
        format: FormatName,
        settings: &Settings,
    ) -> Self {
        let groups: Vec<&str> = settings
            .name_pattern
            .iter()
            .flat_map(Regex::capture_names)
            .flatten()
            .collect();
        let captures = settings
            .name_pattern
            .as_ref()
            .and_then(|pattern| pattern.captures(name));
        let (mut fields, mut folders, mut missing) = (Vec::new(), Vec::new(), Vec::new());
        let dates = settings.options.needs.documents
            || matches!(format, FormatName::Text | FormatName::Html)
            || format.is_document();
        for (at, field) in settings.options.needs.fields.iter().enumerate() {
            let own = field
                .strip_prefix(PREFIX)
                .or((format == FormatName::Text).then_some(field));
            if field == ReadOptions::MAIL_APART && !format.is_mail() {
                // Not what a record of data happens to call so.
                fields.push((at, Some(String::new())));
            } else if groups.contains(&field.as_str()) {
                let found = captures.as_ref().and_then(|found| found.name(field));
                fields.push((at, found.map(|found| found.as_str().to_owned())));
            } else if let Some(field) = own.filter(|field| NAMES.contains(field)) {
                fields.push((at, of_system(field, name, guard)));
            } else if let Some(value) = folder_keys::value(guard.path(), field) {
                folders.push((at, value));
            } else if field == DATE && dates {
                missing.push((at, of_system("mtime", name, guard)));
            }
        }
        Self {
            own: fields,
            folders,
            missing,
            // Wrong formats are refused before anything is read.
            dates: settings
                .options
                .needs
                .documents
                .then(|| settings.options.dates().unwrap_or_default()),
        }
    }

    /// Gives the records of a batch their fields, from this one on.
    pub(crate) fn fill(&self, batch: &mut Batch, from: usize) {
        for record in &batch.records[from..] {
            for (at, value) in &self.own {
                batch.fields[record.fields.start + at].clone_from(value);
            }
            for (at, value) in &self.folders {
                let field = &mut batch.fields[record.fields.start + at];
                field.get_or_insert_with(|| value.clone());
            }
            for (at, value) in &self.missing {
                let field = &mut batch.fields[record.fields.start + at];
                let is_wrong = |found: &String| {
                    let dates = self.dates.as_ref();
                    dates.is_some_and(|dates| dates.read(found).moment().is_none())
                };
                if let Some(found) = field.take_if(|found| is_wrong(found)) {
                    batch.no_dates.add(NoDates {
                        count: 1,
                        first: Some(found),
                    });
                }
                if field.is_none() {
                    field.clone_from(value);
                }
            }
        }
    }

    /// A chunk whose records have these fields.
    pub(crate) fn on(&self, chunk: Box<dyn Chunk>) -> Box<dyn Chunk> {
        if self.own.is_empty() && self.folders.is_empty() && self.missing.is_empty() {
            chunk
        } else {
            Box::new(Filled {
                chunk,
                fields: self.clone(),
            })
        }
    }
}

/// What the system reports about a file.
fn of_system(field: &str, name: &str, guard: &InputGuard) -> Option<String> {
    let (folder, last) = name.rsplit_once('/').unwrap_or((".", name));
    match field {
        "path" => Some(name.to_owned()),
        "name" => Some(last.to_owned()),
        "folder" => Some(folder.to_owned()),
        "mtime" => guard.modified().map(|time| time.to_string()),
        _ => Some(guard.bytes().to_string()),
    }
}

/// A chunk whose records have fields of their file.
struct Filled {
    chunk: Box<dyn Chunk>,
    fields: FileFields,
}

impl Chunk for Filled {
    fn file(&self) -> u32 {
        self.chunk.file()
    }

    fn disk_bytes(&self) -> u64 {
        self.chunk.disk_bytes()
    }

    fn large(&self) -> Option<LargeRecord> {
        self.chunk.large()
    }

    fn read(&self, batch: &mut Batch) {
        let from = batch.records.len();
        self.chunk.read(batch);
        self.fields.fill(batch, from);
    }

    fn read_some(&self, wanted: &dyn Fn(u64) -> bool, batch: &mut Batch) {
        let from = batch.records.len();
        self.chunk.read_some(wanted, batch);
        self.fields.fill(batch, from);
    }
}

#[cfg(test)]
mod tests {
    use crate::options::{Needs, ReadOptions};
    use crate::rewrite::tests::bench;

    fn fields(
        file: &str,
        bytes: &[u8],
        asked: &[&str],
        pattern: Option<&str>,
    ) -> Vec<Vec<Option<String>>> {
        let fields = asked.iter().map(ToString::to_string).collect();
        let options = ReadOptions {
            field_from_name: pattern.map(str::to_owned),
            needs: Needs {
                fields,
                ..Needs::default()
            },
            ..ReadOptions::default()
        };
        let batch = bench(file, bytes, &options, 3).read();
        batch
            .records
            .iter()
            .map(|record| batch.fields_of(record).to_vec())
            .collect()
    }

    #[test]
    fn files_give_fields() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            fields(
                "a.txt",
                b"xyz",
                &["name", "size", "file.folder", "other"],
                None
            ),
            [[some("a.txt"), some("3"), some("."), None]]
        );
        let lines = b"{\"text\":\"a\",\"name\":\"own\"}\n{\"text\":\"b\"}\n";
        let found = fields("b.jsonl", lines, &["name", "file.name"], None);
        assert_eq!(
            found,
            [[some("own"), some("b.jsonl")], [None, some("b.jsonl")]]
        );
        let found = fields(
            "T03-JUL.jsonl",
            lines,
            &["paper", "name", "day"],
            Some(r"^(?<paper>T\d+)-(?<name>[A-Z]+)(\.(?<day>\d+))?"),
        );
        assert_eq!(
            found,
            [
                [some("T03"), some("JUL"), None],
                [some("T03"), some("JUL"), None]
            ]
        );
        let time = fields("a.txt", b"x", &["mtime"], None)[0][0]
            .clone()
            .unwrap();
        assert!(time.starts_with("20") && time.ends_with('Z'), "{time}");
    }
}
