//! The log of a server explains why a run does not proceed, and contains no secret.

use std::{
    fs::{self, File},
    io::{Read, Write},
    net::TcpStream,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use domain::{GateApproval, RunSettings};
use runtime::ShutdownMode;
use rusqlite::Connection;
use rustix::process::{Pid, Signal, kill_process};

use crate::test_project::{TestProject, one_phase_plan};

/// Reads its task and does nothing.
const HANGS: &str = r#"
read -r task
while :; do sleep 0.05; done
"#;

const WORKS: &str = r#"
read -r task
echo "I use $CANARY"
echo work > "$JANGDAN_TASK.txt"
echo "DONE:$JANGDAN_TASK:it is there"
"#;

const MISSING_AGENT: &str = "extends = 'shell'\ncommand = '/missing/agent-program'";

fn automatic_settings() -> RunSettings {
    RunSettings { gate_approval: GateApproval::Automatic, ..RunSettings::default() }
}

#[test]
fn hanging_agent_is_named_when_its_time_is_up() {
    let project = TestProject::create_with_server(HANGS);
    let run =
        project.start_run(one_phase_plan(&["T1"]), RunSettings { timeout_ms: 200, ..automatic_settings() });
    let run = format!("run{{run={run}}}");
    project.wait_for_log_line(&[" INFO ", &run, "TaskStarted", "task=T1", "session=s_"]);
    project.wait_for_log_line(&[" WARN ", &run, "EscalationRaised", "task=T1", "reason=\"timeout, severity"]);
}

#[test]
fn full_disk_is_logged_with_the_task_that_needs_it() {
    // Not in a user namespace: a server there cannot identify the processes outside that call it.
    let can_mount = Command::new("unshare").args(["-m", "true"]).stderr(Stdio::null()).status();
    if !can_mount.is_ok_and(|status| status.success()) {
        eprintln!("skipped: this user makes no mount namespaces");
        return;
    }
    let mut project = TestProject::create_with_server(WORKS);
    project.stop_server();
    fs::write(project.root().join("large"), vec![b'x'; 1 << 20]).unwrap();
    project.git(&["add", "."]);
    project.git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "large"]);
    let worktrees = project.data().join("worktrees");
    fs::create_dir_all(&worktrees).unwrap();
    // The server sees a small disk there.
    let script = "mount -t tmpfs -o size=64k tmpfs \"$WORKTREES\" && exec \"$0\" serve";
    let mut server = project.command(&[]);
    let environment: Vec<_> =
        server.get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned()))).collect();
    server = Command::new("unshare");
    server.args(["-m", "sh", "-ec", script, env!("CARGO_BIN_EXE_jangdan")]).envs(environment);
    server.env("WORKTREES", &worktrees).current_dir(project.root()).stdin(Stdio::null());
    project.start_server_with(server);
    let run = project.start_run(one_phase_plan(&["T1"]), automatic_settings());
    let parts = [" WARN ", "cannot create the worktree", &format!("run={run}"), "task=T1", "free_bytes="];
    let line = project.wait_for_log_line(&parts);
    let free = line.split("free_bytes=").nth(1).unwrap().split(' ').next().unwrap();
    assert!(free.parse::<u64>().unwrap() < 64 << 10, "{line}");
}

#[test]
fn lost_holder_is_logged_with_its_session() {
    let project = TestProject::create_with_server(HANGS);
    let run = project.start_run(one_phase_plan(&["T1"]), automatic_settings());
    let process = format!("process=\"{run}-s_");
    let started = project.wait_for_log_line(&[" INFO ", "process started", &process]);
    let name = started.split("process=\"").nth(1).unwrap().split('"').next().unwrap();
    project.wait_for_log_line(&["InputQueued", "session=s_"]);
    kill_holder(&project.data().join("sessions").join(name));
    project.wait_for_log_line(&[
        " WARN ",
        "process lost: its holder is gone",
        &format!("process=\"{name}\""),
    ]);
    let session = name.split('-').nth(1).unwrap();
    let parts = [" WARN ", &format!("run={run}"), "SessionLost", "task=T1", &format!("session={session}")];
    project.wait_for_log_line(&parts);
}

/// Kills the holder of a session's folder.
fn kill_holder(folder: &Path) {
    let deadline = Instant::now() + Duration::from_secs(30);
    let holder = loop {
        let status = fs::read_to_string(folder.join("status")).unwrap_or_default();
        if let Some(holder) = status.lines().find_map(|line| line.strip_prefix("holder ")) {
            break holder.parse().unwrap();
        }
        assert!(Instant::now() < deadline, "no status in {}", folder.display());
        thread::sleep(Duration::from_millis(10));
    };
    kill_process(Pid::from_raw(holder).unwrap(), Signal::KILL).unwrap();
}

#[test]
fn broken_event_log_is_logged_once_and_so_is_its_recovery() {
    let project = TestProject::create_with_server(
        "read -r task\nwhile [ ! -e \"$FOLDER/go\" ]; do sleep 0.01; done\necho \"DONE:$JANGDAN_TASK:it is there\"\n",
    );
    let run = project.start_run(one_phase_plan(&["T1"]), automatic_settings());
    let run_part = format!("run={run}");
    project.wait_for_log_line(&["InputQueued", "session=s_"]);
    let database = Connection::open(project.data().join("log.sqlite3")).unwrap();
    let trigger =
        "CREATE TRIGGER broken BEFORE INSERT ON entry BEGIN SELECT RAISE(FAIL, 'broken on purpose'); END";
    database.execute_batch(trigger).unwrap();
    fs::write(project.temp_path("go"), "").unwrap();
    project.wait_for_log_line(&[
        "ERROR",
        "cannot record events",
        "log.sqlite3",
        &run_part,
        "broken on purpose",
    ]);
    // Another write fails for the same reason.
    project.assert_fails(&["pause"], 1, "broken on purpose");
    project.wait_for_log_line(&[" WARN ", "request{request=", "request failed", "status=500"]);
    database.execute_batch("DROP TRIGGER broken").unwrap();
    project.wait_for_log_line(&[" INFO ", "events are recorded again", &run_part]);
    project.wait_for_log_line(&["RunEnded", &run_part]);
    let log = project.server_log();
    assert_eq!(log.matches("cannot record events").count(), 1, "{log}");
}

