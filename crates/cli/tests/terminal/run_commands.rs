//! Commands that act on a run.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::Stdio,
};

use domain::{GateApproval, RunSettings};
use serde_json::Value;

use crate::test_project::{TestProject, one_phase_plan};

const ASKS: &str = r#"
read -r task
echo "I look at $JANGDAN_TASK"
if [ "$JANGDAN_TASK" = T1 ]; then
    printf '[ASK_USER]\nquestion: Which colour?\noptions: ["red", "blue"]\n[/ASK_USER]\n'
    read -r answer
    echo "$answer" > answer.json
fi
echo "$JANGDAN_TASK" > "file-$JANGDAN_TASK.txt"
echo "DONE:$JANGDAN_TASK:it is there"
"#;

const ASKS_ALWAYS: &str = r#"
read -r task
printf '[ASK_USER]\nquestion: Which colour?\n[/ASK_USER]\n'
read -r answer
echo "$answer" > "answer-$JANGDAN_TASK.json"
echo "DONE:$JANGDAN_TASK:it is there"
"#;

const FAILS: &str = r#"
read -r task
echo "FAIL:$JANGDAN_TASK:no idea"
"#;

/// Waits until a file exists.
const WAITS: &str = r#"
read -r task
while [ ! -e "$FOLDER/go" ]; do echo waiting; sleep 0.02; done
echo "DONE:$JANGDAN_TASK:it is there"
"#;

/// Asks for permission before a tool call.
const ASKS_FIRST: &str = r#"
[[steps]]
wait = "T"
[[steps]]
say = "I read the task.\n"
[[steps]]
tool = { name = "Bash", kind = "execute", input = { command = "make report-{voice}" }, output = "ok", asks = true }
[[steps]]
say = "All is written.\n\nDONE:{task}:it is there\n"
"#;

fn automatic_gate_settings() -> RunSettings {
    RunSettings { gate_approval: GateApproval::Automatic, ..RunSettings::default() }
}

