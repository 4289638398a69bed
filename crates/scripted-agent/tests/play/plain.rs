//! The plain voice: text, waits, choices, noise, files, floods.

use std::{
    fs::File,
    io::{Read, Write},
    time::{Duration, Instant},
};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use tempfile::TempDir;

use crate::stage::{Stage, played, player};

/// Plays a script with an input, and compares all that it wrote.
fn check(script: &str, input: &str, output: &str, status: i32) {
    let (found, ended) = played(script, input);
    assert_eq!(String::from_utf8_lossy(&found), output, "{script}");
    assert_eq!(ended.code(), Some(status), "{script}");
}

#[test]
fn what_is_said_is_written_to_the_byte_with_the_key_in_its_place() {
    check(
        "[[steps]]\nsay = 'DONE:T1.3 {key}'\n[[steps]]\nsay = \"\\n\\tx {y} {{key}}\"",
        "",
        "DONE:T1.3 k3f9\n\tx {y} {key}",
        0,
    );
    check("[[steps]]\nsay = { text = '한글 text', chunk = 1, pause = '1ms' }", "", "한글 text", 0);
    check("[[steps]]\nbytes = '1b 5b 41 0a'\n[[steps]]\nraw = 'line'", "", "\x1b[A\nline\n", 0);
    assert_eq!(played("[[steps]]\nbytes = 'ff fe 00'", "").0, [0xff, 0xfe, 0]);
}

#[test]
fn a_wait_passes_by_what_does_not_fit() {
    let script = "[[steps]]\nwait = { for = { json = { type = 'question_answer' } } }\n[[steps]]\nsay = '{field:answer}'";
    check(
        script,
        "noise\n{\"type\":\"task\"}\n{\"type\":\"question_answer\",\"answer\":\"postgres\"}\n",
        "postgres",
        0,
    );
    check(script, "noise\n", "", 1);
    check("[[steps]]\nwait = { for = 'x', within = '20ms' }", "", "", 1);
}

#[test]
fn a_wait_has_an_end_also_where_nobody_says_anything() {
    let start = Instant::now();
    let mut stage = Stage::start("[[steps]]\nwait = { for = 'x', within = '50ms' }");
    assert_eq!(stage.wait().code(), Some(1));
    assert!(start.elapsed() >= Duration::from_millis(50));
}

#[test]
fn a_question_is_asked_in_the_protocols_words() {
    let script = "[[steps]]\nask = { text = 'Which database?', options = ['sqlite', 'postgres'] }\n[[steps]]\nsay = 'took {line}'";
    let words = "[ASK_USER k3f9]\nquestion: Which database?\ntype: selection\noptions:\n- sqlite\n- postgres\n[/ASK_USER k3f9]\n";
    check(script, "postgres\n", &format!("{words}took postgres"), 0);
}

#[test]
fn choices_parts_and_repetitions() {
    let script = "
        steps = [{ repeat = { times = 3, steps = [{ wait = '' }, { choose = [
            { when = 'yes', steps = [{ play = 'good' }] },
            { when = { begins = 'q' }, steps = [{ say = 'end {n}' }, { exit = 7 }] },
            { steps = [{ say = 'no {n}; ' }] },
        ] }] } }]
        [parts]
        good = [{ say = 'good {n}; ' }]";
    check(script, "yes\nmaybe\nyes\n", "good 1; no 2; good 3; ", 0);
    check(script, "x\nquit\nyes\n", "no 1; end 2", 7);
    check(
        "steps = [{ repeat = { times = 'forever', steps = [{ say = '{n}' }, { wait = '' }] } }]",
        "a\nb\n",
        "123",
        1,
    );
}

#[test]
fn tools_are_shown_as_on_a_terminal() {
    let tool = "steps = [{ tool = { name = 'Bash', input = { command = 'ls' }, output = \"a.txt\\n\", asks = true } }]";
    check(tool, "y\n", "$ ls\nDo you want to proceed? (y/n) a.txt\n", 0);
    check(tool, "n\n", "$ ls\nDo you want to proceed? (y/n) Not done.\n", 0);
}

#[test]
fn noise_and_spinners_leave_no_word() {
    let (noise, _) = played("steps = [{ noise = { bytes = 4096, seed = 7 } }]", "");
    assert!(noise.len() >= 4096 && noise.contains(&0x1b) && !noise.contains(&b'\n'));
    assert_eq!(played("steps = [{ noise = { bytes = 4096, seed = 7 } }]", "").0, noise);
    let (spinner, _) = played("steps = [{ spinner = { text = 'Thinking', frames = 3 } }]", "");
    let spinner = String::from_utf8(spinner).expect("text");
    assert_eq!(spinner.matches("\r\x1b[36m").count(), 3);
    assert!(spinner.ends_with("\r\x1b[K"));
}

#[test]
fn a_flood_is_exact_and_every_line_has_its_number() {
    let (flood, status) = played("steps = [{ flood = { mb = 5, line = 'DONE:T1' } }]", "");
    assert_eq!((flood.len(), status.code()), (5_000_000, Some(0)));
    let text = String::from_utf8(flood).expect("text");
    for (n, line) in text.lines().enumerate().take(100_000) {
        assert_eq!(line, format!("{} DONE:T1", n + 1));
    }
}

#[test]
fn files_are_written_with_their_folders() {
    let script = "steps = [
        { write = { path = 'src/a.txt', text = 'one {pid}' } },
        { write = { path = 'src/a.txt', text = \" two\\n\", append = true } },
        { wait = '' }]";
    let stage = Stage::start(script);
    assert_eq!(stage.file("src/a.txt"), format!("one {} two\n", stage.id()));
}

#[test]
fn a_terminal_can_be_raw_and_without_echo() {
    let folder = TempDir::new().expect("a folder");
    let screen = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&screen).and_then(|()| unlockpt(&screen)).expect("it opens");
    let name = ptsname(&screen, Vec::new()).expect("its name").into_string().expect("text");
    let terminal = File::options().read(true).write(true).open(name).expect("its other end");
    let script = "steps = [
        { terminal = 'raw' }, { say = 'ready ' }, { wait = 'go' }, { say = \"raw\\n\" },
        { terminal = 'cooked' }, { say = \"cooked\\n\" }]";
    let mut command = player(&folder, script, &[]);
    let output = terminal.try_clone().expect("a copy");
    let mut child = command.stdin(terminal).stdout(output).spawn().expect("the player starts");
    // It holds copies of the terminal, and what it wrote would never end.
    drop(command);
    let mut screen = File::from(screen);
    let mut read = [0; 6];
    screen.read_exact(&mut read).expect("it is ready");
    // In raw mode Enter is a carriage return, and nothing is echoed.
    screen.write_all(b"go\r").expect("type");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    let mut rest = Vec::new();
    // The terminal answers EIO where its other end is gone.
    let _ = screen.read_to_end(&mut rest);
    assert_eq!(String::from_utf8_lossy(&rest), "raw\ncooked\r\n");
}
