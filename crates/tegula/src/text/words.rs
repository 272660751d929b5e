//! Computes the fingerprints of default tokens and those of plain fingerprints, without storing the
//! tokens: the hot path of every run.
//!
//! Bytes are converted to lower case and classified 64 at a time into bit masks (`lanes`),
//! including the two-byte letters of most Latin and Cyrillic texts and common punctuation; a run of
//! word bytes is a token, hashed in place. Runs with other characters are processed by `scan`:
//! boundaries separate runs independently of their context.

#![expect(
    clippy::inline_always,
    reason = "what is compiled for certain processors has to be in one function"
)]

use super::lanes::{Best, Lanes, Task, WIDTH};
use super::scan::{lower_letters, lower_words};
use crate::error::{ErrorKind, Result};
use crate::hash::{self, Fingerprint, LANE};
use std::ops::Range;

/// Blocks processed before their tokens are hashed: their edges stay in cache.
const BLOCKS: usize = 64;

/// Kinds of tokens with a fast path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fast {
    /// The default ones.
    Words,
    /// Tokens of letters only, as in the preset `plain`.
    Letters,
}

/// Buffers of one thread.
#[derive(Debug, Default)]
pub struct Words {
    lanes: Best,
    /// The text in lower case, up to the last processed block, with room for one more lane.
    lowered: Vec<u8>,
    /// By block, the first bytes of characters that need a look-up.
    unusual: Vec<u64>,
    /// The alternating starts and ends of runs, beginning with the first block.
    edges: Vec<u32>,
}

impl Words {
    /// With lanes of this name, to measure them: avx512, avx2, neon or portable. By default they
    /// are the best of the processor.
    ///
    /// # Errors
    /// A usage error if the processor does not have them.
    pub fn with_lanes(name: &str) -> Result<Self> {
        let lanes = Best::all().find(|lanes| lanes.name() == name);
        let lanes = lanes.ok_or_else(|| {
            ErrorKind::Usage
                .expected("lanes of this processor")
                .found(format!("\"{name}\""))
        })?;
        Ok(Self {
            lanes,
            ..Self::default()
        })
    }

    /// The name of its lanes.
    pub fn lanes(&self) -> &'static str {
        self.lanes.name()
    }

    /// Appends the fingerprints of the tokens of `text`, which is assumed to be in normal form C.
    /// Returns whether it may not be: false for all texts without characters that this form may
    /// change.
    pub fn fingerprints(&mut self, text: &str, fast: Fast, out: &mut Vec<Fingerprint>) -> bool {
        self.read(text, fast, out)
    }

    /// The same for the bytes of the tokens in `text`.
    pub(crate) fn spans(&mut self, text: &str, fast: Fast, out: &mut Vec<Range<usize>>) -> bool {
        self.read(text, fast, out)
    }

    fn read<T: OfToken>(&mut self, text: &str, fast: Fast, out: &mut Vec<T>) -> bool {
        // One more byte: the end of the text is a boundary.
        let blocks = text.len() / WIDTH + 1;
        if self.lowered.len() < blocks * WIDTH + LANE {
            self.lowered.resize(blocks * WIDTH + LANE, b' ');
            self.unusual.resize(blocks, 0);
            self.edges.resize((BLOCKS + 1) * WIDTH, 0);
        }
        let tail = Tail::of(text.as_bytes());
        let mut carried = Carried::default();
        // The start of a run that is still open.
        let mut open = None;
        for first in (0..blocks).step_by(BLOCKS) {
            let edges = self.lanes.run(Look {
                text: text.as_bytes(),
                tail: &tail,
                fast,
                blocks: first..blocks.min(first + BLOCKS),
                carried: &mut carried,
                words: (&mut self.lowered, &mut self.unusual, &mut self.edges),
            });
            let place = |edge: &u32| first * WIDTH + *edge as usize;
            let mut edges = &self.edges[..edges];
            if let (Some(from), [to, rest @ ..]) = (open, edges) {
                self.push((text, fast), from, place(to), out);
                (open, edges) = (None, rest);
            }
            let (runs, left) = edges.as_chunks::<2>();
            if carried.any_unusual {
                for [from, to] in runs {
                    self.push((text, fast), place(from), place(to), out);
                }
            } else {
                out.extend(
                    runs.iter()
                        .map(|[from, to]| T::of_run(self, place(from), place(to))),
                );
            }
            if let [from] = left {
                open = Some(place(from));
            }
        }
        carried.may_move
    }

    #[inline]
    fn push<T: OfToken>(
        &self,
        (text, fast): (&str, Fast),
        start: usize,
        end: usize,
        out: &mut Vec<T>,
    ) {
        if !self.is_unusual(start, end) {
            out.push(T::of_run(self, start, end));
            return;
        }
        match fast {
            Fast::Words => lower_words(&text[start..end], |place, token| {
                out.push(T::of_word(token, start + place.start..start + place.end));
            }),
            Fast::Letters => {
                // Marks after a digit are part of the number.
                let digit =
                    usize::from(text[..start].ends_with(|before: char| before.is_ascii_digit()));
                let start = start - digit;
                lower_letters(&text[start..end], |place, token| {
                    out.push(T::of_word(token, start + place.start..start + place.end));
                });
            }
        }
    }

    /// Whether a character of the run needs a look-up.
    #[inline]
    fn is_unusual(&self, from: usize, to: usize) -> bool {
        let (first, last) = (from / WIDTH, (to - 1) / WIDTH);
        let (head, tail) = (
            u64::MAX << (from % WIDTH),
            u64::MAX >> (WIDTH - 1 - (to - 1) % WIDTH),
        );
        if first == last {
            return self.unusual[first] & head & tail != 0;
        }
        self.unusual[first] & head != 0
            || self.unusual[last] & tail != 0
            || self.unusual[first + 1..last]
                .iter()
                .any(|block| *block != 0)
    }
}

