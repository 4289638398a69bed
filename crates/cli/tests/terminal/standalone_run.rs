//! `jangdan run` without a separate server: the server runs in its process and ends with it.

use std::{fs, path::Path};

use crate::{terminal_user::TerminalUser, test_project::TestProject};

/// Asks which colour, then waits until a file exists.
const ASKS_AND_WAITS: &str = r#"
read -r task
echo "$$" >> "$FOLDER/pids"
if [ ! -e colour.txt ]; then
    printf '[ASK_USER]\nquestion: Which colour?\noptions: ["red", "blue"]\n[/ASK_USER]\n'
    read -r answer
    echo "$answer" > colour.txt
fi
echo "I wait"
while [ ! -e "$FOLDER/go" ]; do sleep 0.01; done
echo "DONE:$JANGDAN_TASK:it is there"
"#;

/// Creates a project without a server.
fn new_project_without_server() -> TestProject {
    let mut project = TestProject::create_with_server(ASKS_AND_WAITS);
    project.stop_server();
    let configuration = format!(
        "orchestration.gate_approval = 'automatic'\nsandbox.mode = 'off'\n[agents.mine]\nextends = 'shell'\nrole = 'worker'\n\
         arguments = ['{}']\nenvironment = {{ FOLDER = '{}' }}\n",
        project.temp_path("agent.sh").display(),
        project.temp_path("").display()
    );
    fs::write(project.root().join("jangdan.toml"), configuration).unwrap();
    fs::write(project.root().join("TASKS.md"), "# A plan\n\n### T1: Paint it\n").unwrap();
    project
}

/// Returns the processes that have worked on the task so far.
fn pids(project: &TestProject) -> Vec<String> {
    let text = fs::read_to_string(project.temp_path("pids")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn is_alive(pid: &str) -> bool {
    Path::new("/proc").join(pid).exists()
}

fn run_branch(project: &TestProject) -> String {
    project.git(&["branch", "--list", "--format=%(refname:short)", "jangdan/*/run"]).trim().to_owned()
}

fn merged_colour(project: &TestProject) -> String {
    project.git(&["show", &format!("{}:colour.txt", run_branch(project))])
}

/// Returns the path of the link to the run's page.
fn link_path(project: &TestProject) -> String {
    format!("/runs/{}?login=", run_branch(project).split('/').nth(1).unwrap())
}

#[test]
fn a_question_is_answered_on_the_screen_of_run() {
    let project = new_project_without_server();
    let mut user = TerminalUser::start(project.command(&["run"]));
    let screen = user.wait_for("1 red  2 blue");
    assert!(screen.replace(['\r', '\n'], "").contains(&link_path(&project)), "{screen}");
    user.type_keys("2\r");
    user.wait_for("answered q_1 (Which colour?): blue");
    fs::write(project.temp_path("go"), "").unwrap();
    let screen = user.wait_for("1 of 1 done");
    assert_eq!(user.wait_exit(), Some(0), "{screen}");
    assert!(merged_colour(&project).contains("blue"));
    assert!(!is_alive(&pids(&project)[0]), "its process has ended");
}

/// Starts a run, answers, and leaves with this choice. Returns whether the agent is still running.
fn run_and_leave(project: &TestProject, choice: &str) -> bool {
    let mut user = TerminalUser::start(project.command(&["run"]));
    user.wait_for("1 red  2 blue");
    user.type_keys("1\r");
    user.wait_for("I wait");
    user.type_keys("\x03");
    user.wait_for("1 keep agents working  2 stop agents  3 stay");
    user.type_keys(choice);
    user.wait_for("Continue: jangdan resume r");
    assert_eq!(user.wait_exit(), Some(130));
    is_alive(&pids(project)[0])
}

/// Resumes the run, and returns the number of agent processes.
fn resume_run(project: &TestProject) -> usize {
    fs::write(project.temp_path("go"), "").unwrap();
    let (exit, text) = project.run_jangdan(&["resume"]);
    assert!(exit == 0 && text.contains("1 of 1 done") && text.contains("jangdan link"), "{exit}: {text}");
    assert!(merged_colour(project).contains("red"));
    pids(project).len()
}

#[test]
fn agents_keep_working_after_the_user_leaves_and_are_found_by_resume() {
    let project = new_project_without_server();
    assert!(run_and_leave(&project, "1"));
    assert_eq!(resume_run(&project), 1, "the same process continued");
}

#[test]
fn agents_can_be_stopped_on_leaving_and_the_run_resumed() {
    let project = new_project_without_server();
    assert!(!run_and_leave(&project, "2"));
    assert_eq!(resume_run(&project), 2, "another process continued with the work of the first");
}

#[test]
fn a_run_logs_to_its_file_and_not_to_the_screen() {
    let project = new_project_without_server();
    let configuration =
        "[agents.mine]\nextends = 'shell'\nrole = 'worker'\ncommand = './missing/agent-program'\n";
    fs::write(project.root().join("jangdan.toml"), configuration).unwrap();
    let (exit, text) = project.run_jangdan(&["run", "--no-wait"]);
    assert_eq!(exit, 3, "{text}");
    project.wait_for_log_line(&[" WARN ", "cannot start the process", "missing/agent-program"]);
    assert!(!text.contains("WARN") && !text.contains("INFO"), "{text}");
}

#[test]
fn a_server_continues_when_the_reader_of_its_messages_is_gone() {
    // `start_server` closes the pipe after the first line; the server has more to print.
    let mut project = TestProject::create_with_server("exit 0");
    project.assert_succeeds(&["runs"], "No runs");
    project.stop_server();
}

#[test]
fn a_run_without_a_terminal_is_in_the_language_of_the_environment() {
    let mut project = new_project_without_server();
    let run_in_korean = |arguments: &[&str]| {
        let output = project.command(arguments).env("LC_ALL", "ko_KR.UTF-8").output().unwrap();
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        (output.status.code(), text)
    };
    let (exit, text) = run_in_korean(&["run", "--no-wait"]);
    assert_eq!(exit, Some(3), "{text}");
    let run = run_branch(&project).split('/').nth(1).unwrap().to_owned();
    for part in [
        format!("실행 {run}: A plan, 작업 1개"),
        "q_1 · T1 · mine 질문".to_owned(),
        format!(
            "처리 명령: jangdan answer q_1 TEXT --run {run}, jangdan answer q_1 --option NUMBER --run {run}"
        ),
    ] {
        assert!(text.contains(&part), "{part} is not in:\n{text}");
    }
    let (_, log) = run_in_korean(&["log"]);
    assert!(log.contains("mine 에이전트의 질문 q_1: Which colour?"), "{log}");
    let (_, runs) = run_in_korean(&["runs"]);
    assert!(runs.contains("확인 필요") && runs.contains("진행 중"), "{runs}");
    let (_, conversation) = run_in_korean(&["conversation", "T1"]);
    // The prompt itself is as the agent got it, in the language of the run.
    assert!(conversation.contains("장단") && conversation.contains("Paint"), "{conversation}");
    let (exit, unknown) = run_in_korean(&["conversation", "T9"]);
    assert!(exit == Some(1) && unknown.contains("T9 작업이 없습니다"), "{unknown}");
    let (_, plan) = run_in_korean(&["plan", "check", "TASKS.md"]);
    assert!(plan.contains("올바른 계획: 작업 1개, 1단계"), "{plan}");
    let (_, replay) = run_in_korean(&["replay"]);
    assert!(replay.contains("작업 1개 중 0개 완료, 1건 확인 필요"), "{replay}");
    // Ends the agent, which is still running.
    project.start_server();
    project.stop_server();
}
