//! Dialect B: parses the lines of a block into its message.

use std::collections::BTreeMap;

use domain::{
    AgentError, AgentMessage, DependencyRequest, DependencyType, ErrorType, QuestionCategory, Recovery,
    UserQuestion,
};

use crate::{
    decoration, list,
    tag::{TagName, cut},
    tag_body::{boolean, default_option, missing, options, wrong},
};

/// Returns whether a line is one of a block's keys, which confirms the block.
pub(crate) fn begins(name: TagName, line: &str) -> bool {
    key_line(line).is_some_and(|(key, _)| keys(name).iter().any(|known| known.eq_ignore_ascii_case(key)))
}

/// Parses the lines between a block's tags; the error is the first broken rule.
pub(crate) fn read(name: TagName, lines: &str) -> Result<AgentMessage, String> {
    let mut fields = Fields::of(name, lines)?;
    for required in required_keys(name) {
        if !fields.has(required) {
            return Err(missing(required));
        }
    }
    match name {
        TagName::DependencyRequest => dependency_request(&mut fields).map(AgentMessage::DependencyRequest),
        TagName::UserQuestion => user_question(&mut fields).map(AgentMessage::UserQuestion),
        TagName::Error => agent_error(&mut fields).map(AgentMessage::Error),
        TagName::AskUser
        | TagName::Invoke
        | TagName::DeliverResult
        | TagName::StepComplete
        | TagName::Progress
        | TagName::Direct => Err("is not a block".to_owned()),
    }
}

fn keys(name: TagName) -> &'static [&'static str] {
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
    keys(name).get(..count).unwrap_or_default()
}

fn dependency_request(fields: &mut Fields) -> Result<DependencyRequest, String> {
    let kind = fields.take("type");
    let r#type = match kind.to_lowercase().as_str() {
        "api_key" => DependencyType::ApiKey,
        "env_variable" => DependencyType::EnvVariable,
        "service" => DependencyType::Service,
        "file" => DependencyType::File,
        "permission" => DependencyType::Permission,
        "package" => DependencyType::Package,
        _ => return Err(wrong("type", &kind, "api_key, env_variable, service, file, permission or package")),
    };
    Ok(DependencyRequest {
        r#type,
        name: fields.take("name"),
        description: fields.take("description"),
        required: boolean("required", &fields.take("required"))?,
        default: fields.take_some("default"),
        extra: fields.rest(),
    })
}

fn user_question(fields: &mut Fields) -> Result<UserQuestion, String> {
    let kind = fields.take("category");
    let category = match kind.to_lowercase().as_str() {
        "business" => QuestionCategory::Business,
        "clarification" => QuestionCategory::Clarification,
        "choice" => QuestionCategory::Choice,
        "confirmation" => QuestionCategory::Confirmation,
        _ => return Err(wrong("category", &kind, "business, clarification, choice or confirmation")),
    };
    let required = boolean("required", &fields.take("required"))?;
    let options = fields.take_list("options")?;
    if category == QuestionCategory::Choice && options.is_empty() {
        return Err(missing("options"));
    }
    let default = default_option(fields.take_some("default").map(|text| list::unquote(&text)), &options)?;
    Ok(UserQuestion {
        category,
        question: fields.take("question"),
        options,
        default,
        required,
        extra: fields.rest(),
    })
}

