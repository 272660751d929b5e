//! The text of HTML without a tree: one pass over its tags, whose cost does not depend on how they
//! nest.

use super::About;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use std::cell::RefCell;
use std::collections::HashMap;

/// What a pass over a page finds.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    /// All text but that of scripts, styles and drawings: paragraphs with blank lines between them.
    pub(crate) text: String,
    /// The metadata of the page.
    pub(crate) about: About,
    /// The maximum nesting of elements, at least.
    pub(crate) deepest: usize,
    /// The sum of the depths of all elements.
    pub(crate) steps: u64,
}

impl Outline {
    /// Reads a page, or a part of one.
    pub(crate) fn of(html: &str) -> Self {
        Self::with(html, Flow::Plain)
    }

    /// The same, with quotations as they are or as in mail.
    pub(super) fn with(html: &str, flow: Flow) -> Self {
        let sink = Sink(RefCell::new(State {
            flow,
            ..State::default()
        }));
        let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
        let queue = BufferQueue::default();
        // Piece by piece, as each is copied.
        for part in pieces(html, 64 << 10) {
            queue.push_back(StrTendril::from_slice(part));
            // The result requests running scripts, or another encoding.
            let _ = tokenizer.feed(&queue);
        }
        tokenizer.end();
        let mut outline = tokenizer.sink.0.into_inner().outline;
        outline.text.truncate(outline.text.trim_end().len());
        outline
    }
}

/// How quotations are written.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    /// As all other text.
    #[default]
    Plain,
    /// With `> ` before each line, as in mail.
    Quoted,
}

/// The maximum nesting of quotations that is distinguished.
const QUOTES: usize = 8;

/// The text in pieces of at most `most` bytes.
fn pieces(text: &str, most: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut end = most.min(rest.len());
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let piece;
        (piece, rest) = rest.split_at(end);
        (!piece.is_empty()).then_some(piece)
    })
}

/// The separator before the next piece of text.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    #[default]
    None,
    Space,
    Line,
    Paragraph,
}

#[derive(Debug, Default)]
struct State {
    outline: Outline,
    gap: Gap,
    /// The element whose content is not text, and how many of its name are open in it.
    hidden: Option<(String, usize)>,
    in_title: bool,
    in_pre: usize,
    flow: Flow,
    quotes: usize,
    /// How many elements of each name are open.
    open: HashMap<String, usize>,
    depth: usize,
}

struct Sink(RefCell<State>);

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut state = self.0.borrow_mut();
        match token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => return state.start(&tag),
            Token::TagToken(tag) => state.end(&tag.name),
            Token::CharacterTokens(text) => state.text(&text),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

/// What an element does to the flow of the text around it.
fn gap(name: &str) -> Gap {
    match name {
        "address" | "article" | "aside" | "blockquote" | "body" | "center" | "details"
        | "dialog" | "dir" | "div" | "dl" | "fieldset" | "figcaption" | "figure" | "footer"
        | "form" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "header" | "hgroup" | "hr"
        | "html" | "legend" | "main" | "menu" | "nav" | "ol" | "p" | "pre" | "search"
        | "section" | "summary" | "table" | "ul" => Gap::Paragraph,
        "br" | "caption" | "dd" | "dt" | "li" | "optgroup" | "option" | "tr" => Gap::Line,
        "td" | "th" => Gap::Space,
        _ => Gap::None,
    }
}

/// Elements that another of their kind or a parent's end closes, and those without content: they do
/// not nest by being left open.
fn closes_itself(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
            | "p"
            | "li"
            | "td"
            | "th"
            | "tr"
            | "dd"
            | "dt"
            | "option"
            | "optgroup"
            | "thead"
            | "tbody"
            | "tfoot"
            | "colgroup"
            | "rp"
            | "rt"
            | "head"
            | "body"
            | "html"
    )
}

