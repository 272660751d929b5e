//! The inputs of a run: the collection to write back, and the references to compare with.

mod checks;

pub use checks::check;

use super::in_memory;
use crate::describe;
use crate::host::Host;
use crate::mail;
use crate::spec::InputSpec;
use std::path::PathBuf;
use std::sync::Arc;
use tegula::constraint::Constraints;
use tegula::context::Context;
use tegula::date::DateFormat;
use tegula::error::{Error, ErrorKind, Result};
use tegula::field::{Expected, FieldNeed, Holds};
use tegula::index::{Index, References};
use tegula::recipe::Recipe;
use tegula::record::{self, Chunks, Fetched, Source, SourceFile, behind};
use tegula::unit::Units;
use tegula_io::collection::Collection;
use tegula_io::fetch::{self, Wanted};
use tegula_io::guard::InputGuard;
use tegula_io::options::{FormatName, Needs, ReadOptions};
use tegula_io::passed_over::{PassedOver, Tally};
use tegula_io::tables::InputFile;

/// The prefix of the names of reference files, to distinguish them from those of the collection.
const AGAINST: &str = "against/";
/// The maximum number of skipped files listed.
const NAMED: usize = 5;

/// The collection and the references, as one sequence of records with references last.
pub struct Inputs {
    /// The collection to write back.
    pub main: Collection,
    references: Option<Collection>,
    /// References in indexes; their files come last.
    indexed: Vec<References>,
    files: Vec<SourceFile>,
    needs: Vec<FieldNeed>,
    dates: DateFormat,
}

/// By index, the numbers of records; none for all, where the index cannot tell.
pub(crate) type InIndexes = Vec<Option<Vec<u64>>>;

impl Inputs {
    /// Lists and opens all files. No records are read yet, but standard input is copied to scratch.
    ///
    /// # Errors
    /// If an option is invalid or a file cannot be opened.
    pub(crate) fn open(host: &Host, spec: &InputSpec) -> Result<Self> {
        let InputSpec {
            paths: inputs,
            against,
            tables,
            against_tables,
            read: options,
            ..
        } = spec;
        let context = &host.context;
        if inputs.is_empty() && tables.is_empty() {
            return Err(ErrorKind::Usage
                .expected("at least one input")
                .found("none")
                .hint("name files or folders, or - for standard input"));
        }
        if against.iter().any(|path| path.as_os_str() == "-") {
            return Err(Error::of("⟨against⟩")
                .expected("a file or folder")
                .found("standard input"));
        }
        let scratch = &context.scratch;
        let main = in_memory::collection(None, (inputs, tables), options, scratch)?.within(context);
        let mut files = main.files().to_vec();
        let (in_indexes, against): (Vec<_>, Vec<_>) = against
            .iter()
            .cloned()
            .partition(|path| Index::is_one(path));
        let renamed = |file: &SourceFile| SourceFile {
            name: format!("{AGAINST}{}", file.name),
            ..file.clone()
        };
        let references = if against.is_empty() && against_tables.is_empty() {
            None
        } else {
            // The limit applies only to the collection, and references are not written back.
            let options = ReadOptions {
                limit: None,
                needs: Needs {
                    whole_rows: false,
                    ..options.needs.clone()
                },
                ..options.clone()
            };
            let references =
                in_memory::collection(Some(&main), (&against, against_tables), &options, scratch)?
                    .within(context);
            in_memory::check_names(&main, &references)?;
            files.extend(references.files().iter().map(renamed));
            Some(references)
        };
        let indexed = in_indexes
            .iter()
            .map(|path| {
                let index = Arc::new(Index::open(path, context)?);
                References::all(index, main.field_names())
            })
            .collect::<Result<Vec<_>>>()?;
        files.extend(indexed.iter().flat_map(Source::files).map(renamed));
        let inputs = Self {
            main,
            references,
            indexed,
            files,
            needs: Vec::new(),
            dates: options.dates()?,
        };
        inputs.check_patterns(options)?;
        in_memory::check_options(inputs.collections(), options)?;
        Ok(inputs)
    }

