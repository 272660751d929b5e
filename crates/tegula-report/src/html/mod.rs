//! Pages: one file each, which works offline, without network requests, and reads well on a phone,
//! on paper and in dark mode.
//!
//! All text from a corpus passes through the templates' escaping ([`maud`]), and the finished page
//! through [`clean`], which shows control characters and direction marks as escapes; style and script
//! are built in, and the page's policy lets no others run. The same input gives the same bytes.

pub mod chart;
pub mod curves;
mod frame;
pub mod heat;
pub mod matrix;
pub mod measured;
pub mod name;
pub mod pair;
pub mod plot;
pub mod sides;
pub mod split;
pub mod table;
pub mod timeline;

pub(crate) use frame::Kind;
pub use frame::{Page, Section};
pub use tegula::printable::text as clean;

/// Concatenates pieces of a page.
pub fn markup(pieces: impl IntoIterator<Item = maud::Markup>) -> maud::Markup {
    maud::html! { @for piece in pieces { (piece) } }
}

/// A list of items that unfold: the first few, and the others folded.
pub fn unfolding(items: &[maud::Markup], first: usize, noun: &str) -> maud::Markup {
    let more = items.len().saturating_sub(first) as u64;
    maud::html! {
        @for item in items.iter().take(first) { (item) }
        @if more > 0 {
            details.more { summary { (crate::form::plural(more, &format!("more {noun}"))) } div.inside { @for item in items.iter().skip(first) { (item) } } }
        }
    }
}
