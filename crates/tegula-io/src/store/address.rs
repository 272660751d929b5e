//! Addresses: what they name, and what of them is not shown.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tegula::error::{ErrorKind, Result};

/// The kinds of stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// S3, and all that speaks its language.
    S3,
    /// Google Cloud Storage.
    Google,
    /// Azure Blob Storage.
    Azure,
    /// A web server, from which one can only read.
    Web,
    /// A store in memory, for tests.
    #[cfg(test)]
    Memory,
}

/// The schemes of addresses.
const SCHEMES: &[(&str, Kind)] = &[
    ("s3", Kind::S3),
    ("s3a", Kind::S3),
    ("gs", Kind::Google),
    ("az", Kind::Azure),
    ("adl", Kind::Azure),
    ("azure", Kind::Azure),
    ("abfs", Kind::Azure),
    ("abfss", Kind::Azure),
    ("http", Kind::Web),
    ("https", Kind::Web),
    #[cfg(test)]
    ("memory", Kind::Memory),
];

/// The place of an object, or of all objects below a key: `s3://bucket/key`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Address {
    pub(super) kind: Kind,
    pub(super) scheme: &'static str,
    /// The bucket, the container, or the server.
    pub(super) authority: String,
    /// Its parts are not empty; no slash at either end.
    pub(super) key: String,
    /// Whether it was written with a slash at its end, and so names what is below it.
    pub(super) is_folder: bool,
}

/// Whether this is the address of an object rather than a path of the file system.
pub fn is_address(path: &Path) -> bool {
    Address::is_one(path)
}

impl Address {
    fn is_one(path: &Path) -> bool {
        let scheme = path.to_str().and_then(|text| text.split_once(":/"));
        scheme.is_some_and(|(scheme, _)| {
            (SCHEMES.iter()).any(|(known, _)| scheme.eq_ignore_ascii_case(known))
        })
    }

    /// The address that a path is, if it is one, without what is not shown. What operations on paths
    /// leave of the double slash is enough.
    pub(crate) fn parse(path: &Path) -> Option<Self> {
        let shown = Self::is_one(path).then(|| shown(path))?;
        let (scheme, rest) = shown.to_str()?.split_once(":/")?;
        let (scheme, kind) = SCHEMES
            .iter()
            .find(|(known, _)| scheme.eq_ignore_ascii_case(known))?;
        let rest = rest.trim_start_matches('/');
        let (authority, key) = rest.split_once('/').unwrap_or((rest, ""));
        // Other systems join paths with another separator.
        let parts: Vec<&str> = (key.split(std::path::is_separator))
            .filter(|part| !matches!(*part, "" | "."))
            .collect();
        Some(Self {
            kind: *kind,
            scheme,
            authority: authority.to_owned(),
            key: parts.join("/"),
            is_folder: parts.is_empty() || key.ends_with(std::path::is_separator),
        })
    }

    /// The address that a path must be.
    ///
    /// # Errors
    /// If it is none.
    pub(crate) fn of(path: &Path) -> Result<Self> {
        Self::parse(path).ok_or_else(|| ErrorKind::Usage.expected("an address").at(path))
    }

    /// The address of another key in the same place.
    pub(super) fn at(&self, key: &str) -> Self {
        Self {
            key: key.to_owned(),
            is_folder: key.is_empty(),
            ..self.clone()
        }
    }

    /// The folder that it is in.
    pub(crate) fn parent(&self) -> Self {
        let folder = self.key.rsplit_once('/').map_or("", |(folder, _)| folder);
        Self {
            is_folder: true,
            ..self.at(folder)
        }
    }

    /// The address as a path.
    pub(crate) fn path(&self) -> PathBuf {
        PathBuf::from(self.to_string())
    }

    /// What can be listed before the first part with a wildcard, and the pattern of what is listed.
    pub(crate) fn glob(&self) -> Option<(Self, String)> {
        let parts: Vec<&str> = self.key.split('/').collect();
        let first = (parts.iter()).position(|part| part.contains(['*', '?', '[', '{']))?;
        let root = Self {
            is_folder: true,
            ..self.at(&parts[..first].join("/"))
        };
        Some((root, parts[first..].join("/"))).filter(|_| self.kind != Kind::Web)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme, self.authority)?;
        if self.key.is_empty() {
            return Ok(());
        }
        write!(f, "/{}", self.key)
    }
}

/// What of an address is not shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Secret {
    /// `user:password`, or none.
    pub(super) user: String,
    /// What follows the question mark, or nothing.
    pub(super) query: String,
}

/// The secrets of addresses, by what is shown of them.
static SECRETS: Mutex<Option<HashMap<String, Secret>>> = Mutex::new(None);

