//! Values written as text in recipes and JSON, as they are on the command line: for
//! `#[serde(with = "crate::as_text")]`.

use crate::error::Error;
use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::Serializer;
use std::fmt::Display;
use std::str::FromStr;

pub(crate) fn serialize<T: Display, S: Serializer>(
    value: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

pub(crate) fn deserialize<'de, T: FromStr<Err = Error>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse()
        .map_err(|error: Error| D::Error::custom(error.message()))
}
