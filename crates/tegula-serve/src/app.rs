//! What all requests share.

use crate::changes::{self, Changes};
use crate::gate::Gate;
use crate::metrics::Metrics;
use crate::problem::Problem;
use crate::{Settings, Watcher};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread::JoinHandle;
use tegula::context::Context;
use tegula::error::{Error, Result};
use tegula::index::Index;

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
    /// Also starts the thread that changes the index.
    ///
    /// # Errors
    /// If the system refuses it.
    pub(crate) fn start(
        index: Index,
        settings: Settings,
        context: &Context,
        watcher: Arc<dyn Watcher>,
    ) -> Result<(Arc<Self>, JoinHandle<()>)> {
        let (changes, waiting) = Changes::new(settings.queue);
        let app = Arc::new(Self {
            gate: Gate::new(context, &settings),
            metrics: Metrics::new(),
            index,
            settings,
            changes,
            watcher,
            is_stopping: AtomicBool::new(false),
        });
        let writer = changes::start(&app, waiting, context)?;
        Ok((app, writer))
    }

    /// Counts a failure, and tells the operator if it is no fault of a client.
    pub(crate) fn failed(&self, error: &Error) {
        if Problem::is_internal(error) {
            self.metrics.failures.inc();
            self.watcher.failed(error);
        }
    }
}