/// What is wanted of each token.
trait OfToken {
    /// Of a run that is one token.
    fn of_run(words: &Words, from: usize, to: usize) -> Self;
    /// Of a token in lower case, and its place in the text.
    fn of_word(token: &str, place: Range<usize>) -> Self;
}

impl OfToken for Fingerprint {
    #[inline]
    fn of_run(words: &Words, from: usize, to: usize) -> Self {
        let lowered = &words.lowered[from..];
        match lowered.first_chunk::<LANE>() {
            Some(lane) if to - from <= LANE => hash::short_token(lane, to - from),
            _ => hash::token(&lowered[..to - from]),
        }
    }

    fn of_word(token: &str, _: Range<usize>) -> Self {
        hash::token(token.as_bytes())
    }
}

impl OfToken for Range<usize> {
    #[inline]
    fn of_run(_: &Words, from: usize, to: usize) -> Self {
        from..to
    }

    fn of_word(_: &str, place: Range<usize>) -> Self {
        place
    }
}

/// The end of a text, padded with spaces.
struct Tail {
    /// Its first block.
    first: usize,
    bytes: [u8; 3 * WIDTH],
}

impl Tail {
    /// All earlier blocks can be read from the text, including two bytes after each.
    fn of(text: &[u8]) -> Self {
        let first = text.len().saturating_sub(2) / WIDTH;
        let rest = &text[first * WIDTH..];
        let mut bytes = [b' '; 3 * WIDTH];
        bytes[..rest.len()].copy_from_slice(rest);
        Self { first, bytes }
    }
}

/// State carried from block to block.
#[derive(Default)]
struct Carried {
    /// Whether a run is open.
    word: u64,
    /// Bytes at the start of the next block that belong to characters begun before.
    gap: u64,
    second: Seconds,
    /// Whether a character needs a look-up.
    any_unusual: bool,
    /// Whether normal form C may change a character.
    may_move: bool,
}

/// Second bytes, by how they are converted to lower case.
#[derive(Default, Clone, Copy)]
struct Seconds {
    /// Add 0x20.
    more: u64,
    /// Add 1.
    next: u64,
    /// Subtract 0x20.
    less: u64,
    /// Add 0x10.
    half: u64,
}

