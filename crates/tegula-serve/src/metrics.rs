//! Figures for Prometheus.

use crate::Served;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;
use tegula::index::Description;

/// What a request was.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Kind {
    method: &'static str,
    route: String,
}

/// What a request was, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answered {
    method: &'static str,
    route: String,
    status: u16,
}

/// Figures for Prometheus.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<Answered, Counter>,
    seconds: Family<Kind, Histogram>,
    refused: Counter,
    /// Of all kinds; not shown, as it is the sum.
    all_requests: Counter,
    pub(crate) asked: Counter,
    pub(crate) added: Counter,
    pub(crate) removed: Counter,
    pub(crate) commits: Counter,
    pub(crate) merges: Counter,
    pub(crate) failures: Counter,
    pub(crate) connections: Gauge,
    waiting: Gauge,
    texts: Gauge,
    segments: Gauge,
    bytes: Gauge,
}

/// A half of a millisecond, doubled up to 16 seconds.
fn histogram() -> Histogram {
    Histogram::new(exponential_buckets(0.0005, 2.0, 16))
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut registry = Registry::with_prefix("tegula");
        let mut counter = |name: &str, help: &str| {
            let counter = Counter::default();
            registry.register(name, help, counter.clone());
            counter
        };
        let refused = counter("refused_connections", "Connections beyond the limit");
        let asked = counter("asked_texts", "Texts that were asked about");
        let added = counter("added_texts", "Texts that were added");
        let removed = counter("removed_texts", "Texts that were removed or replaced");
        let commits = counter("commits", "Changes of the index that were written to disk");
        let merges = counter("merges", "Merges of segments");
        let failures = counter("failures", "Failures of the server");
        let mut gauge = |name: &str, help: &str| {
            let gauge: Gauge = Gauge::default();
            registry.register(name, help, gauge.clone());
            gauge
        };
        let connections = gauge("connections", "Clients that are connected");
        let waiting = gauge(
            "waiting_requests",
            "Questions that wait or are being answered",
        );
        let texts = gauge("index_texts", "Texts of the index");
        let segments = gauge("index_segments", "Segments of the index");
        let bytes = gauge("index_bytes", "Bytes of the index on disk");
        let requests = Family::default();
        registry.register("requests", "Requests", requests.clone());
        let seconds = Family::new_with_constructor(histogram as fn() -> Histogram);
        let help = "Time from a request's head to its answer, in seconds";
        registry.register("request_seconds", help, seconds.clone());
        Self {
            registry,
            requests,
            seconds,
            refused,
            all_requests: Counter::default(),
            asked,
            added,
            removed,
            commits,
            merges,
            failures,
            connections,
            waiting,
            texts,
            segments,
            bytes,
        }
    }

    pub(crate) fn refused_connection(&self) {
        self.refused.inc();
    }

    /// What was answered so far.
    pub(crate) fn served(&self) -> Served {
        Served {
            requests: self.all_requests.get(),
            asked: self.asked.get(),
            added: self.added.get(),
            removed: self.removed.get(),
        }
    }

    /// Counts a request and its time in seconds.
    pub(crate) fn answered(&self, method: &'static str, route: String, status: u16, seconds: f64) {
        let kind = Kind {
            method,
            route: route.clone(),
        };
        self.seconds.get_or_create(&kind).observe(seconds);
        let answered = Answered {
            method,
            route,
            status,
        };
        self.requests.get_or_create(&answered).inc();
        self.all_requests.inc();
    }

    /// In the text format of OpenMetrics, with what the index is now, and how many questions wait.
    pub(crate) fn text(&self, description: &Description, waiting: usize) -> String {
        let set = |gauge: &Gauge, value: u64| gauge.set(i64::try_from(value).unwrap_or(i64::MAX));
        let bytes = description.segments.iter().map(|segment| segment.bytes);
        set(&self.bytes, bytes.sum());
        set(&self.texts, description.records());
        set(&self.segments, description.segments.len() as u64);
        set(&self.waiting, waiting as u64);
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}
