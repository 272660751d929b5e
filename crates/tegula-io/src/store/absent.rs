//! Without the feature `stores`: every address is refused.

use super::address::Address;
use super::object::Object;
use bytes::Bytes;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;
use tegula::error::{Error, Result};

/// A store that there is not.
#[derive(Debug)]
pub(super) enum Client {}

/// A request that is never made.
pub(super) enum Task<T> {
    #[expect(dead_code, reason = "without a store there are no requests")]
    Never(std::convert::Infallible, T),
}

impl<T> Task<T> {
    pub(super) fn wait(self) -> Result<T> {
        match self {
            Self::Never(never, _) => match never {},
        }
    }
}

/// What is never repeated.
#[derive(Debug)]
pub(super) enum Repeated {}

impl Repeated {
    pub(super) fn every(_: Duration, _: impl Fn() + Send + Sync + 'static) -> Result<Self> {
        Err(Error::usage("built without stores"))
    }
}

impl Client {
    pub(super) fn of(address: &Address) -> Result<Arc<Self>> {
        Err(Error::usage(
            "this program was built without the feature \"stores\", which reads and writes at addresses",
        )
        .at(&address.path())
        .hint("build it with this feature, or copy the files to a folder first"))
    }

    pub(super) fn head(&self, _: &Address) -> Result<Task<Option<Object>>> {
        match *self {}
    }

    pub(super) fn list(&self, _: &Address, _: usize) -> Result<Task<Vec<Object>>> {
        match *self {}
    }

    pub(super) fn read(&self, _: &Arc<Object>, _: Range<u64>) -> Result<Task<Bytes>> {
        match *self {}
    }

    pub(super) fn put(&self, _: &Address, _: Bytes) -> Result<Task<Option<String>>> {
        match *self {}
    }

    pub(super) fn delete(&self, _: &Address) -> Result<Task<()>> {
        match *self {}
    }

    pub(super) fn check_writable(&self, _: &Address) -> Result<()> {
        match *self {}
    }

    pub(super) fn begin(&self, _: &Address) -> Result<Task<String>> {
        match *self {}
    }

    pub(super) fn part(&self, _: &Address, _: &str, _: usize, _: Bytes) -> Result<Task<String>> {
        match *self {}
    }

    pub(super) fn complete(
        &self,
        _: &Address,
        _: &str,
        _: &[String],
    ) -> Result<Task<Option<String>>> {
        match *self {}
    }

    pub(super) fn abort(&self, _: &Address, _: &str) -> Result<Task<()>> {
        match *self {}
    }
}
