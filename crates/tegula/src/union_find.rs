//! Union-find: sets that are merged.

/// Sets that are merged; each is named by its smallest member.
#[derive(Debug)]
pub struct UnionFind(Vec<u32>);

impl UnionFind {
    /// `count` sets of one.
    pub fn new(count: usize) -> Self {
        Self((0..count as u32).collect())
    }

    /// One more set of one; returns its name.
    pub fn push(&mut self) -> u32 {
        let next = self.0.len() as u32;
        self.0.push(next);
        next
    }

    /// The smallest member of the set that holds `x`.
    pub fn find(&mut self, mut x: u32) -> u32 {
        while self.0[x as usize] != x {
            // Halving the path keeps later walks short.
            let above = self.0[self.0[x as usize] as usize];
            self.0[x as usize] = above;
            x = above;
        }
        x
    }

    /// Merges two sets.
    pub fn union(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        // The smaller name stays; halved paths keep the trees flat.
        self.0[a.max(b) as usize] = a.min(b);
    }
}
