//! Questions that an agent asks in the middle of its turn, one or several together, as one question to a person.
//!
//! A person gives one answer. For several questions it has one line each; otherwise the whole answer is used for each
//! question, because it is unknown which one it is for.

use domain::{AskUser, AskUserType};
use serde::{Deserialize, Serialize};

use crate::json::{LenientText, OrderedMap};

/// Questions that are asked together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QuestionForm {
    /// The text above the questions.
    pub(crate) title: Option<String>,
    pub(crate) fields: Vec<QuestionField>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QuestionField {
    /// The agent's name of the field.
    pub(crate) key: String,
    pub(crate) question: String,
    pub(crate) kind: FieldKind,
    pub(crate) choices: Vec<Choice>,
}

/// The type of answer to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldKind {
    Text,
    Number,
    YesOrNo,
    One,
    Several,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) label: String,
    pub(crate) description: Option<String>,
}

/// An answer in the type of its field.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum FieldValue {
    Text(String),
    Number(serde_json::Number),
    Flag(bool),
    Texts(Vec<String>),
}

impl QuestionForm {
    /// Returns the form as one question for a person.
    pub(crate) fn to_question(&self) -> AskUser {
        let title = self.title.iter().cloned();
        let mut ask = AskUser {
            question: String::new(),
            r#type: AskUserType::Text,
            options: Vec::new(),
            context: None,
            default: None,
            required: true,
        };
        let mut context = Vec::new();
        if self.fields.is_empty() {
            ask.r#type = AskUserType::Confirmation;
        }
        if let [field] = &self.fields[..] {
            let lines = title.chain([field.question.clone()]).filter(|line| !line.is_empty());
            ask.question = lines.collect::<Vec<_>>().join("\n");
            ask.options = field.choices.iter().map(|choice| choice.label.clone()).collect();
            ask.r#type = match field.kind {
                FieldKind::One => AskUserType::Selection,
                FieldKind::YesOrNo => AskUserType::Confirmation,
                FieldKind::Text | FieldKind::Number | FieldKind::Several => AskUserType::Text,
            };
            let explained = field.choices.iter().filter(|choice| choice.explanation().is_some());
            context.extend(explained.map(Choice::to_line));
            if field.kind == FieldKind::Several {
                context.push("Several may be chosen, with commas between them.".to_owned());
            }
        } else {
            let numbered = (1..).zip(&self.fields).map(|(n, field)| format!("{n}. {}", field.question));
            ask.question = title.chain(numbered).collect::<Vec<_>>().join("\n");
            for (n, field) in (1..).zip(&self.fields).filter(|(_, field)| !field.choices.is_empty()) {
                let choices: Vec<_> = field.choices.iter().map(Choice::to_line).collect();
                context.push(format!("{n}. {}", choices.join("; ")));
            }
            if self.fields.len() > 1 {
                context.push("One line for each answer, in this order.".to_owned());
            }
        }
        ask.context = Some(context.join("\n")).filter(|context| !context.is_empty());
        ask
    }

    /// Returns whether a confirmation without fields is declined.
    pub(crate) fn is_refused(&self, answer: &str) -> bool {
        self.fields.is_empty() && !is_yes(answer)
    }

    /// Returns the answer of each field, by its key.
    pub(crate) fn parse_answers(&self, answer: &str) -> Vec<(String, FieldValue)> {
        let lines: Vec<_> = answer.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let has_line_each = self.fields.len() > 1 && lines.len() == self.fields.len();
        let given = |(n, field): (usize, &QuestionField)| {
            let line = lines.get(n).filter(|_| has_line_each).map(|line| strip_line_number(line, n + 1));
            (field.key.clone(), field.parse_answer(line.unwrap_or(answer.trim())))
        };
        self.fields.iter().enumerate().map(given).collect()
    }
}

impl Choice {
    /// Returns the description if it adds to the label.
    fn explanation(&self) -> Option<&str> {
        let description = self.description.as_deref().map(str::trim);
        description.filter(|description| !description.is_empty() && *description != self.label)
    }

    fn to_line(&self) -> String {
        match self.explanation() {
            Some(description) => format!("{}: {description}", self.label),
            None => self.label.clone(),
        }
    }
}

impl QuestionField {
    fn parse_answer(&self, answer: &str) -> FieldValue {
        let text = || FieldValue::Text(answer.to_owned());
        match self.kind {
            FieldKind::Text | FieldKind::One => text(),
            FieldKind::Number => answer.parse().map_or_else(|_| text(), FieldValue::Number),
            FieldKind::YesOrNo => FieldValue::Flag(is_yes(answer)),
            FieldKind::Several => {
                FieldValue::Texts(answer.split(',').map(|one| one.trim().to_owned()).collect())
            }
        }
    }
}

fn is_yes(answer: &str) -> bool {
    let yes = ["yes", "y", "true", "ok", "1", "예", "네", "응"];
    yes.contains(&answer.trim().to_lowercase().as_str())
}

