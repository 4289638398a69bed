//! Dialect A: parses the body of an open tag into its message.

use domain::{
    AgentMessage, AgentName, AskUser, AskUserType, DeliverResult, DirectMessage, DirectType, InvokeMessage,
    ProgressMessage, ResultType, StepComplete,
};

use crate::{
    fence::Fence,
    list,
    tag::{TagName, cut},
};

/// Parses the body of an open tag; the error is the first broken rule.
pub(crate) fn read(name: TagName, target: Option<&AgentName>, body: &str) -> Result<AgentMessage, String> {
    let target = || target.cloned().ok_or_else(|| missing("target"));
    match name {
        TagName::AskUser => ask_user(body).map(AgentMessage::AskUser),
        TagName::Invoke => invoke(target()?, body).map(AgentMessage::Invoke),
        TagName::DeliverResult => deliver_result(target()?, body).map(AgentMessage::DeliverResult),
        TagName::StepComplete => Ok(AgentMessage::StepComplete(StepComplete { summary: some_text(body) })),
        TagName::Progress => progress(body).map(AgentMessage::Progress),
        TagName::Direct => direct(target()?, body).map(AgentMessage::Direct),
        TagName::DependencyRequest | TagName::UserQuestion | TagName::Error => Err("is a block".to_owned()),
    }
}

pub(crate) fn missing(field: &str) -> String {
    format!("missing required field '{field}'")
}

pub(crate) fn wrong(field: &str, value: &str, expected: &str) -> String {
    format!("invalid value '{}' for field '{field}': expected {expected}", cut(value))
}

pub(crate) fn boolean(field: &str, value: &str) -> Result<bool, String> {
    match value.to_lowercase().as_str() {
        "true" | "yes" | "예" => Ok(true),
        "false" | "no" | "아니오" => Ok(false),
        _ => Err(wrong(field, value, "true or false")),
    }
}

/// Finds the option that a default names, in the option's own spelling.
pub(crate) fn default_option(default: Option<String>, options: &[String]) -> Result<Option<String>, String> {
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
        None => Err(wrong("default", &default, "one of the options")),
    }
}

pub(crate) fn options(text: &str) -> Result<Vec<String>, String> {
    list::read(text).map_err(|list::UnclosedBracket| wrong("options", text, "a list whose bracket is closed"))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Question,
    Type,
    DecoderOptions,
    Context,
    Content,
    Default,
    Required,
    Progress,
    Task,
}

const KEY_NAMES: &[(&str, Key)] = &[
    ("질문", Key::Question),
    ("question", Key::Question),
    ("타입", Key::Type),
    ("유형", Key::Type),
    ("type", Key::Type),
    ("옵션", Key::DecoderOptions),
    ("선택지", Key::DecoderOptions),
    ("options", Key::DecoderOptions),
    ("컨텍스트", Key::Context),
    ("맥락", Key::Context),
    ("context", Key::Context),
    ("내용", Key::Content),
    ("content", Key::Content),
    ("기본값", Key::Default),
    ("default", Key::Default),
    ("필수", Key::Required),
    ("required", Key::Required),
    ("progress", Key::Progress),
    ("task", Key::Task),
];

