//! What can be said, as a command line.

use std::collections::BTreeMap;

use clap::{Subcommand, ValueEnum};
use domain::{
    AgentError, AgentMessage, AgentName, AskUser, AskUserType, DeliverResult, DependencyRequest,
    DependencyType, DirectMessage, DirectType, DoneMessage, ErrorType, FailMessage, InvokeMessage, NeedHuman,
    PhaseComplete, ProgressMessage, Recovery, ResultType, StepComplete, TaskId, TestFeedback,
};

use crate::failure::Failure;

#[derive(Debug, Clone, Subcommand)]
pub enum Words {
    /// Asks a question; the task waits for the answer
    Ask {
        /// What is asked
        question: String,
        /// An answer that is offered; may be there several times
        #[arg(long = "option")]
        options: Vec<String>,
        /// The answer that you would take
        #[arg(long)]
        default: Option<String>,
        /// What one should know to answer
        #[arg(long)]
        context: Option<String>,
        /// You can go on with the default if nobody answers
        #[arg(long)]
        optional: bool,
    },
    /// Asks the person, as the orchestrator
    NeedHuman {
        /// What is asked
        question: String,
    },
    /// Calls another agent; the task waits for its result
    Invoke {
        /// Who is called
        agent: AgentName,
        /// What it should do
        task: String,
        /// What it should know
        #[arg(long)]
        context: Option<String>,
    },
    /// Delivers a result to another agent
    Deliver {
        /// Who gets it
        agent: AgentName,
        /// The result
        content: String,
        /// What kind of result it is
        #[arg(long, value_enum, default_value_t = Kind::Message)]
        kind: Kind,
    },
    /// Asks for something from outside; the task waits for it
    Request {
        /// What kind of thing it is
        #[arg(value_enum)]
        kind: Need,
        /// Its name
        name: String,
        /// What it is for
        description: String,
        /// What you would take instead
        #[arg(long)]
        default: Option<String>,
        /// The task can be done without it
        #[arg(long)]
        optional: bool,
    },
    /// Says that a task is done
    Done {
        /// The task
        task: TaskId,
    },
    /// Says that a task failed
    Fail {
        /// The task
        task: TaskId,
        /// Why
        reason: Option<String>,
    },
    /// Says that a step is done
    Step {
        /// What was done
        summary: Option<String>,
    },
    /// Says how far the task is
    Progress {
        /// From 0 to 1
        progress: Option<f64>,
        /// What is being done
        #[arg(long)]
        task: Option<String>,
    },
    /// Says something to another session
    Direct {
        /// Who gets it
        agent: AgentName,
        /// What
        content: String,
        /// What it is
        #[arg(long, value_enum)]
        kind: Option<Line>,
    },
    /// Tells a worker what a test found, as JSON
    Feedback {
        /// Who gets it
        agent: AgentName,
        /// The outcome: {"success":false,"failures":[{"name":"…"}]}
        json: String,
    },
    /// Says that a phase is complete
    PhaseComplete {
        /// The phase's number
        phase: u32,
        /// A document that was written; may be there several times
        #[arg(long = "document")]
        documents: Vec<String>,
    },
    /// Reports an error
    Error {
        /// What went wrong
        message: String,
        /// What should be done about it
        #[arg(long, value_enum, default_value_t = Then::NotifyUser)]
        recovery: Then,
        /// You can't go on
        #[arg(long)]
        fatal: bool,
        /// More about it
        #[arg(long)]
        details: Option<String>,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Kind {
    GithubIssue,
    Markdown,
    Json,
    FilePath,
    Message,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Need {
    ApiKey,
    EnvVariable,
    Service,
    File,
    Permission,
    Package,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Line {
    Result,
    Feedback,
    Query,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Then {
    PauseAndRetry,
    CheckpointAndFail,
    NotifyUser,
}

impl Words {
    /// Returns the message.
    pub fn said(&self) -> Result<AgentMessage, Failure> {
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
            Self::Done { task: task_id } => {
                AgentMessage::Done(DoneMessage { task_id, phase: None, fields: BTreeMap::new() })
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
                    what: format!("read the feedback: {error}"),
                    hint: Some(
                        r#"write {"success":false,"failures":[{"name":"…","expected":"…"}]}"#.to_owned(),
                    ),
                    exit: 1,
                })?;
                // Written anew on one line, so that it can't be taken for anything else.
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

impl From<Kind> for ResultType {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::GithubIssue => Self::GithubIssue,
            Kind::Markdown => Self::Markdown,
            Kind::Json => Self::Json,
            Kind::FilePath => Self::FilePath,
            Kind::Message => Self::Message,
        }
    }
}

impl From<Need> for DependencyType {
    fn from(need: Need) -> Self {
        match need {
            Need::ApiKey => Self::ApiKey,
            Need::EnvVariable => Self::EnvVariable,
            Need::Service => Self::Service,
            Need::File => Self::File,
            Need::Permission => Self::Permission,
            Need::Package => Self::Package,
        }
    }
}

impl From<Line> for DirectType {
    fn from(line: Line) -> Self {
        match line {
            Line::Result => Self::Result,
            Line::Feedback => Self::Feedback,
            Line::Query => Self::Query,
        }
    }
}

impl From<Then> for Recovery {
    fn from(then: Then) -> Self {
        match then {
            Then::PauseAndRetry => Self::PauseAndRetry,
            Then::CheckpointAndFail => Self::CheckpointAndFail,
            Then::NotifyUser => Self::NotifyUser,
        }
    }
}
