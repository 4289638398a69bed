//! The ways in which Jangdan can speak with each real agent, and what the model must say to make it do something.

use model_server::Turn;
use serde_json::{Value, json};

use crate::checks::Check;

/// A way to speak with an agent.
pub struct Way {
    /// The agent, by its name.
    pub agent: &'static str,
    /// The driver, for people.
    pub driver: &'static str,
    /// The preset.
    pub preset: &'static str,
    /// Presets beside Jangdan's own.
    pub added: &'static str,
    /// The tool that runs a command, and what it is given.
    pub shell: (&'static str, fn(&str) -> Value),
    /// The call of a tool by which the model asks "Which?", with the answers `alpha` and `beta`.
    pub question: fn() -> Turn,
    /// The calls of tools by which the model plans: `one`, which is done, then `two`.
    pub plan: fn() -> Vec<Turn>,
    /// Whether a refused command ends the turn.
    pub refusal: Refusal,
    /// Whether its messages must carry the session's key.
    pub has_keys: bool,
    /// It names a session's file after the minute in which its process began, and begins that file anew before it looks
    /// for what to resume: it is resumed when the clock shows another minute.
    pub rests: bool,
    /// What it can't, and why.
    pub lacks: &'static [(Check, &'static str)],
}

/// What a refused command does to the turn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The model is told, and goes on.
    GoesOn,
    /// The turn ends.
    EndsTurn,
}

const NO_QUESTION: &str = "its model has no tool for questions";
const ON_SCREEN: &str = "what stands on a screen is answered by who sits there";

/// All ways.
pub const ALL: [Way; 8] = [
    Way {
        agent: "claude",
        driver: "claude",
        preset: "claude",
        added: "",
        shell: ("Bash", described),
        question: claude_question,
        plan: claude_plan,
        refusal: Refusal::GoesOn,
        has_keys: false,
        rests: false,
        lacks: &[],
    },
    Way {
        agent: "claude",
        driver: "acp",
        preset: "claude-acp",
        added: "",
        shell: ("Bash", described),
        question: claude_question,
        plan: claude_plan,
        refusal: Refusal::GoesOn,
        has_keys: false,
        rests: false,
        lacks: &[],
    },
    Way {
        agent: "claude",
        driver: "pty",
        preset: "claude-screen",
        added: CLAUDE_SCREEN,
        shell: ("Bash", described),
        question: claude_question,
        plan: claude_plan,
        refusal: Refusal::GoesOn,
        has_keys: true,
        rests: false,
        lacks: &[
            (Check::OwnQuestion, ON_SCREEN),
            (Check::Allowed, ON_SCREEN),
            (Check::Refused, ON_SCREEN),
            (Check::Plan, "its screen shows it to people"),
            (Check::Usage, "its screen has no figures that could be relied on"),
        ],
    },
    Way {
        agent: "codex",
        driver: "codex",
        preset: "codex",
        added: "",
        shell: ("exec_command", escalated),
        question: codex_question,
        plan: codex_plan,
        refusal: Refusal::GoesOn,
        has_keys: false,
        rests: false,
        lacks: &[(Check::Plan, "it offers its tool for plans only to models that it knows")],
    },
    Way {
        agent: "codex",
        driver: "acp",
        preset: "codex-acp",
        added: "",
        shell: ("exec_command", escalated),
        question: codex_question,
        plan: codex_plan,
        refusal: Refusal::EndsTurn,
        has_keys: false,
        rests: false,
        lacks: &[
            (Check::OwnQuestion, "it refuses its model's question in its default mode"),
            (Check::Usage, "it tells how full its context is, and no tokens"),
        ],
    },
    Way {
        agent: "codex",
        driver: "pty",
        preset: "codex-screen",
        added: CODEX_SCREEN,
        shell: ("exec_command", sandboxed),
        question: codex_question,
        plan: codex_plan,
        refusal: Refusal::EndsTurn,
        has_keys: true,
        rests: false,
        lacks: &[
            (Check::OwnQuestion, ON_SCREEN),
            (Check::Allowed, ON_SCREEN),
            (Check::Refused, ON_SCREEN),
            (Check::Plan, "its screen shows it to people"),
            (Check::Usage, "its screen has no figures that could be relied on"),
            (Check::Parked, "it does not say its session's id"),
            (Check::Killed, "it does not say its session's id"),
        ],
    },
    Way {
        agent: "opencode",
        driver: "acp",
        preset: "opencode",
        added: "",
        shell: ("bash", described),
        question: claude_question,
        plan: opencode_plan,
        refusal: Refusal::EndsTurn,
        has_keys: false,
        rests: false,
        lacks: &[(Check::OwnQuestion, NO_QUESTION)],
    },
    Way {
        agent: "gemini",
        driver: "acp",
        preset: "gemini",
        added: "",
        shell: ("run_shell_command", described),
        question: claude_question,
        plan: Vec::new,
        refusal: Refusal::GoesOn,
        has_keys: false,
        rests: true,
        lacks: &[(Check::OwnQuestion, NO_QUESTION), (Check::Plan, "its model has no tool for plans")],
    },
];

