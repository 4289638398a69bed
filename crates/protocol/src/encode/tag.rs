//! Dialect A: open tags, always with their closing tag, so that later output does not join the body.

use domain::{
    AgentName, AskUser, AskUserType, DeliverResult, DirectMessage, DirectType, InvokeMessage,
    ProgressMessage, ResultType, SessionKey, StepComplete,
};

use super::{quote_if_needed, session_key_suffix};
use crate::{prompts::json, tag::TagName};

pub(super) fn encode_ask_user(ask: &AskUser, key: Option<&SessionKey>) -> String {
    let AskUser { question, r#type, options, context, default, required } = ask;
    let mut body = TagWriter::new(TagName::AskUser, None, key);
    body.push_field("question", question);
    match r#type {
        AskUserType::Text => {}
        AskUserType::Selection => body.push_field("type", "selection"),
        AskUserType::Confirmation => body.push_field("type", "confirmation"),
    }
    if !options.is_empty() {
        body.push_field("options", &json::to_list(options));
    }
    if let Some(default) = default {
        body.push_field("default", &quote_if_needed(default));
    }
    if !required {
        body.push_field("required", "false");
    }
    // Last, because every line after it belongs to it.
    if let Some(context) = context {
        body.push_field("context", context);
    }
    body.close()
}

pub(super) fn encode_invoke(invoke: &InvokeMessage, key: Option<&SessionKey>) -> String {
    let InvokeMessage { target, task, context } = invoke;
    let mut body = TagWriter::new(TagName::Invoke, Some(target), key);
    body.push_line(task);
    if let Some(context) = context {
        body.push_field("context", context);
    }
    body.close()
}

pub(super) fn encode_deliver_result(result: &DeliverResult, key: Option<&SessionKey>) -> String {
    let DeliverResult { target, result_type, content } = result;
    let mut body = TagWriter::new(TagName::DeliverResult, Some(target), key);
    body.push_field("type", result_type_word(*result_type));
    body.push_field("content", content);
    body.close()
}

pub(super) fn encode_step_complete(step: &StepComplete, key: Option<&SessionKey>) -> String {
    let mut body = TagWriter::new(TagName::StepComplete, None, key);
    if let Some(summary) = &step.summary {
        body.push_line(summary);
    }
    body.close()
}

pub(super) fn encode_progress(progress: &ProgressMessage, key: Option<&SessionKey>) -> String {
    let ProgressMessage { progress, task } = progress;
    let mut body = TagWriter::new(TagName::Progress, None, key);
    if let Some(progress) = progress {
        body.push_field("progress", &progress.to_string());
    }
    if let Some(task) = task {
        body.push_field("task", task);
    }
    body.close()
}

pub(super) fn encode_direct(direct: &DirectMessage, key: Option<&SessionKey>) -> String {
    let DirectMessage { target, r#type, content } = direct;
    let mut body = TagWriter::new(TagName::Direct, Some(target), key);
    if let Some(r#type) = r#type {
        body.push_field("type", direct_type_word(*r#type));
    }
    body.push_field("content", content);
    body.close()
}

pub(crate) fn result_type_word(result_type: ResultType) -> &'static str {
    match result_type {
        ResultType::GithubIssue => "github_issue",
        ResultType::Markdown => "markdown",
        ResultType::Json => "json",
        ResultType::FilePath => "file_path",
        ResultType::Message => "message",
    }
}

fn direct_type_word(direct_type: DirectType) -> &'static str {
    match direct_type {
        DirectType::Result => "result",
        DirectType::Feedback => "feedback",
        DirectType::Query => "query",
    }
}

/// An open tag and its body under construction.
struct TagWriter<'a> {
    text: String,
    name: TagName,
    key: Option<&'a SessionKey>,
}

impl<'a> TagWriter<'a> {
    fn new(name: TagName, target: Option<&AgentName>, key: Option<&'a SessionKey>) -> Self {
        let target = target.map(|target| format!(":{target}")).unwrap_or_default();
        let text = format!("[{}{target}{}]\n", name.text(), session_key_suffix(key));
        Self { text, name, key }
    }

    fn push_line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Writes a value after its key, or below the key if it has several lines: a code fence must begin a line.
    fn push_field(&mut self, name: &str, value: &str) {
        let space = if value.contains('\n') { "\n" } else { " " };
        self.push_line(&format!("{name}:{space}{value}"));
    }

    fn close(mut self) -> String {
        self.push_line(&format!("[/{}{}]", self.name.text(), session_key_suffix(self.key)));
        self.text
    }
}