    /// Whether texts are in memory, and not kept after the run.
    pub(crate) fn are_in_memory(&self) -> bool {
        self.collections().any(|(all, _)| all.is_in_memory())
    }

    /// Refuses patterns of names that have no effect.
    fn check_patterns(&self, options: &ReadOptions) -> Result<()> {
        let given = options
            .include
            .iter()
            .map(|_| "⟨include⟩")
            .chain(options.exclude.iter().map(|_| "⟨exclude⟩"))
            .next();
        let Some(option) = given else { return Ok(()) };
        let collections: Vec<&Collection> = std::iter::once(&self.main)
            .chain(&self.references)
            .collect();
        if collections
            .iter()
            .all(|collection| collection.folders().is_empty())
        {
            return Err(Error::of(option).expected("a folder among the inputs").found("files only")
                .hint("patterns select from the files in folders; files that are named explicitly are always read"));
        }
        let unmatched = |pattern: &&String| {
            collections
                .iter()
                .all(|collection| collection.unmatched().contains(pattern))
        };
        match self.main.unmatched().iter().find(unmatched) {
            Some(pattern) => Err(Error::of(pattern)
                .expected("a pattern that matches a file")
                .found("one that matches none")
                .hint("a pattern without a slash matches in every folder, one with a slash is relative to the named folder: 'data/*.jsonl'; ** stands for any folders")),
            None => Ok(()),
        }
    }

    /// The collection and the references, each with the index of its first file.
    pub(crate) fn collections(&self) -> impl Iterator<Item = (&Collection, u32)> {
        let after = self.main.files().len() as u32;
        std::iter::once((&self.main, 0)).chain(self.references.iter().map(move |it| (it, after)))
    }

    /// The number of files that are not those of indexes.
    fn plain_files(&self) -> u32 {
        (self.files.len() - self.indexed.len()) as u32
    }

    /// The records of indexes that may match a text of a source under this recipe.
    ///
    /// # Errors
    /// Errors of the texts; if an index is damaged.
    pub(crate) fn ask_indexes(
        &self,
        context: &Context,
        source: &dyn Source,
        recipe: &Recipe,
    ) -> Result<InIndexes> {
        let indexed = self.indexed.iter();
        indexed
            .map(|index| index.candidates(context, source, recipe))
            .collect()
    }

    /// Leaves out all other records of indexes.
    pub(crate) fn keep_of_indexes(&self, of_indexes: &InIndexes) {
        for (index, numbers) in self.indexed.iter().zip(of_indexes) {
            if let Some(numbers) = numbers {
                index.keep(numbers.clone());
            }
        }
    }

    /// References in indexes.
    pub(super) fn indexes(&self) -> impl Iterator<Item = &References> {
        self.indexed.iter()
    }

    /// Whether references are in indexes.
    pub(crate) fn has_indexes(&self) -> bool {
        !self.indexed.is_empty()
    }

