//! What came of a run: its log, the files on the branch, what the models heard, and whether anybody was left behind.

use std::{
    fs,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::{
    Course,
    hands::{ANSWER, HANDS, Hand, QUESTION},
    project::Project,
};

/// How long processes may take to be gone when a run has ended.
const LEAVING_MAX: Duration = Duration::from_secs(10);

/// The log of a run.
#[derive(Debug, Default)]
pub struct Log(Vec<Value>);

impl Log {
    /// Reads it as it is now.
    pub fn read(project: &Project) -> Result<Self> {
        let text = project.jangdan(&["log", &project.run()?, "--json"])?;
        let events = text.lines().map(serde_json::from_str::<Value>);
        Ok(Self(
            events
                .map(|event| Ok(event?.get("event").cloned().unwrap_or_default()))
                .collect::<Result<_>>()?,
        ))
    }

    /// Returns all events of a kind.
    pub fn of<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Value> {
        self.0.iter().filter(move |event| text(event, "type") == kind)
    }

    /// Returns all events of a kind that name a session, a task or a question.
    pub fn about<'a>(&'a self, kind: &'a str, name: &'a str) -> impl Iterator<Item = &'a Value> {
        let names = ["session", "task", "question"];
        self.of(kind).filter(move |event| names.iter().any(|field| text(event, field) == name))
    }

    /// Returns the sessions of an agent.
    pub fn sessions_of<'a>(&'a self, agent: &'a str) -> impl Iterator<Item = &'a str> {
        self.of("SessionOpened")
            .filter(move |event| text(event, "agent") == agent)
            .map(|event| text(event, "session"))
    }

    /// Returns the questions that wait for the person now, with the answers.
    pub fn to_answer(&self, course: Course) -> Vec<(String, &'static str)> {
        let waits = |event: &&Value| {
            let is_answered = self.about("QuestionAnswered", text(event, "question")).next().is_some();
            !is_answered && (course != Course::Parked || self.is_late(event))
        };
        let answer = |event: &Value| match text(event, "kind") {
            "permission" => (text(event, "question").to_owned(), "allow"),
            _ => (text(event, "question").to_owned(), ANSWER),
        };
        self.of("QuestionAsked").filter(waits).map(answer).collect()
    }

    /// Tells whether whoever asked has ended meanwhile. A permission that is asked for again is given at once.
    fn is_late(&self, question: &Value) -> bool {
        let session = text(question, "session");
        let is_again = self
            .about("QuestionAsked", session)
            .take_while(|event| *event != question)
            .any(|event| text(event, "kind") == "permission");
        let moves = ["SessionParked", "SessionWoken"];
        let is_move =
            |event: &&Value| moves.contains(&text(event, "type")) && text(event, "session") == session;
        is_again || self.0.iter().rfind(is_move).is_some_and(|event| text(event, "mode") == "cold")
    }

    /// Looks whether everything is in it, once.
    pub fn judge(&self, course: Course) -> Result<()> {
        let end = self.of("RunEnded").last().context("it has not ended")?;
        ensure!(text(end, "outcome") == "done", "it ended so: {end}");
        for kind in [
            "AttemptFailed",
            "SessionLost",
            "EscalationRaised",
            "MessageRefused",
            "NearMissHeard",
            "ErrorReported",
        ] {
            ensure!(self.of(kind).next().is_none(), "something went wrong: {:?}", self.of(kind).next());
        }
        HANDS.iter().try_for_each(|hand| self.judge_hand(hand, course).with_context(|| hand.agent))
    }

    fn judge_hand(&self, hand: &Hand, course: Course) -> Result<()> {
        for kind in ["TaskStarted", "CheckFinished", "MergeFinished", "TaskDone"] {
            let n = self.about(kind, hand.task).count();
            ensure!(n == 1, "{kind} is in the log {n} times");
        }
        let started = self.about("TaskStarted", hand.task).next().context("it never started")?;
        ensure!(text(started, "agent") == hand.agent, "another one did it: {started}");
        let session = text(started, "session");
        let used = self.about("UsageReported", session).filter(|event| n_tokens(event) > 0).count();
        ensure!(used > 0, "it used nothing");
        let questions: Vec<&Value> = self.about("QuestionAsked", session).collect();
        let asked = questions.iter().filter(|event| text(event, "kind") != "permission").count();
        ensure!(asked == usize::from(hand.asks(course)), "it asked {asked} questions");
        let permissions = questions.len() - asked;
        ensure!(permissions == hand.n_permissions(course), "it asked for {permissions} permissions");
        for question in questions.iter().map(|event| text(event, "question")) {
            for kind in ["QuestionAnswered", "QuestionDelivered", "QuestionResumed"] {
                let n = self.about(kind, question).count();
                ensure!(n == 1, "{kind} of {question} is in the log {n} times");
            }
        }
        self.judge_sessions(hand, session, course)
    }

    fn judge_sessions(&self, hand: &Hand, session: &str, course: Course) -> Result<()> {
        let own: Vec<&str> =
            self.about("SessionActivated", session).map(|event| text(event, "agentSession")).collect();
        ensure!(own.iter().all(|id| !id.is_empty()), "it has not said its session's id: {own:?}");
        let n_cold =
            self.about("SessionParked", session).filter(|event| text(event, "mode") == "cold").count();
        // It may be put there once more while its work is merged.
        ensure!((n_cold > 0) == (course == Course::Parked), "it was put into the cold {n_cold} times");
        let is_same = own.iter().all(|id| own.first() == Some(id));
        ensure!(is_same || !hand.resumes, "it came back as another: {own:?}");
        Ok(())
    }
}

