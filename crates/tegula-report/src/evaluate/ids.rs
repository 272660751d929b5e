//! Ids as numbers, in order of first appearance.

use std::collections::HashMap;
use std::sync::Arc;
use tegula::error::{ErrorKind, Result};

/// Ids and their numbers.
#[derive(Debug, Default)]
pub(super) struct Ids {
    numbers: HashMap<Arc<str>, u32>,
    names: Vec<Arc<str>>,
}

/// The maximum number of ids: the sums of the adjusted Rand index then fit into 128 bits.
const MOST: usize = 1 << 31;

impl Ids {
    /// The number of an id; adds it if it is new.
    ///
    /// # Errors
    /// From 2,147,483,648 ids on.
    pub(super) fn number(&mut self, id: &str) -> Result<u32> {
        if let Some(number) = self.numbers.get(id) {
            return Ok(*number);
        }
        if self.names.len() == MOST {
            return Err(ErrorKind::Data
                .expected("at most 2,147,483,648 different ids")
                .found("more")
                .hint("split the lists"));
        }
        let (number, name) = (self.names.len() as u32, Arc::<str>::from(id));
        self.numbers.insert(Arc::clone(&name), number);
        self.names.push(name);
        Ok(number)
    }

    /// The number of a known id.
    pub(super) fn get(&self, id: &str) -> Option<u32> {
        self.numbers.get(id).copied()
    }

    /// The id of a number.
    pub(super) fn name(&self, number: u32) -> &str {
        &self.names[number as usize]
    }

    /// The number of ids.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }
}
