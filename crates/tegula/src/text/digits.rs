//! Finds where numbers may start, 64 bytes at a time.

use super::lanes::{Best, Lanes, Task, WIDTH};
use super::unicode;

/// Finds characters that represent a number.
#[derive(Debug, Clone, Default)]
pub(crate) struct Digits {
    lanes: Best,
    /// A bit for each byte of the text: whether it is the first one of a character that may
    /// represent a number.
    masks: Vec<u64>,
}

impl Digits {
    /// Looks at a text, for [`Digits::next`].
    pub(crate) fn read(&mut self, text: &str) {
        self.masks.clear();
        self.masks.resize(text.len().div_ceil(WIDTH), 0);
        let (bytes, masks) = (text.as_bytes(), &mut self.masks[..]);
        self.lanes.run(Find { bytes, masks });
    }

    /// The first character from the byte `from` on of the text that represents a number.
    pub(crate) fn next(&self, text: &str, from: usize) -> Option<usize> {
        let mut block = from / WIDTH;
        let mut mask = self.masks.get(block)? & (u64::MAX << (from % WIDTH));
        loop {
            while mask == 0 {
                block += 1;
                mask = *self.masks.get(block)?;
            }
            let at = block * WIDTH + mask.trailing_zeros() as usize;
            mask &= mask - 1;
            if text[at..].chars().next().is_some_and(unicode::is_number) {
                return Some(at);
            }
        }
    }
}

/// One search.
struct Find<'a> {
    bytes: &'a [u8],
    masks: &'a mut [u64],
}

impl Task for Find<'_> {
    type Out = ();

    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it is compiled for each kind of lanes"
    )]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { bytes, masks } = self;
        let (blocks, rest) = bytes.as_chunks::<WIDTH>();
        let mut last = [0; WIDTH];
        last[..rest.len()].copy_from_slice(rest);
        for (block, mask) in blocks.iter().chain([&last]).zip(masks) {
            let bytes = lanes.load(block);
            *mask = lanes.within(bytes, b'0', 10);
            if lanes.high(bytes) != 0 {
                // Other characters that represent a number begin with 0xC2 or with 0xD9 and above.
                // Frequent signs that begin so are told by their second byte: no-break spaces and
                // section signs, dashes and quotation marks. The last byte's is in the next block.
                let second = |mask: u64| mask >> 1;
                let latin = lanes.equal(bytes, 0xc2);
                let upper = second(lanes.between(bytes, 0xb0, 0xbf)) | 1 << (WIDTH - 1);
                let later = lanes.between(bytes, 0xd9, 0xff);
                let punctuation = lanes.equal(bytes, 0xe2) & second(lanes.equal(bytes, 0x80));
                *mask |= latin & upper | later & !punctuation;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(lanes: Best, text: &str) -> Vec<usize> {
        let mut digits = Digits {
            lanes,
            masks: vec![7; 3],
        };
        digits.read(text);
        let mut from = 0;
        std::iter::from_fn(|| {
            let at = digits.next(text, from)?;
            from = at + text[at..].chars().next().map_or(1, char::len_utf8);
            Some(at)
        })
        .collect()
    }

    #[test]
    fn every_number_is_found_wherever_it_stands() {
        for before in ["ä".repeat(33), "–".repeat(21), String::new()] {
            for char in ('\0'..=char::MAX).filter(|char| unicode::is_number(*char)) {
                let text = format!("{before}{char}");
                assert_eq!(found(Best::default(), &text), [before.len()], "{char:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn all_lanes_find_all_numbers(text in "[a-c0-3 .,½٣é²Ⅷ–“§\u{a0}\u{3000}\n-]{0,200}") {
            let wanted: Vec<usize> = text.char_indices().filter(|(_, char)| unicode::is_number(*char)).map(|(at, _)| at).collect();
            for lanes in Best::all() {
                prop_assert_eq!(found(lanes, &text), &wanted[..]);
            }
        }
    }
}
