//! Code points before places of a text, for places in any order: counted once per stretch of bytes,
//! so that a place costs no more than one stretch.

/// Bytes of a stretch.
const STRETCH: usize = 64;

/// The code points before each stretch of a text.
#[derive(Debug, Default)]
pub(crate) struct CodePoints {
    before: Vec<u32>,
}

impl CodePoints {
    /// Reads a text, instead of the one before.
    pub(crate) fn read(&mut self, text: &str) {
        self.before.clear();
        let mut all = 0;
        for stretch in text.as_bytes().chunks(STRETCH) {
            self.before.push(all);
            all += count(stretch);
        }
        self.before.push(all);
    }

    /// The code points before a byte of the text that was read, which must be the first of one.
    pub(crate) fn before(&self, text: &str, at: usize) -> u32 {
        let stretch = at / STRETCH;
        self.before[stretch] + count(&text.as_bytes()[stretch * STRETCH..at])
    }
}

/// Bytes that begin a code point: at most [`STRETCH`] of them, so that they are counted in bytes.
fn count(bytes: &[u8]) -> u32 {
    let begins = |byte: &u8| u8::from(byte & 0b1100_0000 != 0b1000_0000);
    u32::from(bytes.iter().map(begins).sum::<u8>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_characters() {
        for length in [0, 1, 63, 64, 65, 128, 200] {
            let text: String = "aß漢😀".chars().cycle().take(length).collect();
            let mut points = CodePoints::default();
            points.read("something else, to be forgotten");
            points.read(&text);
            let places = text.char_indices().map(|(at, _)| at);
            for (number, at) in (0..).zip(places.chain([text.len()])) {
                assert_eq!(points.before(&text, at), number);
            }
        }
    }
}
