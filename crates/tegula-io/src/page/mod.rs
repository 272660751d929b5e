//! Web pages: from the bytes of HTML to its text and metadata.
//!
//! ```text
//! bytes ── charset ──→ HTML ── outline ──→ all text, title, language, date, nesting
//!                        └──── legible ──→ main text, where the nesting allows
//! ```
//!
//! The main text is found by the rules of a browser's reader view (`legible`), which builds a tree:
//! on a page nested more deeply than [`DEEPEST`], or longer than [`LONGEST`], that could take
//! minutes, so all text is used, as on a page without an article. `bench/papers/extraction.md`
//! has the measurements behind the choice.

mod attributes;
mod charset;
pub(crate) mod options;
mod outline;

pub(crate) use charset::decode;
pub(crate) use outline::{Flow, Outline};

use crate::options::PageText;
use encoding_rs::Encoding;
use std::collections::HashMap;
use std::ops::Range;
use tegula::date::DateFormat;
use tegula::error::Result;

/// The nesting of elements beyond which no main text is extracted; browsers render no more than
/// 512.
const DEEPEST: usize = 256;
/// The sum of the depths of all elements, which bounds the steps of a search through ancestors.
const STEPS: u64 = 4_000_000;
/// Bytes of HTML beyond which no main text is extracted.
const LONGEST: usize = 8 << 20;
/// Bytes of memory for each tag while the main text is extracted with a tree. Measured: 100 to 330
/// with the general estimate for each tag.
const TAG: u64 = 200;
/// The minimum number of characters of an article.
const ARTICLE: usize = 250;

/// What a page says.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// Its text: paragraphs with blank lines between them.
    pub(crate) text: String,
    /// Whether that is the main text only.
    pub(crate) is_main: bool,
    /// The parts of the text, in bytes, that are not main text; only of marked text.
    pub(crate) boilerplate: Option<Vec<Range<usize>>>,
    /// Its metadata.
    pub(crate) about: About,
}

/// The metadata of a page.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct About {
    /// Its title.
    pub(crate) title: Option<String>,
    /// Its language, as written.
    pub(crate) language: Option<String>,
    /// Its canonical address.
    pub(crate) url: Option<String>,
    /// When it was published, as written.
    pub(crate) date: Option<String>,
    /// The encoding of its bytes.
    pub(crate) charset: &'static str,
}

/// Bytes of memory that the tree of a page takes, if one is made.
pub(crate) fn burden(bytes: &[u8], wanted: PageText) -> u64 {
    if wanted == PageText::All || bytes.len() > LONGEST {
        return 0;
    }
    TAG * memchr::memchr_iter(b'<', bytes).count() as u64
}

/// The same for a page of which only the length is known, including its bytes: assumes a tag for
/// every 30 of them.
pub(crate) fn burden_of(len: usize, wanted: PageText) -> u64 {
    let tree = if wanted == PageText::All || len > LONGEST {
        0
    } else {
        TAG * len as u64 / 30
    };
    tree + 4 * len as u64
}

/// Reads a page. `label` is the encoding stated by a protocol, `named` the one to assume if there
/// is no evidence.
///
/// # Errors
/// If a tag has an implausible number of attributes.
pub(crate) fn read(
    bytes: &[u8],
    (label, named): (Option<&str>, Option<&'static Encoding>),
    wanted: PageText,
) -> Result<Page> {
    let (html, encoding) = decode(bytes, label, named);
    attributes::check(&html)?;
    let outline = Outline::of(&html);
    let main = (wanted != PageText::All).then(|| main(&html, &outline));
    let main = main.flatten();
    let boilerplate = (wanted == PageText::Marked).then(|| {
        let main = main.as_deref();
        main.map_or_else(Vec::new, |main| around(&outline.text, main))
    });
    let mut about = outline.about;
    about.charset = encoding.name();
    // Pages state their dates in many ways; one that cannot be parsed is ignored.
    about
        .date
        .take_if(|date| DateFormat::default().read(date).moment().is_none());
    Ok(Page {
        is_main: main.is_some(),
        text: main
            .filter(|_| wanted == PageText::Main)
            .unwrap_or(outline.text),
        boilerplate,
        about,
    })
}

/// All text of HTML that is not a page, with quotations written in this way.
///
/// # Errors
/// As [`read`].
pub(crate) fn text_of(html: &str, flow: Flow) -> Result<String> {
    attributes::check(html)?;
    Ok(Outline::with(html, flow).text)
}

/// The main text, if the page has one and its tree can be searched.
fn main(html: &str, outline: &Outline) -> Option<String> {
    if outline.deepest > DEEPEST || outline.steps > STEPS || html.len() > LONGEST {
        return None;
    }
    let options = legible::Options::new().char_threshold(ARTICLE);
    let article = legible::parse(&bare_root(html), None, Some(options)).ok()?;
    let text = Outline::of(&article.content).text;
    (!text.is_empty()).then_some(text)
}

/// The positions of the lines of a page that are not in its main text; each line of the main text
/// is searched for after the one before. Adjacent lines are merged.
fn around(all: &str, main: &str) -> Vec<Range<usize>> {
    let mut wanted = main.lines().filter(|line| !line.is_empty()).peekable();
    // A line of the main text that occurs only earlier in the page would hide all that follow it.
    let mut left: HashMap<&str, usize> = HashMap::new();
    for line in all.lines() {
        *left.entry(line).or_default() += 1;
    }
    let (mut at, mut ranges) = (0, Vec::<Range<usize>>::new());
    for line in all.split_inclusive('\n') {
        let (from, text) = (at, line.trim_end_matches('\n'));
        at += line.len();
        if text.is_empty() {
            continue;
        }
        while wanted
            .next_if(|next| left.get(next).is_none_or(|left| *left == 0))
            .is_some()
        {}
        if let Some(left) = left.get_mut(text) {
            *left -= 1;
        }
        if wanted.next_if_eq(&text).is_some() {
            continue;
        }
        let end = from + text.len();
        match ranges.last_mut() {
            Some(last) if all[last.end..from].trim().is_empty() => last.end = end,
            _ => ranges.push(from..end),
        }
    }
    ranges
}

/// The page without attributes on its root: their names can make a reader view mistake the whole
/// page for a header or a footer.
fn bare_root(html: &str) -> std::borrow::Cow<'_, str> {
    let head = &html.as_bytes()[..html.len().min(16 << 10)];
    let root = head
        .windows(6)
        .position(|tag| tag[..5].eq_ignore_ascii_case(b"<html") && tag[5].is_ascii_whitespace());
    let Some((from, to)) = root.and_then(|at| Some((at + 5, attributes::end(html, at + 1)?)))
    else {
        return html.into();
    };
    [&html[..from], &html[to..]].concat().into()
}

#[cfg(test)]
mod tests;
