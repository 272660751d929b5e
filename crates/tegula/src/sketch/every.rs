//! Every m-th shingle by position ("every 25th shingle" of DSC, Broder et al. 1997).
//!
//! Positions count from the beginning of each text, so an additional word at the beginning shifts
//! all others: two texts that differ only in their first word may have no selected shingle in
//! common. [`super::modulo`] and [`super::winnow`] avoid this; this method is included because the
//! papers compare with it.

/// The positions of every `nth` of `shingles` shingles, the first included; 0 counts as 1. `out` is
/// cleared first.
pub fn positions(shingles: u32, nth: u32, out: &mut Vec<u32>) {
    out.clear();
    out.extend((0..shingles).step_by(nth.max(1) as usize));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_third_begins_with_the_first() {
        let mut out = vec![1];
        for (shingles, nth, expected) in [
            (8, 3, &[0, 3, 6][..]),
            (3, 3, &[0]),
            (2, 1, &[0, 1]),
            (2, 0, &[0, 1]),
            (0, 5, &[]),
        ] {
            positions(shingles, nth, &mut out);
            assert_eq!(out, expected);
        }
    }
}