impl Seconds {
    fn any(self) -> bool {
        self.more | self.next | self.less | self.half != 0
    }

    /// Converts masks of first bytes into masks of second bytes: those of this block, and those of
    /// the next.
    #[inline(always)]
    fn shifted(self, before: Self) -> (Self, Self) {
        let Self {
            more,
            next,
            less,
            half,
        } = self;
        (
            Self {
                more: more << 1 | before.more,
                next: next << 1 | before.next,
                less: less << 1 | before.less,
                half: half << 1 | before.half,
            },
            Self {
                more: more >> 63,
                next: next >> 63,
                less: less >> 63,
                half: half >> 63,
            },
        )
    }
}

/// The processing of some blocks: converts to lower case, finds characters to look up, and returns
/// the number of run edges.
struct Look<'a> {
    text: &'a [u8],
    tail: &'a Tail,
    fast: Fast,
    blocks: Range<usize>,
    carried: &'a mut Carried,
    words: (&'a mut [u8], &'a mut [u64], &'a mut [u32]),
}

impl Task for Look<'_> {
    type Out = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        let Self {
            text,
            tail,
            fast,
            blocks,
            carried,
            words: (lowered, unusual, edges),
        } = self;
        let mut found = 0;
        let begin = blocks.start;
        for block in blocks {
            let source = if block < tail.first {
                &text[block * WIDTH..]
            } else {
                &tail.bytes[(block - tail.first) * WIDTH..]
            };
            let Some((source, lowered)) = source
                .first_chunk::<{ WIDTH + 2 }>()
                .zip(lowered[block * WIDTH..].first_chunk_mut::<WIDTH>())
            else {
                break;
            };
            let bytes = load(lanes, source, 0);
            let capital = lanes.within(bytes, b'A', 26);
            let small = lanes.add(bytes, capital, 0x20);
            let high = lanes.high(bytes);
            let letter = lanes.within(small, b'a', 26) | high;
            let mut word = match fast {
                Fast::Words => letter | lanes.within(bytes, b'0', 10) | lanes.equal(bytes, b'_'),
                Fast::Letters => letter,
            };
            if high | carried.gap == 0 && !carried.second.any() {
                lanes.store(small, lowered);
                unusual[block] = 0;
            } else {
                let gap;
                (gap, unusual[block]) = beyond_ascii(lanes, source, small, lowered, carried);
                word &= !gap;
            }
            let edge = word ^ (word << 1 | carried.word);
            carried.word = word >> 63;
            let Some(room) = edges[found..].first_chunk_mut::<WIDTH>() else {
                break;
            };
            found += lanes.places(edge, ((block - begin) * WIDTH) as u32, room);
        }
        found
    }
}

/// The 64 bytes at offset `from`, which is 0 to 2.
#[inline(always)]
fn load<L: Lanes>(lanes: L, source: &[u8; WIDTH + 2], from: usize) -> L::Bytes {
    let (chunks, _) = source[from..].as_chunks::<WIDTH>();
    lanes.load(&chunks[0])
}