#[test]
fn a_run_is_controlled_from_another_terminal() {
    let mut project = TestProject::create_with_server(ASKS);
    let run = project.start_run(one_phase_plan(&["T1", "T2:T1"]), RunSettings::default());
    project.assert_fails(&["watch", "--no-wait"], 3, "jangdan answer");
    project.assert_succeeds(&["inbox"], "1 red  2 blue");
    project.assert_succeeds(&["status"], "waiting for you");
    project.assert_fails(&["answer", "q_1"], 2, "The answer is empty.");
    project.assert_fails(&["answer", "q_1", "--option", "3"], 1, "Options: 1 red, 2 blue");
    project.assert_fails(&["answer", "q_1", "3"], 1, "Options: 1 red, 2 blue");
    project.assert_fails(&["answer", "q_9", "red"], 1, "There is no question q_9");
    project.assert_fails(&["answer", "q_9", "--option", "1"], 1, "q_9 is not waiting for you");
    project.assert_fails(
        &["answer", run.as_str(), "q_1", "blue"],
        2,
        &format!("Name a run with --run {run}"),
    );
    project.assert_succeeds(&["answer", "q_1", "2", "--run", run.as_str()], "answered q_1: blue");
    project.assert_fails(&["answer", "q_1", "red"], 1, "already answered");
    project.assert_fails(&["watch", "--no-wait"], 3, "Waiting for your approval");
    project.assert_fails(&["land"], 1, "No phase of");
    project.assert_fails(&["reject", "1"], 2, "The reason is empty.");
    project.assert_fails(&["approve", "x"], 2, "'x'");
    let (exit, text) = project.run_jangdan(&["chat", "--no-wait", "How", "is", "it", "going?"]);
    assert!(exit == 0 && !text.contains("No orchestrator agent"), "{exit}:\n{text}");
    project.assert_succeeds(&["chat", "What", "now?"], "No orchestrator agent is running to answer.");
    project.assert_succeeds(&["chat", "What", "now?", "--json"], r#"{"reply":"No orchestrator agent"#);
    project.assert_succeeds(&["approve", "1", "well", "done"], "approved phase 1");
    project.assert_succeeds(&["watch"], "2 of 2 done");
    project.assert_succeeds(&["conversation", "T1"], "Answer to q_1: blue");
    project.assert_succeeds(&["logs", "T1"], "I look at T1");
    project.assert_succeeds(&["logs", "T1", "--json"], r#"{"type":"words","text":"#);
    project.assert_succeeds(&["diff", "T1"], "+T1");
    project.assert_fails(&["logs", "T9"], 1, "Unknown task T9");
    project.stop_server();
    // These commands need no running server.
    project.assert_succeeds(&["runs"], run.as_str());
    project.assert_succeeds(&["status", "--json"], r#""status":"done""#);
    project.assert_succeeds(&["watch"], "2 of 2 done");
    project.assert_succeeds(&["diff", "T2"], "+T2");
    project.assert_succeeds(&["land", "--yes"], &format!("Merged 4 commits of {run} into main ("));
    assert!(project.git(&["ls-files"]).contains("file-T2.txt"));
    project.assert_succeeds(&["clean", "--yes"], "Deleted 2 worktrees of");
    project.assert_fails(&["retry", "T1"], 1, "No server is running");
}

#[test]
fn chat_answers_the_only_question_and_lists_them_if_there_are_several() {
    let project = TestProject::create_with_server(ASKS_ALWAYS);
    project.start_run(one_phase_plan(&["T1", "T2"]), automatic_gate_settings());
    project.assert_fails(&["watch", "--no-wait"], 3, "Which colour?");
    project.assert_fails(&["chat", "blue"], 1, "Name one: q_1 or q_2");
    project.assert_succeeds(&["answer", "q_2", "red"], "answered q_2: red");
    project.assert_fails(&["watch", "--no-wait"], 3, "q_1");
    project.assert_succeeds(&["chat", "blue"], "message sent");
    project.assert_succeeds(&["watch"], "2 of 2 done");
    project.assert_fails(&["provide", "d_1"], 1, "There is no request d_1");
    project.assert_fails(&["rewind", "T1"], 2, "Its checkpoints: k_");
}

#[test]
fn a_failed_run_sets_the_exit_status() {
    let project = TestProject::create_with_server(FAILS);
    project.start_run(one_phase_plan(&["T1", "T2:T1"]), automatic_gate_settings());
    project.assert_fails(&["watch", "--no-wait"], 3, "mark as failed");
    project.assert_fails(&["resolve", "e_1", "sing"], 2, "'sing' is not an action.");
    project.assert_fails(&["resolve", "e_1", "99"], 1, "Suggestions: 1 ");
    project.assert_succeeds(&["resolve", "e_1", "mark-failed"], "resolved e_1: mark as failed");
    project.assert_fails(&["watch"], 1, "Failed: T1");
    project.assert_succeeds(&["skip", "T1"], "skipped T1");
}

#[test]
fn options_that_are_numbers_are_chosen_by_letters() {
    let script = r#"
read -r task
printf '[ASK_USER]\nquestion: How many?\noptions: ["5", "10"]\n[/ASK_USER]\n'
read -r answer
echo "$answer" > "answer-$JANGDAN_TASK.json"
echo "DONE:$JANGDAN_TASK:it is there"
"#;
    let project = TestProject::create_with_server(script);
    project.start_run(one_phase_plan(&["T1", "T2"]), automatic_gate_settings());
    project.assert_fails(&["watch", "--no-wait"], 3, "a 5  b 10");
    project.assert_succeeds(&["answer", "q_1", "b"], "answered q_1: 10");
    project.assert_succeeds(&["answer", "q_2", "2"], "answered q_2: 2");
    project.assert_succeeds(&["watch"], "2 of 2 done");
}

#[test]
fn events_are_printed_as_json() {
    let project = TestProject::create_with_server(WAITS);
    project.start_run(one_phase_plan(&["T1"]), automatic_gate_settings());
    let mut child =
        project.command(&["watch", "--json"]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut printed = BufReader::new(child.stdout.take().unwrap()).lines().map(|line| line.unwrap());
    // The agent is running.
    printed.find(|line| line.contains("session.activity")).unwrap();
    project.assert_succeeds(&["pause", "--json"], r#""sequence":"#);
    project.assert_succeeds(&["continue"], ": continued");
    std::fs::write(project.temp_path("go"), "").unwrap();
    let lines: Vec<Value> = printed.map(|line| serde_json::from_str(&line).unwrap()).collect();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let events: Vec<&str> = lines.iter().filter_map(|line| line["event"].as_str()).collect();
    assert!(events.contains(&"worker.complete") && events.contains(&"run.changed"), "{events:?}");
    let last = lines.iter().rev().find(|line| line["data"]["kind"] == "run").unwrap();
    assert_eq!(last["data"]["row"]["status"], "done");
    // A later client gets the same events, from the first one.
    let late = project.command(&["watch", "--json"]).output().unwrap();
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
fn a_server_without_its_folder_ends() {
    TestProject::create_with_server("").delete_data();
}

#[test]
fn a_run_can_be_cancelled() {
    let project = TestProject::create_with_server(WAITS);
    project.start_run(one_phase_plan(&["T1", "T2"]), automatic_gate_settings());
    project.assert_succeeds(&["pause", "T2"], "paused T2");
    project.assert_succeeds(&["cancel", "T2"], "cancelled T2");
    project.assert_succeeds(&["cancel", "--yes"], ": cancelled");
    project.assert_fails(&["watch"], 1, "cancelled");
    project.assert_fails(&["pause"], 1, "cancelled");
}

#[test]
fn without_a_name_the_only_active_run_of_the_project_is_taken() {
    let project = TestProject::create_with_server(WAITS);
    project.assert_fails(&["status"], 1, "This project has no run.");
    let first = project.start_run(one_phase_plan(&["T1"]), automatic_gate_settings());
    let status = |folder: &str| {
        let output = project.command(&["status"]).current_dir(project.temp_path(folder)).output().unwrap();
        (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
    };
    assert_eq!(status(".").0, Some(0), "it is the only run");
    let second = project.start_run(one_phase_plan(&["T1"]), automatic_gate_settings());
    let both = format!("Two runs are active here: {second} (A plan), {first} (A plan).");
    for command in [&["status"][..], &["cancel"], &["tell", "T1", "hello"], &["log"], &["resume"]] {
        project.assert_fails(command, 1, &both);
        project.assert_fails(command, 1, &format!("Add a name: --run {second}"));
    }
    project.assert_succeeds(&["status", first.as_str()], first.as_str());
    project.assert_succeeds(&["status", "--run", first.as_str()], first.as_str());
    project.assert_fails(&["status", first.as_str(), "--run", first.as_str()], 2, "cannot be used with");
    project.assert_fails(&["cancel", second.as_str()], 2, &format!("Name a run with --run {second}"));
    project.assert_fails(&["status", "--run", "x"], 1, "Unknown run 'x'.");
    project.assert_succeeds(&["cancel", "--run", second.as_str()], &format!("Run {second}: cancelled"));
    project.assert_succeeds(&["status"], first.as_str());
    let (exit, text) = status(".");
    assert!(exit == Some(1) && text.contains(first.as_str()) && text.contains("Add a name: --run"), "{text}");
    project.assert_succeeds(&["log"], "A plan");
}

#[test]
fn permissions_and_logs_work_the_same_for_every_protocol() {
    let project = TestProject::create_with_server("");
    project.start_scripted_run(&["claude", "codex", "acp"], ASKS_FIRST);
    let (exit, text) = project.run_jangdan(&["watch", "--no-wait"]);
    assert_eq!((exit, text.matches("wants to run").count()), (3, 3), "{text}");
    project.assert_fails(&["answer", "q_1", "maybe"], 1, "allow, deny");
    project.assert_succeeds(&["answer", "q_1", "--option", "2"], "answered q_1: allow");
    project.assert_succeeds(&["answer", "q_2", "allow", "--keep", "run"], "answered q_2: allow");
    project.assert_succeeds(&["answer", "q_3", "--option", "5"], "answered q_3: deny");
    project.assert_succeeds(&["watch"], "3 of 3 done");
    for task in ["T1", "T2", "T3"] {
        project.assert_succeeds(&["logs", task], "I read the task.");
        project.assert_succeeds(&["logs", task], "make report");
    }
}

#[test]
fn checks_are_sandboxed_like_agents() {
    let project = TestProject::create_with_server("read -r task\necho \"DONE:$JANGDAN_TASK:it is there\"\n");
    // Temporary folders may be written, so this is elsewhere.
    let outside = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("outside-{}.txt", std::process::id()));
    let check = format!("echo y > inside.txt && ! echo z > {}", outside.display());
    let configuration = format!(
        "sandbox = 'required'\n[orchestration]\ngate_approval = 'automatic'\n[checks]\nverify = '''{check}'''\n\
         [agents.mine]\nextends = 'shell'\nrole = 'worker'\narguments = ['{}']\n",
        project.temp_path("agent.sh").display()
    );
    std::fs::write(project.root().join("jangdan.toml"), configuration).unwrap();
    std::fs::write(project.root().join("TASKS.md"), "### T1: Write it\n").unwrap();
    project.assert_succeeds(&["run", "TASKS.md", "--no-wait"], "1 of 1 done");
    assert!(!outside.exists());
    let receipts = project.run_jangdan(&["status", "--json"]).1;
    assert!(!receipts.contains("unchecked"), "{receipts}");
}

#[test]
fn a_sandboxed_agent_asks_for_commands_only_if_the_user_has_rules_for_them() {
    let script = "read -r task\necho \"$1 $ASKING\" > \"$JANGDAN_TASK.txt\"\necho \"DONE:$JANGDAN_TASK\"\n";
    for (rules, started_with) in [("", "unasked no"), ("[permissions]\ndeny = ['run:rm*']\n", " yes")] {
        let project = TestProject::create_with_server(script);
        let configuration = format!(
            "sandbox = 'required'\n[orchestration]\ngate_approval = 'automatic'\n{rules}\
             [agents.mine]\nextends = 'shell'\nrole = 'worker'\narguments = ['{}']\nenvironment = {{ ASKING = 'yes' }}\n\
             [agents.mine.sandboxed]\narguments = ['unasked']\nenvironment = {{ ASKING = 'no' }}\n",
            project.temp_path("agent.sh").display()
        );
        std::fs::write(project.root().join("jangdan.toml"), configuration).unwrap();
        std::fs::write(project.root().join("TASKS.md"), "### T1: Write it\n").unwrap();
        project.assert_succeeds(&["run", "TASKS.md", "--no-wait"], "1 of 1 done");
        project.assert_succeeds(&["land"], "into main");
        let written = std::fs::read_to_string(project.root().join("T1.txt")).unwrap();
        assert_eq!(written.trim_end(), started_with, "{rules}");
    }
}

#[test]
fn budgets_are_said_before_a_run_starts() {
    let script = "read -r task\necho \"DONE:$JANGDAN_TASK:it is there\"\n";
    let project = TestProject::create_with_server(script);
    let configuration = format!(
        "[orchestration]\ngate_approval = 'automatic'\n[budgets.run]\nmoney = '$5'\n\
         [agents.mine]\nextends = 'shell'\nrole = 'worker'\narguments = ['{}']\n",
        project.temp_path("agent.sh").display()
    );
    std::fs::write(project.root().join("jangdan.toml"), configuration).unwrap();
    std::fs::write(project.root().join("TASKS.md"), "### T1: Write it\n").unwrap();
    let (exit, text) = project.run_jangdan(&["run", "TASKS.md", "--no-wait"]);
    assert_eq!(exit, 0, "{text}");
    assert!(text.contains("Budget: at most $5 for the run."), "{text}");
    assert!(text.contains("The money budget does not count mine: no cost is reported."), "{text}");
}

#[test]
fn audit_lists_each_command_with_its_origin() {
    let project = TestProject::create_with_server("read -r task; read -r rest");
    let run = project.start_run(one_phase_plan(&["T1"]), RunSettings::default());
    project.assert_succeeds(&["pause", "--run", run.as_str()], "");
    project.client().send_command(&run, "bob", &domain::UserCommand::ContinueRun).unwrap();
    let (_, text) = project.run_jangdan(&["audit", run.as_str()]);
    let line = |part: &str| text.lines().find(|line| line.contains(part)).unwrap_or_default().to_owned();
    assert!(line("pauseRun").contains("ana") && line("pauseRun").contains("terminal, jangdan ("), "{text}");
    // The test itself is not jangdan: it calls as any program with the token does.
    assert!(line("continueRun").contains("bob") && line("continueRun").contains("API, "), "{text}");
    assert!(line("startRun").contains("ana"), "{text}");
    let (_, json) = project.run_jangdan(&["audit", run.as_str(), "--json"]);
    let first: serde_json::Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    assert_eq!((&first["command"], &first["isRefused"]), (&"startRun".into(), &false.into()), "{json}");
    assert!(first["origin"]["process"].is_u64(), "{json}");
}
