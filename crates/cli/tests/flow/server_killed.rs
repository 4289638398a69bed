//! A killed server loses nothing: its agents keep working, and `jangdan resume` completes the run.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
};

use domain::{Event, Sequence, events};
use runtime::Host;
use sessions::{SessionState, Sessions};
use tempfile::TempDir;
use views::{QuestionState, RunState};

use crate::processes::wait_until;

const JANGDAN: &str = env!("CARGO_BIN_EXE_jangdan");

const PLAN: &str = "\
# A shop

## Phase 1: All

### T1.1: First
- **Verify**: echo checked; test -s T1.1.txt

### T1.2: Second
- **Verify**: test -s T1.2.txt

### T1.3: Third
- **Dependencies**: T1.1, T1.2
";

/// The first task asks; each writes a file, and takes long enough to be running when the server is killed.
const SCRIPT: &str = r#"
read -r task
echo start >> "$BARRIER/starts-$JANGDAN_TASK"
if [ "$JANGDAN_TASK" = T1.1 ]; then
    printf '[ASK_USER]\nquestion: Which colour?\n[/ASK_USER]\n'
    read -r answer
    printf '%s\n' "$answer" >> answer.json
fi
sleep 0.1
echo "$JANGDAN_TASK" > "$JANGDAN_TASK.txt"
echo "DONE:$JANGDAN_TASK:it is there"
"#;

/// Runs a plan whose server is killed after each of these numbers of events, and checks the result.
fn check_run_with_kills(n_lines: &[usize]) {
    let stage = KilledServerFixture::new();
    let mut watcher = stage.start_watching(&["run", "TASKS.md", "--json"]);
    for n_lines in n_lines {
        watcher.wait_for_lines(&stage, *n_lines);
        watcher.kill();
        watcher = stage.start_watching(&["resume", "--json"]);
    }
    stage.answer();
    watcher.wait_for_success();
    stage.check_result();
}

#[test]
fn run_completes_if_killed_right_after_the_start() {
    check_run_with_kills(&[1]);
}

#[test]
fn run_completes_if_killed_while_agents_start() {
    check_run_with_kills(&[12]);
}

#[test]
fn run_completes_if_killed_while_agents_work() {
    check_run_with_kills(&[30]);
}

#[test]
fn run_completes_if_killed_repeatedly() {
    check_run_with_kills(&[5, 8, 3, 13]);
}

#[test]
fn run_completes_if_killed_while_a_question_is_open() {
    let stage = KilledServerFixture::new();
    let mut watcher = stage.start_watching(&["run", "TASKS.md", "--json"]);
    watcher.wait_for_text("Which colour?");
    watcher.kill();
    let mut watcher = stage.start_watching(&["resume", "--json"]);
    stage.answer();
    watcher.wait_for_success();
    stage.check_result();
}

#[test]
fn run_completes_if_killed_after_the_answer() {
    let stage = KilledServerFixture::new();
    let mut watcher = stage.start_watching(&["run", "TASKS.md", "--json"]);
    stage.answer();
    watcher.kill();
    let mut watcher = stage.start_watching(&["resume", "--json"]);
    // If the run had ended before the kill, there is nothing to resume.
    watcher.wait_for_exit();
    stage.check_result();
}

/// A project with a plan, and agents that are shell scripts.
struct KilledServerFixture {
    folder: TempDir,
}

/// A process that watches the run, and its output.
struct Watcher {
    child: Child,
    lines: Receiver<String>,
    errors: PathBuf,
}

impl Watcher {
    /// Waits for a number of lines, or until the run waits for its answer.
    fn wait_for_lines(&self, stage: &KilledServerFixture, n_lines: usize) {
        let mut n_seen = 0;
        wait_until("the events are printed", || {
            n_seen += self.lines.try_iter().take(n_lines - n_seen).count();
            n_seen == n_lines || stage.is_question_open()
        });
    }

    fn wait_for_text(&self, part: &str) {
        let is_printed = self.lines.iter().any(|line| line.contains(part));
        assert!(is_printed, "it ended before {part}: {}", self.errors());
    }

    /// Reads the output to its end, and returns the exit status.
    fn wait_for_exit(&mut self) -> ExitStatus {
        // The process blocks if its output is not read.
        self.lines.iter().for_each(drop);
        self.child.wait().unwrap()
    }

    fn wait_for_success(&mut self) {
        assert!(self.wait_for_exit().success(), "{}", self.errors());
    }