/// Removes the number of a line: `2. web`, `2) web`.
fn strip_line_number(line: &str, n: usize) -> &str {
    let rest = line.strip_prefix(&n.to_string()).and_then(|rest| rest.strip_prefix(['.', ')']));
    rest.map_or(line, str::trim_start)
}

/// The form schema of an MCP server's question.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct FormSchema {
    #[serde(default)]
    properties: OrderedMap<Property>,
}

#[derive(Debug, Deserialize)]
struct Property {
    #[serde(default)]
    r#type: LenientText,
    #[serde(default)]
    title: LenientText,
    #[serde(default)]
    description: LenientText,
    #[serde(default)]
    r#enum: Vec<LenientText>,
    #[serde(default, rename = "oneOf")]
    one_of: Vec<TitledConst>,
    #[serde(default)]
    items: Option<Items>,
}

#[derive(Debug, Deserialize)]
struct Items {
    #[serde(default)]
    r#enum: Vec<LenientText>,
    #[serde(default, rename = "anyOf")]
    any_of: Vec<TitledConst>,
}

#[derive(Debug, Deserialize)]
struct TitledConst {
    r#const: String,
    #[serde(default)]
    title: LenientText,
}

impl FormSchema {
    /// Returns the form, with the server's message and address as the title.
    pub(crate) fn into_form(self, message: LenientText, url: LenientText) -> QuestionForm {
        let fields = self.properties.0.into_iter().map(|(key, property)| property.into_field(key)).collect();
        let lines: Vec<_> = [message.0, url.0].into_iter().flatten().collect();
        QuestionForm { title: Some(lines.join("\n")), fields }
    }
}

impl Property {
    fn into_field(self, key: String) -> QuestionField {
        let (is_list, values, titled) = match self.items {
            Some(items) => (true, items.r#enum, items.any_of),
            None => (false, self.r#enum, self.one_of),
        };
        let plain = values.into_iter().filter_map(|value| value.0);
        let plain = plain.map(|label| Choice { label, description: None });
        let titled = titled.into_iter().map(|one| Choice { label: one.r#const, description: one.title.0 });
        let choices: Vec<_> = plain.chain(titled).collect();
        let kind = match self.r#type.text() {
            _ if is_list => FieldKind::Several,
            Some("boolean") => FieldKind::YesOrNo,
            Some("number" | "integer") => FieldKind::Number,
            _ if choices.is_empty() => FieldKind::Text,
            _ => FieldKind::One,
        };
        let question = self.description.0.or(self.title.0).unwrap_or_else(|| key.clone());
        QuestionField { key, question, kind, choices }
    }
}

#[cfg(test)]
mod tests {
    use super::{FieldValue, FormSchema};
    use crate::json::LenientText;

    const SCHEMA: &str = r#"{"type":"object","properties":{
        "web":{"type":"boolean","title":"A web app?"},
        "port":{"type":"integer"},
        "db":{"type":"string","oneOf":[{"const":"pg","title":"PostgreSQL"},{"const":"sqlite","title":"SQLite"}]},
        "parts":{"type":"array","items":{"type":"string","enum":["api","web"]}}}}"#;

    #[test]
    fn several_questions_are_asked_as_one_and_answered_line_by_line() {
        let schema: FormSchema = serde_json::from_str(SCHEMA).expect("it is JSON");
        let form = schema.into_form(LenientText(Some("Set it up".to_owned())), LenientText(None));
        let question = form.to_question();
        assert_eq!(question.question, "Set it up\n1. A web app?\n2. port\n3. db\n4. parts");
        let context =
            "3. pg: PostgreSQL; sqlite: SQLite\n4. api; web\nOne line for each answer, in this order.";
        assert_eq!(question.context.as_deref(), Some(context));
        let given: Vec<_> =
            form.parse_answers("1. yes\n8080\n3) pg\napi, web").into_iter().map(|(_, given)| given).collect();
        let several = FieldValue::Texts(vec!["api".to_owned(), "web".to_owned()]);
        assert_eq!(
            given,
            [
                FieldValue::Flag(true),
                FieldValue::Number(8080.into()),
                FieldValue::Text("pg".to_owned()),
                several
            ]
        );
    }

    #[test]
    fn description_equal_to_the_label_is_omitted() {
        let text = r#"{"properties":{"a":{"oneOf":[{"const":"x","title":"x"},{"const":"y","title":""},{"const":"z"}]}}}"#;
        let schema: FormSchema = serde_json::from_str(text).expect("it is JSON");
        let question = schema.into_form(LenientText(None), LenientText(None)).to_question();
        assert_eq!((question.options.len(), question.context), (3, None));
    }

    #[test]
    fn answer_without_one_line_per_field_is_used_for_every_field() {
        let schema: FormSchema =
            serde_json::from_str(r#"{"properties":{"a":{},"b":{}}}"#).expect("it is JSON");
        let given = schema.into_form(LenientText(None), LenientText(None)).parse_answers("as you like");
        let text = || FieldValue::Text("as you like".to_owned());
        assert_eq!(given, [("a".to_owned(), text()), ("b".to_owned(), text())]);
    }
}
