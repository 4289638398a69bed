//! Rules for what agents may do without asking the user.

use domain::{
    PermissionKind, PermissionMode, PermissionRequest, PermissionScope, QuestionId, QuestionKind, SessionId,
    SessionInput, events,
};

use super::{DecisionContext, question::QuestionDraft};
use crate::{
    apply::is_allowing_answer,
    permission_pattern::{exact_pattern, pattern_allows, pattern_matches_loosely, propose_pattern},
    rejection::Rejection,
    state::TaskIndex,
};

/// Longest pattern and reason that a user may send, in bytes.
const TEXT_BYTES_MAX: usize = 4096;

/// How a user decides a permission request.
#[derive(Debug, Default)]
pub(super) struct PermissionChoice {
    pub(super) scope: PermissionScope,
    /// The pattern to save; `None` for the exact request.
    pub(super) pattern: Option<String>,
    /// What the agent is told about a denial.
    pub(super) reason: Option<String>,
}

enum PermissionVerdict {
    Allowed(String),
    Denied(String),
    Ask,
}

impl DecisionContext<'_> {
    pub(super) fn ask_permission(&mut self, session: SessionId, request: PermissionRequest) {
        let (allowed, rule) = match self.evaluate_rules(session, &request) {
            PermissionVerdict::Allowed(rule) => (true, rule),
            PermissionVerdict::Denied(rule) => (false, rule),
            PermissionVerdict::Ask => {
                if let Some(overflow) = self.permission_overflow(session, &request) {
                    return self.send_permission_decision(session, request, false, overflow);
                }
                let text = format!("Allow it to {} {}?", request.kind.pattern_name(), request.subject);
                let draft = QuestionDraft {
                    options: vec!["allow".to_owned(), "deny".to_owned()],
                    context: request.detail.clone(),
                    similar: Some(propose_pattern(&request)),
                    permission: Some(request),
                    ..QuestionDraft::new(QuestionKind::Permission, text)
                };
                return self.ask_question(session, draft);
            }
        };
        self.send_permission_decision(session, request, allowed, rule);
    }

    fn send_permission_decision(
        &mut self,
        session: SessionId,
        request: PermissionRequest,
        allowed: bool,
        rule: String,
    ) {
        let prompt = request.prompt.clone();
        self.emit(events::PermissionDecided { session, request, allowed, rule });
        self.send_input(session, SessionInput::Permission { prompt, allowed, reason: None, question: None });
    }

    /// Precedence: deny patterns, saved answers, allow patterns, the mode.
    fn evaluate_rules(&self, session: SessionId, request: &PermissionRequest) -> PermissionVerdict {
        let policy = &self.run.settings.permissions;
        if let Some(pattern) = policy.deny.iter().find(|pattern| pattern_matches_loosely(pattern, request)) {
            return PermissionVerdict::Denied(format!("deny {pattern}"));
        }
        let task = self.run.session(session).task;
        let of_task = task.map(|task| self.run.task(task).permission_rules.as_slice()).unwrap_or_default();
        let saved = of_task
            .iter()
            .chain(&self.run.permission_rules)
            .rev()
            .find(|(pattern, allowed)| rule_applies(pattern, *allowed, request));
        match saved {
            Some((pattern, true)) => return PermissionVerdict::Allowed(format!("saved {pattern}")),
            Some((pattern, false)) => return PermissionVerdict::Denied(format!("saved {pattern}")),
            None => {}
        }
        if let Some(pattern) = policy.allow.iter().find(|pattern| pattern_allows(pattern, request)) {
            return PermissionVerdict::Allowed(format!("allow {pattern}"));
        }
        match policy.mode {
            PermissionMode::All => PermissionVerdict::Allowed("permissions = all".to_owned()),
            PermissionMode::Worktree if self.is_within_worktree(task, request) => {
                PermissionVerdict::Allowed("permissions = worktree".to_owned())
            }
            PermissionMode::Worktree | PermissionMode::Ask => PermissionVerdict::Ask,
        }
    }

    /// Returns whether a request stays within the worktree: edits and reads below it, and the project's own check
    /// commands.
    fn is_within_worktree(&self, task: Option<TaskIndex>, request: &PermissionRequest) -> bool {
        match request.kind {
            PermissionKind::Edit | PermissionKind::Read => request.in_worktree,
            PermissionKind::Run => {
                let of_task = task.and_then(|task| self.run.check_of_task(task));
                of_task.or(self.run.settings.verify.as_ref()).is_some_and(|check| *check == request.subject)
            }
            PermissionKind::Fetch | PermissionKind::Other => false,
        }
    }

    /// Checks what a user sends with the answer to a question, and removes surrounding spaces.
    pub(super) fn check_permission_choice(
        &self,
        question: QuestionId,
        answer: &str,
        choice: PermissionChoice,
    ) -> Result<PermissionChoice, Rejection> {
        let PermissionChoice { scope, pattern, reason } = choice;
        let trimmed =
            |text: Option<String>| text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        let (pattern, reason) = (trimmed(pattern), trimmed(reason));
        let is_long = |text: &Option<String>| text.as_ref().is_some_and(|text| text.len() > TEXT_BYTES_MAX);
        if is_long(&pattern) || is_long(&reason) {
            return Err(Rejection::TooMany {
                object: "bytes of a pattern or reason",
                max: TEXT_BYTES_MAX,
                hint: "write a shorter one",
            });
        }
        let request = self.run.questions.get(question.0).permission.as_ref();
        if let (Some(pattern), Some(request)) = (&pattern, request) {
            let applies = rule_applies(pattern, is_allowing_answer(answer), request);
            if scope == PermissionScope::Once || !applies {
                let is_kept = scope != PermissionScope::Once;
                return Err(Rejection::UnsuitablePattern { question, pattern: pattern.clone(), is_kept });
            }
        }
        Ok(PermissionChoice { scope, pattern, reason })
    }

    /// Saves the decision as a rule, and answers the question and the open ones that it decides too: those with the
    /// same action, and those that the rule applies to.
    pub(super) fn decide_permission(
        &mut self,
        question: QuestionId,
        request: &PermissionRequest,
        answer: &str,
        choice: &PermissionChoice,
    ) {
        let allowed = is_allowing_answer(answer);
        let pattern = choice.pattern.clone().unwrap_or_else(|| exact_pattern(request));
        let is_equal = |other: &QuestionId| self.is_equal_permission(question, *other);
        let equal: Vec<QuestionId> = self.open_permission_questions().filter(is_equal).collect();
        self.save_permission_rules(&equal, &pattern, allowed, choice.scope);
        let mut decided = equal;
        decided.extend(self.questions_decided_by_rule(question, &pattern, allowed, choice.scope));
        decided.sort();
        decided.dedup();
        // The question that the user saw is answered first.
        decided.retain(|other| *other != question);
        for decided in [question].into_iter().chain(decided) {
            self.accept_permission_answer(decided, answer.to_owned(), choice.reason.clone());
        }
    }

    /// Returns whether two questions ask for permission for the same action.
    pub(super) fn is_equal_permission(&self, one: QuestionId, other: QuestionId) -> bool {
        let action = |id: QuestionId| {
            let request = self.run.questions.get(id.0).permission.as_ref()?;
            Some((request.kind, request.subject.as_str()))
        };
        action(one).is_some() && action(one) == action(other)
    }

    /// Returns the open questions that a rule decides as soon as it is saved.
    fn questions_decided_by_rule(
        &self,
        question: QuestionId,
        pattern: &str,
        allowed: bool,
        scope: PermissionScope,
    ) -> Vec<QuestionId> {
        let task = self.run.questions.get(question.0).task;
        self.open_permission_questions()
            .filter(|other| match scope {
                PermissionScope::Once => false,
                PermissionScope::Task => self.run.questions.get(other.0).task == task,
                PermissionScope::Run | PermissionScope::Project => true,
            })
            .filter(|other| {
                let request = self.run.questions.get(other.0).permission.as_ref();
                request.is_some_and(|request| rule_applies(pattern, allowed, request))
            })
            .collect()
    }

    /// Returns the undecided permission requests, also those that wait behind another question of their session.
    fn open_permission_questions(&self) -> impl Iterator<Item = QuestionId> {
        let is_permission = |id: &QuestionId| self.run.questions.get(id.0).permission.is_some();
        self.run.open_questions.iter().copied().filter(is_permission)
    }

    /// Saves a rule; one for each task if it applies to tasks.
    fn save_permission_rules(
        &mut self,
        questions: &[QuestionId],
        pattern: &str,
        allowed: bool,
        scope: PermissionScope,
    ) {
        let tasks: Vec<_> = match scope {
            PermissionScope::Once => return,
            PermissionScope::Task => {
                let mut tasks: Vec<_> =
                    questions.iter().map(|id| self.run.questions.get(id.0).task).collect();
                tasks.sort();
                tasks.dedup();
                tasks
            }
            PermissionScope::Run | PermissionScope::Project => vec![None],
        };
        for task in tasks {
            let task = task.map(|task| self.task_id(task));
            let pattern = pattern.to_owned();
            self.emit(events::PermissionRuleSaved { scope, task, pattern, allowed });
        }
    }
}

/// Returns whether a rule of a user decides a request. A wildcard allows no joined commands, but denies them.
fn rule_applies(pattern: &str, allowed: bool, request: &PermissionRequest) -> bool {
    if allowed { pattern_allows(pattern, request) } else { pattern_matches_loosely(pattern, request) }
}
