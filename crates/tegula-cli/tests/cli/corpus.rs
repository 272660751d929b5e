//! Texts that are made: some words often, most seldom, and copies of earlier texts that differ in a
//! few words.

use std::fmt::Write as _;

/// Numbers that look random, and are the same each time.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((u128::from(self.0 >> 16) * end as u128) >> 48) as usize
    }

    /// A word: the less often the higher its number.
    fn word(&mut self) -> String {
        let size = 8 << (2 * self.below(7));
        format!("w{:x}", self.below(size))
    }
}

/// So many texts of about so many words. Every fifth is a copy of an earlier one with every 20th,
/// 40th or 60th word changed.
pub(crate) fn texts(count: usize, words: usize) -> Vec<String> {
    let mut numbers = Numbers::new(7);
    let mut made: Vec<Vec<String>> = Vec::with_capacity(count);
    for at in 0..count {
        let text = if at % 5 == 4 {
            let mut copy = made[numbers.below(at)].clone();
            for word in copy.iter_mut().step_by(20 * (1 + at % 3)) {
                *word = numbers.word();
            }
            copy
        } else {
            let length = words / 2 + numbers.below(words);
            (0..length).map(|_| numbers.word()).collect()
        };
        made.push(text);
    }
    made.into_iter().map(|words| words.join(" ")).collect()
}

/// The texts as lines of JSON.
pub(crate) fn jsonl(texts: &[String]) -> String {
    texts
        .iter()
        .enumerate()
        .fold(String::new(), |mut out, (at, text)| {
            let _ = writeln!(out, "{{\"id\":\"t{at}\",\"text\":\"{text}\"}}");
            out
        })
}

/// The same as a table, with this between columns.
pub(crate) fn table(texts: &[String], delimiter: char) -> String {
    let rows = texts
        .iter()
        .enumerate()
        .map(|(at, text)| format!("t{at}{delimiter}{text}\n"));
    format!("id{delimiter}text\n{}", rows.collect::<String>())
}

/// The same as a vertical file.
pub(crate) fn vertical(texts: &[String]) -> String {
    let document = |(at, text): (usize, &String)| {
        format!("<doc id=\"t{at}\">\n{}\n</doc>\n", text.replace(' ', "\n"))
    };
    texts.iter().enumerate().map(document).collect()
}

/// The same as a corpus of TEI.
pub(crate) fn tei(texts: &[String]) -> String {
    let document = |(at, text): (usize, &String)| {
        format!("<TEI xml:id=\"t{at}\"><text><p>{text}</p></text></TEI>\n")
    };
    format!(
        "<teiCorpus>\n{}</teiCorpus>\n",
        texts.iter().enumerate().map(document).collect::<String>()
    )
}
