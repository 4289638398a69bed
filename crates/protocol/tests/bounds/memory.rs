//! An allocator that counts the allocations of each thread, to measure peak memory.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

thread_local! {
    static CURRENT: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

/// Measures allocated bytes since its creation.
#[derive(Debug)]
pub(crate) struct MemoryMeter {
    before: isize,
}

impl MemoryMeter {
    pub(crate) fn start() -> Self {
        PEAK.set(CURRENT.get());
        Self { before: CURRENT.get() }
    }

    /// Returns the peak.
    pub(crate) fn peak(&self) -> usize {
        usize::try_from(PEAK.get() - self.before).unwrap_or(0)
    }

    pub(crate) fn current(&self) -> usize {
        usize::try_from(CURRENT.get() - self.before).unwrap_or(0)
    }
}

struct CountingAllocator;

impl CountingAllocator {
    fn add(size: usize) {
        let now = CURRENT.get() + size as isize;
        CURRENT.set(now);
        PEAK.set(PEAK.get().max(now));
    }

    fn subtract(size: usize) {
        CURRENT.set(CURRENT.get() - size as isize);
    }
}

#[expect(unsafe_code, reason = "an allocator requires it; every call is passed on unchanged")]
// SAFETY: all four functions pass their arguments to `System` unchanged and return its result.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::add(layout.size());
        // SAFETY: the caller follows the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Self::add(layout.size());
        // SAFETY: the caller follows the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both may exist at once, so both count until the old one is freed.
        Self::add(size);
        // SAFETY: the caller follows the contract of `realloc`.
        let moved = unsafe { System.realloc(pointer, layout, size) };
        Self::subtract(layout.size());
        moved
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        Self::subtract(layout.size());
        // SAFETY: the caller follows the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}
