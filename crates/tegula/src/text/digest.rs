//! The identity of whole units: a 128-bit hash specific to this program, or a digest that other
//! programs also compute.

use super::fingerprints::fingerprints;
use super::items::Items;
use super::normalise::Normaliser;
use super::words::Words;
use crate::hash::{Fingerprint, Sequence, Width};
use md5::{Digest as _, Md5};
use sha1::Sha1;

crate::choices! {
    /// How units with equal tokens are identified.
    ///
    /// MD5 and others serve the comparison with existing files of fingerprints (Benko 2013 §2). Tables
    /// show the first 128 bits of SHA-1, files of fingerprints all 160.
    pub enum Digest, by default Tegula {
        /// Tegula's 128-bit hash: the fastest
        Tegula = "tegula",
        /// MD5 of the tokens joined by spaces
        Md5 = "md5",
        /// SHA-1 of the same
        Sha1 = "sha1",
        /// XXH3 of the same, 128 bits
        Xxh3 = "xxh3-128",
    }
}

/// A digest: the 128 bits that are compared, and the rest.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    serde::Serialize,
    serde::Deserialize,
)]
pub struct Digested {
    /// The first 128 bits.
    pub head: u128,
    /// The last 32 bits of SHA-1, 0 for others.
    pub tail: u32,
}

impl Digest {
    /// The digest of a unit's tokens; `buffer` is reused. None for [`Digest::Tegula`], which is
    /// computed from token fingerprints. For a unit without tokens it is the digest of the raw
    /// text.
    pub fn of(self, normaliser: &Normaliser, text: &str, buffer: &mut String) -> Option<Digested> {
        if self == Self::Tegula {
            return None;
        }
        buffer.clear();
        normaliser.for_each(text, |token| {
            if !buffer.is_empty() {
                buffer.push(' ');
            }
            buffer.push_str(token);
        });
        let bytes = if buffer.is_empty() {
            text.as_bytes()
        } else {
            buffer.as_bytes()
        };
        Some(match self {
            Self::Tegula => return None,
            Self::Md5 => Digested {
                head: u128::from_be_bytes(Md5::digest(bytes).into()),
                tail: 0,
            },
            Self::Xxh3 => Digested {
                head: xxhash_rust::xxh3::xxh3_128(bytes),
                tail: 0,
            },
            Self::Sha1 => {
                let all: [u8; 20] = Sha1::digest(bytes).into();
                let word = |at: usize| {
                    u32::from_be_bytes([all[at], all[at + 1], all[at + 2], all[at + 3]])
                };
                let head = (0..4).fold(0, |head, at| head << 32 | u128::from(word(4 * at)));
                Digested {
                    head,
                    tail: word(16),
                }
            }
        })
    }

    /// A digest as hexadecimal digits, like the output of `md5sum`.
    pub fn hex(self, digested: Digested) -> String {
        match self {
            Self::Sha1 => format!("{:032x}{:08x}", digested.head, digested.tail),
            _ => format!("{:032x}", digested.head),
        }
    }
}

/// What distinguishes units besides their tokens.
#[derive(Debug, Clone, Copy, Default)]
pub struct Apart<'a> {
    /// The steps without masks, if units that differ only in masked parts are distinct.
    pub unmasked: Option<&'a Normaliser>,
    /// The items that must be equal in both texts of a pair, if there are any.
    pub items: Option<&'a Items>,
}

/// The digest of a unit with these tokens, their ids cut to `width`.
pub fn of_tokens(tokens: &[Fingerprint], width: Width, apart: Apart, text: &str) -> u128 {
    let mut sequence = Sequence::default();
    for token in tokens {
        sequence.push(*token);
    }
    let mut fingerprint = sequence.finish();
    fingerprint.id = width.cut(fingerprint.id);
    let masked = fingerprint.digest();
    let head = apart.unmasked.map_or(masked, |unmasked| {
        with_unmasked(masked, tokens, unmasked, text)
    });
    apart
        .items
        .map_or(head, |items| with_items(head, items, text))
}

/// The digest of a unit with masked parts: `masked` is the digest of its tokens, combined here with
/// the tokens without masks. A unit without masked parts keeps its digest.
fn with_unmasked(masked: u128, tokens: &[Fingerprint], unmasked: &Normaliser, text: &str) -> u128 {
    let mut plain = Vec::with_capacity(tokens.len());
    fingerprints(unmasked, &mut Words::default(), text, &mut plain);
    if plain == tokens {
        return masked;
    }
    let mut sequence = Sequence::default();
    sequence.push(Fingerprint {
        id: (masked >> 64) as u64,
        check: masked as u64,
    });
    for token in &plain {
        sequence.push(*token);
    }
    sequence.finish().digest()
}

/// The digest of a unit whose items must be equal in both texts of a pair: combined with the hash of
/// these. A unit without items keeps its digest.
fn with_items(digest: u128, items: &Items, text: &str) -> u128 {
    let hash = items.hash(text);
    if hash == 0 {
        return digest;
    }
    let mut bytes = [0; 32];
    bytes[..16].copy_from_slice(&digest.to_le_bytes());
    bytes[16..].copy_from_slice(&hash.to_le_bytes());
    xxhash_rust::xxh3::xxh3_128(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::normalise::Normalisation;

    #[test]
    fn digests_are_those_of_the_tokens_joined_by_spaces() {
        let normaliser = Normaliser::new(&Normalisation::preset("plain").unwrap()).unwrap();
        let hex = |digest: Digest, text: &str| {
            digest.hex(digest.of(&normaliser, text, &mut String::new()).unwrap())
        };
        // printf '%s' 'noviny stv' | md5sum, sha1sum, xxh128sum
        for text in ["19.30 Noviny STV", "23.45 Noviny STV", "noviny  stv!"] {
            assert_eq!(hex(Digest::Md5, text), "f9315f3a08ad354c44b743daee7eb9a3");
            assert_eq!(
                hex(Digest::Sha1, text),
                "6067424945ed0d6d61479bccf45cb0708d8f6f00"
            );
        }
        assert_eq!(hex(Digest::Xxh3, ""), "99aa06d3014798d86001c324468d497f");
        assert_ne!(hex(Digest::Xxh3, "12"), hex(Digest::Xxh3, "13"));
        assert_eq!(
            Digest::Tegula.of(&normaliser, "a", &mut String::new()),
            None
        );
    }
}
