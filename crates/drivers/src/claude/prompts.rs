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

use super::output_lines::parse_raw_value;

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
pub(super) enum PromptAnswer {
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
        message: String,
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
    pub(super) fn tool_use_id(&self) -> Option<&String> {
        match self {
            Self::Tool { tool, .. } | Self::Question { tool, .. } => Some(tool),
            Self::Elicitation { .. } => None,
        }
    }

    /// Returns the answer yes or no. A question can be declined this way, but not answered. The model reads the reason
    /// of a denial as the result of its tool use.
    pub(super) fn permission_answer(&self, is_allowed: bool, reason: Option<&str>) -> Option<PromptAnswer> {
        match self {
            Self::Tool { input, .. } if is_allowed => {
                Some(PromptAnswer::Tool(ToolAnswer::Allow { updated_input: input.clone() }))
            }
            Self::Question { .. } | Self::Elicitation { .. } if is_allowed => None,
            Self::Tool { .. } | Self::Question { .. } => {
                let message = reason.unwrap_or(DENIED).to_owned();
                Some(PromptAnswer::Tool(ToolAnswer::Deny { message, interrupt: false }))
            }
            Self::Elicitation { .. } => Some(PromptAnswer::Elicitation(ElicitationAnswer::Decline)),
        }
    }

    /// Returns the answer to a question.
    pub(super) fn text_answer(&self, answer: &str) -> Option<PromptAnswer> {
        match self {
            Self::Tool { .. } => None,
            Self::Question { input, form, .. } => {
                let mut input = input.clone();
                input.0.retain(|(key, _)| key != "answers");
                input.0.push((
                    "answers".to_owned(),
                    to_raw_value(&join_multiple_choices(form.parse_answers(answer))).ok()?,
                ));
                let updated_input = to_raw_value(&input).ok()?;
                Some(PromptAnswer::Tool(ToolAnswer::Allow { updated_input }))
            }
            Self::Elicitation { form } if form.is_refused(answer) => self.permission_answer(false, None),
            Self::Elicitation { form } => {
                let content = OrderedMap(form.parse_answers(answer));
                Some(PromptAnswer::Elicitation(ElicitationAnswer::Accept { content }))
            }
        }
    }
}

/// Converts answers to the format of the agent's own questions: several choices are one text.
fn join_multiple_choices(answers: Vec<(String, FieldValue)>) -> OrderedMap<FieldValue> {
    let text = |given| match given {
        FieldValue::Texts(several) => FieldValue::Text(several.join(", ")),
        FieldValue::Text(_) | FieldValue::Number(_) | FieldValue::Flag(_) => given,
    };
    OrderedMap(answers.into_iter().map(|(key, given)| (key, text(given))).collect())
}

/// Reads a request; `None` if it is unknown.
pub(super) fn parse_prompt(
    directory: &Path,
    id: &str,
    request: &RawValue,
) -> Option<(PendingPrompt, DriverEvent)> {
    let RequestHead { subtype } = parse_raw_value(request)?;
    match &*subtype {
        "can_use_tool" => {
            let request: CanUseToolRequest = parse_raw_value(request)?;
            parse_question(id, &request).or_else(|| parse_permission(directory, id, request))
        }
        "elicitation" => {
            let ElicitationRequest { message, url, requested_schema } = parse_raw_value(request)?;
            let form = requested_schema.unwrap_or_default().into_form(message, url);
            let question = Box::new(form.to_question());
            Some((
                PendingPrompt::Elicitation { form },
                DriverEvent::Question { prompt: id.to_owned(), question },
            ))
        }
        _ => None,
    }
}

fn parse_question(id: &str, request: &CanUseToolRequest) -> Option<(PendingPrompt, DriverEvent)> {
    let input = Some(&*request.input).filter(|_| request.tool_name == "AskUserQuestion")?;
    let AskUserQuestionInput { questions } = parse_raw_value(input)?;
    let form =
        QuestionForm { title: None, fields: questions.into_iter().map(Question::into_field).collect() };
    let question = Box::new(form.to_question());
    let tool = request.tool_use_id.0.clone().unwrap_or_default();
    let pending = PendingPrompt::Question { tool, input: parse_raw_value(input)?, form };
    Some((pending, DriverEvent::Question { prompt: id.to_owned(), question }))
}

fn parse_permission(
    directory: &Path,
    id: &str,
    request: CanUseToolRequest,
) -> Option<(PendingPrompt, DriverEvent)> {
    let (kind, subject, in_worktree) = classify_tool_use(directory, &request.tool_name, &request.input);
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
fn classify_tool_use(directory: &Path, tool: &str, input: &RawValue) -> (PermissionKind, String, bool) {
    let input: ToolInput = parse_raw_value(input).unwrap_or_default();
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
pub(super) fn tool_title(directory: &Path, tool: &str, input: &RawValue) -> String {
    let (kind, subject, _) = classify_tool_use(directory, tool, input);
    if kind == PermissionKind::Other { subject } else { format!("{tool} {subject}") }
}

#[derive(Debug, Deserialize)]
struct RequestHead {
    subtype: String,
}

#[derive(Debug, Deserialize)]
struct CanUseToolRequest {
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
struct ToolInput {
    command: LenientText,
    file_path: LenientText,
    notebook_path: LenientText,
    path: LenientText,
    url: LenientText,
    query: LenientText,
}

#[derive(Debug, Deserialize)]
struct AskUserQuestionInput {
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
    fn into_field(self) -> QuestionField {
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
struct ElicitationRequest {
    #[serde(default)]
    message: LenientText,
    #[serde(default)]
    url: LenientText,
    requested_schema: Option<FormSchema>,
}
