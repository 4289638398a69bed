//! The eight tasks of the plan, the turns of their models, and what the log must say about each.

use std::time::Duration;

use model_server::{KEY, ReplyPart, Rule, ScriptedReply, ScriptedTurn};
use serde_json::json;
use sessions::{Enforcement, supported_sandbox};

/// The question of T1.1, in prose.
pub(super) const PROSE_QUESTION: &str = "Which database do you want me to use?";
pub(super) const DATABASE: &str = "SQLite";
/// Why the permission of T1.2 is denied.
pub(super) const DENIAL: &str = "Stay in your directory, the version is 1.0.0";
/// The question of T2.2, as the protocol defines it.
pub(super) const SEARCH_QUESTION: &str = "May the search ignore case?";
pub(super) const SEARCH_ANSWER: &str = "yes";
/// Why phase 2 is rejected once.
pub(super) const REJECTION: &str = "The help does not name the search command";

/// The task whose first reply is slow, so that the server can be killed during it.
pub(super) const SLOW_TASK: &str = "T2.4";
/// The task that merges first; the one below conflicts with it.
pub(super) const FIRST_TO_MERGE: &str = "T2.1";
/// The task that is reworked after the rejection.
pub(super) const REWORKED_TASK: &str = "T2.3";
/// Time for each word of the slow reply.
const PACE: Duration = Duration::from_millis(100);
/// Number of words of the slow reply.
const N_WORDS: usize = 60;

/// A file that two tasks of phase 2 change: path, and content before the run.
pub(super) const CONFLICTING_FILE: (&str, &str) = ("commands.txt", "commands: none\n");

/// A task of the plan.
pub(super) struct AgentTask {
    pub task: &'static str,
    pub title: &'static str,
    pub agent: &'static str,
    pub file: &'static str,
    /// Content of its file after the run.
    pub file_text: &'static str,
    pub check: &'static str,
    /// Steps of its model, each a request.
    steps: &'static [Step],
    /// Numbers of certain events.
    pub counts: EventCounts,
}

/// How often an event about a task is in the log.
#[derive(Debug, Clone, Copy)]
pub(super) struct EventCounts {
    pub questions: usize,
    pub evidence_requests: usize,
    pub passed_checks: usize,
    pub failed_checks: usize,
    pub conflicts: usize,
    /// Also the number of `TaskDone` events.
    pub merges: usize,
    /// A rejected phase starts another attempt.
    pub attempts: usize,
    /// Why the task was returned to its agent.
    pub returns: &'static [&'static str],
}

const UNDISTURBED: EventCounts = EventCounts {
    questions: 0,
    evidence_requests: 0,
    passed_checks: 1,
    failed_checks: 0,
    conflicts: 0,
    merges: 1,
    attempts: 1,
    returns: &[],
};

