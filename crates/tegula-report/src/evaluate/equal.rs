//! The groups of equal units in a run.

use std::collections::HashMap;

/// Groups of equal units.
#[derive(Default)]
pub(super) struct Equal {
    pub(super) list: Vec<Group>,
    last: Option<u64>,
    /// By the first member, its group.
    firsts: HashMap<Box<str>, usize>,
}

/// Equal units.
#[derive(Default)]
pub(super) struct Group {
    pub(super) members: Vec<Box<str>>,
    /// Whether they are pairs of each other.
    pub(super) alike: bool,
}

impl Equal {
    /// Members of a group are consecutive.
    pub(super) fn push(&mut self, group: u64, id: &str, alike: bool) {
        if self.last != Some(group) {
            self.last = Some(group);
            self.firsts.insert(id.into(), self.list.len());
            self.list.push(Group {
                members: Vec::new(),
                alike,
            });
        }
        if let Some(group) = self.list.last_mut() {
            group.members.push(id.into());
        }
    }

    /// The members of the group that begins with this one.
    pub(super) fn of(&self, first: &str) -> Option<&[Box<str>]> {
        self.firsts
            .get(first)
            .map(|place| self.list[*place].members.as_slice())
    }
}