/// Claude Code's own screen. Its transcript is kept under the id that it is given.
const CLAUDE_SCREEN: &str = r#"
[claude-screen]
driver = "pty"
mode = "screen"
command = "claude"
fresh = ["--session-id", "{session}"]
resume = ["--resume", "{session}"]
quiet_ms = 1500
typing = { paste = true, submit = "\r", submit_after_ms = 700, verify = true, interrupt = "\u001b" }
"#;

/// Codex's own screen; without the flag it leaves daemons behind.
const CODEX_SCREEN: &str = r#"
[codex-screen]
driver = "pty"
mode = "screen"
command = "codex"
arguments = ["--no-daemon"]
quiet_ms = 1500
typing = { paste = true, submit = "\r", submit_after_ms = 1000, verify = true, interrupt = "\u001b" }
"#;

fn described(command: &str) -> Value {
    json!({ "command": command, "description": "does something" })
}

fn escalated(command: &str) -> Value {
    json!({ "cmd": command, "sandbox_permissions": "require_escalated", "justification": "May I?" })
}

fn sandboxed(command: &str) -> Value {
    json!({ "cmd": command })
}

fn claude_question() -> Turn {
    let option = |label: &str| json!({ "label": label, "description": label });
    let question = json!({
        "question": "Which?", "header": "DB", "options": [option("alpha"), option("beta")], "multiSelect": false,
    });
    Turn::tool("AskUserQuestion", json!({ "questions": [question] }))
}

fn codex_question() -> Turn {
    let option = |label: &str| json!({ "label": label, "description": label });
    let question = json!({ "id": "which", "header": "DB", "question": "Which?", "options": [option("alpha"), option("beta")] });
    Turn::tool("request_user_input", json!({ "questions": [question] }))
}

fn claude_plan() -> Vec<Turn> {
    let create =
        |subject: &str| Turn::tool("TaskCreate", json!({ "subject": subject, "description": subject }));
    let done = json!({ "taskId": "1", "status": "completed" });
    vec![create("one"), create("two"), Turn::tool("TaskUpdate", done)]
}

fn codex_plan() -> Vec<Turn> {
    let step = |step: &str, status: &str| json!({ "step": step, "status": status });
    let plan = json!({ "plan": [step("one", "completed"), step("two", "pending")] });
    vec![Turn::tool("update_plan", plan)]
}

fn opencode_plan() -> Vec<Turn> {
    let todo = |text: &str, status: &str| json!({ "id": text, "content": text, "status": status, "priority": "medium" });
    vec![Turn::tool("todowrite", json!({ "todos": [todo("one", "completed"), todo("two", "pending")] }))]
}
