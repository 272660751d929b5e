//! Options for web pages and archives.

use crate::format_name::{FormatName, OfFormats};

tegula::options! {
    /// Options for web pages and archives.
    pub struct PageOptions under "Web pages and archives" {
        /// Web pages: which text to read [default: main]
        pub text: Option<PageText> => "WHICH",
    }
}

impl OfFormats for PageOptions {
    const FORMATS: &'static [FormatName] = &[FormatName::Html, FormatName::Warc];
}

tegula::choices! {
    /// Which text of a web page is read.
    pub enum PageText, by default Main {
        /// The article, without navigation, advertisements and footers; all text if no article is found
        Main = "main",
        /// All that the page shows
        All = "all",
        /// The same, with a field `boilerplate` that lists the spans outside the article
        Marked = "marked",
    }
}
