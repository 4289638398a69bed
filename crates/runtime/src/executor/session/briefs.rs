//! Prompts of work for agents, from the briefs of the engine and from what git says about the work.
//!
//! Reads git only. If that fails, the prompt is sent without the detail: the work does not depend on it.

use std::{error::Error, path::PathBuf};

use domain::{ChangeSummary, EarlierFailure, Locale, SessionInput};
use drivers::input_text;
use engine::{InputBrief, PhaseBrief, TaskBrief, TaskHandoff};
use protocol::prompts::{
    PhaseTask, PromptTemplate, TaskPrompt, TaskSummary, TemplateValues, TestPrompt, VerifyPrompt,
    WorkChanges, render_template,
};
use repo::RepoError;
use tracing::warn;

use crate::git::RunGit;

/// Changed files in a prompt, so that it stays short.
const FILES_MAX: usize = 20;
/// Changed files of a completed task in the prompt of a later one.
const HANDOFF_FILES_MAX: usize = 5;
/// Failures of a completed task in the prompt of a later one.
const HANDOFF_FAILURES_MAX: usize = 3;

/// Renders the briefs for one session.
pub(super) struct BriefWriter<'a> {
    pub(super) git: Option<&'a RunGit>,
    pub(super) locale: Locale,
}

impl BriefWriter<'_> {
    /// Describes the work that an input starts, without what depends on its session: directory and preamble.
    pub(super) fn input_brief(
        &self,
        brief: &InputBrief,
        input: &SessionInput,
    ) -> Option<input_text::InputBrief> {
        match (brief, input) {
            (InputBrief::Task(brief), SessionInput::Test { attempt, .. }) => {
                Some(input_text::InputBrief::Test(Box::new(self.test_prompt(brief, *attempt))))
            }
            (InputBrief::Task(brief), _) => {
                Some(input_text::InputBrief::Task(Box::new(self.task_prompt(brief))))
            }
            (InputBrief::Phase(brief), SessionInput::Verify { phase, round }) => {
                Some(input_text::InputBrief::Verify(Box::new(self.verify_prompt(brief, *phase, *round))))
            }
            (InputBrief::Phase(_), _) | (InputBrief::Merged { .. }, SessionInput::Test { .. }) => None,
            (InputBrief::Merged { task, merged }, SessionInput::Conflict { files }) => {
                let found = self.git.map(|git| git.merges_beside_task(task, files));
                let commits = or_nothing(found);
                let is_author = |handoff: &&TaskHandoff| {
                    let commit = handoff.commit.as_ref();
                    commit.is_some_and(|commit| commits.iter().any(|found| found.as_str() == commit))
                };
                let others = merged.iter().filter(is_author).map(|handoff| self.summary(handoff));
                Some(input_text::InputBrief::Conflict(others.collect()))
            }
            (InputBrief::Merged { .. }, _) => None,
        }
    }

    pub(super) fn task_prompt(&self, brief: &TaskBrief) -> TaskPrompt {
        TaskPrompt {
            project: Some(brief.project.clone()),
            phase: Some(brief.phase),
            phase_title: Some(brief.phase_title.clone()),
            title: Some(brief.title.clone()),
            text: brief.text.clone(),
            conversation: brief.conversation.clone(),
            criteria: brief.criteria.clone(),
            touches: brief.touches.clone(),
            check: brief.check.clone(),
            done: brief.done.iter().map(|handoff| self.summary(handoff)).collect(),
            // Nothing is known about unfinished work.
            parallel: brief.parallel.iter().map(|handoff| task_summary(handoff, None)).collect(),
            ..TaskPrompt::new(brief.task.clone())
        }
    }

    fn test_prompt(&self, brief: &TaskBrief, attempt: u32) -> TestPrompt {
        let files: Vec<PathBuf> =
            or_nothing(self.git.and_then(|git| git.changed_files(&brief.task))).into_iter().collect();
        TestPrompt {
            task_id: brief.task.clone(),
            attempt,
            title: Some(brief.title.clone()),
            text: brief.text.clone(),
            criteria: brief.criteria.clone(),
            worker: brief.agent.clone(),
            check: brief.check.clone(),
            changes: WorkChanges {
                files: first_files(&files, FILES_MAX),
                command: self.git.map(RunGit::task_diff_command),
            },
            key: None,
        }
    }

    fn verify_prompt(&self, brief: &PhaseBrief, phase: u32, round: u32) -> VerifyPrompt {
        let PhaseBrief { title, tasks, artefacts, documents, files, checks, changes } = brief;
        let describe = |(handoff, criteria): &(TaskHandoff, Vec<String>)| PhaseTask {
            summary: self.summary(handoff),
            criteria: criteria.clone(),
        };
        VerifyPrompt {
            phase,
            round,
            title: Some(title.clone()),
            tasks: tasks.iter().map(describe).collect(),
            artefacts: artefacts.clone(),
            documents: documents.clone(),
            files: files.clone(),
            checks: checks.clone(),
            changed: changes.as_ref().map(|changes| {
                let ChangeSummary { n_files, n_added, n_removed, .. } = changes;
                format!("{n_files} files, +{n_added} -{n_removed}")
            }),
            changes: WorkChanges { files: Vec::new(), command: self.git.map(RunGit::run_log_command) },
            key: None,
        }
    }

    /// Describes a completed task: what its agent said about it, the files that it changed, what it delivered, the answers
    /// that it got, and what failed on the way.
    fn summary(&self, handoff: &TaskHandoff) -> TaskSummary {
        let reported = handoff.reported.iter().map(|(name, value)| format!("{name}: {value}"));
        let mut parts: Vec<String> = handoff.summary.iter().cloned().chain(reported).collect();
        parts.extend(self.changed_files(handoff));
        parts.extend(handoff.results.iter().map(|(receiver, content)| {
            let values = TemplateValues::new().text("receiver", receiver).text("content", content);
            render_template(PromptTemplate::HandoffResult, self.locale, &values)
        }));
        parts.extend(handoff.decisions.iter().map(|(question, answer)| {
            let values = TemplateValues::new().text("question", question).text("answer", answer);
            render_template(PromptTemplate::HandoffDecision, self.locale, &values)
        }));
        parts.extend(self.failed_before(&handoff.failures));
        task_summary(handoff, (!parts.is_empty()).then(|| parts.join("; ")))
    }

    /// Names what failed before a task was done, each once.
    fn failed_before(&self, failures: &[EarlierFailure]) -> Option<String> {
        let mut names: Vec<&str> = Vec::new();
        for name in failures.iter().flat_map(|failure| failure.failed.iter().chain(&failure.reason)) {
            if !names.contains(&name.as_str()) && names.len() < HANDOFF_FAILURES_MAX {
                names.push(name);
            }
        }
        let values = TemplateValues::new().text("failures", names.join(", "));
        (!names.is_empty()).then(|| render_template(PromptTemplate::HandoffFailures, self.locale, &values))
    }

    fn changed_files(&self, handoff: &TaskHandoff) -> Option<String> {
        let files = or_nothing(Some(self.git?.files_of_merge(handoff.commit.as_ref()?)));
        let files = first_files(&files, HANDOFF_FILES_MAX);
        let values = TemplateValues::new().items("files", &files);
        (!files.is_empty()).then(|| render_template(PromptTemplate::ChangedFiles, self.locale, &values))
    }
}

fn task_summary(handoff: &TaskHandoff, summary: Option<String>) -> TaskSummary {
    TaskSummary {
        task_id: handoff.task.clone(),
        title: handoff.title.clone(),
        agent: handoff.agent.clone(),
        summary,
    }
}

/// Returns the first files, and an ellipsis if there are more.
fn first_files(files: &[PathBuf], n_max: usize) -> Vec<String> {
    let first = files.iter().take(n_max).map(|file| file.to_string_lossy().into_owned());
    first.chain((files.len() > n_max).then(|| "…".to_owned())).collect()
}

fn or_nothing<T: Default>(found: Option<Result<T, RepoError>>) -> T {
    match found {
        None => T::default(),
        Some(Ok(value)) => value,
        Some(Err(error)) => {
            warn!(error = &error as &dyn Error, "cannot read the changes for a prompt");
            T::default()
        }
    }
}
