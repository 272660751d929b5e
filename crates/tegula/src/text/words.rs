//! The fingerprints of the default tokens, without making the tokens: the hot path of every run.
//!
//! Bytes are lowered and classed 64 at a time into bit masks; a run of word bytes is a token, hashed where it lies. A run that holds bytes
//! beyond ASCII goes the ordinary way, `lower_words`: ASCII boundaries part runs whatever stands on either side.

use super::scan::lower_words;
use crate::hash::{self, Fingerprint, LANE};

const BLOCK: usize = 64;

/// Buffers of one thread.
#[derive(Debug, Default)]
pub struct Words {
    /// The text in ASCII lower case, with room for a lane behind it.
    lowered: Vec<u8>,
}

impl Words {
    /// Appends the fingerprints of the default tokens of `text`, which is in normal form C.
    pub fn fingerprints(&mut self, text: &str, out: &mut Vec<Fingerprint>) {
        let bytes = text.as_bytes();
        let padded = bytes.len().next_multiple_of(BLOCK) + LANE;
        // What lies behind the text is classed as well, as a boundary.
        self.lowered.clear();
        self.lowered.extend_from_slice(bytes);
        self.lowered.resize(padded, b' ');
        let mut start = None;
        let mut wide = false;
        for at in (0..padded - LANE).step_by(BLOCK) {
            let Some(block) = self.lowered[at..].first_chunk_mut::<BLOCK>() else { break };
            let (word, high) = masks(block);
            // Bits where a run begins or ends.
            let before = u64::from(start.is_some());
            let mut edges = word ^ (word << 1 | before);
            let mut from = 0;
            while edges != 0 {
                let edge = edges.trailing_zeros();
                edges &= edges - 1;
                match start {
                    None => {
                        start = Some(at + edge as usize);
                        wide = false;
                    }
                    Some(first) => {
                        wide |= high & below(edge) & !below(from) != 0;
                        self.push(text, first, at + edge as usize, wide, out);
                        start = None;
                    }
                }
                from = edge;
            }
            if start.is_some() {
                wide |= high & !below(from) != 0;
            }
        }
        if let Some(first) = start {
            self.push(text, first, bytes.len(), wide, out);
        }
    }

    #[inline]
    fn push(&self, text: &str, from: usize, to: usize, wide: bool, out: &mut Vec<Fingerprint>) {
        if wide {
            lower_words(&text[from..to], |token| out.push(hash::token(token.as_bytes())));
            return;
        }
        let lowered = &self.lowered[from..];
        out.push(match lowered.first_chunk::<LANE>() {
            Some(lane) if to - from <= LANE => hash::short_token(lane, to - from),
            _ => hash::token(&lowered[..to - from]),
        });
    }
}

/// Bits below `bit`.
#[inline]
fn below(bit: u32) -> u64 {
    (1 << bit) - 1
}

/// Lowers the bytes, and says which are part of a word and which lie beyond ASCII.
#[inline]
#[expect(clippy::needless_bitwise_bool, reason = "without branches, so that the compiler can take many bytes at once")]
fn masks(block: &mut [u8; BLOCK]) -> (u64, u64) {
    let mut word = [0_u8; BLOCK];
    let mut high = [0_u8; BLOCK];
    // Plain loops over arrays of bytes: the compiler takes many at a time.
    for (byte, (word, high)) in block.iter_mut().zip(word.iter_mut().zip(&mut high)) {
        let b = *byte;
        let capital = b.wrapping_sub(b'A') < 26;
        let lowered = b | (u8::from(capital) << 5);
        let is_word = (lowered.wrapping_sub(b'a') < 26) | (b.wrapping_sub(b'0') < 10) | (b == b'_') | (b >= 0x80);
        *byte = lowered;
        *word = u8::from(is_word);
        *high = b >> 7;
    }
    (bits(&word), bits(&high))
}

/// The lowest bits of 64 bytes, as one number.
#[inline]
fn bits(bytes: &[u8; BLOCK]) -> u64 {
    let mut all = 0;
    for (at, eight) in bytes.as_chunks::<8>().0.iter().enumerate() {
        // Multiplying gathers the eight bits in the uppermost byte.
        let gathered = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        all |= gathered << (8 * at);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::normalise::{Normalisation, Normaliser, Tokens};
    use proptest::prelude::*;

    fn fast(text: &str) -> Vec<Fingerprint> {
        let mut out = Vec::new();
        Words::default().fingerprints(text, &mut out);
        out
    }

    fn defined(text: &str) -> Vec<Fingerprint> {
        let mut tokens = Tokens::default();
        Normaliser::new(&Normalisation::default()).unwrap().tokens(text, &mut tokens);
        tokens.iter().map(|token| hash::token(token.as_bytes())).collect()
    }

    #[test]
    fn runs_may_cross_blocks_and_end_anywhere() {
        for length in 0..200 {
            for text in [
                "a".repeat(length),
                format!("{}ä b", "X".repeat(length)),
                format!("{} {}", "-".repeat(length), "z9_".repeat(length)),
            ] {
                assert_eq!(fast(&text), defined(&text), "{text}");
            }
        }
    }

    proptest! {
        #[test]
        fn the_fast_path_equals_the_definition(
            parts in prop::collection::vec(
                prop_oneof![
                    "[a-zA-Z0-9_]{1,20}", "[ .,;:!?#*-]{1,3}", "[äöüßÄÖÜéčžôЖя]{1,4}", "[\u{4e00}-\u{4e10}ぁァ한]{1,3}",
                    "[\u{2013}\u{201e}\u{a0}\u{2026}]", "[\u{301}\u{fe0f}\u{20e3}\u{200d}]", "[😀👍🏽🇩🇪❤]{1,3}", "\\PC{0,6}"
                ],
                0..40,
            )
        ) {
            let text: String = parts.concat();
            let form: String = unicode_normalization::UnicodeNormalization::nfc(text.as_str()).collect();
            prop_assert_eq!(fast(&form), defined(&form));
        }
    }
}
