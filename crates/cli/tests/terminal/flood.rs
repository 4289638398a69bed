//! An agent that floods Jangdan with messages of one kind: the server stays small, and another agent gets its answers.

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use domain::{GateApproval, PermissionScope, PlannedTask, RunId, RunSettings, UserCommand};

use crate::test_project::{TestProject, one_phase_plan};

/// What the first task prints for ever, and the second one does: it asks again and again.
const SCRIPT: &str = r#"
read -r task
if [ "$JANGDAN_TASK" = T2 ]; then
    while true; do
        printf '[ASK_USER]\nquestion: Which colour?\n[/ASK_USER]\n'
        read -r answer
        echo "$answer" >> "$FOLDER/answers-$JANGDAN_RUN"
    done
fi
while [ ! -e "$FOLDER/flood-$JANGDAN_RUN" ]; do sleep 0.01; done
yes "$(cat "$FOLDER/message")" | head -c 4000000
echo "flooded" > "$FOLDER/flooded-$JANGDAN_RUN"
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
    ("message of the orchestrator", "CUSTOM:SKIP:T2"),
    ("message for the next task", "RESOLVE_NEXT"),
];

/// Memory that the server may have used at most, with tests of the same process before.
const MEMORY_KIB_MAX: u64 = 300 * 1024;

#[test]
fn a_flood_of_any_message_leaves_memory_and_other_agents_alone() {
    let project = TestProject::create_with_server(SCRIPT);
    for (kind, message) in MESSAGES {
        fs::write(project.temp_path("message"), message).unwrap();
        let run = start_run_of_two(&project);
        let answers = project.temp_path(format!("answers-{run}"));
        let n_answers = || fs::read_to_string(&answers).map_or(0, |text| text.lines().count());
        answer_until(&project, &run, kind, || n_answers() == 1);
        fs::write(project.temp_path(format!("flood-{run}")), "").unwrap();
        for n in 2..5 {
            answer_until(&project, &run, kind, || n_answers() == n);
        }
        let memory = peak_memory_kib(&project);
        assert!(memory < MEMORY_KIB_MAX, "{kind}: {memory} KiB");
        let rows = project.client().get::<serde_json::Value>(&format!("/api/runs/{run}/rows")).unwrap();
        for (name, rows) in rows["rows"].as_object().unwrap() {
            let (n, bytes) = (rows.as_array().unwrap().len(), rows.to_string().len());
            assert!(n < 3000 && bytes < 4 << 20, "{kind}: {n} rows of {name}, {bytes} bytes");
        }
        project.assert_succeeds(&["cancel", "--run", run.as_str()], "");
    }
}

/// Starts a run whose two tasks have agents of different names.
fn start_run_of_two(project: &TestProject) -> RunId {
    let mut work = one_phase_plan(&["T1", "T2"]);
    for (task, agent) in work.tasks.iter_mut().zip(["floods", "other"]) {
        let task: &mut PlannedTask = task;
        task.agent = Some(agent.parse().unwrap());
    }
    let preset = format!(
        "extends = 'shell'\narguments = ['{}']\nenvironment = {{ FOLDER = '{}' }}",
        project.temp_path("agent.sh").display(),
        project.temp_path("").display()
    );
    let settings = RunSettings { gate_approval: GateApproval::Automatic, ..RunSettings::default() };
    project.start_run_with_workers(work, settings, &[("floods", &preset), ("other", &preset)])
}

/// Answers the question of the second task until it has its answer, which is a matter of moments.
fn answer_until(project: &TestProject, run: &RunId, kind: &str, is_done: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !is_done() {
        let answer = UserCommand::Answer {
            question: None,
            task: Some("T2".parse().unwrap()),
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
        assert!(Instant::now() < deadline, "{kind}: the other agent gets no answer");
    }
}

fn peak_memory_kib(project: &TestProject) -> u64 {
    let pid = project.client().status().unwrap().pid;
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
