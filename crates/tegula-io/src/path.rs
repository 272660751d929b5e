//! Paths in JSON: as strings; non-Unicode ones with a marker prefix and `\\xFF` for bytes.

use serde::{Deserialize, Deserializer, Serializer};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The prefix of a path that is written byte by byte: no path contains a null.
const BYTES: &str = "\0bytes:";

/// A path as a string that can be converted back.
pub fn to_string(path: &Path) -> String {
    if let Some(text) = path.to_str() {
        return text.to_owned();
    }
    let bytes = path.as_os_str().as_encoded_bytes();
    let escaped: String = bytes
        .iter()
        .flat_map(|byte| std::ascii::escape_default(*byte))
        .map(char::from)
        .collect();
    format!("{BYTES}{escaped}")
}

/// The path for such a string; none if it is damaged.
pub fn from_string(text: &str) -> Option<PathBuf> {
    let Some(escaped) = text.strip_prefix(BYTES) else {
        return Some(PathBuf::from(text));
    };
    let mut bytes = Vec::with_capacity(escaped.len());
    let mut rest = escaped.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        rest = behind;
        if *first != b'\\' {
            bytes.push(*first);
            continue;
        }
        let (second, behind) = rest.split_first()?;
        rest = behind;
        bytes.push(match second {
            b'x' => {
                let (digits, behind) = rest.split_at_checked(2)?;
                rest = behind;
                u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?
            }
            b't' => b'\t',
            b'n' => b'\n',
            b'r' => b'\r',
            other => *other,
        });
    }
    native(bytes).map(PathBuf::from)
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems cannot always")]
fn native(bytes: Vec<u8>) -> Option<OsString> {
    use std::os::unix::ffi::OsStringExt;
    Some(OsString::from_vec(bytes))
}

#[cfg(not(unix))]
fn native(bytes: Vec<u8>) -> Option<OsString> {
    String::from_utf8(bytes).ok().map(OsString::from)
}

/// For `#[serde(with)]`.
///
/// # Errors
/// Only those of the format.
pub fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&to_string(path))
}

/// For `#[serde(with)]`.
///
/// # Errors
/// If the string is not a path; those of the format.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
    let text = String::deserialize(deserializer)?;
    from_string(&text).ok_or_else(|| serde::de::Error::custom("expected a path"))
}

/// The same for lists of paths.
pub mod list {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};
    use std::path::PathBuf;

    /// For `#[serde(with)]`.
    ///
    /// # Errors
    /// Only those of the format.
    pub fn serialize<S: Serializer>(paths: &[PathBuf], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(paths.iter().map(|path| super::to_string(path)))
    }

    /// For `#[serde(with)]`.
    ///
    /// # Errors
    /// If a string is not a path; those of the format.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<PathBuf>, D::Error> {
        let texts = Vec::<String>::deserialize(deserializer)?;
        texts
            .iter()
            .map(|text| super::from_string(text).ok_or_else(|| D::Error::custom("expected a path")))
            .collect()
    }
}

/// The same for a path that may be missing.
pub mod option {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::path::PathBuf;

    /// For `#[serde(with)]`.
    ///
    /// # Errors
    /// Only those of the format.
    pub fn serialize<S: Serializer>(
        path: &Option<PathBuf>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        path.as_deref().map(super::to_string).serialize(serializer)
    }

    /// For `#[serde(with)]`.
    ///
    /// # Errors
    /// If the string is not a path; those of the format.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<PathBuf>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| {
            super::from_string(&text).ok_or_else(|| D::Error::custom("expected a path"))
        })
        .transpose()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStringExt;

    #[test]
    fn any_path_comes_back() {
        for bytes in [
            &b"plain.txt"[..],
            "gr\u{fc}n".as_bytes(),
            b"a\xff\\ \n'b\xe4",
            b"\\xff",
            b"",
        ] {
            let path = PathBuf::from(OsString::from_vec(bytes.to_vec()));
            assert_eq!(from_string(&to_string(&path)), Some(path));
        }
        assert_eq!(to_string(Path::new("a/b")), "a/b", "others are as they are");
        assert_eq!(from_string("\0bytes:\\x"), None);
    }
}
