//! Marks the tokens of texts that are covered by shared shingles.

use super::windows::Windows;

/// Marks on the tokens of two texts.
#[derive(Debug, Default)]
pub struct Marks {
    /// Marks of the first text.
    pub(super) a: Bitmap,
    /// Marks of the second text.
    pub(super) b: Bitmap,
    /// The shingles of a text.
    pub(super) windows: Windows,
    /// The number of this text.
    pub(super) read: Option<u32>,
}

/// Marks on the tokens of one text.
#[derive(Debug, Default)]
pub(super) struct Bitmap(Vec<u64>);

impl Bitmap {
    /// Clears all marks and reserves space for `length` tokens.
    pub(super) fn clear(&mut self, length: usize) {
        self.0.clear();
        self.0.resize(length / 64 + 2, 0);
    }

    /// Marks `count` tokens starting at `start`; returns how many are newly marked.
    #[inline]
    fn mark(&mut self, start: usize, count: usize) -> u32 {
        let (word, bit) = (start / 64, start % 64);
        let mask = if count >= 64 {
            u64::MAX
        } else {
            (1 << count) - 1
        };
        let low = mask << bit;
        let mut fresh = (low & !self.0[word]).count_ones();
        self.0[word] |= low;
        if bit + count > 64 {
            let high = mask >> (64 - bit);
            fresh += (high & !self.0[word + 1]).count_ones();
            self.0[word + 1] |= high;
        }
        fresh
    }

    /// [`Bitmap::mark`] for any number of tokens.
    #[inline]
    pub(super) fn mark_all(&mut self, mut start: usize, mut count: usize) -> u32 {
        let mut fresh = 0;
        while count > 64 {
            fresh += self.mark(start, 64);
            (start, count) = (start + 64, count - 64);
        }
        fresh + self.mark(start, count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_cross_words() {
        let mut marks = Bitmap::default();
        marks.clear(200);
        assert_eq!(marks.mark(60, 10), 10);
        assert_eq!(marks.mark(62, 10), 2);
        assert_eq!(marks.mark(0, 64), 60);
        assert_eq!(marks.mark(64, 64), 64 - 8);
        assert_eq!(marks.mark(199, 1), 1);
        marks.clear(500);
        assert_eq!(marks.mark_all(3, 300), 300);
        assert_eq!(marks.mark_all(0, 500), 200);
    }
}
