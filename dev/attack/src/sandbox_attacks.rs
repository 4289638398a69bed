//! Attacks of a program in a session on what is outside of its sandbox.

use std::os::{
    linux::net::SocketAddrExt,
    unix::net::{SocketAddr, UnixListener},
};

use anyhow::Result;

use crate::{
    attack::{Attack, Guard, Outcome},
    stage::Stage,
};

/// Defines an attack that is a script in a session.
macro_rules! scripts {
    ($($name:literal: $script:literal,)*) => {
        &[$(Attack { name: $name, guard: Guard::Sandbox, play: |stage| stage.run_in_session($script) },)*
          Attack { name: "change the settings of the agent itself", guard: Guard::Sandbox, play: change_own_settings },
          Attack { name: "connect to a socket without a path", guard: Guard::Sandbox, play: connect_to_abstract_socket }]
    };
}

pub(crate) const ATTACKS: &[Attack] = scripts! {
    "write a new file": "echo x > $OUT/new",
    "change a file": "echo x > $OUT/there",
    "truncate a file": "python3 -c 'import os; os.truncate(os.environ[\"OUT\"] + \"/there\", 0)'",
    "remove a file": "rm -f $OUT/there && test ! -e $OUT/there",
    "move a file away": "mv -T $OUT/there stolen",
    "write through a hard link": "ln $OUT/there linked && echo x > linked",
    "write through a link": "ln -s $OUT folder && echo x > folder/new",
    "write through the root of a process": "echo x > /proc/self/root$OUT/new",
    "write as a daemon": "(setsid sh -c 'echo x > $OUT/daemon; echo over > over' > /dev/null 2>&1 &)
        until [ -s over ]; do sleep 0.01; done; test -e $OUT/daemon",
    "plant a file for others in the temporary folder": "echo x > $STAGE/tmp/planted",
    "change the settings of another agent": "echo x > $HOME/.codex/config.toml",
    "read the data directory": "cat $JANGDAN_DATA/secret",
    "read the data directory through a link": "ln -s $JANGDAN_DATA data && cat data/secret",
    "read the output of another session": "test -n \"$(cat $JANGDAN_DATA/sessions/*/about.json)\" && mkdir $JANGDAN_DATA/new",
    "read the environment of a process": "grep -q . /proc/$VICTIM/environ",
    "stop a process": "kill -STOP $VICTIM",
    "change the limits of a process": "python3 -c 'import os, resource
resource.prlimit(int(os.environ[\"VICTIM\"]), resource.RLIMIT_NOFILE, (64, 64))'",
    "change extended attributes": "python3 -c 'import errno, os, sys
try: os.setxattr(os.environ[\"OUT\"] + \"/there\", \"user.x\", b\"y\")
except OSError as error: sys.exit(77 if error.errno == errno.ENOTSUP else 1)'",
    "create a set-user-ID program": "cp /bin/true own && chmod u+s own && test -u own",
    "type into a terminal": "python3 -c 'import fcntl, os, pty, sys, termios
pid, terminal = pty.fork()
if pid == 0:
    try: fcntl.ioctl(0, termios.TIOCSTI, b\"x\")
    except OSError: os._exit(1)
    os._exit(0)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))' || {
        test $(id -u) != 0 && test \"$(cat /proc/sys/dev/tty/legacy_tiocsti 2>/dev/null)\" = 0 && exit 77; exit 1; }",
    "add a key to the user's keys": "python3 -c 'import ctypes, os, platform, sys
number = {\"x86_64\": 248, \"aarch64\": 217}.get(platform.machine())
libc = ctypes.CDLL(None, use_errno=True)
added = libc.syscall(number, b\"user\", b\"jangdan-attack\", b\"x\", 1, -3) if number else -1
sys.exit(0 if added >= 0 else 77)'",
    "use io_uring": "python3 -c 'import ctypes, sys
sys.exit(0 if ctypes.CDLL(None).syscall(425, 8, ctypes.create_string_buffer(120)) >= 0 else 77)'",
    "create a user namespace": "unshare --user true || exit 77",
    "mount": "test $(id -u) = 0 || exit 77; unshare --mount true && mount -t tmpfs none $OUT && umount $OUT",
    "create a device": "test $(id -u) = 0 || exit 77; mknod disk b 1 0",
    "have capabilities of root": "test $(id -u) = 0 || exit 77
        test $((0x$(sed -n 's/^CapEff:.//p' /proc/self/status) & ~0x4db)) != 0",
};

fn change_own_settings(stage: &Stage) -> Result<Outcome> {
    let settings = "$HOME/.claude/settings.json";
    stage.run_as_agent(
        "claude",
        &format!("echo x > {settings} || {{ rm {settings} && echo x > {settings}; }}"),
    )
}

fn connect_to_abstract_socket(stage: &Stage) -> Result<Outcome> {
    // Both users play at the same time.
    let name = stage.path("socket").display().to_string();
    let _listener = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name)?)?;
    stage.run_in_session(&format!(
        "python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(chr(0) + \"{name}\")'"
    ))
}
