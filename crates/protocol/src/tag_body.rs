//! Dialect A: parses the body of an open tag into its message.

use domain::{
    AgentMessage, AgentName, AskUser, AskUserType, DeliverResult, DirectMessage, DirectType, InvokeMessage,
    ProgressMessage, ResultType, StepComplete,
};

use crate::{
    fence::Fence,
    list,
    tag::{TagName, truncate_value},
};

/// Parses the body of an open tag; the error is the first broken rule.
pub(crate) fn parse_tag_body(
    name: TagName,
    target: Option<&AgentName>,
    body: &str,
) -> Result<AgentMessage, String> {
    let target = || target.cloned().ok_or_else(|| missing_field_error("target"));
    match name {
        TagName::AskUser => parse_ask_user(body).map(AgentMessage::AskUser),
        TagName::Invoke => parse_invoke(target()?, body).map(AgentMessage::Invoke),
        TagName::DeliverResult => parse_deliver_result(target()?, body).map(AgentMessage::DeliverResult),
        TagName::StepComplete => {
            Ok(AgentMessage::StepComplete(StepComplete { summary: nonempty_text(body) }))
        }
        TagName::Progress => parse_progress(body).map(AgentMessage::Progress),
        TagName::Direct => parse_direct(target()?, body).map(AgentMessage::Direct),
        TagName::DependencyRequest | TagName::UserQuestion | TagName::Error => Err("is a block".to_owned()),
    }
}

pub(crate) fn missing_field_error(field: &str) -> String {
    format!("missing required field '{field}'")
}

pub(crate) fn invalid_value_error(field: &str, value: &str, expected: &str) -> String {
    format!("invalid value '{}' for field '{field}': expected {expected}", truncate_value(value))
}

pub(crate) fn parse_boolean(field: &str, value: &str) -> Result<bool, String> {
    match value.to_lowercase().as_str() {
        "true" | "yes" | "예" => Ok(true),
        "false" | "no" | "아니오" => Ok(false),
        _ => Err(invalid_value_error(field, value, "true or false")),
    }
}

/// Finds the option that a default names, in the option's own spelling.
pub(crate) fn find_default_option(
    default: Option<String>,
    options: &[String],
) -> Result<Option<String>, String> {
    let Some(default) = default else { return Ok(None) };
    if options.is_empty() {
        return Ok(Some(default));
    }
    let lower = default.to_lowercase();
    let option = options
        .iter()
        .find(|option| **option == default)
        .or_else(|| options.iter().find(|option| option.to_lowercase() == lower));
    match option {
        Some(option) => Ok(Some(option.clone())),
        None => Err(invalid_value_error("default", &default, "one of the options")),
    }
}

