//! What came of a run: the files on its branch, what was asked and answered, and whether anybody was left behind.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::disturb::processes_of;

/// How long processes may take to be gone when a run has ended.
const LEAVING_MAX: Duration = Duration::from_secs(10);

/// What came of a run. That of a disturbed one is the same as that of a quiet one.
#[derive(Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The files on the run's branch, with the hash of each.
    files: Vec<String>,
    /// The tasks, with how each ended.
    tasks: BTreeMap<String, String>,
    /// The run's branches, and the tasks that have a worktree.
    branches: Vec<String>,
    worktrees: BTreeSet<String>,
}

/// Returns the only run of a data directory.
pub fn run_of(data: &Path) -> Result<String> {
    let mut runs = fs::read_dir(data.join("runs"))?;
    let run = runs.next().context("there is no run")??;
    run.file_name().into_string().ok().context("a run's name is text")
}

/// Looks at a run that has ended.
pub fn judge(jangdan: &Path, folder: &Path) -> Result<Outcome> {
    let (data, shop) = (folder.join("demo/data"), folder.join("demo/app"));
    let run = run_of(&data)?;
    let text = output(Command::new(jangdan).args(["log", &run, "--json", "--data"]).arg(&data))?;
    let events: Vec<Value> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    in_order(&events)?;
    asked_once(&events)?;
    answered_once(&events)?;
    nobody_left(&data)?;
    git(&shop, &["fsck", "--no-dangling"])?;
    let status = git(&shop, &["status", "--porcelain"])?;
    ensure!(status.is_empty(), "the checkout is not clean:\n{status}");
    nothing_lost(&shop, &text)?;
    let names = format!("refs/heads/jangdan/{run}/");
    let branches = git(&shop, &["for-each-ref", "--format=%(refname)", &names])?;
    let branches = branches.lines().filter_map(|name| name.strip_prefix(&names)).map(str::to_owned).collect();
    let listed = git(&shop, &["ls-tree", "-r", &format!("jangdan/{run}/run")])?;
    Ok(Outcome {
        files: listed.lines().map(str::to_owned).collect(),
        tasks: tasks(&events),
        branches,
        worktrees: worktrees(&shop, &run)?,
    })
}

/// Every commit that the log names can be reached from a branch or something that is kept.
fn nothing_lost(shop: &Path, log: &str) -> Result<()> {
    let reachable = git(shop, &["rev-list", "--all"])?;
    let reachable: BTreeSet<&str> = reachable.lines().collect();
    let named = log.split("\"commit\":\"").skip(1).filter_map(|rest| rest.split('"').next());
    for commit in named.filter(|commit| commit.len() == 40) {
        ensure!(reachable.contains(commit), "{commit} is named by the log, and nothing keeps it");
    }
    Ok(())
}

/// Returns the tasks that have a worktree. Each is whole, and where git says that it is.
fn worktrees(shop: &Path, run: &str) -> Result<BTreeSet<String>> {
    let listed = git(shop, &["worktree", "list", "--porcelain"])?;
    let mut tasks = BTreeSet::new();
    for block in listed.split("\n\n") {
        let Some(path) = block.lines().find_map(|line| line.strip_prefix("worktree ")) else { continue };
        ensure!(!block.contains("\nprunable"), "git knows a worktree that is not there:\n{block}");
        git(Path::new(path), &["rev-parse", "--verify", "HEAD"])?;
        let name = Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or_default();
        // Those who work at no task come and go with their sessions.
        let task = name.strip_prefix(run).and_then(|name| name.strip_prefix('-'));
        tasks.extend(task.filter(|task| task.starts_with('T')).map(str::to_owned));
    }
    Ok(tasks)
}

fn in_order(events: &[Value]) -> Result<()> {
    for (number, event) in (1..).zip(events) {
        let sequence = event.get("sequence").and_then(Value::as_u64);
        ensure!(sequence == Some(number), "event {number} is numbered {sequence:?}");
    }
    Ok(())
}

/// What an agent asks within its turn is asked once, however often its output is read.
fn asked_once(events: &[Value]) -> Result<()> {
    let mut asked: BTreeSet<(&str, &str)> = BTreeSet::new();
    for event in events {
        let Some(session) = field(event, "session").and_then(Value::as_str) else { continue };
        match kind(event) {
            "QuestionAsked" => {
                if let Some(prompt) = field(event, "prompt").and_then(Value::as_str) {
                    ensure!(asked.insert((session, prompt)), "{session} asked twice with {prompt}");
                }
            }
            // Another turn may count anew.
            "TurnEnded" => asked.retain(|(other, _)| *other != session),
            _ => {}
        }
    }
    Ok(())
}

/// Every question that was asked has one answer, or nobody needs it any more.
fn answered_once(events: &[Value]) -> Result<()> {
    let of = |wanted: &'static [&'static str]| {
        let events = events.iter().filter(move |event| wanted.contains(&kind(event)));
        events.filter_map(|event| field(event, "question").and_then(Value::as_str))
    };
    let mut answers: BTreeMap<&str, u32> = BTreeMap::new();
    for question in of(&["QuestionAnswered"]) {
        *answers.entry(question).or_default() += 1;
    }
    let given_up: BTreeSet<&str> = of(&["QuestionWithdrawn", "QuestionExpired"]).collect();
    for question in of(&["QuestionAsked"]) {
        let n_answers = answers.get(question).copied().unwrap_or(0);
        let is_settled = n_answers == 1 || n_answers == 0 && given_up.contains(question);
        ensure!(is_settled, "{question} was answered {n_answers} times");
    }
    Ok(())
}

fn nobody_left(data: &Path) -> Result<()> {
    let deadline = Instant::now() + LEAVING_MAX;
    loop {
        let left = processes_of(data);
        if left.is_empty() {
            return Ok(());
        }
        if Instant::now() >= deadline {
            let names: Vec<String> = left
                .iter()
                .map(|pid| {
                    let line = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
                    format!("{pid} {}", line.replace('\0', " "))
                })
                .collect();
            anyhow::bail!("processes were left behind:\n{}", names.join("\n"));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Returns how each task ended: the last word about it.
fn tasks(events: &[Value]) -> BTreeMap<String, String> {
    let mut tasks = BTreeMap::new();
    for event in events {
        let word = kind(event);
        if matches!(word, "TaskDone" | "TaskFailed" | "TaskSkipped" | "TaskCancelled")
            && let Some(task) = field(event, "task").and_then(Value::as_str)
        {
            tasks.insert(task.to_owned(), word.to_owned());
        }
    }
    tasks
}

fn kind(event: &Value) -> &str {
    event.pointer("/event/type").or_else(|| event.get("kind")).and_then(Value::as_str).unwrap_or_default()
}

fn field<'a>(event: &'a Value, name: &str) -> Option<&'a Value> {
    event.get("event").and_then(|event| event.get(name)).or_else(|| event.get(name))
}

fn git(folder: &Path, arguments: &[&str]) -> Result<String> {
    output(Command::new("git").arg("-C").arg(folder).args(arguments))
}

fn output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("start {command:?}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?} ended with {}: {said}", output.status);
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
