//! The pages as a browser shows them: they run no script of a corpus, ask nothing of the network,
//! and their search finds.
//!
//! Without Chromium the test is skipped with a word about it, unless `TEGULA_BROWSER_TESTS` is set,
//! as `.ci/run` does.

#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

mod chromium;
mod pictures;
#[cfg(feature = "serve")]
mod served;

use chromium::{Browser, Happened};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const EVIL: [&str; 4] = [
    "<script>alert(1)</script>",
    "\"onmouseover=\"alert(2)\" x=\"",
    "<img src=x onerror=alert(3)>",
    "</style></script><svg/onload=alert(4)><a href=\"javascript:alert(5)\">go</a>",
];

fn tegula(folder: &Path, args: &[&str]) {
    let output = Command::new(env!("CARGO_BIN_EXE_tegula"))
        .current_dir(folder)
        .args(args)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{args:?}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// The browser; none where there is none and none is demanded.
fn browser() -> Option<Browser> {
    if let Some(program) = chromium::program() {
        return Some(Browser::start(&program));
    }
    let demanded = std::env::var_os("TEGULA_BROWSER_TESTS")
        .is_some_and(|value| !value.is_empty() && value != "0");
    assert!(
        !demanded,
        "TEGULA_BROWSER_TESTS is set, and there is no Chromium: install chromium, or name one with CHROMIUM"
    );
    eprintln!("skipped: there is no Chromium; install chromium, or name one with CHROMIUM");
    None
}

/// A collection in which text, ids, fields and the file's name would be markup if they were not
/// escaped.
fn report() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let mut lines = String::new();
    for number in 0..60 {
        let evil = EVIL[number % EVIL.len()];
        let copy = number % 10;
        let text = format!(
            "{evil} text {copy} of several words that stand here again and again {evil} and end {copy}{copy}{copy}"
        );
        let record = json!({"id": format!("{evil}-{number:02}"), "text": text, "source": evil});
        lines.push_str(&record.to_string());
        lines.push('\n');
    }
    let name = "<b onclick=alert(6)>&.jsonl";
    std::fs::write(folder.path().join(name), lines).unwrap();
    tegula(
        folder.path(),
        &[
            "dedup",
            name,
            "-o",
            "out.jsonl",
            "--run",
            "run",
            "--by",
            "source",
            "-q",
        ],
    );
    tegula(folder.path(), &["report", "run", "-o", "report.html"]);
    let page = folder.path().join("report.html");
    (folder, page)
}

#[test]
fn a_report_runs_no_script_of_the_corpus_asks_nothing_and_finds_an_id() {
    let Some(mut browser) = browser() else { return };
    let (_folder, page) = report();
    browser.open(&page, 1200);
    assert_eq!(browser.happened(&page), Happened::default());
    // Events that markup of the corpus would react to.
    browser.value(
        "document.querySelectorAll('*').forEach(at => { for (const kind of ['mouseover', 'click', 'load', 'error']) \
         if (at.tagName !== 'SUMMARY' && at.tagName !== 'A') at.dispatchEvent(new Event(kind)); }), 1",
    );
    assert_eq!(
        browser.value("document.querySelectorAll('main script, main img, svg[onload], [onmouseover], [onclick]').length"),
        0
    );
    let visible = "[...document.querySelectorAll('#verdicts-table tbody tr')].filter(row => row.offsetHeight > 0)";
    assert_eq!(browser.value(&format!("{visible}.length")), 60);
    browser.value("document.querySelector('#verdicts-box').focus()");
    let wanted = format!("{}-13", EVIL[13 % EVIL.len()]);
    browser.type_text(&wanted);
    assert_eq!(
        browser.value(&format!("{visible}.map(row => row.cells[0].textContent)")),
        json!([wanted])
    );
    assert_eq!(browser.happened(&page), Happened::default());
}

