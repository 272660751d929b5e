//! A collection: the inputs of a run as one sequence of records.

mod tables;

use crate::choose::{self, Patterns};
use crate::compress::Compression;
use crate::detect::Kind;
use crate::encoding::{self, Why};
use crate::file_fields;
use crate::folder_keys;
use crate::format::Settings;
use crate::guard::InputGuard;
use crate::limits::Limits;
use crate::memory::Layout;
use crate::option_checks::check;
use crate::options::{FormatName, ReadOptions};
use crate::outputs::identity;
use crate::passed_over::{PassedOver, Tallies, Tally};
use crate::spool::Spooled;
use crate::store::{self, Address, File, Found};
use crate::stream::{FileStream, Opening};
use crate::walk::Walk;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tegula::context::Context;
use tegula::error::{Error, ErrorKind, Result};
use tegula::record::SourceFile;
use tegula::scratch::Scratch;

pub use crate::format::Dialect;
pub use crate::walk::{SkipReason, Skipped};

/// Bytes of text in a chunk: large enough to be worth a thread's while, small enough for a low
/// memory ceiling.
const CHUNK: usize = 1 << 20;

/// The inputs of a run. Files are opened one at a time, when needed.
#[derive(Debug)]
pub struct Collection {
    files: Vec<SourceFile>,
    places: Vec<PathBuf>,
    mail_folders: Vec<PathBuf>,
    guards: Vec<Arc<InputGuard>>,
    kinds: Vec<Kind>,
    skipped: Vec<Skipped>,
    warnings: Vec<String>,
    unmatched: Vec<String>,
    links: Vec<(u32, PathBuf)>,
    settings: Settings,
    folders: Vec<PathBuf>,
    single: bool,
    /// The tables in memory; none if there are files.
    tables: Vec<Arc<Layout>>,
    chunk: usize,
    limits: Limits,
    /// Copies of streams live as long as the collection.
    _spooled: Vec<Spooled>,
    tallies: Arc<Tallies>,
}

/// How a file is read.
#[derive(Debug, Clone, serde::Serialize)]
pub struct FileDescription {
    /// Its path.
    pub path: PathBuf,
    /// Its name in the collection.
    pub name: String,
    /// Bytes on disk.
    pub bytes: u64,
    /// Its format.
    pub format: FormatName,
    /// Its compression.
    pub compression: Compression,
    /// Its encoding, as named in the WHATWG encoding standard; none where texts have their own.
    pub encoding: Option<String>,
    /// How the encoding was determined.
    pub encoding_by: Option<Why>,
    /// Whether it begins with a byte-order mark.
    pub byte_order_mark: bool,
    /// The dialect of a CSV file.
    pub dialect: Option<Dialect>,
}

impl Collection {
    /// Lists the files of `inputs` (files, folders, or `-` for standard input, which is copied to
    /// `scratch_dir`), checks that all can be opened, and determines the format of each. No records
    /// are read yet.
    ///
    /// A format in the options holds for all files. In a folder, files with an unknown extension
    /// are skipped, unless the options also say which files to read. A file that is named itself is
    /// never skipped; if its name does not indicate the format, its content does.
    pub fn open(inputs: &[PathBuf], options: &ReadOptions, scratch_dir: &Path) -> Result<Self> {
        Self::open_in(None, inputs, options, &Scratch::new(scratch_dir, u64::MAX))
    }

