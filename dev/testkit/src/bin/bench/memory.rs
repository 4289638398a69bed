//! Counts what is allocated, so that a bench can say how much its subject needed at most.
//!
//! The system's allocator does the work; two counters are kept beside it.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static CURRENT: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// Runs something, and returns the most bytes that were allocated at once beyond those that were before.
pub fn peak(run: impl FnOnce()) -> usize {
    let before = CURRENT.load(Relaxed);
    PEAK.store(before, Relaxed);
    run();
    PEAK.load(Relaxed).saturating_sub(before)
}

struct Counting;

impl Counting {
    fn add(size: usize) {
        let now = CURRENT.fetch_add(size, Relaxed) + size;
        PEAK.fetch_max(now, Relaxed);
    }

    fn subtract(size: usize) {
        CURRENT.fetch_sub(size, Relaxed);
    }
}

#[expect(
    unsafe_code,
    reason = "an allocator can't be written without; every call goes to the system's unchanged"
)]
// SAFETY: all four functions pass their arguments to `System` as they came and return what it returned.
unsafe impl GlobalAlloc for Counting {
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
        // Old and new may exist at once, so both count until the old one is gone.
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
