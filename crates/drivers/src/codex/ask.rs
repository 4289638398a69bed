//! What Codex asks: whether a command may run, a patch may be applied, an MCP tool may be used; and questions.

use std::{collections::VecDeque, path::Path};

use domain::{PermissionKind, PermissionRequest};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::{
    driver::{Happening, PromptOption, Send},
    form::{Choice, Field, Form, Given, Kind, Schema},
    json::{Loose, Ordered},
    place::place,
};

use super::{
    command::plain,
    read::{Item, part},
    write,
};

/// Something that the agent waits for.
#[derive(Debug)]
pub(super) struct Asked {
    /// The request's id, as it came. It is the process's own, so a prompt is named by its turn too.
    id: String,
    prompt: String,
    what: What,
}

#[derive(Debug)]
enum What {
    /// A command or a patch.
    Act,
    /// Rights that are not those of one act.
    Rights(Box<RawValue>),
    McpTool,
    Question(Form),
    Elicitation(Form),
}

#[derive(Serialize)]
struct Decision {
    decision: &'static str,
}

#[derive(Serialize)]
struct Elicited {
    action: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Ordered<Given>>,
}

#[derive(Serialize)]
struct Granted<'a> {
    permissions: Option<&'a RawValue>,
}

#[derive(Serialize)]
struct Answers {
    answers: Ordered<FieldAnswers>,
}

#[derive(Serialize)]
struct FieldAnswers {
    answers: Vec<Given>,
}

impl Asked {
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    pub(super) fn prompt(&self) -> &str {
        &self.prompt
    }

    /// Returns a yes or a no. A question can be refused so, but not answered.
    pub(super) fn permission(&self, is_allowed: bool) -> Option<Vec<Send>> {
        let elicited = |action, content| write::answer(&self.id, &Elicited { action, content });
        match &self.what {
            // "cancel" would end the turn; "decline" lets the model go on, and works though it is not offered.
            What::Act => {
                let decision = if is_allowed { "accept" } else { "decline" };
                Some(write::answer(&self.id, &Decision { decision }))
            }
            What::Rights(asked) => {
                let nothing = RawValue::from_string("{}".to_owned()).ok();
                let permissions = if is_allowed { Some(&**asked) } else { nothing.as_deref() };
                Some(write::answer(&self.id, &Granted { permissions }))
            }
            What::McpTool if is_allowed => Some(elicited("accept", Some(Ordered::default()))),
            What::Question(_) | What::Elicitation(_) if is_allowed => None,
            What::Question(_) => Some(write::answer(&self.id, &Answers { answers: Ordered::default() })),
            What::McpTool | What::Elicitation(_) => Some(elicited("decline", None)),
        }
    }

    /// Returns the answer to a question.
    pub(super) fn answer(&self, answer: &str) -> Option<Vec<Send>> {
        match &self.what {
            What::Act | What::Rights(_) | What::McpTool => None,
            What::Question(form) => {
                let answers = form.answers(answer).into_iter();
                let answers =
                    answers.map(|(key, given)| (key, FieldAnswers { answers: vec![given] })).collect();
                Some(write::answer(&self.id, &Answers { answers: Ordered(answers) }))
            }
            What::Elicitation(form) if form.is_refused(answer) => self.permission(false),
            What::Elicitation(form) => {
                let content = Some(Ordered(form.answers(answer)));
                Some(write::answer(&self.id, &Elicited { action: "accept", content }))
            }
        }
    }
}

