//! Union-find: sets that are merged.

/// Disjoint sets; each is named after its smallest member.
#[derive(Debug)]
pub struct UnionFind(Vec<u32>);

impl UnionFind {
    /// `count` singletons.
    pub fn new(count: usize) -> Self {
        Self((0..count as u32).collect())
    }

    /// Adds a singleton; returns its name.
    pub fn push(&mut self) -> u32 {
        let next = self.0.len() as u32;
        self.0.push(next);
        next
    }

    /// The smallest member of the set that holds `x`.
    pub fn find(&mut self, mut x: u32) -> u32 {
        while self.0[x as usize] != x {
            // Path halving keeps later look-ups short.
            let above = self.0[self.0[x as usize] as usize];
            self.0[x as usize] = above;
            x = above;
        }
        x
    }

    /// Merges two sets.
    pub fn union(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        // The smaller name is kept; path halving keeps the trees flat.
        self.0[a.max(b) as usize] = a.min(b);
    }
}
