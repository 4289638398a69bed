//! The voice with a screen of its own, seen through a terminal emulator.

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

use crate::stage::player;

/// A player before a terminal of 60 columns and 12 rows.
struct Seen {
    child: Child,
    keys: File,
    bytes: Receiver<Vec<u8>>,
    raw: Vec<u8>,
    screen: Terminal,
    _folder: TempDir,
}

impl Seen {
    fn start(script: &str) -> Self {
        let folder = TempDir::new().expect("a folder");
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&ours).and_then(|()| unlockpt(&ours)).expect("it opens");
        tcsetwinsize(&ours, Winsize { ws_col: 60, ws_row: 12, ws_xpixel: 0, ws_ypixel: 0 })
            .expect("its size");
        let name = ptsname(&ours, Vec::new()).expect("its name").into_string().expect("text");
        let theirs = File::options().read(true).write(true).open(name).expect("its other end");
        let output = theirs.try_clone().expect("a copy");
        let script = format!("voice = 'screen'\n{script}");
        let child =
            player(&folder, &script, &[]).stdin(theirs).stdout(output).spawn().expect("the player starts");
        let keys = File::from(ours);
        let mut reader = keys.try_clone().expect("a copy");
        let (sender, bytes) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(length) = reader.read(&mut buffer) {
                if sender.send(buffer[..length].to_vec()).is_err() {
                    break;
                }
            }
        });
        let screen = Terminal::new(60, 12).expect("a screen");
        let mut seen = Self { child, keys, bytes, raw: Vec::new(), screen, _folder: folder };
        seen.until(|text| text.contains('❯') || text.contains('›'));
        seen
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("press");
    }

    fn text(&self) -> String {
        let screen = self.screen.screen();
        let lines: Vec<String> = (0..12)
            .filter_map(|row| screen.line(row))
            .map(|line| line.text().trim_end().to_owned())
            .collect();
        lines.join("\n").trim_end().to_owned()
    }

    /// Looks until the screen is as wanted, and returns it.
    fn until(&mut self, is_it: impl Fn(&str) -> bool) -> String {
        let until = Instant::now() + Duration::from_secs(10);
        while !is_it(&self.text()) {
            let left = until.saturating_duration_since(Instant::now());
            let bytes = self.bytes.recv_timeout(left);
            assert!(bytes.is_ok(), "the screen stays\n{}", self.text());
            self.raw.extend(bytes.expect("it was looked at"));
            // A read may end inside of a character: the whole is painted anew.
            self.screen = Terminal::new(60, 12).expect("a screen");
            self.screen.feed(String::from_utf8_lossy(&self.raw).as_ref());
        }
        self.text()
    }
}

impl Drop for Seen {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const ASKS: &str = "steps = [{ wait = '' }, { say = \"[ASK_USER]\\nquestion: which database?\\n\" }, { wait = '' }, { say = 'took {line}' }]";

#[test]
fn an_answer_has_a_bullet_and_words_are_moved_apart() {
    for (style, bullet) in [("", "●"), ("screen = { alternate = true, bullet = '•' }\n", "•")] {
        let mut seen = Seen::start(&format!("{style}{ASKS}"));
        seen.press("go\r");
        let text = seen.until(|text| text.contains("Crunched"));
        assert!(text.contains("❯ go\n"), "{text}");
        assert!(text.contains(&format!("{bullet} [ASK_USER]\n  question: which database?")), "{text}");
        // Without the movements the words stand together: who only strips them reads something else.
        assert!(String::from_utf8_lossy(&seen.raw).contains("question:\x1b[13Gwhich\x1b[19Gdatabase?"));
        seen.press("\x1b[200~one\rtwo\x1b[201~");
        seen.until(|text| text.contains("[Pasted text #1 +1 lines]"));
        seen.press("\r");
        seen.until(|text| text.contains(&format!("{bullet} took one\n  two")));
    }
}

#[test]
fn an_enter_that_comes_with_the_text_is_not_taken() {
    let mut seen = Seen::start(&format!("screen = {{ guard = '100ms' }}\n{ASKS}"));
    seen.press("go\r");
    seen.until(|text| text.contains("[Pasted text #1 +1 lines]"));
    thread::sleep(Duration::from_millis(120));
    seen.press("\r");
    seen.until(|text| text.contains("● [ASK_USER]"));
}

#[test]
fn dialogs_are_answered_by_a_key_and_escape_interrupts() {
    let script = "steps = [
        { wait = '' }, { tool = { name = 'Bash', input = { command = 'ls' }, output = 'a.txt', asks = true } },
        { question = { text = 'Which?', options = ['sqlite', 'postgres'] } }, { say = 'took {line}' },
        { wait = '' }, { sleep = '1m' }]";
    let mut seen = Seen::start(script);
    seen.press("go\r");
    seen.until(|text| text.contains("Do you want to proceed?\n❯ 1. Yes"));
    seen.press("1");
    seen.until(|text| text.contains("⎿ a.txt\nWhich?\n❯ 1. sqlite\n  2. postgres"));
    seen.press("2");
    seen.until(|text| text.contains("● took postgres"));
    seen.press("again\r");
    seen.until(|text| text.contains("❯ again"));
    seen.press("\x1b");
    seen.until(|text| text.contains("Interrupted"));
}

#[test]
fn a_long_line_is_wrapped_and_indented() {
    let mut seen = Seen::start(
        "steps = [{ wait = '' }, { say = 'aaaaaaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbbbbbb cccccccccccccccccccc dddd' }]",
    );
    seen.press("go\r");
    let text = seen.until(|text| text.contains("dddd"));
    assert!(
        text.contains("● aaaaaaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbbbbbb \n  cccccccccccccccccccc dddd")
            || text.contains("bbbb\n  cccc"),
        "{text}"
    );
}
