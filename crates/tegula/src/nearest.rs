//! Suggestions for names that do not exist.

use rapidfuzz::distance::osa;

/// The least similarity of a name worth suggesting: three letters in five.
const SIMILAR: f64 = 0.6;

/// The known name that is most similar to `name`, the first of equally similar ones; none if none
/// is similar.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    let mut best = None;
    let mut most = SIMILAR;
    for other in known {
        let similarity = osa::normalized_similarity(name.chars(), other.to_lowercase().chars());
        if similarity > most || (best.is_none() && similarity >= most) {
            (best, most) = (Some(other), similarity);
        }
    }
    best
}

/// The question after a message: `; did you mean 'copies'?`; empty if no known name is similar.
pub fn question<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, known).map_or_else(String::new, |known| format!("; did you mean '{known}'?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_understood_and_other_words_are_not() {
        let known = ["copies", "sscr", "ssr", "messages", "date"];
        assert_eq!(nearest("copis", known), Some("copies"));
        assert_eq!(nearest("mesages", known), Some("messages"));
        assert_eq!(nearest("Date", known), Some("date"));
        assert_eq!(nearest("srs", known), Some("ssr"));
        assert_eq!(nearest("minhash", known), None);
        assert_eq!(nearest("", known), None);
        assert_eq!(question("daet", known), "; did you mean 'date'?");
        assert_eq!(question("zzz", known), "");
    }
}
