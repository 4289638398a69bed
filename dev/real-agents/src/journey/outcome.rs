//! Compares the run with what the scripted models did: log, rows, repository, and requests to the models.

use std::fs;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::agent_tasks::{
    AGENT_TASKS, AGENTS, AgentTask, DATABASE, DENIAL, PROSE_QUESTION, REJECTION, REWORKED_TASK, SEARCH_ANSWER,
};
use crate::{
    project::Project,
    run_log::{Log, n_tokens, text_field},
};

/// Highest number of questions to the user in this plan.
const QUESTIONS_MAX: usize = 3;
/// A commit of the user on the branch while the run works: path and content.
const OWN_FILE: (&str, &str) = ("notes.txt", "A note of the user\n");

/// Compares the log with the expected events.
pub(super) fn check_log(log: &Log) -> Result<()> {
    log.check_end()?;
    let n_questions = log.events_of_kind("QuestionAsked").count();
    ensure!(n_questions <= QUESTIONS_MAX, "the user was asked {n_questions} questions");
    for kind in ["RequestMade", "TaskRetried", "QuestionExpired", "QuestionWithdrawn"] {
        ensure!(
            log.events_of_kind(kind).next().is_none(),
            "unexpected: {:?}",
            log.events_of_kind(kind).next()
        );
    }
    check_gates(log)?;
    AGENT_TASKS.iter().try_for_each(|one| check_task(log, one).with_context(|| one.task))
}

fn check_gates(log: &Log) -> Result<()> {
    for (kind, expected) in [
        ("GateOpened", &[1, 2, 2][..]),
        ("GatePassed", &[1, 2, 2]),
        ("GateApproved", &[1, 2]),
        ("GateFailed", &[2]),
    ] {
        let phases: Vec<u64> =
            log.events_of_kind(kind).filter_map(|event| event.get("phase")?.as_u64()).collect();
        ensure!(phases == expected, "{kind} is in the log for phases {phases:?} instead of {expected:?}");
    }
    let failed = log.events_of_kind("GateFailed").next().context("no phase was rejected")?;
    let tasks = failed.get("tasks").and_then(Value::as_array).context("no task is to be reworked")?;
    ensure!(text_field(failed, "reason") == REJECTION && *tasks == [REWORKED_TASK], "rejected with {failed}");
    Ok(())
}

fn check_task(log: &Log, one: &AgentTask) -> Result<()> {
    let counts = one.counts;
    let n_checks = counts.passed_checks + counts.failed_checks;
    for (kind, expected) in [
        ("TaskStarted", counts.attempts),
        ("TaskReopened", counts.attempts - 1),
        ("QuestionAsked", counts.questions),
        ("EvidenceRequested", counts.evidence_requests),
        ("ClaimAccepted", one.n_claims()),
        ("CheckFinished", n_checks),
        ("MergeFinished", counts.merges + counts.conflicts),
        ("TaskDone", counts.merges),
    ] {
        let n = log.events_about(kind, one.task).count();
        ensure!(n == expected, "{kind} is in the log {n} times instead of {expected}");
    }
    let passed = |event: &&Value| event.pointer("/receipt/exitStatus").and_then(Value::as_i64) == Some(0);
    let n_passed = log.events_about("CheckFinished", one.task).filter(passed).count();
    ensure!(n_passed == counts.passed_checks, "{n_passed} of {n_checks} checks passed");
    let conflicted =
        |event: &&Value| event.pointer("/outcome/type").and_then(Value::as_str) == Some("conflicted");
    let n_conflicts = log.events_about("MergeFinished", one.task).filter(conflicted).count();
    ensure!(n_conflicts == counts.conflicts, "{n_conflicts} conflicts instead of {}", counts.conflicts);
    let returns: Vec<&str> =
        log.events_about("TaskReturned", one.task).map(|event| text_field(event, "reason")).collect();
    ensure!(returns == counts.returns, "it was returned because of {returns:?}");
    for question in log.events_about("QuestionAsked", one.task).map(|event| text_field(event, "question")) {
        for kind in ["QuestionAnswered", "QuestionDelivered", "QuestionResumed"] {
            let n = log.events_about(kind, question).count();
            ensure!(n == 1, "{kind} of {question} is in the log {n} times");
        }
    }
    for started in log.events_about("TaskStarted", one.task) {
        ensure!(text_field(started, "agent") == one.agent, "another agent did it: {started}");
        let mut usages = log.events_about("UsageReported", text_field(started, "session"));
        ensure!(usages.any(|event| n_tokens(event) > 0), "no tokens reported in the session of {started}");
    }
    Ok(())
}

/// Compares the rows of `jangdan status` with the expected ones.
pub(super) fn check_status(project: &Project) -> Result<()> {
    let rows: Value = serde_json::from_str(&project.jangdan(&["status", &project.run_name()?, "--json"])?)?;
    let of_kind = |kind: &str| rows.get(kind).and_then(Value::as_array).cloned().unwrap_or_default();
    let run = of_kind("run").into_iter().next().context("the run has no row")?;
    ensure!(text_field(&run, "status") == "done", "the run is {run}");
    ensure!(run.pointer("/tasks/done").and_then(Value::as_u64) == Some(8), "the tasks are {run}");
    ensure!(of_kind("inbox").is_empty(), "something waits for the user: {:?}", of_kind("inbox"));
    let tasks = of_kind("task");
    ensure!(tasks.len() == AGENT_TASKS.len(), "there are {} tasks", tasks.len());
    for one in &AGENT_TASKS {
        let row = tasks.iter().find(|row| text_field(row, "id") == one.task);
        let row = row.with_context(|| format!("{} has no row", one.task))?;
        let n = |pointer: &str| row.pointer(pointer).and_then(Value::as_u64).unwrap_or_default();
        ensure!(text_field(row, "state") == "done", "the state is {row}");
        ensure!(text_field(row, "proof") == "checked", "the proof is {row}");
        ensure!(row.get("marks") == Some(&Value::Array(Vec::new())), "the marks are {row}");
        ensure!(n("/attempt") == one.counts.attempts as u64, "the attempt is {row}");
        ensure!(n("/used/tokens") > 0, "the usage is {row}");
        // Only Claude Code reports costs.
        ensure!((n("/used/costMicros") > 0) == (one.agent == "claude"), "the cost is {row}");
    }
    Ok(())
}