    /// The texts of some units, reread; none for a record that no longer exists.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub(crate) fn texts(&self, table: &Units, units: &[u32]) -> Result<Vec<Option<String>>> {
        let mut texts = vec![None; units.len()];
        for (at, unit) in units.iter().enumerate() {
            let record = table.record_of(*unit);
            let Some(index) = table.records.file[record].checked_sub(self.plain_files()) else {
                continue;
            };
            let text = match self.indexed.get(index as usize) {
                Some(index) => index.text(table.records.number[record])?,
                None => None,
            };
            texts[at] = text.map(|text| in_part(table, *unit, text));
        }
        for (collection, first) in self.collections() {
            let count = collection.files().len() as u32;
            let file = |unit: u32| table.records.file[table.record_of(unit)];
            let here: Vec<usize> = (0..units.len())
                .filter(|at| (first..first + count).contains(&file(units[*at])))
                .collect();
            let wanted: Vec<Wanted> = here
                .iter()
                .map(|at| {
                    let record = table.record_of(units[*at]);
                    let file = table.records.file[record] - first;
                    let format = collection.format(file).map(|(format, _)| format);
                    let start = table.records.byte_start[record];
                    let bytes = start..start + table.records.byte_len[record];
                    Wanted {
                        file,
                        number: table.records.number[record],
                        bytes: (format != Some(FormatName::Parquet)).then_some(bytes),
                    }
                })
                .collect();
            for (at, text) in here.into_iter().zip(fetch::texts(collection, &wanted)?) {
                texts[at] = text.map(|text| in_part(table, units[at], text));
            }
        }
        Ok(texts)
    }

    /// The path of each file, references last.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        self.files.iter().map(|file| file.path.clone()).collect()
    }

    /// Makes what messages are besides their text a constraint, if there are any.
    pub(crate) fn keep_mail_apart(&mut self, constraints: &mut Constraints) {
        mail::keep_apart(&mut self.main, constraints);
        if let Some(references) = &mut self.references {
            mail::keep_apart(references, constraints);
            // Both have the same fields.
            if mail::is_kept_apart(constraints) {
                self.main.read_field(ReadOptions::MAIL_APART);
                references.read_field(ReadOptions::MAIL_APART);
            }
        }
    }

    /// Sets the required fields.
    #[must_use]
    pub fn with_needed_fields(self, needs: Vec<FieldNeed>) -> Self {
        Self { needs, ..self }
    }

    /// The required fields, and the format of their dates.
    pub fn needed_fields(&self) -> (&[FieldNeed], &DateFormat) {
        (&self.needs, &self.dates)
    }

    /// The index of the first reference file, if there are references.
    pub fn references_from(&self) -> Option<u32> {
        let are_there = self.references.is_some() || !self.indexed.is_empty();
        are_there.then_some(self.main.files().len() as u32)
    }

    /// The files as they were when opened, to detect later changes.
    pub fn identify(&self) -> Vec<InputFile> {
        self.files
            .iter()
            .zip(self.guards())
            .map(|(file, guard)| InputFile::of(file, guard))
            .chain(
                (self.indexed.iter())
                    .zip(&self.files[self.plain_files() as usize..])
                    .map(|(index, file)| InputFile::of_index(file, index.generation())),
            )
            .collect()
    }

    /// The guard of each file.
    pub fn guards(&self) -> impl Iterator<Item = &Arc<InputGuard>> {
        self.main
            .guards()
            .iter()
            .chain(self.references.iter().flat_map(Collection::guards))
    }

    /// The numbers of files with and without their own tokens.
    pub fn with_own_tokens(&self) -> (usize, usize) {
        let collections = std::iter::once(&self.main).chain(&self.references);
        let formats = collections
            .flat_map(|all| (0..all.files().len() as u32).filter_map(|file| all.format(file)));
        let (own, others): (Vec<_>, Vec<_>) =
            formats.partition(|(format, _)| format.facts().has_tokens);
        (own.len(), others.len())
    }

    /// Whether some file has this format.
    pub fn has(&self, wanted: FormatName) -> bool {
        let collections = std::iter::once(&self.main).chain(&self.references);
        collections
            .flat_map(|all| (0..all.files().len() as u32).filter_map(|file| all.format(file)))
            .any(|(format, _)| format == wanted)
    }

    /// The number of columns of the widest vertical file.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn columns(&self, host: &Host) -> Result<usize> {
        let own = self.main.columns(&host.context)?;
        let references = self.references.as_ref();
        let others = references
            .map(|all| all.columns(&host.context))
            .transpose()?;
        Ok(own.max(others.unwrap_or(0)))
    }

    /// The files in folders that are not read.
    pub fn skipped(&self) -> Vec<String> {
        let all = std::iter::once(&self.main)
            .chain(&self.references)
            .flat_map(Collection::skipped);
        all.map(|skipped| {
            format!(
                "{} ({})",
                skipped.path.display(),
                describe::skipped(skipped.why)
            )
        })
        .collect()
    }

    /// What the files hold besides the records that are compared, as far as they have been read.
    pub fn passed_over(&self) -> Vec<PassedOver> {
        let mut all = self.main.passed_over();
        for over in self.references.iter().flat_map(Collection::passed_over) {
            match all.iter_mut().find(|known| known.format == over.format) {
                Some(known) => known.add(over),
                None => all.push(over),
            }
        }
        all
    }

    /// Issues warnings about what was repaired to read records.
    pub(crate) fn warn_of_repairs(&self, host: &Host) {
        for (collection, _) in self.collections() {
            warn_of_repairs(host, collection);
        }
    }

    /// Issues warnings about the opened files.
    pub fn warn(&self, host: &Host) {
        for collection in std::iter::once(&self.main).chain(&self.references) {
            collection
                .warnings()
                .iter()
                .for_each(|warning| host.warn(warning));
        }
        let skipped = self.skipped();
        if !skipped.is_empty() {
            let more = match skipped.len().saturating_sub(NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let named: Vec<&str> = skipped.iter().take(NAMED).map(String::as_str).collect();
            host.warn(&format!("not read: {}{more}", named.join(", ")));
        }
    }
}

