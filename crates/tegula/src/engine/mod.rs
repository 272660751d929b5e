//! The engine.

pub mod block;
pub(crate) mod flow;
pub(crate) mod survey;
