//! Shingles: n consecutive tokens, identified by fingerprints (Kupietz §2.2–2.3, Broder).
//!
//! A text of m ≥ n tokens has m − n + 1 shingle occurrences. A shorter one has a single shingle,
//! the whole text; its fingerprint encodes the length, so it matches only an equal text.

use crate::hash::{self, Fingerprint, Width};

/// Computes the fingerprints of the shingles of token sequences.
#[derive(Debug, Clone)]
pub struct Shingler {
    n: usize,
    width: Width,
    ids: Vec<u64>,
    checks: Vec<u64>,
}

impl Shingler {
    /// Shingles of `n` tokens, 1 or more. `width` is [`Width::FULL`] outside tests.
    pub fn new(n: usize, width: Width) -> Self {
        let n = n.max(1);
        let multipliers = |from: u64| (0..n as u64).map(|i| hash::multiplier(from + i)).collect();
        Self {
            n,
            width,
            ids: multipliers(0),
            checks: multipliers(1 << 20),
        }
    }

    /// Tokens in a shingle.
    pub fn n(&self) -> usize {
        self.n
    }

    /// The number of shingles in a text of `tokens` tokens.
    pub fn occurrences(&self, tokens: usize) -> usize {
        if tokens >= self.n {
            tokens - self.n + 1
        } else {
            usize::from(tokens > 0)
        }
    }

    /// The number of tokens that a shingle covers in a text of `tokens` tokens.
    pub fn cover(&self, tokens: usize) -> usize {
        self.n.min(tokens)
    }

    /// An id truncated to the width in use.
    pub fn cut(&self, id: u64) -> u64 {
        self.width.cut(id)
    }

    /// The ids of all shingle occurrences in order; `out` is cleared first.
    pub fn ids(&self, tokens: &[Fingerprint], out: &mut Vec<u64>) {
        out.clear();
        if tokens.len() < self.n {
            if !tokens.is_empty() {
                out.push(self.id(tokens));
            }
            return;
        }
        out.resize(self.occurrences(tokens.len()), 0);
        let mut ids = [0; CHUNK];
        // Chunks of tokens overlap, so that each contains all tokens of its shingles.
        let step = CHUNK.saturating_sub(self.n - 1);
        if step < CHUNK / 2 {
            tokens
                .windows(self.n)
                .zip(out)
                .for_each(|(window, out)| *out = self.id(window));
            return;
        }
        for (at, out) in out.chunks_mut(step).enumerate() {
            let tokens = &tokens[at * step..];
            let tokens = &tokens[..out.len() + self.n - 1];
            for (id, token) in ids.iter_mut().zip(tokens) {
                *id = token.id;
            }
            combine(&ids[..tokens.len()], &self.ids, out);
            for id in out {
                *id = self.width.cut(*id);
            }
        }
    }

    /// The check of the shingle occurrence at `position`.
    #[inline]
    pub fn check(&self, tokens: &[Fingerprint], position: usize) -> u64 {
        let window = &tokens[position..(position + self.n).min(tokens.len())];
        let sum = window
            .iter()
            .zip(&self.checks)
            .fold(window.len() as u64, |sum, (t, m)| {
                sum.wrapping_add(t.check.wrapping_mul(*m))
            });
        hash::mix(sum)
    }

    /// Whether any token of the shingle occurrence at `position` is marked.
    #[inline]
    pub(crate) fn has(&self, marked: &[bool], position: usize) -> bool {
        let end = (position + self.n).min(marked.len());
        marked
            .get(position..end)
            .is_some_and(|window| window.contains(&true))
    }

    #[inline]
    fn id(&self, window: &[Fingerprint]) -> u64 {
        let sum = window
            .iter()
            .zip(&self.ids)
            .fold(window.len() as u64, |sum, (t, m)| {
                sum.wrapping_add(t.id.wrapping_mul(*m))
            });
        self.width.cut(hash::mix(sum))
    }
}

/// Tokens processed at once.
const CHUNK: usize = 256;

/// The ids of all shingles of these tokens. Plain integer code, also compiled for processors that
/// multiply four or eight at a time; eight sums stay in registers.
#[cfg_attr(
    not(feature = "without-avx512"),
    multiversion::multiversion(targets("x86_64+avx512f+avx512dq", "x86_64+avx2"))
)]
#[cfg_attr(
    feature = "without-avx512",
    multiversion::multiversion(targets("x86_64+avx2"))
)]
fn combine(tokens: &[u64], multipliers: &[u64], out: &mut [u64]) {
    const AT_ONCE: usize = 8;
    let n = multipliers.len() as u64;
    let (all, rest) = out.as_chunks_mut::<AT_ONCE>();
    let done = all.len() * AT_ONCE;
    for (at, ids) in all.iter_mut().enumerate() {
        let mut sums = [n; AT_ONCE];
        for (step, multiplier) in multipliers.iter().enumerate() {
            let tokens = &tokens[at * AT_ONCE + step..][..AT_ONCE];
            for (sum, token) in sums.iter_mut().zip(tokens) {
                *sum = sum.wrapping_add(token.wrapping_mul(*multiplier));
            }
        }
        for (id, sum) in ids.iter_mut().zip(sums) {
            *id = hash::mix(sum);
        }
    }
    for (id, tokens) in rest
        .iter_mut()
        .zip(tokens[done..].windows(multipliers.len()))
    {
        let products = tokens.iter().zip(multipliers);
        *id = hash::mix(products.fold(n, |sum, (token, multiplier)| {
            sum.wrapping_add(token.wrapping_mul(*multiplier))
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Fingerprint> {
        text.split_whitespace()
            .map(|t| hash::token(t.as_bytes()))
            .collect()
    }

    fn shingles(text: &str, n: usize) -> Vec<(u64, u64)> {
        let shingler = Shingler::new(n, Width::FULL);
        let tokens = tokens(text);
        let mut ids = Vec::new();
        shingler.ids(&tokens, &mut ids);
        ids.iter()
            .enumerate()
            .map(|(i, id)| (*id, shingler.check(&tokens, i)))
            .collect()
    }

    #[test]
    fn the_rose_has_three_four_shingles() {
        // Kupietz §2.3, after Broder et al. 1997.
        let all = shingles("a rose is a rose is a rose", 4);
        assert_eq!(all.len(), 5);
        let set: std::collections::HashSet<_> = all.iter().collect();
        assert_eq!(set.len(), 3);
    }

    #[test]
    fn many_at_once_are_as_one_by_one() {
        let tokens: Vec<Fingerprint> = (0..1500_u32)
            .map(|at| hash::token(&at.to_le_bytes()))
            .collect();
        for n in [1, 2, 5, 64, 128, 129, 130, 255, 256, 257, 600] {
            let shingler = Shingler::new(n, Width::FULL);
            for length in [0, 1, n - 1, n, n + 1, 255, 256, 257, 511, 512, 1500] {
                let (tokens, mut ids) = (&tokens[..length], Vec::new());
                shingler.ids(tokens, &mut ids);
                let one_by_one: Vec<u64> = tokens
                    .windows(n)
                    .map(|window| shingler.id(window))
                    .collect();
                assert!(
                    ids == one_by_one || length < n && ids.len() == usize::from(length > 0),
                    "{n} {length}"
                );
            }
        }
    }

    #[test]
    fn a_short_text_is_one_shingle_that_knows_its_length() {
        assert_eq!(shingles("a b", 5).len(), 1);
        assert_ne!(shingles("a b", 5)[0], shingles("a b c d e", 5)[0]);
        assert_ne!(shingles("a", 5), shingles("a a", 5));
        assert!(shingles("", 5).is_empty());
    }
}
