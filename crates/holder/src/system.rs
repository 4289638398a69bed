//! The only unsafe code of the holder: what the kernel offers and no safe interface has.

#![expect(unsafe_code, reason = "signal masks and the moment between fork and exec have no safe interface")]

mod spawn;

use std::{
    io,
    mem::MaybeUninit,
    ops::Range,
    os::fd::{FromRawFd, OwnedFd},
    ptr,
};

pub(crate) use spawn::{Spawn, spawn};

/// Signals that the loop waits for like for any descriptor.
const AWAITED: [i32; 3] = [libc::SIGCHLD, libc::SIGTERM, libc::SIGINT];

/// Signals whose meaning a server may have changed for itself, and that an agent expects as they were made.
const AS_MADE: [i32; 10] = [
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

/// Turns the signals that matter to a holder into a descriptor, and ignores those that would stop or end it.
pub(crate) fn signals() -> io::Result<OwnedFd> {
    let mut set = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: `set` is made by `sigemptyset` before anything reads it; the descriptor is new and nobody else's.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        for signal in AWAITED {
            libc::sigaddset(set.as_mut_ptr(), signal);
        }
        if libc::sigprocmask(libc::SIG_BLOCK, set.as_ptr(), ptr::null_mut()) != 0 {
            return Err(io::Error::last_os_error());
        }
        // A holder in the background of its own terminal may set its foreground; a full disk is no reason to die.
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

/// Gives a new process its signals back, before the agent's program replaces it.
fn restore_signals() -> io::Result<()> {
    // SAFETY: system calls only; `none` is made by `sigemptyset` before anything reads it.
    unsafe {
        for signal in AS_MADE {
            libc::signal(signal, libc::SIG_DFL);
        }
        // What the holder waits for by a descriptor must reach the agent as ever: it would not hear SIGTERM.
        let mut none = MaybeUninit::<libc::sigset_t>::uninit();
        libc::sigemptyset(none.as_mut_ptr());
        if libc::sigprocmask(libc::SIG_SETMASK, none.as_ptr(), ptr::null_mut()) != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Returns which awaited signals came, as one bit each.
pub(crate) fn came(signals: &OwnedFd) -> Came {
    let mut came = Came { child: false, end: false };
    let mut buffer = [0; size_of::<libc::signalfd_siginfo>()];
    while rustix::io::read(signals, &mut buffer).is_ok_and(|length| length == buffer.len()) {
        let [a, b, c, d, ..] = buffer;
        if u32::from_ne_bytes([a, b, c, d]) == libc::SIGCHLD.cast_unsigned() {
            came.child = true;
        } else {
            came.end = true;
        }
    }
    came
}

/// Which signals came.
pub(crate) struct Came {
    /// A process of ours ended, stopped or went on.
    pub(crate) child: bool,
    /// Somebody wants the holder to end.
    pub(crate) end: bool,
}

/// Where the program's own code and constants lie in memory, as far as that was looked up.
#[derive(Default)]
pub(crate) struct Program {
    parts: Option<Vec<Range<usize>>>,
}

impl Program {
    /// Gives the pages of the program back to the kernel, which maps those that are needed again, 16 at a time.
    pub(crate) fn release(&mut self) {
        for part in self.parts.get_or_insert_with(find_parts) {
            // SAFETY: the range is mapped privately from the program's file and can't be written: its content stays.
            unsafe {
                libc::madvise(ptr::without_provenance_mut(part.start), part.len(), libc::MADV_DONTNEED)
            };
        }
    }
}

/// Finds the parts of the program that were never written: what was can't be read again from the file.
fn find_parts() -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    // SAFETY: the callback gets `parts` back as it was given, and is called before this returns only.
    unsafe { libc::dl_iterate_phdr(Some(note_parts), ptr::from_mut(&mut parts).cast()) };
    parts
}

/// Takes the first object, which is the program itself, and ends the walk.
unsafe extern "C" fn note_parts(object: *mut libc::dl_phdr_info, _: usize, parts: *mut libc::c_void) -> i32 {
    // SAFETY: the C library passes an object with as many headers as it says, and `find_parts` a list.
    let (object, parts) = unsafe { (&*object, &mut *parts.cast::<Vec<Range<usize>>>()) };
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
            parts.push(start & !page_mask..(end + page_mask) & !page_mask);
        }
    }
    1
}
