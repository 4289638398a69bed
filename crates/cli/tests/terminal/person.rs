//! A person before a terminal: what they see of a program, and what they type into it.

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

/// Far more than anything takes; a machine can be very busy.
const PATIENCE: Duration = Duration::from_secs(60);
const SIZE: (usize, usize) = (80, 24);

/// A person before a terminal.
pub struct Person {
    pub child: Child,
    keys: File,
    theirs: File,
    bytes: Receiver<Vec<u8>>,
    pub raw: Vec<u8>,
}

impl Person {
    /// Starts a program on a terminal of its own.
    pub fn starts(mut command: Command) -> Self {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&ours).and_then(|()| unlockpt(&ours)).unwrap();
        let (ws_col, ws_row) = (80, 24);
        tcsetwinsize(&ours, Winsize { ws_col, ws_row, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap().into_string().unwrap();
        let theirs = File::options().read(true).write(true).open(name).unwrap();
        let [stdin, stdout, stderr] = [(); 3].map(|()| theirs.try_clone().unwrap());
        let child = command.stdin(stdin).stdout(stdout).stderr(stderr).spawn();
        let keys = File::from(ours);
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
        Self { child: child.unwrap(), keys, theirs, bytes, raw: Vec::new() }
    }

    pub fn types(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    pub fn text(&self) -> String {
        // A read may end inside of a character: the whole is painted anew.
        let mut screen = Terminal::with_scrollback(SIZE.0, SIZE.1, None).unwrap();
        screen.feed(String::from_utf8_lossy(&self.raw).as_ref());
        let lines: Vec<String> =
            screen.screen().all_lines().map(|line| line.text().trim_end().to_owned()).collect();
        lines.join("\n").trim_end().to_owned()
    }

    /// Looks until the screen shows something, and returns all of it.
    pub fn sees(&mut self, expected: &str) -> String {
        let until = Instant::now() + PATIENCE;
        while !self.text().contains(expected) {
            let left = until.saturating_duration_since(Instant::now());
            let bytes = self.bytes.recv_timeout(left);
            assert!(bytes.is_ok(), "'{expected}' does not come\n{}", self.text());
            self.raw.extend(bytes.unwrap());
        }
        self.text()
    }

    /// Waits for the end. Returns the exit status; the terminal must be as it was.
    pub fn ends(&mut self) -> Option<i32> {
        let status = self.child.wait().unwrap().code();
        let modes = tcgetattr(&self.theirs).unwrap().local_modes;
        assert!(modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG), "{modes:?}");
        status
    }
}
