//! Runs jobs on worker threads and returns results in input order.

use crate::context::Context;
use crate::error::{Error, ErrorKind, Result};
use crate::large::Held;
use crate::record::{Chunk, Chunks, Source, SourceFile};
use crate::threads;
use std::collections::BTreeMap;

/// Reads every chunk of `source`, as [`for_each_of`] does.
///
/// # Errors
/// As there.
pub(crate) fn for_each_chunk<S, T: Send>(
    context: &Context,
    source: &dyn Source,
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &dyn Chunk) -> Result<T> + Sync,
    consume: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    let chunks = source.chunks()?;
    for_each_of(context, source.files(), chunks, start, work, consume)
}

/// Reads chunks of `files`, lets `work` decode each on any thread, and hands the results to
/// `consume` in input order.
///
/// `start` creates each thread's state, and recreates it after each large record to release its
/// buffers; it is dropped before the call returns. Chunks in flight are bounded by the thread
/// count, large records by their memory. A single chunk is read on the calling thread: most
/// take less time than threads take to start.
///
/// # Errors
/// The first error in input order, from the source, `work` or `consume`; or cancellation.
pub(crate) fn for_each_of<S, T: Send>(
    context: &Context,
    files: &[SourceFile],
    mut chunks: Chunks,
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &dyn Chunk) -> Result<T> + Sync,
    mut consume: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    let first: Vec<_> = chunks.by_ref().take(2).collect();
    let threads = match first.len() {
        2 => context.clone(),
        _ => context.on_one_thread(),
    };
    in_order(
        &threads,
        weighed(context, files, first.into_iter().chain(chunks)),
        || Some(start()),
        |state, (held, chunk)| {
            let done = work(state.get_or_insert_with(&start), &*chunk)?;
            let bytes = chunk.disk_bytes();
            drop(chunk);
            if held.is_some() {
                *state = None;
            }
            Ok((done, bytes, held))
        },
        |(value, bytes, held)| {
            consume(value)?;
            drop(held);
            context.work.read(bytes);
            context.progress.advance(bytes);
            Ok(())
        },
    )
}

/// Chunks; a chunk with a large record first reserves the record's memory, for the lifetime of the
/// chunk and its results.
pub fn weighed<'c>(
    context: &'c Context,
    files: &'c [SourceFile],
    chunks: impl Iterator<Item = Result<Box<dyn Chunk>>> + Send + 'c,
) -> impl Iterator<Item = Result<(Option<Held>, Box<dyn Chunk>)>> + Send + 'c {
    chunks.map(move |chunk| {
        let chunk = chunk?;
        let held = chunk.large().map(|record| {
            let place = |error: Error| {
                error
                    .at(&files[chunk.file() as usize].path)
                    .record(record.number)
            };
            context.large.take(record.memory).map_err(place)
        });
        Ok((held.transpose()?, chunk))
    })
}

/// Runs every job through `work` on any thread, and passes the results to `consume` in the order of
/// the jobs, on the calling thread. With one thread, everything runs on it.
///
/// `start` creates each thread's state; it is dropped before the call returns. Threads are started as
/// jobs arrive, and jobs in flight are bounded by the thread count.
///
/// # Errors
/// The first error in the order of the jobs, from `jobs`, `work` or `consume`; or cancellation.
pub fn in_order<S, J: Send, T: Send>(
    context: &Context,
    jobs: impl Iterator<Item = Result<J>> + Send,
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, J) -> Result<T> + Sync,
    mut consume: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    if context.threads() == 1 {
        let mut state = start();
        for job in jobs {
            context.check()?;
            consume(work(&mut state, job?)?)?;
        }
        return Ok(());
    }
    let in_flight = context.threads() * 3;
    let (permit_back, permits) = crossbeam_channel::bounded::<()>(in_flight);
    for _ in 0..in_flight {
        permit_back.send(()).map_err(stopped)?;
    }
    let (to_work, waiting) = crossbeam_channel::bounded::<(usize, Result<J>)>(in_flight);
    let (to_consume, results) = crossbeam_channel::bounded(in_flight);
    std::thread::scope(|scope| {
        // Dropped when this closure returns, even early, so that the reader stops waiting.
        let (permit_back, results, waiting, to_consume) =
            (permit_back, results, waiting, to_consume);
        let start_worker = {
            let (start, work) = (&start, &work);
            move || {
                let (waiting, to_consume) = (waiting.clone(), to_consume.clone());
                threads::start(scope, move || {
                    let mut state = start();
                    for (number, job) in waiting {
                        let result = job.and_then(|job| work(&mut state, job));
                        if to_consume.send((number, result)).is_err() {
                            return;
                        }
                    }
                })
            }
        };
        start_worker()?;
        // The reader stops when the consumer has ended, as no permits arrive.
        threads::start(scope, move || {
            for (number, job) in jobs.enumerate() {
                if permits.recv().is_err() || to_work.send((number, job)).is_err() {
                    return;
                }
                // As many threads as there are jobs; fewer are sufficient.
                if (1..context.threads()).contains(&number) {
                    let _ = start_worker();
                }
            }
        })?;
        let mut early = BTreeMap::new();
        let mut next = 0;
        for (number, result) in results {
            early.insert(number, result);
            while let Some(result) = early.remove(&next) {
                next += 1;
                context.check()?;
                consume(result?)?;
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
