//! Options for TEI files.

use crate::format_name::{FormatName, OfFormats};

tegula::options! {
    /// Options for TEI files.
    pub struct TeiOptions under "TEI files" {
        /// TEI: the element of a document [default: TEI in a teiCorpus, idsText in an idsCorpus,
        /// otherwise the file]
        pub doc_element: Option<String> => "NAME",

        /// TEI: an element to skip, instead of the default ones; may be repeated [default: teiHeader,
        /// idsHeader, standOff, facsimile, note, fw]
        pub skip_element: Vec<String> => "NAME",

        /// TEI: which readings of a choice to use as text [default: corrected]
        pub reading: Option<Reading> => "WHICH",
    }
}

impl OfFormats for TeiOptions {
    const FORMATS: &'static [FormatName] = &[FormatName::Tei];
}

impl TeiOptions {
    /// The elements to skip.
    pub fn skip_elements(&self) -> Vec<String> {
        if self.skip_element.is_empty() {
            SKIPPED.map(str::to_owned).to_vec()
        } else {
            self.skip_element.clone()
        }
    }
}

/// The default elements to skip.
const SKIPPED: [&str; 6] = [
    "teiHeader",
    "idsHeader",
    "standOff",
    "facsimile",
    "note",
    "fw",
];

tegula::choices! {
    /// Which readings of a choice or an apparatus are text.
    pub enum Reading, by default Corrected {
        /// corr, reg and expan
        Corrected = "corrected",
        /// sic, orig and abbr
        Original = "original",
    }
}