/// Converts a block with non-ASCII bytes; `small` is converted as far as these rules go. Returns
/// which bytes are boundaries, and the starts of characters that need a look-up.
#[inline(always)]
fn beyond_ascii<L: Lanes>(
    lanes: L,
    source: &[u8; WIDTH + 2],
    small: L::Bytes,
    lowered: &mut [u8; WIDTH],
    carried: &mut Carried,
) -> (u64, u64) {
    let (bytes, next) = (load(lanes, source, 0), load(lanes, source, 1));
    let lead = lanes.within(bytes, 0xC0, 0x40);
    // Latin-1: its punctuation except letters, numbers and pictographs; its letters, including ×
    // and ÷.
    let (c2, c3) = (lanes.equal(bytes, 0xC2), lanes.equal(bytes, 0xC3));
    let times = c3 & lanes.equal(next, 0x97);
    let divided = c3 & lanes.equal(next, 0xB7);
    let signs = lanes.between(next, 0xA9, 0xAA)
        | lanes.between(next, 0xAE, 0xAE)
        | lanes.between(next, 0xB2, 0xB3)
        | lanes.between(next, 0xB5, 0xB5);
    let signs = c2 & (signs | lanes.between(next, 0xB9, 0xBA) | lanes.between(next, 0xBC, 0xBE));
    let mut gap = c2 & !signs | times | divided;
    let mut known = c2 & !signs | c3;
    let mut seconds = Seconds {
        more: c3 & lanes.between(next, 0x80, 0x9E) & !times,
        ..Seconds::default()
    };
    // Letters of the languages between German and Russian: lower case is alternately odd or even,
    // with one exception.
    let (c4, c5) = (lanes.equal(bytes, 0xC4), lanes.equal(bytes, 0xC5));
    if c4 | c5 != 0 {
        let odd = lanes.odd(next);
        let dotted = c4 & lanes.equal(next, 0xB0);
        let dot = c4 & lanes.equal(next, 0xBF);
        let diaeresis = c5 & lanes.equal(next, 0xB8);
        let even =
            c4 & lanes.between(next, 0x80, 0xB7) & !dotted | c5 & lanes.between(next, 0x8A, 0xB7);
        let uneven = c4 & lanes.between(next, 0xB9, 0xBE)
            | c5 & (lanes.between(next, 0x81, 0x87) | lanes.between(next, 0xB9, 0xBE));
        seconds.next = even & !odd | uneven & odd;
        known |= (c4 | c5) & !(dotted | dot | diaeresis);
    }
    let (d0, d1) = (lanes.equal(bytes, 0xD0), lanes.equal(bytes, 0xD1));
    let mut raised = 0;
    if d0 | d1 != 0 {
        seconds.more |= d0 & lanes.between(next, 0x90, 0x9F);
        seconds.less = d0 & lanes.between(next, 0xA0, 0xAF);
        seconds.half = d0 & lanes.between(next, 0x80, 0x8F);
        seconds.next |= d1 & lanes.between(next, 0xA0, 0xBF) & !lanes.odd(next);
        raised = seconds.less | seconds.half;
        known |= d0 | d1;
    }
    // Dashes, quotation marks, the ellipsis.
    let e2 = lanes.equal(bytes, 0xE2);
    let mut third = 0;
    if e2 != 0 {
        third =
            e2 & lanes.between(next, 0x80, 0x80) & lanes.within(load(lanes, source, 2), 0x90, 0x18);
        gap |= third;
        known |= third;
    }
    let unusual = lead & !known;
    carried.any_unusual |= unusual != 0;
    carried.may_move |=
        lanes.within(bytes, 0xCC, 0x34) & !lanes.within(bytes, 0xCF, 3) & !third != 0;
    let all = gap | gap << 1 | third << 2 | carried.gap;
    carried.gap = gap >> 63 | third >> 62;
    let (here, later) = seconds.shifted(carried.second);
    carried.second = later;
    let mut small = small;
    if here.any() {
        for (which, more) in [
            (here.more, 0x20),
            (here.next, 1),
            (here.less, 0xE0),
            (here.half, 0x10),
            (raised, 1),
        ] {
            small = lanes.add(small, which, more);
        }
    } else {
        small = lanes.add(small, raised, 1);
    }
    lanes.store(small, lowered);
    (all, unusual)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::normalise::{Normalisation, Normaliser, Tokens};
    use proptest::prelude::*;

    /// What is said of each token.
    type Token = (Fingerprint, Range<usize>);

    /// In each of the lanes of this processor, which are to agree.
    fn fast(text: &str, fast: Fast) -> Vec<Token> {
        let mut all = Best::all().map(|lanes| {
            let mut words = Words {
                lanes,
                ..Words::default()
            };
            both(&mut words, text, fast)
        });
        let first = all.next().unwrap();
        assert!(all.all(|other| other == first), "{text:?}");
        first
    }

    fn both(words: &mut Words, text: &str, fast: Fast) -> Vec<Token> {
        let (mut fingerprints, mut spans) = (Vec::new(), Vec::new());
        let may_move = words.fingerprints(text, fast, &mut fingerprints);
        assert_eq!(words.spans(text, fast, &mut spans), may_move);
        assert_eq!(fingerprints.len(), spans.len(), "{text:?}");
        fingerprints.into_iter().zip(spans).collect()
    }

    fn defined(text: &str, fast: Fast) -> Vec<Token> {
        let mut tokens = Tokens::default();
        let preset = if fast == Fast::Words {
            "default"
        } else {
            "plain"
        };
        Normaliser::new(&Normalisation::preset(preset).unwrap())
            .unwrap()
            .tokens(text, &mut tokens);
        let fingerprints = tokens.iter().map(|token| hash::token(token.as_bytes()));
        fingerprints.zip(tokens.spans.iter().cloned()).collect()
    }

    #[test]
    fn runs_may_cross_blocks_and_end_anywhere() {
        for length in 0..200 {
            for text in [
                "a".repeat(length),
                format!("{}ä b", "X".repeat(length)),
                format!("{} {}", "-".repeat(length), "z9_".repeat(length)),
            ] {
                for kind in [Fast::Words, Fast::Letters] {
                    assert_eq!(fast(&text, kind), defined(&text, kind), "{text}");
                }
            }
        }
    }

    #[test]
    fn every_character_is_as_defined_wherever_it_stands() {
        use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

        let mut words = Words::default();
        let mut spelled = String::new();
        // Of those that are alike, every 64th: Han, Hangul, and what is not assigned.
        let is_alike = |c: char| {
            let category = c.general_category();
            matches!(
                category,
                GeneralCategory::Unassigned | GeneralCategory::PrivateUse
            ) || matches!(c, '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}' | '\u{20000}'..)
        };
        let all = ('\0'..=char::MAX).filter(|c| !is_alike(*c) || *c as u32 % 64 == 63);
        for (at, c) in all.enumerate() {
            // In a word, at its begin and its end, and where blocks and windows end.
            if at % 4 == 0 {
                spelled.push_str(&"-".repeat(at / 4 % 61));
            }
            spelled.extend([
                'B', c, 'b', ' ', c, c, 'K', c, '\u{301}', '?', c, '\u{FE0F}', '7', c,
            ]);
            if spelled.len() > 9000 || c == char::MAX {
                spelled =
                    unicode_normalization::UnicodeNormalization::nfc(spelled.as_str()).collect();
                for kind in [Fast::Words, Fast::Letters] {
                    let found = both(&mut words, &spelled, kind);
                    assert!(found == defined(&spelled, kind), "near {c:?}");
                }
                spelled.clear();
            }
        }
    }

    #[test]
    fn a_text_in_another_form_never_passes_for_one() {
        for c in '\0'..=char::MAX {
            let text: String = ['a', c, 'e', c].into_iter().collect();
            let form: String =
                unicode_normalization::UnicodeNormalization::nfc(text.as_str()).collect();
            assert!(
                form == text || Words::default().fingerprints(&text, Fast::Words, &mut Vec::new()),
                "{c:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn the_fast_path_equals_the_definition(
            parts in prop::collection::vec(
                prop_oneof![
                    "[a-zA-Z0-9_]{1,20}", "[ .,;:!?#*-]{1,3}", "[äöüßÄÖÜéčžôЖя]{1,4}", "[\u{a0}-\u{17f}]{1,30}", "[\u{400}-\u{47f}]{1,30}", "[\u{4e00}-\u{4e10}ぁァ한]{1,3}",
                    "[\u{2013}\u{201e}\u{a0}\u{2026}×÷»]{1,3}", "[\u{301}\u{fe0f}\u{20e3}\u{200d}]", "[😀👍🏽🇩🇪❤]{1,3}", "\\PC{0,6}"
                ],
                0..40,
            ),
            repeat in prop_oneof![Just(1_usize), 1..60_usize],
        ) {
            // Across the ends of blocks, and of batches of blocks.
            let text: String = parts.concat().repeat(repeat);
            let form: String = unicode_normalization::UnicodeNormalization::nfc(text.as_str()).collect();
            for kind in [Fast::Words, Fast::Letters] {
                prop_assert_eq!(fast(&form, kind), defined(&form, kind));
            }
        }
    }
}
