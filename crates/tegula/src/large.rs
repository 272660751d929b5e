//! Unusually large records: how much memory each needs, and the guarantee that all those in flight
//! fit under the ceiling.
//!
//! Chunks of normal size are covered by [`Budget::OVERHEAD`]. The memory of a larger record is
//! estimated once it has been read, and reserved until it has been processed; the next one waits if
//! there is no room for both. Readers refuse a record that needs more than [`Budget::for_records`]
//! before reading all of it. That limit depends only on the ceiling, so every pass over a
//! collection refuses the same records.

use crate::budget::{Budget, Reservation};
use crate::error::Result;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Bytes of memory for each byte of a record: as read, as bytes and as text.
const BYTE: u64 = 4;
/// Bytes of memory for each token: its fingerprint, its position, and those of the shingle that
/// begins there.
const TOKEN: u64 = 40;
/// Bytes of memory for each line or tag, which may begin a unit.
const MARK: u64 = 96;
/// Bytes per token if only the length of a text is known: words with their space are longer.
const WORD: u64 = 5;

/// Estimates the memory of a record piece by piece, without parsing it: tokens are counted by their
/// first bytes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Scales {
    characters: bool,
    bytes: u64,
    tokens: u64,
    marks: u64,
    held: u64,
    in_word: bool,
}

impl Scales {
    /// An empty estimate, for tokens that are words or characters.
    pub fn new(characters: bool) -> Self {
        Self {
            characters,
            ..Self::default()
        }
    }

    /// An estimate for this many bytes that are not text.
    pub fn of_bytes(bytes: u64) -> Self {
        Self {
            bytes,
            ..Self::default()
        }
    }

    /// Adds a text of this many bytes, of which nothing else is known.
    #[must_use]
    pub fn with_text(mut self, bytes: u64) -> Self {
        self.bytes += bytes;
        self.tokens += if self.characters { bytes } else { bytes / WORD };
        self
    }

    /// Adds the next piece of a record.
    pub fn add(&mut self, piece: &[u8]) {
        let Some(last) = piece.last() else { return };
        let mut before = self.in_word;
        self.in_word = is_word(*last);
        self.bytes += piece.len() as u64;
        // In blocks that small counters can hold, so that the loop vectorises.
        for stretch in piece.chunks(128) {
            let mut words = [0_u8; 128];
            for (word, byte) in words.iter_mut().zip(stretch) {
                *word = u8::from(is_word(*byte));
            }
            let (words, mut tokens, mut marks) = (&words[..stretch.len()], 0_u8, 0_u8);
            for pair in words.windows(2) {
                tokens += pair[1] & !pair[0];
            }
            tokens += words[0] & u8::from(!before);
            // In scripts without spaces each character is a token.
            let (mut wide, mut visible) = (0_u8, 0_u8);
            for byte in stretch {
                wide += u8::from(*byte >= 0xE0);
                visible += u8::from(*byte > b' ' && *byte & 0xC0 != 0x80);
                marks += u8::from(matches!(*byte, b'\n' | b'<'));
            }
            before = words[stretch.len() - 1] == 1;
            self.tokens += if self.characters {
                u64::from(visible)
            } else {
                u64::from(tokens) + u64::from(wide)
            };
            self.marks += u64::from(marks);
        }
    }

    /// Adds bytes that are only held.
    pub fn hold(&mut self, bytes: u64) {
        self.held += bytes;
    }

    /// The number of bytes added.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// An upper bound on the number of tokens added.
    pub fn tokens(&self) -> u64 {
        self.tokens
    }

