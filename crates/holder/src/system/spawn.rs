//! Starts a program in a new process that begins its life in a cgroup.
//!
//! The standard library can't say which cgroup a process begins in. Moving one there later waits until every processor
//! has passed through the scheduler, which takes 10 to 20 milliseconds; being born there takes no time at all.

use std::{
    collections::BTreeMap,
    ffi::{CString, OsStr, OsString, c_char},
    io,
    os::{
        fd::{AsRawFd, BorrowedFd},
        unix::ffi::{OsStrExt, OsStringExt},
    },
    ptr,
};

use rustix::process::Pid;

/// `CLONE_INTO_CGROUP`, which is wider than the type that the C library has for flags.
const INTO_CGROUP: u64 = 1 << 33;
/// How long the kernel's `clone_args` are, in fields; the last one is the cgroup.
const CLONE_FIELDS: usize = 11;
const CLONE_EXIT_SIGNAL: usize = 4;
const CLONE_CGROUP: usize = 10;

/// How a process ends whose program is not there, and how one whose program can't be run: as a shell has it.
const NOT_FOUND: i32 = 127;
const NOT_RUN: i32 = 126;

/// A program to start.
pub(crate) struct Spawn<'a> {
    /// Where the program is, from its folder.
    pub(crate) path: &'a OsStr,
    /// What it is called.
    pub(crate) command: &'a OsStr,
    pub(crate) arguments: &'a [OsString],
    pub(crate) environment: BTreeMap<&'a OsStr, &'a OsStr>,
    /// Where it starts.
    pub(crate) folder: BorrowedFd<'a>,
    /// Its standard input, output and error.
    pub(crate) standard: [BorrowedFd<'a>; 3],
    /// Where it is born; nothing if the kernel can't do that there.
    pub(crate) cgroup: Option<BorrowedFd<'a>>,
}

/// Starts a program as the leader of a group of its own. `prepare` runs in the new process before the program does.
///
/// Does not wait until the program runs. One that can't says so on its standard error and ends.
pub(crate) fn spawn(spawn: &Spawn<'_>, mut prepare: impl FnMut() -> io::Result<()>) -> io::Result<Pid> {
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
    let path = CString::new(spawn.path.as_bytes())?;

    // SAFETY: the holder has one thread, so the new process finds every lock free. It never returns from here.
    let pid = unsafe { fork_into(spawn.cgroup)? };
    if pid == 0 {
        let failure = become_program(spawn, &path, &words, &variables, &mut prepare);
        let said = format!("jangdan: start {}: {failure}\n", spawn.command.display());
        let _ = rustix::io::write(rustix::stdio::stderr(), said.as_bytes());
        let code = if failure.kind() == io::ErrorKind::NotFound { NOT_FOUND } else { NOT_RUN };
        // SAFETY: ends the new process without anything that the holder would do at its own end.
        unsafe { libc::_exit(code) };
    }
    Pid::from_raw(pid).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// Makes a new process like `fork` does, in a cgroup if there is one. The process number is 0 in the new one.
unsafe fn fork_into(cgroup: Option<BorrowedFd<'_>>) -> io::Result<i32> {
    let pid = if let Some(cgroup) = cgroup {
        let mut arguments = [0_u64; CLONE_FIELDS];
        arguments[0] = INTO_CGROUP;
        arguments[CLONE_EXIT_SIGNAL] = u64::from(libc::SIGCHLD.cast_unsigned());
        arguments[CLONE_CGROUP] = u64::from(cgroup.as_raw_fd().cast_unsigned());
        // SAFETY: the fields are those of `clone_args`; without `CLONE_VM` the new process has memory of its own.
        unsafe { libc::syscall(libc::SYS_clone3, arguments.as_ptr(), size_of_val(&arguments)) }
    } else {
        // SAFETY: as the caller promises.
        libc::c_long::from(unsafe { libc::fork() })
    };
    if pid < 0 {
        return Err(io::Error::last_os_error());
    }
    i32::try_from(pid).map_err(|_| io::ErrorKind::InvalidData.into())
}

/// Turns the new process into the program, and returns why that is not possible.
fn become_program(
    spawn: &Spawn<'_>,
    path: &CString,
    words: &[*const c_char],
    variables: &[*const c_char],
    prepare: &mut impl FnMut() -> io::Result<()>,
) -> io::Error {
    let mut prepared = || -> io::Result<()> {
        let [input, output, error] = spawn.standard;
        rustix::stdio::dup2_stdin(input)?;
        rustix::stdio::dup2_stdout(output)?;
        rustix::stdio::dup2_stderr(error)?;
        rustix::process::fchdir(spawn.folder)?;
        rustix::process::setpgid(None, None)?;
        prepare()?;
        super::restore_signals()
    };
    if let Err(error) = prepared() {
        return error;
    }
    // SAFETY: both lists end with a null pointer, and everything they point to is alive.
    unsafe { libc::execve(path.as_ptr(), words.as_ptr(), variables.as_ptr()) };
    io::Error::last_os_error()
}

fn c_string(text: OsString) -> io::Result<CString> {
    Ok(CString::new(text.into_vec())?)
}

/// Returns what C takes for a list: pointers, and a null pointer at the end.
fn pointers(texts: &[CString]) -> Vec<*const c_char> {
    texts.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect()
}
