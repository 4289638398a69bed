//! The result of a run: the files on its branch, its questions and answers, and no process left behind.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::disturb::processes_of_data_directory;

/// Time limit for processes to end after their run.
const PROCESS_END_MAX: Duration = Duration::from_secs(10);

/// The result of a run, which must not depend on disturbances.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    /// The files on the run's branch, with the hash of each.
    files: Vec<String>,
    /// Each task with the event that ended it.
    tasks: BTreeMap<String, String>,
    /// Branches of the run.
    branches: Vec<String>,
    /// Tasks that have a worktree.
    worktrees: BTreeSet<String>,
}

/// Returns the only run of a data directory.
pub(super) fn only_run_id(data: &Path) -> Result<String> {
    let mut runs = fs::read_dir(data.join("runs"))?;
    let run = runs.next().context("the data directory has no run")??;
    run.file_name().into_string().ok().context("the name of the run is not UTF-8")
}

/// Checks the log and the repository of a run that has ended, and returns its result.
pub(super) fn check(jangdan: &Path, folder: &Path) -> Result<Outcome> {
    let (data, shop) = (folder.join("demo/data"), folder.join("demo/app"));
    let run = only_run_id(&data)?;
    let text = command_output(Command::new(jangdan).args(["log", &run, "--json", "--data"]).arg(&data))?;
    let events: Vec<Value> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    check_sequence_numbers(&events)?;
    check_prompts_unique(&events)?;
    check_questions_settled_once(&events)?;
    check_processes(&data)?;
    git(&shop, &["fsck", "--no-dangling"])?;
    check_no_locks(&shop.join(".git"))?;
    let status = git(&shop, &["status", "--porcelain"])?;
    ensure!(status.is_empty(), "the checkout is not clean:\n{status}");
    check_commits_reachable(&shop, &text)?;
    let names = format!("refs/heads/jangdan/{run}/");
    let branches = git(&shop, &["for-each-ref", "--format=%(refname)", &names])?;
    let branches = branches.lines().filter_map(|name| name.strip_prefix(&names)).map(str::to_owned).collect();
    let listed = git(&shop, &["ls-tree", "-r", &format!("jangdan/{run}/run")])?;
    Ok(Outcome {
        files: listed.lines().map(str::to_owned).collect(),
        tasks: task_end_events(&events),
        branches,
        worktrees: tasks_with_worktree(&shop, &run)?,
    })
}

/// Checks that no lock is left in a git directory, which would stop the user's git.
fn check_no_locks(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            check_no_locks(&path)?;
        } else {
            // Jangdan's own lock is a file that stays.
            let is_lock = path.extension().is_some_and(|extension| extension == "lock")
                && !path.ends_with("jangdan.lock");
            ensure!(!is_lock, "a lock was left behind: {}", path.display());
        }
    }
    Ok(())
}

/// Checks that every commit in the log can be reached from a ref.
fn check_commits_reachable(shop: &Path, log: &str) -> Result<()> {
    let reachable = git(shop, &["rev-list", "--all"])?;
    let reachable: BTreeSet<&str> = reachable.lines().collect();
    let named = log.split("\"commit\":\"").skip(1).filter_map(|rest| rest.split('"').next());
    for commit in named.filter(|commit| commit.len() == 40) {
        ensure!(reachable.contains(commit), "commit {commit} is in the log, and no ref reaches it");
    }
    Ok(())
}

/// Returns the tasks that have a worktree, and checks that each worktree exists and has a commit.
fn tasks_with_worktree(shop: &Path, run: &str) -> Result<BTreeSet<String>> {
    let listed = git(shop, &["worktree", "list", "--porcelain"])?;
    let mut tasks = BTreeSet::new();
    for block in listed.split("\n\n") {
        let Some(path) = block.lines().find_map(|line| line.strip_prefix("worktree ")) else { continue };
        ensure!(!block.contains("\nprunable"), "git lists a worktree that does not exist:\n{block}");
        git(Path::new(path), &["rev-parse", "--verify", "HEAD"])?;
        let name = Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or_default();
        // Worktrees without a task are removed with their sessions, at any time.
        let task = name.strip_prefix(run).and_then(|name| name.strip_prefix('-'));
        tasks.extend(task.filter(|task| task.starts_with('T')).map(str::to_owned));
    }
    Ok(tasks)
}

fn check_sequence_numbers(events: &[Value]) -> Result<()> {
    for (number, event) in (1..).zip(events) {
        let sequence = event.get("sequence").and_then(Value::as_u64);
        ensure!(sequence == Some(number), "event {number} is numbered {sequence:?}");
    }
    Ok(())
}

/// Checks that a prompt of an agent is recorded once per turn, however often its output is read.
fn check_prompts_unique(events: &[Value]) -> Result<()> {
    let mut prompts: BTreeSet<(&str, &str)> = BTreeSet::new();
    for event in events {
        let Some(session) = field(event, "session").and_then(Value::as_str) else { continue };
        match kind(event) {
            "QuestionAsked" => {
                if let Some(prompt) = field(event, "prompt").and_then(Value::as_str) {
                    ensure!(
                        prompts.insert((session, prompt)),
                        "{session} has two questions with prompt {prompt}"
                    );
                }
            }
            // Prompt numbers may repeat in the next turn.
            "TurnEnded" => prompts.retain(|(other, _)| *other != session),
            _ => {}
        }
    }
    Ok(())
}

/// Checks that every question has one answer, or none because it was withdrawn or has expired.
fn check_questions_settled_once(events: &[Value]) -> Result<()> {
    let of = |kinds: &'static [&'static str]| {
        let events = events.iter().filter(move |event| kinds.contains(&kind(event)));
        events.filter_map(|event| field(event, "question").and_then(Value::as_str))
    };
    let mut answers: BTreeMap<&str, u32> = BTreeMap::new();
    for question in of(&["QuestionAnswered"]) {
        *answers.entry(question).or_default() += 1;
    }
    let closed: BTreeSet<&str> = of(&["QuestionWithdrawn", "QuestionExpired"]).collect();
    for question in of(&["QuestionAsked"]) {
        let n_answers = answers.get(question).copied().unwrap_or(0);
        let is_settled = n_answers == 1 || n_answers == 0 && closed.contains(question);
        ensure!(is_settled, "{question} was answered {n_answers} times");
    }
    Ok(())
}

fn check_processes(data: &Path) -> Result<()> {
    let deadline = Instant::now() + PROCESS_END_MAX;
    loop {
        let processes = processes_of_data_directory(data);
        if processes.is_empty() {
            return Ok(());
        }
        if Instant::now() >= deadline {
            let names: Vec<String> = processes
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

/// Returns the last event that ended each task.
fn task_end_events(events: &[Value]) -> BTreeMap<String, String> {
    let mut tasks = BTreeMap::new();
    for event in events {
        let kind = kind(event);
        if matches!(kind, "TaskDone" | "TaskFailed" | "TaskSkipped" | "TaskCancelled")
            && let Some(task) = field(event, "task").and_then(Value::as_str)
        {
            tasks.insert(task.to_owned(), kind.to_owned());
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
    command_output(Command::new("git").arg("-C").arg(folder).args(arguments))
}

fn command_output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("start {command:?}"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?} ended with {}: {errors}", output.status);
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
