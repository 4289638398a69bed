//! The messages that agents send, as subcommands.

use std::collections::BTreeMap;

use clap::{Subcommand, ValueEnum};
use domain::{
    AgentError, AgentMessage, AgentName, AskUser, AskUserType, DeliverResult, DependencyRequest,
    DependencyType, DirectMessage, DirectType, DoneMessage, ErrorType, FailMessage, InvokeMessage, NeedHuman,
    PhaseComplete, ProgressMessage, Recovery, ResultType, StepComplete, TaskId, TestFeedback,
};

use crate::failure::Failure;

#[derive(Debug, Clone, Subcommand)]
pub(super) enum MessageCommand {
    /// Ask a question; the task waits for the answer
    Ask {
        /// Text of the question
        question: String,
        /// Suggested answer; repeat for several
        #[arg(long = "option", value_name = "TEXT")]
        options: Vec<String>,
        /// Answer that you suggest
        #[arg(long)]
        default: Option<String>,
        /// Background for the answer
        #[arg(long)]
        context: Option<String>,
        /// The task can continue with the default
        #[arg(long)]
        optional: bool,
    },
    /// Ask the user, as the orchestrator
    NeedHuman {
        /// Text of the question
        question: String,
    },
    /// Call another agent; the task waits for its result
    Invoke {
        /// Agent to call
        agent: AgentName,
        /// Task for the agent
        task: String,
        /// Background for the agent
        #[arg(long)]
        context: Option<String>,
    },
    /// Deliver a result to another agent
    Deliver {
        /// Agent that receives it
        agent: AgentName,
        /// Content of the result
        content: String,
        /// Kind of result
        #[arg(long, value_enum, default_value_t = ResultKind::Message)]
        kind: ResultKind,
    },
    /// Request a dependency; the task waits for it
    Request {
        /// Kind of dependency
        #[arg(value_enum)]
        kind: RequestKind,
        /// Name of the dependency
        name: String,
        /// What it is needed for
        description: String,
        /// What can be used instead
        #[arg(long)]
        default: Option<String>,
        /// The task can continue without it
        #[arg(long)]
        optional: bool,
    },
    /// Report a task as done
    Done {
        /// Task, such as T1.2
        task: TaskId,
        /// Why nothing had to change, if the files are as before
        reason: Option<String>,
    },
    /// Report a task as failed
    Fail {
        /// Task, such as T1.2
        task: TaskId,
        /// Reason for the failure
        reason: Option<String>,
    },
    /// Report a step as done
    Step {
        /// Summary of the step
        summary: Option<String>,
    },
    /// Report the progress of the task
    Progress {
        /// Progress from 0 to 1
        progress: Option<f64>,
        /// What is being done
        #[arg(long)]
        task: Option<String>,
    },
    /// Send a direct message to another agent
    Direct {
        /// Agent that receives it
        agent: AgentName,
        /// Text of the message
        content: String,
        /// Kind of message
        #[arg(long, value_enum)]
        kind: Option<DirectKind>,
    },
    /// Send test results to a worker, as JSON
    Feedback {
        /// Agent that receives it
        agent: AgentName,
        /// Test results, such as {"success":false,"failures":[{"name":"…"}]}
        json: String,
    },
    /// Report a phase as complete
    PhaseComplete {
        /// Number of the phase
        phase: u32,
        /// Document that was written; repeat for several
        #[arg(long = "document", value_name = "PATH")]
        documents: Vec<String>,
    },
    /// Report an error
    Error {
        /// Description of the error
        message: String,
        /// How to handle the error
        #[arg(long, value_enum, default_value_t = RecoveryAction::NotifyUser)]
        recovery: RecoveryAction,
        /// The agent cannot continue
        #[arg(long)]
        fatal: bool,
        /// Further details, such as a stack trace
        #[arg(long)]
        details: Option<String>,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum ResultKind {
    GithubIssue,
    Markdown,
    Json,
    FilePath,
    Message,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum RequestKind {
    ApiKey,
    EnvVariable,
    Service,
    File,
    Permission,
    Package,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum DirectKind {
    Result,
    Feedback,
    Query,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum RecoveryAction {
    PauseAndRetry,
    CheckpointAndFail,
    NotifyUser,
}

impl MessageCommand {
    pub(super) fn message(&self) -> Result<AgentMessage, Failure> {
        Ok(match self.clone() {
            Self::Ask { question, options, default, context, optional } => AgentMessage::AskUser(AskUser {
                question,
                r#type: if options.is_empty() { AskUserType::Text } else { AskUserType::Selection },
                options,
                context,
                default,
                required: !optional,
            }),
            Self::NeedHuman { question } => AgentMessage::NeedHuman(NeedHuman { question }),
            Self::Invoke { agent: target, task, context } => {
                AgentMessage::Invoke(InvokeMessage { target, task, context })
            }
            Self::Deliver { agent: target, content, kind } => {
                AgentMessage::DeliverResult(DeliverResult { target, result_type: kind.into(), content })
            }
            Self::Request { kind, name, description, default, optional } => {
                AgentMessage::DependencyRequest(DependencyRequest {
                    r#type: kind.into(),
                    name,
                    description,
                    required: !optional,
                    default,
                    extra: BTreeMap::new(),
                })
            }
            Self::Done { task: task_id, reason } => {
                AgentMessage::Done(DoneMessage { task_id, phase: None, reason, fields: BTreeMap::new() })
            }
            Self::Fail { task: task_id, reason } => {
                AgentMessage::Fail(FailMessage { task_id, phase: None, reason, fields: BTreeMap::new() })
            }
            Self::Step { summary } => AgentMessage::StepComplete(StepComplete { summary }),
            Self::Progress { progress, task } => AgentMessage::Progress(ProgressMessage { progress, task }),
            Self::Direct { agent: target, content, kind } => {
                AgentMessage::Direct(DirectMessage { target, r#type: kind.map(DirectType::from), content })
            }
            Self::Feedback { agent: target, json } => {
                let feedback: TestFeedback = serde_json::from_str(&json).map_err(|error| Failure {
                    what: format!("The feedback is not valid JSON ({error})."),
                    hint: Some(
                        r#"Write {"success":false,"failures":[{"name":"…","expected":"…"}]}"#.to_owned(),
                    ),
                    exit: 1,
                })?;
                // Serialized on one line, so that it cannot contain a message of its own.
                let content = serde_json::to_string(&feedback).unwrap_or(json);
                AgentMessage::Direct(DirectMessage { target, r#type: Some(DirectType::Feedback), content })
            }
            Self::PhaseComplete { phase, documents } => {
                AgentMessage::PhaseComplete(PhaseComplete { phase, name: None, documents })
            }
            Self::Error { message, recovery, fatal, details } => AgentMessage::Error(AgentError {
                r#type: if fatal { ErrorType::Fatal } else { ErrorType::Recoverable },
                message,
                details,
                recovery: recovery.into(),
                resets_at: None,
                extra: BTreeMap::new(),
            }),
        })
    }
}

impl From<ResultKind> for ResultType {
    fn from(kind: ResultKind) -> Self {
        match kind {
            ResultKind::GithubIssue => Self::GithubIssue,
            ResultKind::Markdown => Self::Markdown,
            ResultKind::Json => Self::Json,
            ResultKind::FilePath => Self::FilePath,
            ResultKind::Message => Self::Message,
        }
    }
}

impl From<RequestKind> for DependencyType {
    fn from(kind: RequestKind) -> Self {
        match kind {
            RequestKind::ApiKey => Self::ApiKey,
            RequestKind::EnvVariable => Self::EnvVariable,
            RequestKind::Service => Self::Service,
            RequestKind::File => Self::File,
            RequestKind::Permission => Self::Permission,
            RequestKind::Package => Self::Package,
        }
    }
}

impl From<DirectKind> for DirectType {
    fn from(kind: DirectKind) -> Self {
        match kind {
            DirectKind::Result => Self::Result,
            DirectKind::Feedback => Self::Feedback,
            DirectKind::Query => Self::Query,
        }
    }
}

impl From<RecoveryAction> for Recovery {
    fn from(action: RecoveryAction) -> Self {
        match action {
            RecoveryAction::PauseAndRetry => Self::PauseAndRetry,
            RecoveryAction::CheckpointAndFail => Self::CheckpointAndFail,
            RecoveryAction::NotifyUser => Self::NotifyUser,
        }
    }
}
