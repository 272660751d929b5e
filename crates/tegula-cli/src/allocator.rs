//! The allocator of the program.

/// Gives memory back to the system when a stage is done with it, which the system's own allocator
/// does not: without it `--memory` would bound what is used, and not what is held.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How long freed memory is kept before the system gets it back, in milliseconds, under a ceiling:
/// long enough that what a thread needs again at once is still there, and short enough that one
/// stage does not hold what another needs. By itself the allocator waits for a second, and a run of
/// three seconds held a quarter more.
const KEPT_FREE: std::ffi::c_long = 25;

/// Sets [`KEPT_FREE`], unless the environment says otherwise; for a run with a ceiling. Others are
/// faster if they need not ask the system again for what they have given back: two threads by a
/// seventh.
#[expect(
    unsafe_code,
    reason = "options of the allocator are set by a foreign function"
)]
pub(crate) fn give_back_soon() {
    /// `mi_option_purge_delay`, which the bindings do not name.
    const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;
    // SAFETY: the function sets a number, before the threads of the run begin.
    unsafe { libmimalloc_sys::mi_option_set_default(PURGE_DELAY, KEPT_FREE) }
}

#[cfg(test)]
mod tests {
    #[test]
    #[expect(
        unsafe_code,
        reason = "options of the allocator are read by a foreign function"
    )]
    fn the_option_of_the_allocator_is_the_one_that_is_meant() {
        // SAFETY: the function reads a number.
        let delay = || unsafe { libmimalloc_sys::mi_option_get(15) };
        let is_chosen = std::env::var_os("MIMALLOC_PURGE_DELAY").is_some();
        let is_known = [1000, super::KEPT_FREE].contains(&delay());
        assert!(
            is_chosen || is_known,
            "what it is by itself, or is set already"
        );
        super::give_back_soon();
        assert!(is_chosen || delay() == super::KEPT_FREE);
    }
}
