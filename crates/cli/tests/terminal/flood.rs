//! An agent that floods Jangdan with messages of one kind: the server stays small, and another agent gets its answers.

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use domain::{GateApproval, PermissionScope, RunId, RunSettings, UserCommand};

use crate::test_project::{TestProject, one_phase_plan};

/// The task T100 asks again and again; each of the others floods with its own message once it may.
const SCRIPT: &str = r#"
read -r task
if [ "$JANGDAN_TASK" = T100 ]; then
    while true; do
        printf '[ASK_USER]\nquestion: Which colour?\n[/ASK_USER]\n'
        read -r answer
        echo "$answer" >> "$FOLDER/answers"
    done
fi
while [ ! -e "$FOLDER/flood" ]; do sleep 0.01; done
yes "$(cat "$FOLDER/message-$JANGDAN_TASK")" | head -c 2000000
read -r rest
"#;

/// A message of each kind that an agent of this role can send without ending its task.
const MESSAGES: [(&str, &str); 14] = [
    ("question", "[ASK_USER]\nquestion: Which one?\n[/ASK_USER]"),
    ("question in block form", "[USER_QUESTION]\ncategory: business\nquestion: Which one?\n[/USER_QUESTION]"),
    (
        "request",
        "[DEPENDENCY_REQUEST]\ntype: api_key\nname: KEY\ndescription: for it\nrequired: true\n[/DEPENDENCY_REQUEST]",
    ),
    ("progress", "[PROGRESS]\nprogress: 10%\n[/PROGRESS]\n[PROGRESS]\nprogress: 20%\n[/PROGRESS]"),
    ("step", "[STEP_COMPLETE]\nsummary: one more\n[/STEP_COMPLETE]"),
    ("call", "[INVOKE:other]\nhelp me\n[/INVOKE]"),
    ("direct message", "[DIRECT:other]\nhello\n[/DIRECT]"),
    (
        "result",
        "[DELIVER_RESULT:other]\ntype: markdown\ncontent: a long text about nothing\n[/DELIVER_RESULT]",
    ),
    ("error", "[ERROR]\ntype: recoverable\nmessage: it does not work\nrecovery: notify_user\n[/ERROR]"),
    ("invalid message", "[ASK_USER]\nquestion:\n[/ASK_USER]"),
    ("near miss", "[NEED_HUMAN: which one?]"),
    ("marker of a phase", "=== PHASE 1 COMPLETE ==="),
    ("message of the orchestrator", "CUSTOM:SKIP:T100"),
    ("message for the next task", "RESOLVE_NEXT"),
];

/// Memory that the server may have used at most, with tests of the same process before.
const MEMORY_KIB_MAX: u64 = 300 * 1024;

#[test]
fn a_flood_of_any_message_leaves_memory_and_other_agents_alone() {
    let project = TestProject::create_with_server(SCRIPT);
    for (number, (_, message)) in MESSAGES.iter().enumerate() {
        fs::write(project.temp_path(format!("message-T{}", number + 1)), message).unwrap();
    }
    let run = start_run(&project);
    let answers = project.temp_path("answers");
    let n_answers = || fs::read_to_string(&answers).map_or(0, |text| text.lines().count());
    answer_until(&project, &run, || n_answers() == 1);
    fs::write(project.temp_path("flood"), "").unwrap();
    for n in 2..8 {
        answer_until(&project, &run, || n_answers() == n);
    }
    wait_until_flooders_are_read(&project, &run);
    let memory = peak_memory_kib(&project);
    assert!(memory < MEMORY_KIB_MAX, "{memory} KiB");
    let rows = project.client().get::<serde_json::Value>(&format!("/api/runs/{run}/rows")).unwrap();
    for (name, rows) in rows["rows"].as_object().unwrap() {
        let (n, bytes) = (rows.as_array().unwrap().len(), rows.to_string().len());
        assert!(n < MESSAGES.len() * 3000 && bytes < 64 << 20, "{n} rows of {name}, {bytes} bytes");
    }
    let n_waiting = project.client().inbox().unwrap().len();
    assert!(n_waiting < MESSAGES.len() * 20, "{n_waiting} items wait for the user");
}

/// Waits until the agents that may send so many messages of their kind are suspended.
fn wait_until_flooders_are_read(project: &TestProject, run: &RunId) {
    let deadline = Instant::now() + Duration::from_secs(60);
    let is_reported = |title: &str| {
        let inbox = project.client().get::<serde_json::Value>("/api/inbox").unwrap();
        inbox.to_string().contains(title)
    };
    while !is_reported("sends too many messages") {
        assert!(Instant::now() < deadline, "no agent of {run} is suspended");
        thread::sleep(Duration::from_millis(50));
    }
}

/// Starts a run with a task for each message, and one that asks.
fn start_run(project: &TestProject) -> RunId {
    let ids: Vec<String> = (1..=MESSAGES.len()).chain([100]).map(|number| format!("T{number}")).collect();
    let mut work = one_phase_plan(&ids.iter().map(String::as_str).collect::<Vec<_>>());
    for task in &mut work.tasks {
        let agent = if task.id.as_str() == "T100" { "other" } else { "floods" };
        task.agent = Some(agent.parse().unwrap());
    }
    let preset = format!(
        "extends = 'shell'\narguments = ['{}']\nenvironment = {{ FOLDER = '{}' }}",
        project.temp_path("agent.sh").display(),
        project.temp_path("").display()
    );
    let slots = u32::try_from(ids.len()).unwrap().try_into().unwrap();
    let settings = RunSettings { slots, gate_approval: GateApproval::Automatic, ..RunSettings::default() };
    project.start_run_with_workers(work, settings, &[("floods", &preset), ("other", &preset)])
}

/// Answers the question of the task that asks until it has its answer.
fn answer_until(project: &TestProject, run: &RunId, is_done: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !is_done() {
        let answer = UserCommand::Answer {
            question: None,
            task: Some("T100".parse().unwrap()),
            answer: "red".to_owned(),
            scope: PermissionScope::Once,
            pattern: None,
            reason: None,
        };
        // The next question may not be there yet.
        let _ = project.client().send_command(run, "ana", &answer);
        let wait = Instant::now() + Duration::from_millis(500);
        while !is_done() && Instant::now() < wait {
            thread::sleep(Duration::from_millis(10));
        }
        assert!(Instant::now() < deadline, "the other agent gets no answer");
    }
}

fn peak_memory_kib(project: &TestProject) -> u64 {
    let pid = project.client().status().unwrap().pid;
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
