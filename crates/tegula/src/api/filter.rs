//! A stream of texts without near copies.

use super::Dedup;
use crate::error::{Error, ErrorKind, Result};
use crate::filter;
use crate::threshold::Score;
use std::fmt;
use std::num::NonZeroU32;

/// Judges texts one after the other: a text is hidden if a kept one before it matches it at or
/// above the threshold. For search results in rank order, feeds, and anything else that is read
/// once.
///
/// ```
/// use tegula::{Dedup, Filter};
///
/// let hits = [
///     "The harbour was closed at noon because of the storm, the port authority said.",
///     "Two more ferries were cancelled in the evening.",
///     "The harbour was closed at noon because of the storm, the port authority said on Monday.",
/// ];
/// let mut filter = Filter::new(&Dedup::recipe("copies")?.threshold("0.8")?)?;
/// for (rank, hit) in hits.iter().enumerate() {
///     match filter.judge(hit)? {
///         None => println!("{hit}"),
///         Some(hidden) => assert_eq!((rank, hidden.witness, hidden.score.to_string()), (2, 0, "0.8333".into())),
///     }
/// }
/// assert_eq!((filter.judged(), filter.hidden()), (3, 1));
/// # Ok::<(), tegula::Error>(())
/// ```
///
/// The kept texts are exactly those without a match among the kept ones before them, by the
/// recipe's true measure. Under a directed recipe, such as `copies`, the score is the share of the
/// judged text that is in the kept one. So a longer version that comes later is kept as well: order
/// decides, and a kept text is never withdrawn.
///
/// # Cost
/// Reading the text, and a look-up for each of its shingles: some tens of microseconds for a page
/// of text. 25 to 50 bytes of memory for each distinct shingle of the kept texts, and under recipes
/// of coverage 8 for each of their tokens; [`Filter::last`] bounds it.
pub struct Filter {
    judge: filter::Filter,
    judged: usize,
    hidden: usize,
}

/// Why a text is hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hidden {
    /// The kept text that matches it best, the earliest of several: its index among the texts that
    /// were judged, from 0.
    pub witness: usize,
    /// Their score; under a directed recipe the share of the hidden text.
    pub score: Score,
}

impl Filter {
    /// A filter for a recipe with its settings: threshold, n-gram, normalisation, and the memory
    /// ceiling. The recipes are `copies`, `ssr`, `sscr`, their containments, `exact` and `plain`,
    /// and your own that start from one of these.
    ///
    /// # Errors
    /// A usage error if it is another recipe, or if there are references, constraints or a keep
    /// order, which a stream cannot have.
    pub fn new(dedup: &Dedup) -> Result<Self> {
        Self::of(dedup, None)
    }

    /// As [`Filter::new`], but compares each text with the last `count` kept ones only, so that
    /// memory is bounded however many texts there are.
    ///
    /// # Errors
    /// As [`Filter::new`].
    pub fn last(dedup: &Dedup, count: NonZeroU32) -> Result<Self> {
        Self::of(dedup, Some(count))
    }

    fn of(dedup: &Dedup, last: Option<NonZeroU32>) -> Result<Self> {
        dedup.check()?;
        if dedup.policy.check_order_decides().is_err() {
            return Err(Error::of("⟨keep⟩")
                .expected("none, as a stream always keeps the first text")
                .hint("sort the texts, or use run"));
        }
        if !dedup.constraints.is_empty() || !dedup.references.is_empty() {
            return Err(ErrorKind::Usage
                .expected("no constraints and no references, as texts of a stream have no fields")
                .hint("use one filter for each value of a field, or use run"));
        }
        Ok(Self {
            judge: filter::Filter::new(&dedup.recipe, &dedup.machine.context()?, last)?,
            judged: 0,
            hidden: 0,
        })
    }

    /// Judges a text and keeps it, unless it is hidden: then returns why.
    ///
    /// # Errors
    /// [`Memory`](crate::ErrorKind::Memory) if keeping it would exceed the ceiling: it then counts
    /// as not judged, and later texts may be.
    pub fn judge(&mut self, text: &str) -> Result<Option<Hidden>> {
        let hidden = self.judge.judge(text)?;
        self.judged += 1;
        self.hidden += usize::from(hidden.is_some());
        Ok(hidden.map(|hidden| Hidden {
            witness: hidden.witness as usize,
            score: hidden.score,
        }))
    }

    /// How many texts were judged.
    pub fn judged(&self) -> usize {
        self.judged
    }

    /// How many of them are hidden.
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// Bytes of memory that the kept texts take, at most.
    pub fn bytes(&self) -> u64 {
        self.judge.bytes()
    }
}

impl fmt::Debug for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Filter")
            .field("judged", &self.judged)
            .field("hidden", &self.hidden)
            .finish_non_exhaustive()
    }
}