/// A reply of a model.
#[derive(Debug, Clone, Copy)]
enum Step {
    Say(&'static str),
    Ask(&'static str),
    /// Reads the file of the task, as some agents require before they change it.
    Read,
    Write(&'static str),
    /// Writes after many slow words.
    WriteSlowly(&'static str),
    /// Asks to write a file beside the worktree.
    WriteOutside,
    /// Runs a command that the agent asks about outside of Jangdan's sandbox.
    Run(&'static str),
    Done,
}

pub(super) const AGENTS: [&str; 3] = ["claude", "codex", "opencode"];

pub(super) const AGENT_TASKS: [AgentTask; 8] = [
    AgentTask {
        task: "T1.1",
        title: "Choose the database",
        agent: "claude",
        file: "database.txt",
        file_text: "SQLite\n",
        check: "grep -qx SQLite database.txt",
        steps: &[
            Step::Say(PROSE_QUESTION),
            Step::Say("I cannot continue before I know it. Which database do you want me to use?"),
            Step::Write("SQLite\n"),
            Step::Done,
        ],
        counts: EventCounts { questions: 1, evidence_requests: 1, ..UNDISTURBED },
    },
    AgentTask {
        task: "T1.2",
        title: "Record the version",
        agent: "claude",
        file: "version.txt",
        file_text: "1.0.0\n",
        check: "grep -qx 1.0.0 version.txt",
        steps: &[
            Step::WriteOutside,
            Step::Write("1.0.0\n"),
            Step::Run("sh -c 'grep 1.0.0 version.txt'"),
            Step::Done,
        ],
        counts: EventCounts { questions: 1, ..UNDISTURBED },
    },
    AgentTask {
        task: "T1.3",
        title: "Set the port",
        agent: "opencode",
        file: "port.txt",
        file_text: "port=8080\n",
        check: "grep -qx port=8080 port.txt",
        steps: &[
            Step::Write("port=80\n"),
            Step::Done,
            Step::Read,
            Step::Write("port=8080\n"),
            Step::Run("sh -c 'grep -x port=8080 port.txt'"),
            Step::Done,
        ],
        counts: EventCounts { failed_checks: 1, returns: &["check"], ..UNDISTURBED },
    },
    AgentTask {
        task: "T1.4",
        title: "Write the greeting",
        agent: "codex",
        file: "greeting.txt",
        file_text: "Welcome to notes\n",
        check: "grep -q notes greeting.txt",
        steps: &[Step::Write("Welcome to notes\n"), Step::Done],
        counts: UNDISTURBED,
    },
    AgentTask {
        task: FIRST_TO_MERGE,
        title: "Add the list command",
        agent: "claude",
        file: CONFLICTING_FILE.0,
        file_text: "commands: list, search\n",
        check: "grep -q list commands.txt",
        steps: &[Step::Read, Step::Write("commands: list\n"), Step::Done],
        counts: UNDISTURBED,
    },
    AgentTask {
        task: "T2.2",
        title: "Add the search command",
        agent: "opencode",
        file: CONFLICTING_FILE.0,
        file_text: "commands: list, search\n",
        check: "grep -q search commands.txt",
        steps: &[
            Step::Ask(SEARCH_QUESTION),
            Step::Read,
            Step::Write("commands: search\n"),
            Step::Done,
            Step::Read,
            Step::Write("commands: list, search\n"),
            Step::Done,
        ],
        counts: EventCounts {
            questions: 1,
            passed_checks: 2,
            conflicts: 1,
            returns: &["conflict"],
            ..UNDISTURBED
        },
    },
    AgentTask {
        task: REWORKED_TASK,
        title: "Write the help",
        agent: "codex",
        file: "help.txt",
        file_text: "Usage: notes list, notes search\n",
        check: "grep -q '^Usage: notes' help.txt",
        steps: &[
            Step::Write("Usage: notes list\n"),
            Step::Done,
            Step::Write("Usage: notes list, notes search\n"),
            Step::Done,
        ],
        counts: EventCounts { passed_checks: 2, merges: 2, attempts: 2, ..UNDISTURBED },
    },
    AgentTask {
        task: SLOW_TASK,
        title: "Write the change log",
        agent: "codex",
        file: "changes.txt",
        file_text: "1.0.0: list and search\n",
        check: "grep -q '^1.0.0' changes.txt",
        steps: &[Step::WriteSlowly("1.0.0: list and search\n"), Step::Done],
        counts: UNDISTURBED,
    },
];

impl Step {
    /// Tells whether the step needs no question to the user on this machine.
    fn is_possible(self) -> bool {
        !matches!(self, Self::Run(_)) || supported_sandbox().state == Enforcement::Enforced
    }
}

impl AgentTask {
    /// Returns the text that only conversations about this task contain.
    pub(super) fn heading(&self) -> String {
        format!("[TASK {}]", self.task)
    }

    /// Returns the turns of its model.
    pub(super) fn rules(&self) -> Vec<Rule> {
        let steps = self.steps.iter().filter(|step| step.is_possible());
        vec![Rule {
            contains: None,
            conversation_contains: Some(self.heading()),
            turns: steps.map(|step| self.turn(*step)).collect(),
        }]
    }

    pub(super) fn n_turns(&self) -> usize {
        self.steps.iter().filter(|step| step.is_possible()).count()
    }

    /// Returns how often its agent reports the task as done.
    pub(super) fn n_claims(&self) -> usize {
        self.steps.iter().filter(|step| matches!(step, Step::Done)).count()
    }

    /// Returns its section of the plan.
    pub(super) fn section(&self) -> String {
        format!(
            "### {}: {}\n- **Agent**: {}\n- **Verify**: `{}`\n\nThe result is in {}.\n\n",
            self.task, self.title, self.agent, self.check, self.file
        )
    }

    fn turn(&self, step: Step) -> ScriptedTurn {
        match step {
            Step::Say(text) => ScriptedTurn::text_reply(text),
            Step::Ask(question) => ScriptedTurn::text_reply(&format!(
                "[ASK_USER {KEY}]\nquestion: {question}\noptions: [\"yes\", \"no\"]\n[/ASK_USER {KEY}]\n"
            )),
            Step::Read => self.read(),
            Step::Write(text) => {
                ScriptedTurn::Reply(ScriptedReply { parts: vec![self.write(text)], ..Default::default() })
            }
            Step::WriteSlowly(text) => ScriptedTurn::Reply(ScriptedReply {
                parts: vec![ReplyPart::Text("word ".repeat(N_WORDS) + "\n"), self.write(text)],
                pace: PACE,
                ..Default::default()
            }),
            Step::WriteOutside => ScriptedTurn::tool_call(
                "Write",
                json!({ "file_path": "/srv/jangdan-version.txt", "content": "1.0.0" }),
            ),
            Step::Run(command) => {
                let name = if self.agent == "claude" { "Bash" } else { "bash" };
                ScriptedTurn::tool_call(
                    name,
                    json!({ "command": command, "description": "Reads the result" }),
                )
            }
            Step::Done => ScriptedTurn::text_reply(&format!("It is written.\nDONE:{} {KEY}\n", self.task)),
        }
    }

    fn read(&self) -> ScriptedTurn {
        match self.agent {
            "claude" => ScriptedTurn::tool_call("Read", json!({ "file_path": self.file })),
            _ => ScriptedTurn::tool_call("read", json!({ "filePath": self.file })),
        }
    }

    fn write(&self, text: &str) -> ReplyPart {
        let (name, input) = match self.agent {
            "claude" => ("Write", json!({ "file_path": self.file, "content": text })),
            "codex" => {
                // Inside of its sandbox, which needs no permission.
                let command = format!("printf '%s\\n' '{}' > {}", text.trim_end(), self.file);
                ("exec_command", json!({ "cmd": command }))
            }
            _ => ("write", json!({ "filePath": self.file, "content": text })),
        };
        ReplyPart::Tool { name: name.to_owned(), input }
    }
}
