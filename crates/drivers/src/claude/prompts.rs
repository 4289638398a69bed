//! Prompts of Claude Code: permission to use a tool, its own questions, and questions of MCP servers.

use std::path::Path;

use domain::{PermissionKind, PermissionRequest};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use crate::{
    driver::{DriverEvent, PromptOption},
    json::{LenientText, OrderedMap},
    question_form::{Choice, FieldKind, FieldValue, FormSchema, QuestionField, QuestionForm},
    worktree_path::WorktreePath,
};

use super::output_lines::inner;

/// The message to the model when a permission is denied.
const DENIED: &str = "This was not allowed. Go on without it, or ask.";

/// A prompt that waits for an answer.
#[derive(Debug)]
pub(super) enum PendingPrompt {
    /// A permission to use a tool.
    Tool { tool: String, input: Box<RawValue> },
    /// A question of the agent; the answer is added to the tool's input.
    Question { tool: String, input: OrderedMap<Box<RawValue>>, form: QuestionForm },
    /// A question of an MCP server.
    Elicitation { form: QuestionForm },
}

/// The answer to a prompt.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Answer {
    Tool(ToolAnswer),
    Elicitation(ElicitationAnswer),
}

#[derive(Debug, Serialize)]
#[serde(tag = "behavior", rename_all = "lowercase")]
pub(super) enum ToolAnswer {
    Allow {
        #[serde(rename = "updatedInput")]
        updated_input: Box<RawValue>,
    },
    Deny {
        message: &'static str,
        interrupt: bool,
    },
}

#[derive(Debug, Serialize)]
#[serde(tag = "action", rename_all = "lowercase")]
pub(super) enum ElicitationAnswer {
    Accept { content: OrderedMap<FieldValue> },
    Decline,
}

impl PendingPrompt {
    /// Returns the agent's id of the tool use.
    pub(super) fn tool(&self) -> Option<&String> {
        match self {
            Self::Tool { tool, .. } | Self::Question { tool, .. } => Some(tool),
            Self::Elicitation { .. } => None,
        }
    }

    /// Returns the answer yes or no. A question can be declined this way, but not answered.
    pub(super) fn permission(&self, is_allowed: bool) -> Option<Answer> {
        match self {
            Self::Tool { input, .. } if is_allowed => {
                Some(Answer::Tool(ToolAnswer::Allow { updated_input: input.clone() }))
            }
            Self::Question { .. } | Self::Elicitation { .. } if is_allowed => None,
            Self::Tool { .. } | Self::Question { .. } => {
                Some(Answer::Tool(ToolAnswer::Deny { message: DENIED, interrupt: false }))
            }
            Self::Elicitation { .. } => Some(Answer::Elicitation(ElicitationAnswer::Decline)),
        }
    }

    /// Returns the answer to a question.
    pub(super) fn answer(&self, answer: &str) -> Option<Answer> {
        match self {
            Self::Tool { .. } => None,
            Self::Question { input, form, .. } => {
                let mut input = input.clone();
                input.0.retain(|(key, _)| key != "answers");
                input.0.push(("answers".to_owned(), to_raw_value(&texts(form.answers(answer))).ok()?));
                let updated_input = to_raw_value(&input).ok()?;
                Some(Answer::Tool(ToolAnswer::Allow { updated_input }))
            }
            Self::Elicitation { form } if form.is_refused(answer) => self.permission(false),
            Self::Elicitation { form } => {
                let content = OrderedMap(form.answers(answer));
                Some(Answer::Elicitation(ElicitationAnswer::Accept { content }))
            }
        }
    }
}

/// Converts answers to the format of the agent's own questions: several choices are one text.
fn texts(answers: Vec<(String, FieldValue)>) -> OrderedMap<FieldValue> {
    let text = |given| match given {
        FieldValue::Texts(several) => FieldValue::Text(several.join(", ")),
        FieldValue::Text(_) | FieldValue::Number(_) | FieldValue::Flag(_) => given,
    };
    OrderedMap(answers.into_iter().map(|(key, given)| (key, text(given))).collect())
}

/// Reads a request; `None` if it is unknown.
pub(super) fn read(directory: &Path, id: &str, request: &RawValue) -> Option<(PendingPrompt, DriverEvent)> {
    let Request { subtype } = inner(request)?;
    match &*subtype {
        "can_use_tool" => {
            let request: CanUseTool = inner(request)?;
            question(id, &request).or_else(|| permission(directory, id, request))
        }
        "elicitation" => {
            let Elicitation { message, url, requested_schema } = inner(request)?;
            let form = requested_schema.unwrap_or_default().form(message, url);
            let question = Box::new(form.to_question());
            Some((
                PendingPrompt::Elicitation { form },
                DriverEvent::Question { prompt: id.to_owned(), question },
            ))
        }
        _ => None,
    }
}

