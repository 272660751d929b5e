//! Requests that run aside while the caller goes on.
//!
//! The library behind is asynchronous, the rest of this crate is not: a runtime of two threads,
//! started with the first request, carries them out, and a [`Task`] waits for one.

use std::future::Future;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tegula::error::{Error, ErrorKind, Result};
use tokio::runtime::{Builder, Runtime};
use tokio::task::AbortHandle;

/// The runtime, and the process that it is of: one forked from it has its own.
static RUNTIME: Mutex<Option<(u32, &'static Runtime)>> = Mutex::new(None);

fn runtime() -> Result<&'static Runtime> {
    let mut known = RUNTIME.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if let Some((_, runtime)) = known.filter(|(of, _)| *of == process) {
        return Ok(runtime);
    }
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("tegula-stores")
        .enable_all()
        .build()
        .map_err(|error| Error::new(ErrorKind::Io, format!("cannot start threads: {error}")))?;
    // Its threads end with the process.
    let runtime = &*Box::leak(Box::new(runtime));
    *known = Some((process, runtime));
    Ok(runtime)
}

/// A request that runs aside; dropped, it is given up.
pub(super) struct Task<T> {
    answer: Receiver<Result<T>>,
    request: AbortHandle,
}

impl<T: Send + 'static> Task<T> {
    /// Begins it.
    pub(super) fn spawn(request: impl Future<Output = Result<T>> + Send + 'static) -> Result<Self> {
        let (sender, answer) = sync_channel(1);
        let runtime = runtime()?;
        let spawned = runtime.spawn(async move {
            // Nobody may wait any more.
            let _heard = sender.send(request.await);
        });
        Ok(Self {
            answer,
            request: spawned.abort_handle(),
        })
    }

    /// The answer.
    pub(super) fn wait(self) -> Result<T> {
        let ended = |_| Error::new(ErrorKind::Io, "a request ended without an answer");
        self.answer.recv().map_err(ended)?
    }
}

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        self.request.abort();
    }
}

/// Something done again and again, until this is dropped.
#[derive(Debug)]
pub(super) struct Repeated(AbortHandle);

impl Repeated {
    /// Does it after each period; it may wait for requests.
    pub(super) fn every(period: Duration, work: impl Fn() + Send + Sync + 'static) -> Result<Self> {
        let runtime = runtime()?;
        let work = Arc::new(work);
        let repeated = runtime.spawn(async move {
            loop {
                tokio::time::sleep(period).await;
                let work = Arc::clone(&work);
                let _done = tokio::task::spawn_blocking(move || work()).await;
            }
        });
        Ok(Self(repeated.abort_handle()))
    }
}

impl Drop for Repeated {
    fn drop(&mut self) {
        self.0.abort();
    }
}
