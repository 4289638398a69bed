//! What Claude Code asks: whether it may use a tool, a question of its own, a question of an MCP server's.

use std::path::Path;

use domain::{PermissionKind, PermissionRequest};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use crate::{
    driver::{Happening, PromptOption},
    form::{Choice, Field, Form, Given, Kind, Schema},
    json::{Loose, Ordered},
    place::place,
};

use super::read::inner;

/// What the model is told when it may not.
const DENIED: &str = "This was not allowed. Go on without it, or ask.";

/// Something that the agent waits for.
#[derive(Debug)]
pub(super) enum Asked {
    /// A tool wants to be used.
    Tool { tool: String, input: Box<RawValue> },
    /// The agent asks; the answer goes back beside what it asked.
    Question { tool: String, input: Ordered<Box<RawValue>>, form: Form },
    /// An MCP server asks.
    Elicitation { form: Form },
}

/// What the agent gets.
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
    Accept { content: Ordered<Given> },
    Decline,
}

impl Asked {
    /// Returns the agent's own id of the tool's use.
    pub(super) fn tool(&self) -> Option<&String> {
        match self {
            Self::Tool { tool, .. } | Self::Question { tool, .. } => Some(tool),
            Self::Elicitation { .. } => None,
        }
    }

    /// Returns a yes or a no. A question can be refused so, but not answered.
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
                let content = Ordered(form.answers(answer));
                Some(Answer::Elicitation(ElicitationAnswer::Accept { content }))
            }
        }
    }
}

/// Returns answers as the agent's own questions want them: several are one text.
fn texts(answers: Vec<(String, Given)>) -> Ordered<Given> {
    let text = |given| match given {
        Given::Several(several) => Given::Text(several.join(", ")),
        Given::Text(_) | Given::Number(_) | Given::Yes(_) => given,
    };
    Ordered(answers.into_iter().map(|(key, given)| (key, text(given))).collect())
}

/// Reads a request, unless it is one that is not known.
pub(super) fn read(directory: &Path, id: &str, request: &RawValue) -> Option<(Asked, Happening)> {
    let Request { subtype } = inner(request)?;
    match &*subtype {
        "can_use_tool" => {
            let request: CanUseTool = inner(request)?;
            question(id, &request).or_else(|| permission(directory, id, request))
        }
        "elicitation" => {
            let Elicitation { message, url, requested_schema } = inner(request)?;
            let form = requested_schema.unwrap_or_default().form(message, url);
            let asked = Box::new(form.asked());
            Some((Asked::Elicitation { form }, Happening::Prompt { prompt: id.to_owned(), asked }))
        }
        _ => None,
    }
}

fn question(id: &str, request: &CanUseTool) -> Option<(Asked, Happening)> {
    let input = Some(&*request.input).filter(|_| request.tool_name == "AskUserQuestion")?;
    let Questions { questions } = inner(input)?;
    let form = Form { title: None, fields: questions.into_iter().map(Question::field).collect() };
    let asked = Box::new(form.asked());
    let tool = request.tool_use_id.0.clone().unwrap_or_default();
    let question = Asked::Question { tool, input: inner(input)?, form };
    Some((question, Happening::Prompt { prompt: id.to_owned(), asked }))
}

fn permission(directory: &Path, id: &str, request: CanUseTool) -> Option<(Asked, Happening)> {
    let (kind, subject, in_worktree) = wish(directory, &request.tool_name, &request.input);
    // Of a file the description is its name again.
    let details = [request.description, request.decision_reason].into_iter().filter_map(|detail| detail.0);
    let details = details.filter(|detail| *detail != subject);
    let detail = Some(details.collect::<Vec<_>>().join("\n")).filter(|detail| !detail.is_empty());
    let wish = PermissionRequest { prompt: id.to_owned(), kind, subject, in_worktree, detail };
    let option = |id: &str, label: &str, allows| PromptOption {
        id: id.to_owned(),
        label: label.to_owned(),
        allows,
        is_kept: false,
    };
    let options = vec![option("allow", "Yes", true), option("deny", "No", false)];
    let tool = request.tool_use_id.0.unwrap_or_default();
    Some((Asked::Tool { tool, input: request.input }, Happening::Permission { wish, options }))
}

/// Returns what a tool does, on what, and whether that lies below the working directory.
fn wish(directory: &Path, tool: &str, input: &RawValue) -> (PermissionKind, String, bool) {
    let input: Input = inner(input).unwrap_or_default();
    let path = |kind, path: Option<&str>| {
        // A tool that searches names no path where it means the working directory.
        let place = place(directory, path.unwrap_or_default());
        (kind, place.name, place.in_worktree)
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

/// Returns what people read of a tool's use.
pub(super) fn title(directory: &Path, tool: &str, input: &RawValue) -> String {
    let (kind, subject, _) = wish(directory, tool, input);
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
    description: Loose,
    #[serde(default)]
    decision_reason: Loose,
    #[serde(default)]
    tool_use_id: Loose,
}

/// What the tools that are known are given.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Input {
    command: Loose,
    file_path: Loose,
    notebook_path: Loose,
    path: Loose,
    url: Loose,
    query: Loose,
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
    description: Loose,
}

impl Question {
    fn field(self) -> Field {
        let choice =
            |option: QuestionOption| Choice { label: option.label, description: option.description.0 };
        let choices: Vec<_> = self.options.into_iter().map(choice).collect();
        let kind = match (self.multi_select, choices.is_empty()) {
            (_, true) => Kind::Text,
            (true, false) => Kind::Several,
            (false, false) => Kind::One,
        };
        // The agent knows its questions by their words.
        Field { key: self.question.clone(), question: self.question, kind, choices }
    }
}

#[derive(Debug, Deserialize)]
struct Elicitation {
    #[serde(default)]
    message: Loose,
    #[serde(default)]
    url: Loose,
    requested_schema: Option<Schema>,
}