/// Issues warnings about what was repaired to read the records of a collection.
pub(crate) fn warn_of_repairs(host: &Host, collection: &Collection) {
    for repaired in collection.repaired() {
        host.warn(&repaired);
    }
}

impl Source for Inputs {
    fn files(&self) -> &[SourceFile] {
        &self.files
    }

    fn text_bytes(&self) -> u64 {
        let indexed = self.indexed.iter().map(Source::text_bytes).sum::<u64>();
        self.main.text_bytes() + self.references.as_ref().map_or(0, Source::text_bytes) + indexed
    }

    fn field_names(&self) -> &[String] {
        self.main.field_names()
    }

    fn expected(&self, field: &str) -> Expected {
        let mut all = self
            .needs
            .iter()
            .filter(|need| need.name == field)
            .map(|need| &need.holds);
        let holds = all
            .find(|holds| **holds != Holds::Anything)
            .cloned()
            .unwrap_or_default();
        Expected {
            holds,
            dates: self.dates.clone(),
        }
    }

    fn chunks(&self) -> Result<Chunks<'_>> {
        let mut chunks = self.main.chunks()?;
        let mut files = self.main.files().len() as u32;
        for more in self.behind() {
            chunks = behind(chunks, files, more.chunks()?);
            files += more.files().len() as u32;
        }
        Ok(chunks)
    }

    fn fetch<'a>(&'a self, wanted: record::Wanted<'a>) -> Result<Fetched<'a>> {
        let mut fetched = self.main.fetch(wanted)?;
        let mut files = self.main.files().len() as u32;
        for more in self.behind() {
            fetched = fetched.before(files, more.fetch(wanted.behind(files))?);
            files += more.files().len() as u32;
        }
        Ok(fetched)
    }
}

impl Inputs {
    /// The collection of a file, and its index there.
    pub(super) fn of_file(&self, file: u32) -> Option<(&Collection, u32)> {
        let of = |(all, first): (&'_ Collection, u32)| {
            let end = first + all.files().len() as u32;
            (first..end).contains(&file).then(|| file - first)
        };
        self.collections()
            .find_map(|(all, first)| Some((all, of((all, first))?)))
    }

    /// What was passed over and repaired so far in a file.
    pub(crate) fn tally(&self, file: u32) -> Option<Tally> {
        let (collection, file) = self.of_file(file)?;
        collection.tally(file)
    }

    /// Takes what another process has passed over and repaired in a file.
    pub(crate) fn take_tally(&self, file: u32, tally: &Tally) {
        if let Some((collection, file)) = self.of_file(file) {
            collection.take_tally(file, tally);
        }
    }

    /// The references, in the order of their files.
    fn behind(&self) -> impl Iterator<Item = &dyn Source> {
        let references = self.references.iter().map(|all| all as &dyn Source);
        references.chain(self.indexed.iter().map(|index| index as &dyn Source))
    }
}

/// The part of a record's text that a unit is.
fn in_part(table: &Units, unit: u32, text: String) -> String {
    match table.parts.get(unit as usize).map(|part| part.part().text) {
        Some(range) => text.get(range).unwrap_or_default().to_owned(),
        None => text,
    }
}
