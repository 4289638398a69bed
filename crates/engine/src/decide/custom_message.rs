//! CUSTOM messages: how an orchestrator or an operator acts on tasks, and how a verifier states its verdict.

use domain::{
    AgentName, CustomMessage, EscalationId, EscalationSubject, EscalationType, OrchestrationMode, Priority,
    QuestionId, Role, SessionId, Severity, TaskAction, TaskId,
};

use super::{
    DecisionContext,
    agent_message::RejectionText,
    escalation::{EscalationTitle, NewEscalation},
};
use crate::{
    allowed_actions::check_task_action,
    gate_verdict::parse_verdict,
    state::{QuestionState, TaskIndex, WorkItem},
};

/// Kind of the message in which a verifier states its verdict.
pub(crate) const VERDICT: &str = "VERDICT";

const VERDICT_EXAMPLE: &str = r#"{"verdict":"accept","summary":"why"}"#;

/// How often agents may start a task again before a user must decide.
const AGENT_RETRIES_MAX: u32 = 3;
/// Open escalations of a task, above which its operator cannot raise more.
const TASK_ESCALATIONS_MAX: usize = 8;

/// What an orchestrator or an operator does with a CUSTOM message.
enum LeaderAction {
    Prioritize(TaskId, Priority),
    Skip(TaskId),
    Retry(TaskId, Option<String>),
    Reassign(TaskId, AgentName),
    Answer(QuestionId, String),
    Escalate(TaskId, String),
    Forward(EscalationId),
}

impl LeaderAction {
    /// Parses a message; `None` for a kind that has no effect.
    fn parse(custom: &CustomMessage) -> Result<Option<Self>, String> {
        let (object, rest) =
            custom.value.trim().split_once(char::is_whitespace).unwrap_or((&custom.value, ""));
        let (object, rest) = (object.trim(), rest.trim().to_owned());
        let task = || object.parse::<TaskId>().map_err(|error| error.to_string());
        let action = match custom.kind.as_str() {
            "PRIORITY" => Self::Prioritize(task()?, rest.parse().unwrap_or(Priority::Critical)),
            "SKIP" => Self::Skip(task()?),
            "RETRY" => Self::Retry(task()?, None),
            "HINT" if rest.is_empty() => return Err("write the hint behind the id of the task".to_owned()),
            "HINT" => Self::Retry(task()?, Some(rest)),
            "REASSIGN" => {
                let agent = rest.parse::<AgentName>();
                Self::Reassign(task()?, agent.map_err(|error| error.to_string())?)
            }
            "ANSWER" if rest.is_empty() => return Err("the answer is empty".to_owned()),
            "ANSWER" => {
                let question = object.parse::<QuestionId>();
                Self::Answer(question.map_err(|error| error.to_string())?, rest)
            }
            "ESCALATE" => match object.parse::<EscalationId>() {
                Ok(escalation) => Self::Forward(escalation),
                Err(_) if rest.is_empty() => return Err("say why, behind the id of the task".to_owned()),
                Err(_) => Self::Escalate(task()?, rest),
            },
            _ => return Ok(None),
        };
        Ok(Some(action))
    }
}

