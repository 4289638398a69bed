//! Damage to a data directory: each kind is healed, or reported with its cause and what the user can do.
//!
//! Every case has a run that has ended and one whose agent waits for an answer. After the damage no task has two agents.

use std::{
    fs::{self, File, OpenOptions},
    io::{BufRead, BufReader, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use domain::{GateApproval, RunId, RunSettings, UserCommand};
use server::Client;

use crate::test_project::{TestProject, one_phase_plan, read_until_serving};

/// The first agent of a run that begins after `asks` exists asks; the others are done at once.
const SCRIPT: &str = r#"
read -r task
echo "$$" >> "$FOLDER/pids-$JANGDAN_RUN"
if [ -e "$FOLDER/asks" ] && [ ! -e "$FOLDER/asked-$JANGDAN_RUN" ]; then
    echo > "$FOLDER/asked-$JANGDAN_RUN"
    printf '[ASK_USER]\nquestion: Which colour?\n[/ASK_USER]\n'
    read -r answer
fi
echo "DONE:$JANGDAN_TASK:nothing to change"
"#;

/// What a start of the server after the damage shows.
enum Outcome {
    /// Both runs are as before: the question can be answered, and the run ends.
    Healed,
    /// The named run is listed as damaged, with this part of its cause; the other one is not.
    Listed(SampleRun, &'static str),
    /// Both runs are listed as damaged, with this part of the cause.
    BothListed(&'static str),
    /// Neither is damaged, and the agent of the active run is ended before another one replaces it.
    AgentReplaced,
    /// The server ends with status 1 and says this.
    ServerEnds(&'static str),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SampleRun {
    Ended,
    Active,
}

struct DamageCase {
    name: &'static str,
    damage: fn(&Stage),
    outcome: Outcome,
}

struct Stage {
    project: TestProject,
    ended: RunId,
    active: RunId,
}

impl Stage {
    /// Creates both runs and kills the server.
    fn new() -> Self {
        let project = TestProject::create_with_server(SCRIPT);
        let settings = || RunSettings { gate_approval: GateApproval::Automatic, ..RunSettings::default() };
        let ended = project.start_run(one_phase_plan(&["T1"]), settings());
        wait_until("the first run has ended", || is_in_state(&project, &ended, "done"));
        fs::write(project.temp_path("asks"), "").unwrap();
        let active = project.start_run(one_phase_plan(&["T1"]), settings());
        wait_until("the agent asks", || project.run_jangdan(&["inbox"]).1.contains("Which colour?"));
        // Rows and the number of the last event are saved within a second.
        let noted = project.data().join("runs").join(active.as_str()).join("last-event");
        let last = || project.client().rows(&active, &[views::RowKind::Run]).unwrap().sequence.0.to_string();
        wait_until("the last event is noted", || fs::read_to_string(&noted).is_ok_and(|text| text == last()));
        Self { project, ended, active }
    }

    fn data(&self, path: &str) -> PathBuf {
        self.project.data().join(path)
    }

    fn run_folder(&self, which: SampleRun) -> PathBuf {
        self.project.data().join("runs").join(self.run(which).as_str())
    }

    fn session_folder(&self) -> PathBuf {
        self.data("sessions").join(format!("{}-{}-1", self.active, self.session_of_worker()))
    }

    fn session_of_worker(&self) -> String {
        let names = fs::read_dir(self.data("sessions")).unwrap().map(|entry| entry.unwrap().file_name());
        let prefix = format!("{}-", self.active);
        let names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        let name = names.iter().find(|name| name.starts_with(&prefix)).unwrap();
        name.split('-').nth(1).unwrap().to_owned()
    }

    fn run(&self, which: SampleRun) -> &RunId {
        match which {
            SampleRun::Ended => &self.ended,
            SampleRun::Active => &self.active,
        }
    }

    fn sql(&self, statement: &str) {
        let connection = rusqlite::Connection::open(self.data("log.sqlite3")).unwrap();
        let id = |run: &RunId| format!("(SELECT id FROM run WHERE name = '{run}')");
        let statement = statement.replace("ENDED", &id(&self.ended)).replace("ACTIVE", &id(&self.active));
        connection.execute_batch(&statement).unwrap();
    }

    /// Moves everything into the main file of the log, as a checkpoint does.
    fn checkpoint_log(&self) {
        self.sql("PRAGMA wal_checkpoint(TRUNCATE)");
    }

    /// Returns the agents of the active run that are alive.
    fn alive_agents(&self) -> Vec<String> {
        let path = self.project.temp_path(format!("pids-{}", self.active));
        let pids = fs::read_to_string(path).unwrap_or_default();
        pids.lines().filter(|pid| is_running(pid)).map(str::to_owned).collect()
    }
}

/// A killed process stays a zombie until its parent waits for it.
fn is_running(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

fn is_in_state(project: &TestProject, run: &RunId, state: &str) -> bool {
    let row: serde_json::Value = project.client().get(&format!("/api/runs/{run}")).unwrap();
    row["status"] == state
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < deadline, "not in time: {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

fn overwrite(path: &Path, at: u64, bytes: &[u8]) {
    let mut file = OpenOptions::new().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(at)).unwrap();
    file.write_all(bytes).unwrap();
}

fn truncate(path: &Path, divisor: u64) {
    let length = fs::metadata(path).unwrap().len();
    OpenOptions::new().write(true).open(path).unwrap().set_len(length / divisor).unwrap();
}

fn check(cases: &[DamageCase]) {
    for case in cases {
        check_case(case);
    }
}

fn check_case(DamageCase { name, damage, outcome }: &DamageCase) {
    let mut stage = Stage::new();
    let agents = stage.alive_agents();
    assert_eq!(agents.len(), 1, "{name}");
    stage.project.kill_server();
    damage(&stage);
    let mut server = stage.project.command(&["serve"]).stderr(Stdio::piped()).spawn().unwrap();
    let mut output = BufReader::new(server.stderr.take().unwrap());
    let first = read_until_serving(&mut output);
    if let Outcome::ServerEnds(text) = outcome {
        let rest: Vec<String> = output.lines().map_while(Result::ok).collect();
        let said = first + &rest.join("\n");
        assert_eq!(server.wait().unwrap().code(), Some(1), "{name}: {said}");
        assert!(said.contains(text) && said.contains("hint:"), "{name}: {said}");
        end_agents(&agents);
        return;
    }
    assert!(first.contains("Serving"), "{name}: {first}");
    let drain = thread::spawn(move || output.lines().map_while(Result::ok).for_each(drop));
    let listed = stage.project.run_jangdan(&["runs"]).1;
    let (runs, damaged) = listed.split_once("Damaged runs").unwrap_or((&listed, ""));
    match outcome {
        Outcome::Healed => {
            assert_eq!(damaged, "", "{name}: {listed}");
            assert!(runs.contains(stage.ended.as_str()), "{name}: {listed}");
            answer_and_wait(&stage, name);
        }
        Outcome::AgentReplaced => {
            assert_eq!(damaged, "", "{name}: {listed}");
            wait_until(name, || !is_running(&agents[0]));
            answer_and_wait(&stage, name);
        }
        Outcome::Listed(which, cause) => {
            let other = if *which == SampleRun::Ended { SampleRun::Active } else { SampleRun::Ended };
            assert!(damaged.contains(stage.run(*which).as_str()), "{name}: {listed}");
            assert!(!damaged.contains(stage.run(other).as_str()), "{name}: {listed}");
            assert!(damaged.contains(cause), "{name}: {listed}");
            check_doctor(&stage, name, cause);
        }
        Outcome::BothListed(cause) => {
            for which in [SampleRun::Ended, SampleRun::Active] {
                assert!(damaged.contains(stage.run(which).as_str()), "{name}: {listed}");
            }
            assert!(damaged.contains(cause), "{name}: {listed}");
            check_doctor(&stage, name, cause);
        }
        Outcome::ServerEnds(_) => {}
    }
    assert!(stage.alive_agents().len() <= 1, "{name}: two agents work on one task");
    // Ended by its own process number, since damaged runs do not end their agents.
    end_agents(&stage.alive_agents());
    Client::connect(&stage.project.data())
        .unwrap()
        .unwrap()
        .stop_server(runtime::ShutdownMode::EndSessions)
        .unwrap();
    server.wait().unwrap();
    drain.join().unwrap();
}

/// Answers the question of the active run, and waits until the run has ended.
fn answer_and_wait(stage: &Stage, name: &str) {
    let command = UserCommand::Answer {
        question: None,
        task: Some("T1".parse().unwrap()),
        answer: "red".to_owned(),
        scope: domain::PermissionScope::Once,
        pattern: None,
        reason: None,
    };
    wait_until(name, || {
        // The next question may not be there yet.
        let _ = stage.project.client().send_command(&stage.active, "ana", &command);
        assert!(stage.alive_agents().len() <= 1, "{name}: two agents work on one task");
        is_in_state(&stage.project, &stage.active, "done")
    });
}

fn check_doctor(stage: &Stage, name: &str, cause: &str) {
    let (_, report) = stage.project.run_jangdan(&["doctor"]);
    assert!(report.contains(cause), "{name}: doctor says:\n{report}");
}

fn end_agents(pids: &[String]) {
    for pid in pids {
        let pid = rustix::process::Pid::from_raw(pid.parse().unwrap()).unwrap();
        // It may have ended by itself.
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
}

fn remove_log(stage: &Stage) {
    for name in ["log.sqlite3", "log.sqlite3-wal", "log.sqlite3-shm"] {
        // A log may have no side files.
        let _ = fs::remove_file(stage.data(name));
    }
}

#[test]
fn damage_of_the_log_file() {
    check(&[
        DamageCase {
            name: "the log is removed",
            damage: remove_log,
            outcome: Outcome::BothListed("has nothing of this run"),
        },
        DamageCase {
            name: "the log is empty",
            damage: |stage| {
                remove_log(stage);
                File::create(stage.data("log.sqlite3")).unwrap();
            },
            outcome: Outcome::BothListed("has nothing of this run"),
        },
        DamageCase {
            name: "the log is cut",
            damage: |stage| {
                stage.checkpoint_log();
                truncate(&stage.data("log.sqlite3"), 2);
            },
            outcome: Outcome::ServerEnds("damaged"),
        },
        DamageCase {
            name: "the log is another file",
            damage: |stage| {
                stage.checkpoint_log();
                overwrite(&stage.data("log.sqlite3"), 0, &[b'x'; 200]);
            },
            outcome: Outcome::ServerEnds("damaged"),
        },
        DamageCase {
            name: "the log is a folder",
            damage: |stage| {
                remove_log(stage);
                fs::create_dir(stage.data("log.sqlite3")).unwrap();
            },
            outcome: Outcome::ServerEnds("log.sqlite3"),
        },
        DamageCase {
            name: "the log belongs to another program",
            damage: |stage| {
                stage.sql("PRAGMA application_id = 77");
            },
            outcome: Outcome::ServerEnds("another program"),
        },
        DamageCase {
            name: "the log is of a newer version",
            damage: |stage| stage.sql("PRAGMA user_version = 9999"),
            outcome: Outcome::ServerEnds("9999"),
        },
    ]);
}

#[test]
fn damage_of_the_write_ahead_log() {
    check(&[
        DamageCase {
            name: "the write-ahead log is zeroed",
            damage: |stage| {
                let path = stage.data("log.sqlite3-wal");
                let length = usize::try_from(fs::metadata(&path).unwrap().len()).unwrap();
                overwrite(&path, 0, &vec![0; length]);
            },
            outcome: Outcome::BothListed("has nothing of this run"),
        },
        DamageCase {
            name: "the end of the write-ahead log is lost",
            damage: |stage| {
                let path = stage.data("log.sqlite3-wal");
                let length = fs::metadata(&path).unwrap().len();
                OpenOptions::new().write(true).open(path).unwrap().set_len(length - length / 10).unwrap();
            },
            outcome: Outcome::Listed(SampleRun::Active, "event"),
        },
        DamageCase {
            name: "the index of the write-ahead log is wrong",
            damage: |stage| overwrite(&stage.data("log.sqlite3-shm"), 0, &[0x55; 4096]),
            outcome: Outcome::Healed,
        },
    ]);
}

#[test]
fn damage_of_entries() {
    check(&[
        DamageCase {
            name: "all entries of a run are deleted",
            damage: |stage| stage.sql("PRAGMA foreign_keys = OFF; DELETE FROM entry WHERE run = ENDED"),
            outcome: Outcome::Listed(SampleRun::Ended, "event"),
        },
        DamageCase {
            name: "an entry is deleted",
            damage: |stage| stage.sql("DELETE FROM entry WHERE run = ACTIVE AND sequence = 3"),
            outcome: Outcome::Listed(SampleRun::Active, "cannot be read"),
        },
        DamageCase {
            name: "an entry is not JSON",
            damage: |stage| stage.sql("UPDATE entry SET payload = '{' WHERE run = ACTIVE AND sequence = 3"),
            outcome: Outcome::Listed(SampleRun::Active, "cannot be read"),
        },
        DamageCase {
            name: "an entry has an unknown type",
            damage: |stage| stage.sql("UPDATE entry SET kind = 'Dreamt' WHERE run = ACTIVE AND sequence = 3"),
            outcome: Outcome::Listed(SampleRun::Active, "cannot be read"),
        },
        DamageCase {
            name: "all rows are deleted",
            damage: |stage| stage.sql("DELETE FROM row; UPDATE run SET rows_sequence = 0"),
            outcome: Outcome::Healed,
        },
    ]);
}

#[test]
fn damage_of_the_folders_of_runs() {
    check(&[
        DamageCase {
            name: "the folder of a run is removed",
            damage: |stage| fs::remove_dir_all(stage.run_folder(SampleRun::Active)).unwrap(),
            outcome: Outcome::Listed(SampleRun::Active, "environment"),
        },
        DamageCase {
            name: "the folders of all runs are removed",
            damage: |stage| fs::remove_dir_all(stage.data("runs")).unwrap(),
            outcome: Outcome::BothListed("environment"),
        },
        DamageCase {
            name: "the environment of a run is empty",
            damage: |stage| {
                fs::write(stage.run_folder(SampleRun::Active).join("environment.json"), "").unwrap()
            },
            outcome: Outcome::Listed(SampleRun::Active, "environment"),
        },
        DamageCase {
            name: "the environment of a run is damaged",
            damage: |stage| truncate(&stage.run_folder(SampleRun::Ended).join("environment.json"), 2),
            outcome: Outcome::Listed(SampleRun::Ended, "environment"),
        },
        DamageCase {
            name: "the marker of an ended run is lost",
            damage: |stage| fs::remove_file(stage.run_folder(SampleRun::Ended).join("over")).unwrap(),
            outcome: Outcome::Healed,
        },
    ]);
}

#[test]
fn damage_of_sessions() {
    check(&[
        DamageCase {
            name: "the folder of all sessions is removed",
            damage: |stage| fs::remove_dir_all(stage.data("sessions")).unwrap(),
            outcome: Outcome::AgentReplaced,
        },
        DamageCase {
            name: "the folder of a session is removed",
            damage: |stage| fs::remove_dir_all(stage.session_folder()).unwrap(),
            outcome: Outcome::AgentReplaced,
        },
        DamageCase {
            name: "the description of a session is damaged",
            damage: |stage| truncate(&stage.session_folder().join("about.json"), 2),
            outcome: Outcome::AgentReplaced,
        },
        DamageCase {
            name: "the socket of a session is removed",
            damage: |stage| fs::remove_file(stage.session_folder().join("socket")).unwrap(),
            outcome: Outcome::AgentReplaced,
        },
        DamageCase {
            name: "the token of the server is empty",
            damage: |stage| fs::write(stage.data("token"), "").unwrap(),
            outcome: Outcome::Healed,
        },
        DamageCase {
            name: "the token of the server is removed",
            damage: |stage| fs::remove_file(stage.data("token")).unwrap(),
            outcome: Outcome::Healed,
        },
    ]);
}

/// Removes a part of the data directory of a running server, which must say so and end with status 1.
fn check_removal_while_running(path: &str) {
    let mut stage = Stage::new();
    stage.project.kill_server();
    let agents = stage.alive_agents();
    let mut server = stage.project.command(&["serve"]).stderr(Stdio::piped()).spawn().unwrap();
    let mut output = BufReader::new(server.stderr.take().unwrap());
    let first = read_until_serving(&mut output);
    assert!(first.contains("Serving"), "{first}");
    // Moved away: the server may still write into it, so that it could not be emptied.
    let aside = stage.project.temp_path("removed");
    fs::rename(stage.data(path), aside).unwrap();
    let rest: Vec<String> = output.lines().map_while(Result::ok).collect();
    assert_eq!(server.wait().unwrap().code(), Some(1), "{rest:?}");
    let said = rest.join("\n");
    assert!(said.contains("was removed or replaced") && said.contains("hint:"), "{path}: {said}");
    end_agents(&agents);
}

#[test]
fn a_server_whose_data_directory_is_removed_says_so() {
    for path in ["", "sessions", "runs", "log.sqlite3"] {
        check_removal_while_running(path);
    }
}
