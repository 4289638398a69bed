//! `jangdan watch` on a terminal.

use domain::RunSettings;
use rustix::process::{Pid, Signal, kill_process};

use crate::{
    terminal_user::TerminalUser,
    test_project::{TestProject, one_phase_plan},
};

const ASKS: &str = r#"
read -r task
printf '[ASK_USER]\nquestion: Which colour?\noptions: ["red", "blue"]\n[/ASK_USER]\n'
read -r answer
echo "$answer" > answer.json
echo "DONE:$JANGDAN_TASK:it is there"
"#;

#[test]
fn a_run_is_controlled_on_the_screen_to_its_end() {
    let project = TestProject::create_with_server(ASKS);
    project.start_run(one_phase_plan(&["T1"]), RunSettings::default());
    let mut user = TerminalUser::start(project.command(&["watch"]));
    let screen = user.wait_for("1 red  2 blue");
    assert!(screen.contains("? T1") && screen.contains("waiting for you"), "{screen}");
    user.type_keys("3\r");
    user.wait_for("Type 1 to 2");
    user.type_keys("2\r");
    user.wait_for("answered q_1 (Which colour?): blue");
    user.wait_for("1 approve  2 request changes");
    let raw = String::from_utf8_lossy(&user.raw).into_owned();
    assert!(raw.contains("\x1b]2;(1) waiting for you: A plan\x07\x07"), "window title and bell");
    assert!(!raw.contains("\x1b[1m"), "NO_COLOR is respected");
    user.type_keys("2\r");
    user.wait_for("request changes (say what)>");
    user.type_keys("\x1b");
    user.type_keys("1 well done\r");
    let screen = user.wait_for("1 of 1 done");
    assert_eq!(user.wait_exit(), Some(0), "{screen}");
    user.wait_for("A plan");
    assert!(
        project.git(&["log", "--oneline", "main"]).lines().count() == 1,
        "nothing is merged automatically"
    );
}

#[test]
fn leaving_asks_and_agents_keep_working() {
    let project = TestProject::create_with_server(ASKS);
    let run = project.start_run(one_phase_plan(&["T1"]), RunSettings::default());
    let mut user = TerminalUser::start(project.command(&["watch"]));
    user.wait_for("Which colour?");
    user.type_keys("\x03");
    user.wait_for("1 keep agents working  2 stop agents  3 stay");
    user.type_keys("3");
    user.type_keys("gre");
    user.wait_for("> gre");
    user.type_keys("\x03\x03");
    user.wait_for("The run continues. Watch it: jangdan watch");
    assert_eq!(user.wait_exit(), Some(130));
    project.assert_succeeds(&["inbox", run.as_str()], "Which colour?");
}

#[test]
fn a_signal_restores_the_terminal() {
    let project = TestProject::create_with_server(ASKS);
    project.start_run(one_phase_plan(&["T1"]), RunSettings::default());
    let mut user = TerminalUser::start(project.command(&["watch"]));
    user.wait_for("Which colour?");
    let pid = Pid::from_raw(i32::try_from(user.child.id()).unwrap()).unwrap();
    kill_process(pid, Signal::TERM).unwrap();
    assert_eq!(user.wait_exit(), Some(130));
}

#[test]
fn stopping_agents_of_another_server_pauses_the_run() {
    let project = TestProject::create_with_server(ASKS);
    project.start_run(one_phase_plan(&["T1"]), RunSettings::default());
    let mut user = TerminalUser::start(project.command(&["watch"]));
    user.wait_for("Which colour?");
    user.type_keys("q\r");
    user.wait_for("2 stop agents");
    user.type_keys("2");
    user.wait_for("The run is paused. Continue it: jangdan continue");
    assert_eq!(user.wait_exit(), Some(130));
    project.assert_succeeds(&["status"], "paused");
}
