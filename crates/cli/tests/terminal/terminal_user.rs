//! A program on a pseudo-terminal: its screen, and keys typed into it.

use std::{
    fs::File,
    io::{Read, Write},
    process::{Child, Command},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use avt::Terminal;
use rustix::{
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize},
};

/// Time limit of a wait; the machine may be busy.
const TIMEOUT: Duration = Duration::from_secs(60);
const SIZE: (usize, usize) = (80, 24);

/// A user of a program on a pseudo-terminal.
pub(crate) struct TerminalUser {
    pub child: Child,
    keys: File,
    terminal: File,
    bytes: Receiver<Vec<u8>>,
    pub raw: Vec<u8>,
}

impl TerminalUser {
    /// Starts a program on a new terminal.
    pub(crate) fn start(mut command: Command) -> Self {
        let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&controller).and_then(|()| unlockpt(&controller)).unwrap();
        let (ws_col, ws_row) = (80, 24);
        tcsetwinsize(&controller, Winsize { ws_col, ws_row, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        let name = ptsname(&controller, Vec::new()).unwrap().into_string().unwrap();
        let terminal = File::options().read(true).write(true).open(name).unwrap();
        let [stdin, stdout, stderr] = [(); 3].map(|()| terminal.try_clone().unwrap());
        let child = command.stdin(stdin).stdout(stdout).stderr(stderr).spawn();
        let keys = File::from(controller);
        let mut reader = keys.try_clone().unwrap();
        let (sender, bytes) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(length) = reader.read(&mut buffer) {
                if sender.send(buffer[..length].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self { child: child.unwrap(), keys, terminal, bytes, raw: Vec::new() }
    }

    pub(crate) fn type_keys(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    pub(crate) fn text(&self) -> String {
        // A read may end inside of a character, so all bytes are fed again.
        let mut screen = Terminal::with_scrollback(SIZE.0, SIZE.1, None).unwrap();
        screen.feed(String::from_utf8_lossy(&self.raw).as_ref());
        let lines: Vec<String> =
            screen.screen().all_lines().map(|line| line.text().trim_end().to_owned()).collect();
        lines.join("\n").trim_end().to_owned()
    }

    /// Waits until the screen shows a text, and returns the screen.
    pub(crate) fn wait_for(&mut self, expected: &str) -> String {
        let until = Instant::now() + TIMEOUT;
        while !self.text().contains(expected) {
            let left = until.saturating_duration_since(Instant::now());
            let bytes = self.bytes.recv_timeout(left);
            assert!(bytes.is_ok(), "'{expected}' is not shown\n{}", self.text());
            self.raw.extend(bytes.unwrap());
        }
        self.text()
    }

    /// Waits for the end and returns the exit status. The terminal must be restored.
    pub(crate) fn wait_exit(&mut self) -> Option<i32> {
        let status = self.child.wait().unwrap().code();
        let modes = tcgetattr(&self.terminal).unwrap().local_modes;
        assert!(modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG), "{modes:?}");
        status
    }
}