#[test]
fn a_report_is_printed_as_it_is_unfolded_with_the_beginnings_of_its_tables() {
    let Some(mut browser) = browser() else { return };
    let (_folder, page) = report();
    browser.open(&page, 800);
    let unfolded = "document.querySelectorAll('details[open]').length";
    let rows = "[...document.querySelectorAll('#verdicts-table tbody tr')].filter(row => row.offsetHeight > 0).length";
    let hint = "document.querySelector('.on-paper').offsetHeight > 0";
    let before = browser.value(unfolded);
    assert_eq!(
        (browser.value(rows), browser.value(hint)),
        (60.into(), false.into())
    );
    browser.print();
    assert_eq!(browser.value(unfolded), before);
    assert_eq!(
        (browser.value(rows), browser.value(hint)),
        (12.into(), true.into())
    );
    // With nothing folded there is nothing to say about it.
    browser.value("document.querySelectorAll('details').forEach(at => at.open = true), 1");
    assert_eq!(browser.value(hint), false);
}

/// Pages of each kind, over texts that would be markup if they were not escaped.
fn pages() -> (TempDir, Vec<PathBuf>) {
    let (folder, report) = report();
    let texts = folder.path().join("texts");
    std::fs::create_dir(&texts).unwrap();
    for (number, evil) in EVIL.iter().enumerate() {
        let name =
            format!("{number}-<img src=x onerror=alert(7)>-a-rather-long-name-of-a-file.txt");
        std::fs::write(
            texts.join(name),
            format!("Words that all of these have in common, and {evil} {number}."),
        )
        .unwrap();
    }
    tegula(
        folder.path(),
        &["compare", "texts", "-o", "texts.html", "-q"],
    );
    let files: Vec<PathBuf> = std::fs::read_dir(&texts)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    let two = [files[0].to_str().unwrap(), files[1].to_str().unwrap()];
    tegula(
        folder.path(),
        &["compare", two[0], two[1], "-o", "two.html"],
    );
    tegula(
        folder.path(),
        &["judge", "run", "--pairs", "5", "-o", "judge.html", "-q"],
    );
    let input = "<b onclick=alert(6)>&.jsonl";
    tegula(
        folder.path(),
        &["dedup", input, "--recipe", "exact", "--run", "other", "-q"],
    );
    tegula(folder.path(), &["diff", "run", "other", "-o", "diff.html"]);
    tegula(folder.path(), &["sweep", input, "-o", "sweep.html", "-q"]);
    let others = [
        "texts.html",
        "two.html",
        "judge.html",
        "diff.html",
        "sweep.html",
    ]
    .map(|name| folder.path().join(name));
    let all = std::iter::once(report).chain(others).collect();
    (folder, all)
}

#[test]
fn pages_have_no_horizontal_scroll_on_a_phone() {
    let Some(mut browser) = browser() else { return };
    let (_folder, pages) = pages();
    for page in pages {
        browser.open(&page, 390);
        let widths = browser.value("[document.documentElement.scrollWidth, innerWidth]");
        assert!(
            widths[0].as_u64() <= widths[1].as_u64(),
            "{}: {widths}",
            page.display()
        );
        assert_eq!(
            browser.happened(&page),
            Happened::default(),
            "{}",
            page.display()
        );
    }
}

/// The rules of axe-core are held to on a phone and on a wide screen, and in both schemes of colours,
/// which do not depend on the width. `TEGULA_AXE` names its script.
#[test]
fn pages_are_accessible() {
    let Some(axe) = std::env::var_os("TEGULA_AXE").filter(|path| !path.is_empty()) else {
        eprintln!("skipped: TEGULA_AXE does not name axe.min.js of axe-core");
        return;
    };
    let Some(mut browser) = browser() else { return };
    let axe = std::fs::read_to_string(axe).unwrap();
    let (_folder, pages) = pages();
    let of_file = |page: &PathBuf| format!("file://{}", page.display());
    #[cfg_attr(not(feature = "serve"), expect(unused_mut, reason = "only files"))]
    let mut pages: Vec<String> = pages.iter().map(of_file).collect();
    #[cfg(feature = "serve")]
    let server = served::Served::start();
    #[cfg(feature = "serve")]
    pages.push(format!("{}#like=1", server.url));
    let mut violations = Vec::new();
    for page in pages {
        for (width, scheme) in [(390, "dark"), (1280, "light")] {
            browser.prefer(scheme);
            // A link within a page that is open would not load it again.
            browser.visit("about:blank", width);
            browser.visit(&page, width);
            browser.value("document.querySelectorAll('details').forEach(at => at.open = true), 1");
            browser.value(&format!("{axe}; 1"));
            let found = browser.value(
                "axe.run(document, {resultTypes: ['violations']}).then(found => found.violations.map(rule => \
                 rule.id + ': ' + rule.nodes.slice(0, 3).map(node => node.html.slice(0, 200) + ' ' + node.failureSummary).join(' | ')))",
            );
            for rule in found.as_array().unwrap() {
                violations.push(format!("{page} at {width}, {scheme}: {rule}"));
            }
        }
    }
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}