impl DecisionContext<'_> {
    pub(super) fn custom_rejection(
        &self,
        session: SessionId,
        custom: &CustomMessage,
    ) -> Option<RejectionText> {
        let sender = self.run.session(session);
        if let (VERDICT, Some(WorkItem::Verify(_))) = (custom.kind.as_str(), sender.current_item) {
            let is_verdict = parse_verdict(&custom.value).is_some();
            return (!is_verdict)
                .then(|| format!("the verdict must be a JSON object such as {VERDICT_EXAMPLE}"));
        }
        let is_operator = sender.role == Role::Operator;
        if sender.role != Role::Orchestrator && !is_operator {
            return Some("your role may not send CUSTOM: it is reserved for the orchestrator".to_owned());
        }
        match LeaderAction::parse(custom) {
            Err(error) => Some(error),
            Ok(Some(action)) => self.leader_action_rejection(session, &action),
            // Other kinds of an orchestrator are recorded for display only.
            Ok(None) => is_operator.then(|| {
                let kinds = "PRIORITY, SKIP, RETRY, HINT, REASSIGN, ANSWER and ESCALATE";
                format!("an operator may send {kinds}, not {}", custom.kind)
            }),
        }
    }

    fn leader_action_rejection(&self, session: SessionId, action: &LeaderAction) -> Option<RejectionText> {
        let (task, checked) = match action {
            LeaderAction::Prioritize(task, _) => (task, Some(TaskAction::Prioritize)),
            LeaderAction::Skip(task) => (task, Some(TaskAction::Skip)),
            LeaderAction::Retry(task, _) => (task, Some(TaskAction::Retry)),
            LeaderAction::Reassign(task, _) => (task, Some(TaskAction::Reassign)),
            LeaderAction::Escalate(task, _) => (task, None),
            LeaderAction::Answer(question, _) => return self.leader_answer_rejection(session, *question),
            LeaderAction::Forward(escalation) => {
                let is_own =
                    self.run.session(session).current_item == Some(WorkItem::Escalation(*escalation));
                return (!is_own).then(|| format!("{escalation} is not your problem now"));
            }
        };
        if let Some(rejection) = self.unknown_task_rejection(task) {
            return Some(rejection);
        }
        let index = self.run.find_task(task)?;
        if let Some(rejection) = self.foreign_phase_rejection(session, index) {
            return Some(rejection);
        }
        if let LeaderAction::Reassign(_, agent) = action
            && !self.run.team.agent_names().contains(agent)
        {
            let names: Vec<String> = self.run.team.agent_names().iter().map(ToString::to_string).collect();
            return Some(format!("there is no agent '{agent}'; there are {}", names.join(", ")));
        }
        let state = self.run.task(index);
        let Some(checked) = checked else {
            if state.stage.is_final() {
                return Some(format!("{task} is already {}", state.stage.label()));
            }
            let has_many = state.escalations.len() >= TASK_ESCALATIONS_MAX;
            return has_many
                .then(|| format!("{task} has {TASK_ESCALATIONS_MAX} open problems: wait for a decision"));
        };
        let restarts = matches!(checked, TaskAction::Retry | TaskAction::Reassign);
        let is_driven = self.run.settings.mode == OrchestrationMode::Thin;
        if restarts && !is_driven && state.agent_retries >= AGENT_RETRIES_MAX {
            return Some(format!("{task} was started again {AGENT_RETRIES_MAX} times: the user must decide"));
        }
        check_task_action(state, checked).err().map(|rejection| rejection.with_hint())
    }

    /// An operator answers a question of its phase that has not reached the user.
    fn leader_answer_rejection(&self, session: SessionId, question: QuestionId) -> Option<RejectionText> {
        if let Err(rejection) = self.run.check_question_open(question) {
            return Some(rejection.with_hint());
        }
        let record = self.run.questions.get(question.0);
        if record.session == session {
            return Some(format!("{question} is your own question"));
        }
        let is_for_person = record.permission.is_some()
            || !record.large_files.is_empty()
            || record.state == QuestionState::Pending;
        if is_for_person {
            return Some(format!("{question} waits for the user"));
        }
        match record.task {
            Some(task) => self.foreign_phase_rejection(session, task),
            None => Some(format!("{question} is not about a task of your phase")),
        }
    }

    /// An operator acts on the tasks of its phase, the orchestrator on all.
    fn foreign_phase_rejection(&self, session: SessionId, task: TaskIndex) -> Option<RejectionText> {
        let sender = self.run.session(session);
        let own = sender.phase.filter(|_| sender.role == Role::Operator)?;
        let planned = &self.run.task(task).planned;
        (planned.phase != own).then(|| format!("{} is not in your phase: yours is {own}", planned.id))
    }

    pub(super) fn handle_custom(&mut self, session: SessionId, custom: &CustomMessage) {
        let Ok(Some(action)) = LeaderAction::parse(custom) else { return };
        // The message was checked before it was accepted, so that no rejection is possible here.
        let _ = match action {
            LeaderAction::Prioritize(task, priority) => self.prioritize_task(task, priority),
            LeaderAction::Skip(task) => self.skip_task(&task),
            LeaderAction::Retry(task, hint) => self.retry_task(&task, hint),
            LeaderAction::Reassign(task, agent) => self.reassign_task(&task, agent),
            LeaderAction::Answer(question, answer) => {
                self.accept_answer(question, answer);
                Ok(())
            }
            LeaderAction::Forward(escalation) => {
                self.forward_escalation(escalation);
                Ok(())
            }
            LeaderAction::Escalate(task, reason) => {
                let escalation = NewEscalation {
                    kind: EscalationType::General,
                    severity: Severity::Medium,
                    title: EscalationTitle::Reported(reason),
                    description: String::new(),
                    context: String::new(),
                };
                self.raise_escalation(EscalationSubject::Task { task }, Some(session), escalation);
                Ok(())
            }
        };
    }
}
