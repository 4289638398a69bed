//! Author and message of the commits with the work of agents.

use domain::{RunId, TaskId};
use repo::GitIdentity;
use serde::{Deserialize, Serialize};

/// Domain of the addresses of agents, which no mail can reach.
const AGENT_DOMAIN: &str = "jangdan.invalid";

/// Form of the commits of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CommitStyle {
    /// Whether landing brings one commit for each task instead of merges.
    #[serde(default)]
    pub is_squashed: bool,
    /// Author of the work of agents, as `NAME <EMAIL>`; the agent if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// Message of a task's commit: `{id}`, `{title}`, `{agent}` and `{run}` are replaced.
    pub message: String,
}

impl Default for CommitStyle {
    fn default() -> Self {
        Self { is_squashed: false, author: None, message: "{id}: {title}".to_owned() }
    }
}

/// A task whose work is committed.
pub(crate) struct CommittedTask<'a> {
    pub(crate) run: &'a RunId,
    pub(crate) task: &'a TaskId,
    pub(crate) title: &'a str,
    pub(crate) agent: &'a str,
}

impl CommitStyle {
    /// Returns the author and the message of a commit with the work of a task.
    pub(crate) fn describe(&self, task: &CommittedTask<'_>) -> (GitIdentity, String) {
        let text = self.render_message(task);
        match self.author.as_deref().and_then(GitIdentity::parse) {
            Some(author) => {
                let agent = task.agent;
                let message = format!("{text}\n\nCo-authored-by: {agent} <{agent}@{AGENT_DOMAIN}>\n");
                (author, message)
            }
            None => {
                let author = GitIdentity { name: task.agent.to_owned(), email: GitIdentity::jangdan().email };
                (author, format!("{text}\n"))
            }
        }
    }

    /// Returns the author of the merge or squash commit that landing makes: if the form of commits is configured, not
    /// necessarily Jangdan.
    pub(crate) fn landing_author(&self) -> Option<GitIdentity> {
        let is_configured = self.is_squashed || self.message != Self::default().message;
        let author = self.author.as_deref().and_then(GitIdentity::parse);
        author.or_else(|| is_configured.then(GitIdentity::jangdan))
    }

    fn render_message(&self, task: &CommittedTask<'_>) -> String {
        let mut text = String::new();
        let mut rest = self.message.as_str();
        // One pass: a title may contain a placeholder.
        while let Some((before, after)) = rest.split_once('{') {
            text.push_str(before);
            let (name, next) = after.split_once('}').unwrap_or(("", after));
            let value = match name {
                "id" => Some(task.task.as_str()),
                "title" => Some(task.title),
                "agent" => Some(task.agent),
                "run" => Some(task.run.as_str()),
                _ => None,
            };
            match value {
                Some(value) => {
                    text.push_str(value);
                    rest = next;
                }
                None => {
                    text.push('{');
                    rest = after;
                }
            }
        }
        text.push_str(rest);
        let text = text.trim();
        if text.is_empty() { task.task.to_string() } else { text.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe(style: &CommitStyle, title: &str) -> (String, String) {
        let (run, task) = ("r1".parse().unwrap(), "T1.2".parse().unwrap());
        let (author, message) =
            style.describe(&CommittedTask { run: &run, task: &task, title, agent: "claude" });
        (author.to_string(), message)
    }

    #[test]
    fn agent_is_the_author_unless_another_is_configured_and_then_co_author() {
        let style = CommitStyle::default();
        assert_eq!(
            describe(&style, "Add a door"),
            ("claude <jangdan@localhost>".to_owned(), "T1.2: Add a door\n".to_owned())
        );
        let style = CommitStyle { author: Some("Ada Kim <ada@example.org>".to_owned()), ..style };
        let message = "T1.2: Add a door\n\nCo-authored-by: claude <claude@jangdan.invalid>\n";
        assert_eq!(
            describe(&style, "Add a door"),
            ("Ada Kim <ada@example.org>".to_owned(), message.to_owned())
        );
    }

    #[test]
    fn placeholders_are_replaced_once_and_other_braces_stay() {
        let message = |message: &str, title: &str| {
            describe(&CommitStyle { message: message.to_owned(), ..CommitStyle::default() }, title).1
        };
        assert_eq!(message("{title}\n\n{id} of {run} by {agent}", "A"), "A\n\nT1.2 of r1 by claude\n");
        assert_eq!(message("{title}", "use {id}"), "use {id}\n");
        assert_eq!(message("{ {x} {title", "A"), "{ {x} {title\n");
        assert_eq!(message("{title}", ""), "T1.2\n");
    }
}
