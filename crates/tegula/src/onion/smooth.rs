//! Smoothing: also removes short runs of good paragraphs among bad ones.

use super::document::Paragraph;
use super::verdict::{Fate, Verdict};

/// Also removes every run of kept paragraphs with at most `stub` tokens in total, if it is between
/// two bad paragraphs, or between one and the edge of the document, or fills the document.
pub(super) fn smooth<K>(paragraphs: &[Paragraph<K>], verdicts: &mut [Verdict], stub: u32) {
    let mut rest = verdicts;
    let mut sizes = paragraphs;
    while !rest.is_empty() {
        let kept = rest
            .iter()
            .take_while(|verdict| verdict.fate == Fate::Kept)
            .count();
        let (run, more) = rest.split_at_mut(kept);
        let tokens: u64 = sizes[..kept]
            .iter()
            .map(|paragraph| u64::from(paragraph.tokens))
            .sum();
        if tokens <= u64::from(stub) {
            for verdict in run {
                verdict.fate = Fate::Smoothed;
            }
        }
        let bad = more
            .iter()
            .take_while(|verdict| verdict.fate != Fate::Kept)
            .count();
        rest = &mut more[bad..];
        sizes = &sizes[kept + bad..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `+5` is a good paragraph of five tokens, `-5` a bad one; gives what stays.
    fn smoothed(document: &str, stub: u32) -> String {
        let words: Vec<&str> = document.split_whitespace().collect();
        let paragraphs: Vec<Paragraph> = words
            .iter()
            .map(|word| Paragraph {
                tokens: word[1..].parse().unwrap(),
                whole: None,
            })
            .collect();
        let fate = |word: &&str| {
            if word.starts_with('+') {
                Fate::Kept
            } else {
                Fate::Duplicate
            }
        };
        let mut verdicts: Vec<Verdict> = words
            .iter()
            .map(|word| Verdict {
                seen: 0,
                fate: fate(word),
            })
            .collect();
        smooth(&paragraphs, &mut verdicts, stub);
        let letter = |verdict: &Verdict| match verdict.fate {
            Fate::Kept => '+',
            Fate::Duplicate => '-',
            Fate::Smoothed => '~',
        };
        verdicts.iter().map(letter).collect()
    }

    #[test]
    fn runs_go_by_their_tokens_in_all() {
        assert_eq!(smoothed("-9 +10 +10 -9", 20), "-~~-");
        assert_eq!(smoothed("-9 +10 +11 -9", 20), "-++-");
        assert_eq!(smoothed("+20 -9 +21", 20), "~-+");
        assert_eq!(smoothed("+20", 20), "~");
        assert_eq!(smoothed("+0 +21 -1 +0", 20), "++-~");
        assert_eq!(smoothed("-1 -1 +1 -1 +1 -1", 0), "--+-+-");
        assert_eq!(smoothed("", 20), "");
    }
}