fn question(id: &str, request: &CanUseTool) -> Option<(PendingPrompt, DriverEvent)> {
    let input = Some(&*request.input).filter(|_| request.tool_name == "AskUserQuestion")?;
    let Questions { questions } = inner(input)?;
    let form = QuestionForm { title: None, fields: questions.into_iter().map(Question::field).collect() };
    let question = Box::new(form.to_question());
    let tool = request.tool_use_id.0.clone().unwrap_or_default();
    let pending = PendingPrompt::Question { tool, input: inner(input)?, form };
    Some((pending, DriverEvent::Question { prompt: id.to_owned(), question }))
}

fn permission(directory: &Path, id: &str, request: CanUseTool) -> Option<(PendingPrompt, DriverEvent)> {
    let (kind, subject, in_worktree) = classify(directory, &request.tool_name, &request.input);
    // For files, the description repeats the name.
    let details = [request.description, request.decision_reason].into_iter().filter_map(|detail| detail.0);
    let details = details.filter(|detail| *detail != subject);
    let detail = Some(details.collect::<Vec<_>>().join("\n")).filter(|detail| !detail.is_empty());
    let permission = PermissionRequest { prompt: id.to_owned(), kind, subject, in_worktree, detail };
    let option = |id: &str, label: &str, allows| PromptOption {
        id: id.to_owned(),
        label: label.to_owned(),
        allows,
        is_permanent: false,
    };
    let options = vec![option("allow", "Yes", true), option("deny", "No", false)];
    let tool = request.tool_use_id.0.unwrap_or_default();
    Some((
        PendingPrompt::Tool { tool, input: request.input },
        DriverEvent::Permission { request: permission, options },
    ))
}

/// Returns the kind of a tool use, its subject, and whether that is in the worktree.
fn classify(directory: &Path, tool: &str, input: &RawValue) -> (PermissionKind, String, bool) {
    let input: Input = inner(input).unwrap_or_default();
    let path = |kind, path: Option<&str>| {
        // Search tools without a path use the working directory.
        let resolved = WorktreePath::resolve(directory, path.unwrap_or_default());
        (kind, resolved.name, resolved.in_worktree)
    };
    match tool {
        "Edit" | "MultiEdit" | "Write" if input.file_path.0.is_some() => {
            path(PermissionKind::Edit, input.file_path.text())
        }
        "NotebookEdit" if input.notebook_path.0.is_some() => {
            path(PermissionKind::Edit, input.notebook_path.text())
        }
        "Read" if input.file_path.0.is_some() => path(PermissionKind::Read, input.file_path.text()),
        "Glob" | "Grep" | "LS" => path(PermissionKind::Read, input.path.text()),
        "Bash" | "PowerShell" => (PermissionKind::Run, input.command.0.unwrap_or_default(), false),
        "WebFetch" => (PermissionKind::Fetch, input.url.0.unwrap_or_default(), false),
        "WebSearch" => (PermissionKind::Fetch, input.query.0.unwrap_or_default(), false),
        _ => (PermissionKind::Other, tool.to_owned(), false),
    }
}

/// Returns the title of a tool use, for people.
pub(super) fn title(directory: &Path, tool: &str, input: &RawValue) -> String {
    let (kind, subject, _) = classify(directory, tool, input);
    if kind == PermissionKind::Other { subject } else { format!("{tool} {subject}") }
}

#[derive(Debug, Deserialize)]
struct Request {
    subtype: String,
}

#[derive(Debug, Deserialize)]
struct CanUseTool {
    tool_name: String,
    input: Box<RawValue>,
    #[serde(default)]
    description: LenientText,
    #[serde(default)]
    decision_reason: LenientText,
    #[serde(default)]
    tool_use_id: LenientText,
}

/// The inputs of all known tools.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Input {
    command: LenientText,
    file_path: LenientText,
    notebook_path: LenientText,
    path: LenientText,
    url: LenientText,
    query: LenientText,
}

#[derive(Debug, Deserialize)]
struct Questions {
    questions: Vec<Question>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Question {
    question: String,
    #[serde(default)]
    options: Vec<QuestionOption>,
    #[serde(default)]
    multi_select: bool,
}

#[derive(Debug, Deserialize)]
struct QuestionOption {
    label: String,
    #[serde(default)]
    description: LenientText,
}

impl Question {
    fn field(self) -> QuestionField {
        let choice =
            |option: QuestionOption| Choice { label: option.label, description: option.description.0 };
        let choices: Vec<_> = self.options.into_iter().map(choice).collect();
        let kind = match (self.multi_select, choices.is_empty()) {
            (_, true) => FieldKind::Text,
            (true, false) => FieldKind::Several,
            (false, false) => FieldKind::One,
        };
        // The agent identifies its questions by their text.
        QuestionField { key: self.question.clone(), question: self.question, kind, choices }
    }
}

#[derive(Debug, Deserialize)]
struct Elicitation {
    #[serde(default)]
    message: LenientText,
    #[serde(default)]
    url: LenientText,
    requested_schema: Option<FormSchema>,
}