    /// The same without the files of another collection; copies of streams count as scratch of the
    /// run.
    ///
    /// # Errors
    /// As [`Self::open`]; if no file remains, or a stream is longer than scratch permits.
    pub fn open_in(
        other: Option<&Self>,
        inputs: &[PathBuf],
        options: &ReadOptions,
        scratch: &Scratch,
    ) -> Result<Self> {
        check(options)?;
        let name_pattern = file_fields::pattern(options)?;
        let named = encoding::by_label(options.encoding())?;
        if inputs.is_empty() {
            return Err(ErrorKind::Usage
                .expected("at least one input")
                .found("none")
                .hint("name files or folders, or `-` for standard input"));
        }
        let mut walk = Walk::of(Patterns::new(options)?);
        walk.others = other
            .iter()
            .flat_map(|other| &other.files)
            .filter_map(|file| identity(&file.path))
            .collect();
        let mut folders = Vec::new();
        let mut spooled = Vec::new();
        let mut stdin = false;
        for input in inputs {
            if input.as_os_str() == "-" {
                if std::mem::replace(&mut stdin, true) {
                    walk.warnings.push("-: named twice, read once".into());
                } else {
                    let copy = Spooled::copy(io::stdin().lock(), Path::new("-"), scratch)?;
                    walk.file(copy.path(), "stdin", options, named)?;
                    spooled.push(copy);
                }
                continue;
            }
            let input = &store::shown(input);
            let prefix = match (input.file_name(), inputs.len()) {
                (Some(name), 2..) => Path::new(name),
                _ => Path::new(""),
            };
            if let Some((root, pattern)) = Address::parse(input).and_then(|place| place.glob()) {
                let (matcher, root) = (choose::of_address(&pattern, input)?, root.path());
                walk.stored_folder(&root, Some(&matcher), Path::new(""), options)?;
                folders.push(root);
                continue;
            }
            let name = input
                .file_name()
                .map(|name| name.to_string_lossy().into_owned());
            match store::find(input)? {
                Found::Folder if store::is_address(input) => {
                    walk.stored_folder(input, None, prefix, options)?;
                    folders.push(input.clone());
                }
                Found::Folder => {
                    walk.folder(input, prefix, options)?;
                    folders.push(input.clone());
                }
                Found::Special => {
                    // A pipe can be read only once, like standard input.
                    let name = name.unwrap_or_else(|| "stream".into());
                    let copy = Spooled::copy(File::open(input)?, input, scratch)?;
                    walk.file(copy.path(), &name, options, named)?;
                    spooled.push(copy);
                }
                Found::File(state) => {
                    let name = name.unwrap_or_else(|| input.to_string_lossy().into_owned());
                    walk.found(input, state);
                    walk.file(input, &name, options, named)?;
                }
            }
        }
        if walk.files.is_empty() && walk.others_found > 0 {
            return Err(ErrorKind::Usage.expected("files other than the inputs").found("only the inputs")
                .at(&inputs[0])
                .hint("a text is not compared with itself; name the files with which to compare the inputs"));
        }
        if walk.files.is_empty() {
            return Err(nothing(&folders, &walk));
        }
        walk.warn_of_packing();
        walk.warn_of_layout();
        if let Some(pattern) = &name_pattern {
            file_fields::check(pattern, walk.files.iter().map(|file| file.name.as_str()))?;
        }
        Ok(Self {
            files: walk.files,
            places: walk.places,
            guards: walk.guards,
            kinds: walk.kinds,
            skipped: walk.skipped,
            warnings: walk.warnings,
            unmatched: walk.patterns.unmatched(),
            links: walk.links,
            mail_folders: walk.mail_folders,
            settings: Settings {
                options: options.clone(),
                encoding: named,
                name_pattern,
            },
            single: inputs.len() == 1 && folders.is_empty(),
            folders,
            tables: Vec::new(),
            chunk: CHUNK,
            limits: Limits::default(),
            _spooled: spooled,
            tallies: Arc::default(),
        })
    }

    /// Whether there is mail of which a text is not all that is compared.
    pub fn parts_mail(&self) -> bool {
        let is_mail = |(format, _): &Kind| format.is_mail();
        self.options().parts_mail() && self.kinds.iter().any(is_mail)
    }

    /// Reads another field of every record.
    pub fn read_field(&mut self, name: &str) {
        let fields = &mut self.settings.options.needs.fields;
        if !fields.iter().any(|field| field == name) {
            fields.push(name.to_owned());
        }
    }

    /// Refuses records that do not fit under the memory ceiling, before they are read completely:
    /// they are bad records.
    #[must_use]
    pub fn within(mut self, context: &Context) -> Self {
        self.limits = Limits::of(context, self.settings.options.needs.characters);
        self
    }

    /// The files of folders that are not read.
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// Other names of files, each with the index of the one that is read; only of documents, see
    /// [`Needs::documents`](crate::options::Needs::documents).
    pub fn links(&self) -> &[(u32, PathBuf)] {
        &self.links
    }

    /// The folders that a Maildir must have even if they are empty, as paths in an output folder.
    pub(crate) fn mail_folders(&self) -> &[PathBuf] {
        &self.mail_folders
    }

    /// Warnings for the user: empty files, files named twice.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Patterns of the options that matched no file of a folder, each after its option as a mark
    /// (see [`tegula::option`]).
    pub fn unmatched(&self) -> &[String] {
        &self.unmatched
    }

    /// The options the collection was opened with.
    pub fn options(&self) -> &ReadOptions {
        &self.settings.options
    }

    /// Whether the input was one file (or standard input), so that the output is also one file.
    pub fn is_single(&self) -> bool {
        self.single
    }

    /// Format and compression of a file; a table in memory is read by columns and rows, as Parquet
    /// is.
    pub fn format(&self, file: u32) -> Option<(FormatName, Compression)> {
        self.kinds.get(file as usize).copied()
    }

    /// Whether a record of a file can be read at its position, without the bytes before it.
    pub(crate) fn can_be_cut(&self, file: u32) -> bool {
        self.format(file).is_some_and(|(format, compression)| {
            format != FormatName::Parquet && compression == Compression::None
        })
    }

    /// The path of each file in an output folder.
    pub fn places(&self) -> &[PathBuf] {
        &self.places
    }

    /// The guard of each file.
    pub fn guards(&self) -> &[Arc<InputGuard>] {
        &self.guards
    }

    /// The files.
    pub(crate) fn list(&self) -> &[SourceFile] {
        &self.files
    }

    /// How files are read.
    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The limits on the size of records.
    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The folders among the inputs.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Bytes of text in a chunk.
    pub(crate) fn chunk(&self) -> usize {
        self.chunk
    }

