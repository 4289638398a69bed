//! A run on a terminal, as a person sees it and types into it.

use domain::RunSettings;
use rustix::process::{Pid, Signal, kill_process};

use crate::{
    office::{Office, plan},
    person::Person,
};

const ASKS: &str = r#"
read -r task
printf '[ASK_USER]\nquestion: Which colour?\noptions: ["red", "blue"]\n[/ASK_USER]\n'
read -r answer
echo "$answer" > answer.json
echo "DONE:$JANGDAN_TASK"
"#;

#[test]
fn a_person_leads_a_run_to_its_end_on_a_terminal() {
    let office = Office::open(ASKS);
    office.start(plan(&["T1"]), RunSettings::default());
    let mut person = Person::starts(office.command(&["watch"]));
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
    let run = office.start(plan(&["T1"]), RunSettings::default());
    let mut person = Person::starts(office.command(&["watch"]));
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
    office.start(plan(&["T1"]), RunSettings::default());
    let mut person = Person::starts(office.command(&["watch"]));
    person.sees("Which colour?");
    let pid = Pid::from_raw(i32::try_from(person.child.id()).unwrap()).unwrap();
    kill_process(pid, Signal::TERM).unwrap();
    assert_eq!(person.ends(), Some(130));
}

#[test]
fn stopping_the_agents_of_somebody_elses_server_lets_the_run_stand_still() {
    let office = Office::open(ASKS);
    office.start(plan(&["T1"]), RunSettings::default());
    let mut person = Person::starts(office.command(&["watch"]));
    person.sees("Which colour?");
    person.types("q\r");
    person.sees("2 stop them");
    person.types("2");
    assert_eq!(person.ends(), Some(130));
    office.prints(&["status"], "paused");
}