    /// The memory in bytes that the record needs beyond a normal one.
    pub fn memory(&self) -> u64 {
        (BYTE.saturating_mul(self.bytes) + TOKEN * self.tokens + MARK * self.marks + self.held)
            .saturating_sub(Budget::CHUNK)
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

impl Budget {
    /// The memory assumed for a chunk of normal size, as part of [`Budget::OVERHEAD`].
    const CHUNK: u64 = 12 << 20;

    /// The memory in bytes for large records in flight: the rest is for tables, which may use half.
    pub fn for_records(&self) -> u64 {
        self.total().saturating_sub(Self::OVERHEAD) / 8 * 3
    }

    /// The size of a record in bytes above which it needs more than [`Budget::for_records`],
    /// whatever it contains.
    pub fn longest_record(&self) -> u64 {
        (self.for_records() + Self::CHUNK) / BYTE
    }

    /// The ceiling in MiB under which a record that needs this much memory can be read.
    pub fn enough_for_record(memory: u64) -> u64 {
        (memory.div_ceil(3).saturating_mul(8))
            .saturating_add(Self::OVERHEAD)
            .div_ceil(1 << 20)
            .saturating_add(1)
    }
}

/// Memory for large records, shared by all passes of a run. A pass leaves its memory to the next
/// one, which reads the same records.
#[derive(Debug)]
pub struct Large {
    budget: Arc<Budget>,
    state: Mutex<State>,
    given_back: Condvar,
}

#[derive(Debug, Default)]
struct State {
    held: Option<Reservation>,
    used: u64,
}

/// Memory of a large record, released on drop.
#[derive(Debug)]
pub struct Held {
    large: Arc<Large>,
    bytes: u64,
}

impl Large {
    pub(crate) fn new(budget: Arc<Budget>) -> Self {
        Self {
            budget,
            state: Mutex::default(),
            given_back: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reserves memory for a record, once others have released enough. The caller must not hold any
    /// itself.
    pub(crate) fn take(self: &Arc<Self>, bytes: u64) -> Result<Held> {
        let mut state = self.lock();
        loop {
            if state.fits(&self.budget, bytes) {
                state.used += bytes;
                return Ok(Held {
                    large: Arc::clone(self),
                    bytes,
                });
            }
            if state.used == 0 {
                // It may fit now if other tables were released meanwhile; the memory reserved here
                // is used in the next round.
                drop(
                    self.budget
                        .reserve(bytes - state.bytes(), "reading a long record")?,
                );
                continue;
            }
            state = self
                .given_back
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl State {
    fn bytes(&self) -> u64 {
        self.held.as_ref().map_or(0, Reservation::bytes)
    }

    /// Whether there is room for this much more, if necessary with more from the budget.
    fn fits(&mut self, budget: &Arc<Budget>, bytes: u64) -> bool {
        let wanted = self.used + bytes;
        let Some(more) = wanted.checked_sub(self.bytes()).filter(|more| *more > 0) else {
            return true;
        };
        if self.used > 0 && wanted > budget.for_records() {
            return false;
        }
        if let Some(held) = &mut self.held {
            return held.try_grow(more);
        }
        self.held = budget.try_reserve(more);
        self.held.is_some()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.large.lock().used -= self.bytes;
        self.large.given_back.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_and_marks_are_counted_across_pieces() {
        let text = "<p>two words\n東京, x_1 éa".repeat(1000);
        let mut whole = Scales::default();
        whole.add(text.as_bytes());
        assert_eq!(
            (whole.bytes, whole.tokens, whole.marks),
            (text.len() as u64, 8000, 2000)
        );
        let mut pieces = Scales::default();
        text.as_bytes()
            .chunks(7)
            .for_each(|piece| pieces.add(piece));
        assert_eq!(
            (pieces.tokens, pieces.marks, pieces.memory()),
            (whole.tokens, whole.marks, whole.memory())
        );
        let mut characters = Scales::new(true);
        text.as_bytes()
            .chunks(7)
            .for_each(|piece| characters.add(piece));
        assert_eq!(characters.tokens, 19_000, "all but white space");
    }

    #[test]
    fn the_ceiling_that_is_named_is_enough_and_not_far_too_much() {
        for memory in [0, 1, 2, 3, 1 << 20, 77_777_777, 123_456_789_012] {
            let enough = Budget::enough_for_record(memory) << 20;
            assert!(Budget::new(enough).for_records() >= memory);
            assert!(Budget::new(enough - (3 << 20)).for_records() < memory.max(1));
        }
    }

    #[test]
    fn a_record_waits_until_there_is_room_and_what_was_held_is_kept() {
        let budget = Arc::new(Budget::new(Budget::OVERHEAD + 800));
        let large = Arc::new(Large::new(Arc::clone(&budget)));
        let first = large.take(200).unwrap();
        std::thread::scope(|scope| {
            let second = scope.spawn(|| large.take(150).map(|held| held.bytes));
            std::thread::sleep(std::time::Duration::from_millis(20));
            assert!(
                !second.is_finished(),
                "together they take more than three eighths"
            );
            drop(first);
            assert_eq!(second.join().unwrap().unwrap(), 150);
        });
        assert_eq!(budget.free(), 600, "kept for the next pass");
        assert!(large.take(900).is_err());
    }
}
