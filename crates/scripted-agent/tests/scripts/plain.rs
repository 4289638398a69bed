//! The plain protocol: text, waits, choices, noise, files, floods.

use std::{
    fs::File,
    io::{Read, Write},
    time::{Duration, Instant},
};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use tempfile::TempDir;

use crate::fixture::{ScriptedAgent, agent_command, run_to_end};

/// Runs a script with an input, and compares its complete output.
fn assert_output(script: &str, input: &str, output: &str, status: i32) {
    let (found, ended) = run_to_end(script, input);
    assert_eq!(String::from_utf8_lossy(&found), output, "{script}");
    assert_eq!(ended.code(), Some(status), "{script}");
}

#[test]
fn messages_are_written_byte_for_byte_with_placeholders_replaced() {
    assert_output(
        "[[steps]]\nsay = 'DONE:T1.3 {key}'\n[[steps]]\nsay = \"\\n\\tx {y} {{key}}\"",
        "",
        "DONE:T1.3 k3f9\n\tx {y} {key}",
        0,
    );
    assert_output("[[steps]]\nsay = { text = '한글 text', chunk = 1, pause = '1ms' }", "", "한글 text", 0);
    assert_output("[[steps]]\nbytes = '1b 5b 41 0a'\n[[steps]]\nraw = 'line'", "", "\x1b[A\nline\n", 0);
    assert_eq!(run_to_end("[[steps]]\nbytes = 'ff fe 00'", "").0, [0xff, 0xfe, 0]);
}

#[test]
fn a_wait_skips_lines_that_do_not_match() {
    let script = "[[steps]]\nwait = { for = { json = { type = 'question_answer' } } }\n[[steps]]\nsay = '{field:answer}'";
    assert_output(
        script,
        "noise\n{\"type\":\"task\"}\n{\"type\":\"question_answer\",\"answer\":\"postgres\"}\n",
        "postgres",
        0,
    );
    assert_output(script, "noise\n", "", 1);
    assert_output("[[steps]]\nwait = { for = 'x', within = '20ms' }", "", "", 1);
}

#[test]
fn a_wait_times_out_without_input() {
    let start = Instant::now();
    let mut agent = ScriptedAgent::start("[[steps]]\nwait = { for = 'x', within = '50ms' }");
    assert_eq!(agent.wait_for_exit().code(), Some(1));
    assert!(start.elapsed() >= Duration::from_millis(50));
}

#[test]
fn a_question_is_an_ask_user_message() {
    let script = "[[steps]]\nask = { text = 'Which database?', options = ['sqlite', 'postgres'] }\n[[steps]]\nsay = 'took {line}'";
    let words = "[ASK_USER k3f9]\nquestion: Which database?\ntype: selection\noptions:\n- sqlite\n- postgres\n[/ASK_USER k3f9]\n";
    assert_output(script, "postgres\n", &format!("{words}took postgres"), 0);
}

#[test]
fn choices_parts_and_repetitions_run_their_steps() {
    let script = "
        steps = [{ repeat = { times = 3, steps = [{ wait = '' }, { choose = [
            { when = 'yes', steps = [{ play = 'good' }] },
            { when = { begins = 'q' }, steps = [{ say = 'end {n}' }, { exit = 7 }] },
            { steps = [{ say = 'no {n}; ' }] },
        ] }] } }]
        [parts]
        good = [{ say = 'good {n}; ' }]";
    assert_output(script, "yes\nmaybe\nyes\n", "good 1; no 2; good 3; ", 0);
    assert_output(script, "x\nquit\nyes\n", "no 1; end 2", 7);
    assert_output(
        "steps = [{ repeat = { times = 'forever', steps = [{ say = '{n}' }, { wait = '' }] } }]",
        "a\nb\n",
        "123",
        1,
    );
}

#[test]
fn tools_are_printed_like_terminal_commands() {
    let tool = "steps = [{ tool = { name = 'Bash', input = { command = 'ls' }, output = \"a.txt\\n\", asks = true } }]";
    assert_output(tool, "y\n", "$ ls\nDo you want to proceed? (y/n) a.txt\n", 0);
    assert_output(tool, "n\n", "$ ls\nDo you want to proceed? (y/n) Not done.\n", 0);
}

#[test]
fn noise_and_spinners_print_no_text() {
    let (noise, _) = run_to_end("steps = [{ noise = { bytes = 4096, seed = 7 } }]", "");
    assert!(noise.len() >= 4096 && noise.contains(&0x1b) && !noise.contains(&b'\n'));
    assert_eq!(run_to_end("steps = [{ noise = { bytes = 4096, seed = 7 } }]", "").0, noise);
    let (spinner, _) = run_to_end("steps = [{ spinner = { text = 'Thinking', frames = 3 } }]", "");
    let spinner = String::from_utf8(spinner).expect("UTF-8");
    assert_eq!(spinner.matches("\r\x1b[36m").count(), 3);
    assert!(spinner.ends_with("\r\x1b[K"));
}

#[test]
fn a_flood_has_the_exact_size_and_numbered_lines() {
    let (flood, status) = run_to_end("steps = [{ flood = { mb = 5, line = 'DONE:T1' } }]", "");
    assert_eq!((flood.len(), status.code()), (5_000_000, Some(0)));
    let text = String::from_utf8(flood).expect("UTF-8");
    for (n, line) in text.lines().enumerate().take(100_000) {
        assert_eq!(line, format!("{} DONE:T1", n + 1));
    }
}

#[test]
fn writing_a_file_creates_missing_folders() {
    let script = "steps = [
        { write = { path = 'src/a.txt', text = 'one {pid}' } },
        { write = { path = 'src/a.txt', text = \" two\\n\", append = true } },
        { wait = '' }]";
    let agent = ScriptedAgent::start(script);
    assert_eq!(agent.wait_for_file("src/a.txt"), format!("one {} two\n", agent.process_id()));
}

#[test]
fn the_terminal_can_be_set_to_raw_mode_without_echo() {
    let folder = TempDir::new().expect("create a folder");
    let screen = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("create a terminal");
    grantpt(&screen).and_then(|()| unlockpt(&screen)).expect("unlock the terminal");
    let name = ptsname(&screen, Vec::new()).expect("get the name").into_string().expect("UTF-8");
    let terminal = File::options().read(true).write(true).open(name).expect("open the terminal");
    let script = "steps = [
        { terminal = 'raw' }, { say = 'ready ' }, { wait = 'go' }, { say = \"raw\\n\" },
        { terminal = 'cooked' }, { say = \"cooked\\n\" }]";
    let mut command = agent_command(&folder, script, &[]);
    let output = terminal.try_clone().expect("clone the descriptor");
    let mut child = command.stdin(terminal).stdout(output).spawn().expect("start the agent");
    // The command holds copies of the terminal, which would keep the output open.
    drop(command);
    let mut screen = File::from(screen);
    let mut read = [0; 6];
    screen.read_exact(&mut read).expect("read the first output");
    // In raw mode Enter is a carriage return, and nothing is echoed.
    screen.write_all(b"go\r").expect("write keys");
    assert_eq!(child.wait().expect("wait for the process").code(), Some(0));
    let mut rest = Vec::new();
    // The terminal returns EIO when its other end is closed.
    let _ = screen.read_to_end(&mut rest);
    assert_eq!(String::from_utf8_lossy(&rest), "raw\ncooked\r\n");
}
