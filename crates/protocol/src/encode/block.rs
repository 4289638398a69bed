//! Dialect B: blocks, with further lines of a value indented below its key.

use std::collections::BTreeMap;

use domain::{
    AgentError, DependencyRequest, DependencyType, ErrorType, QuestionCategory, Recovery, SessionKey,
    UserQuestion,
};

use super::{quote_if_needed, session_key_suffix};
use crate::{list, prompts::json, tag::TagName};

pub(super) fn encode_dependency_request(request: &DependencyRequest, key: Option<&SessionKey>) -> String {
    let DependencyRequest { r#type, name, description, required, default, extra } = request;
    let mut block = BlockWriter::new(TagName::DependencyRequest, key);
    block.push_field("type", dependency_word(*r#type));
    block.push_field("name", name);
    block.push_field("description", description);
    block.push_field("required", bool_word(*required));
    block.push_optional_field("default", default.as_deref());
    block.push_extra_fields(extra);
    block.close()
}

pub(super) fn encode_user_question(question: &UserQuestion, key: Option<&SessionKey>) -> String {
    let UserQuestion { category, question, options, default, required, extra } = question;
    let mut block = BlockWriter::new(TagName::UserQuestion, key);
    block.push_field("category", category_word(*category));
    block.push_field("question", question);
    if !options.is_empty() {
        block.push_field("options", &json::to_list(options));
    }
    block.push_optional_field("default", default.as_deref().map(quote_if_needed).as_deref());
    block.push_field("required", bool_word(*required));
    block.push_extra_fields(extra);
    block.close()
}

pub(super) fn encode_agent_error(error: &AgentError, key: Option<&SessionKey>) -> String {
    let AgentError { r#type, message, details, recovery, resets_at, extra } = error;
    let mut block = BlockWriter::new(TagName::Error, key);
    block.push_field("type", error_word(*r#type));
    block.push_field("message", message);
    block.push_optional_field("details", details.as_deref());
    block.push_field("recovery", recovery_word(*recovery));
    block.push_optional_field("resets_at", resets_at.as_deref());
    block.push_extra_fields(extra);
    block.close()
}

fn bool_word(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

fn dependency_word(dependency: DependencyType) -> &'static str {
    match dependency {
        DependencyType::ApiKey => "api_key",
        DependencyType::EnvVariable => "env_variable",
        DependencyType::Service => "service",
        DependencyType::File => "file",
        DependencyType::Permission => "permission",
        DependencyType::Package => "package",
    }
}

fn category_word(category: QuestionCategory) -> &'static str {
    match category {
        QuestionCategory::Business => "business",
        QuestionCategory::Clarification => "clarification",
        QuestionCategory::Choice => "choice",
        QuestionCategory::Confirmation => "confirmation",
    }
}

fn error_word(error: ErrorType) -> &'static str {
    match error {
        ErrorType::Recoverable => "recoverable",
        ErrorType::Fatal => "fatal",
    }
}

fn recovery_word(recovery: Recovery) -> &'static str {
    match recovery {
        Recovery::PauseAndRetry => "pause_and_retry",
        Recovery::CheckpointAndFail => "checkpoint_and_fail",
        Recovery::NotifyUser => "notify_user",
    }
}

/// A block under construction.
struct BlockWriter<'a> {
    text: String,
    name: TagName,
    key: Option<&'a SessionKey>,
}

impl<'a> BlockWriter<'a> {
    fn new(name: TagName, key: Option<&'a SessionKey>) -> Self {
        Self { text: format!("[{}{}]\n", name.text(), session_key_suffix(key)), name, key }
    }

    /// Writes a value after its key, or below the key if it has several lines.
    fn push_field(&mut self, name: &str, value: &str) {
        self.text.push_str(name);
        self.text.push(':');
        // A bullet below a key would begin a list, so such a value begins after the key.
        let is_below = value.contains('\n') && list::text_after_bullet(value).is_none();
        for (index, line) in value.split('\n').enumerate() {
            if is_below || index > 0 {
                self.text.push('\n');
                self.text.push_str(if line.is_empty() { "" } else { "  " });
            } else if !line.is_empty() {
                self.text.push(' ');
            }
            self.text.push_str(line);
        }
        self.text.push('\n');
    }

    fn push_optional_field(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.push_field(name, value);
        }
    }

    fn push_extra_fields(&mut self, extra: &BTreeMap<String, String>) {
        for (name, value) in extra {
            self.push_field(name, value);
        }
    }

    fn close(mut self) -> String {
        self.text.push_str(&format!("[/{}{}]\n", self.name.text(), session_key_suffix(self.key)));
        self.text
    }
}
