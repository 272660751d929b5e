//! Outlines: a text in a few numbers, of which a bound knows what two texts can share at most, where to compare them is much more work.

/// A text in outline: 64 parts, or 1024 bits.
pub type Outline = [i16; 64];

/// The outline of a set of features, of which each has a bit.
pub(super) fn of_set(ranks: &[u32]) -> Outline {
    let mut outline: Outline = [0; _];
    for rank in ranks {
        // Ranks that follow each other are far apart.
        let bit = rank.wrapping_mul(0x9E37_79B1) >> 22;
        outline[bit as usize / 16] |= 1 << (bit % 16);
    }
    outline
}

/// How many features two sets share at most; `sizes` are all that they have. A bit that one has alone is of a feature at least that the other
/// lacks.
pub(super) fn shared_at_most(a: &Outline, b: &Outline, sizes: (usize, usize)) -> usize {
    let (only_a, only_b) = alone(a, b);
    sizes.0.saturating_sub(only_a as usize).min(sizes.1.saturating_sub(only_b as usize))
}

/// Bits that each has alone.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512vl+avx512vpopcntdq+avx512bitalg+popcnt", "x86_64+popcnt"))]
fn alone(a: &Outline, b: &Outline) -> (u32, u32) {
    let (mut only_a, mut only_b) = (0, 0);
    for (a, b) in a.as_chunks::<4>().0.iter().zip(b.as_chunks::<4>().0) {
        let (a, b) = (word(*a), word(*b));
        only_a += (a & !b).count_ones();
        only_b += (b & !a).count_ones();
    }
    (only_a, only_b)
}

#[inline]
fn word(parts: [i16; 4]) -> u64 {
    bytemuck::cast(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    #[test]
    fn sets_share_no_more_than_their_outlines_say() {
        for round in 0..500_u64 {
            let set = |salt: u64, size: u64, kinds: u64| {
                let mut ranks: Vec<u32> = (0..size).map(|at| (mix(round << 20 | salt << 10 | at) % kinds) as u32).collect();
                ranks.sort_unstable();
                ranks.dedup();
                ranks
            };
            let kinds = 1 + mix(round) % 5000;
            let (a, b) = (set(1, round % 90, kinds), set(2, 3 * (round % 31), kinds));
            let shared = a.iter().filter(|rank| b.contains(rank)).count();
            let most = shared_at_most(&of_set(&a), &of_set(&b), (a.len(), b.len()));
            assert!((shared..=a.len().min(b.len())).contains(&most), "{shared} {most}");
            assert_eq!(shared_at_most(&of_set(&a), &of_set(&a), (a.len(), a.len())), a.len());
        }
        let apart: Vec<u32> = (0..40).collect();
        let (a, b) = (of_set(&apart), of_set(&(100..140).collect::<Vec<u32>>()));
        assert!(shared_at_most(&a, &b, (40, 40)) < 5);
    }
}
