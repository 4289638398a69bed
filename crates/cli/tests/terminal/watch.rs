//! A run on a terminal, as a person sees it and types into it.

use std::{
    fs::File,
    io::{Read, Write},
    process::Child,
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use avt::Terminal;
use domain::Settings;
use rustix::{
    process::{Pid, Signal, kill_process},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize},
};

use crate::office::{Office, plan};

/// Far more than anything takes; a machine can be very busy.
const PATIENCE: Duration = Duration::from_secs(60);
const SIZE: (usize, usize) = (80, 24);

const ASKS: &str = r#"
read -r task
printf '[ASK_USER]\nquestion: Which colour?\noptions: ["red", "blue"]\n[/ASK_USER]\n'
read -r answer
echo "$answer" > answer.json
echo "DONE:$JANGDAN_TASK"
"#;

/// A person before a terminal.
struct Person {
    child: Child,
    keys: File,
    theirs: File,
    bytes: Receiver<Vec<u8>>,
    raw: Vec<u8>,
}

impl Person {
    fn watches(office: &Office) -> Self {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&ours).and_then(|()| unlockpt(&ours)).unwrap();
        let (ws_col, ws_row) = (80, 24);
        tcsetwinsize(&ours, Winsize { ws_col, ws_row, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap().into_string().unwrap();
        let theirs = File::options().read(true).write(true).open(name).unwrap();
        let mut command = office.command(&["watch"]);
        let child = command.stdin(theirs.try_clone().unwrap()).stdout(theirs.try_clone().unwrap()).spawn();
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

    fn types(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    fn text(&self) -> String {
        // A read may end inside of a character: the whole is painted anew.
        let mut screen = Terminal::with_scrollback(SIZE.0, SIZE.1, None).unwrap();
        screen.feed(String::from_utf8_lossy(&self.raw).as_ref());
        let lines: Vec<String> =
            screen.screen().all_lines().map(|line| line.text().trim_end().to_owned()).collect();
        lines.join("\n").trim_end().to_owned()
    }

    /// Looks until the screen shows something, and returns all of it.
    fn sees(&mut self, expected: &str) -> String {
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
    fn ends(&mut self) -> Option<i32> {
        let status = self.child.wait().unwrap().code();
        let modes = tcgetattr(&self.theirs).unwrap().local_modes;
        assert!(modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG), "{modes:?}");
        status
    }
}

#[test]
fn a_person_leads_a_run_to_its_end_on_a_terminal() {
    let office = Office::open(ASKS);
    office.start(plan(&["T1"]), Settings::default());
    let mut person = Person::watches(&office);
    let screen = person.sees("1 red  2 blue");
    assert!(screen.contains("? T1") && screen.contains("waits for you"), "{screen}");
    person.types("3\r");
    person.sees("type 1 to 2");
    person.types("2\r");
    person.sees("q_1 is answered: blue");
    person.sees("1 approve  2 reject");
    let raw = String::from_utf8_lossy(&person.raw).into_owned();
    assert!(raw.contains("\x1b]2;(1) waits for you: A plan\x07\x07"), "a title and a bell");
    assert!(!raw.contains("\x1b[1m"), "NO_COLOR is kept");
    person.types("2\r");
    person.sees("reject (say why)>");
    person.types("\x1b");
    person.types("1 well done\r");
    let screen = person.sees("1 of 1 done");
    assert_eq!(person.ends(), Some(0), "{screen}");
    person.sees("A plan");
    assert!(office.git(&["log", "--oneline", "main"]).lines().count() == 1, "nothing is landed by itself");
}

#[test]
fn leaving_asks_and_the_agents_work_on() {
    let office = Office::open(ASKS);
    let run = office.start(plan(&["T1"]), Settings::default());
    let mut person = Person::watches(&office);
    person.sees("Which colour?");
    person.types("\x03");
    person.sees("1 let the agents work on  2 stop them  3 stay here");
    person.types("3");
    person.types("gre");
    person.sees("> gre");
    person.types("\x03\x03");
    assert_eq!(person.ends(), Some(130));
    office.prints(&["inbox", run.as_str()], "Which colour?");
}

#[test]
fn a_signal_leaves_the_terminal_as_it_was() {
    let office = Office::open(ASKS);
    office.start(plan(&["T1"]), Settings::default());
    let mut person = Person::watches(&office);
    person.sees("Which colour?");
    let pid = Pid::from_raw(i32::try_from(person.child.id()).unwrap()).unwrap();
    kill_process(pid, Signal::TERM).unwrap();
    assert_eq!(person.ends(), Some(130));
}

#[test]
fn stopping_the_agents_of_somebody_elses_server_lets_the_run_stand_still() {
    let office = Office::open(ASKS);
    office.start(plan(&["T1"]), Settings::default());
    let mut person = Person::watches(&office);
    person.sees("Which colour?");
    person.types("q\r");
    person.sees("2 stop them");
    person.types("2");
    assert_eq!(person.ends(), Some(130));
    office.prints(&["status"], "paused");
}
