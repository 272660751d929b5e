//! Texts of made-up words, if no real ones are available: words with frequencies like those of a
//! language, in sentences and paragraphs.
//!
//! *Not useful for* comparing programs: these texts have no phrases that recur, no names and no
//! numbers.

use crate::random::Random;
use crate::source::failed;
use std::io::{BufWriter, Write};
use std::path::Path;
use tegula::{Error, Result};
use tegula_io::outputs::Outputs;

/// Syllables that words consist of.
const SYLLABLES: [&str; 16] = [
    "ta", "ro", "li", "men", "ve", "sto", "ka", "ne", "bri", "du", "pel", "ho", "ga", "zi", "wor",
    "e\u{301}",
];

/// Writes texts of this many bytes in all, as JSONL; returns how many texts there are.
///
/// # Errors
/// If the file cannot be written.
pub fn write(out: &Path, bytes: u64, seed: u64) -> Result<u64> {
    let mut random = Random::new(seed);
    let outputs = Outputs::default();
    let mut file = BufWriter::new(outputs.create(out)?);
    let (mut texts, mut written) = (0, 0);
    while written < bytes {
        let text = text(&mut random);
        written += text.len() as u64;
        texts += 1;
        writeln!(file, "{}", serde_json::json!({ "text": text })).map_err(failed("write", out))?;
    }
    file.into_inner()
        .map_err(|error| Error::io("write", out, error.into_error()))?
        .finish()?;
    outputs.publish()?;
    Ok(texts)
}

/// A text of some paragraphs.
fn text(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..random.between(5, 60) {
        for _ in 0..random.between(2, 8) {
            sentence(random, &mut text);
        }
        text.push_str("\n\n");
    }
    text
}

fn sentence(random: &mut Random, text: &mut String) {
    let words = random.between(4, 28);
    for at in 0..words {
        let word = word(random);
        if at == 0 {
            text.extend(word.chars().take(1).flat_map(char::to_uppercase));
            text.extend(word.chars().skip(1));
        } else {
            text.push_str(&word);
        }
        text.push_str(match (at + 1 == words, random.below(12)) {
            (true, 0) => "? ",
            (true, _) => ". ",
            (false, 0) => ", ",
            (false, _) => " ",
        });
    }
}

/// A word: the higher its number, the rarer it is; its letters are always the same.
fn word(random: &mut Random) -> String {
    let size = 8 << (2 * random.below(8));
    let mut letters = Random::new(random.below(size) as u64);
    (0..letters.between(1, 4))
        .filter_map(|_| letters.pick(&SYLLABLES).copied())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_writes_the_same_texts() {
        let folder = tempfile::tempdir().unwrap();
        let read = |seed| {
            let path = folder.path().join("prose.jsonl");
            let texts = write(&path, 50_000, seed).unwrap();
            (texts, std::fs::read_to_string(path).unwrap())
        };
        let (texts, first) = read(3);
        assert_eq!(read(3), (texts, first.clone()));
        assert_ne!(read(4).1, first);
        assert_eq!(first.lines().count() as u64, texts);
        assert!(first.len() > 50_000);
    }
}
