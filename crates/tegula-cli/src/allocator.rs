//! The allocator of the program.

/// Returns memory to the system when a stage is done with it, which the system's own allocator does
/// not: without it `--memory` would bound the memory in use, but not the memory held.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How long freed memory is kept before it is returned to the system, in milliseconds: long enough
/// that memory which a thread needs again at once is still there, and short enough that one stage
/// does not hold what another needs. The allocator's own default is a second: two threads are a
/// tenth faster then, but a run takes up to one and a half times the memory that `plan` predicts.
const KEPT_FREE: std::ffi::c_long = 10;

/// `mi_option_purge_delay`, which the bindings do not name.
const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;

/// `mi_option_allow_thp`: whether the allocator asks the system for large pages.
const LARGE_PAGES: libmimalloc_sys::mi_option_t = 43;

/// Sets [`KEPT_FREE`] and does not ask for large pages, unless the environment says otherwise. To
/// be called first, as memory freed earlier is returned after the delay in force at that time.
#[expect(
    unsafe_code,
    reason = "options of the allocator are set by a foreign function"
)]
pub(crate) fn give_back_soon() {
    // SAFETY: the function sets numbers, and no other thread runs yet.
    unsafe {
        libmimalloc_sys::mi_option_set_default(PURGE_DELAY, KEPT_FREE);
        libmimalloc_sys::mi_option_set_default(LARGE_PAGES, 0);
    }
}

/// Turns large pages off: a run with many small buffers holds many of them and fills few, and each
/// is cleared whole. This lowers its peak by 15 to 30 MiB, and is not slower. To be called only by
/// the program that owns the process.
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
    fn the_options_of_the_allocator_are_those_that_are_meant() {
        // SAFETY: the function reads a number.
        let values =
            || unsafe { [PURGE_DELAY, LARGE_PAGES].map(|it| libmimalloc_sys::mi_option_get(it)) };
        let names = ["MIMALLOC_PURGE_DELAY", "MIMALLOC_ALLOW_THP"];
        let is_chosen = names.iter().any(|name| std::env::var_os(name).is_some());
        assert!(
            is_chosen || values() == [1000, 1],
            "what they are by themselves"
        );
        give_back_soon();
        assert!(is_chosen || values() == [KEPT_FREE, 0]);
    }
}
