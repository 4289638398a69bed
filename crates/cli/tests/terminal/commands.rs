//! Runs that are led by commands: real server, real git, real sessions, agents that are shell scripts.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::Stdio,
};

use domain::{GateApproval, RunSettings};
use serde_json::Value;

use crate::office::{Office, plan};

const ASKS: &str = r#"
read -r task
echo "I look at $JANGDAN_TASK"
if [ "$JANGDAN_TASK" = T1 ]; then
    printf '[ASK_USER]\nquestion: Which colour?\noptions: ["red", "blue"]\n[/ASK_USER]\n'
    read -r answer
    echo "$answer" > answer.json
fi
echo "$JANGDAN_TASK" > "file-$JANGDAN_TASK.txt"
echo "DONE:$JANGDAN_TASK"
"#;

const ASKS_ALWAYS: &str = r#"
read -r task
printf '[ASK_USER]\nquestion: Which colour?\n[/ASK_USER]\n'
read -r answer
echo "$answer" > "answer-$JANGDAN_TASK.json"
echo "DONE:$JANGDAN_TASK"
"#;

const FAILS: &str = r#"
read -r task
echo "FAIL:$JANGDAN_TASK:no idea"
"#;

/// Waits until somebody says that it may go on.
const WAITS: &str = r#"
read -r task
while [ ! -e "$OFFICE/go" ]; do echo waiting; sleep 0.02; done
echo "DONE:$JANGDAN_TASK"
"#;

/// Asks before it does something.
const ASKS_FIRST: &str = r#"
[[steps]]
wait = "T"
[[steps]]
say = "I read the task.\n"
[[steps]]
tool = { name = "Bash", kind = "execute", input = { command = "make report" }, output = "ok", asks = true }
[[steps]]
say = "All is written.\n\nDONE:{task}\n"
"#;

fn automatic() -> RunSettings {
    RunSettings { gate_approval: GateApproval::Automatic, ..RunSettings::default() }
}