/// Lands the run, and looks at the checkout.
pub fn landed(project: &Project) -> Result<()> {
    project.jangdan(&["land", &project.run()?])?;
    for hand in &HANDS {
        let path = project.repository.join(hand.file());
        let found = fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
        ensure!(found == hand.text(), "{} has {found:?}", hand.file());
    }
    let status = project.git(&["status", "--porcelain"])?;
    ensure!(status.is_empty(), "the checkout is not clean:\n{status}");
    project.git(&["fsck", "--no-dangling"])?;
    Ok(())
}

/// Looks whether the models were asked what they were to be asked, and nothing else.
pub fn model_was_heard(course: Course, project: &Project) -> Result<()> {
    for hand in &HANDS {
        let recorded = project.model(hand.agent)?.recorded();
        let requests: Vec<_> = recorded.iter().filter(|request| !request.is_aside).collect();
        let n_turns = hand.turns(course).len();
        ensure!(
            requests.len() == n_turns,
            "{} asked its model {} times, not {n_turns}",
            hand.agent,
            requests.len()
        );
        if !hand.asks(course) {
            continue;
        }
        let told = requests.get(1).context("it was told the answer")?;
        ensure!(told.words.contains(ANSWER), "{} was not told the answer, but {}", hand.agent, told.words);
        // What it knew before: its own memory, or what it was told again.
        for part in [QUESTION, &hand.file()] {
            ensure!(told.body.to_string().contains(part), "{} has forgotten {part:?}", hand.agent);
        }
    }
    Ok(())
}

/// Waits until all processes are gone that know a folder by their environment or command line.
pub fn nobody_left(folder: &Path) -> Result<()> {
    let deadline = Instant::now() + LEAVING_MAX;
    loop {
        let left = processes_of(folder);
        if left.is_empty() {
            return Ok(());
        }
        if Instant::now() >= deadline {
            bail!("processes were left behind:\n{}", left.join("\n"));
        }
        thread::sleep(Duration::from_millis(50));
    }
}

fn processes_of(folder: &Path) -> Vec<String> {
    let name = folder.as_os_str().as_encoded_bytes();
    let own = std::process::id().to_string();
    let read = |pid: &str, file: &str| fs::read(Path::new("/proc").join(pid).join(file)).unwrap_or_default();
    let knows = |pid: &str| {
        ["environ", "cmdline"].iter().any(|file| read(pid, file).windows(name.len()).any(|part| part == name))
    };
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().into_string().ok());
    pids.filter(|pid| pid.bytes().all(|byte| byte.is_ascii_digit()) && *pid != own && knows(pid))
        .map(|pid| format!("{pid} {}", String::from_utf8_lossy(&read(&pid, "cmdline")).replace('\0', " ")))
        .collect()
}

fn text<'a>(event: &'a Value, name: &str) -> &'a str {
    event.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn n_tokens(event: &Value) -> u64 {
    let n = |name: &str| event.pointer(name).and_then(Value::as_u64).unwrap_or_default();
    n("/usage/inputTokens") + n("/usage/outputTokens")
}
