//! How far a passage may extend beyond an equal stretch: bounds that need no alignment.

use super::Wanted;

/// The tokens that an extension looks at: what comes after as many edits as a gap may have, and
/// outweighs them.
pub(super) fn window(wanted: &Wanted) -> u32 {
    2 * wanted.max_gap + 8
}

/// The tokens by which a stretch can be extended at one end, at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub(super) struct Growth(u16);

impl Growth {
    /// It cannot be extended.
    pub(super) const NONE: Self = Self(0);
    /// Nothing is known.
    pub(super) const UNBOUNDED: Self = Self(u16::MAX);

    /// The tokens, unless they are unbounded.
    pub(super) fn bound(self) -> Option<u32> {
        (self != Self::UNBOUNDED).then_some(u32::from(self.0))
    }

    /// Of the tokens beyond one end of a stretch, up to a [`window`] of them on both sides, in order
    /// from that end: without their order.
    ///
    /// Each extension aligns beginnings of what follows so that equal tokens exceed edits; its score,
    /// equal tokens less edits, never falls below −`max_gap`. So all of them together are one alignment
    /// whose score is positive, and at least 1 − `max_gap` where it leaves the window. Of its first m
    /// tokens no more are equal than are in both sides, and most alignments never leave the window.
    pub(super) fn roughly<'t>(a: impl Side<'t>, b: &[u32], wanted: &Wanted) -> Self {
        let length = a.len().max(b.len()) as u32;
        let (reach, hits) = common(a, b);
        Self::of(reach, length, hits, wanted)
    }

    /// The same, with the longest common subsequences bounding the equal tokens.
    pub(super) fn closely<'t>(a: impl Side<'t>, b: impl Side<'t>, wanted: &Wanted) -> Self {
        let (mut last, mut reach) = ((0, 0), 0);
        let is_bounded = subsequences(a, b, |m, same| {
            last = (m, same);
            if 2 * same > m {
                reach = m;
            }
        });
        if is_bounded {
            Self::of(reach, last.0, last.1, wanted)
        } else {
            Self::UNBOUNDED
        }
    }

    fn of(reach: u32, length: u32, same: u32, wanted: &Wanted) -> Self {
        let may_leave = length == window(wanted) && 2 * same + wanted.max_gap > length;
        match u16::try_from(reach) {
            Ok(reach) if reach == 0 || !may_leave => Self(reach),
            _ => Self::UNBOUNDED,
        }
    }
}

/// Whether a stretch of so many tokens may have at least `least` of them once it is extended.
pub(super) fn may_have(least: u32, tokens: u32, behind: Growth, ahead: Growth) -> bool {
    match (behind.bound(), ahead.bound()) {
        (Some(behind), Some(ahead)) => behind + tokens + ahead >= least,
        _ => true,
    }
}

/// Tokens in one direction.
pub(super) trait Side<'t>: ExactSizeIterator<Item = &'t u32> {}
impl<'t, I: ExactSizeIterator<Item = &'t u32>> Side<'t> for I {}

/// Whether equal tokens may exceed edits in an alignment of beginnings.
pub(super) fn is_likely(a: &[u32], b: &[u32]) -> bool {
    common(a.iter(), b).0 > 0
}

/// The largest m so that more than half of the first m tokens of `a` are in `b`, and how many of all
/// are. Tokens are distinguished by only a few bits.
fn common<'t>(a: impl Side<'t>, b: &[u32]) -> (u32, u32) {
    let mut held = [0_u64; 8];
    for token in b {
        held[*token as usize / 64 % 8] |= 1 << (token % 64);
    }
    let (mut hits, mut reach) = (0, 0);
    for (m, token) in (1..).zip(a) {
        hits += (held[*token as usize / 64 % 8] >> (token % 64) & 1) as u32;
        if 2 * hits > m {
            reach = m;
        }
    }
    (reach, hits)
}

