//! The only unsafe code of the holder: what the kernel offers and no safe interface has.

#![expect(unsafe_code, reason = "signal masks and the moment between fork and exec have no safe interface")]

use std::{
    io,
    mem::MaybeUninit,
    ops::Range,
    os::{
        fd::{FromRawFd, OwnedFd},
        unix::process::CommandExt,
    },
    process::Command,
    ptr,
};

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

/// Runs `prepare` in the new process, before the agent's program replaces it, and gives it back its signals last.
pub(crate) fn before_exec(
    command: &mut Command,
    mut prepare: impl FnMut() -> io::Result<()> + Send + Sync + 'static,
) {
    // SAFETY: the holder has one thread, so the new process finds every lock free; `prepare` is system calls only.
    unsafe {
        command.pre_exec(move || {
            prepare()?;
            for signal in AS_MADE {
                libc::signal(signal, libc::SIG_DFL);
            }
            // What the holder waits for by a descriptor must reach the agent as ever: it would not hear SIGTERM.
            let mut none = MaybeUninit::<libc::sigset_t>::uninit();
            libc::sigemptyset(none.as_mut_ptr());
            if libc::sigprocmask(libc::SIG_SETMASK, none.as_ptr(), ptr::null_mut()) != 0 {
                return Err(io::Error::last_os_error());
            }
            Ok(())
        });
    }
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

/// Where the program's own code lies in memory, as far as that was looked up.
#[derive(Default)]
pub(crate) struct Program {
    code: Option<Range<usize>>,
}

impl Program {
    /// Gives the pages of the code back to the kernel, which maps those that are needed again, 16 at a time.
    pub(crate) fn release(&mut self) {
        let code = self.code.get_or_insert_with(find_code);
        // SAFETY: the range is the program's code, mapped privately from its file and never written: its content stays.
        unsafe { libc::madvise(ptr::without_provenance_mut(code.start), code.len(), libc::MADV_DONTNEED) };
    }
}

/// Finds the code that this function is in; an empty range where that is not possible.
fn find_code() -> Range<usize> {
    let here = find_code as *const () as usize;
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let found = maps.lines().find_map(|line| {
        let (range, rest) = line.split_once(' ')?;
        let (start, end) = range.split_once('-')?;
        let range = usize::from_str_radix(start, 16).ok()?..usize::from_str_radix(end, 16).ok()?;
        // Only code: what was never written can be read again from the file.
        (rest.starts_with("r-xp") && range.contains(&here)).then_some(range)
    });
    found.unwrap_or(0..0)
}