#[test]
fn missing_agent_program_is_named_with_its_task() {
    let project = TestProject::create_with_server("");
    let workers = [("worker", MISSING_AGENT)];
    let run = project.start_run_with_workers(one_phase_plan(&["T1"]), automatic_settings(), &workers);
    let lost = project.wait_for_log_line(&[" WARN ", &format!("run={run}"), "SessionLost", "task=T1"]);
    let session = lost.split("session=").nth(1).unwrap().split(' ').next().unwrap();
    let process = format!("process=\"{run}-{session}-1\"");
    project.wait_for_log_line(&[" WARN ", "cannot start the process", &process, "/missing/agent-program"]);
}

#[test]
fn log_of_a_run_has_facts_and_no_secret() {
    let mut project = TestProject::create_with_server(WORKS);
    project.stop_server();
    let canary = "canary-5e884898da28";
    let mut server = project.command(&["serve"]);
    server.env("CANARY", canary).env("API_TOKEN", canary);
    project.start_server_with(server);
    project.start_run(one_phase_plan(&["T1"]), automatic_settings());
    project.wait_for_log_line(&["RunEnded", "reason=\"Run done\""]);
    project.wait_for_log_line(&["server started", "version=", "socket=", "address=\"http://127.0.0.1:"]);
    project.wait_for_log_line(&["machine", "sandbox=", "git=\""]);
    project.wait_for_log_line(&["data directory opened", "data=", "store=", "schema=", "recovered_runs=0"]);
    let token = fs::read_to_string(project.data().join("token")).unwrap();
    let log = project.server_log();
    assert!(!token.is_empty() && !log.contains(&token), "{log}");
    assert!(!log.contains(canary) && !log.contains("I use"), "{log}");
    let mode = fs::metadata(project.data().join("logs/jangdan.log")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn even_the_most_detailed_log_has_no_token_and_no_environment() {
    let mut project =
        TestProject::create_with_server("read -r task\necho \"DONE:$JANGDAN_TASK:it is there\"\n");
    project.stop_server();
    let canary = "canary-5e884898da28";
    let mut server = project.command(&["serve", "--log-format", "json"]);
    server.env("CANARY", canary).env("API_TOKEN", canary).env("JANGDAN_LOG", "trace");
    project.start_server_with(server);
    project.start_run(one_phase_plan(&["T1"]), automatic_settings());
    let line = project.wait_for_log_line(&["\"message\":\"RunEnded\"", "\"run\":\"r"]);
    serde_json::from_str::<serde_json::Value>(&line).unwrap();
    project.wait_for_log_line(&[
        "\"level\":\"DEBUG\"",
        "\"method\":\"POST\"",
        "\"path\":\"/api/runs\"",
        "\"request\":",
    ]);
    let token = fs::read_to_string(project.data().join("token")).unwrap();
    let link = project.client().link(Some(&"r1".parse().unwrap())).unwrap().unwrap();
    let (_, code) = link.split_once("?login=").unwrap();
    open_link(&project, code);
    project.wait_for_log_line(&["\"path\":\"/runs\""]);
    let log = project.server_log();
    assert!(!log.contains(&token) && !log.contains(code) && !log.contains(canary), "{log}");
}

/// Sends the request of a browser that opens a link of `jangdan link`.
fn open_link(project: &TestProject, code: &str) {
    let port = fs::read_to_string(project.data().join("port")).unwrap();
    let mut stream = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
    let request =
        format!("GET /runs?login={code} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    assert!(response.starts_with("HTTP/1.1 303"), "{response}");
}

#[test]
fn serve_prints_warnings_only() {
    let mut project = TestProject::create_with_server("");
    project.stop_server();
    let errors = project.temp_path("errors");
    let mut server = project.command(&["serve"]);
    server.env("JANGDAN_LOG", "debug").stderr(File::create(&errors).unwrap());
    let mut server = server.spawn().unwrap();
    project.wait_for_log_line(&["server started", &format!("pid={}", server.id())]);
    let workers = [("worker", MISSING_AGENT)];
    project.start_run_with_workers(one_phase_plan(&["T1"]), automatic_settings(), &workers);
    project.wait_for_log_line(&["SessionLost"]);
    project.client().stop_server(ShutdownMode::EndSessions).unwrap();
    server.wait().unwrap();
    let printed = fs::read_to_string(&errors).unwrap();
    assert!(printed.contains(" WARN ") && printed.contains("cannot start the process"), "{printed}");
    assert!(!printed.contains(" INFO ") && !printed.contains("DEBUG"), "{printed}");
}

#[test]
fn invalid_filter_is_refused() {
    let project = TestProject::create_with_server("");
    let mut command = project.command(&["serve"]);
    let output = command.env("JANGDAN_LOG", "server=loud").output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && text.contains("JANGDAN_LOG is invalid"), "{text}");
}
