//! Converts `elicitation/create` to a question for the user, and the answer to the values of the form.

use std::collections::BTreeMap;

use domain::{AskUser, AskUserType};
use serde::Serialize;

use super::schema::{Choice, ElicitationRequest, Property};

/// Suffix of a property that takes the free text of another property's "other" choice.
const CUSTOM: &str = "_custom";

/// A question without an answer yet.
#[derive(Debug)]
pub(super) struct ElicitationForm {
    fields: Vec<ElicitationField>,
}

#[derive(Debug)]
struct ElicitationField {
    name: String,
    property: Property,
    /// The property for an answer that is not offered.
    custom: Option<String>,
}

/// The answer to an elicitation.
#[derive(Debug, Serialize)]
pub(super) struct ElicitationReply {
    action: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<BTreeMap<String, FieldValue>>,
}

#[derive(Debug, PartialEq, Serialize)]
#[serde(untagged)]
enum FieldValue {
    Text(String),
    Texts(Vec<String>),
    Flag(bool),
    Integer(i64),
    Number(f64),
}

impl ElicitationReply {
    /// The user did not answer.
    pub(super) fn cancelled() -> Self {
        Self { action: "cancel", content: None }
    }
}

impl ElicitationForm {
    pub(super) fn new(elicitation: &ElicitationRequest) -> Self {
        let properties = &elicitation.requested_schema.properties;
        let is_custom = |name: &str| name.strip_suffix(CUSTOM).is_some_and(|of| properties.contains_key(of));
        let fields = properties.iter().filter(|(name, _)| !is_custom(name)).map(|(name, property)| {
            let custom = format!("{name}{CUSTOM}");
            ElicitationField {
                name: name.clone(),
                property: property.clone(),
                custom: properties.contains_key(&custom).then_some(custom),
            }
        });
        Self { fields: fields.collect() }
    }

    /// Returns the question of Jangdan's protocol.
    pub(super) fn to_question(&self, elicitation: &ElicitationRequest) -> AskUser {
        let required = &elicitation.requested_schema.required;
        let mut question = AskUser {
            question: elicitation.message.clone(),
            r#type: AskUserType::Text,
            options: Vec::new(),
            context: elicitation.url.clone(),
            default: None,
            // The agent's turn waits for the answer, even if the form marks it as optional.
            required: true,
        };
        match &self.fields[..] {
            [] if elicitation.mode == "url" => question.r#type = AskUserType::Confirmation,
            [] => {}
            [field] => {
                let property = &field.property;
                question.r#type = field.question_type();
                question.options = property.choices().iter().map(Choice::label).collect();
                question.default.clone_from(&property.default);
                let about = property.description.clone().or_else(|| property.title.clone());
                question.context = question.context.or(about.filter(|about| *about != question.question));
            }
            several => {
                let lines = several
                    .iter()
                    .enumerate()
                    .map(|(index, field)| field.to_numbered_line(index + 1, required));
                question.context = Some(lines.collect::<Vec<_>>().join("\n"));
            }
        }
        question
    }

    /// Fills the form with an answer; several fields take one line each.
    pub(super) fn reply_for_answer(&self, answer: &str) -> ElicitationReply {
        let mut content = BTreeMap::new();
        let mut lines = answer.lines().filter(|line| !line.trim().is_empty());
        for field in &self.fields {
            let text = if self.fields.len() == 1 { Some(answer) } else { lines.next() };
            if let Some(text) = text {
                let (name, given) = field.parse_answer(text.trim());
                content.insert(name, given);
            }
        }
        ElicitationReply { action: "accept", content: Some(content) }
    }
}

impl ElicitationField {
    fn question_type(&self) -> AskUserType {
        match self.property.r#type.as_str() {
            "boolean" => AskUserType::Confirmation,
            _ if self.property.choices().is_empty() => AskUserType::Text,
            _ => AskUserType::Selection,
        }
    }

    fn to_numbered_line(&self, number: usize, required: &[String]) -> String {
        let Property { title, description, .. } = &self.property;
        let title = description.as_ref().or(title.as_ref()).unwrap_or(&self.name);
        let options: Vec<String> = self.property.choices().iter().map(Choice::label).collect();
        let options = if options.is_empty() { String::new() } else { format!(" ({})", options.join(", ")) };
        let mark = if required.contains(&self.name) { " *" } else { "" };
        format!("{number}. {title}{options}{mark}")
    }

    fn parse_answer(&self, text: &str) -> (String, FieldValue) {
        let choices = self.property.choices();
        let chosen = |text: &str| {
            choices.iter().find(|choice| choice.matches_answer(text)).map(|choice| choice.r#const.clone())
        };
        let given = match self.property.r#type.as_str() {
            "boolean" => FieldValue::Flag(is_yes(text)),
            "integer" => text.parse().map_or_else(|_| FieldValue::Text(text.to_owned()), FieldValue::Integer),
            "number" => text.parse().map_or_else(|_| FieldValue::Text(text.to_owned()), FieldValue::Number),
            "array" => {
                let part = |part: &str| chosen(part.trim()).unwrap_or_else(|| part.trim().to_owned());
                FieldValue::Texts(text.split([',', '\n']).map(part).collect())
            }
            _ => match (chosen(text), &self.custom) {
                (Some(chosen), _) => FieldValue::Text(chosen),
                (None, Some(custom)) => return (custom.clone(), FieldValue::Text(text.to_owned())),
                (None, None) => FieldValue::Text(text.to_owned()),
            },
        };
        (self.name.clone(), given)
    }
}

