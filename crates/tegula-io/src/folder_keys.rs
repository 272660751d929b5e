//! Keys of folders as Hive, Spark and many tools write them: `year=2020/lang=de/part.parquet`.
//!
//! Values are percent-decoded; `__HIVE_DEFAULT_PARTITION__` stands for a missing one.

use std::path::Path;

/// What folders are called whose records have no value.
const MISSING: &str = "__HIVE_DEFAULT_PARTITION__";

/// The keys of the folders of a file, outermost first, and their values.
pub(crate) fn of(path: &Path) -> impl Iterator<Item = (String, Option<String>)> {
    let folders = path.parent().into_iter().flat_map(Path::components);
    folders.filter_map(|folder| {
        let (key, value) = folder.as_os_str().to_str()?.split_once('=')?;
        let value = decoded(value);
        (!key.is_empty()).then(|| (decoded(key), Some(value).filter(|value| value != MISSING)))
    })
}

/// The value of a key, in the innermost folder that has it; none if that has none.
pub(crate) fn value(path: &Path, wanted: &str) -> Option<String> {
    let found = of(path).filter(|(key, _)| key == wanted);
    found.last()?.1
}

/// `%3A` as a colon; what is not valid stays as it is.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after
            .get(..2)
            .and_then(|digits| std::str::from_utf8(digits).ok());
        let is_hex = |digits: &&str| digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let byte = digits
            .filter(|digits| *first == b'%' && is_hex(digits))
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_those_of_folders_and_values_are_decoded() {
        let path = Path::new(
            "data/year=2020/at=10%3A30%/year=2021/=x/none=__HIVE_DEFAULT_PARTITION__/a=b.parquet",
        );
        let keys: Vec<_> = of(path).collect();
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            keys,
            [
                ("year".to_owned(), some("2020")),
                ("at".to_owned(), some("10:30%")),
                ("year".to_owned(), some("2021")),
                ("none".to_owned(), None),
            ]
        );
        assert_eq!(value(path, "year"), some("2021"));
        assert_eq!(value(path, "none"), None);
        assert_eq!(value(path, "a"), None);
        assert_eq!(decoded("%FF"), "%FF");
    }
}
