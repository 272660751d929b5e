//! Ends a run early: on an interrupt, a request to terminate, or when the reader of standard output
//! has closed it.
//!
//! The run is asked to stop at its next opportunity. If it does not stop within a moment, all
//! unpublished files are removed from here and the program ends.

use crate::failure;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tegula::error::{Error, ErrorKind, Result};
use tegula_io::outputs::Unfinished;

/// The exit code of programs that were interrupted.
pub(crate) const INTERRUPTED: u8 = 130;

/// The exit code of programs that failed.
pub(crate) const TROUBLE: u8 = 2;

/// How long a run may usually take to stop by itself, in milliseconds.
static PATIENCE: AtomicU64 = AtomicU64::new(600);

/// The state shared by the watching threads.
#[derive(Default)]
struct Watch {
    /// Tells the run to stop.
    flag: Arc<AtomicBool>,
    /// Whether it must stop because nobody reads its output.
    deaf: AtomicBool,
    /// Whether files are written besides standard output.
    files: AtomicBool,
    /// What is to be removed.
    unfinished: Mutex<Vec<Unfinished>>,
    /// How to continue later.
    advice: Mutex<Option<String>>,
}

static WATCH: OnceLock<Watch> = OnceLock::new();

/// Watches from now on.
///
/// # Errors
/// When the system refuses a handler.
fn watch() -> Result<&'static Watch> {
    if let Some(watch) = WATCH.get() {
        return Ok(watch);
    }
    let watch = WATCH.get_or_init(Watch::default);
    // The handler runs on a dedicated thread, where it may block.
    ctrlc::set_handler(move || end(watch))
        .map_err(|error| Error::new(ErrorKind::Io, "cannot watch for interrupts").because(error))?;
    Ok(watch)
}

/// Makes a write beyond the limit on the size of files (`ulimit -f`) an error, which is reported and
/// leaves nothing behind, instead of a signal that ends the program.
pub(crate) fn outlive_limits() {
    #[cfg(unix)]
    {
        // Without it, the signal ends the program as it always did.
        let _signal = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
    }
}

/// Gives the run more time to stop by itself.
#[cfg(feature = "serve")]
pub(crate) fn wait_up_to(patience: Duration) {
    PATIENCE.store(patience.as_millis() as u64, Ordering::Relaxed);
}

/// The flag that stops a run.
///
/// # Errors
/// When the system refuses a handler.
pub(crate) fn flag() -> Result<Arc<AtomicBool>> {
    Ok(Arc::clone(&watch()?.flag))
}

/// Registers outputs to be removed if the run ends early.
pub(crate) fn watch_over(outputs: Unfinished) {
    if let Some(watch) = WATCH.get() {
        lock(&watch.unfinished).push(outputs);
    }
}

/// Sets how an interrupted run can be continued.
pub(crate) fn advise(advice: &str) {
    if let Some(watch) = WATCH.get() {
        *lock(&watch.advice) = Some(advice.to_owned());
    }
}

/// How an interrupted run can be continued.
pub(crate) fn advice() -> String {
    let advice = WATCH.get().and_then(|watch| lock(&watch.advice).clone());
    let has_files = WATCH
        .get()
        .is_some_and(|watch| watch.files.load(Ordering::Relaxed));
    let nothing = if has_files {
        "nothing was written"
    } else {
        "no file was written"
    };
    advice.unwrap_or_else(|| nothing.into())
}

/// Declares that files are written besides standard output.
pub(crate) fn note_files() {
    if let Some(watch) = WATCH.get() {
        watch.files.store(true, Ordering::Relaxed);
    }
}

/// Whether the run was stopped because nobody reads its output.
pub(crate) fn is_deaf() -> bool {
    WATCH
        .get()
        .is_some_and(|watch| watch.deaf.load(Ordering::Relaxed))
}

/// How a run ends when nobody reads its standard output any more: without an error, unless it also
/// had files to write.
pub(crate) fn deaf() -> Option<Error> {
    let files = WATCH
        .get()
        .is_some_and(|watch| watch.files.load(Ordering::Relaxed));
    files.then(|| {
        Error::new(
            ErrorKind::Io,
            "standard output was closed early, and the other outputs were not written",
        )
        .hint("name a file in place of standard output")
    })
}

/// Stops the run when the reader of standard output closes it, even if nothing is written to it for
/// a long time.
pub(crate) fn watch_stdout() {
    #[cfg(unix)]
    {
        use rustix::event::{PollFd, PollFlags, poll};
        static ONCE: std::sync::Once = std::sync::Once::new();
        let Ok(watch) = watch() else { return };
        ONCE.call_once(|| {
            // Without a thread for this, the next write notices.
            let _thread = std::thread::Builder::new()
                .name("standard output".into())
                .spawn(move || {
                    let stdout = std::io::stdout();
                    loop {
                        let mut wanted = [PollFd::new(&stdout, PollFlags::empty())];
                        match poll(&mut wanted, None) {
                            Ok(_)
                                if wanted[0]
                                    .revents()
                                    .intersects(PollFlags::ERR | PollFlags::NVAL) =>
                            {
                                break;
                            }
                            Ok(_) | Err(rustix::io::Errno::INTR) => {
                                std::thread::sleep(Duration::from_millis(100));
                            }
                            Err(_) => return,
                        }
                    }
                    watch.deaf.store(true, Ordering::Relaxed);
                    end(watch);
                });
        });
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the program: by the run itself, or from here.
fn end(watch: &Watch) {
    watch.flag.store(true, Ordering::Relaxed);
    std::thread::sleep(Duration::from_millis(PATIENCE.load(Ordering::Relaxed)));
    // All of them, even if one fails.
    let written = lock(&watch.unfinished)
        .iter()
        .fold(false, |written, outputs| outputs.abandon() | written);
    let code = if watch.deaf.load(Ordering::Relaxed) && !written {
        deaf().map_or(0, |error| {
            failure::report(&error);
            TROUBLE
        })
    } else {
        let advice = if written {
            "all outputs were written already".to_owned()
        } else {
            advice()
        };
        failure::report(&Error::new(ErrorKind::Cancelled, "interrupted").hint(advice));
        INTERRUPTED
    };
    // Anonymous temporary files disappear with the process.
    #[expect(clippy::exit, reason = "a run that does not stop by itself is stopped")]
    std::process::exit(i32::from(code));
}