    /// Smaller chunks, for tests across chunk boundaries.
    #[cfg(test)]
    pub(crate) fn chunked(mut self, bytes: usize) -> Self {
        self.chunk = bytes;
        for layout in &mut self.tables {
            *layout = Arc::new(Layout::new(&layout.table, &self.settings.options, bytes));
        }
        self
    }

    /// Other limits, for tests of long records.
    #[cfg(test)]
    pub(crate) fn limited(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// How a file is read, as far as its beginning determines it.
    pub fn describe(&self, file: u32) -> Result<FileDescription> {
        let (Some(source), Some((format, compression))) =
            (self.files.get(file as usize), self.format(file))
        else {
            return Err(Error::usage(format!(
                "there is no file {file} in the collection"
            )));
        };
        let mut description = FileDescription {
            path: source.path.clone(),
            name: source.name.clone(),
            bytes: source.bytes,
            format,
            compression,
            encoding: None,
            encoding_by: None,
            byte_order_mark: false,
            dialect: None,
        };
        if format != FormatName::Parquet {
            let stream = self.stream(file)?;
            let plan = stream.plan();
            if !plan.encoding.is_bytes {
                description.encoding = Some(plan.encoding.encoding.name().to_owned());
                description.encoding_by = Some(plan.encoding.why);
            }
            description.byte_order_mark = plan.encoding.bom > 0;
            description.dialect = plan.format.dialect().cloned();
        }
        Ok(description)
    }

    /// Opens a file of a byte format.
    pub(crate) fn stream(&self, file: u32) -> Result<FileStream> {
        let source = &self.files[file as usize];
        let (format, compression) = self.kinds[file as usize];
        let guard = &self.guards[file as usize];
        let opening = Opening {
            file,
            guard,
            name: &source.name,
            format,
            compression,
            tallies: &self.tallies,
        };
        FileStream::open(opening, &self.settings, self.limits.clone(), self.chunk)
    }

    /// What was passed over so far, by format.
    pub fn passed_over(&self) -> Vec<PassedOver> {
        let format_of = |file| self.format(file).map(|(format, _)| format);
        self.tallies.passed_over(format_of)
    }

    /// What was passed over and repaired so far in a file.
    pub fn tally(&self, file: u32) -> Option<Tally> {
        self.tallies.of(file)
    }

    /// Takes what another process has passed over and repaired in a file.
    pub fn take_tally(&self, file: u32, tally: &Tally) {
        self.tallies.take(file, tally);
    }

    /// What was repaired so far to read records, in words: for each kind of damage how often, and
    /// where first.
    pub fn repaired(&self) -> Vec<String> {
        let name_of = |file| self.list().get(file as usize).map_or("", |file| &file.name);
        self.tallies.repaired(name_of)
    }

    /// The names of the fields that records get from their files.
    pub(crate) fn file_fields(&self) -> Vec<String> {
        let mut names = file_fields::names(&self.settings);
        for file in self.list() {
            for (key, _) in folder_keys::of(&file.path) {
                if !names.contains(&key) {
                    names.push(key);
                }
            }
        }
        names
    }
}

/// The error for a missing file.
pub(crate) fn no_file(file: u32) -> Error {
    Error::usage(format!("there is no file {file} in the collection"))
}

/// The error if there are no files to read, with advice.
fn nothing(folders: &[PathBuf], walk: &Walk) -> Error {
    let mut known: Vec<&str> = Vec::new();
    for ending in FormatName::ALL
        .iter()
        .flat_map(|format| format.facts().endings)
    {
        // Two formats share one.
        if !known.contains(ending) {
            known.push(ending);
        }
    }
    let endings = format!(
        "the extensions are .{}; name files explicitly to read others with ⟨format⟩",
        known.join(" .")
    );
    let place = folders.first().map_or(Path::new("."), PathBuf::as_path);
    let arrow = walk.skipped.iter().any(|skipped| {
        skipped
            .path
            .extension()
            .is_some_and(|ending| ending == "arrow")
    });
    let data = (walk.skipped.iter()).any(|skipped| skipped.why == SkipReason::Data);
    let archives = !walk.skipped.is_empty()
        && (walk.skipped.iter()).all(|skipped| skipped.why == SkipReason::Archive);
    let (found, hint) = match walk.excluded {
        0 if archives => (
            "archives",
            "unpack them first, and name the folder with their files",
        ),
        0 if arrow => (
            "Arrow files",
            "write them as Parquet first, as in dataset.to_parquet(\"data.parquet\")",
        ),
        0 if data => (
            "data, not documents",
            "name a file itself to compare the texts in it",
        ),
        0 => ("none", &endings[..]),
        _ => (
            "none that ⟨include⟩ and ⟨exclude⟩ admit",
            "a pattern without a slash matches in every folder: '*.jsonl'",
        ),
    };
    ErrorKind::Data
        .expected("at least one file of a known format")
        .found(found)
        .at(place)
        .hint(hint)
}

#[cfg(test)]
#[path = "collection_tests.rs"]
mod tests;
