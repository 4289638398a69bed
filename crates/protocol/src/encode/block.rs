//! Dialect B: blocks, with further lines of a value indented below its key.

use std::collections::BTreeMap;

use domain::{
    AgentError, DependencyRequest, DependencyType, ErrorType, QuestionCategory, Recovery, SessionKey,
    UserQuestion,
};

use super::{key_word, quoted};
use crate::{list, prompts::json, tag::TagName};

pub(super) fn dependency_request(request: &DependencyRequest, key: Option<&SessionKey>) -> String {
    let DependencyRequest { r#type, name, description, required, default, extra } = request;
    let mut block = Block::new(TagName::DependencyRequest, key);
    block.field("type", dependency_word(*r#type));
    block.field("name", name);
    block.field("description", description);
    block.field("required", bool_word(*required));
    block.field_some("default", default.as_deref());
    block.extra(extra);
    block.close()
}

pub(super) fn user_question(question: &UserQuestion, key: Option<&SessionKey>) -> String {
    let UserQuestion { category, question, options, default, required, extra } = question;
    let mut block = Block::new(TagName::UserQuestion, key);
    block.field("category", category_word(*category));
    block.field("question", question);
    if !options.is_empty() {
        block.field("options", &json::to_list(options));
    }
    block.field_some("default", default.as_deref().map(quoted).as_deref());
    block.field("required", bool_word(*required));
    block.extra(extra);
    block.close()
}

pub(super) fn agent_error(error: &AgentError, key: Option<&SessionKey>) -> String {
    let AgentError { r#type, message, details, recovery, resets_at, extra } = error;
    let mut block = Block::new(TagName::Error, key);
    block.field("type", error_word(*r#type));
    block.field("message", message);
    block.field_some("details", details.as_deref());
    block.field("recovery", recovery_word(*recovery));
    block.field_some("resets_at", resets_at.as_deref());
    block.extra(extra);
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
struct Block<'a> {
    text: String,
    name: TagName,
    key: Option<&'a SessionKey>,
}

impl<'a> Block<'a> {
    fn new(name: TagName, key: Option<&'a SessionKey>) -> Self {
        Self { text: format!("[{}{}]\n", name.text(), key_word(key)), name, key }
    }

    /// Writes a value after its key, or below the key if it has several lines.
    fn field(&mut self, name: &str, value: &str) {
        self.text.push_str(name);
        self.text.push(':');
        // A bullet below a key would begin a list, so such a value begins after the key.
        let is_below = value.contains('\n') && list::bullet(value).is_none();
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

    fn field_some(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.field(name, value);
        }
    }

    fn extra(&mut self, extra: &BTreeMap<String, String>) {
        for (name, value) in extra {
            self.field(name, value);
        }
    }

    fn close(mut self) -> String {
        self.text.push_str(&format!("[/{}{}]\n", self.name.text(), key_word(self.key)));
        self.text
    }
}
