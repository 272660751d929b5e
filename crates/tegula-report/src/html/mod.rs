//! Pages: one file each, that opens offline, asks nothing of the network, and reads well on a phone, on paper and in the dark.
//!
//! Everything that comes from a corpus goes through the templates' escaping ([`maud`]); style and script are the page's own, and the
//! page's policy lets no others run. The same input gives the same bytes.

pub mod chart;
mod frame;
pub mod matrix;
pub mod pair;
pub mod plot;
pub mod sides;
pub mod table;
mod text;

pub use frame::{Page, Section};
pub use text::clean;

/// Pieces of a page, one after the other.
pub fn markup(pieces: impl IntoIterator<Item = maud::Markup>) -> maud::Markup {
    maud::html! { @for piece in pieces { (piece) } }
}
