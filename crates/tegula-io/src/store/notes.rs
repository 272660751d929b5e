//! What a run has begun to upload, noted where it writes, so that the next run there can remove what a
//! killed one has left: stores keep such parts for ever, and charge for them.
//!
//! The notes are objects `.tegula/TOKEN-N.json` in the folder of an output, with at most [`PAGE`] uploads
//! each. A run holds a lock `.tegula-TOKEN.lock` in the folder of the system for temporary files: on
//! the machine where it ran, a lock that can be acquired shows that it is dead. On other machines a run
//! counts as dead when it has not written its notes again for a day, which it does every hour. If one
//! is taken for dead and is not, its outputs cannot be completed, and it says so: nothing half-written
//! can become visible.
//!
//! An upload that is begun but not yet noted when a run is killed is left to the rules of the bucket.

use super::address::Address;
use super::client::{Client, Repeated, Task};
use super::object::Object;
use crate::lock::Lock;
use serde::{Deserialize, Serialize};
use std::io::Read as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};
use tegula::error::{Error, ErrorKind, Result};

/// The folder of notes.
pub(crate) const FOLDER: &str = ".tegula";
/// Uploads in an object of notes, which is written again with each.
const PAGE: usize = 100;
/// How often notes are written again.
const RENEWED: Duration = Duration::from_secs(60 * 60);
/// How old the notes of a dead run are, at least.
const DEAD: Duration = Duration::from_secs(24 * 60 * 60);
/// The most bytes of an object of notes.
const LONGEST: u64 = 1 << 20;

/// An upload that was begun.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Noted {
    #[serde(with = "crate::path")]
    address: PathBuf,
    upload: String,
}

/// An object of notes.
#[derive(Debug, Serialize, Deserialize)]
struct Page {
    token: String,
    uploads: Vec<Noted>,
}

/// The uploads that a run has begun.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    token: String,
    /// The folders of outputs, and what is noted in each.
    folders: Vec<(Address, Vec<Noted>)>,
    /// Those neither completed nor removed.
    open: Vec<(Address, String)>,
    lock: Option<Lock>,
    renewed: Option<Repeated>,
}

impl Notes {
    /// No uploads yet, of the run with this token.
    pub(crate) fn of(token: &str) -> Arc<Mutex<Self>> {
        Arc::new(Mutex::new(Self {
            token: token.to_owned(),
            ..Self::default()
        }))
    }

    /// Notes what is written below a folder in it.
    pub(crate) fn add_folder(&mut self, folder: &Address) {
        if !self.folders.iter().any(|(known, _)| known == folder) {
            self.folders.push((folder.clone(), Vec::new()));
        }
    }

    /// Begins to upload to an address, and notes it.
    pub(super) fn begin(&mut self, client: &Arc<Client>, address: &Address) -> Result<String> {
        let upload = client.begin(address)?.wait()?;
        self.note(address, &upload)?;
        Ok(upload)
    }

    /// Notes an upload that was begun.
    pub(super) fn note(&mut self, address: &Address, upload: &str) -> Result<()> {
        self.open.push((address.clone(), upload.to_owned()));
        if self.lock.is_none() {
            self.lock = Some(Lock::new(&std::env::temp_dir(), false, &self.token)?);
        }
        let noted = Noted {
            address: address.path(),
            upload: upload.to_owned(),
        };
        let path = address.path();
        let at = (self.folders.iter().enumerate())
            .filter(|(_, (folder, _))| path.starts_with(folder.path()))
            .max_by_key(|(_, (folder, _))| folder.key.len())
            .map(|(at, _)| at);
        let at = at.unwrap_or_else(|| {
            self.add_folder(&address.parent());
            self.folders.len() - 1
        });
        self.folders[at].1.push(noted);
        self.write(at, (self.folders[at].1.len() - 1) / PAGE)
    }

