//! An object as it was found.

use super::address::Address;
use crate::file_state::FileState;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use tegula::error::Result;

/// An object of a store as it was found, which is enough to open it later, in any process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Object {
    /// Its address.
    #[serde(with = "crate::path")]
    pub path: PathBuf,
    /// Its length.
    pub bytes: u64,
    /// When it was written, if the store says.
    pub modified: Option<SystemTime>,
    /// The tag of this version of it, if the store gives it one (ETag).
    pub tag: Option<String>,
}

impl Object {
    pub(super) fn address(&self) -> Result<Address> {
        Address::of(&self.path)
    }

    /// The object of this path in a state.
    pub(crate) fn in_state(path: &Path, state: &FileState) -> Self {
        Self {
            path: path.to_path_buf(),
            bytes: state.bytes,
            modified: state.modified,
            tag: state.tag.clone(),
        }
    }
}

impl From<Object> for FileState {
    fn from(object: Object) -> Self {
        Self {
            device: None,
            inode: None,
            bytes: object.bytes,
            modified: object.modified,
            tag: object.tag,
        }
    }
}
