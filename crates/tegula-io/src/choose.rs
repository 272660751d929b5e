//! Chooses the files of a folder: those that match the patterns, without files that merely describe
//! a data set.

use crate::detect;
use crate::options::{FormatName, ReadOptions};
use globset::{Glob, GlobBuilder, GlobMatcher};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tegula::error::{Error, ErrorKind, Result};

/// Patterns of names, each with whether any file matched.
#[derive(Debug, Default)]
pub(crate) struct Patterns {
    include: Vec<Pattern>,
    exclude: Vec<Pattern>,
}

#[derive(Debug)]
struct Pattern {
    option: &'static str,
    text: String,
    matcher: GlobMatcher,
    matched: bool,
}

impl Pattern {
    fn new(option: &'static str, text: &str) -> Result<Self> {
        let glob = |text: &str| -> Result<Glob, globset::Error> {
            GlobBuilder::new(text).literal_separator(true).build()
        };
        // A name alone matches in every folder.
        let anywhere = if text.contains('/') {
            text.trim_start_matches('/').to_owned()
        } else {
            format!("**/{text}")
        };
        let glob = glob(&anywhere).map_err(|error| {
            Error::of(option)
                .expected("a pattern such as 'train-*.parquet'")
                .found(format!("'{text}': {}", error.kind()))
        })?;
        Ok(Self {
            option,
            text: text.to_owned(),
            matcher: glob.compile_matcher(),
            matched: false,
        })
    }

    fn matches(&mut self, name: &Path) -> bool {
        let matches = self.matcher.is_match(name);
        self.matched |= matches;
        matches
    }
}

/// The files that a pattern in an address names, by their paths below what comes before it.
///
/// # Errors
/// If it is no pattern.
pub(crate) fn of_address(pattern: &str, address: &Path) -> Result<GlobMatcher> {
    let glob = GlobBuilder::new(pattern).literal_separator(true).build();
    let glob = glob.map_err(|error| {
        ErrorKind::Usage
            .expected("a pattern such as 's3://bucket/train-*.parquet'")
            .found(error.kind())
            .at(address)
    })?;
    Ok(glob.compile_matcher())
}

impl Patterns {
    /// The patterns of the options.
    ///
    /// # Errors
    /// Usage errors that name the option.
    pub(crate) fn new(options: &ReadOptions) -> Result<Self> {
        let all = |option, list: &[String]| {
            list.iter()
                .map(|text| Pattern::new(option, text))
                .collect::<Result<Vec<_>>>()
        };
        Ok(Self {
            include: all("⟨include⟩", &options.include)?,
            exclude: all("⟨exclude⟩", &options.exclude)?,
        })
    }

    /// Whether a file is chosen, by its path below the named folder.
    pub(crate) fn admit(&mut self, name: &Path) -> bool {
        // All patterns are tested, to record which of them match anything.
        let count = |list: &mut [Pattern]| {
            list.iter_mut()
                .filter_map(|pattern| pattern.matches(name).then_some(()))
                .count()
        };
        let included = count(&mut self.include) > 0 || self.include.is_empty();
        count(&mut self.exclude) == 0 && included
    }

    /// The patterns that matched no file, each after its option, as a mark (see
    /// [`tegula::option`]).
    pub(crate) fn unmatched(self) -> Vec<String> {
        let all = self.include.into_iter().chain(self.exclude);
        all.filter(|pattern| !pattern.matched)
            .map(|pattern| format!("{} '{}'", pattern.option, pattern.text))
            .collect()
    }
}

/// The files that describe a data set and contain none of its records: dataset cards, licences, and
/// the JSON files that the Hugging Face libraries write next to the data. `names` are all files of
/// a folder, including hidden ones.
///
/// A card or licence counts as one of the texts if all files are plain texts and nothing indicates
/// a data set.
pub(crate) fn descriptions<'a>(names: impl Iterator<Item = &'a Path> + Clone) -> BTreeSet<PathBuf> {
    let described = |name: &Path| name.with_file_name("dataset_info.json");
    let infos: BTreeSet<PathBuf> = names
        .clone()
        .filter(|name| is_info(name))
        .map(Path::to_path_buf)
        .collect();
    let is_state = |name: &Path| name.ends_with("state.json") && infos.contains(&described(name));
    let of_data = |name: &Path| {
        let (format, _) = detect::by_name(&name.to_string_lossy());
        !infos.contains(name)
            && !is_state(name)
            && format.is_some_and(|format| format != FormatName::Text)
    };
    let is_set = !infos.is_empty()
        || names
            .clone()
            .any(|name| name.ends_with(".gitattributes") || of_data(name));
    names
        .filter(|name| infos.contains(*name) || is_state(name) || (is_set && is_prose(name)))
        .map(Path::to_path_buf)
        .collect()
}

