//! The page of a server.

use super::chromium::{Browser, Happened};
use super::{EVIL, browser};
use crate::rig::{Rig, Server};
use serde_json::json;
use std::fmt::Write as _;

/// A server of an index whose texts and ids would be markup if they were not escaped.
pub(crate) struct Served {
    pub(crate) url: String,
    _server: Server,
    _rig: Rig,
}

/// The text with this number.
fn text(number: usize) -> String {
    let evil = EVIL[number % EVIL.len()];
    let same = "The museum opens a new wing for maps and globes in May, and tickets are sold from April on.";
    format!("{evil} Before it. {same} After it {evil} {}.", number / 4)
}

impl Served {
    pub(crate) fn start() -> Self {
        let rig = Rig::new();
        let mut lines = String::new();
        for number in 0..12 {
            let id = match number {
                1 => "1".to_owned(),
                number => format!("{}-{number}", EVIL[number % EVIL.len()]),
            };
            let record = json!({"id": id, "text": text(number), "source": EVIL[0]});
            let _ = writeln!(lines, "{record}");
        }
        rig.write("in.jsonl", lines);
        rig.ok("index <b>.idx in.jsonl --fields source -q");
        let server = rig.serve("<b>.idx");
        Self {
            url: format!("http://{}/", server.address),
            _server: server,
            _rig: rig,
        }
    }
}

/// Waits until the page has an answer.
const ANSWERED: &str = "new Promise(done => { const look = () => /\\d ms/.test(document.getElementById('ask-said').textContent) ? done(1) : setTimeout(look, 20); look(); })";

/// Asks about a text as a user of a keyboard does.
fn ask(browser: &mut Browser, text: &str) {
    browser.value("document.getElementById('ask-said').textContent = '', document.getElementById('ask-text').focus(), document.getElementById('ask-text').select(), 1");
    browser.type_text(text);
    browser.value("document.getElementById('ask-text').dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', ctrlKey: true, bubbles: true, cancelable: true})), 1");
    browser.value(ANSWERED);
}

#[test]
fn a_text_is_asked_about_and_shown_beside_what_resembles_it() {
    let Some(mut browser) = browser() else { return };
    let server = Served::start();
    for width in [390, 1280] {
        browser.visit(&server.url, width);
        ask(&mut browser, &text(5));
        let matches = browser.value("document.querySelectorAll('.match').length");
        assert!(matches.as_u64() >= Some(3), "{matches}");
        let open = "document.querySelector('.match[open] .beside')";
        let marks = browser.value(&format!("[...{open}.querySelectorAll('div:first-of-type mark')].map(mark => mark.textContent).join('|')"));
        assert!(
            marks
                .as_str()
                .unwrap()
                .contains("The museum opens a new wing"),
            "{marks}"
        );
        // The text beside it is whole, and nothing in it was obeyed.
        let both = browser.value(&format!(
            "[...{open}.querySelectorAll('div')].map(side => side.textContent)"
        ));
        assert_eq!(both, json!([text(5), text(5)]));
        browser.value("document.querySelectorAll('main *').forEach(at => { for (const kind of ['mouseover', 'load', 'error']) at.dispatchEvent(new Event(kind)); }), 1");
        assert_eq!(browser.value("document.querySelectorAll('main script, main img, [onmouseover], main a[href^=javascript]').length"), 0);
        // A passage is lit on both sides.
        browser.value(
            "document.querySelector('.match[open] button[aria-label=\"Next passage\"]').click(), 1",
        );
        assert_eq!(
            browser.value(&format!("{open}.querySelectorAll('mark.lit').length")),
            2
        );
        let widths = browser.value("[document.documentElement.scrollWidth, innerWidth]");
        assert!(widths[0].as_u64() <= widths[1].as_u64(), "{widths}");
        assert_eq!(browser.happened_at(&server.url), Happened::default());
    }
}

#[test]
fn a_link_shows_the_same_result_and_a_text_of_the_index_what_resembles_it() {
    let Some(mut browser) = browser() else { return };
    let server = Served::start();
    browser.visit(&server.url, 820);
    ask(&mut browser, &text(5));
    let result = "document.getElementById('ask-matches').textContent";
    let first = browser.value(result);
    browser.value("document.getElementById('ask-link').click(), new Promise(done => setTimeout(() => done(1), 500))");
    let link = browser.value("location.href");
    assert!(link.as_str().unwrap().contains("#text="), "{link}");
    browser.visit("about:blank", 820);
    browser.visit(link.as_str().unwrap(), 820);
    browser.value(ANSWERED);
    assert_eq!(browser.value(result), first);
    browser.visit("about:blank", 820);
    browser.visit(&format!("{}#like=1", server.url), 820);
    browser.value(ANSWERED);
    assert_eq!(
        browser.value("document.getElementById('ask-text').value"),
        json!(text(1))
    );
    // What resembles nothing has something that is nearest.
    ask(&mut browser, "globes and maps");
    assert_eq!(
        browser.value("document.querySelectorAll('.match').length"),
        0
    );
    browser.value("document.getElementById('ask-said').textContent = '', document.getElementById('ask-nearest').click(), 1");
    browser.value(ANSWERED);
    assert_eq!(
        browser.value("document.getElementById('ask-said').textContent.startsWith('Nothing')"),
        true
    );
    assert_eq!(browser.happened_at(&server.url), Happened::default());
}
