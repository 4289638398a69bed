//! Counts what a thread allocates, so that a test can say how much its subject needed at most.
//!
//! The system's allocator does the work; two counters of each thread are kept beside it.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

thread_local! {
    static CURRENT: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

/// Measures from its making on, in bytes beyond what was allocated before.
#[derive(Debug)]
pub struct Meter {
    before: isize,
}

impl Meter {
    pub fn start() -> Self {
        PEAK.set(CURRENT.get());
        Self { before: CURRENT.get() }
    }

    /// Returns the most that was allocated at once.
    pub fn peak(&self) -> usize {
        usize::try_from(PEAK.get() - self.before).unwrap_or(0)
    }

    /// Returns what is allocated now.
    pub fn now(&self) -> usize {
        usize::try_from(CURRENT.get() - self.before).unwrap_or(0)
    }
}

struct Counting;

impl Counting {
    fn add(size: usize) {
        let now = CURRENT.get() + size as isize;
        CURRENT.set(now);
        PEAK.set(PEAK.get().max(now));
    }

    fn subtract(size: usize) {
        CURRENT.set(CURRENT.get() - size as isize);
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
