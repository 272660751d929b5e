//! Paragraphs to documents of the size of web pages and news: cut at paragraph ends.

use crate::random::Random;

/// The fewest and the most characters of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lengths {
    /// A shorter piece is dropped.
    pub least: usize,
    /// A longer paragraph is split, at a sentence end where there is one.
    pub most: usize,
}

impl Default for Lengths {
    fn default() -> Self {
        Self {
            least: 200,
            most: 5000,
        }
    }
}

/// Every sixteenth part of a log-normal distribution with median 1,400 and sigma 0.75. A table, so
/// that no machine's logarithm has a say in the corpus.
const QUANTILES: [usize; 17] = [
    200, 443, 591, 720, 844, 970, 1102, 1244, 1400, 1575, 1778, 2020, 2322, 2723, 3318, 4424, 8000,
];

/// Cuts the texts of one source.
#[derive(Debug)]
pub struct Cutter {
    lengths: Lengths,
    random: Random,
    open: String,
    chars: usize,
    wanted: usize,
}

impl Cutter {
    /// A cutter; its random numbers draw the lengths of documents.
    pub fn new(lengths: Lengths, mut random: Random) -> Self {
        let wanted = draw(lengths, &mut random);
        Self {
            lengths,
            random,
            open: String::new(),
            chars: 0,
            wanted,
        }
    }

    /// Hands the documents of one text to `each`. What is left over at the end is a document if it
    /// is long enough.
    ///
    /// # Errors
    /// What `each` gives.
    pub fn cut<E>(
        &mut self,
        paragraphs: &[String],
        mut each: impl FnMut(&str) -> Result<(), E>,
    ) -> Result<(), E> {
        for paragraph in paragraphs {
            let mut rest = paragraph.as_str();
            while !rest.is_empty() {
                let (piece, more) = split(rest, self.lengths.most);
                rest = more;
                let chars = piece.chars().count();
                if self.chars > 0 && self.chars + chars + 1 > self.lengths.most {
                    self.close(&mut each)?;
                }
                if self.chars > 0 {
                    self.open.push('\n');
                    self.chars += 1;
                }
                self.open.push_str(piece);
                self.chars += chars;
                if self.chars >= self.wanted {
                    self.close(&mut each)?;
                }
            }
        }
        self.close(&mut each)
    }

    fn close<E>(&mut self, each: &mut impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
        let result = if self.chars >= self.lengths.least {
            each(&self.open)
        } else {
            Ok(())
        };
        if self.chars > 0 {
            self.wanted = draw(self.lengths, &mut self.random);
        }
        self.open.clear();
        self.chars = 0;
        result
    }
}

fn draw(lengths: Lengths, random: &mut Random) -> usize {
    let step = random.below(QUANTILES.len() - 1);
    random
        .between(QUANTILES[step], QUANTILES[step + 1])
        .clamp(lengths.least, lengths.most)
}

/// Splits off a piece of at most `most` characters: before a sentence end in its second half, else
/// at a space there, else anywhere.
fn split(text: &str, most: usize) -> (&str, &str) {
    let Some((end, _)) = text.char_indices().nth(most.max(1)) else {
        return (text, "");
    };
    let middle = text.char_indices().nth(most / 2).map_or(0, |(at, _)| at);
    let late = &text[middle..end];
    let cut = late
        .rfind(". ")
        .map(|at| middle + at + 1)
        .or_else(|| late.rfind(' ').map(|at| middle + at))
        .unwrap_or(end);
    let (piece, rest) = text.split_at(if cut == 0 { end } else { cut });
    (piece.trim_end(), rest.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(paragraphs: &[String], lengths: Lengths) -> Vec<String> {
        let mut out = Vec::new();
        let mut cutter = Cutter::new(lengths, Random::new(3));
        cutter
            .cut(paragraphs, |text| {
                out.push(text.to_owned());
                Ok::<(), ()>(())
            })
            .unwrap();
        out
    }

    #[test]
    fn documents_keep_to_the_lengths_and_end_with_paragraphs() {
        let paragraphs: Vec<String> = (0..200)
            .map(|i| {
                format!(
                    "Paragraph {i} has some words. {}",
                    "Ünd so. ".repeat(i % 60)
                )
                .trim()
                .to_owned()
            })
            .collect();
        let documents = cut(&paragraphs, Lengths::default());
        assert!(documents.len() > 10);
        for document in &documents {
            assert!((200..=5000).contains(&document.chars().count()));
            assert!(
                document
                    .split('\n')
                    .all(|paragraph| paragraphs.iter().any(|p| p == paragraph))
            );
        }
    }

    #[test]
    fn long_paragraphs_are_split_at_sentences_or_spaces() {
        assert_eq!(split("One. Two. Three", 12), ("One. Two.", "Three"));
        assert_eq!(split("one two three", 9), ("one two", "three"));
        assert_eq!(split("ääääää", 4), ("ääää", "ää"));
        let long = vec!["word ".repeat(4000).trim().to_owned()];
        assert_eq!(
            cut(&long, Lengths::default())
                .join(" ")
                .split_whitespace()
                .count(),
            4000
        );
    }

    #[test]
    fn short_texts_are_left_out() {
        assert!(cut(&["short".to_owned()], Lengths::default()).is_empty());
    }
}
