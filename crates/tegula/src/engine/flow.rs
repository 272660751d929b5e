//! Chunks through worker threads, results in input order.

use crate::context::Context;
use crate::error::{Error, ErrorKind, Result};
use crate::record::{Chunk, Source};
use std::collections::BTreeMap;

/// Reads every chunk of `source`, lets `work` decode it on any thread, and hands the results to `consume` in input order.
///
/// `start` makes each thread's own state; it is dropped before the call returns. Chunks in flight are bounded by the thread count.
///
/// # Errors
/// The first error in input order, from the source, `work` or `consume`; or that the run was cancelled.
pub(crate) fn for_each_chunk<S, T: Send>(
    context: &Context,
    source: &dyn Source,
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &dyn Chunk) -> Result<T> + Sync,
    mut consume: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    let chunks = source.chunks()?;
    if context.threads == 1 {
        let mut state = start();
        for chunk in chunks {
            context.check()?;
            let chunk = chunk?;
            consume(work(&mut state, &*chunk)?)?;
            context.progress.advance(chunk.disk_bytes());
        }
        return Ok(());
    }
    let in_flight = context.threads * 3;
    let (permit_back, permits) = crossbeam_channel::bounded::<()>(in_flight);
    for _ in 0..in_flight {
        permit_back.send(()).map_err(stopped)?;
    }
    let (to_work, jobs) = crossbeam_channel::bounded(in_flight);
    let (to_consume, results) = crossbeam_channel::bounded(in_flight);
    std::thread::scope(|scope| {
        // Dropped when this closure returns, also early, so that the reader stops waiting.
        let (permit_back, results) = (permit_back, results);
        // The reader stops when the consumer has gone: its permits then never come.
        scope.spawn(move || {
            for job in chunks.enumerate() {
                if permits.recv().is_err() || to_work.send(job).is_err() {
                    return;
                }
            }
        });
        for _ in 0..context.threads {
            let (jobs, to_consume, start, work) = (jobs.clone(), to_consume.clone(), &start, &work);
            scope.spawn(move || {
                let mut state = start();
                for (number, chunk) in jobs {
                    let result = chunk.and_then(|chunk| Ok((work(&mut state, &*chunk)?, chunk.disk_bytes())));
                    if to_consume.send((number, result)).is_err() {
                        return;
                    }
                }
            });
        }
        drop((jobs, to_consume));
        let mut early = BTreeMap::new();
        let mut next = 0;
        for (number, result) in results {
            early.insert(number, result);
            while let Some(result) = early.remove(&next) {
                next += 1;
                context.check()?;
                let (value, bytes) = result?;
                consume(value)?;
                context.progress.advance(bytes);
                // The reader may have finished already.
                let _ = permit_back.try_send(());
            }
        }
        Ok(())
    })
}

fn stopped(_: impl std::error::Error) -> Error {
    Error::new(ErrorKind::Io, "a worker thread stopped early")
}