/// Whether a file describes the contents of a data set.
fn is_info(name: &Path) -> bool {
    const INFOS: [&str; 4] = [
        "dataset_info.json",
        "dataset_infos.json",
        "dataset_dict.json",
        "croissant.json",
    ];
    INFOS.iter().any(|info| name.ends_with(info))
}

/// Whether a file is a card, a licence, or other documentation rather than data.
fn is_prose(name: &Path) -> bool {
    const STEMS: [&str; 10] = [
        "readme",
        "license",
        "licence",
        "copying",
        "notice",
        "citation",
        "authors",
        "contributing",
        "changelog",
        "code_of_conduct",
    ];
    let stem = name
        .file_stem()
        .map(|stem| stem.to_string_lossy().to_lowercase());
    let text = name.extension().is_some_and(|ending| {
        ending.eq_ignore_ascii_case("md") || ending.eq_ignore_ascii_case("txt")
    });
    text && stem.is_some_and(|stem| STEMS.contains(&stem.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(names: &[&str]) -> Vec<String> {
        let found = descriptions(names.iter().map(Path::new));
        found
            .into_iter()
            .map(|name| name.display().to_string())
            .collect()
    }

    #[test]
    fn cards_and_descriptions_stand_beside_data() {
        let hub = [
            ".gitattributes",
            "LICENSE.txt",
            "README.md",
            "data/train-00000-of-00002.parquet",
            "dataset_infos.json",
        ];
        assert_eq!(
            described(&hub),
            ["LICENSE.txt", "README.md", "dataset_infos.json"]
        );
        let saved = [
            "dataset_dict.json",
            "train/a.arrow",
            "train/dataset_info.json",
            "train/state.json",
        ];
        assert_eq!(
            described(&saved),
            [
                "dataset_dict.json",
                "train/dataset_info.json",
                "train/state.json"
            ]
        );
        assert_eq!(
            described(&["README.md", ".gitattributes", "train.txt"]),
            ["README.md"]
        );
        assert_eq!(described(&["README.md", "a.jsonl.zst"]), ["README.md"]);
    }

    #[test]
    fn what_only_looks_like_a_description_is_read() {
        assert!(
            described(&["README.md", "notes.md", "b/readme.txt"]).is_empty(),
            "a folder of texts"
        );
        assert!(
            described(&["state.json", "county.json", "readme-first.jsonl"]).is_empty(),
            "records by topic"
        );
    }

    #[test]
    fn names_are_asked_for_in_every_folder_and_paths_below_the_one_named() {
        let admitted = |include: &[&str], exclude: &[&str], name: &str| {
            let list = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
            let options = ReadOptions {
                include: list(include),
                exclude: list(exclude),
                ..ReadOptions::default()
            };
            Patterns::new(&options).unwrap().admit(Path::new(name))
        };
        for (include, exclude, name, expected) in [
            (
                &["train-*.parquet"][..],
                &[][..],
                "data/train-0.parquet",
                true,
            ),
            (&["train-*.parquet"], &[], "data/test-0.parquet", false),
            (&["data/*"], &[], "data/a.jsonl", true),
            (&["data/*"], &[], "data/b/a.jsonl", false),
            (&["data/**"], &[], "data/b/a.jsonl", true),
            (&["/data/*.jsonl"], &[], "data/a.jsonl", true),
            (&["*.{jsonl,csv}"], &["*-dev.*"], "x/a.csv", true),
            (&["*.{jsonl,csv}"], &["*-dev.*"], "x/a-dev.csv", false),
            (&[], &["x/**"], "x/a/b.csv", false),
        ] {
            assert_eq!(
                admitted(include, exclude, name),
                expected,
                "{include:?} {exclude:?} {name}"
            );
        }
        let wrong = ReadOptions {
            include: vec!["[".into()],
            ..ReadOptions::default()
        };
        assert!(
            Patterns::new(&wrong)
                .unwrap_err()
                .message()
                .starts_with("include: ")
        );
    }

    #[test]
    fn patterns_that_match_nothing_are_known() {
        let options = ReadOptions {
            include: vec!["*.csv".into(), "*.jsnl".into()],
            exclude: vec!["b*".into()],
            ..ReadOptions::default()
        };
        let mut patterns = Patterns::new(&options).unwrap();
        assert!(patterns.admit(Path::new("a.csv")));
        assert_eq!(
            patterns.unmatched(),
            ["⟨include⟩ '*.jsnl'", "⟨exclude⟩ 'b*'"]
        );
    }
}
