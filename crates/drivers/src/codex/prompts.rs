//! Prompts of Codex: permission for commands, patches and MCP tools, and questions.

use std::{collections::VecDeque, path::Path};

use domain::{PermissionKind, PermissionRequest};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::{
    driver::{DriverEvent, OutgoingBytes, PromptOption},
    json::{LenientText, OrderedMap},
    question_form::{Choice, FieldKind, FieldValue, FormSchema, QuestionField, QuestionForm},
    worktree_path::WorktreePath,
};

use super::{
    messages::{ThreadItem, parse_raw},
    requests,
    shell_command::unwrap_shell_command,
};

/// A prompt that waits for an answer.
#[derive(Debug)]
pub(super) struct PendingPrompt {
    /// The raw id of the request. Unique per process only, so the prompt's id includes the turn.
    id: String,
    prompt: String,
    what: PromptKind,
}

#[derive(Debug)]
enum PromptKind {
    /// A command or a patch.
    Act,
    /// Permissions beyond a single action.
    Rights(Box<RawValue>),
    McpTool,
    Question(QuestionForm),
    Elicitation(QuestionForm),
}

#[derive(Serialize)]
struct DecisionReply {
    decision: &'static str,
}

#[derive(Serialize)]
struct ElicitationReply {
    action: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<OrderedMap<FieldValue>>,
}

#[derive(Serialize)]
struct GrantedPermissions<'a> {
    permissions: Option<&'a RawValue>,
}

#[derive(Serialize)]
struct AnswersReply {
    answers: OrderedMap<FieldAnswers>,
}

#[derive(Serialize)]
struct FieldAnswers {
    answers: Vec<FieldValue>,
}

impl PendingPrompt {
    pub(super) fn request_id(&self) -> &str {
        &self.id
    }

    pub(super) fn prompt_id(&self) -> &str {
        &self.prompt
    }

    /// Returns the answer yes or no. A question can be declined this way, but not answered.
    pub(super) fn permission_answer(&self, is_allowed: bool) -> Option<Vec<OutgoingBytes>> {
        let elicited =
            |action, content| requests::encode_response(&self.id, &ElicitationReply { action, content });
        match &self.what {
            // "cancel" would end the turn; "decline" lets the model continue, and works although it is not offered.
            PromptKind::Act => {
                let decision = if is_allowed { "accept" } else { "decline" };
                Some(requests::encode_response(&self.id, &DecisionReply { decision }))
            }
            PromptKind::Rights(asked) => {
                let nothing = RawValue::from_string("{}".to_owned()).ok();
                let permissions = if is_allowed { Some(&**asked) } else { nothing.as_deref() };
                Some(requests::encode_response(&self.id, &GrantedPermissions { permissions }))
            }
            PromptKind::McpTool if is_allowed => Some(elicited("accept", Some(OrderedMap::default()))),
            PromptKind::Question(_) | PromptKind::Elicitation(_) if is_allowed => None,
            PromptKind::Question(_) => {
                Some(requests::encode_response(&self.id, &AnswersReply { answers: OrderedMap::default() }))
            }
            PromptKind::McpTool | PromptKind::Elicitation(_) => Some(elicited("decline", None)),
        }
    }

    /// Returns the answer to a question.
    pub(super) fn text_answer(&self, answer: &str) -> Option<Vec<OutgoingBytes>> {
        match &self.what {
            PromptKind::Act | PromptKind::Rights(_) | PromptKind::McpTool => None,
            PromptKind::Question(form) => {
                let answers = form.parse_answers(answer).into_iter();
                let answers =
                    answers.map(|(key, given)| (key, FieldAnswers { answers: vec![given] })).collect();
                Some(requests::encode_response(&self.id, &AnswersReply { answers: OrderedMap(answers) }))
            }
            PromptKind::Elicitation(form) if form.is_refused(answer) => self.permission_answer(false),
            PromptKind::Elicitation(form) => {
                let content = Some(OrderedMap(form.parse_answers(answer)));
                Some(requests::encode_response(&self.id, &ElicitationReply { action: "accept", content }))
            }
        }
    }
}

