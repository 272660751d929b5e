//! Buffers that are reused: one thread fills them, another empties them, and memory that a thread
//! frees for another would have to be cleared by the system first.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError};

/// Empty buffers, shared by the threads that read or write a file.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pool(Arc<Mutex<Vec<Vec<u8>>>>);

/// The largest buffer that is kept, so that a large record is not held after it.
const LARGEST: usize = 2 << 20;

impl Pool {
    /// A buffer with at least this capacity.
    pub(crate) fn take(&self, capacity: usize) -> Buffer {
        let mut bytes = self.free().pop().unwrap_or_default();
        bytes.reserve(capacity);
        Buffer {
            bytes,
            pool: Some(self.clone()),
        }
    }

    fn free(&self) -> impl DerefMut<Target = Vec<Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Bytes that go back to their pool when dropped.
#[derive(Debug, Default)]
pub(crate) struct Buffer {
    bytes: Vec<u8>,
    pool: Option<Pool>,
}

impl From<Vec<u8>> for Buffer {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, pool: None }
    }
}

impl Deref for Buffer {
    type Target = Vec<u8>;

    fn deref(&self) -> &Vec<u8> {
        &self.bytes
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if let Some(pool) = self.pool.take()
            && self.bytes.capacity() <= LARGEST
        {
            self.bytes.clear();
            pool.free().push(std::mem::take(&mut self.bytes));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_used_again_unless_it_is_large() {
        let pool = Pool::default();
        let mut first = pool.take(10);
        first.extend_from_slice(b"abc");
        let place = first.as_ptr();
        drop(first);
        let again = pool.take(3);
        assert!(again.is_empty() && again.as_ptr() == place);
        drop(pool.take(LARGEST + 1));
        assert!(pool.take(1).capacity() < LARGEST);
    }
}
