//! Large pages for large tables: random access then causes far fewer TLB misses.

/// Asks the system to back the capacity of `table` with large pages, if possible. Has no other
/// effect; call it before filling the table.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "advice on memory is given by address")]
pub(crate) fn advise<T>(table: &mut Vec<T>) {
    const PAGE: usize = 4096;
    let start = (table.as_mut_ptr() as usize).next_multiple_of(PAGE);
    let end = (table.as_ptr() as usize + table.capacity() * size_of::<T>()) / PAGE * PAGE;
    if start < end {
        // SAFETY: whole pages inside memory that `table` owns; the advice does not touch their
        // contents.
        let _declined = unsafe {
            rustix::mm::madvise(
                start as *mut std::ffi::c_void,
                end - start,
                rustix::mm::Advice::LinuxHugepage,
            )
        };
    }
}

/// Other systems choose page sizes automatically.
#[cfg(not(target_os = "linux"))]
pub(crate) fn advise<T>(_: &mut Vec<T>) {}