    fn errors(&self) -> String {
        fs::read_to_string(&self.errors).unwrap()
    }

    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl KilledServerFixture {
    fn new() -> Self {
        let stage = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(stage.project()).unwrap();
        fs::create_dir(stage.barrier()).unwrap();
        let script = stage.folder.path().join("worker.sh");
        fs::write(&script, SCRIPT).unwrap();
        let config = format!(
            "sandbox.mode = 'off'\n[orchestration]\ngate_approval = 'automatic'\n[team]\nworker = 'worker'\n[agents.worker]\nextends = 'shell'\n\
             arguments = ['{}']\nquiet_ms = 400\nenvironment = {{ BARRIER = '{}' }}\n",
            script.display(),
            stage.barrier().display()
        );
        fs::write(stage.project().join("jangdan.toml"), config).unwrap();
        fs::write(stage.project().join("TASKS.md"), PLAN).unwrap();
        stage.git(&["init", "--quiet", "--initial-branch=main"]);
        stage.git(&["add", "."]);
        stage.git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "begin"]);
        stage
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    fn barrier(&self) -> PathBuf {
        self.folder.path().join("barrier")
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn jangdan(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(JANGDAN);
        command.args(arguments).current_dir(self.project()).stdin(Stdio::null());
        command.env("JANGDAN_DATA", self.data()).env("HOME", self.folder.path());
        command
    }

    fn start_watching(&self, arguments: &[&str]) -> Watcher {
        let errors = self.folder.path().join("errors");
        let mut command = self.jangdan(arguments);
        command.stdout(Stdio::piped()).stderr(File::create(&errors).unwrap());
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Watcher { child, lines, errors }
    }

    /// Tells whether the question is open.
    fn is_question_open(&self) -> bool {
        let pending = self.jangdan(&["inbox"]).output().unwrap();
        pending.status.success() && String::from_utf8_lossy(&pending.stdout).contains("Which colour?")
    }

    /// Answers the question as soon as it is open.
    fn answer(&self) {
        wait_until("the question is answered", || {
            let answer = self.jangdan(&["answer", "q_1", "blue"]).output().unwrap();
            answer.status.success()
        });
    }

    /// Checks the result of the run: everything happened once, and no session is left.
    fn check_result(&self) {
        let host = Host::open(&self.data()).unwrap();
        let row = host.list_runs().unwrap().remove(0);
        let errors = fs::read_to_string(self.folder.path().join("errors")).unwrap();
        assert_eq!(row.status, RunState::Done, "{errors}");
        let rows = host.run_snapshot(&row.id).unwrap().views.rows().clone();
        let question = rows.questions.iter().next().unwrap();
        assert_eq!((rows.questions.len(), question.status), (1, QuestionState::Resumed));
        let attempts: Vec<(String, u32)> =
            rows.attempts.iter().map(|row| (row.task.to_string(), row.number)).collect();
        assert_eq!(
            attempts,
            ["T1.1", "T1.2", "T1.3"].map(|task| (task.to_owned(), 1)),
            "{:?}",
            rows.attempts.iter().filter_map(|row| row.failure.as_ref()).collect::<Vec<_>>()
        );
        for task in ["T1.1", "T1.2", "T1.3"] {
            assert_eq!(fs::read_to_string(self.barrier().join(format!("starts-{task}"))).unwrap(), "start\n");
        }
        assert_eq!(rows.receipts.iter().filter(|row| row.passed).count(), rows.receipts.len());
        check_unique(
            &host
                .log()
                .read(&row.id, Sequence(0), 100_000)
                .unwrap()
                .iter()
                .map(|entry| entry.to_recorded_event().unwrap().event)
                .collect::<Vec<_>>(),
        );
        host.stop(runtime::ShutdownMode::KeepSessions);
        let branch = format!("jangdan/{}/run", row.id);
        let files = self.git(&["ls-tree", "-r", "--name-only", &branch]);
        assert_eq!(files, "T1.1.txt\nT1.2.txt\nT1.3.txt\nTASKS.md\nanswer.json\njangdan.toml\n");
        assert_eq!(self.git(&["show", &format!("{branch}:answer.json")]).lines().count(), 1);
        assert_eq!(self.git(&["log", "--format=%s", "--merges", &branch]).lines().count(), 3);
        let sessions = Sessions::open(&self.data()).unwrap();
        let is_alive =
            |state: &SessionState| matches!(state, SessionState::Alive(_) | SessionState::Starting);
        wait_until("no session is left", || {
            !sessions.list().unwrap().iter().any(|found| is_alive(&found.state))
        });
    }

    fn git(&self, arguments: &[&str]) -> String {
        git(&self.project(), arguments)
    }
}

/// Checks that events that must be unique are.
fn check_unique(events: &[Event]) {
    let mut seen = BTreeSet::new();
    for event in events {
        let name = match event {
            Event::MessageReceived(events::MessageReceived { session, offset: heard, .. }) => {
                format!("heard {session} {heard:?}")
            }
            Event::InputSent(events::InputSent { session, input, .. }) => format!("typed {session} {input}"),
            Event::TaskDone(events::TaskDone { task, .. }) => format!("done {task}"),
            Event::MergeFinished(events::MergeFinished { task, .. }) => format!("merged {task}"),
            Event::CheckFinished(events::CheckFinished { task, .. }) => format!("checked {task}"),
            Event::QuestionAnswered(events::QuestionAnswered { question, .. }) => {
                format!("answered {question}")
            }
            Event::QuestionDelivered(events::QuestionDelivered { question, .. }) => {
                format!("delivered {question}")
            }
            Event::EffectFinished(events::EffectFinished { effect, .. }) => format!("effect {effect:?}"),
            _ => continue,
        };
        assert!(seen.insert(name.clone()), "twice: {name}");
    }
    assert!(seen.contains("merged T1.3"), "{seen:?}");
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git").arg("-C").arg(folder).args(arguments).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
