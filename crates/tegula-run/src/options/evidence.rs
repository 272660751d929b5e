//! Options for the evidence of a run.

use crate::spec::EvidenceSpec;
use std::num::NonZeroU32;
use std::path::PathBuf;
use tegula::field::FieldKey;

tegula::options! {
    /// Options for the evidence of a run, and its summary.
    pub struct EvidenceOptions under "Evidence and summary" {
        /// Write the evidence to this folder: units, groups, pairs, clusters and verdicts as Parquet,
        /// and run.json [default: none]
        #[serde(with = "tegula_io::path::option")]
        pub run: Option<PathBuf> => "DIR",

        /// Resume from the ⟨run⟩ folder, given the same recipe and inputs; start from the beginning if
        /// it holds nothing to resume
        pub resume: bool => "",

        /// Break the summary down by this field: source, or date:year; may be repeated
        pub by: Vec<FieldKey> => "FIELD",

        /// Measure recall: find all matches of N sampled texts with the complete recipe, and report the
        /// share that the keys found
        pub check_recall: Option<NonZeroU32> => "N",
    }
}

impl EvidenceOptions {
    /// The evidence to keep.
    pub fn spec(&self) -> EvidenceSpec {
        EvidenceSpec {
            folder: self.run.clone(),
            resume: self.resume,
            by: self.by.clone(),
            check_recall: self.check_recall.map(NonZeroU32::get),
            ..EvidenceSpec::default()
        }
    }
}
