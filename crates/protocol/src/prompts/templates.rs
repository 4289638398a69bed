//! The texts for agents: one file for each and language, in `templates/`.
//!
//! A file is a template; see [`template`](super::template) for its placeholders.

use domain::Locale;

use super::{prompt_text::PromptText, template, template::PlaceholderValue};

macro_rules! templates {
    ($($template:ident => $file:literal,)+) => {
        /// A text for agents with placeholders, in every language.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum PromptTemplate {
            $($template,)+
        }

        impl PromptTemplate {
            pub const ALL: &[Self] = &[$(Self::$template,)+];

            /// Returns the name of its file, without the extension.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$template => $file,)+
                }
            }

            /// Returns the template as written.
            pub fn source(self, locale: Locale) -> &'static str {
                match (self, locale) {
                    $(
                        (Self::$template, Locale::En) => {
                            include_str!(concat!("templates/en/", $file, ".md"))
                        }
                        (Self::$template, Locale::Ko) => {
                            include_str!(concat!("templates/ko/", $file, ".md"))
                        }
                    )+
                }
            }
        }
    };
}

templates! {
    Task => "task",
    TaskHeading => "task-heading",
    Conversation => "conversation",
    ChangedFiles => "changed-files",
    HandoffResult => "handoff-result",
    HandoffDecision => "handoff-decision",
    HandoffFailures => "handoff-failures",
    Earlier => "earlier",
    EarlierFailure => "earlier-failure",
    DirectoryWorktree => "directory-worktree",
    DirectoryProject => "directory-project",
    Call => "call",
    Test => "test",
    Verify => "verify",
    RoleWorker => "role-worker",
    RoleTester => "role-tester",
    RoleVerifier => "role-verifier",
    RoleSpecialist => "role-specialist",
    RoleOperator => "role-operator",
    RoleOrchestrator => "role-orchestrator",
    Ask => "ask",
    NothingToChange => "nothing-to-change",
    Team => "team",
    TeamRoles => "team-roles",
    Answer => "answer",
    Clarification => "clarification",
    Provided => "provided",
    ProvidedVariable => "provided-variable",
    ProvidedVariables => "provided-variables",
    ProvidedFile => "provided-file",
    ProvidedPermission => "provided-permission",
    ProvidedDenial => "provided-denial",
    ProvidedPackage => "provided-package",
    ProvidedDefault => "provided-default",
    Refused => "refused",
    Result => "result",
    ResultFile => "result-file",
    ResultIssue => "result-issue",
    Direct => "direct",
    DirectResult => "direct-result",
    DirectFeedback => "direct-feedback",
    DirectQuery => "direct-query",
    Feedback => "feedback",
    FeedbackCounts => "feedback-counts",
    FeedbackFailure => "feedback-failure",
    FeedbackNothing => "feedback-nothing",
    Invalid => "invalid",
    NearMiss => "near-miss",
    Reminder => "reminder",
    Evidence => "evidence",
    EvidenceSilent => "evidence-silent",
    EvidenceChange => "evidence-change",
    EvidenceLargeFiles => "evidence-large-files",
    EvidenceSinceDenial => "evidence-since-denial",
    EvidenceSinceRejection => "evidence-since-rejection",
    EvidenceSinceCheck => "evidence-since-check",
    EvidenceSinceConflict => "evidence-since-conflict",
    EvidenceUnknown => "evidence-unknown",
    ReminderWithoutTask => "reminder-without-task",
    Conflict => "conflict",
    Rework => "rework",
    TaskChanged => "task-changed",
    Question => "question",
    EscalationOrchestrator => "escalation-orchestrator",
    EscalationOperator => "escalation-operator",
    Reply => "reply",
    Chat => "chat",
    Resume => "resume",
    CallFailed => "call-failed",
    PermissionGranted => "permission-granted",
    PermissionDenied => "permission-denied",
    Denial => "denial",
    InputFile => "input-file",
}

/// The values of a template's placeholders, by name.
#[derive(Debug, Clone, Default)]
pub struct TemplateValues(Vec<(&'static str, PlaceholderValue)>);

impl TemplateValues {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text, which is empty if it is blank.
    #[must_use]
    pub fn text(self, name: &'static str, text: impl ToString) -> Self {
        let text = text.to_string();
        self.optional(name, Some(text))
    }

    #[must_use]
    pub fn optional(mut self, name: &'static str, text: Option<impl ToString>) -> Self {
        let text = text.map(|text| text.to_string()).filter(|text| !text.trim().is_empty());
        self.0.push((name, text.map_or(PlaceholderValue::Empty, PlaceholderValue::Text)));
        self
    }

    /// Adds a list: bullets if its placeholder is alone on the line, else separated by commas.
    #[must_use]
    pub fn items(mut self, name: &'static str, items: impl IntoIterator<Item = impl ToString>) -> Self {
        let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
        let value = if items.is_empty() { PlaceholderValue::Empty } else { PlaceholderValue::Items(items) };
        self.0.push((name, value));
        self
    }

    pub(super) fn find(&self, name: &str) -> Option<PlaceholderValue> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone())
    }
}

/// Renders a text for agents, without a newline at its end; a placeholder without a value is empty. It does not decode to a message, whatever the values are.
///
/// ```
/// use domain::Locale;
/// use protocol::prompts::{PromptTemplate, TemplateValues, render_template};
///
/// let values = TemplateValues::new().text("line", "ALL_DONE");
/// assert_eq!(render_template(PromptTemplate::Reply, Locale::En, &values), "[REPLY]\n`ALL_DONE`");
/// ```
pub fn render_template(template: PromptTemplate, locale: Locale, values: &TemplateValues) -> String {
    let mut text = PromptText::default();
    let value = |name: &str| values.find(name).or(Some(PlaceholderValue::Empty));
    template::render(template.source(locale), value, &mut text);
    text.finish()
}

/// Renders the template of a project, in which unknown names are text.
pub(super) fn render_source(source: &str, values: &TemplateValues) -> String {
    let mut text = PromptText::default();
    template::render(source, |name| values.find(name), &mut text);
    text.finish()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use domain::Locale;

    use super::{super::template::placeholder_names, PromptTemplate};

    #[test]
    fn template_has_the_same_placeholders_in_both_languages() {
        for template in PromptTemplate::ALL {
            let names = |locale| -> BTreeSet<&str> {
                template.source(locale).lines().flat_map(placeholder_names).collect()
            };
            assert_eq!(names(Locale::En), names(Locale::Ko), "{}", template.name());
        }
    }
}
