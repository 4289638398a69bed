//! System calls without a safe interface: the only unsafe code of the holder.

#![expect(unsafe_code, reason = "signal masks and the moment between fork and exec have no safe interface")]

mod spawn;

use std::{
    io,
    mem::MaybeUninit,
    ops::Range,
    os::fd::{AsRawFd, FromRawFd, OwnedFd},
    ptr,
};

pub(crate) use spawn::{SpawnOptions, spawn};

/// Signals that the loop receives through a descriptor.
const HANDLED_SIGNALS: [i32; 4] = [libc::SIGCHLD, libc::SIGTERM, libc::SIGINT, libc::SIGIO];

/// `fcntl` command and flags that request `SIGIO` after each deletion in a folder. Unlike inotify, it has no limit per user.
const NOTIFY: i32 = 1026;
const DELETIONS: u32 = 0x8000_0008;

/// Signals that a server may have changed for itself; the agent gets their defaults.
const RESET_SIGNALS: [i32; 10] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGPIPE,
    libc::SIGTERM,
    libc::SIGCHLD,
    libc::SIGTSTP,
    libc::SIGTTIN,
    libc::SIGTTOU,
    libc::SIGXFSZ,
];

/// Redirects the handled signals to a descriptor, and ignores those that would stop or end the holder.
pub(crate) fn redirect_signals() -> io::Result<OwnedFd> {
    let mut set = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: `set` is initialized by `sigemptyset` before it is read; the descriptor is new and owned here.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        for signal in HANDLED_SIGNALS {
            libc::sigaddset(set.as_mut_ptr(), signal);
        }
        if libc::sigprocmask(libc::SIG_BLOCK, set.as_ptr(), ptr::null_mut()) != 0 {
            return Err(io::Error::last_os_error());
        }
        // The holder may set the foreground group from the background, and must survive a full disk.
        for signal in [libc::SIGTTOU, libc::SIGTTIN, libc::SIGTSTP, libc::SIGHUP, libc::SIGXFSZ] {
            libc::signal(signal, libc::SIG_IGN);
        }
        let descriptor = libc::signalfd(-1, set.as_ptr(), libc::SFD_CLOEXEC | libc::SFD_NONBLOCK);
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(OwnedFd::from_raw_fd(descriptor))
    }
}

/// Requests the signal about deletions in a folder for as long as the descriptor is open.
pub(crate) fn watch_deletions(folder: &OwnedFd) -> io::Result<()> {
    // SAFETY: the command takes flags, and no pointer.
    let watched = unsafe { libc::fcntl(folder.as_raw_fd(), NOTIFY, DELETIONS) };
    if watched == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Restores default signal handling in a new process, before it executes the agent's program.
fn restore_signals() -> io::Result<()> {
    // SAFETY: system calls only; `none` is initialized by `sigemptyset` before it is read.
    unsafe {
        for signal in RESET_SIGNALS {
            libc::signal(signal, libc::SIG_DFL);
        }
        // Unblock the signals that the holder receives through a descriptor, such as SIGTERM.
        let mut none = MaybeUninit::<libc::sigset_t>::uninit();
        libc::sigemptyset(none.as_mut_ptr());
        if libc::sigprocmask(libc::SIG_SETMASK, none.as_ptr(), ptr::null_mut()) != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Returns which of the handled signals arrived.
pub(crate) fn take_signals(signals: &OwnedFd) -> ArrivedSignals {
    let mut arrived = ArrivedSignals { child: false, end: false, deletion: false };
    let mut buffer = [0; size_of::<libc::signalfd_siginfo>()];
    while rustix::io::read(signals, &mut buffer).is_ok_and(|length| length == buffer.len()) {
        let [a, b, c, d, ..] = buffer;
        match u32::from_ne_bytes([a, b, c, d]).cast_signed() {
            libc::SIGCHLD => arrived.child = true,
            libc::SIGIO => arrived.deletion = true,
            _ => arrived.end = true,
        }
    }
    arrived
}

pub(crate) struct ArrivedSignals {
    /// A child ended, stopped or continued.
    pub(crate) child: bool,
    /// The holder was asked to end.
    pub(crate) end: bool,
    /// A file in the watched folder was deleted.
    pub(crate) deletion: bool,
}

/// Memory ranges of the program's code and constants, once they were looked up.
#[derive(Default)]
pub(crate) struct ProgramPages {
    segments: Option<Vec<Range<usize>>>,
}

impl ProgramPages {
    /// Returns the program's pages to the kernel, which maps them again on demand.
    pub(crate) fn release(&mut self) {
        for segment in self.segments.get_or_insert_with(find_read_only_segments) {
            // SAFETY: the range is a private read-only mapping of the program's file: its content does not change.
            unsafe {
                libc::madvise(ptr::without_provenance_mut(segment.start), segment.len(), libc::MADV_DONTNEED)
            };
        }
    }
}

/// Finds the segments that are never written, and can therefore be read from the file again.
fn find_read_only_segments() -> Vec<Range<usize>> {
    let mut segments = Vec::new();
    // SAFETY: the callback receives `segments` unchanged, and only runs during this call.
    unsafe { libc::dl_iterate_phdr(Some(collect_program_segments), ptr::from_mut(&mut segments).cast()) };
    segments
}

/// Visits the first object, which is the program itself, and ends the iteration.
unsafe extern "C" fn collect_program_segments(
    object: *mut libc::dl_phdr_info,
    _: usize,
    segments: *mut libc::c_void,
) -> i32 {
    // SAFETY: the C library passes a valid object and header count, and `find_read_only_segments` passes a list.
    let (object, segments) = unsafe { (&*object, &mut *segments.cast::<Vec<Range<usize>>>()) };
    if object.dlpi_phdr.is_null() {
        return 1;
    }
    // SAFETY: as above.
    let headers = unsafe { std::slice::from_raw_parts(object.dlpi_phdr, usize::from(object.dlpi_phnum)) };
    let page_mask = rustix::param::page_size() - 1;
    for header in headers {
        if header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_W == 0 {
            let start = (object.dlpi_addr + header.p_vaddr) as usize;
            let end = start + header.p_memsz as usize;
            segments.push(start & !page_mask..(end + page_mask) & !page_mask);
        }
    }
    1
}
