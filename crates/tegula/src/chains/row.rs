//! A row: an occurrence of a shingle, as part of its hash and its position.
//!
//! The partition represents the uppermost bits of the hash. Positions have 32 bits, and where a
//! collection may have more of them, as many bits as it needs: these replace the lowest of the
//! hash.

use bytemuck::Pod;

/// The widths of the parts of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bits {
    /// Bits of the hash that choose the partition.
    pub(crate) partition: u32,
    /// Bits of a position.
    pub(crate) position: u32,
}

impl Bits {
    /// The most bits of a position.
    pub(crate) const MOST: u32 = 44;

    /// With these bits of a partition, or more if positions have many: rows have room for one more bit
    /// than those of a position that do not fit in 32.
    pub(crate) fn new(partition: u32, position: u32) -> Self {
        let position = position.clamp(32, Self::MOST);
        Self {
            partition: partition.max(position - 31),
            position,
        }
    }

    /// The number of positions.
    pub(crate) fn positions(self) -> u64 {
        1 << self.position
    }

    /// The partition of a hash.
    #[inline]
    pub(crate) fn partition_of(self, id: u64) -> usize {
        (id >> (64 - self.partition)) as usize
    }

    /// Upper bits of positions that do not fit in 32 bits.
    fn upper(self) -> u32 {
        self.position - 32
    }

    /// The first position from `at` on where a text may begin.
    #[inline]
    pub(super) fn next_start(self, at: u64) -> u64 {
        at.next_multiple_of(1 << self.upper())
    }

    /// Such a position in 32 bits.
    #[inline]
    pub(crate) fn stored(self, start: u64) -> u32 {
        (start >> self.upper()) as u32
    }

    /// The position that was stored.
    #[inline]
    pub(crate) fn start(self, stored: u32) -> u64 {
        u64::from(stored) << self.upper()
    }
}

/// What is sorted by hash.
pub(crate) trait Hashed: Copy + Default {
    /// By it rows with equal hashes are adjacent.
    type Order: Ord + Copy;

    /// The upper bits of the hash; the lowest may be others.
    fn hash(self) -> u64;

    /// See [`Hashed::Order`].
    fn order(self, bits: Bits) -> Self::Order;
}

/// An occurrence of a shingle; in order of hash, then position.
pub(crate) trait Row: Hashed + Pod + Send + Sync {
    /// Of a shingle with this id; its check is computed if the row keeps it.
    fn new(
        bits: Bits,
        id_and_check: (u64, impl FnOnce() -> u64),
        has_number: bool,
        position: u64,
    ) -> Self;

    /// Whether the hashes of two are equal.
    fn is_like(self, other: Self, bits: Bits) -> bool;

    /// The position.
    fn position(self, bits: Bits) -> u64;

    /// Whether the shingle has a number in it, if that matters.
    fn has_number(self, _: Bits) -> bool {
        false
    }
}

/// A row of 64 bits: the hash above the position.
impl Row for u64 {
    #[inline]
    fn new(
        bits: Bits,
        (id, _): (u64, impl FnOnce() -> u64),
        _has_number: bool,
        position: u64,
    ) -> Self {
        (id << bits.partition) & (Self::MAX << bits.position) | position
    }

    #[inline]
    fn is_like(self, other: Self, bits: Bits) -> bool {
        self >> bits.position == other >> bits.position
    }

    #[inline]
    fn position(self, bits: Bits) -> u64 {
        self & !(Self::MAX << bits.position)
    }
}

impl Hashed for u64 {
    type Order = Self;

    #[inline]
    fn hash(self) -> u64 {
        self
    }

    #[inline]
    fn order(self, _: Bits) -> Self {
        self
    }
}

/// A row with 31 further bits of an independent hash: the hash, above the upper bits of the position;
/// the check, and whether the shingle has a number; the lower bits of the position. For measures that
/// count the texts with a shingle, and so must know it by its hash alone.
pub(crate) type Wide = [u32; 3];

impl Row for Wide {
    #[inline]
    fn new(
        bits: Bits,
        (id, check): (u64, impl FnOnce() -> u64),
        has_number: bool,
        position: u64,
    ) -> Self {
        let hash = ((id << bits.partition) >> 32) as u32;
        [
            hash & (u32::MAX << bits.upper()) | (position >> 32) as u32,
            check() as u32 & !1 | u32::from(has_number),
            position as u32,
        ]
    }

    #[inline]
    fn is_like(self, other: Self, bits: Bits) -> bool {
        self[0] >> bits.upper() == other[0] >> bits.upper() && self[1] == other[1]
    }

    #[inline]
    fn position(self, bits: Bits) -> u64 {
        let upper = self[0] & !(u32::MAX << bits.upper());
        u64::from(upper) << 32 | u64::from(self[2])
    }

    #[inline]
    fn has_number(self, _: Bits) -> bool {
        self[1] & 1 == 1
    }
}