#[test]
fn a_run_is_led_from_another_terminal() {
    let mut office = Office::open(ASKS);
    let run = office.start(plan(&["T1", "T2:T1"]), RunSettings::default());
    office.refuses(&["watch", "--no-wait"], 3, "jangdan answer");
    office.prints(&["inbox"], "1 red  2 blue");
    office.prints(&["status"], "waits for you");
    office.refuses(&["answer", "q_1"], 2, "The answer is empty.");
    office.refuses(&["answer", "q_1", "--option", "3"], 1, "Options: 1 red, 2 blue");
    office.refuses(&["answer", "q_9", "red"], 1, "there is no question q_9");
    office.refuses(&["answer", "q_9", "--option", "1"], 1, "q_9 is not waiting for you");
    office.refuses(&["answer", run.as_str(), "q_1", "blue"], 2, &format!("Name a run with --run {run}"));
    office.prints(&["answer", "q_1", "--option", "2", "--run", run.as_str()], "answered q_1: blue");
    office.refuses(&["answer", "q_1", "red"], 1, "answered already");
    office.refuses(&["watch", "--no-wait"], 3, "waits for your approval");
    office.refuses(&["land"], 1, "no phase of");
    office.refuses(&["reject", "1"], 2, "The reason is empty.");
    office.refuses(&["approve", "x"], 2, "'x'");
    office.prints(&["approve", "1", "well", "done"], "approved phase 1");
    office.prints(&["watch"], "2 of 2 done");
    office.prints(&["conversation", "T1"], "Answer to q_1: blue");
    office.prints(&["logs", "T1"], "I look at T1");
    office.prints(&["logs", "T1", "--json"], r#"{"type":"words","text":"#);
    office.prints(&["diff", "T1"], "+T1");
    office.refuses(&["logs", "T9"], 1, "There is no task T9");
    office.close();
    // What can be read needs no server, and what came of a run can be had without one too.
    office.prints(&["runs"], run.as_str());
    office.prints(&["status", "--json"], r#""status":"done""#);
    office.prints(&["watch"], "2 of 2 done");
    office.prints(&["diff", "T2"], "+T2");
    office.prints(&["land"], "main has what");
    assert!(office.git(&["ls-files"]).contains("file-T2.txt"));
    office.prints(&["clean", "--yes"], "Deleted 2 worktrees of");
    office.refuses(&["retry", "T1"], 1, "No server is running");
}

#[test]
fn chat_answers_the_only_question_and_is_refused_with_the_list_where_there_are_more() {
    let office = Office::open(ASKS_ALWAYS);
    office.start(plan(&["T1", "T2"]), automatic());
    office.refuses(&["watch", "--no-wait"], 3, "Which colour?");
    office.refuses(&["chat", "blue"], 1, "name the one you mean, q_1 or q_2");
    office.prints(&["answer", "q_2", "red"], "answered q_2: red");
    office.refuses(&["watch", "--no-wait"], 3, "q_1");
    office.prints(&["chat", "blue"], "message sent");
    office.prints(&["watch"], "2 of 2 done");
    office.refuses(&["provide", "d_1"], 1, "There is no request d_1");
    office.refuses(&["rewind", "T1"], 2, "Add one of k_");
}

#[test]
fn a_run_that_fails_is_told_by_its_exit_status() {
    let office = Office::open(FAILS);
    office.start(plan(&["T1", "T2:T1"]), automatic());
    office.refuses(&["watch", "--no-wait"], 3, "give it up");
    office.refuses(&["resolve", "e_1", "sing"], 2, "'sing' is not an action.");
    office.refuses(&["resolve", "e_1", "99"], 1, "Suggestions: 1 ");
    office.prints(&["resolve", "e_1", "give-up"], "resolved e_1: give up");
    office.refuses(&["watch"], 1, "failed: T1");
    office.prints(&["skip", "T1"], "skipped T1");
}

#[test]
fn what_happens_can_be_read_by_programs() {
    let office = Office::open(WAITS);
    office.start(plan(&["T1"]), automatic());
    let mut child =
        office.command(&["watch", "--json"]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut printed = BufReader::new(child.stdout.take().unwrap()).lines().map(|line| line.unwrap());
    // What the agent says comes through: it listens.
    printed.find(|line| line.contains("session.seen")).unwrap();
    office.prints(&["pause", "--json"], r#""sequence":"#);
    office.prints(&["continue"], ": continued");
    std::fs::write(office.path("go"), "").unwrap();
    let lines: Vec<Value> = printed.map(|line| serde_json::from_str(&line).unwrap()).collect();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let events: Vec<&str> = lines.iter().filter_map(|line| line["event"].as_str()).collect();
    assert!(events.contains(&"worker.complete") && events.contains(&"run.changed"), "{events:?}");
    let last = lines.iter().rev().find(|line| line["data"]["kind"] == "run").unwrap();
    assert_eq!(last["data"]["row"]["status"], "done");
    // Whoever comes later gets the same, from the first event on.
    let late = office.command(&["watch", "--json"]).output().unwrap();
    assert_eq!(late.status.code(), Some(0));
    let late: Vec<Value> = String::from_utf8(late.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(late.first().unwrap()["data"]["sequence"], 1);
    assert_eq!(late.last().unwrap()["data"]["row"]["status"], "done");
}

#[test]
fn a_server_that_nobody_can_reach_any_more_ends() {
    Office::open("").lose_data();
}

#[test]
fn a_run_can_be_called_off() {
    let office = Office::open(WAITS);
    office.start(plan(&["T1", "T2"]), automatic());
    office.prints(&["pause", "T2"], "paused T2");
    office.prints(&["cancel", "T2"], "cancelled T2");
    office.prints(&["cancel", "--yes"], ": cancelled");
    office.refuses(&["watch"], 1, "cancelled");
    office.refuses(&["pause"], 1, "cancelled");
}

#[test]
fn without_a_name_the_only_active_run_of_the_project_is_taken() {
    let office = Office::open(WAITS);
    office.refuses(&["status"], 1, "This project has no run.");
    let first = office.start(plan(&["T1"]), automatic());
    let status = |place: &str| {
        let output = office.command(&["status"]).current_dir(office.path(place)).output().unwrap();
        (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
    };
    assert_eq!(status(".").0, Some(0), "there is only one");
    let second = office.start(plan(&["T1"]), automatic());
    let both = format!("Two runs are active here: {second} (A plan), {first} (A plan).");
    for command in [&["status"][..], &["cancel"], &["tell", "T1", "hello"], &["log"], &["resume"]] {
        office.refuses(command, 1, &both);
        office.refuses(command, 1, &format!("Add a name: --run {second}"));
    }
    office.prints(&["status", first.as_str()], first.as_str());
    office.prints(&["status", "--run", first.as_str()], first.as_str());
    office.refuses(&["status", first.as_str(), "--run", first.as_str()], 2, "cannot be used with");
    office.refuses(&["cancel", second.as_str()], 2, &format!("Name a run with --run {second}"));
    office.refuses(&["status", "--run", "x"], 1, "There is no run 'x'.");
    office.prints(&["cancel", "--run", second.as_str()], &format!("Run {second}: cancelled"));
    office.prints(&["status"], first.as_str());
    let (exit, said) = status(".");
    assert!(exit == Some(1) && said.contains(first.as_str()) && said.contains("Add a name: --run"), "{said}");
    office.prints(&["log"], "A plan");
}

#[test]
fn agents_of_any_kind_are_asked_for_and_read_in_the_same_way() {
    let office = Office::open("");
    office.start_played(&["claude", "codex", "acp"], ASKS_FIRST);
    let (exit, text) = office.jangdan(&["watch", "--no-wait"]);
    assert_eq!((exit, text.matches("wants to run").count()), (3, 3), "{text}");
    office.refuses(&["answer", "q_1", "maybe"], 1, "allow, deny");
    office.prints(&["answer", "q_1", "--option", "2"], "answered q_1: allow");
    office.prints(&["answer", "q_2", "allow", "--keep", "run"], "answered q_2: allow");
    office.prints(&["answer", "q_3", "--option", "5"], "answered q_3: deny");
    office.prints(&["watch"], "3 of 3 done");
    for task in ["T1", "T2", "T3"] {
        office.prints(&["logs", task], "I read the task.");
        office.prints(&["logs", task], "make report");
    }
}

#[test]
fn a_check_runs_what_agents_wrote_and_is_kept_in_like_them() {
    let office = Office::open("read -r task\necho \"DONE:$JANGDAN_TASK\"\n");
    // What is temporary may be written.
    let outside = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("outside-{}.txt", std::process::id()));
    let check = format!("echo y > inside.txt && ! echo z > {}", outside.display());
    let configuration = format!(
        "sandbox = 'required'\n[orchestration]\ngate_approval = 'automatic'\n[checks]\nverify = '''{check}'''\n\
         [agents.mine]\nextends = 'shell'\nrole = 'worker'\narguments = ['{}']\n",
        office.path("agent.sh").display()
    );
    std::fs::write(office.project().join("jangdan.toml"), configuration).unwrap();
    std::fs::write(office.project().join("TASKS.md"), "### T1: Write it\n").unwrap();
    office.prints(&["run", "TASKS.md", "--no-wait"], "1 of 1 done");
    assert!(!outside.exists());
    let receipts = office.jangdan(&["status", "--json"]).1;
    assert!(!receipts.contains("unchecked"), "{receipts}");
}
