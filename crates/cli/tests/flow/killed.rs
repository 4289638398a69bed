//! A server that is killed costs nothing: its agents work on, and `jangdan resume` ends the run as if nothing had been.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
};

use domain::{Event, Sequence};
use runtime::Host;
use sessions::{Sessions, State};
use tempfile::TempDir;
use views::{QuestionState, RunState};

use crate::processes::until;

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

/// The first task asks; each makes a file, and takes long enough to be met at its work.
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
echo "DONE:$JANGDAN_TASK"
"#;

/// Where the server is killed: behind so many lines of news, or where there are no more of them.
fn check(n_lines: &[usize]) {
    let stage = Stage::new();
    let mut watched = stage.watch(&["run", "TASKS.md", "--json"]);
    for n_lines in n_lines {
        watched.see(&stage, *n_lines);
        watched.kill();
        watched = stage.watch(&["resume", "--json"]);
    }
    stage.answer();
    watched.end_well();
    stage.judge();
}

#[test]
fn killed_when_it_has_just_begun() {
    check(&[1]);
}

#[test]
fn killed_while_agents_start() {
    check(&[12]);
}

#[test]
fn killed_while_agents_work() {
    check(&[30]);
}

#[test]
fn killed_again_and_again() {
    check(&[5, 8, 3, 13]);
}

#[test]
fn killed_while_a_question_waits() {
    let stage = Stage::new();
    let mut watched = stage.watch(&["run", "TASKS.md", "--json"]);
    watched.see_until("Which colour?");
    watched.kill();
    let mut watched = stage.watch(&["resume", "--json"]);
    stage.answer();
    watched.end_well();
    stage.judge();
}

#[test]
fn killed_when_it_was_answered() {
    let stage = Stage::new();
    let mut watched = stage.watch(&["run", "TASKS.md", "--json"]);
    stage.answer();
    watched.kill();
    let mut watched = stage.watch(&["resume", "--json"]);
    // Where the kill came too late there was nothing left to go on with.
    watched.end();
    stage.judge();
}

struct Stage {
    folder: TempDir,
}

struct Watched {
    child: Child,
    lines: Receiver<String>,
    said: PathBuf,
}

impl Watched {
    /// Sees so many lines; fewer where the run waits for its answer.
    fn see(&self, stage: &Stage, n_lines: usize) {
        let mut n_seen = 0;
        until("there is as much news as that", || {
            n_seen += self.lines.try_iter().take(n_lines - n_seen).count();
            n_seen == n_lines || stage.waits()
        });
    }

    fn see_until(&self, part: &str) {
        let is_there = self.lines.iter().any(|line| line.contains(part));
        assert!(is_there, "it ended before {part}: {}", self.said());
    }

    /// Sees all of it, and tells how it ended.
    fn end(&mut self) -> ExitStatus {
        // Nobody goes on who can't say it.
        self.lines.iter().for_each(drop);
        self.child.wait().unwrap()
    }

    fn end_well(&mut self) {
        assert!(self.end().success(), "{}", self.said());
    }

    fn said(&self) -> String {
        fs::read_to_string(&self.said).unwrap()
    }

    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Stage {
    fn new() -> Self {
        let stage = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(stage.project()).unwrap();
        fs::create_dir(stage.barrier()).unwrap();
        let script = stage.folder.path().join("worker.sh");
        fs::write(&script, SCRIPT).unwrap();
        let config = format!(
            "[orchestration]\ngate_approval = 'automatic'\n[team]\nworker = 'worker'\n[agents.worker]\nextends = 'shell'\n\
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

    fn watch(&self, arguments: &[&str]) -> Watched {
        let said = self.folder.path().join("said");
        let mut command = self.jangdan(arguments);
        command.stdout(Stdio::piped()).stderr(File::create(&said).unwrap());
        let mut child = command.spawn().unwrap();
        let news = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || news.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Watched { child, lines, said }
    }

    /// Tells whether nothing happens any more until the question is answered.
    fn waits(&self) -> bool {
        let pending = self.jangdan(&["inbox"]).output().unwrap();
        pending.status.success() && String::from_utf8_lossy(&pending.stdout).contains("Which colour?")
    }

    /// Answers the question as soon as it can be.
    fn answer(&self) {
        until("the question is answered", || {
            let answer = self.jangdan(&["answer", "q_1", "blue"]).output().unwrap();
            answer.status.success()
        });
    }

    /// Looks at what a run left: all of it once, and nothing that lives.
    fn judge(&self) {
        let host = Host::open(&self.data()).unwrap();
        let row = host.list().unwrap().remove(0);
        let said = fs::read_to_string(self.folder.path().join("said")).unwrap();
        assert_eq!(row.status, RunState::Done, "{said}");
        let rows = host.rows(&row.id).unwrap().views.rows().clone();
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
        once(
            &host
                .log()
                .read(&row.id, Sequence(0), 100_000)
                .unwrap()
                .iter()
                .map(|entry| entry.recorded().unwrap().event)
                .collect::<Vec<_>>(),
        );
        host.stop(runtime::AfterStop::LeaveWorking);
        let branch = format!("jangdan/{}/run", row.id);
        let files = self.git(&["ls-tree", "-r", "--name-only", &branch]);
        assert_eq!(files, "T1.1.txt\nT1.2.txt\nT1.3.txt\nTASKS.md\nanswer.json\njangdan.toml\n");
        assert_eq!(self.git(&["show", &format!("{branch}:answer.json")]).lines().count(), 1);
        assert_eq!(self.git(&["log", "--format=%s", "--merges", &branch]).lines().count(), 3);
        let sessions = Sessions::open(&self.data()).unwrap();
        let is_left = |state: &State| matches!(state, State::Alive(_) | State::Starting);
        until("no session is left", || !sessions.list().unwrap().iter().any(|found| is_left(&found.state)));
    }

    fn git(&self, arguments: &[&str]) -> String {
        git(&self.project(), arguments)
    }
}

/// Looks for what must be in the log once.
fn once(events: &[Event]) {
    let mut seen = BTreeSet::new();
    for event in events {
        let name = match event {
            Event::MessageReceived { session, offset: heard, .. } => format!("heard {session} {heard:?}"),
            Event::InputSent { session, input } => format!("typed {session} {input}"),
            Event::TaskDone { task, .. } => format!("done {task}"),
            Event::MergeFinished { task, .. } => format!("merged {task}"),
            Event::CheckFinished { task, .. } => format!("checked {task}"),
            Event::QuestionAnswered { question, .. } => format!("answered {question}"),
            Event::QuestionDelivered { question, .. } => format!("delivered {question}"),
            Event::EffectFinished { effect, .. } => format!("effect {effect:?}"),
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