impl Hashed for Wide {
    type Order = (u64, u64);

    #[inline]
    fn hash(self) -> u64 {
        u64::from(self[0]) << 32 | u64::from(self[1])
    }

    #[inline]
    fn order(self, bits: Bits) -> (u64, u64) {
        let hash = self[0] >> bits.upper();
        (
            u64::from(hash) << 32 | u64::from(self[1]),
            self.position(bits),
        )
    }
}

/// A row with the whole id and check: the id without the bits of the partition, above whether the
/// shingle has a number and the upper bits of the position; the check; the lower bits of the position.
/// For features that are not counted in tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, packed(4))]
pub(crate) struct Full {
    id: u64,
    check: u64,
    position: u32,
}

impl Row for Full {
    #[inline]
    fn new(
        bits: Bits,
        (id, check): (u64, impl FnOnce() -> u64),
        has_number: bool,
        position: u64,
    ) -> Self {
        Self {
            // The lowest bits are free, as there are at least as many partitions.
            id: id << bits.partition | u64::from(has_number) << bits.upper() | position >> 32,
            check: check(),
            position: position as u32,
        }
    }

    #[inline]
    fn is_like(self, other: Self, bits: Bits) -> bool {
        let [a, b] = [self, other].map(|row| row.id >> bits.upper());
        let [x, y] = [self, other].map(|row| row.check);
        a == b && x == y
    }

    #[inline]
    fn position(self, bits: Bits) -> u64 {
        let upper = self.id & !(u64::MAX << bits.upper());
        upper << 32 | u64::from(self.position)
    }

    #[inline]
    fn has_number(self, bits: Bits) -> bool {
        self.id >> bits.upper() & 1 == 1
    }
}

impl Hashed for Full {
    type Order = (u64, u64, u64);

    #[inline]
    fn hash(self) -> u64 {
        self.id
    }

    #[inline]
    fn order(self, bits: Bits) -> (u64, u64, u64) {
        (self.id >> bits.upper(), self.check, self.position(bits))
    }
}

impl Full {
    /// The id of the shingle.
    #[inline]
    pub(super) fn id(self, bits: Bits, partition: usize) -> u64 {
        self.id >> bits.partition | (partition as u64) << (64 - bits.partition)
    }

    /// Whether the ids of two are equal, whatever their checks.
    #[inline]
    pub(super) fn has_id_of(self, other: Self, bits: Bits) -> bool {
        let [a, b] = [self, other].map(|row| row.id >> bits.upper());
        a == b
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    fn holds<R: Row>(kept: u32) {
        for (partition, position) in [(4, 32), (12, 36), (12, 44), (0, 40)] {
            let bits = Bits::new(partition, position);
            let last = bits.positions() - 1;
            let row = |id: u64, at: u64| R::new(bits, (id, || mix(id)), false, at);
            for id in (0..500).map(mix) {
                for at in [0, 1, u64::from(u32::MAX).min(last), last] {
                    let one = row(id, at);
                    assert_eq!(one.position(bits), at);
                    assert!(one.is_like(row(id, last - at), bits));
                    assert!(row(id, 0).order(bits) <= one.order(bits));
                    // The uppermost bits of the hash that the row keeps.
                    let other = row(id ^ 1 << (63 - bits.partition), at);
                    assert!(!one.is_like(other, bits) && one.order(bits) != other.order(bits));
                    let kept = kept - (bits.position - 32).min(kept);
                    let same = bits.partition + kept.min(64 - bits.partition);
                    assert_eq!(
                        one.hash() >> (64 - kept.min(24)),
                        (id << bits.partition) >> (64 - kept.min(24)),
                        "{same}"
                    );
                }
            }
        }
    }

    #[test]
    fn rows_keep_their_parts() {
        holds::<u64>(32);
        holds::<Wide>(32);
        holds::<Full>(56);
    }

    #[test]
    fn whole_rows_know_their_shingle_and_whether_it_has_a_number() {
        for (partition, position) in [(4, 32), (12, 36), (12, 44), (0, 32)] {
            let bits = Bits::new(partition, position);
            for id in (0..500).map(mix) {
                for (at, has_number) in [(7, false), (bits.positions() - 1, true)] {
                    let row = Full::new(bits, (id, || !id), has_number, at);
                    assert_eq!(row.id(bits, bits.partition_of(id)), id);
                    assert_eq!((row.check, row.position(bits)), (!id, at));
                    assert_eq!(row.has_number(bits), has_number);
                }
            }
        }
    }

    #[test]
    fn starts_fit_in_32_bits() {
        for position in [32, 37, 44] {
            let bits = Bits::new(4, position);
            for at in [0, 5, bits.positions() - (1 << 16)] {
                let start = bits.next_start(at);
                assert!(start >= at && start - at < 1 << (position - 32));
                assert_eq!(bits.start(bits.stored(start)), start);
            }
        }
    }
}