pub(crate) fn parse_options(text: &str) -> Result<Vec<String>, String> {
    list::parse_list(text).map_err(|list::UnclosedBracket| {
        invalid_value_error("options", text, "a list whose bracket is closed")
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BodyKey {
    Question,
    Type,
    Options,
    Context,
    Content,
    Default,
    Required,
    Progress,
    Task,
}

const KEY_NAMES: &[(&str, BodyKey)] = &[
    ("질문", BodyKey::Question),
    ("question", BodyKey::Question),
    ("타입", BodyKey::Type),
    ("유형", BodyKey::Type),
    ("type", BodyKey::Type),
    ("옵션", BodyKey::Options),
    ("선택지", BodyKey::Options),
    ("options", BodyKey::Options),
    ("컨텍스트", BodyKey::Context),
    ("맥락", BodyKey::Context),
    ("context", BodyKey::Context),
    ("내용", BodyKey::Content),
    ("content", BodyKey::Content),
    ("기본값", BodyKey::Default),
    ("default", BodyKey::Default),
    ("필수", BodyKey::Required),
    ("required", BodyKey::Required),
    ("progress", BodyKey::Progress),
    ("task", BodyKey::Task),
];

/// Parses `key: value`, after white space, a bullet or bold markup, if the key is one of `keys`.
fn parse_key_line<'t>(line: &'t str, keys: &[BodyKey]) -> Option<(BodyKey, &'t str)> {
    let text = list::text_after_bullet(line).unwrap_or_else(|| line.trim());
    let (is_bold, text) = match text.strip_prefix("**") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (name, value) = text.split_once([':', '：'])?;
    let name = name.trim();
    let (name, is_closed) = match name.strip_suffix("**") {
        Some(inner) if is_bold => (inner.trim_end(), true),
        _ => (name, false),
    };
    let (_, key) = KEY_NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
    let value = value.trim();
    let value = if is_bold && !is_closed {
        value.strip_prefix("**").or_else(|| value.strip_suffix("**")).unwrap_or(value).trim()
    } else {
        value
    };
    keys.contains(key).then_some((*key, value))
}

#[derive(Default)]
struct QuestionFields {
    question: Option<String>,
    kind: Option<String>,
    options: Option<String>,
    default: Option<String>,
    required: Option<String>,
    /// Text that belongs to no other field, in order.
    context: Vec<String>,
}

fn parse_ask_user(body: &str) -> Result<AskUser, String> {
    let QuestionFields { question, kind, options: list, default, required, context } =
        parse_question_fields(body);
    let question = question.ok_or_else(|| missing_field_error("question"))?;
    let kind = match kind.as_deref().map(str::to_lowercase).as_deref() {
        None | Some("text" | "텍스트") => AskUserType::Text,
        Some("selection" | "선택") => AskUserType::Selection,
        Some("confirmation" | "확인") => AskUserType::Confirmation,
        Some(_) => {
            return Err(invalid_value_error(
                "type",
                &kind.unwrap_or_default(),
                "text, selection or confirmation",
            ));
        }
    };
    let required = required.map_or(Ok(true), |value| parse_boolean("required", &value))?;
    let options = list.map_or(Ok(Vec::new()), |list| parse_options(&list))?;
    if kind == AskUserType::Selection && options.is_empty() {
        return Err(missing_field_error("options"));
    }
    let default = find_default_option(default.map(|text| list::unquote(&text)), &options)?;
    Ok(AskUser {
        question,
        r#type: kind,
        options,
        context: nonempty_text(&context.join("\n")),
        default,
        required,
    })
}

fn parse_question_fields(body: &str) -> QuestionFields {
    const KEYS: &[BodyKey] = &[
        BodyKey::Question,
        BodyKey::Type,
        BodyKey::Options,
        BodyKey::Context,
        BodyKey::Default,
        BodyKey::Required,
    ];
    let mut fields = QuestionFields::default();
    let mut before_keys = String::new();
    let mut seen_keys: Vec<BodyKey> = Vec::new();
    // The field that receives a line without a key.
    let mut target = FieldTarget::BeforeKeys;
    for BodyLine { line, is_code } in body_lines(body) {
        if let Some((key, value)) = parse_key_line(line, KEYS).filter(|_| !is_code) {
            // The first of two equal keys counts; the second is ignored with its lines.
            if seen_keys.contains(&key) {
                target = FieldTarget::Nowhere;
            } else {
                seen_keys.push(key);
                target = fields.set_field(key, value);
            }
            continue;
        }
        let is_blank = line.trim().is_empty() && !is_code;
        let value = match target {
            FieldTarget::BeforeKeys => Some(&mut before_keys),
            FieldTarget::Question => fields.question.as_mut(),
            FieldTarget::Options => fields.options.as_mut(),
            FieldTarget::Context => None,
            FieldTarget::Nowhere => continue,
        };
        match value {
            // Text after a blank line, or after a value of one line, is context.
            Some(value) if is_blank && !value.is_empty() => target = FieldTarget::Context,
            Some(value) if !is_blank => append_line(value, line),
            Some(_) => {}
            None => fields.context.push(line.to_owned()),
        }
    }
    if let Some(text) = nonempty_text(&before_keys) {
        match fields.question {
            None => fields.question = Some(text),
            Some(_) => fields.context.insert(0, text),
        }
    }
    fields.question = fields.question.and_then(|text| nonempty_text(&text));
    fields
}

#[derive(Clone, Copy)]
enum FieldTarget {
    BeforeKeys,
    Question,
    Options,
    Context,
    Nowhere,
}

impl QuestionFields {
    fn set_field(&mut self, key: BodyKey, value: &str) -> FieldTarget {
        let text = Some(value.to_owned());
        match key {
            BodyKey::Question => {
                self.question = text;
                FieldTarget::Question
            }
            BodyKey::Options => {
                self.options = text;
                FieldTarget::Options
            }
            BodyKey::Type => {
                self.kind = text.filter(|text| !text.is_empty());
                FieldTarget::Context
            }
            BodyKey::Default => {
                self.default = text.filter(|text| !text.is_empty());
                FieldTarget::Context
            }
            BodyKey::Required => {
                self.required = text.filter(|text| !text.is_empty());
                FieldTarget::Context
            }
            BodyKey::Context => {
                self.context.push(value.to_owned());
                FieldTarget::Context
            }
            BodyKey::Content | BodyKey::Progress | BodyKey::Task => FieldTarget::Nowhere,
        }
    }
}

fn parse_invoke(target: AgentName, body: &str) -> Result<InvokeMessage, String> {
    let (before, context) = split_at_key(body, BodyKey::Context);
    let task = nonempty_text(&before).ok_or_else(|| missing_field_error("task"))?;
    Ok(InvokeMessage { target, task, context: context.and_then(|text| nonempty_text(&text)) })
}

fn parse_deliver_result(target: AgentName, body: &str) -> Result<DeliverResult, String> {
    let (kind, content) = parse_typed_content(body)?;
    let result_type = match kind.to_lowercase().as_str() {
        "" | "message" => ResultType::Message,
        "github_issue" => ResultType::GithubIssue,
        "markdown" => ResultType::Markdown,
        "json" => ResultType::Json,
        "file_path" => ResultType::FilePath,
        _ => {
            return Err(invalid_value_error(
                "type",
                &kind,
                "github_issue, markdown, json, file_path or message",
            ));
        }
    };
    let is_json = || serde_json::from_str::<serde::de::IgnoredAny>(&content).is_ok();
    if result_type == ResultType::Json && !is_json() {
        return Err(invalid_value_error("content", &content, "a JSON document"));
    }
    Ok(DeliverResult { target, result_type, content })
}

fn parse_direct(target: AgentName, body: &str) -> Result<DirectMessage, String> {
    let (kind, content) = parse_typed_content(body)?;
    let r#type = match kind.to_lowercase().as_str() {
        "" => None,
        "result" => Some(DirectType::Result),
        "feedback" => Some(DirectType::Feedback),
        "query" => Some(DirectType::Query),
        _ => return Err(invalid_value_error("type", &kind, "result, feedback or query")),
    };
    Ok(DirectMessage { target, r#type, content })
}

/// Parses the content, and the type if the first line has one.
fn parse_typed_content(body: &str) -> Result<(String, String), String> {
    let body = body.trim_start_matches(['\n', '\r']);
    let (first, rest) = body.split_once('\n').unwrap_or((body, ""));
    let (kind, rest) = match parse_key_line(first, &[BodyKey::Type]) {
        Some((_, kind)) => (kind, rest),
        None => ("", body),
    };
    let (before, content) = split_at_key(rest, BodyKey::Content);
    let content = nonempty_text(&content.unwrap_or(before)).ok_or_else(|| missing_field_error("content"))?;
    Ok((kind.to_owned(), content))
}

fn parse_progress(body: &str) -> Result<ProgressMessage, String> {
    let (mut progress, mut task, mut free_text) = (None, None, String::new());
    for BodyLine { line, is_code } in body_lines(body) {
        match parse_key_line(line, &[BodyKey::Progress, BodyKey::Task]).filter(|_| !is_code) {
            Some((BodyKey::Progress, value)) if progress.is_none() => progress = Some(value),
            Some((BodyKey::Task, value)) if task.is_none() => task = Some(value.to_owned()),
            Some(_) => {}
            None => append_line(task.as_mut().unwrap_or(&mut free_text), line),
        }
    }
    let task = task.or(Some(free_text)).and_then(|text| nonempty_text(&text));
    let progress = progress.filter(|value| !value.is_empty()).map(parse_fraction).transpose()?;
    if progress.is_none() && task.is_none() {
        return Err(missing_field_error("progress"));
    }
    Ok(ProgressMessage { progress, task })
}

fn parse_fraction(value: &str) -> Result<f64, String> {
    let parsed = match value.strip_suffix('%') {
        Some(percent) => percent.trim_end().parse::<f64>().map(|percent| percent / 100.0),
        None => value.parse(),
    };
    match parsed {
        Ok(fraction) if (0.0..=1.0).contains(&fraction) => Ok(fraction),
        _ => Err(invalid_value_error("progress", value, "a number from 0 to 1")),
    }
}

/// Returns the text before the key's line, and the rest of that line with all lines after it.
fn split_at_key(body: &str, key: BodyKey) -> (String, Option<String>) {
    let mut at = 0;
    for BodyLine { line, is_code } in body_lines(body) {
        let next = body.len().min(at + line.len() + 1);
        if let Some((_, value)) = parse_key_line(line, &[key]).filter(|_| !is_code) {
            return (body[..at].to_owned(), Some(format!("{value}\n{}", &body[next..])));
        }
        at = next;
    }
    (body.to_owned(), None)
}

/// A line of a body. Lines of code fences are not parsed.
struct BodyLine<'t> {
    line: &'t str,
    is_code: bool,
}

fn body_lines(body: &str) -> impl Iterator<Item = BodyLine<'_>> {
    let mut open: Option<Fence> = None;
    body.split('\n').map(move |line| {
        let was_open = open.is_some();
        if let Some(fence) = Fence::parse_line(line) {
            open = match open {
                None => Some(fence),
                Some(opening) if fence.closes(&opening) => None,
                Some(opening) => Some(opening),
            };
        }
        BodyLine { line, is_code: was_open || open.is_some() }
    })
}

fn append_line(text: &mut String, line: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(line.trim_end());
}

/// Trims a text; `None` if it is empty.
fn nonempty_text(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}
