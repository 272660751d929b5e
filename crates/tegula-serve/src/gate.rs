//! Bounds on what requests take at the same time.

use crate::Settings;
use crate::problem::Problem;
use std::sync::Arc;
use tegula::context::Context;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bounds on what requests take at the same time.
pub(crate) struct Gate {
    /// Questions that are being answered.
    running: Arc<Semaphore>,
    /// Those, and the ones that wait.
    places: Arc<Semaphore>,
    /// Bytes of requests, in pages.
    bodies: Arc<Semaphore>,
}

/// Bytes of requests are counted in so many.
const PAGE: usize = 4096;
/// A request takes so much of what the memory has room for, as it is also parsed and compared.
const SHARE: u64 = 8;

/// A question that may be answered, until it is dropped.
pub(crate) struct Turn {
    _running: OwnedSemaphorePermit,
    _place: OwnedSemaphorePermit,
}

impl Gate {
    pub(crate) fn new(context: &Context, settings: &Settings) -> Self {
        let threads = context.threads();
        let bodies = (context.budget.free() / SHARE) as usize;
        let bodies = bodies.max(settings.body).div_ceil(PAGE);
        Self {
            running: Arc::new(Semaphore::new(threads)),
            places: Arc::new(Semaphore::new(threads + settings.queue)),
            bodies: Arc::new(Semaphore::new(bodies.min(Semaphore::MAX_PERMITS))),
        }
    }

    /// Waits until a question may be answered.
    ///
    /// # Errors
    /// If too many wait already.
    pub(crate) async fn turn(&self) -> Result<Turn, Problem> {
        let place = Arc::clone(&self.places).try_acquire_owned();
        let place = place.map_err(|_| Problem::busy("too many requests are waiting"))?;
        let running = Arc::clone(&self.running).acquire_owned().await;
        Ok(Turn {
            _running: running.map_err(|_| Problem::stopping())?,
            _place: place,
        })
    }

    /// Room for a request of so many bytes, until it is dropped.
    ///
    /// # Errors
    /// If too many bytes are being received already.
    pub(crate) fn room(&self, bytes: usize) -> Result<OwnedSemaphorePermit, Problem> {
        let pages = u32::try_from(bytes.div_ceil(PAGE)).unwrap_or(u32::MAX);
        let room = Arc::clone(&self.bodies).try_acquire_many_owned(pages);
        room.map_err(|_| Problem::busy("the requests that are being received fill the memory"))
    }

    /// Requests that wait, or are being answered.
    pub(crate) fn waiting(&self, settings: &Settings) -> usize {
        let all = settings.queue + self.running.available_permits();
        all.saturating_sub(self.places.available_permits())
    }
}
