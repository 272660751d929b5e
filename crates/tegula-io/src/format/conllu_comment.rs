//! Comments of CoNLL-U: lines that begin with `#`, most of which are a key and its value.

/// Key and value of a comment, without the `#`; `None` for a line that is not a comment.
pub(super) fn comment(line: &str) -> Option<(&str, Option<&str>)> {
    let inner = line.strip_prefix('#')?;
    Some(match inner.split_once('=') {
        Some((key, value)) => (key.trim(), Some(value.trim())),
        None => (inner.trim(), None),
    })
}

/// Whether a comment's key is this word, or begins with it, as `newdoc` and `newdoc id` do.
pub(super) fn begins(key: &str, word: &str) -> bool {
    key.strip_prefix(word)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
}
