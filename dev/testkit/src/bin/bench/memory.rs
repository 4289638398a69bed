//! Counts allocated bytes, so that a bench can report the peak of its subject.
//!
//! A wrapper around the system's allocator with two counters. It counts only during a measurement, because counting takes a
//! twentieth of the time of a parser that allocates much.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicBool, AtomicIsize, Ordering::Relaxed},
};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

static IS_COUNTING: AtomicBool = AtomicBool::new(false);
/// Bytes allocated since the measurement began; negative if more were freed.
static CURRENT: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);

/// Runs a function, and returns the peak of allocated bytes above those allocated before.
pub(crate) fn measure_peak_bytes(run: impl FnOnce()) -> usize {
    CURRENT.store(0, Relaxed);
    PEAK.store(0, Relaxed);
    IS_COUNTING.store(true, Relaxed);
    run();
    IS_COUNTING.store(false, Relaxed);
    usize::try_from(PEAK.load(Relaxed)).unwrap_or(0)
}

struct CountingAllocator;

impl CountingAllocator {
    fn add(size: usize) {
        if IS_COUNTING.load(Relaxed) {
            let size = size.cast_signed();
            let now = CURRENT.fetch_add(size, Relaxed) + size;
            PEAK.fetch_max(now, Relaxed);
        }
    }

    fn subtract(size: usize) {
        if IS_COUNTING.load(Relaxed) {
            CURRENT.fetch_sub(size.cast_signed(), Relaxed);
        }
    }
}

#[expect(
    unsafe_code,
    reason = "`GlobalAlloc` is an unsafe trait; every call is passed to the system's allocator unchanged"
)]
// SAFETY: all four functions pass their arguments to `System` unchanged and return its result.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::add(layout.size());
        // SAFETY: the caller keeps the rules of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Self::add(layout.size());
        // SAFETY: the caller keeps the rules of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Old and new block may exist at once, so both count until the old one is freed.
        Self::add(size);
        // SAFETY: the caller keeps the rules of `realloc`.
        let moved = unsafe { System.realloc(pointer, layout, size) };
        Self::subtract(layout.size());
        moved
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        Self::subtract(layout.size());
        // SAFETY: the caller keeps the rules of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}
