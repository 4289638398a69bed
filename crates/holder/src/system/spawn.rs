//! Starts a program in a new process that is created in a cgroup.
//!
//! The standard library cannot do this. Moving a process to a cgroup later takes 10 to 20 ms, because it waits for a
//! grace period of the scheduler.

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

/// `CLONE_INTO_CGROUP`, which does not fit the flag type of the C library.
const INTO_CGROUP: u64 = 1 << 33;
/// Number of fields of the kernel's `clone_args`; the last one is the cgroup.
const CLONE_FIELDS: usize = 11;
const CLONE_EXIT_SIGNAL: usize = 4;
const CLONE_CGROUP: usize = 10;

/// Exit statuses for a missing program and for one that cannot be executed, as in a shell.
const NOT_FOUND: i32 = 127;
const NOT_RUN: i32 = 126;

pub(crate) struct SpawnOptions<'a> {
    /// Path relative to `folder`.
    pub(crate) path: &'a OsStr,
    /// Passed as `argv[0]`.
    pub(crate) command: &'a OsStr,
    pub(crate) arguments: &'a [OsString],
    pub(crate) environment: BTreeMap<&'a OsStr, &'a OsStr>,
    /// Becomes the working directory.
    pub(crate) folder: BorrowedFd<'a>,
    /// Standard input, output and error.
    pub(crate) standard: [BorrowedFd<'a>; 3],
    /// Cgroup in which it is created, if supported.
    pub(crate) cgroup: Option<BorrowedFd<'a>>,
}

/// Starts a program as the leader of a new process group. `prepare` runs in the new process before `exec`.
///
/// Does not wait for `exec`. If that fails, the process writes the reason to its standard error and exits.
pub(crate) fn spawn(
    spawn: &SpawnOptions<'_>,
    mut prepare: impl FnMut() -> io::Result<()>,
) -> io::Result<Pid> {
    let arguments = [spawn.command].into_iter().chain(spawn.arguments.iter().map(OsString::as_os_str));
    let arguments = arguments.map(|word| c_string(word.to_owned())).collect::<io::Result<Vec<_>>>()?;
    let variables = spawn.environment.iter().map(|(name, value)| {
        let mut variable = name.to_os_string();
        variable.push("=");
        variable.push(value);
        c_string(variable)
    });
    let variables = variables.collect::<io::Result<Vec<_>>>()?;
    let (arguments, variables) = (to_pointer_array(&arguments), to_pointer_array(&variables));
    let path = CString::new(spawn.path.as_bytes())?;

    // SAFETY: the holder has a single thread, so no lock is held in the new process. It never returns from here.
    let pid = unsafe { fork_into_cgroup(spawn.cgroup)? };
    if pid == 0 {
        let failure = become_program(spawn, &path, &arguments, &variables, &mut prepare);
        let message = format!("jangdan: cannot start {}: {failure}\n", spawn.command.display());
        // The exit code says it too.
        let _ = rustix::io::write(rustix::stdio::stderr(), message.as_bytes());
        let code = if failure.kind() == io::ErrorKind::NotFound { NOT_FOUND } else { NOT_RUN };
        // SAFETY: exits the new process without running the holder's cleanup.
        unsafe { libc::_exit(code) };
    }
    Pid::from_raw(pid).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// Like `fork`, in a cgroup if one is given. Returns 0 in the new process.
unsafe fn fork_into_cgroup(cgroup: Option<BorrowedFd<'_>>) -> io::Result<i32> {
    let pid = if let Some(cgroup) = cgroup {
        let mut arguments = [0_u64; CLONE_FIELDS];
        arguments[0] = INTO_CGROUP;
        arguments[CLONE_EXIT_SIGNAL] = u64::from(libc::SIGCHLD.cast_unsigned());
        arguments[CLONE_CGROUP] = u64::from(cgroup.as_raw_fd().cast_unsigned());
        // SAFETY: the fields match `clone_args`; without `CLONE_VM` the new process has its own memory.
        unsafe { libc::syscall(libc::SYS_clone3, arguments.as_ptr(), size_of_val(&arguments)) }
    } else {
        // SAFETY: guaranteed by the caller.
        libc::c_long::from(unsafe { libc::fork() })
    };
    if pid < 0 {
        return Err(io::Error::last_os_error());
    }
    i32::try_from(pid).map_err(|_| io::ErrorKind::InvalidData.into())
}

/// Executes the program in the new process; returns the error if that fails.
fn become_program(
    spawn: &SpawnOptions<'_>,
    path: &CString,
    arguments: &[*const c_char],
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
    unsafe { libc::execve(path.as_ptr(), arguments.as_ptr(), variables.as_ptr()) };
    io::Error::last_os_error()
}

fn c_string(text: OsString) -> io::Result<CString> {
    Ok(CString::new(text.into_vec())?)
}

/// Returns a null-terminated list of pointers for C.
fn to_pointer_array(texts: &[CString]) -> Vec<*const c_char> {
    texts.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect()
}
