//! The scan: token by token in keep order, which passages already occur in kept text.
//!
//! A sequence of n tokens is cut if an equal one ends before it, all of whose tokens are kept.
//! Whether they are is final by then: a sequence is only cut from where it begins. A sequence that
//! is itself wholly kept is the one that later ones are compared with, unless there is one already.

use super::Repeat;
use super::order::Order;
use crate::context::{Context, Reservation};
use crate::engine::taped::Taped;
use crate::error::Result;
use crate::hash::mix;
use crate::tape::TapeReader;
use std::collections::{HashMap, VecDeque};

/// A passage to cut, and the equal one that is kept. Places are in keep order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cut {
    /// Its first token.
    pub(super) at: u64,
    /// The first token of the kept one; none if no copy is kept.
    pub(super) source: Option<u64>,
    /// The number of tokens.
    pub(super) length: u32,
}

impl Cut {
    fn end(&self) -> u64 {
        self.at + u64::from(self.length)
    }
}

/// The scan so far.
pub(super) struct Scan<'a> {
    n: u64,
    taped: &'a Taped,
    order: &'a Order,
    tape: TapeReader<'a>,
    /// Disjoint, ascending.
    cuts: Vec<Cut>,
    /// The kept sequences that stand for later ones instead of the first with their hash, as that is
    /// cut or different.
    others: HashMap<Key, u64>,
    /// Sequences that may become such, ascending.
    waiting: VecDeque<(u64, Key)>,
    sides: [Vec<u32>; 2],
    held: Reservation,
}

/// The place of the first sequence with a hash, and another hash of the tokens.
type Key = (u64, u64);

const WHAT: &str = "the passages to cut";
/// Bytes of an entry in either list, which may have grown to twice what they hold.
const CUT: u64 = 2 * size_of::<Cut>() as u64;
const OTHER: u64 = 2 * (size_of::<(Key, u64)>() + 1) as u64;

impl<'a> Scan<'a> {
    pub(super) fn new(context: &Context, taped: &'a Taped, order: &'a Order) -> Result<Self> {
        Ok(Self {
            n: taped.n as u64,
            taped,
            order,
            tape: taped.tape.reader(),
            cuts: Vec::new(),
            others: HashMap::new(),
            waiting: VecDeque::new(),
            sides: Default::default(),
            held: context.budget.reserve(0, WHAT)?,
        })
    }

    /// The passages, and their memory.
    pub(super) fn finish(self) -> (Vec<Cut>, Reservation) {
        (self.cuts, self.held)
    }

    /// Goes on to the next repeated sequence; they must come in order.
    ///
    /// # Errors
    /// Errors of the memory ceiling or scratch.
    pub(super) fn push(&mut self, repeat: Repeat) -> Result<()> {
        let Repeat { at, first } = repeat;
        if first == Repeat::ALL {
            return self.cut(at, None);
        }
        self.register(at)?;
        if self.is_kept(first) && self.are_equal(at, first)? {
            return self.cut_unless_overlapping(at, first);
        }
        let key = (first, self.hash(at)?);
        match self.others.get(&key).copied() {
            Some(source) if self.are_equal(at, source)? => self.cut_unless_overlapping(at, source),
            Some(_) => Ok(()),
            None => {
                self.waiting.push_back((at, key));
                Ok(())
            }
        }
    }

    fn cut_unless_overlapping(&mut self, at: u64, source: u64) -> Result<()> {
        if source + self.n <= at {
            self.cut(at, Some(source))
        } else {
            Ok(())
        }
    }

    /// Sequences that end before `at` and are kept stand for later ones.
    fn register(&mut self, at: u64) -> Result<()> {
        while let Some((place, key)) = self.waiting.front().copied() {
            if place + self.n > at {
                break;
            }
            self.waiting.pop_front();
            if self.is_kept(place) && !self.others.contains_key(&key) {
                self.held.grow(OTHER, WHAT)?;
                self.others.insert(key, place);
            }
        }
        Ok(())
    }

    /// Whether all tokens of a sequence are kept.
    fn is_kept(&self, at: u64) -> bool {
        let before = self.cuts.partition_point(|cut| cut.at < at + self.n);
        before == 0 || self.cuts[before - 1].end() <= at
    }

    /// Cuts a sequence.
    fn cut(&mut self, at: u64, source: Option<u64>) -> Result<()> {
        let end = at + self.n;
        let Some(last) = self.cuts.last().copied().filter(|last| last.end() > at) else {
            return self.add(at, source, end);
        };
        let goes_on = match (last.source, source) {
            (None, None) => true,
            (Some(other), Some(source)) => {
                other + at == source + last.at || self.extends(last, other, end)?
            }
            _ => false,
        };
        if goes_on {
            if let Some(last) = self.cuts.last_mut() {
                last.length = (end - last.at) as u32;
            }
            return Ok(());
        }
        let from = last.end();
        self.add(from, source.map(|source| source + (from - at)), end)
    }

    fn add(&mut self, at: u64, source: Option<u64>, end: u64) -> Result<()> {
        if self.cuts.len() == self.cuts.capacity() {
            self.held
                .grow(CUT * (self.cuts.len() as u64).max(64) / 2, WHAT)?;
        }
        self.cuts.push(Cut {
            at,
            source,
            length: (end - at) as u32,
        });
        Ok(())
    }

    /// Whether the kept text in which the last passage occurs continues with the same tokens up to
    /// `end`, so that the passage need not be divided between two texts.
    fn extends(&mut self, last: Cut, source: u64, end: u64) -> Result<bool> {
        let length = end - last.at;
        let (own, other) = (self.order.at(source), source + length);
        let of_source = self.taped.range(own.unit);
        let left = of_source.end - of_source.start - u64::from(own.token);
        if left < length || other > last.at {
            return Ok(false);
        }
        let cut = self.cuts.partition_point(|cut| cut.at < other);
        if cut > 0 && self.cuts[cut - 1].end() > source {
            return Ok(false);
        }
        for at in last.end()..end {
            if self.token(at)? != self.token(source + (at - last.at))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether two sequences with one hash are equal.
    fn are_equal(&mut self, at: u64, source: u64) -> Result<bool> {
        // All but the last token were compared one token ago.
        if let Some(last) = self.cuts.last()
            && last.end() + 1 == at + self.n
            && last.at <= at
            && last
                .source
                .is_some_and(|other| other + (at - last.at) == source)
        {
            let end = self.n - 1;
            return Ok(self.token(at + end)? == self.token(source + end)?);
        }
        self.read(0, at)?;
        self.read(1, source)?;
        Ok(self.sides[0] == self.sides[1])
    }

    fn hash(&mut self, at: u64) -> Result<u64> {
        self.read(0, at)?;
        let all = self.sides[0].iter();
        Ok(all.fold(0, |hash, token| mix(hash ^ u64::from(*token))))
    }

    fn read(&mut self, side: usize, at: u64) -> Result<()> {
        let start = self.on_tape(at);
        self.sides[side].clear();
        self.tape
            .extend(start..start + self.n, &mut self.sides[side])
    }

    fn token(&mut self, at: u64) -> Result<u32> {
        let start = self.on_tape(at);
        self.tape.token(start)
    }

    fn on_tape(&self, place: u64) -> u64 {
        let at = self.order.at(place);
        self.taped.range(at.unit).start + u64::from(at.token)
    }
}