/// Reads a request; `None` if it is unknown.
pub(super) fn parse_prompt(
    directory: &Path,
    items: &VecDeque<ThreadItem>,
    method: &str,
    id: &str,
    params: &str,
) -> Option<(PendingPrompt, DriverEvent)> {
    let request: PromptRequest = parse_raw(params)?;
    let prompt = format!("{}/{}", request.turn_id.text().unwrap_or_default(), id.trim_matches('"'));
    let pending = |what| PendingPrompt { id: id.to_owned(), prompt: prompt.clone(), what };
    let may = |what, kind, subject, in_worktree, detail| {
        let request = PermissionRequest { prompt: prompt.clone(), kind, subject, in_worktree, detail };
        Some((pending(what), DriverEvent::Permission { request, options: yes_no_options() }))
    };
    let question = |what: fn(QuestionForm) -> PromptKind, form: QuestionForm| {
        let prompt = prompt.clone();
        let happening = DriverEvent::Question { prompt, question: Box::new(form.to_question()) };
        Some((pending(what(form)), happening))
    };
    match method {
        "item/commandExecution/requestApproval" => {
            let subject = command_subject(directory, &request);
            let kind = if subject.is_some() { PermissionKind::Run } else { PermissionKind::Other };
            may(PromptKind::Act, kind, subject.unwrap_or_default(), false, request.reason.0)
        }
        "item/fileChange/requestApproval" => {
            let item = items.iter().find(|item| Some(&*item.id) == request.item_id.text());
            let (subject, in_worktree) = patch_subject(directory, item, request.grant_root.text());
            may(PromptKind::Act, PermissionKind::Edit, subject, in_worktree, request.reason.0)
        }
        "item/permissions/requestApproval" => {
            let rights = request.permissions?;
            let subject = rights.get().to_owned();
            may(PromptKind::Rights(rights), PermissionKind::Other, subject, false, request.reason.0)
        }
        "mcpServer/elicitation/request" if request.meta.is_some_and(|meta| meta.is_tool_call()) => {
            let subject = mcp_tool_name(items, request.server_name.text().unwrap_or_default());
            may(PromptKind::McpTool, PermissionKind::Other, subject, false, request.message.0)
        }
        "mcpServer/elicitation/request" => {
            let schema = request.requested_schema.and_then(|schema| parse_raw::<FormSchema>(schema.get()));
            question(
                PromptKind::Elicitation,
                schema.unwrap_or_default().into_form(request.message, request.url),
            )
        }
        "item/tool/requestUserInput" => {
            let fields = request.questions.into_iter().map(Question::into_field).collect();
            question(PromptKind::Question, QuestionForm { title: None, fields })
        }
        _ => None,
    }
}

/// Returns the command, with its directory if that is not the session's.
fn command_subject(directory: &Path, request: &PromptRequest) -> Option<String> {
    let command = unwrap_shell_command(request.command.text()?);
    let is_elsewhere = |cwd: &&str| WorktreePath::resolve(directory, cwd).name != ".";
    Some(match request.cwd.text().filter(is_elsewhere) {
        Some(cwd) => format!("cd {cwd} && {command}"),
        None => command.into_owned(),
    })
}

/// Returns the files of a patch, one per line, and whether all are in the worktree.
fn patch_subject(directory: &Path, item: Option<&ThreadItem>, root: Option<&str>) -> (String, bool) {
    // A permanent permission for a folder is more than the files of this patch.
    let paths = item.into_iter().flat_map(ThreadItem::changed_paths).chain(root);
    let resolved: Vec<_> = paths.map(|path| WorktreePath::resolve(directory, path)).collect();
    let in_worktree = root.is_none() && !resolved.is_empty() && resolved.iter().all(|path| path.in_worktree);
    (resolved.into_iter().map(|path| path.name).collect::<Vec<_>>().join("\n"), in_worktree)
}

/// Returns the name of the requested tool, as models see it; only the server if several calls wait.
fn mcp_tool_name(items: &VecDeque<ThreadItem>, server: &str) -> String {
    let mut tools = items.iter().filter(|item| item.is_running() && item.server.text() == Some(server));
    match (tools.next().and_then(|item| item.tool.text()), tools.next()) {
        (Some(tool), None) => format!("mcp__{server}__{tool}"),
        _ => format!("mcp__{server}"),
    }
}

fn yes_no_options() -> Vec<PromptOption> {
    let option = |id: &str, label: &str, allows| PromptOption {
        id: id.to_owned(),
        label: label.to_owned(),
        allows,
        is_permanent: false,
    };
    vec![option("accept", "Yes", true), option("decline", "No", false)]
}

/// All fields of all requests.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct PromptRequest {
    turn_id: LenientText,
    item_id: LenientText,
    reason: LenientText,
    command: LenientText,
    cwd: LenientText,
    grant_root: LenientText,
    permissions: Option<Box<RawValue>>,
    server_name: LenientText,
    message: LenientText,
    url: LenientText,
    #[serde(rename = "_meta")]
    meta: Option<RequestMeta>,
    requested_schema: Option<Box<RawValue>>,
    questions: Vec<Question>,
}

#[derive(Debug, Deserialize)]
struct RequestMeta {
    #[serde(default)]
    codex_approval_kind: LenientText,
}

impl RequestMeta {
    fn is_tool_call(&self) -> bool {
        self.codex_approval_kind.text() == Some("mcp_tool_call")
    }
}

#[derive(Debug, Deserialize)]
struct Question {
    id: String,
    question: String,
    options: Option<Vec<QuestionOption>>,
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
        let choices: Vec<_> = self.options.unwrap_or_default().into_iter().map(choice).collect();
        let kind = if choices.is_empty() { FieldKind::Text } else { FieldKind::One };
        QuestionField { key: self.id, question: self.question, kind, choices }
    }
}