/// Parses `key: value`, after white space, a bullet or bold markup, if the key is one of `keys`.
fn key_line<'t>(line: &'t str, keys: &[Key]) -> Option<(Key, &'t str)> {
    let text = list::bullet(line).unwrap_or_else(|| line.trim());
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

fn ask_user(body: &str) -> Result<AskUser, String> {
    let QuestionFields { question, kind, options: list, default, required, context } = question_fields(body);
    let question = question.ok_or_else(|| missing("question"))?;
    let kind = match kind.as_deref().map(str::to_lowercase).as_deref() {
        None | Some("text" | "텍스트") => AskUserType::Text,
        Some("selection" | "선택") => AskUserType::Selection,
        Some("confirmation" | "확인") => AskUserType::Confirmation,
        Some(_) => return Err(wrong("type", &kind.unwrap_or_default(), "text, selection or confirmation")),
    };
    let required = required.map_or(Ok(true), |value| boolean("required", &value))?;
    let options = list.map_or(Ok(Vec::new()), |list| options(&list))?;
    if kind == AskUserType::Selection && options.is_empty() {
        return Err(missing("options"));
    }
    let default = default_option(default.map(|text| list::unquote(&text)), &options)?;
    Ok(AskUser {
        question,
        r#type: kind,
        options,
        context: some_text(&context.join("\n")),
        default,
        required,
    })
}

fn question_fields(body: &str) -> QuestionFields {
    const KEYS: &[Key] =
        &[Key::Question, Key::Type, Key::DecoderOptions, Key::Context, Key::Default, Key::Required];
    let mut fields = QuestionFields::default();
    let mut before_keys = String::new();
    let mut seen_keys: Vec<Key> = Vec::new();
    // The field that receives a line without a key.
    let mut target = FieldTarget::BeforeKeys;
    for BodyLine { line, is_code } in body_lines(body) {
        if let Some((key, value)) = key_line(line, KEYS).filter(|_| !is_code) {
            // The first of two equal keys counts; the second is ignored with its lines.
            if seen_keys.contains(&key) {
                target = FieldTarget::Nowhere;
            } else {
                seen_keys.push(key);
                target = fields.take(key, value);
            }
            continue;
        }
        let is_blank = line.trim().is_empty() && !is_code;
        let value = match target {
            FieldTarget::BeforeKeys => Some(&mut before_keys),
            FieldTarget::Question => fields.question.as_mut(),
            FieldTarget::DecoderOptions => fields.options.as_mut(),
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
    if let Some(text) = some_text(&before_keys) {
        match fields.question {
            None => fields.question = Some(text),
            Some(_) => fields.context.insert(0, text),
        }
    }
    fields.question = fields.question.and_then(|text| some_text(&text));
    fields
}

#[derive(Clone, Copy)]
enum FieldTarget {
    BeforeKeys,
    Question,
    DecoderOptions,
    Context,
    Nowhere,
}

impl QuestionFields {
    fn take(&mut self, key: Key, value: &str) -> FieldTarget {
        let text = Some(value.to_owned());
        match key {
            Key::Question => {
                self.question = text;
                FieldTarget::Question
            }
            Key::DecoderOptions => {
                self.options = text;
                FieldTarget::DecoderOptions
            }
            Key::Type => {
                self.kind = text.filter(|text| !text.is_empty());
                FieldTarget::Context
            }
            Key::Default => {
                self.default = text.filter(|text| !text.is_empty());
                FieldTarget::Context
            }
            Key::Required => {
                self.required = text.filter(|text| !text.is_empty());
                FieldTarget::Context
            }
            Key::Context => {
                self.context.push(value.to_owned());
                FieldTarget::Context
            }
            Key::Content | Key::Progress | Key::Task => FieldTarget::Nowhere,
        }
    }
}

fn invoke(target: AgentName, body: &str) -> Result<InvokeMessage, String> {
    let (before, context) = split_at_key(body, Key::Context);
    let task = some_text(&before).ok_or_else(|| missing("task"))?;
    Ok(InvokeMessage { target, task, context: context.and_then(|text| some_text(&text)) })
}

fn deliver_result(target: AgentName, body: &str) -> Result<DeliverResult, String> {
    let (kind, content) = typed_content(body)?;
    let result_type = match kind.to_lowercase().as_str() {
        "" | "message" => ResultType::Message,
        "github_issue" => ResultType::GithubIssue,
        "markdown" => ResultType::Markdown,
        "json" => ResultType::Json,
        "file_path" => ResultType::FilePath,
        _ => return Err(wrong("type", &kind, "github_issue, markdown, json, file_path or message")),
    };
    let is_json = || serde_json::from_str::<serde::de::IgnoredAny>(&content).is_ok();
    if result_type == ResultType::Json && !is_json() {
        return Err(wrong("content", &content, "a JSON document"));
    }
    Ok(DeliverResult { target, result_type, content })
}

fn direct(target: AgentName, body: &str) -> Result<DirectMessage, String> {
    let (kind, content) = typed_content(body)?;
    let r#type = match kind.to_lowercase().as_str() {
        "" => None,
        "result" => Some(DirectType::Result),
        "feedback" => Some(DirectType::Feedback),
        "query" => Some(DirectType::Query),
        _ => return Err(wrong("type", &kind, "result, feedback or query")),
    };
    Ok(DirectMessage { target, r#type, content })
}

/// Parses the content, and the type if the first line has one.
fn typed_content(body: &str) -> Result<(String, String), String> {
    let body = body.trim_start_matches(['\n', '\r']);
    let (first, rest) = body.split_once('\n').unwrap_or((body, ""));
    let (kind, rest) = match key_line(first, &[Key::Type]) {
        Some((_, kind)) => (kind, rest),
        None => ("", body),
    };
    let (before, content) = split_at_key(rest, Key::Content);
    let content = some_text(&content.unwrap_or(before)).ok_or_else(|| missing("content"))?;
    Ok((kind.to_owned(), content))
}

fn progress(body: &str) -> Result<ProgressMessage, String> {
    let (mut progress, mut task, mut free_text) = (None, None, String::new());
    for BodyLine { line, is_code } in body_lines(body) {
        match key_line(line, &[Key::Progress, Key::Task]).filter(|_| !is_code) {
            Some((Key::Progress, value)) if progress.is_none() => progress = Some(value),
            Some((Key::Task, value)) if task.is_none() => task = Some(value.to_owned()),
            Some(_) => {}
            None => append_line(task.as_mut().unwrap_or(&mut free_text), line),
        }
    }
    let task = task.or(Some(free_text)).and_then(|text| some_text(&text));
    let progress = progress.filter(|value| !value.is_empty()).map(fraction).transpose()?;
    if progress.is_none() && task.is_none() {
        return Err(missing("progress"));
    }
    Ok(ProgressMessage { progress, task })
}

fn fraction(value: &str) -> Result<f64, String> {
    let parsed = match value.strip_suffix('%') {
        Some(percent) => percent.trim_end().parse::<f64>().map(|percent| percent / 100.0),
        None => value.parse(),
    };
    match parsed {
        Ok(fraction) if (0.0..=1.0).contains(&fraction) => Ok(fraction),
        _ => Err(wrong("progress", value, "a number from 0 to 1")),
    }
}

/// Returns the text before the key's line, and the rest of that line with all lines after it.
fn split_at_key(body: &str, key: Key) -> (String, Option<String>) {
    let mut at = 0;
    for BodyLine { line, is_code } in body_lines(body) {
        let next = body.len().min(at + line.len() + 1);
        if let Some((_, value)) = key_line(line, &[key]).filter(|_| !is_code) {
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
        if let Some(fence) = Fence::on_line(line) {
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
fn some_text(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}
