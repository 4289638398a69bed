//! The tasks of the four agents, and the turns of their models.

use std::time::Duration;

use model_server::{KEY, ReplyPart, ScriptedReply, ScriptedTurn};
use serde_json::{Value, json};

use super::Scenario;

/// The answer to every question.
pub(super) const ANSWER: &str = "green";
/// The question of the agents.
pub(super) const QUESTION: &str = "Which colour?";
/// Time for each word of a slow agent: the server is killed during its reply.
const PACE: Duration = Duration::from_millis(100);
/// Number of words before the question of a slow agent.
const N_WORDS: usize = 60;

/// An agent with its task and the behaviour of its model.
pub(super) struct AgentTask {
    pub agent: &'static str,
    pub task: &'static str,
    /// The tool that writes a file, and its arguments for a file and its text.
    tool: (&'static str, fn(&str, &str) -> Value),
    /// Whether the user must allow that; the edits of the others are allowed by the policy.
    needs_permission: bool,
    /// Whether it asks in every run; with late answers all do.
    asks: bool,
    /// Whether its first reply is slow in the scenario that kills the server.
    pub is_slow: bool,
    /// Whether a session that has ended can be resumed with its memory.
    pub resumes: bool,
}

pub(super) const AGENT_TASKS: [AgentTask; 4] = [
    AgentTask {
        agent: "claude",
        task: "T1.1",
        tool: ("Write", |file, text| json!({ "file_path": file, "content": text })),
        needs_permission: false,
        asks: true,
        is_slow: true,
        resumes: true,
    },
    AgentTask {
        agent: "codex",
        task: "T1.2",
        // Outside of its sandbox, so that the user has to allow it.
        tool: ("exec_command", |file, text| {
            let command = format!("printf '%s\\n' '{}' > {file}", text.trim_end());
            json!({ "cmd": command, "sandbox_permissions": "require_escalated", "justification": "May I?" })
        }),
        needs_permission: true,
        asks: false,
        is_slow: true,
        resumes: true,
    },
    AgentTask {
        agent: "opencode",
        task: "T1.3",
        tool: ("write", |file, text| json!({ "filePath": file, "content": text })),
        needs_permission: false,
        asks: false,
        is_slow: false,
        resumes: true,
    },
    AgentTask {
        agent: "gemini",
        task: "T1.4",
        tool: ("write_file", |file, text| json!({ "file_path": file, "content": text })),
        needs_permission: false,
        asks: false,
        is_slow: false,
        // It names the file of a session after the minute, so this run tests an agent that cannot be resumed.
        resumes: false,
    },
];

impl AgentTask {
    /// Returns the name of the file that it writes.
    pub(super) fn file(&self) -> String {
        format!("{}.txt", self.agent)
    }

    /// Returns the text that it writes.
    pub(super) fn file_text(&self) -> String {
        format!("{} likes {ANSWER}\n", self.agent)
    }

    /// Tells whether it asks a question.
    pub(super) fn asks(&self, scenario: Scenario) -> bool {
        self.asks || scenario == Scenario::Parked
    }

    /// Returns the number of its permission requests. An agent that ended while waiting tries again.
    pub(super) fn n_permissions(&self, scenario: Scenario) -> usize {
        match (self.needs_permission, scenario) {
            (false, _) => 0,
            // In Jangdan's sandbox it has none of its own to leave.
            (true, Scenario::Quiet) => 0,
            (true, Scenario::Killed) => 1,
            (true, Scenario::Parked) => 2,
        }
    }

    /// Returns all turns of its model in a run.
    pub(super) fn turns(&self, scenario: Scenario) -> Vec<ScriptedTurn> {
        let (name, input) = self.tool;
        let write = ReplyPart::Tool { name: name.to_owned(), input: input(&self.file(), &self.file_text()) };
        let question = format!(
            "I must know something first.\n[ASK_USER {KEY}]\nquestion: {QUESTION}\noptions: [\"{ANSWER}\", \"red\"]\n\
             [/ASK_USER {KEY}]\n"
        );
        let mut replies = vec![vec![write]; self.n_permissions(scenario).max(1)];
        if self.asks(scenario) {
            replies.insert(0, vec![ReplyPart::Text(question)]);
        }
        let pace = if self.is_slow && scenario == Scenario::Killed { PACE } else { Duration::ZERO };
        if let Some(first) = replies.first_mut().filter(|_| !pace.is_zero()) {
            first.insert(0, ReplyPart::Text("word ".repeat(N_WORDS) + "\n"));
        }
        let reply = |(number, parts)| {
            let pace = if number == 0 { pace } else { Duration::ZERO };
            ScriptedTurn::Reply(ScriptedReply { parts, pace, ..ScriptedReply::default() })
        };
        let done = ScriptedTurn::text_reply(&format!("It is written.\nDONE:{} {KEY}\n", self.task));
        replies.into_iter().enumerate().map(reply).chain([done]).collect()
    }
}
