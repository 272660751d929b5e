//! Rounds of decisions: a text that no open text precedes is kept, and texts that match a kept one
//! are removed.

use crate::error::Result;

/// The state of a decision on a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Open,
    Kept,
    Removed,
}

/// Which text of a pair may be removed if the other is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) a_is_removable: bool,
    pub(crate) b_is_removable: bool,
}

impl Edge {
    /// Removes the open text of a pair because of the other, kept one.
    pub(crate) fn drive_out(self, (a, b): (u32, u32), states: &mut [State]) {
        match (states[a as usize], states[b as usize]) {
            (State::Kept, State::Open) if self.b_is_removable => {
                states[b as usize] = State::Removed;
            }
            (State::Open, State::Kept) if self.a_is_removable => {
                states[a as usize] = State::Removed;
            }
            _ => {}
        }
    }
}

/// Pairs of texts.
pub(crate) trait Edges {
    /// Calls `f` with the two texts of each pair.
    ///
    /// # Errors
    /// If they cannot be read.
    fn each(&self, f: &mut dyn FnMut(u32, u32, Edge)) -> Result<()>;
}

impl Edges for [(u32, u32, Edge)] {
    fn each(&self, f: &mut dyn FnMut(u32, u32, Edge)) -> Result<()> {
        for (a, b, edge) in self {
            f(*a, *b, *edge);
        }
        Ok(())
    }
}

/// How a round ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// No pair of open texts remains, so nothing can remove the remaining ones.
    Settled,
    /// Some text was decided on.
    Moved,
    /// Every open text of a pair waits for another, or must not be kept.
    Stuck,
}

/// Rounds over the pairs of some texts.
pub(crate) struct Rounds<'a> {
    /// Each text's position in keep order.
    places: &'a [u32],
    waits: Vec<bool>,
    /// Which open texts are contained one way in an open one.
    inside: Vec<bool>,
}

impl<'a> Rounds<'a> {
    /// Bytes per text.
    pub(crate) const BYTES: u64 = 2;

    pub(crate) fn new(places: &'a [u32]) -> Self {
        Self {
            places,
            waits: vec![false; places.len()],
            inside: vec![false; places.len()],
        }
    }

    /// Whether `a` waits for `b` rather than `b` for `a`: if both may be removed, the later in keep
    /// order waits, otherwise the one that may be removed.
    pub(crate) fn a_waits(places: &[u32], (a, b): (u32, u32), edge: Edge) -> bool {
        if edge.a_is_removable == edge.b_is_removable {
            places[b as usize] < places[a as usize]
        } else {
            edge.a_is_removable
        }
    }

    /// A round, in which only texts that `may_stay` are kept.
    pub(crate) fn round(
        &mut self,
        states: &mut [State],
        may_stay: impl Fn(u32) -> bool,
        edges: &(impl Edges + ?Sized),
    ) -> Result<Ended> {
        let Self {
            places,
            waits,
            inside,
        } = self;
        edges.each(&mut |a, b, edge| edge.drive_out((a, b), states))?;
        waits.fill(false);
        inside.fill(false);
        let mut open_pairs = false;
        edges.each(&mut |a, b, edge| {
            if states[a as usize] == State::Open && states[b as usize] == State::Open {
                open_pairs = true;
                waits[if Self::a_waits(places, (a, b), edge) {
                    a
                } else {
                    b
                } as usize] = true;
                if edge.a_is_removable != edge.b_is_removable {
                    inside[if edge.a_is_removable { a } else { b } as usize] = true;
                }
            }
        })?;
        let mut ended = if open_pairs {
            Ended::Stuck
        } else {
            Ended::Settled
        };
        for (text, (state, waits)) in (0..).zip(states.iter_mut().zip(waits)) {
            if *state == State::Open && !*waits && may_stay(text) {
                *state = State::Kept;
                if open_pairs {
                    ended = Ended::Moved;
                }
            }
        }
        Ok(ended)
    }

    /// Runs rounds until all texts are decided on. If they are stuck, keeps the first text in keep
    /// order that no open text contains one way.
    ///
    /// # Errors
    /// Any error from the pairs.
    pub(crate) fn settle(
        mut self,
        states: &mut [State],
        edges: &(impl Edges + ?Sized),
    ) -> Result<()> {
        loop {
            match self.round(states, |_| true, edges)? {
                Ended::Moved => {}
                Ended::Settled => return Ok(()),
                Ended::Stuck => {
                    // Containment and preference can form a cycle. A text that no open one contains
                    // one way is safe to keep, and there is always one, as a one-way container is
                    // larger: the first of these in keep order breaks the cycle.
                    let is_open = |text: &u32| {
                        states[*text as usize] == State::Open && !self.inside[*text as usize]
                    };
                    let first = (0..states.len() as u32)
                        .filter(is_open)
                        .min_by_key(|text| self.places[*text as usize]);
                    if let Some(first) = first {
                        states[first as usize] = State::Kept;
                    }
                }
            }
        }
    }
}
