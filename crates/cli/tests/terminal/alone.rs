//! `jangdan run` with nothing but a terminal: the server is inside of it, and goes with it.

use std::{fs, path::Path};

use crate::{office::Office, person::Person};

/// Asks which colour, then waits until it may go on.
const ASKS_AND_WAITS: &str = r#"
read -r task
echo "$$" >> "$OFFICE/pids"
if [ ! -e colour.txt ]; then
    printf '[ASK_USER]\nquestion: Which colour?\noptions: ["red", "blue"]\n[/ASK_USER]\n'
    read -r answer
    echo "$answer" > colour.txt
fi
echo "I wait"
while [ ! -e "$OFFICE/go" ]; do sleep 0.01; done
echo "DONE:$JANGDAN_TASK"
"#;

/// Makes a project where no server is.
fn project() -> Office {
    let mut office = Office::open(ASKS_AND_WAITS);
    office.close();
    let configuration = format!(
        "orchestration.gate_approval = 'automatic'\n[agents.mine]\nextends = 'shell'\nrole = 'worker'\n\
         arguments = ['{}']\nenvironment = {{ OFFICE = '{}' }}\n",
        office.path("agent.sh").display(),
        office.path("").display()
    );
    fs::write(office.project().join("jangdan.toml"), configuration).unwrap();
    fs::write(office.project().join("TASKS.md"), "# A plan\n\n### T1: Paint it\n").unwrap();
    office
}

/// Returns the processes that have worked at the task so far.
fn pids(office: &Office) -> Vec<String> {
    let text = fs::read_to_string(office.path("pids")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn is_alive(pid: &str) -> bool {
    Path::new("/proc").join(pid).exists()
}

/// Returns the branch of the run.
fn branch(office: &Office) -> String {
    office.git(&["branch", "--list", "--format=%(refname:short)", "jangdan/*/run"]).trim().to_owned()
}

fn colour(office: &Office) -> String {
    office.git(&["show", &format!("{}:colour.txt", branch(office))])
}

/// Returns how the link to the run's own page goes.
fn place(office: &Office) -> String {
    format!("/runs/{}?token=", branch(office).split('/').nth(1).unwrap())
}

#[test]
fn a_question_is_answered_where_the_run_was_started() {
    let office = project();
    let mut person = Person::starts(office.command(&["run"]));
    let screen = person.sees("1 red  2 blue");
    assert!(screen.replace(['\r', '\n'], "").contains(&place(&office)), "{screen}");
    person.types("2\r");
    person.sees("q_1 is answered: blue");
    fs::write(office.path("go"), "").unwrap();
    let screen = person.sees("1 of 1 done");
    assert_eq!(person.ends(), Some(0), "{screen}");
    assert!(colour(&office).contains("blue"));
    assert!(!is_alive(&pids(&office)[0]), "nobody is left");
}

/// Starts a run, answers, and leaves; the number says what becomes of the agents. Returns whether the first still works.
fn left(office: &Office, choice: &str) -> bool {
    let mut person = Person::starts(office.command(&["run"]));
    person.sees("1 red  2 blue");
    person.types("1\r");
    person.sees("I wait");
    person.types("\x03");
    person.sees("1 let the agents work on  2 stop them  3 stay here");
    person.types(choice);
    assert_eq!(person.ends(), Some(130));
    is_alive(&pids(office)[0])
}

/// Goes on, and returns how many processes it took.
fn resumed(office: &Office) -> usize {
    fs::write(office.path("go"), "").unwrap();
    let (exit, text) = office.jangdan(&["resume"]);
    assert!(exit == 0 && text.contains("1 of 1 done") && text.contains(&place(office)), "{exit}: {text}");
    assert!(colour(office).contains("red"));
    pids(office).len()
}

#[test]
fn who_leaves_may_let_the_agents_work_on_and_finds_them_again() {
    let office = project();
    assert!(left(&office, "1"));
    assert_eq!(resumed(&office), 1, "the same one went on");
}

#[test]
fn who_leaves_may_stop_the_agents_and_go_on_later() {
    let office = project();
    assert!(!left(&office, "2"));
    assert_eq!(resumed(&office), 2, "another one went on, with what the first had left");
}
