//! What to do with records that cannot be read, or whose ids repeat.

use std::path::{Path, PathBuf};
use tegula::error::{Error, Result};

tegula::options! {
    /// What to do with records that cannot be read.
    pub struct BadRecordOptions under "Input" {
        /// What to do with an unreadable record [default: fail]
        pub on_bad_record: Option<BadRecordPolicy> => "POLICY",

        /// Folder for the bytes of bad records under ⟨on_bad_record=quarantine⟩ [default:
        /// OUTPUT.quarantine]
        #[serde(with = "tegula_io::path::option")]
        pub quarantine: Option<PathBuf> => "DIR",
    }
}

tegula::options! {
    /// What to do with records that cannot be read, or whose ids repeat.
    pub struct RecordOptions under "Input" {
        /// Refuse inputs in which two records have the same id; reads them once more
        pub strict_ids: bool => "",
    }
    blocks before {
        /// What to do with records that cannot be read.
        pub bad: BadRecordOptions,
    }
    besides {}
}

impl BadRecordOptions {
    /// What to do with a record that cannot be read.
    pub fn on_bad_record(&self) -> BadRecordPolicy {
        self.on_bad_record.unwrap_or_default()
    }

    /// The folder for the bytes of bad records: the named one, else one next to the output; empty
    /// if not needed.
    ///
    /// # Errors
    /// A usage error if a folder is named but not needed, or needed but cannot be derived.
    pub fn quarantine_folder(&self, output: Option<&Path>) -> Result<PathBuf> {
        if self.on_bad_record() != BadRecordPolicy::Quarantine {
            if self.quarantine.is_some() {
                return Err(
                    Error::of("⟨quarantine⟩").problem("it needs ⟨on_bad_record=quarantine⟩")
                );
            }
            return Ok(PathBuf::new());
        }
        if let Some(folder) = &self.quarantine {
            return Ok(folder.clone());
        }
        match output {
            Some(output) if output.as_os_str() != "-" => {
                let mut name = output.components().collect::<PathBuf>().into_os_string();
                name.push(".quarantine");
                Ok(name.into())
            }
            _ => Err(Error::of("⟨on_bad_record=quarantine⟩").expected(
                "a folder as ⟨quarantine⟩, as there is no output file to put it next to",
            )),
        }
    }
}

tegula::choices! {
    /// What to do with a record that cannot be read.
    pub enum BadRecordPolicy, by default Fail {
        /// Stop, and name the file and the record
        Fail = "fail",
        /// Skip it, and count it
        Skip = "skip",
        /// Skip it, count it, and save its bytes to a folder
        Quarantine = "quarantine",
    }
}