#[test]
fn a_cell_of_the_matrix_opens_its_pair() {
    let Some(mut browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let texts = folder.path().join("texts");
    std::fs::create_dir(&texts).unwrap();
    for (name, text) in [
        ("a.txt", "one two three four five six"),
        ("b.txt", "one two three four five seven"),
        ("c.txt", "other words"),
    ] {
        std::fs::write(texts.join(name), text).unwrap();
    }
    tegula(
        folder.path(),
        &["compare", "texts", "-o", "texts.html", "-q"],
    );
    let page = folder.path().join("texts.html");
    browser.open(&page, 1000);
    assert_eq!(
        browser.value("document.querySelector('#pair-1-2').open"),
        false
    );
    browser.value("document.querySelector('.matrix td a').click(), new Promise(done => setTimeout(() => done(1), 300))");
    assert_eq!(
        browser.value("document.querySelector('#pair-1-2').open"),
        true
    );
    assert_eq!(browser.happened(&page), Happened::default());
}

#[test]
fn pairs_are_judged_by_keys_and_clicks_and_answers_outlast_the_page() {
    let Some(mut browser) = browser() else { return };
    let (folder, _) = report();
    tegula(
        folder.path(),
        &["judge", "run", "--pairs", "5", "-o", "judge.html", "-q"],
    );
    let page = folder.path().join("judge.html");
    browser.open(&page, 390);
    let widths = browser.value("[document.documentElement.scrollWidth, innerWidth]");
    assert!(widths[0].as_u64() <= widths[1].as_u64(), "{widths}");
    let visible = "[...document.querySelectorAll('article')].filter(at => at.offsetHeight > 0).map(at => at.id)";
    assert_eq!(browser.value(visible), json!(["pair-1"]));
    let press =
        |key: &str| format!("dispatchEvent(new KeyboardEvent('keydown', {{key: '{key}'}})), 1");
    browser.value(&press("y"));
    assert_eq!(browser.value(visible), json!(["pair-2"]));
    browser.value("document.querySelector('button[data-answer=n]').click(), 1");
    browser.value(&press("?"));
    browser.value(&press("ArrowLeft"));
    assert_eq!(browser.value(visible), json!(["pair-3"]));
    let labels = "[...document.querySelectorAll('article')].map(at => at.dataset.label ?? null)";
    let given = json!(["1", "0", "?", null, null]);
    assert_eq!(browser.value(labels), given);
    // What is saved is a list of labelled pairs.
    let saved = browser.value(
        "new Promise(done => { URL.createObjectURL = blob => { blob.text().then(done); return '#'; }; \
         document.querySelector('.moves button:last-child').click(); })",
    );
    let saved = saved.as_str().unwrap();
    assert_eq!(saved.lines().count(), 3, "{saved}");
    std::fs::write(folder.path().join("answers.jsonl"), saved).unwrap();
    assert_eq!(browser.happened(&page), Happened::default());
    // The browser stores what a page keeps some time after the page is told so.
    let patience = Instant::now() + Duration::from_secs(30);
    browser.open(&page, 1200);
    while browser.value(labels) != given && Instant::now() < patience {
        browser.open(&page, 1200);
    }
    assert_eq!(browser.value(labels), given);
    assert_eq!(browser.value(visible), json!(["pair-4"]));
    assert_eq!(browser.happened(&page), Happened::default());
    tegula(
        folder.path(),
        &["judge", "run", "--answers", "answers.jsonl"],
    );
}
