//! The resources that a run used, to show them beside its limits.

use serde::Serialize;
use serde_json::{Map, Value, json};
use std::cell::RefCell;
use std::sync::Arc;
use tegula::context::Context;
use tegula::machine::peak_memory;
use tegula::scratch::Scratch;
use tegula::work::{Done, Work};

thread_local! {
    /// The limits and counters of the command of this thread, once they are set.
    static BOUND: RefCell<Option<Bound>> = const { RefCell::new(None) };
}

struct Bound {
    ceiling: u64,
    scratch: Arc<Scratch>,
    work: Arc<Work>,
}

/// Records the limits of a run, to compare them with its use, and its counters.
pub(crate) fn bound(context: &Context) {
    let (scratch, work) = (Arc::clone(&context.scratch), Arc::clone(&context.work));
    let bound = Bound {
        ceiling: context.budget.total(),
        scratch,
        work,
    };
    BOUND.replace(Some(bound));
}

/// The resources that the run has used so far.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Took {
    memory: Option<u64>,
    ceiling: Option<u64>,
    scratch: u64,
    written: u64,
    done: Done,
}

/// The resources that the command of this thread has used so far.Memory is that of the process.
pub(crate) fn took() -> Took {
    let memory = peak_memory();
    BOUND.with_borrow(|bound| {
        let bound = bound.as_ref();
        Took {
            memory,
            ceiling: bound.map(|bound| bound.ceiling),
            scratch: bound.map_or(0, |bound| bound.scratch.peak()),
            written: bound.map_or(0, |bound| bound.scratch.written()),
            done: bound.map_or_else(Done::default, |bound| bound.work.done()),
        }
    })
}

/// What was done, in figures that do not depend on the machine.
#[derive(Serialize)]
struct Figures {
    #[serde(flatten)]
    done: Done,
    /// Bytes written to scratch; under a low ceiling this depends on the number of threads.
    spilled_bytes: u64,
}

/// Shows the resources used by this thread's command, from any thread.
#[derive(Clone)]
pub(crate) struct Meter(Option<Arc<Scratch>>);

/// The meter of the command of this thread.
pub(crate) fn meter() -> Meter {
    Meter(BOUND.with_borrow(|bound| bound.as_ref().map(|bound| Arc::clone(&bound.scratch))))
}

impl Meter {
    /// The most memory and scratch space so far.
    pub(crate) fn words(&self) -> String {
        in_words(
            peak_memory(),
            self.0.as_ref().map_or(0, |scratch| scratch.peak()),
        )
    }
}

/// Memory and scratch space, the latter if there is any.
fn in_words(memory: Option<u64>, scratch: u64) -> String {
    let mebibytes = |bytes: u64| bytes.div_ceil(1 << 20);
    let memory = memory.map(|bytes| format!("{} MiB of memory", mebibytes(bytes)));
    let scratch = (scratch > 0).then(|| format!("{} MiB of scratch", mebibytes(scratch)));
    let all: Vec<String> = memory.into_iter().chain(scratch).collect();
    all.join(", ")
}

impl Took {
    /// In a few words.
    pub(crate) fn words(self) -> String {
        in_words(self.memory, self.scratch)
    }

    /// As JSON.
    pub(crate) fn json(self) -> Map<String, Value> {
        let all = json!({
            "peak_memory": self.memory,
            "memory_ceiling": self.ceiling,
            "peak_scratch": self.scratch,
            "work": Figures {
                done: self.done,
                spilled_bytes: self.written,
            },
        });
        let Value::Object(all) = all else {
            return Map::new();
        };
        all
    }

    /// The warning if the run took more memory than it was given.
    pub(crate) fn beyond(self) -> Option<String> {
        let (peak, ceiling) = (self.memory?, self.ceiling?);
        (peak > ceiling).then(|| {
            let (peak, ceiling) = (peak.div_ceil(1 << 20), ceiling >> 20);
            format!("the run took {peak} MiB of memory at its peak, more than the {ceiling} MiB of --memory")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peak_beyond_the_ceiling_is_said() {
        let took = |memory, ceiling| Took {
            memory,
            ceiling,
            scratch: 1,
            written: 1,
            done: Done::default(),
        };
        assert_eq!(took(Some(64 << 20), Some(64 << 20)).beyond(), None);
        assert_eq!(took(None, Some(64 << 20)).beyond(), None);
        let said = took(Some((213 << 20) + 1), Some(64 << 20))
            .beyond()
            .unwrap();
        assert!(
            said.contains("214 MiB") && said.contains("64 MiB"),
            "{said}"
        );
        assert_eq!(
            took(Some(1 << 20), None).words(),
            "1 MiB of memory, 1 MiB of scratch"
        );
    }
}
