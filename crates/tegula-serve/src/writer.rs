//! The thread that changes the index: changes that wait are made together, so that the disk is waited for
//! once.

use crate::app::App;
use crate::changes::{Added, Change, Done, Job, Outcome};
use crate::problem::Problem;
use axum::http::StatusCode;
use std::collections::HashSet;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use tegula::Record;
use tegula::context::Context;
use tegula::engine::bad_records::FailOnBad;
use tegula::error::{ErrorKind, Result};
use tegula::index::{IdTaken, Writer};
use tegula::source::Records;
use tokio::sync::mpsc::Receiver;

/// The least time between two changes for each segment of the index: while changes come fast, they are
/// made in fewer and larger ones, as each leaves a segment.
const PER_SEGMENT: Duration = Duration::from_millis(3);
/// The longest time.
const LONGEST: Duration = Duration::from_millis(500);
/// The most changes that are made together.
const TOGETHER: usize = 4096;

/// Starts the thread that makes the changes, until no more can come.
///
/// # Errors
/// If the system refuses it.
pub(crate) fn start(
    app: &Arc<App>,
    mut waiting: Receiver<Job>,
    context: &Context,
) -> Result<JoinHandle<()>> {
    let app = Arc::clone(app);
    // Few texts at a time: more threads would take longer to start than to work.
    let context = context.on_one_thread();
    let make = move || {
        let mut jobs = Vec::new();
        let mut last: Option<Instant> = None;
        while waiting.blocking_recv_many(&mut jobs, TOGETHER) > 0 {
            let segments = app.index.description().segments.len();
            let least = (PER_SEGMENT * segments as u32).min(LONGEST);
            if let Some(rest) = last.and_then(|last| least.checked_sub(last.elapsed())) {
                thread::sleep(rest);
                while jobs.len() < TOGETHER
                    && let Ok(job) = waiting.try_recv()
                {
                    jobs.push(job);
                }
            }
            make_all(&app, &context, std::mem::take(&mut jobs));
            last = Some(Instant::now());
        }
    };
    thread::Builder::new()
        .name("changes".into())
        .spawn(make)
        .map_err(|error| {
            ErrorKind::Io
                .expected("a thread for changes")
                .because(error)
        })
}

/// Makes changes together; if that fails, each alone, so that one does not make others fail.
fn make_all(app: &App, context: &Context, jobs: Vec<Job>) {
    let outcomes = make_together(app, context, &jobs);
    match outcomes {
        Ok(outcomes) => {
            for (job, outcome) in jobs.into_iter().zip(outcomes) {
                if let Ok(done) = &outcome {
                    app.metrics.added.inc_by(done.added);
                    app.metrics.removed.inc_by(done.removed);
                }
                // Whoever asked may have gone.
                let _gone = job.done.send(outcome);
            }
        }
        // Another process that writes makes all fail.
        Err(error) if jobs.len() > 1 && error.kind() != ErrorKind::Run => {
            for job in jobs {
                make_all(app, context, vec![job]);
            }
        }
        Err(error) => {
            app.failed(&error);
            for job in jobs {
                let _gone = job.done.send(Err(Problem::from(&error)));
            }
        }
    }
}

/// The changes so far, of which some are not yet with the writer.
struct Pending<'j, 'i> {
    writer: Writer<'i>,
    texts: Vec<&'j Added>,
    ids: HashSet<&'j str>,
}

impl<'j> Pending<'j, '_> {
    /// Hands the texts to the writer.
    fn flush(&mut self) -> Result<()> {
        if self.texts.is_empty() {
            return Ok(());
        }
        self.ids.clear();
        let texts = std::mem::take(&mut self.texts);
        let bytes = texts.iter().map(|added| added.text.len() as u64).sum();
        let names = texts.iter().flat_map(|added| &added.fields);
        let names: HashSet<&str> = names.map(|(name, _)| name.as_str()).collect();
        let mut names: Vec<&str> = names.into_iter().collect();
        names.sort_unstable();
        let source = Records::new(&names, || {
            Ok(texts.iter().map(|added| {
                let record = Record::new(&*added.text).id(&*added.id);
                let fields = added.fields.iter();
                Ok(fields.fold(record, |record, (name, value)| {
                    record.field(&**name, &**value)
                }))
            }))
        });
        self.writer
            .add(&source.bytes(bytes), IdTaken::Refuse, &mut FailOnBad)
    }

    fn make(&mut self, change: &'j Change) -> Result<Outcome> {
        match change {
            Change::Add { texts, replace } => {
                if texts.iter().any(|added| self.ids.contains(&*added.id)) {
                    self.flush()?;
                }
                let mut known = Vec::new();
                for added in texts {
                    let is_there = if *replace {
                        self.writer.remove(&added.id)?
                    } else {
                        self.writer.has(&added.id)?
                    };
                    if is_there {
                        known.push(&*added.id);
                    }
                }
                if !replace && !known.is_empty() {
                    return Ok(Err(taken(&known)));
                }
                self.texts.extend(texts);
                self.ids.extend(texts.iter().map(|added| &*added.id));
                Ok(Ok(Done {
                    added: texts.len() as u64,
                    removed: known.len() as u64,
                }))
            }
            Change::Remove(id) => {
                if self.ids.contains(&**id) {
                    self.flush()?;
                }
                if self.writer.remove(id)? {
                    Ok(Ok(Done {
                        added: 0,
                        removed: 1,
                    }))
                } else {
                    Ok(Err(Problem::no_text(id)))
                }
            }
        }
    }
}

fn make_together(app: &App, context: &Context, jobs: &[Job]) -> Result<Vec<Outcome>> {
    let mut pending = Pending {
        writer: app.index.write(context)?,
        texts: Vec::new(),
        ids: HashSet::new(),
    };
    let outcomes = jobs.iter().map(|job| pending.make(&job.change));
    let outcomes = outcomes.collect::<Result<Vec<_>>>()?;
    pending.flush()?;
    if outcomes.iter().any(Outcome::is_ok) {
        pending.writer.commit()?;
        app.metrics.commits.inc();
    }
    Ok(outcomes)
}

/// The most ids that a problem names.
const NAMED: usize = 100;

fn taken(ids: &[&str]) -> Problem {
    let ids = ids.iter().take(NAMED).map(|id| (*id).to_owned());
    Problem {
        ids: ids.collect(),
        ..Problem::new(
            StatusCode::CONFLICT,
            "expected ids that are not in the index; nothing was added",
        )
        .hint("set \"replace\" to put the new texts in place of the old ones")
    }
}
