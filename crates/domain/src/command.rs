//! Commands of users, as clients send them. Not stored: their events are.

use serde::{Deserialize, Serialize};

use crate::{
    AgentName, EscalationAction, EscalationId, OfferId, PermissionScope, PhaseNumber, PlannedTask, Priority,
    ProvidedResource, QuestionId, RequestId, RewindTarget, SessionId, TaskId,
};

/// A command of a user to a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!({"pauseTask": "T1.2"})))]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum UserCommand {
    /// Pauses the run: no task starts, running sessions are suspended.
    PauseRun,
    /// Continues a paused run.
    ContinueRun,
    /// Cancels the run and all unfinished tasks.
    CancelRun,
    /// Brings the work of the run into a branch of the user.
    LandRun {
        /// Include unapproved phases.
        #[serde(default)]
        #[cfg_attr(feature = "typescript", ts(as = "Option<_>", optional))]
        all: bool,
        /// Target branch; the branch that the run started from if missing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        into: Option<String>,
        /// Make one commit.
        #[serde(default)]
        #[cfg_attr(feature = "typescript", ts(as = "Option<_>", optional))]
        squash: bool,
    },
    /// Removes the worktrees of ended tasks and sessions. Their content is kept in git.
    CleanRun {
        /// Also delete branches and refs of the ended run whose work is elsewhere or old.
        #[serde(default)]
        #[cfg_attr(feature = "typescript", ts(as = "Option<_>", optional))]
        refs: bool,
    },
    /// Ends the process of a session. The run reacts as if it had ended by itself.
    StopSession(SessionId),
    /// Pauses a phase.
    PausePhase(PhaseNumber),
    /// Continues a paused phase.
    ContinuePhase(PhaseNumber),
    /// Cancels the unfinished tasks of a phase.
    CancelPhase(PhaseNumber),
    /// Pauses a task.
    PauseTask(TaskId),
    /// Continues a paused task.
    ContinueTask(TaskId),
    /// Cancels a task.
    CancelTask(TaskId),
    /// Retries a task, or restarts it while it runs.
    RetryTask { task: TaskId, hint: Option<String> },
    /// Skips a task; its dependants treat it as done.
    SkipTask(TaskId),
    /// Changes the priority of a task.
    PrioritizeTask { task: TaskId, priority: Priority },
    /// Assigns a task to another agent.
    ReassignTask { task: TaskId, agent: AgentName },
    /// Sends a message to the agent that works on a task; delivered when its current turn has ended.
    SendMessage { task: TaskId, text: String },
    /// Resets a task to a checkpoint and continues from there.
    RewindTask { task: TaskId, checkpoint: RewindTarget },
    /// Creates a checkpoint of a task.
    CreateCheckpoint(TaskId),
    /// Adds a task to the plan.
    AddTask(Box<PlannedTask>),
    /// Adds a dependency between two tasks.
    AddDependency {
        /// The task that must be done first.
        earlier: TaskId,
        later: TaskId,
    },
    /// Removes a dependency between two tasks.
    RemoveDependency { earlier: TaskId, later: TaskId },
    /// Marks a dependency outside the plan as met.
    MarkExternalMet { name: String },
    /// Applies the changes of the plan file.
    ApplyPlanChange {
        /// The offer as shown to the user; a newer one is rejected.
        offer: OfferId,
    },
    /// Keeps the plan of the run as it is.
    IgnorePlanChange { offer: OfferId },

    /// Answers a question.
    Answer {
        /// May be omitted if `task` has exactly one pending question.
        question: Option<QuestionId>,
        task: Option<TaskId>,
        answer: String,
        /// For permissions: how long the answer applies.
        #[serde(default)]
        #[cfg_attr(feature = "typescript", ts(as = "Option<_>", optional))]
        scope: PermissionScope,
        /// For permissions that apply longer than once: the pattern to save. `None` saves this request only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pattern: Option<String>,
        /// For a denied permission: what the agent is told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// Replies to a question with a question.
    RequestClarification { question: QuestionId, text: String },
    /// Sends a chat message, or answers the only pending question of the run.
    Chat {
        text: String,
        /// Never treat the text as an answer; a question may arrive while the user types.
        #[serde(default)]
        #[cfg_attr(feature = "typescript", ts(as = "Option<_>", optional))]
        talk_only: bool,
    },
    /// Provides a requested dependency. Contains no value of a secret.
    Provide { request: RequestId, provided: ProvidedResource },
    /// Refuses a requested dependency.
    Refuse { request: RequestId, reason: String },
    /// Skips a request that is not needed.
    SkipRequest(RequestId),
    /// Approves a phase.
    ApproveGate { phase: PhaseNumber, note: Option<String> },
    /// Rejects a phase.
    RejectGate {
        phase: PhaseNumber,
        reason: String,
        /// Tasks to be reworked.
        #[serde(default)]
        #[cfg_attr(feature = "typescript", ts(as = "Option<_>", optional))]
        tasks: Vec<TaskId>,
    },
    /// Resolves an escalation.
    Resolve { escalation: EscalationId, action: EscalationAction, note: Option<String> },
}

impl UserCommand {
    /// Returns its name, with the object that it names: `approveGate 2`, `answer q_3`.
    ///
    /// It contains no text of the user.
    pub fn label(&self) -> String {
        /// Fields that name an object, as the API has them.
        const OBJECTS: [&str; 9] =
            ["question", "task", "request", "phase", "escalation", "offer", "earlier", "later", "agent"];
        match serde_json::to_value(self) {
            Ok(serde_json::Value::String(name)) => name,
            Ok(serde_json::Value::Object(map)) => {
                let Some((name, value)) = map.into_iter().next() else { return String::new() };
                let text = |value: &serde_json::Value| match value {
                    serde_json::Value::String(text) => Some(text.clone()),
                    serde_json::Value::Number(number) => Some(number.to_string()),
                    serde_json::Value::Null
                    | serde_json::Value::Bool(_)
                    | serde_json::Value::Array(_)
                    | serde_json::Value::Object(_) => None,
                };
                let objects = OBJECTS.iter().filter_map(|field| value.get(field).and_then(text));
                let parts: Vec<String> = [name].into_iter().chain(text(&value)).chain(objects).collect();
                parts.join(" ")
            }
            Ok(_) | Err(_) => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::UserCommand;

    #[test]
    fn label_names_the_object_and_no_text() {
        let label = |json: serde_json::Value| serde_json::from_value::<UserCommand>(json).unwrap().label();
        assert_eq!(UserCommand::PauseRun.label(), "pauseRun");
        assert_eq!(label(serde_json::json!({"pauseTask": "T1.2"})), "pauseTask T1.2");
        let answer = serde_json::json!({"answer": {"question": "q_3", "task": null, "answer": "secret"}});
        assert_eq!(label(answer), "answer q_3");
        assert_eq!(label(serde_json::json!({"approveGate": {"phase": 2, "note": "ok"}})), "approveGate 2");
    }
}
