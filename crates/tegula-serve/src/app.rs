//! What all requests share.

use crate::changes::{Changes, Job};
use crate::gate::Gate;
use crate::metrics::Metrics;
use crate::problem::Problem;
use crate::{Settings, Watcher};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tegula::context::Context;
use tegula::error::Error;
use tegula::index::Index;
use tokio::sync::mpsc::Receiver;

/// What all requests share.
pub(crate) struct App {
    pub(crate) index: Index,
    pub(crate) settings: Settings,
    pub(crate) gate: Gate,
    pub(crate) changes: Changes,
    pub(crate) metrics: Metrics,
    pub(crate) watcher: Arc<dyn Watcher>,
    /// Whether no more requests are accepted.
    pub(crate) is_stopping: AtomicBool,
}

impl App {
    /// With the changes that wait, for the thread that makes them.
    pub(crate) fn new(
        index: Index,
        settings: Settings,
        context: &Context,
        watcher: Arc<dyn Watcher>,
    ) -> (Arc<Self>, Receiver<Job>) {
        let (changes, waiting) = Changes::new(settings.queue);
        let app = Self {
            gate: Gate::new(context, &settings),
            metrics: Metrics::new(),
            index,
            settings,
            changes,
            watcher,
            is_stopping: AtomicBool::new(false),
        };
        (Arc::new(app), waiting)
    }

    /// Counts a failure, and tells the operator if it is no fault of a client.
    pub(crate) fn failed(&self, error: &Error) {
        if Problem::is_internal(error) {
            self.metrics.failures.inc();
            self.watcher.failed(error);
        }
    }
}
