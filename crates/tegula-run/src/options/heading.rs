//! The headings under which options are listed.

use tegula::declare::Declared;

/// A heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heading {
    /// Its words.
    pub name: &'static str,
    /// The topic under which help has its options.
    pub topic: &'static str,
    /// Whether its options say how texts are read and compared, or how much of the machine is used,
    /// but not what is written or shown.
    pub is_harmless: bool,
}

const fn heading(name: &'static str, topic: &'static str, is_harmless: bool) -> Heading {
    Heading {
        name,
        topic,
        is_harmless,
    }
}

/// All headings, those of a topic one after the other.
const ALL: &[Heading] = &[
    heading("CSV and TSV files", Heading::FORMATS, true),
    heading("Vertical and TEI files", Heading::FORMATS, true),
    heading("Vertical files", Heading::FORMATS, true),
    heading("TEI files", Heading::FORMATS, true),
    heading("Web pages and archives", Heading::FORMATS, true),
    heading("Mail", Heading::FORMATS, true),
    heading("Input", "input", true),
    heading("Output", "output", false),
    heading("Evidence and summary", "output", false),
    heading("Recipe", "recipe", true),
    heading("Which copy is kept", "recipe", true),
    heading("Which pairs count", "recipe", true),
    heading("Machine", "machine", false),
    heading("Configuration", "machine", false),
    heading("Which phrases are listed", "", true),
    heading("Which texts", "", true),
    heading("What counts as a template", "", true),
    heading("Passages", "", true),
    heading("Stories", "", true),
    heading("Sweep", "", true),
    heading("Study", "", true),
    heading("What is kept", "", false),
    heading("Change", "", false),
    heading("Inspect", "", false),
    heading("Question", "", true),
    heading("Index", "", false),
    heading("Server", "", false),
    heading("Limits", "", false),
    heading("Answers", "", false),
    heading("Gold", "", false),
    heading("Judging", "", false),
    heading("Pairs", "", false),
    heading("What is shown", "", false),
];

/// Options whose heading says something else of them.
const OTHERWISE: [(&str, bool); 7] = [
    ("by", true),
    ("check_recall", true),
    ("memory", true),
    ("progress", true),
    ("quarantine", false),
    ("threads", true),
    ("verbose", true),
];

impl Heading {
    /// The topic of what formats have.
    pub const FORMATS: &'static str = "formats";

    /// A heading by its words.
    pub fn named(name: &str) -> Option<&'static Self> {
        ALL.iter().find(|heading| heading.name == name)
    }

    /// The topics, in the order in which they are listed.
    pub fn topics() -> Vec<&'static str> {
        let mut all: Vec<&str> = ALL.iter().map(|heading| heading.topic).collect();
        all.retain(|topic| !topic.is_empty());
        all.dedup();
        all
    }
}

/// Whether a configuration file that was merely found may set an option.
pub(crate) fn is_harmless(option: &Declared) -> bool {
    let otherwise = OTHERWISE.iter().find(|(name, _)| *name == option.name);
    otherwise.map_or_else(
        || Heading::named(option.heading).is_some_and(|heading| heading.is_harmless),
        |(_, is_harmless)| *is_harmless,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands;
    use crate::options::{KeepOptions, PairOptions, RecipeOptions};
    use tegula::declare::Options as _;
    use tegula_io::options::ReadOptions;

    #[test]
    fn every_heading_is_known() {
        for option in commands::all().flat_map(commands::Entry::all_options) {
            let is_plain = ["", "Options"].contains(&option.heading);
            assert!(
                is_plain || Heading::named(option.heading).is_some(),
                "{}: {}",
                option.name,
                option.heading
            );
        }
        assert_eq!(
            Heading::topics(),
            ["formats", "input", "output", "recipe", "machine"]
        );
    }

    #[test]
    fn options_of_reading_and_comparing_are_harmless() {
        let declared = [
            ReadOptions::declared(),
            RecipeOptions::declared(),
            PairOptions::declared(),
            KeepOptions::declared(),
        ];
        for option in declared.iter().flatten() {
            assert!(is_harmless(option), "{}", option.name);
        }
        let dedup = commands::named("dedup").unwrap().all_options();
        for name in [
            "output",
            "run",
            "quarantine",
            "scratch",
            "quiet",
            "overwrite",
        ] {
            let option = dedup.iter().find(|option| option.name == name).unwrap();
            assert!(!is_harmless(option), "{name}");
        }
    }
}