impl State {
    fn start(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        let name = &*tag.name;
        self.gap = self.gap.max(gap(name));
        match &mut self.hidden {
            Some((hidden, open)) if hidden == name => *open += usize::from(!tag.self_closing),
            None if matches!(
                name,
                "template" | "svg" | "math" | "object" | "canvas" | "audio" | "video"
            ) && !tag.self_closing =>
            {
                self.hidden = Some((name.to_owned(), 1));
            }
            _ => {}
        }
        self.quotes += usize::from(name == "blockquote");
        if !closes_itself(name) && !tag.self_closing {
            *self.open.entry(name.to_owned()).or_default() += 1;
            self.depth += 1;
            self.outline.deepest = self.outline.deepest.max(self.depth);
        }
        self.outline.steps += self.depth as u64;
        self.about(tag);
        let raw = match name {
            "script" => RawKind::ScriptData,
            "style" | "noscript" | "iframe" | "noembed" | "noframes" | "xmp" => RawKind::Rawtext,
            "title" | "textarea" => RawKind::Rcdata,
            "plaintext" => return TokenSinkResult::Plaintext,
            "pre" => {
                self.in_pre += 1;
                return TokenSinkResult::Continue;
            }
            _ => return TokenSinkResult::Continue,
        };
        if name == "title" {
            self.in_title = true;
        } else if self.hidden.is_none() && name != "xmp" {
            self.hidden = Some((name.to_owned(), 1));
        }
        TokenSinkResult::RawData(raw)
    }

    fn end(&mut self, name: &str) {
        self.gap = self.gap.max(gap(name));
        self.quotes -= usize::from(name == "blockquote" && self.quotes > 0);
        self.in_title &= name != "title";
        self.in_pre -= usize::from(name == "pre" && self.in_pre > 0);
        if let Some((hidden, open)) = &mut self.hidden
            && hidden == name
        {
            *open -= 1;
            if *open == 0 {
                self.hidden = None;
            }
        }
        if let Some(open) = self.open.get_mut(name).filter(|open| **open > 0) {
            *open -= 1;
            self.depth -= 1;
        }
    }

    /// The metadata in a tag.
    fn about(&mut self, tag: &Tag) {
        let value = |name: &str| {
            let found = tag.attrs.iter().find(|attr| &*attr.name.local == name);
            found
                .map(|attr| attr.value.trim())
                .filter(|value| !value.is_empty())
        };
        let is = |name: &str, wanted: &[&str]| {
            value(name).is_some_and(|found| wanted.iter().any(|w| w.eq_ignore_ascii_case(found)))
        };
        let About {
            language,
            url,
            date,
            ..
        } = &mut self.outline.about;
        let (field, found) = match &*tag.name {
            "html" => (language, value("lang").or_else(|| value("xml:lang"))),
            "link" if is("rel", &["canonical"]) => (url, value("href")),
            "meta" if is("property", &["og:url"]) => (url, value("content")),
            "meta"
                if is("property", &["article:published_time"])
                    || is("itemprop", &["datePublished"])
                    || is("name", &["date", "dc.date", "dcterms.date"]) =>
            {
                (date, value("content"))
            }
            _ => return,
        };
        if field.is_none() {
            *field = found.map(str::to_owned);
        }
    }

    fn text(&mut self, text: &str) {
        if self.in_title {
            let title = self.outline.about.title.get_or_insert_default();
            for word in text.split_ascii_whitespace() {
                if !title.is_empty() {
                    title.push(' ');
                }
                title.push_str(word);
            }
            return;
        }
        if self.hidden.is_some() {
            return;
        }
        if self.in_pre > 0 {
            if text.contains(|c: char| !c.is_whitespace()) || self.gap == Gap::None {
                self.fill_gap();
                if self.is_quoted() {
                    let text = text.replace('\n', &format!("\n{}", self.prefix()));
                    self.outline.text.push_str(&text);
                } else {
                    self.outline.text.push_str(text);
                }
            }
            return;
        }
        let space = |c: char| c.is_ascii_whitespace();
        if text.starts_with(space) {
            self.gap = self.gap.max(Gap::Space);
        }
        for word in text.split_ascii_whitespace() {
            self.fill_gap();
            self.outline.text.push_str(word);
            self.gap = Gap::Space;
        }
        if !text.ends_with(space) && self.gap == Gap::Space && text.contains(|c| !space(c)) {
            self.gap = Gap::None;
        }
    }

    fn is_quoted(&self) -> bool {
        self.flow == Flow::Quoted && self.quotes > 0
    }

    /// What begins a line of a quotation.
    fn prefix(&self) -> String {
        "> ".repeat(self.quotes.min(QUOTES))
    }

    fn fill_gap(&mut self) {
        let prefix = (self.is_quoted() && (self.outline.text.is_empty() || self.gap >= Gap::Line))
            .then(|| self.prefix());
        let text = &mut self.outline.text;
        if !text.is_empty() {
            text.push_str(match self.gap {
                Gap::None => "",
                Gap::Space => " ",
                Gap::Line => "\n",
                Gap::Paragraph => "\n\n",
            });
        }
        text.push_str(&prefix.unwrap_or_default());
        self.gap = Gap::None;
    }
}
