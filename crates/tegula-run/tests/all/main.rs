//! Runs from a program: on a cluster, over tables in memory, and by the name of a command.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests end the test as tests do"
)]

mod cluster;
mod commands;
mod memory;

/// Numbers that look random.
struct Numbers(u64);

impl Numbers {
    pub(crate) fn below(&mut self, most: u64) -> u64 {
        self.0 = (self.0)
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}