/// The address as it is written, without passwords and signatures, under which its store is found all the same, as
/// long as the process lives; other paths as they are.
pub fn shown(path: &Path) -> PathBuf {
    let Some(text) = path.to_str().filter(|_| is_address(path)) else {
        return path.to_path_buf();
    };
    let (mut plain, secret) = parted(text);
    if secret == Secret::default() {
        return PathBuf::from(plain);
    }
    let mut secrets = SECRETS.lock().unwrap_or_else(PoisonError::into_inner);
    let known = secrets.get_or_insert_default();
    // Two addresses that differ only in what is not shown are numbered, where a user would be named.
    let (scheme, rest) = plain.split_once("://").unwrap_or(("", &plain));
    let numbered: Vec<String> = (2..=known.len() + 2)
        .map(|number| format!("{scheme}://{number}@{rest}"))
        .collect();
    plain = std::iter::once(plain.clone())
        .chain(numbered)
        .find(|plain| known.get(plain).is_none_or(|other| *other == secret))
        .unwrap_or(plain);
    known.insert(plain.clone(), secret);
    PathBuf::from(plain)
}

/// What is not shown of an address.
#[cfg(any(test, feature = "stores"))]
pub(super) fn secret(address: &Address) -> Secret {
    let secrets = SECRETS.lock().unwrap_or_else(PoisonError::into_inner);
    let known = secrets
        .as_ref()
        .and_then(|known| known.get(&address.to_string()));
    known.cloned().unwrap_or_default()
}

/// A text without the passwords and signatures of the addresses in it, such as a command line.
pub fn shown_in(text: &str) -> String {
    let is_end = |c: char| c.is_whitespace() || matches!(c, '\'' | '"');
    (text.split_inclusive(is_end))
        .map(|word| {
            let start = word.find("://").map_or(0, |at| {
                let is_scheme = |c: char| c.is_ascii_alphanumeric();
                word[..at]
                    .rfind(|c| !is_scheme(c))
                    .map_or(0, |before| before + 1)
            });
            let end = word.trim_end_matches(is_end).len();
            let address = &word[start.min(end)..end];
            if is_address(Path::new(address)) {
                let (plain, _) = parted(address);
                format!("{}{plain}{}", &word[..start], &word[end..])
            } else {
                word.to_owned()
            }
        })
        .collect()
}

/// The address, and what is not shown of it: a password, and what a web server is asked besides the
/// path.
fn parted(text: &str) -> (String, Secret) {
    let Some((scheme, rest)) = text.split_once(":/") else {
        return (text.to_owned(), Secret::default());
    };
    let rest = rest.trim_start_matches('/');
    let slash = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, behind) = rest.split_at(slash);
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) if user.contains(':') => (user, host),
        _ => ("", authority),
    };
    let is_web = scheme.to_ascii_lowercase().starts_with("http");
    let (path, query) = match behind.split_once('?') {
        Some((path, query)) if is_web => (path, query),
        _ => (behind, ""),
    };
    let secret = Secret {
        user: user.to_owned(),
        query: query.to_owned(),
    };
    (format!("{scheme}://{host}{path}"), secret)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Option<Address> {
        Address::parse(Path::new(text))
    }

    #[test]
    fn paths_are_no_addresses() {
        for path in ["a.jsonl", "-", "/s3/b", "C:/s3", "data:/x", "s3", "s3:x"] {
            assert_eq!(parse(path), None, "{path}");
        }
        let address = parse("s3://b/a//x y/./z.jsonl").unwrap();
        assert_eq!((&*address.authority, &*address.key), ("b", "a/x y/z.jsonl"));
        assert_eq!(address.to_string(), "s3://b/a/x y/z.jsonl");
        let collapsed: PathBuf = Path::new("gs://b/k/").components().collect();
        assert_eq!(
            Address::parse(&collapsed).unwrap().path(),
            Path::new("gs://b/k")
        );
        assert!(parse("S3://b").unwrap().is_folder && parse("s3://b/k/").unwrap().is_folder);
        assert!(!parse("s3://b/k").unwrap().is_folder);
    }

    #[test]
    fn a_wildcard_ends_what_is_listed() {
        let (root, pattern) = parse("s3://b/a/*/c?.jsonl").unwrap().glob().unwrap();
        assert_eq!(
            (root.to_string(), &*pattern),
            ("s3://b/a".into(), "*/c?.jsonl")
        );
        assert_eq!(parse("s3://b/a/c.jsonl").unwrap().glob(), None);
        assert_eq!(parse("https://b/a/*").unwrap().glob(), None);
    }

    #[test]
    fn secrets_are_kept_but_not_shown() {
        let signed = Path::new("https://me:pass@h.example/a.jsonl?sig=1");
        let plain = shown(signed);
        assert_eq!(plain, Path::new("https://h.example/a.jsonl"));
        assert_eq!(shown(signed), plain, "the same again");
        let known = secret(&Address::parse(&plain).unwrap());
        assert_eq!((&*known.user, &*known.query), ("me:pass", "sig=1"));
        let collapsed: PathBuf = signed.components().collect();
        assert_eq!(shown(&collapsed), plain, "as libraries of paths write it");
        let other = shown(Path::new("https://h.example/a.jsonl?sig=2"));
        assert_eq!(other, Path::new("https://2@h.example/a.jsonl"));
        assert_eq!(
            shown(Path::new("abfs://c@account/k?")),
            Path::new("abfs://c@account/k?")
        );
        assert_eq!(
            shown_in("tegula dedup 'http://u:p@h/a b' --against=https://h/x?k=1 'a:b' -o y?z"),
            "tegula dedup 'http://h/a b' --against=https://h/x 'a:b' -o y?z"
        );
    }
}
