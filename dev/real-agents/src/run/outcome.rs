//! Checks the result of a run: its log, the files on the branch, and the requests to the models.

use std::fs;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::{
    Scenario,
    agent_tasks::{AGENT_TASKS, ANSWER, AgentTask, QUESTION},
};
use crate::{
    project::Project,
    run_log::{Log, n_tokens, text_field},
};

impl Log {
    /// Returns the questions to answer now, with their answers.
    pub(super) fn due_answers(&self, scenario: Scenario) -> Vec<(String, &'static str)> {
        let waits = |event: &&Value| {
            let is_answered =
                self.events_about("QuestionAnswered", text_field(event, "question")).next().is_some();
            !is_answered && (scenario != Scenario::Parked || self.has_asking_process_ended(event))
        };
        let answer = |event: &Value| match text_field(event, "kind") {
            "permission" => (text_field(event, "question").to_owned(), "allow"),
            _ => (text_field(event, "question").to_owned(), ANSWER),
        };
        self.events_of_kind("QuestionAsked").filter(waits).map(answer).collect()
    }

    /// Tells whether the process of the asking session has ended meanwhile. A repeated permission request is late at once.
    fn has_asking_process_ended(&self, question: &Value) -> bool {
        let session = text_field(question, "session");
        let is_again = self
            .events_about("QuestionAsked", session)
            .take_while(|event| *event != question)
            .any(|event| text_field(event, "kind") == "permission");
        let moves = ["SessionParked", "SessionWoken"];
        let is_move = |event: &&Value| {
            moves.contains(&text_field(event, "type")) && text_field(event, "session") == session
        };
        is_again
            || self.events().iter().rfind(is_move).is_some_and(|event| text_field(event, "mode") == "cold")
    }

    /// Checks that every expected event is in the log once, and that the run has no problem.
    pub(super) fn check(&self, scenario: Scenario) -> Result<()> {
        self.check_end()?;
        AGENT_TASKS.iter().try_for_each(|one| self.check_task(one, scenario).with_context(|| one.agent))
    }

    fn check_task(&self, one: &AgentTask, scenario: Scenario) -> Result<()> {
        for kind in ["TaskStarted", "CheckFinished", "MergeFinished", "TaskDone"] {
            let n = self.events_about(kind, one.task).count();
            ensure!(n == 1, "{kind} is in the log {n} times");
        }
        let started =
            self.events_about("TaskStarted", one.task).next().context("the task was not started")?;
        ensure!(text_field(started, "agent") == one.agent, "another agent did it: {started}");
        let session = text_field(started, "session");
        let used = self.events_about("UsageReported", session).filter(|event| n_tokens(event) > 0).count();
        ensure!(used > 0, "it reported no tokens");
        let questions: Vec<&Value> = self.events_about("QuestionAsked", session).collect();
        let asked = questions.iter().filter(|event| text_field(event, "kind") != "permission").count();
        ensure!(asked == usize::from(one.asks(scenario)), "it asked {asked} questions");
        let permissions = questions.len() - asked;
        ensure!(permissions == one.n_permissions(scenario), "it asked for {permissions} permissions");
        for question in questions.iter().map(|event| text_field(event, "question")) {
            for kind in ["QuestionAnswered", "QuestionDelivered", "QuestionResumed"] {
                let n = self.events_about(kind, question).count();
                ensure!(n == 1, "{kind} of {question} is in the log {n} times");
            }
        }
        self.check_sessions(one, session, scenario)
    }

    fn check_sessions(&self, one: &AgentTask, session: &str, scenario: Scenario) -> Result<()> {
        let ids: Vec<&str> = self
            .events_about("SessionActivated", session)
            .map(|event| text_field(event, "agentSession"))
            .collect();
        ensure!(ids.iter().all(|id| !id.is_empty()), "it did not report the id of its session: {ids:?}");
        let n_cold = self
            .events_about("SessionParked", session)
            .filter(|event| text_field(event, "mode") == "cold")
            .count();
        // It may be stopped once more while its work is merged.
        ensure!((n_cold > 0) == (scenario == Scenario::Parked), "its process was stopped {n_cold} times");
        let is_same = ids.iter().all(|id| ids.first() == Some(id));
        ensure!(is_same || !one.resumes, "it was resumed as another session: {ids:?}");
        Ok(())
    }
}

/// Merges the run, and checks the checkout.
pub(super) fn land_and_check(project: &Project) -> Result<()> {
    project.jangdan(&["land", &project.run_name()?])?;
    for one in &AGENT_TASKS {
        let path = project.repository.join(one.file());
        let found = fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
        ensure!(found == one.file_text(), "{} has {found:?}", one.file());
    }
    let status = project.git(&["status", "--porcelain"])?;
    ensure!(status.is_empty(), "the checkout is not clean:\n{status}");
    project.git(&["fsck", "--no-dangling"])?;
    Ok(())
}

/// Checks that the models got the expected requests, and no others.
pub(super) fn check_requests(scenario: Scenario, project: &Project) -> Result<()> {
    for one in &AGENT_TASKS {
        let recorded = project.model_server(one.agent)?.requests();
        let requests: Vec<_> = recorded.iter().filter(|request| !request.is_side_request).collect();
        let n_turns = one.turns(scenario).len();
        ensure!(
            requests.len() == n_turns,
            "{} sent {} requests to its model instead of {n_turns}",
            one.agent,
            requests.len()
        );
        if !one.asks(scenario) {
            continue;
        }
        let request = requests.get(1).context("the request with the answer is missing")?;
        ensure!(
            request.prompt.contains(ANSWER),
            "{} got {} instead of the answer",
            one.agent,
            request.prompt
        );
        // From its own memory, or because the prompt repeats it.
        for part in [QUESTION, &one.file()] {
            ensure!(request.body.to_string().contains(part), "{} lost {part:?}", one.agent);
        }
    }
    Ok(())
}
