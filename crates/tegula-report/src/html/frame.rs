//! The frame of a page: head, contents, sections, foot.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

use super::clean;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// What the page with pairs to judge also does.
const JUDGE: &str = include_str!("judge.js");
/// What the page of a server also does, and how it looks.
const ASK: &str = include_str!("ask.js");
const ASK_STYLE: &str = include_str!("ask.css");

/// What a page does beside showing something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Nothing.
    Plain,
    /// Pairs are judged on it.
    Judge,
    /// It asks the server that it came from.
    Ask,
}

const COMPLETE: &str = "This file is complete: it needs no network and loads nothing.";
const SERVED: &str = "This page asks only the server that it came from.";

/// A page.
#[derive(Debug)]
pub struct Page {
    /// Its title; also in the window's title.
    pub title: String,
    /// The text below the title.
    pub lead: Markup,
    /// Its sections, in order.
    pub sections: Vec<Section>,
}

/// A section of a page.
#[derive(Debug)]
pub struct Section {
    /// Its id in links; letters and hyphens.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// Its contents.
    pub body: Markup,
}

impl Section {
    /// A section.
    pub fn new(id: &str, title: &str, body: Markup) -> Self {
        Self {
            id: id.to_owned(),
            title: title.to_owned(),
            body,
        }
    }
}

impl Page {
    /// The page as HTML.
    pub fn render(&self) -> String {
        self.render_as(Kind::Plain)
    }

    /// The page as HTML, with what pages of this kind also have.
    pub(crate) fn render_as(&self, kind: Kind) -> String {
        let (own_style, own_script, connect, foot) = match kind {
            Kind::Plain => ("", "", "", COMPLETE),
            Kind::Judge => ("", JUDGE, "", COMPLETE),
            Kind::Ask => (ASK_STYLE, ASK, "connect-src 'self'; ", SERVED),
        };
        let style = format!("{STYLE}{own_style}");
        let script = format!("{SCRIPT}{own_script}");
        // Style and script are allowed by their hashes: anything else that got into the page would
        // not run.
        let policy = format!(
            "default-src 'none'; style-src '{}'; script-src '{}'; {connect}img-src data:; base-uri 'none'; form-action 'none'",
            hash(&style),
            hash(&script)
        );
        let title = &self.title;
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta http-equiv="Content-Security-Policy" content=(policy);
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    meta name="referrer" content="no-referrer";
                    link rel="icon" href="data:,";
                    title { (title) }
                    style { (PreEscaped(&style)) }
                }
                body {
                    a.skip href="#main" { "Skip to the contents" }
                    header {
                        h1 { (title) }
                        (self.lead)
                        p.note.on-paper { "Sections collapsed on the page stay collapsed in print; expand those you want to print." }
                    }
                    @if self.sections.len() > 1 {
                        nav.contents aria-label="Contents" {
                            ul { @for section in &self.sections { li { a href={ "#" (section.id) } { (section.title) } } } }
                        }
                    }
                    main id="main" tabindex="-1" {
                        @for section in &self.sections {
                            section id=(section.id) aria-labelledby={ (section.id) "-head" } {
                                h2 id={ (section.id) "-head" } { (section.title) }
                                (section.body)
                            }
                        }
                    }
                    footer { p { "Made by Tegula " (env!("CARGO_PKG_VERSION")) ". " (foot) } }
                    script { (PreEscaped(&script)) }
                }
            }
        }
        .into_string();
        // Whatever a template has forgotten.
        clean(&page).into_owned()
    }
}

fn hash(text: &str) -> String {
    format!(
        "sha256-{}",
        STANDARD.encode(Sha256::digest(text.as_bytes()))
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_whole_and_escapes_what_it_is_given() {
        let page = Page {
            title: "<script>alert(1)</script>".to_owned(),
            lead: html! { p { "\"onmouseover=" } },
            sections: vec![Section::new(
                "one",
                "A & B",
                html! { p title="\"onmouseover=" { "x" } },
            )],
        };
        let shown = page.render();
        assert!(
            shown.contains("<title>&lt;script&gt;alert(1)&lt;/script&gt;</title>"),
            "{shown}"
        );
        assert!(shown.contains("title=\"&quot;onmouseover=\"") && shown.contains("A &amp; B"));
        assert_eq!(shown.matches("<script").count(), 1);
        // Style and script must not contain anything that would end them early.
        for text in [STYLE, SCRIPT, JUDGE, ASK, ASK_STYLE] {
            assert!(!text.contains("</"));
        }
        assert_eq!(shown, page.render());
        let hostile = Page {
            title: "a\u{1b}[2J\u{202e}".to_owned(),
            lead: html! { p title="\0\u{9b}" { "\u{7f}\r\u{200f}\n\t" } },
            sections: Vec::new(),
        };
        let shown = hostile.render();
        assert!(
            shown.contains("<title>a\\u{1b}[2J\\u{202e}</title>")
                && shown.contains("<p title=\"\\u{0}\\u{9b}\">\\u{7f}\\r\\u{200f}\n\t</p>"),
            "{shown}"
        );
    }

    #[test]
    fn style_and_script_ask_nothing_of_the_network() {
        for text in [STYLE, SCRIPT, JUDGE, ASK_STYLE] {
            for word in [
                "http:",
                "https:",
                "url(",
                "@import",
                "fetch(",
                "XMLHttpRequest",
                "import(",
            ] {
                assert!(!text.contains(word), "{word}");
            }
        }
    }
}