fn agent_error(fields: &mut Fields) -> Result<AgentError, String> {
    let kind = fields.take("type");
    let r#type = match kind.to_lowercase().as_str() {
        "recoverable" => ErrorType::Recoverable,
        "fatal" => ErrorType::Fatal,
        _ => return Err(wrong("type", &kind, "recoverable or fatal")),
    };
    let recovery_name = fields.take("recovery");
    let recovery = match recovery_name.to_lowercase().as_str() {
        "pause_and_retry" if r#type == ErrorType::Fatal => {
            return Err(wrong(
                "recovery",
                &recovery_name,
                "checkpoint_and_fail or notify_user for a fatal error",
            ));
        }
        "pause_and_retry" => Recovery::PauseAndRetry,
        "checkpoint_and_fail" => Recovery::CheckpointAndFail,
        "notify_user" => Recovery::NotifyUser,
        _ => {
            return Err(wrong(
                "recovery",
                &recovery_name,
                "pause_and_retry, checkpoint_and_fail or notify_user",
            ));
        }
    };
    let resets_at = fields.take_some("resets_at");
    if let Some(time) = &resets_at
        && time.parse::<jiff::Timestamp>().is_err()
    {
        return Err(wrong("resets_at", time, "a time such as 2026-01-21T10:00:00Z"));
    }
    let (message, details) = (fields.take("message"), fields.take_some("details"));
    Ok(AgentError { r#type, message, details, recovery, resets_at, extra: fields.rest() })
}

struct Fields {
    fields: Vec<Field>,
}

struct Field {
    /// Lower case if it is a key of the block, otherwise as written.
    key: String,
    indent: usize,
    value: String,
    /// Further lines of the value, with their indentation.
    more: Vec<String>,
    items: Vec<String>,
}

impl Fields {
    fn of(name: TagName, lines: &str) -> Result<Self, String> {
        let mut fields: Vec<Field> = Vec::new();
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
            let Some((key, value)) = key_line(line) else {
                return Err(format!("'{}' is not a 'key: value' line", cut(line.trim())));
            };
            let lower = key.to_lowercase();
            let is_known = keys(name).contains(&lower.as_str());
            if !seen_keys.insert(lower.clone()) {
                return Err(format!("field '{}' appears twice", cut(&lower)));
            }
            fields.push(Field {
                key: if is_known { lower } else { key.to_owned() },
                indent: decoration::indent(line),
                value: value.to_owned(),
                more: Vec::new(),
                items: Vec::new(),
            });
        }
        Ok(Self { fields })
    }

    fn has(&self, key: &str) -> bool {
        self.fields.iter().any(|field| field.key == key && !field.text().trim().is_empty())
    }

    fn take(&mut self, key: &str) -> String {
        self.take_some(key).unwrap_or_default()
    }

    fn take_some(&mut self, key: &str) -> Option<String> {
        let index = self.fields.iter().position(|field| field.key == key)?;
        Some(self.fields.remove(index).text()).filter(|text| !text.is_empty())
    }

    fn take_list(&mut self, key: &str) -> Result<Vec<String>, String> {
        let Some(index) = self.fields.iter().position(|field| field.key == key) else {
            return Ok(Vec::new());
        };
        let field = self.fields.remove(index);
        if field.items.is_empty() {
            return options(&field.text());
        }
        Ok(field.items.iter().map(|item| list::unquote(item)).filter(|item| !item.is_empty()).collect())
    }

    fn rest(&mut self) -> BTreeMap<String, String> {
        self.fields.drain(..).map(|field| (field.key.clone(), field.text())).collect()
    }
}

impl Field {
    /// Appends a line that belongs to the value: an item, a deeper line, or a blank line between such lines.
    fn accept_line(&mut self, line: &str) -> bool {
        if line.trim().is_empty() {
            if !self.more.is_empty() {
                self.more.push(String::new());
            }
            return true;
        }
        let has_no_value = self.value.is_empty() && self.more.is_empty();
        if has_no_value && let Some(item) = list::bullet(line) {
            self.items.push(item.to_owned());
            return true;
        }
        if decoration::indent(line) <= self.indent {
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
        let common =
            self.more.iter().filter(|line| !line.is_empty()).map(|line| leading(line)).min().unwrap_or(0);
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
fn leading(line: &str) -> usize {
    line.chars().take_while(|character| character.is_whitespace()).count()
}

/// Parses `key: value`; a key consists of letters, `_` and `-`.
fn key_line(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.trim_start().split_once(':')?;
    let is_key = !key.is_empty()
        && key.chars().all(|character| character.is_alphabetic() || matches!(character, '_' | '-'));
    is_key.then(|| (key, value.trim()))
}
