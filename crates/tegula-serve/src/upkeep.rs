//! What is done beside requests: changes of other processes are seen, and segments merged.

use crate::app::App;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tegula::context::Context;
use tegula::error::{ErrorKind, Result};

/// How long a change of another process may remain unseen.
const PULSE: Duration = Duration::from_millis(250);

/// Starts the thread, which ends when the context is cancelled.
///
/// # Errors
/// If the system refuses it.
pub(crate) fn start(app: &Arc<App>, context: &Context) -> Result<JoinHandle<()>> {
    let app = Arc::clone(app);
    // The other threads are for questions.
    let context = context.on_one_thread();
    let keep = move || {
        let mut has_failed = false;
        while !context.cancel.load(Ordering::Relaxed) {
            let done = app.index.refresh().and_then(|()| {
                if app.settings.read_only {
                    return Ok(0);
                }
                app.index.merge(&context, false)
            });
            match done {
                Ok(merged) => {
                    app.metrics.merges.inc_by(merged);
                    has_failed = false;
                }
                Err(error) if error.kind() == ErrorKind::Cancelled => return,
                Err(error) => {
                    // It is likely to fail again each time.
                    if !has_failed {
                        app.failed(&error);
                    }
                    has_failed = true;
                }
            }
            thread::sleep(PULSE);
        }
    };
    thread::Builder::new()
        .name("upkeep".into())
        .spawn(keep)
        .map_err(|error| ErrorKind::Io.expected("a thread for upkeep").because(error))
}
