//! The full-screen protocol, seen through a terminal emulator.

use std::{
    fs::File,
    io::{Read, Write},
    process::Child,
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use avt::Terminal;
use rustix::{
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{Winsize, tcsetwinsize},
};
use tempfile::TempDir;

use crate::fixture::agent_command;

/// An agent in a terminal of 60 columns and 12 rows.
struct TerminalSession {
    child: Child,
    keys: File,
    bytes: Receiver<Vec<u8>>,
    raw: Vec<u8>,
    screen: Terminal,
    _folder: TempDir,
}

impl TerminalSession {
    fn start(script: &str) -> Self {
        let folder = TempDir::new().expect("create a folder");
        let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("create a terminal");
        grantpt(&controller).and_then(|()| unlockpt(&controller)).expect("unlock the terminal");
        tcsetwinsize(&controller, Winsize { ws_col: 60, ws_row: 12, ws_xpixel: 0, ws_ypixel: 0 })
            .expect("set the size");
        let name = ptsname(&controller, Vec::new()).expect("get the name").into_string().expect("UTF-8");
        let terminal = File::options().read(true).write(true).open(name).expect("open the terminal");
        let output = terminal.try_clone().expect("clone the descriptor");
        let script = format!("voice = 'screen'\n{script}");
        let child = agent_command(&folder, &script, &[])
            .stdin(terminal)
            .stdout(output)
            .spawn()
            .expect("start the agent");
        let keys = File::from(controller);
        let mut reader = keys.try_clone().expect("clone the descriptor");
        let (sender, bytes) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(length) = reader.read(&mut buffer) {
                if sender.send(buffer[..length].to_vec()).is_err() {
                    break;
                }
            }
        });
        let screen = Terminal::new(60, 12).expect("create a screen");
        let mut session = Self { child, keys, bytes, raw: Vec::new(), screen, _folder: folder };
        session.wait_until(|text| text.contains('❯') || text.contains('›'));
        session
    }

    fn press_keys(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("write keys");
    }

    fn screen_text(&self) -> String {
        let screen = self.screen.screen();
        let lines: Vec<String> = (0..12)
            .filter_map(|row| screen.line(row))
            .map(|line| line.text().trim_end().to_owned())
            .collect();
        lines.join("\n").trim_end().to_owned()
    }

    /// Waits until the screen satisfies a condition, and returns its text.
    fn wait_until(&mut self, condition: impl Fn(&str) -> bool) -> String {
        let deadline = Instant::now() + Duration::from_secs(10);
        while !condition(&self.screen_text()) {
            let remaining = deadline.saturating_duration_since(Instant::now());
            let bytes = self.bytes.recv_timeout(remaining);
            assert!(bytes.is_ok(), "the screen did not change\n{}", self.screen_text());
            self.raw.extend(bytes.expect("checked above"));
            // A read may end inside a character: repaint from the beginning.
            self.screen = Terminal::new(60, 12).expect("create a screen");
            self.screen.feed(String::from_utf8_lossy(&self.raw).as_ref());
        }
        self.screen_text()
    }
}

impl Drop for TerminalSession {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const QUESTION_SCRIPT: &str = "steps = [{ wait = '' }, { say = \"[ASK_USER]\\nquestion: which database?\\n\" }, { wait = '' }, { say = 'took {line}' }]";

#[test]
fn an_answer_has_a_bullet_and_cursor_movements_between_words() {
    for (style, bullet) in [("", "●"), ("screen = { alternate = true, bullet = '•' }\n", "•")] {
        let mut session = TerminalSession::start(&format!("{style}{QUESTION_SCRIPT}"));
        session.press_keys("go\r");
        let text = session.wait_until(|text| text.contains("Crunched"));
        assert!(text.contains("❯ go\n"), "{text}");
        assert!(text.contains(&format!("{bullet} [ASK_USER]\n  question: which database?")), "{text}");
        // Without the cursor movements the words run together: stripping them changes the text.
        assert!(String::from_utf8_lossy(&session.raw).contains("question:\x1b[13Gwhich\x1b[19Gdatabase?"));
        session.press_keys("\x1b[200~one\rtwo\x1b[201~");
        session.wait_until(|text| text.contains("[Pasted text #1 +1 lines]"));
        session.press_keys("\r");
        session.wait_until(|text| text.contains(&format!("{bullet} took one\n  two")));
    }
}

#[test]
fn an_enter_within_the_guard_does_not_submit() {
    let mut session = TerminalSession::start(&format!("screen = {{ guard = '100ms' }}\n{QUESTION_SCRIPT}"));
    session.press_keys("go\r");
    session.wait_until(|text| text.contains("[Pasted text #1 +1 lines]"));
    thread::sleep(Duration::from_millis(120));
    session.press_keys("\r");
    session.wait_until(|text| text.contains("● [ASK_USER]"));
}

#[test]
fn dialogs_are_answered_by_a_key_and_escape_interrupts() {
    let script = "steps = [
        { wait = '' }, { tool = { name = 'Bash', input = { command = 'ls' }, output = 'a.txt', asks = true } },
        { question = { text = 'Which?', options = ['sqlite', 'postgres'] } }, { say = 'took {line}' },
        { wait = '' }, { sleep = '1m' }]";
    let mut session = TerminalSession::start(script);
    session.press_keys("go\r");
    session.wait_until(|text| text.contains("Do you want to proceed?\n❯ 1. Yes"));
    session.press_keys("1");
    session.wait_until(|text| text.contains("⎿ a.txt\nWhich?\n❯ 1. sqlite\n  2. postgres"));
    session.press_keys("2");
    session.wait_until(|text| text.contains("● took postgres"));
    session.press_keys("again\r");
    session.wait_until(|text| text.contains("❯ again"));
    session.press_keys("\x1b");
    session.wait_until(|text| text.contains("Interrupted"));
}

#[test]
fn a_long_line_is_wrapped_and_indented() {
    let mut session = TerminalSession::start(
        "steps = [{ wait = '' }, { say = 'aaaaaaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbbbbbb cccccccccccccccccccc dddd' }]",
    );
    session.press_keys("go\r");
    let text = session.wait_until(|text| text.contains("dddd"));
    assert!(
        text.contains("● aaaaaaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbbbbbb \n  cccccccccccccccccccc dddd")
            || text.contains("bbbb\n  cccc"),
        "{text}"
    );
}
