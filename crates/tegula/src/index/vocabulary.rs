//! The tokens of texts that are not kept: each text is a sequence of numbers of tokens, in bytes.

use super::bits::put;
use super::pages::PageWriter;
use crate::error::Result;
use crate::hash::{Fingerprint, Hashed};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

/// A token by both halves of its fingerprint.
#[derive(PartialEq, Eq)]
struct Token(Fingerprint);

impl Hash for Token {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.id);
    }
}

/// Numbers tokens as they are met first: frequent ones get low numbers.
#[derive(Default)]
pub(super) struct Vocabulary {
    numbers: HashMap<Token, u64, BuildHasherDefault<Hashed>>,
    bytes: Vec<u8>,
    of_unit: Vec<u8>,
}

impl Vocabulary {
    /// Appends the tokens of a unit to a body.
    pub(super) fn write(&mut self, tokens: &[Fingerprint], has_tokens: bool, body: &mut Vec<u8>) {
        let Self {
            numbers,
            bytes,
            of_unit,
        } = self;
        of_unit.clear();
        of_unit.push(u8::from(has_tokens));
        for token in tokens {
            let next = numbers.len() as u64;
            let number = *numbers.entry(Token(*token)).or_insert_with(|| {
                bytes.extend_from_slice(&token.id.to_le_bytes());
                bytes.extend_from_slice(&token.check.to_le_bytes());
                next
            });
            put(number, of_unit);
        }
        put(of_unit.len() as u64, body);
        body.extend_from_slice(of_unit);
    }

    /// Bytes held.
    pub(super) fn heap_bytes(&self) -> u64 {
        (self.numbers.capacity() * 26 + self.bytes.capacity()) as u64
    }

    /// Writes the section.
    pub(super) fn finish(self, file: &mut PageWriter) -> Result<()> {
        file.put(&self.bytes)?;
        file.end_section();
        Ok(())
    }
}
