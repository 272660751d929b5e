//! An index over HTTP: texts are asked about, added and removed, by programs and on a page.
//!
//! The server answers from the index as it is; a change is on disk when its answer is sent. What it
//! offers is described by `/openapi.json`, which is made from the code that answers.
//!
//! Every resource that a client can take has a bound: connections, bytes of requests, requests that
//! wait, and the time that one may take. What is beyond is refused at once, with a time after which to
//! try again.

mod answers;
mod app;
mod body;
mod changes;
mod gate;
mod guard;
mod listener;
mod metrics;
mod problem;
mod refusals;
mod routes;
mod upkeep;
mod writer;

use app::App;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tegula::context::{Context, Silent};
use tegula::error::{Error, ErrorKind, Result};
use tegula::index::Index;

/// How an index is served.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where to listen; port 0 is any that is free.
    pub address: SocketAddr,
    /// What clients must present, if anything.
    pub token: Option<String>,
    /// Whether questions are answered only.
    pub read_only: bool,
    /// The most bytes of a request.
    pub body: usize,
    /// The longest that a request may take to arrive, and then to be answered.
    pub timeout: Duration,
    /// How many requests may wait while others are answered.
    pub queue: usize,
    /// How many clients may be connected.
    pub connections: usize,
    /// The page at `/`.
    pub page: String,
}

/// What was answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Served {
    /// Requests of all kinds.
    pub requests: u64,
    /// Texts that were asked about.
    pub asked: u64,
    /// Texts that were added.
    pub added: u64,
    /// Texts that were removed, those that others replaced among them.
    pub removed: u64,
}

/// Receives what an operator should know.
pub trait Watcher: Send + Sync {
    /// Clients can connect to this address.
    fn ready(&self, address: SocketAddr);

    /// Something failed that is no fault of a client.
    fn failed(&self, error: &Error);
}

/// How long requests that have begun may take when the server stops.
const GRACE: Duration = Duration::from_secs(10);

/// Answers until the context is cancelled; then finishes what has begun, and returns when all that was
/// acknowledged is on disk.
///
/// # Errors
/// If the address cannot be listened on, or the system has too few threads or files. Errors while it
/// answers go to the clients and the watcher.
pub fn serve(
    index: Index,
    settings: Settings,
    context: &Context,
    watcher: Arc<dyn Watcher>,
) -> Result<Served> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(context.threads())
        .enable_all()
        .build()
        .map_err(|error| {
            ErrorKind::Io
                .expected("threads for a server")
                .because(error)
        })?;
    let stop = Arc::clone(&context.cancel);
    // What was accepted is finished after that.
    let mut context = context.clone();
    context.cancel = Arc::default();
    context.progress = Arc::new(Silent);
    let listener = {
        let _entered = runtime.enter();
        listener::bind(settings.address)?
    };
    let (app, waiting) = App::new(index, settings, &context, watcher);
    let writer = writer::start(&app, waiting, &context)?;
    let upkeep = upkeep::start(&app, &context)?;
    if let Ok(address) = listener.local_addr() {
        app.watcher.ready(address);
    }
    runtime.block_on(listener::answer(listener, &app, &stop, GRACE));
    app.changes.close();
    runtime.shutdown_timeout(GRACE);
    context.cancel.store(true, Ordering::Relaxed);
    let _ended = (writer.join(), upkeep.join());
    Ok(app.metrics.served())
}