/// Adds a commit to the user's branch, merges the run, and checks the repository.
pub(super) fn land_and_check(project: &Project, log: &Log) -> Result<()> {
    let (name, text) = OWN_FILE;
    fs::write(project.repository.join(name), text)?;
    project.git(&["add", name])?;
    project.git(&["commit", "--quiet", "--message", "A commit of the user"])?;
    let before = project.git(&["rev-parse", "HEAD"])?;
    let landed: Value = serde_json::from_str(&project.jangdan(&["land", &project.run_name()?, "--json"])?)?;
    ensure!(landed.to_string().contains("\"merge\""), "it was not merged: {landed}");
    let parents = project.git(&["rev-list", "--parents", "--max-count=1", "HEAD"])?;
    ensure!(parents.split_whitespace().count() == 3, "HEAD is not a merge: {parents}");
    ensure!(project.git(&["rev-parse", "HEAD^1"])? == before, "the user's commit is not the first parent");
    check_merged_commits(project, log)?;
    let files = AGENT_TASKS.iter().map(|one| (one.file, one.file_text));
    for (name, text) in files.chain([OWN_FILE]) {
        let path = project.repository.join(name);
        let found = fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
        ensure!(found == text, "{name} has {found:?}");
    }
    let mut expected: Vec<&str> = AGENT_TASKS.iter().map(|one| one.file).collect();
    expected.extend([OWN_FILE.0, "TASKS.md", "jangdan.toml"]);
    expected.sort_unstable();
    expected.dedup();
    let tracked = project.git(&["ls-files"])?;
    ensure!(tracked.lines().collect::<Vec<_>>() == expected, "the tracked files are:\n{tracked}");
    let status = project.git(&["status", "--porcelain"])?;
    ensure!(status.is_empty(), "the checkout is not clean:\n{status}");
    project.git(&["fsck", "--no-dangling"])?;
    Ok(())
}

/// Checks that each merged commit of the log is in the user's branch.
fn check_merged_commits(project: &Project, log: &Log) -> Result<()> {
    let commits: Vec<&str> = log
        .events_of_kind("MergeFinished")
        .filter_map(|event| event.pointer("/outcome/commit")?.as_str())
        .collect();
    let n_merges: usize = AGENT_TASKS.iter().map(|one| one.counts.merges).sum();
    ensure!(commits.len() == n_merges, "{} commits were merged instead of {n_merges}", commits.len());
    for commit in commits {
        project.git(&["merge-base", "--is-ancestor", commit, "HEAD"])?;
    }
    Ok(())
}

/// Checks that each model got exactly the requests of its script, and that answers and reasons reached it.
pub(super) fn check_requests(project: &Project) -> Result<()> {
    for agent in AGENTS {
        let requests = project.model_server(agent)?.requests();
        let requests: Vec<_> = requests.iter().filter(|request| !request.is_side_request).collect();
        let tasks: Vec<&AgentTask> = AGENT_TASKS.iter().filter(|one| one.agent == agent).collect();
        let mut n_of_tasks = 0;
        for one in &tasks {
            let n = requests.iter().filter(|request| conversation(request).contains(&one.heading())).count();
            let expected = one.n_turns();
            ensure!(n == expected, "{} sent {n} requests instead of {expected}", one.task);
            n_of_tasks += n;
        }
        ensure!(
            requests.len() == n_of_tasks,
            "{agent} sent {} requests, {n_of_tasks} about its tasks",
            requests.len()
        );
        ensure!(!requests.iter().any(|request| request.is_unscripted), "{agent} sent an unscripted request");
    }
    for (task, number, texts) in [
        ("T1.1", 1, &["[FINISH T1.1]"][..]),
        ("T1.1", 2, &[DATABASE, PROSE_QUESTION]),
        ("T1.2", 1, &[DENIAL]),
        ("T1.3", 2, &["[FEEDBACK] T1.3", "grep -qx port=8080 port.txt"]),
        ("T2.2", 1, &[SEARCH_ANSWER]),
        ("T2.2", 4, &["[CONFLICT]", "commands.txt", "T2.1 Add the list command"]),
        // The file that the agent reads has both versions.
        ("T2.2", 5, &["<<<<<<<", "commands: list", "commands: search"]),
        (REWORKED_TASK, 2, &["[REWORK PHASE 2]", REJECTION]),
    ] {
        let one = AGENT_TASKS.iter().find(|one| one.task == task).context("no such task")?;
        let requests = project.model_server(one.agent)?.requests();
        let mut about = requests
            .iter()
            .filter(|request| !request.is_side_request && conversation(request).contains(&one.heading()));
        let request = about.nth(number).with_context(|| format!("{task} has no request {number}"))?;
        for text in texts {
            ensure!(conversation(request).contains(text), "request {number} of {task} lacks {text:?}");
        }
    }
    Ok(())
}

fn conversation(request: &model_server::RecordedRequest) -> String {
    request.body.to_string()
}
