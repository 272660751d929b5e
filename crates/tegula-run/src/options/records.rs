//! What to do with records that cannot be read, or whose ids repeat.

use std::path::PathBuf;

tegula::options! {
    /// What to do with records that cannot be read, or whose ids repeat.
    pub struct RecordOptions under "Input" {
        /// What to do with an unreadable record [default: fail]
        pub on_bad_record: Option<BadRecordPolicy> => "POLICY",

        /// Folder for the bytes of bad records under ⟨on_bad_record=quarantine⟩ [default:
        /// OUTPUT.quarantine]
        #[serde(with = "tegula_io::path::option")]
        pub quarantine: Option<PathBuf> => "DIR",

        /// Refuse inputs in which two records have the same id; reads them once more
        pub strict_ids: bool => "",
    }
}

impl RecordOptions {
    /// What to do with a record that cannot be read.
    pub fn on_bad_record(&self) -> BadRecordPolicy {
        self.on_bad_record.unwrap_or_default()
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
