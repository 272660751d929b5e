//! Places of tokens in keep order: those of the text that is kept first come first.

use crate::constraint::Allowed;
use crate::context::{Context, Reservation};
use crate::decide::Policy;
use crate::engine::taped::{At, Taped};
use crate::error::Result;

/// All texts in keep order, and where each begins; references come first.
pub(super) struct Order {
    /// The units, the most preferred first.
    units: Vec<u32>,
    /// By unit, its first place.
    starts: Vec<u64>,
    /// By position in `units`, its first place; then the number of places.
    firsts: Vec<u64>,
    _held: Reservation,
}

impl Order {
    /// The order of a policy.
    ///
    /// # Errors
    /// A usage error if it names a field that was not read; errors of the memory ceiling.
    pub(super) fn new(context: &Context, taped: &Taped, policy: &Policy) -> Result<Self> {
        let count = taped.units.len();
        let held = context
            .budget
            .reserve(24 * count as u64, "the order of the texts")?;
        let places = policy.keep.order(&taped.units)?;
        let mut units: Vec<u32> = (0..count as u32).collect();
        let is_own = |unit: u32| !taped.allowed.is_reference(taped.units.record_of(unit));
        units.sort_unstable_by_key(|unit| (is_own(*unit), places[*unit as usize]));
        let mut starts = vec![0; count];
        let mut firsts = Vec::with_capacity(count + 1);
        let mut at = 0;
        for unit in &units {
            starts[*unit as usize] = at;
            firsts.push(at);
            at += u64::from(taped.units.tokens[*unit as usize]);
        }
        firsts.push(at);
        Ok(Self {
            units,
            starts,
            firsts,
            _held: held,
        })
    }

    /// The place of a token.
    pub(super) fn place(&self, at: At) -> u64 {
        self.starts[at.unit as usize] + u64::from(at.token)
    }

    /// The number of places.
    pub(super) fn len(&self) -> u64 {
        self.firsts.last().copied().unwrap_or_default()
    }

    /// The token at a place.
    pub(super) fn at(&self, place: u64) -> At {
        // Texts without tokens begin where the next text does.
        let rank = self.firsts.partition_point(|first| *first <= place) - 1;
        At {
            unit: self.units[rank],
            token: (place - self.firsts[rank]) as u32,
        }
    }

    /// By record, equal for texts that may share a passage.
    pub(super) fn class(allowed: &Allowed, record: usize) -> u32 {
        allowed.origin(record).within as u32
    }
}
