//! Starts a program in a new process that begins its life in a cgroup.
//!
//! The standard library can't say which cgroup a process begins in. Moving one there later waits until every processor
//! has passed through the scheduler, which takes 10 to 20 milliseconds; being born there takes no time at all.

use std::{
    collections::BTreeMap,
    ffi::{CString, OsStr, OsString, c_char},
    io,
    os::{
        fd::{AsRawFd, BorrowedFd, OwnedFd},
        unix::ffi::{OsStrExt, OsStringExt},
    },
    path::Path,
    ptr,
};

use rustix::process::{Pid, WaitOptions, waitpid};

/// `CLONE_INTO_CGROUP`, which is wider than the type that the C library has for flags.
const INTO_CGROUP: u64 = 1 << 33;
/// How long the kernel's `clone_args` are, in fields; the last one is the cgroup.
const CLONE_FIELDS: usize = 11;
const CLONE_EXIT_SIGNAL: usize = 4;
const CLONE_CGROUP: usize = 10;

unsafe extern "C" {
    /// Where `execvp` finds the environment of the new program and the path to look for it.
    static mut environ: *const *const c_char;
}

/// A program to start.
pub(crate) struct Spawn<'a> {
    pub(crate) command: &'a OsStr,
    pub(crate) arguments: &'a [OsString],
    pub(crate) environment: BTreeMap<&'a OsStr, &'a OsStr>,
    pub(crate) directory: &'a Path,
    /// Its standard input, output and error.
    pub(crate) standard: [OwnedFd; 3],
}

/// How a new process came into its cgroup.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Born {
    /// It was born there, or there is none.
    InPlace,
    /// The kernel can't do that: it has to move.
    Elsewhere,
}

/// Starts a program as the leader of a group of its own. `prepare` runs in the new process before the program does.
pub(crate) fn spawn(
    spawn: &Spawn<'_>,
    cgroup: Option<BorrowedFd<'_>>,
    mut prepare: impl FnMut(Born) -> io::Result<()>,
) -> io::Result<Pid> {
    let words = [spawn.command].into_iter().chain(spawn.arguments.iter().map(OsString::as_os_str));
    let words = words.map(|word| c_string(word.to_owned())).collect::<io::Result<Vec<_>>>()?;
    let variables = spawn.environment.iter().map(|(name, value)| {
        let mut variable = name.to_os_string();
        variable.push("=");
        variable.push(value);
        c_string(variable)
    });
    let variables = variables.collect::<io::Result<Vec<_>>>()?;
    let (words, variables) = (pointers(&words), pointers(&variables));
    let directory = CString::new(spawn.directory.as_os_str().as_bytes())?;
    // Closed by the program's start: then nothing comes out of it.
    let (problem, their_problem) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;

    // SAFETY: the holder has one thread, so the new process finds every lock free. It makes system calls only, and never
    // returns from here.
    let (pid, born) = unsafe { fork_into(cgroup)? };
    if pid == 0 {
        let failed = become_program(spawn, &directory, &words, &variables, || prepare(born));
        let errno = failed.raw_os_error().unwrap_or(libc::EINVAL);
        let _ = rustix::io::write(&their_problem, &errno.to_ne_bytes());
        // SAFETY: ends the new process without anything that the holder would do at its own end.
        unsafe { libc::_exit(127) };
    }
    drop(their_problem);
    let pid = Pid::from_raw(pid).ok_or(io::ErrorKind::InvalidData)?;
    let mut errno = [0; size_of::<i32>()];
    let length = rustix::io::retry_on_intr(|| rustix::io::read(&problem, &mut errno))?;
    if length == errno.len() {
        let _ = rustix::io::retry_on_intr(|| waitpid(Some(pid), WaitOptions::empty()));
        return Err(io::Error::from_raw_os_error(i32::from_ne_bytes(errno)));
    }
    Ok(pid)
}

/// Makes a new process like `fork` does, in a cgroup if the kernel can. The process number is 0 in the new one.
unsafe fn fork_into(cgroup: Option<BorrowedFd<'_>>) -> io::Result<(i32, Born)> {
    if let Some(cgroup) = cgroup {
        let mut arguments = [0_u64; CLONE_FIELDS];
        arguments[0] = INTO_CGROUP;
        arguments[CLONE_EXIT_SIGNAL] = u64::from(libc::SIGCHLD.cast_unsigned());
        arguments[CLONE_CGROUP] = u64::from(cgroup.as_raw_fd().cast_unsigned());
        // SAFETY: the fields are those of `clone_args`; without `CLONE_VM` the new process has memory of its own.
        let pid = unsafe { libc::syscall(libc::SYS_clone3, arguments.as_ptr(), size_of_val(&arguments)) };
        if let Ok(pid @ 0..) = i32::try_from(pid) {
            return Ok((pid, Born::InPlace));
        }
    }
    // SAFETY: as the caller promises.
    let pid = unsafe { libc::fork() };
    if pid < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok((pid, if cgroup.is_some() { Born::Elsewhere } else { Born::InPlace }))
}

/// Turns the new process into the program, and returns why that is not possible.
fn become_program(
    spawn: &Spawn<'_>,
    directory: &CString,
    words: &[*const c_char],
    variables: &[*const c_char],
    prepare: impl FnOnce() -> io::Result<()>,
) -> io::Error {
    let prepared = || -> io::Result<()> {
        let [input, output, error] = &spawn.standard;
        rustix::stdio::dup2_stdin(input)?;
        rustix::stdio::dup2_stdout(output)?;
        rustix::stdio::dup2_stderr(error)?;
        rustix::process::chdir(directory.as_c_str())?;
        rustix::process::setpgid(None, None)?;
        prepare()?;
        super::restore_signals()
    };
    if let Err(error) = prepared() {
        return error;
    }
    let command = words.first().copied().unwrap_or(ptr::null());
    // SAFETY: both lists end with a null pointer, and everything they point to is alive. The process has one thread, so
    // nobody else looks at the environment.
    unsafe {
        environ = variables.as_ptr();
        libc::execvp(command, words.as_ptr());
    }
    io::Error::last_os_error()
}

fn c_string(text: OsString) -> io::Result<CString> {
    Ok(CString::new(text.into_vec())?)
}

/// Returns what C takes for a list: pointers, and a null pointer at the end.
fn pointers(texts: &[CString]) -> Vec<*const c_char> {
    texts.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect()
}
