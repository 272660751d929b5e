//! Records that cannot be read: the run ends at the first, or skips and counts them, or also keeps
//! their bytes.

use crate::host::Host;
use crate::options::BadRecordPolicy;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use tegula::engine::bad_records::BadRecords;
use tegula::error::{Error, Result};
use tegula::record::{BadRecord, SourceFile};
use tegula_io::outputs::{AtomicFile, Outputs, Role};

/// The maximum number of warnings for single bad records.
const NAMED: usize = 5;
/// The list of quarantined records.
const LIST: &str = "records.tsv";

/// Follows the user's policy for bad records, and counts them.
pub struct Bad<'a> {
    policy: BadRecordPolicy,
    quarantine: Option<Quarantine<'a>>,
    skipped_records: Vec<(u32, u64)>,
    first: Vec<String>,
    /// How many records these are.
    named: usize,
    files: &'a [SourceFile],
}

impl<'a> Bad<'a> {
    /// Quarantined bytes are written to a claimed folder; `files` are those of the source.
    pub fn new(
        policy: BadRecordPolicy,
        quarantine: Option<(&Outputs, PathBuf)>,
        files: &'a [SourceFile],
    ) -> Self {
        let keeps = policy == BadRecordPolicy::Quarantine;
        let quarantine = quarantine
            .filter(|_| keeps)
            .map(|(outputs, folder)| Quarantine {
                outputs: outputs.clone(),
                folder,
                files,
                names: quarantined_all(files),
                open: None,
                list: String::from("file\trecord\tbytes\treason\n"),
            });
        Self {
            policy,
            quarantine,
            skipped_records: Vec::new(),
            first: Vec::new(),
            named: 0,
            files,
        }
    }

    /// File and number of each skipped record, in input order.
    pub fn into_skipped(self) -> Vec<(u32, u64)> {
        self.skipped_records
    }

    /// Writes the remaining data and reports the number of skipped records.
    ///
    /// # Errors
    /// If the quarantine cannot be written.
    pub fn finish(&mut self, host: &Host) -> Result<()> {
        self.first.iter().for_each(|line| host.warn(line));
        if self.skipped_records.len() > self.named {
            host.warn(&format!(
                "skipped: {} more",
                self.skipped_records.len() - self.named
            ));
        }
        match &mut self.quarantine {
            Some(quarantine) if !self.skipped_records.is_empty() => quarantine.finish(),
            _ => Ok(()),
        }
    }
}

impl BadRecords for Bad<'_> {
    fn bad(&mut self, file: u32, record: BadRecord) -> Result<()> {
        if self.policy == BadRecordPolicy::Fail {
            let ours = "repair it, or skip such records with ⟨on_bad_record=skip⟩ or quarantine";
            return Err(match record.error.marked().1 {
                Some(advice) if advice.contains("⟨on_bad_record") => record.error,
                _ => record.error.also(ours),
            });
        }
        let before = self.skipped_records.len();
        let is_table = self.files.get(file as usize).is_some_and(is_parquet);
        if is_table {
            // A damaged page costs many rows, which are counted one by one.
            let rows = record.bytes.start + 1..=record.bytes.end;
            self.skipped_records.extend(rows.map(|row| (file, row)));
        } else {
            self.skipped_records.push((file, record.number));
        }
        if self.first.len() < NAMED {
            self.named += self.skipped_records.len() - before;
            // Reported when reading is done, as a line would be lost in a progress bar.
            self.first.push(format!("skipped: {}", record.error));
        }
        match &mut self.quarantine {
            Some(quarantine) => quarantine.take(file as usize, &record),
            None => Ok(()),
        }
    }
}

/// The ending of files whose records are rows, without bytes of their own.
const PARQUET: &str = ".parquet";

fn is_parquet(file: &SourceFile) -> bool {
    file.name.ends_with(PARQUET)
}

/// The name of the file for a file's bad records.
fn quarantined(name: &str) -> PathBuf {
    // Bytes are stored decompressed, so the name must not have the extension of compressed files.
    let name = [".gz", ".zst", ".bz2", ".xz"]
        .iter()
        .find_map(|ending| name.strip_suffix(ending))
        .unwrap_or(name);
    // A row of a Parquet file has no bytes; the reader returns it as JSON.
    let ending = if name.ends_with(PARQUET) {
        ".jsonl"
    } else {
        ""
    };
    format!("{name}{ending}").into()
}

/// The names for the bad records of files, in the same order. Files whose names would otherwise be
/// equal keep their extensions.
fn quarantined_all(files: &[SourceFile]) -> Vec<PathBuf> {
    let mut taken = HashSet::from([PathBuf::from(LIST)]);
    let free = |file: &SourceFile| {
        let mut name = quarantined(&file.name);
        if taken.contains(&name) {
            name = format!("{}.bad", file.name).into();
        }
        while !taken.insert(name.clone()) {
            name.as_mut_os_string().push(".bad");
        }
        name
    };
    files.iter().map(free).collect()
}

/// Claims a folder for the bad records of these files.
///
/// # Errors
/// If it is already read or claimed.
pub fn claim(outputs: &Outputs, folder: &Path, files: &[SourceFile]) -> Result<()> {
    outputs.claim("⟨quarantine⟩", folder, Role::Folder)?;
    outputs.claim_names(
        folder,
        quarantined_all(files).into_iter().chain([LIST.into()]),
    )
}

/// A folder with the bytes of bad records: one file for each input, as if extracted from it, and a
/// list.
struct Quarantine<'a> {
    outputs: Outputs,
    folder: PathBuf,
    files: &'a [SourceFile],
    /// The name for each file's records.
    names: Vec<PathBuf>,
    open: Option<(usize, AtomicFile)>,
    list: String,
}

impl Quarantine<'_> {
    fn take(&mut self, file: usize, record: &BadRecord) -> Result<()> {
        if self.open.as_ref().is_none_or(|(open, _)| *open != file) {
            self.close()?;
            let path = self.folder.join(&self.names[file]);
            self.open = Some((file, self.outputs.create(&path)?));
        }
        if let Some((_, draft)) = &mut self.open {
            draft
                .write_all(&record.raw)
                .map_err(|error| Error::io("write", draft.target(), error))?;
        }
        let cell = |text: &str| text.replace(['\t', '\n', '\r'], " ");
        let _ = writeln!(
            self.list,
            "{}\t{}\t{}\t{}",
            cell(&self.files[file].path.to_string_lossy()),
            record.number,
            record.raw.len(),
            cell(&record.error.message())
        );
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        match self.open.take() {
            Some((_, draft)) => draft.finish(),
            None => Ok(()),
        }
    }

    fn finish(&mut self) -> Result<()> {
        self.close()?;
        self.outputs
            .write(&self.folder.join(LIST), self.list.as_bytes())
    }
}
