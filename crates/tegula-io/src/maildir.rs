//! Maildir: a folder with `cur` and `new` (and `tmp`, which copies often lose), whose messages are files without an extension.
//!
//! Folders inside it (Maildir++) begin with a dot and are of the same form. Symbolic links in it
//! are not followed: a delivered message must not be able to make other files part of the input.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use walkdir::DirEntry;

/// The folders of a Maildir.
const FOLDERS: [&str; 3] = ["cur", "new", "tmp"];

/// What an entry of a Maildir is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A message.
    Message,
    /// A folder with messages, even if its name begins with a dot.
    Folder,
    /// A symbolic link, which is not followed.
    Link,
    /// Mail whose delivery has not ended, and their folder.
    Undelivered,
}

/// The folders seen, and whether each is a Maildir.
#[derive(Debug, Default)]
pub(crate) struct Maildirs(HashMap<PathBuf, bool>);

impl Maildirs {
    /// What the entry of a folder is, if the folder is in a Maildir and the usual rules do not
    /// apply.
    pub(crate) fn role(&mut self, entry: &DirEntry) -> Option<Role> {
        let parent = entry.path().parent()?;
        let holds_mail = is_box(parent) && parent.parent().is_some_and(|root| self.has(root));
        if holds_mail || self.has(parent) {
            if entry.path_is_symlink() {
                return Some(Role::Link);
            }
            if entry.file_type().is_file() {
                return holds_mail.then_some(Role::Message);
            }
            if entry.file_name() == "tmp" {
                return Some(Role::Undelivered);
            }
            return self.has(entry.path()).then_some(Role::Folder);
        }
        None
    }

    /// The folders that each Maildir has, with messages or without.
    pub(crate) fn folders(&self) -> impl Iterator<Item = PathBuf> {
        let roots = self.0.iter().filter(|(_, is_one)| **is_one);
        roots.flat_map(|(root, _)| FOLDERS.iter().map(|name| root.join(name)))
    }

    fn has(&mut self, folder: &Path) -> bool {
        if let Some(known) = self.0.get(folder) {
            return *known;
        }
        let found = FOLDERS[..2].iter().all(|name| folder.join(name).is_dir());
        self.0.insert(folder.to_path_buf(), found);
        found
    }
}

/// Whether a folder of a Maildir holds delivered messages, by its name.
fn is_box(folder: &Path) -> bool {
    folder
        .file_name()
        .is_some_and(|name| name == "cur" || name == "new")
}
