//! The allocator of the program.

/// Gives memory back to the system when a stage is done with it, which the system's own allocator
/// does not: without it `--memory` would bound what is used, and not what is held.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How long freed memory is kept before the system gets it back, in milliseconds: long enough that
/// what a thread needs again at once is still there, and short enough that one stage does not hold
/// what another needs. By itself the allocator waits for a second: two threads are faster by a tenth
/// then, but a run takes up to half as much again as `plan` says.
const KEPT_FREE: std::ffi::c_long = 10;

/// `mi_option_purge_delay`, which the bindings do not name.
const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;

/// Sets [`KEPT_FREE`], unless the environment says otherwise. To be called at first, as what was freed
/// before is given back after the time that held then.
#[expect(
    unsafe_code,
    reason = "options of the allocator are set by a foreign function"
)]
pub(crate) fn give_back_soon() {
    // SAFETY: the function sets a number, and no other thread runs yet.
    unsafe { libmimalloc_sys::mi_option_set_default(PURGE_DELAY, KEPT_FREE) }
}

/// Leaves large pages alone, of which a run that spreads small buffers holds many and fills few: its
/// peak falls by 15 to 30 MiB, and it is not slower. To be called only by the program that the
/// process belongs to.
pub(crate) fn use_small_pages() {
    #[cfg(target_os = "linux")]
    {
        // If the system does not know the request, nothing changes.
        let _unknown = rustix::thread::disable_transparent_huge_pages(true);
    }
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
        let is_chosen = std::env::var_os("MIMALLOC_PURGE_DELAY").is_some();
        assert!(is_chosen || delay() == 1000, "what it is by itself");
        give_back_soon();
        assert!(is_chosen || delay() == KEPT_FREE);
    }
}
