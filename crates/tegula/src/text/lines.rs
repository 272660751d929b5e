//! Finds the ends of lines, 64 bytes at a time.

use super::lanes::{Best, Lanes, Task, WIDTH};

/// Finds line feeds.
#[derive(Debug, Clone, Default)]
pub struct LineEnds {
    lanes: Best,
    ends: Vec<u32>,
}

impl LineEnds {
    /// The indices of all line feeds in `bytes`, of which there must be fewer than 2^32.
    pub fn find(&mut self, bytes: &[u8]) -> &[u32] {
        // Places are written 64 at a time, however many of them count.
        self.ends.resize(bytes.len() + WIDTH, 0);
        let ends = &mut self.ends[..];
        let count = self.lanes.run(Find { bytes, ends });
        &self.ends[..count]
    }
}

/// One search.
struct Find<'a> {
    bytes: &'a [u8],
    ends: &'a mut [u32],
}

impl Task for Find<'_> {
    type Out = usize;

    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it is compiled for each kind of lanes"
    )]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        let Self { bytes, ends } = self;
        let (blocks, rest) = bytes.as_chunks::<WIDTH>();
        let mut last = [0; WIDTH];
        last[..rest.len()].copy_from_slice(rest);
        let mut count = 0;
        for (block, at) in blocks.iter().chain([&last]).zip((0..).step_by(WIDTH)) {
            let mask = lanes.equal(lanes.load(block), b'\n');
            if let Some(to) = ends[count..].first_chunk_mut() {
                count += lanes.places(mask, at, to);
            }
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn all_lanes_find_all_ends(bytes in prop::collection::vec(prop_oneof![Just(b'\n'), any::<u8>()], 0..400)) {
            let expected: Vec<u32> = (0..).zip(&bytes).filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at).collect();
            for lanes in Best::all() {
                let mut ends = LineEnds { lanes, ends: vec![7; 3] };
                prop_assert_eq!(ends.find(&bytes), &expected);
            }
        }
    }
}
