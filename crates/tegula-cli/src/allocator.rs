//! The allocator of the program.

/// Gives memory back to the system when a stage is done with it, which the system's own allocator
/// does not: without it `--memory` would bound what is used, and not what is held.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How long freed memory is kept under a ceiling before the system gets it back, in milliseconds:
/// long enough that what a thread needs again at once is still there, and short enough that one
/// stage does not hold what another needs.
const SOON: std::ffi::c_long = 10;

/// How long it is kept without a ceiling, as the allocator does by itself. A run of two seconds
/// holds up to a fifth more then, and two threads are faster by 5 to 20 %, as they need not ask for
/// what they have given back.
const LATE: std::ffi::c_long = 1000;

/// `mi_option_purge_delay`, which the bindings do not name.
const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;

/// Determines when freed memory is given back, unless the environment does: soon for a run with a
/// ceiling. To be called with true at first, as what was freed before is given back after the time
/// that held then.
#[expect(
    unsafe_code,
    reason = "options of the allocator are set by a foreign function"
)]
pub(crate) fn give_back(soon: bool) {
    let delay = if soon { SOON } else { LATE };
    // SAFETY: the function sets a number, before the threads of the run begin.
    unsafe { libmimalloc_sys::mi_option_set_default(PURGE_DELAY, delay) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(
        unsafe_code,
        reason = "options of the allocator are read by a foreign function"
    )]
    fn the_option_of_the_allocator_is_the_one_that_is_meant() {
        // SAFETY: the function reads a number.
        let delay = || unsafe { libmimalloc_sys::mi_option_get(PURGE_DELAY) };
        if std::env::var_os("MIMALLOC_PURGE_DELAY").is_some() {
            return;
        }
        assert!([LATE, SOON].contains(&delay()), "by itself it is late");
        give_back(true);
        assert_eq!(delay(), SOON);
        give_back(false);
        assert_eq!(delay(), LATE);
    }
}
