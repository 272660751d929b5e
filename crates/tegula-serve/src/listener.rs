//! Connections: accepted, bounded, and brought to an end.

use crate::app::App;
use crate::problem::Problem;
use crate::routes;
use axum::http::StatusCode;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tegula::error::{ErrorKind, Result};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;

/// The most bytes of the head of a request, and of what is written at once.
const HEAD: usize = 32 << 10;
/// How many clients may wait to be accepted.
const BACKLOG: u32 = 4096;
/// How long a client may take to send the head of a request.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// How much later a client is left without a word than it is told why.
const LATER: Duration = Duration::from_secs(1);
/// How often it is looked whether to stop.
const PULSE: Duration = Duration::from_millis(50);

/// Listens on an address.
///
/// # Errors
/// If it is not one of this machine, or another program has it.
pub(crate) fn bind(address: SocketAddr) -> Result<TcpListener> {
    let listen = || {
        let socket = match address {
            SocketAddr::V4(_) => TcpSocket::new_v4()?,
            SocketAddr::V6(_) => TcpSocket::new_v6()?,
        };
        // A server that was stopped can be started again at once.
        #[cfg(unix)]
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(BACKLOG)
    };
    listen().map_err(|error| {
        ErrorKind::Io
            .expected(format!("to listen on {address}"))
            .found(error.to_string())
            .hint("name another with ⟨address⟩; port 0 is any that is free")
            .because(error)
    })
}

/// Accepts and answers until it is to stop; then waits for what has begun.
pub(crate) async fn answer(
    listener: TcpListener,
    app: &Arc<App>,
    stop: &AtomicBool,
    grace: Duration,
) {
    let router = routes::router(app);
    let connections = Arc::new(Semaphore::new(clients(app.settings.connections)));
    let graceful = GracefulShutdown::new();
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME.min(app.settings.timeout))
        .max_buf_size(HEAD);
    while !stop.load(Ordering::Relaxed) {
        let Ok(accepted) = timeout(PULSE, listener.accept()).await else {
            continue;
        };
        let Ok((stream, _)) = accepted else {
            // Too many files are open: some will be closed.
            sleep(PULSE).await;
            continue;
        };
        let Ok(place) = Arc::clone(&connections).try_acquire_owned() else {
            app.metrics.refused_connection();
            tokio::spawn(refuse(stream));
            continue;
        };
        let _small = stream.set_nodelay(true);
        // A client that neither sends nor receives is left.
        let mut stream = TimeoutStream::new(stream);
        let patience = app.settings.timeout + LATER;
        stream.set_read_timeout(Some(patience));
        stream.set_write_timeout(Some(patience));
        let service = TowerToHyperService::new(router.clone());
        let connection = http.serve_connection(TokioIo::new(Box::pin(stream)), service);
        let connection = graceful.watch(connection);
        let app = Arc::clone(app);
        tokio::spawn(async move {
            app.metrics.connections.inc();
            // A client that has gone is no failure of the server.
            let _ended = connection.await;
            app.metrics.connections.dec();
            drop(place);
        });
    }
    drop(listener);
    app.is_stopping.store(true, Ordering::Relaxed);
    let _late = timeout(grace, graceful.shutdown()).await;
}

/// How many clients may be connected: as many as wanted, if the system allows so many open files.
fn clients(wanted: usize) -> usize {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let needed = (wanted + OTHER_FILES) as u64;
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        let allowed = maximum.unwrap_or(needed).min(needed);
        let Some(now) = current.filter(|now| *now < needed) else {
            return wanted;
        };
        let limit = Rlimit {
            current: Some(allowed),
            maximum,
        };
        let most = if setrlimit(Resource::Nofile, limit).is_ok() {
            allowed
        } else {
            now
        };
        // The index needs its files first.
        (most as usize)
            .saturating_sub(OTHER_FILES)
            .max(most as usize / 2)
    }
    #[cfg(not(unix))]
    wanted
}

/// Files that are open beside connections: those of segments, and of changes.
#[cfg(unix)]
const OTHER_FILES: usize = 256;

/// Says that there are too many connections.
async fn refuse(mut stream: TcpStream) {
    let problem = Problem::new(
        StatusCode::SERVICE_UNAVAILABLE,
        "too many clients are connected",
    );
    let body = serde_json::to_string(&problem.hint("try again later")).unwrap_or_default();
    let length = body.len();
    let response = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: {}\r\nretry-after: 1\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}",
        crate::problem::CONTENT_TYPE
    );
    let said = async {
        stream.write_all(response.as_bytes()).await?;
        stream.shutdown().await
    };
    let _said = timeout(PULSE, said).await;
}