/// Reads a request, unless it is one that is not known.
pub(super) fn read(
    directory: &Path,
    items: &VecDeque<Item>,
    method: &str,
    id: &str,
    params: &str,
) -> Option<(Asked, Happening)> {
    let request: Request = part(params)?;
    let prompt = format!("{}/{}", request.turn_id.text().unwrap_or_default(), id.trim_matches('"'));
    let asked = |what| Asked { id: id.to_owned(), prompt: prompt.clone(), what };
    let may = |what, kind, subject, in_worktree, detail| {
        let wish = PermissionRequest { prompt: prompt.clone(), kind, subject, in_worktree, detail };
        Some((asked(what), Happening::Permission { wish, options: options() }))
    };
    let question = |what: fn(Form) -> What, form: Form| {
        let prompt = prompt.clone();
        let happening = Happening::Prompt { prompt, asked: Box::new(form.asked()) };
        Some((asked(what(form)), happening))
    };
    match method {
        "item/commandExecution/requestApproval" => {
            let subject = command(directory, &request);
            let kind = if subject.is_some() { PermissionKind::Run } else { PermissionKind::Other };
            may(What::Act, kind, subject.unwrap_or_default(), false, request.reason.0)
        }
        "item/fileChange/requestApproval" => {
            let item = items.iter().find(|item| Some(&*item.id) == request.item_id.text());
            let (subject, in_worktree) = files(directory, item, request.grant_root.text());
            may(What::Act, PermissionKind::Edit, subject, in_worktree, request.reason.0)
        }
        "item/permissions/requestApproval" => {
            let rights = request.permissions?;
            let subject = rights.get().to_owned();
            may(What::Rights(rights), PermissionKind::Other, subject, false, request.reason.0)
        }
        "mcpServer/elicitation/request" if request.meta.is_some_and(|meta| meta.is_tool_call()) => {
            let subject = mcp_tool(items, request.server_name.text().unwrap_or_default());
            may(What::McpTool, PermissionKind::Other, subject, false, request.message.0)
        }
        "mcpServer/elicitation/request" => {
            let schema = request.requested_schema.and_then(|schema| part::<Schema>(schema.get()));
            question(What::Elicitation, schema.unwrap_or_default().form(request.message, request.url))
        }
        "item/tool/requestUserInput" => {
            let fields = request.questions.into_iter().map(Question::field).collect();
            question(What::Question, Form { title: None, fields })
        }
        _ => None,
    }
}

/// Returns the command, with its directory where that is not the session's own.
fn command(directory: &Path, request: &Request) -> Option<String> {
    let command = plain(request.command.text()?);
    let is_elsewhere = |cwd: &&str| place(directory, cwd).name != ".";
    Some(match request.cwd.text().filter(is_elsewhere) {
        Some(cwd) => format!("cd {cwd} && {command}"),
        None => command.into_owned(),
    })
}

/// Returns the files of a patch, a line each, and whether all lie below the working directory.
fn files(directory: &Path, item: Option<&Item>, root: Option<&str>) -> (String, bool) {
    // A root that is to be opened for good is more than the files of this patch.
    let paths = item.into_iter().flat_map(Item::paths).chain(root);
    let places: Vec<_> = paths.map(|path| place(directory, path)).collect();
    let in_worktree = root.is_none() && !places.is_empty() && places.iter().all(|place| place.in_worktree);
    (places.into_iter().map(|place| place.name).collect::<Vec<_>>().join("\n"), in_worktree)
}

/// Returns the tool that is to be used, as models name it; only the server where several wait.
fn mcp_tool(items: &VecDeque<Item>, server: &str) -> String {
    let mut tools = items.iter().filter(|item| item.is_running() && item.server.text() == Some(server));
    match (tools.next().and_then(|item| item.tool.text()), tools.next()) {
        (Some(tool), None) => format!("mcp__{server}__{tool}"),
        _ => format!("mcp__{server}"),
    }
}

fn options() -> Vec<PromptOption> {
    let option = |id: &str, label: &str, allows| PromptOption {
        id: id.to_owned(),
        label: label.to_owned(),
        allows,
        is_kept: false,
    };
    vec![option("accept", "Yes", true), option("decline", "No", false)]
}

/// All that the requests have; each has some of it.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Request {
    turn_id: Loose,
    item_id: Loose,
    reason: Loose,
    command: Loose,
    cwd: Loose,
    grant_root: Loose,
    permissions: Option<Box<RawValue>>,
    server_name: Loose,
    message: Loose,
    url: Loose,
    #[serde(rename = "_meta")]
    meta: Option<Meta>,
    requested_schema: Option<Box<RawValue>>,
    questions: Vec<Question>,
}

#[derive(Debug, Deserialize)]
struct Meta {
    #[serde(default)]
    codex_approval_kind: Loose,
}

impl Meta {
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
    description: Loose,
}

impl Question {
    fn field(self) -> Field {
        let choice =
            |option: QuestionOption| Choice { label: option.label, description: option.description.0 };
        let choices: Vec<_> = self.options.unwrap_or_default().into_iter().map(choice).collect();
        let kind = if choices.is_empty() { Kind::Text } else { Kind::One };
        Field { key: self.id, question: self.question, kind, choices }
    }
}
