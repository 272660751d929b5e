//! The interrupt key: the first time it stops the run at the next opportunity, the second time at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use tegula::error::{Error, ErrorKind, Result};

/// What programs end with that an interrupt ended.
pub(crate) const INTERRUPTED: u8 = 130;

static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// The flag that the interrupt key sets.
///
/// # Errors
/// When the system refuses a handler.
pub(crate) fn watch() -> Result<Arc<AtomicBool>> {
    if let Some(flag) = FLAG.get() {
        return Ok(Arc::clone(flag));
    }
    let flag = Arc::clone(FLAG.get_or_init(Arc::default));
    let set = Arc::clone(&flag);
    ctrlc::set_handler(move || {
        if set.swap(true, Ordering::Relaxed) {
            // Temporary files without a name are gone with the process; named ones were asked for no less than the end.
            #[expect(clippy::exit, reason = "a second interrupt asks for the end without delay")]
            std::process::exit(i32::from(INTERRUPTED));
        }
    })
    .map_err(|error| Error::new(ErrorKind::Io, "cannot watch for the interrupt key").because(error))?;
    Ok(flag)
}
