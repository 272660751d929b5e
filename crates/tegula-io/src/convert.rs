//! stub
use std::borrow::Cow;
/// A value.
pub enum FieldValue<'a> {
    /// null
    Null,
    /// text
    Text(Cow<'a, str>),
    /// json
    Json(Cow<'a, str>),
}
/// Fields.
pub type Fields<'a> = Vec<(Cow<'a, str>, FieldValue<'a>)>;
/// Conversion
pub struct Conversion {
    /// c
    pub column: String,
    /// f
    pub from: String,
    /// t
    pub to: String,
}
