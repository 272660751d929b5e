//! Looking a text up: which texts may match it, by how many of its features each has.
//!
//! The features of the text that is asked about are taken one after the other, the rarest first. With
//! r features still to come, a text that had none of the earlier ones can share at most these r, or
//! cover what they cover, or weigh what they weigh. Once that is not enough for any text, no new
//! candidates need be taken, and the long lists of common features decide nothing but counts. What a
//! candidate shares is then counted in the two texts ([`Reading::overlap`]), and the measure scores it.
//!
//! [`crate::filter`] asks so of a stream, and [`crate::index`] of segments on disk; only where their
//! lists of features lie differs.

mod method;
mod reader;
mod reading;

pub(crate) use method::{Method, Overlap, Rest, Size};
pub(crate) use reader::{Reader, Room};
pub(crate) use reading::Reading;
