//! Dialect B: parses the lines of a block into its message.

use std::collections::BTreeMap;

use domain::{
    AgentError, AgentMessage, DependencyRequest, DependencyType, ErrorType, QuestionCategory, Recovery,
    UserQuestion,
};

use crate::{
    decoration, list,
    tag::{TagName, truncate_value},
    tag_body::{find_default_option, invalid_value_error, missing_field_error, parse_boolean, parse_options},
};

/// Returns whether a line is one of a block's keys, which confirms the block.
pub(crate) fn is_block_key_line(name: TagName, line: &str) -> bool {
    parse_key_line(line)
        .is_some_and(|(key, _)| block_keys(name).iter().any(|known| known.eq_ignore_ascii_case(key)))
}

/// Parses the lines between a block's tags; the error is the first broken rule.
pub(crate) fn parse_block(name: TagName, lines: &str) -> Result<AgentMessage, String> {
    let mut fields = BlockFields::parse(name, lines)?;
    for required in required_keys(name) {
        if !fields.has_value(required) {
            return Err(missing_field_error(required));
        }
    }
    match name {
        TagName::DependencyRequest => {
            parse_dependency_request(&mut fields).map(AgentMessage::DependencyRequest)
        }
        TagName::UserQuestion => parse_user_question(&mut fields).map(AgentMessage::UserQuestion),
        TagName::Error => parse_agent_error(&mut fields).map(AgentMessage::Error),
        TagName::AskUser
        | TagName::Invoke
        | TagName::DeliverResult
        | TagName::StepComplete
        | TagName::Progress
        | TagName::Direct => Err("is not a block".to_owned()),
    }
}

fn block_keys(name: TagName) -> &'static [&'static str] {
    match name {
        TagName::DependencyRequest => &["type", "name", "description", "required", "default"],
        TagName::UserQuestion => &["category", "question", "required", "options", "default"],
        TagName::Error => &["type", "message", "recovery", "details", "resets_at"],
        TagName::AskUser
        | TagName::Invoke
        | TagName::DeliverResult
        | TagName::StepComplete
        | TagName::Progress
        | TagName::Direct => &[],
    }
}

fn required_keys(name: TagName) -> &'static [&'static str] {
    let count = if name == TagName::DependencyRequest { 4 } else { 3 };
    block_keys(name).get(..count).unwrap_or_default()
}

fn parse_dependency_request(fields: &mut BlockFields) -> Result<DependencyRequest, String> {
    let kind = fields.take_text_or_empty("type");
    let r#type = match kind.to_lowercase().as_str() {
        "api_key" => DependencyType::ApiKey,
        "env_variable" => DependencyType::EnvVariable,
        "service" => DependencyType::Service,
        "file" => DependencyType::File,
        "permission" => DependencyType::Permission,
        "package" => DependencyType::Package,
        _ => {
            return Err(invalid_value_error(
                "type",
                &kind,
                "api_key, env_variable, service, file, permission or package",
            ));
        }
    };
    Ok(DependencyRequest {
        r#type,
        name: fields.take_text_or_empty("name"),
        description: fields.take_text_or_empty("description"),
        required: parse_boolean("required", &fields.take_text_or_empty("required"))?,
        default: fields.take_text("default"),
        extra: fields.take_remaining(),
    })
}

fn parse_user_question(fields: &mut BlockFields) -> Result<UserQuestion, String> {
    let kind = fields.take_text_or_empty("category");
    let category = match kind.to_lowercase().as_str() {
        "business" => QuestionCategory::Business,
        "clarification" => QuestionCategory::Clarification,
        "choice" => QuestionCategory::Choice,
        "confirmation" => QuestionCategory::Confirmation,
        _ => {
            return Err(invalid_value_error(
                "category",
                &kind,
                "business, clarification, choice or confirmation",
            ));
        }
    };
    let required = parse_boolean("required", &fields.take_text_or_empty("required"))?;
    let options = fields.take_list("options")?;
    if category == QuestionCategory::Choice && options.is_empty() {
        return Err(missing_field_error("options"));
    }
    let default =
        find_default_option(fields.take_text("default").map(|text| list::unquote(&text)), &options)?;
    Ok(UserQuestion {
        category,
        question: fields.take_text_or_empty("question"),
        options,
        default,
        required,
        extra: fields.take_remaining(),
    })
}