    /// Writes the notes of a folder again, so that this run is known to live.
    pub(crate) fn renew_with(notes: &Arc<Mutex<Self>>) {
        let weak = Arc::downgrade(notes);
        let mut own = notes.lock().unwrap_or_else(PoisonError::into_inner);
        if own.renewed.is_none() {
            let renewed = Repeated::every(RENEWED, move || {
                if let Some(notes) = weak.upgrade() {
                    let notes = notes.lock().unwrap_or_else(PoisonError::into_inner);
                    for (at, (_, noted)) in notes.folders.iter().enumerate() {
                        for page in 0..noted.len().div_ceil(PAGE) {
                            // The next hour may be better.
                            let _written = notes.write(at, page);
                        }
                    }
                }
            });
            own.renewed = renewed.ok();
        }
    }

    fn write(&self, folder: usize, page: usize) -> Result<()> {
        let (folder, noted) = &self.folders[folder];
        let end = ((page + 1) * PAGE).min(noted.len());
        let content = Page {
            token: self.token.clone(),
            uploads: noted[page * PAGE..end].to_vec(),
        };
        let address = self.page(folder, page);
        let json = serde_json::to_vec_pretty(&content)
            .map_err(|error| Error::new(ErrorKind::Io, error.to_string()).at(&address.path()))?;
        Client::of(&address)?.put(&address, json.into())?.wait()?;
        Ok(())
    }

    fn page(&self, folder: &Address, page: usize) -> Address {
        below(folder, &format!("{FOLDER}/{}-{page}.json", self.token))
    }

    /// Takes an upload for completed or removed.
    pub(crate) fn forget(&mut self, address: &Address, upload: &str) {
        (self.open).retain(|(open, id)| (open, id.as_str()) != (address, upload));
    }

    /// Removes what was neither completed nor removed, and the notes.
    pub(crate) fn clean(&mut self) {
        let remove = |(address, upload): (Address, String)| {
            let client = Client::of(&address)?;
            client.abort(&address, &upload)
        };
        let removing: Vec<_> = self.open.drain(..).map(remove).collect();
        let removed: Vec<Result<()>> = (removing.into_iter())
            .map(|task| task.and_then(Task::wait))
            .collect();
        // What could not be removed is left to the next run.
        if removed.iter().all(Result::is_ok) {
            for (folder, noted) in std::mem::take(&mut self.folders) {
                for page in 0..noted.len().div_ceil(PAGE) {
                    let page = self.page(&folder, page);
                    let _gone = Client::of(&page)
                        .and_then(|client| client.delete(&page))
                        .and_then(Task::wait);
                }
            }
        }
        self.renewed = None;
        self.lock = None;
    }
}

/// Removes what dead runs have left below a folder. What cannot be removed stays.
pub(crate) fn sweep(folder: &Address) {
    let notes = below(folder, FOLDER);
    let found = Client::of(&notes)
        .and_then(|client| client.list(&notes, usize::MAX))
        .and_then(Task::wait);
    for object in found.unwrap_or_default() {
        let _removed = sweep_page(&object);
    }
}

fn sweep_page(object: &Object) -> Result<()> {
    let mut json = Vec::new();
    let read = object.open()?.take(LONGEST).read_to_end(&mut json);
    read.map_err(|error| Error::io("read", &object.path, error))?;
    let name = object
        .path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    let Ok(page) = serde_json::from_slice::<Page>(&json) else {
        return Ok(());
    };
    let age = (object.modified).and_then(|at| SystemTime::now().duration_since(at).ok());
    let is_dead = Lock::is_dead_in(&std::env::temp_dir(), &page.token)
        .unwrap_or_else(|| age.is_some_and(|age| age > DEAD));
    if !name.starts_with(&page.token) || !is_dead {
        return Ok(());
    }
    for noted in &page.uploads {
        if let Some(address) = Address::parse(&noted.address) {
            Client::of(&address)?
                .abort(&address, &noted.upload)?
                .wait()?;
        }
    }
    let address = object.address()?;
    Client::of(&address)?.delete(&address)?.wait()
}

fn below(folder: &Address, name: &str) -> Address {
    match folder.key.as_str() {
        "" => folder.at(name),
        key => folder.at(&format!("{key}/{name}")),
    }
}