/// How many tokens of `a` and `b` an alignment of their beginnings may have in which equal tokens
/// exceed edits; 0 if there is none, or none that fits.
///
/// An alignment of i with j tokens, s of them equal, has at least max(i, j) − s edits. With m =
/// max(i, j), s is at most the longest common subsequence of the first m tokens of both, so twice
/// that has to exceed m, and it has to fit with m less that as edits.
pub(super) fn reach(a: &[u32], b: &[u32], fits: impl Fn(u32, u32) -> bool) -> usize {
    let (mut reach, mut any_fits) = (0, false);
    let is_bounded = subsequences(a.iter(), b.iter(), |m, same| {
        if 2 * same > m {
            reach = m as usize;
            any_fits |= fits(same, m - same);
        }
    });
    match (is_bounded, any_fits) {
        (false, _) => a.len().max(b.len()),
        (true, true) => reach,
        (true, false) => 0,
    }
}

/// Calls `f` with each m and the length of the longest common subsequence of the first m tokens of
/// both sides, from one row of bits per token (Crochemore et al. 2001); false if there are more
/// tokens than bits.
fn subsequences<'t>(mut a: impl Side<'t>, b: impl Side<'t>, mut f: impl FnMut(u32, u32)) -> bool {
    let mut tokens = [0; 64];
    if b.len() > tokens.len() {
        return false;
    }
    let length = a.len().max(b.len());
    // Where tokens with these lowest bits are in `b`.
    let mut places = [0_u64; 64];
    for (j, token) in b.enumerate() {
        tokens[j] = *token;
        places[*token as usize % 64] |= 1 << j;
    }
    // A zero where the subsequence grows.
    let mut row = u64::MAX;
    for m in 1..=length {
        if let Some(token) = a.next() {
            let mut like = places[*token as usize % 64] & row;
            let mut equal = 0;
            while like != 0 {
                let at = like.trailing_zeros();
                equal |= u64::from(tokens[at as usize % 64] == *token) << at;
                like &= like - 1;
            }
            row = row.wrapping_add(equal) | (row & !equal);
        }
        let first = !0 >> (64 - m.min(64));
        f(m as u32, (!row & first).count_ones());
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::align::Aligner;
    use super::*;

    #[test]
    fn no_extension_exceeds_its_bounds() {
        let mut aligner = Aligner::default();
        let mut random = 11_u64;
        let mut next = |kinds: u64| {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % kinds
        };
        let (mut bounded, mut reached) = (0, 0);
        for case in 0..6_000 {
            let wanted = Wanted {
                max_gap: [1, 3, 8, 32][case % 4],
                ..Wanted::default()
            };
            let kinds = 3 + next(60);
            let a: Vec<u32> = (0..next(120)).map(|_| next(kinds) as u32).collect();
            // The same with edits, which are more frequent in some cases.
            let every = 2 + next(9);
            let mut b = Vec::new();
            for token in &a {
                match next(every) {
                    0 => b.push(next(kinds) as u32),
                    1 if next(2) == 0 => {}
                    _ => b.push(*token),
                }
            }
            let window = window(&wanted) as usize;
            let beginning = |tokens: &[u32]| tokens[..window.min(tokens.len())].to_vec();
            let (mut i, mut j) = (0, 0);
            while let Some(more) = aligner.beginning(
                &beginning(&a[i..]),
                &beginning(&b[j..]),
                wanted.max_gap,
                |_, _| true,
            ) {
                (i, j) = (i + more.ends.0 as usize, j + more.ends.1 as usize);
            }
            let (of_a, of_b) = (beginning(&a), beginning(&b));
            let bounds = [
                Growth::roughly(of_a.iter(), &of_b, &wanted),
                Growth::closely(of_a.iter(), of_b.iter(), &wanted),
            ];
            for bound in bounds.into_iter().filter_map(Growth::bound) {
                assert!(i.max(j) <= bound as usize, "{a:?} {b:?} {}", wanted.max_gap);
                bounded += 1;
                reached += u32::from(i.max(j) == bound as usize && bound > 0);
            }
        }
        assert!(bounded > 1_000 && reached > 100, "{bounded} {reached}");
    }
}
