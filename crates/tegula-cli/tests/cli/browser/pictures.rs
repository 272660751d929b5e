//! A picture of each kind of page, in `docs/pictures`, and how high the pages are.
//!
//! `WRITE_PAGES=1 cargo test -p tegula-cli --test cli pictures` writes both. Without it the test compares heights:
//! a page that has become a good deal longer or shorter is looked at again, and its picture with it.

use super::{browser, tegula};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The kinds of pages with the commands that make them, run in a copy of the samples of the guides.
const MADE: [(&str, &[&[&str]]); 9] = [
    (
        "run",
        &[
            &[
                "dedup",
                "shards/",
                "--recipe",
                "revisions",
                "--by",
                "date",
                "--by",
                "source",
                "--run",
                "run",
                "-q",
            ],
            &["report", "run", "-q", "-o", "run.html"],
        ],
    ),
    (
        "pair",
        &[&["compare", "draft.txt", "print.txt", "-o", "pair.html"]],
    ),
    (
        "folder",
        &[&[
            "compare",
            "essays/",
            "--ignore",
            "assignment.docx",
            "--baseline",
            "last-year/",
            "-q",
            "-o",
            "folder.html",
        ]],
    ),
    ("judge", &[&["judge", "run", "-q", "-o", "judge.html"]]),
    (
        "diff",
        &[
            &[
                "dedup", "shards/", "--recipe", "exact", "--run", "other", "-q",
            ],
            &["diff", "run", "other", "--examples", "3", "-o", "diff.html"],
        ],
    ),
    ("sweep", &[&["sweep", "shards/", "-q", "-o", "sweep.html"]]),
    (
        "passages",
        &[&[
            "passages",
            "shards/",
            "--date",
            "date",
            "-q",
            "-o",
            "passages.tsv",
            "--report",
            "passages.html",
        ]],
    ),
    (
        "stories",
        &[&[
            "stories",
            "shards/",
            "--date",
            "date",
            "--by",
            "source",
            "-q",
            "-o",
            "stories.tsv",
            "--report",
            "stories.html",
        ]],
    ),
    (
        "templates",
        &[&[
            "templates",
            "messages.csv",
            "--text-key",
            "body",
            "-q",
            "-o",
            "templates.tsv",
            "--report",
            "templates.html",
        ]],
    ),
];

/// Widths, the scheme of the picture of each, if it has one, and its maximum height.
const VIEWS: [(u32, Option<&str>); 3] = [(390, Some("dark")), (820, None), (1280, Some("light"))];
const HIGHEST: u64 = 1600;
/// Heights may differ by this share: fonts do.
const SLACK: f64 = 0.15;

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let (from, to) = {
            let entry = entry.unwrap();
            (entry.path(), to.join(entry.file_name()))
        };
        if from.is_dir() {
            copy(&from, &to);
        } else {
            std::fs::copy(from, to).unwrap();
        }
    }
}

#[test]
fn pages_look_as_in_their_pictures() {
    let Some(mut browser) = browser() else { return };
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = tempfile::tempdir().unwrap();
    copy(&root.join("testdata/guides"), folder.path());
    let pictures = root.join("docs/pictures");
    let writes = std::env::var_os("WRITE_PAGES").is_some();
    if writes {
        std::fs::create_dir_all(&pictures).unwrap();
    }
    let mut heights = BTreeMap::new();
    for (kind, commands) in MADE {
        for command in commands {
            tegula(folder.path(), command);
        }
        let page = folder.path().join(format!("{kind}.html"));
        for (width, scheme) in VIEWS {
            browser.prefer(scheme.unwrap_or("light"));
            browser.open(&page, width);
            let found = browser.value(
                "[document.documentElement.scrollHeight, document.documentElement.scrollWidth]",
            );
            assert!(
                found[1].as_u64() <= Some(width.into()),
                "{kind} at {width} scrolls sideways: {found}"
            );
            let height = found[0].as_u64().unwrap();
            heights.insert(format!("{kind}\t{width}"), height);
            if let Some(scheme) = scheme.filter(|_| writes) {
                let picture = browser.picture(width, height.min(HIGHEST));
                let picture = STANDARD.decode(picture).unwrap();
                std::fs::write(
                    pictures.join(format!("{kind}-{width}-{scheme}.png")),
                    picture,
                )
                .unwrap();
            }
        }
    }
    let list = pictures.join("heights.tsv");
    if writes {
        let mut out = "page\twidth\theight\n".to_owned();
        for (page, height) in &heights {
            let _ = writeln!(out, "{page}\t{height}");
        }
        std::fs::write(&list, out).unwrap();
        return;
    }
    let known = std::fs::read_to_string(&list).unwrap();
    let known: BTreeMap<String, u64> = known
        .lines()
        .skip(1)
        .map(|line| line.rsplit_once('\t').unwrap())
        .map(|(page, height)| (page.to_owned(), height.parse().unwrap()))
        .collect();
    assert_eq!(
        known.keys().collect::<Vec<_>>(),
        heights.keys().collect::<Vec<_>>()
    );
    let changed: Vec<String> = heights
        .iter()
        .filter(|(page, height)| (**height as f64 / known[*page] as f64 - 1.0).abs() > SLACK)
        .map(|(page, height)| format!("{page}: {} before, {height} now", known[page]))
        .collect();
    assert!(
        changed.is_empty(),
        "look at these pages, and write their pictures (WRITE_PAGES=1):\n{}",
        changed.join("\n")
    );
}