impl Property {
    fn choices(&self) -> Vec<Choice> {
        if let Some(items) = &self.items {
            return items.choices();
        }
        let named = self.r#enum.iter().map(|name| Choice { r#const: name.clone(), title: None });
        self.one_of.iter().cloned().chain(named).collect()
    }
}

impl Choice {
    fn label(&self) -> String {
        self.title.clone().unwrap_or_else(|| self.r#const.clone())
    }

    /// Tells whether an answer selects this option, by its name or by its label.
    fn matches_answer(&self, text: &str) -> bool {
        let same = |name: &str| name.trim().to_lowercase() == text.to_lowercase();
        same(&self.r#const) || self.title.as_deref().is_some_and(same)
    }
}

fn is_yes(text: &str) -> bool {
    matches!(text.to_lowercase().as_str(), "yes" | "y" | "true" | "ok" | "예" | "네" | "응")
}

#[cfg(test)]
mod tests {
    use super::{ElicitationForm, ElicitationRequest};

    const CLAUDE: &str = r#"{"mode":"form","sessionId":"s","toolCallId":"t","message":"Which database?",
        "requestedSchema":{"properties":{"question_0":{"oneOf":[{"const":"sqlite","title":"sqlite — small"},
        {"const":"postgres","title":"postgres — large"}]},"question_0_custom":{"type":"string"}}}}"#;

    fn assert_reply(elicitation: &str, answer: &str, expected: &str) {
        let elicitation: ElicitationRequest = serde_json::from_str(elicitation).unwrap();
        let elicited = ElicitationForm::new(&elicitation).reply_for_answer(answer);
        assert_eq!(serde_json::to_string(&elicited).unwrap(), expected, "{answer}");
    }

    #[test]
    fn a_choice_is_matched_by_its_name_or_title() {
        for answer in ["postgres", "Postgres ", "postgres — large"] {
            assert_reply(CLAUDE, answer, r#"{"action":"accept","content":{"question_0":"postgres"}}"#);
        }
        assert_reply(CLAUDE, "mysql", r#"{"action":"accept","content":{"question_0_custom":"mysql"}}"#);
    }

    #[test]
    fn the_question_lists_the_offered_choices() {
        let elicitation: ElicitationRequest = serde_json::from_str(CLAUDE).unwrap();
        let question = ElicitationForm::new(&elicitation).to_question(&elicitation);
        assert_eq!(question.question, "Which database?");
        assert_eq!(question.options, ["sqlite — small", "postgres — large"]);
    }

    #[test]
    fn values_have_the_type_of_their_field() {
        let form = |property: &str| {
            format!(r#"{{"message":"?","requestedSchema":{{"properties":{{"a":{property}}}}}}}"#)
        };
        assert_reply(&form(r#"{"type":"boolean"}"#), "예", r#"{"action":"accept","content":{"a":true}}"#);
        assert_reply(&form(r#"{"type":"integer"}"#), "7", r#"{"action":"accept","content":{"a":7}}"#);
        assert_reply(
            &form(r#"{"type":"array","items":{"anyOf":[{"const":"x","title":"X!"},{"const":"y"}]}}"#),
            "x!, Y",
            r#"{"action":"accept","content":{"a":["x","y"]}}"#,
        );
    }

    #[test]
    fn each_of_several_fields_takes_one_answer_line() {
        assert_reply(
            r#"{"message":"?","requestedSchema":{"properties":{"a":{"type":"string"},"b":{"enum":["X"]}}}}"#,
            "one\n\nx",
            r#"{"action":"accept","content":{"a":"one","b":"X"}}"#,
        );
        assert_reply(
            r#"{"mode":"url","message":"?","url":"https://x"}"#,
            "ok",
            r#"{"action":"accept","content":{}}"#,
        );
    }
}
