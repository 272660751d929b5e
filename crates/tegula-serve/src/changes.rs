//! Changes of the index on their way to the thread that makes them.

use crate::problem::Problem;
use std::sync::{Mutex, PoisonError};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{OwnedSemaphorePermit, oneshot};

/// A change of the index.
pub(crate) enum Change {
    /// Texts are added, of which no two have the same id.
    Add {
        texts: Vec<Added>,
        /// Whether they take the place of those with their ids.
        replace: bool,
    },
    Remove(String),
}

/// A text that is added.
pub(crate) struct Added {
    pub(crate) id: String,
    pub(crate) text: String,
    /// Its fields, those of the index.
    pub(crate) fields: Vec<(String, String)>,
}

/// What a change did.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Done {
    pub(crate) added: u64,
    pub(crate) removed: u64,
}

/// A change that waits to be made.
pub(crate) struct Job {
    pub(crate) change: Change,
    /// Told when it is on disk, or why it is not.
    pub(crate) done: oneshot::Sender<Outcome>,
    _room: Option<OwnedSemaphorePermit>,
}

/// What a change did, or why it was not made.
pub(crate) type Outcome = std::result::Result<Done, Problem>;

/// Takes changes of the index.
pub(crate) struct Changes {
    /// None when the server is being stopped.
    to: Mutex<Option<Sender<Job>>>,
}

impl Changes {
    /// Of which so many may wait.
    pub(crate) fn new(queue: usize) -> (Self, Receiver<Job>) {
        let (to, waiting) = channel(queue.max(1));
        let to = Mutex::new(Some(to));
        (Self { to }, waiting)
    }

    /// Makes a change; what it did is on disk.
    ///
    /// # Errors
    /// If too many changes wait; if it cannot be made.
    pub(crate) async fn make(&self, change: Change, room: Option<OwnedSemaphorePermit>) -> Outcome {
        let to = self
            .to
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let to = to.ok_or_else(Problem::stopping)?;
        let (done, outcome) = oneshot::channel();
        let job = Job {
            change,
            done,
            _room: room,
        };
        to.try_send(job).map_err(|error| match error {
            TrySendError::Full(_) => Problem::busy("too many changes are waiting"),
            TrySendError::Closed(_) => Problem::stopping(),
        })?;
        outcome.await.map_err(|_| Problem::stopping())?
    }

    /// Takes no more; those that wait are made.
    pub(crate) fn close(&self) {
        *self.to.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