fn parse_agent_error(fields: &mut BlockFields) -> Result<AgentError, String> {
    let kind = fields.take_text_or_empty("type");
    let r#type = match kind.to_lowercase().as_str() {
        "recoverable" => ErrorType::Recoverable,
        "fatal" => ErrorType::Fatal,
        _ => return Err(invalid_value_error("type", &kind, "recoverable or fatal")),
    };
    let recovery_name = fields.take_text_or_empty("recovery");
    let recovery = match recovery_name.to_lowercase().as_str() {
        "pause_and_retry" if r#type == ErrorType::Fatal => {
            return Err(invalid_value_error(
                "recovery",
                &recovery_name,
                "checkpoint_and_fail or notify_user for a fatal error",
            ));
        }
        "pause_and_retry" => Recovery::PauseAndRetry,
        "checkpoint_and_fail" => Recovery::CheckpointAndFail,
        "notify_user" => Recovery::NotifyUser,
        _ => {
            return Err(invalid_value_error(
                "recovery",
                &recovery_name,
                "pause_and_retry, checkpoint_and_fail or notify_user",
            ));
        }
    };
    let resets_at = fields.take_text("resets_at");
    if let Some(time) = &resets_at
        && time.parse::<jiff::Timestamp>().is_err()
    {
        return Err(invalid_value_error("resets_at", time, "a time such as 2026-01-21T10:00:00Z"));
    }
    let (message, details) = (fields.take_text_or_empty("message"), fields.take_text("details"));
    Ok(AgentError { r#type, message, details, recovery, resets_at, extra: fields.take_remaining() })
}

struct BlockFields {
    fields: Vec<BlockField>,
}

struct BlockField {
    /// Lower case if it is a key of the block, otherwise as written.
    key: String,
    indent: usize,
    value: String,
    /// Further lines of the value, with their indentation.
    more: Vec<String>,
    items: Vec<String>,
}

impl BlockFields {
    fn parse(name: TagName, lines: &str) -> Result<Self, String> {
        let mut fields: Vec<BlockField> = Vec::new();
        let mut seen_keys = std::collections::BTreeSet::new();
        for line in lines.lines() {
            if let Some(field) = fields.last_mut()
                && field.accept_line(line)
            {
                continue;
            }
            if line.trim().is_empty() {
                continue;
            }
            let Some((key, value)) = parse_key_line(line) else {
                return Err(format!("'{}' is not a 'key: value' line", truncate_value(line.trim())));
            };
            let lower = key.to_lowercase();
            let is_known = block_keys(name).contains(&lower.as_str());
            if !seen_keys.insert(lower.clone()) {
                return Err(format!("field '{}' appears twice", truncate_value(&lower)));
            }
            fields.push(BlockField {
                key: if is_known { lower } else { key.to_owned() },
                indent: decoration::indent_width(line),
                value: value.to_owned(),
                more: Vec::new(),
                items: Vec::new(),
            });
        }
        Ok(Self { fields })
    }

    fn has_value(&self, key: &str) -> bool {
        self.fields.iter().any(|field| field.key == key && !field.text().trim().is_empty())
    }

    fn take_text_or_empty(&mut self, key: &str) -> String {
        self.take_text(key).unwrap_or_default()
    }

    fn take_text(&mut self, key: &str) -> Option<String> {
        let index = self.fields.iter().position(|field| field.key == key)?;
        Some(self.fields.remove(index).text()).filter(|text| !text.is_empty())
    }

    fn take_list(&mut self, key: &str) -> Result<Vec<String>, String> {
        let Some(index) = self.fields.iter().position(|field| field.key == key) else {
            return Ok(Vec::new());
        };
        let field = self.fields.remove(index);
        if field.items.is_empty() {
            return parse_options(&field.text());
        }
        Ok(field.items.iter().map(|item| list::unquote(item)).filter(|item| !item.is_empty()).collect())
    }

    fn take_remaining(&mut self) -> BTreeMap<String, String> {
        self.fields.drain(..).map(|field| (field.key.clone(), field.text())).collect()
    }
}

impl BlockField {
    /// Appends a line that belongs to the value: an item, a deeper line, or a blank line between such lines.
    fn accept_line(&mut self, line: &str) -> bool {
        if line.trim().is_empty() {
            if !self.more.is_empty() {
                self.more.push(String::new());
            }
            return true;
        }
        let has_no_value = self.value.is_empty() && self.more.is_empty();
        if has_no_value && let Some(item) = list::text_after_bullet(line) {
            self.items.push(item.to_owned());
            return true;
        }
        if decoration::indent_width(line) <= self.indent {
            return false;
        }
        match self.items.last_mut() {
            Some(item) => {
                item.push('\n');
                item.push_str(line.trim());
            }
            None => self.more.push(line.trim_end().to_owned()),
        }
        true
    }

    fn text(&self) -> String {
        if !self.items.is_empty() {
            return self.items.join("\n");
        }
        let common = self
            .more
            .iter()
            .filter(|line| !line.is_empty())
            .map(|line| count_leading_whitespace(line))
            .min()
            .unwrap_or(0);
        let mut text = self.value.clone();
        for line in &self.more {
            if !text.is_empty() {
                text.push('\n');
            }
            let start = line.char_indices().nth(common).map_or(line.len(), |(at, _)| at);
            text.push_str(&line[start..]);
        }
        text.truncate(text.trim_end().len());
        text
    }
}

/// Counts the white space characters at the start of a line.
fn count_leading_whitespace(line: &str) -> usize {
    line.chars().take_while(|character| character.is_whitespace()).count()
}

/// Parses `key: value`; a key consists of letters, `_` and `-`.
fn parse_key_line(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.trim_start().split_once(':')?;
    let is_key = !key.is_empty()
        && key.chars().all(|character| character.is_alphabetic() || matches!(character, '_' | '-'));
    is_key.then(|| (key, value.trim()))
}
