//! The combinations of real agent and driver, and the tool calls of the model for each.

use model_server::ScriptedTurn;
use serde_json::{Value, json};

use crate::checks::Check;

/// An agent with one of its drivers.
pub(crate) struct AgentSetup {
    pub agent: &'static str,
    /// The name of the driver in the table.
    pub driver: &'static str,
    pub preset: &'static str,
    /// Presets in TOML, in addition to the built-in ones.
    pub extra_presets: &'static str,
    /// The tool that runs a command, and its arguments.
    pub shell: (&'static str, fn(&str) -> Value),
    /// The tool call that asks "Which?" with the options `alpha` and `beta`.
    pub question: fn() -> ScriptedTurn,
    /// The tool calls that set a plan: `one`, which is done, then `two`.
    pub plan: fn() -> Vec<ScriptedTurn>,
    pub refusal: RefusalEffect,
    /// Whether its messages must contain the session key.
    pub has_keys: bool,
    /// Whether it can be resumed only in another minute: it names the file of a session after the minute in which its
    /// process started, and overwrites that file before it searches for the session to resume.
    pub resumes_next_minute: bool,
    /// Checks that it cannot pass, with the reason.
    pub unsupported: &'static [(Check, &'static str)],
}

/// What a refused command does to the turn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RefusalEffect {
    /// The model gets the refusal as the result of its tool.
    TurnContinues,
    TurnEnds,
}

const NO_QUESTION: &str = "its model has no tool for questions";
const ON_SCREEN: &str = "a prompt on a screen is answered by the user";

pub(crate) const ALL: [AgentSetup; 8] = [
    AgentSetup {
        agent: "claude",
        driver: "claude",
        preset: "claude",
        extra_presets: "",
        shell: ("Bash", described_command_input),
        question: claude_question,
        plan: claude_plan,
        refusal: RefusalEffect::TurnContinues,
        has_keys: false,
        resumes_next_minute: false,
        unsupported: &[],
    },
    AgentSetup {
        agent: "claude",
        driver: "acp",
        preset: "claude-acp",
        extra_presets: "",
        shell: ("Bash", described_command_input),
        question: claude_question,
        plan: claude_plan,
        refusal: RefusalEffect::TurnContinues,
        has_keys: false,
        resumes_next_minute: false,
        unsupported: &[],
    },
    AgentSetup {
        agent: "claude",
        driver: "pty",
        preset: "claude-screen",
        extra_presets: CLAUDE_SCREEN,
        shell: ("Bash", described_command_input),
        question: claude_question,
        plan: claude_plan,
        refusal: RefusalEffect::TurnContinues,
        has_keys: true,
        resumes_next_minute: false,
        unsupported: &[
            (Check::OwnQuestion, ON_SCREEN),
            (Check::Allowed, ON_SCREEN),
            (Check::Refused, ON_SCREEN),
            (Check::Plan, "it is only shown on its screen"),
            (Check::Usage, "its screen has no reliable figures"),
        ],
    },
    AgentSetup {
        agent: "codex",
        driver: "codex",
        preset: "codex",
        extra_presets: "",
        shell: ("exec_command", escalated_command_input),
        question: codex_question,
        plan: codex_plan,
        refusal: RefusalEffect::TurnContinues,
        has_keys: false,
        resumes_next_minute: false,
        unsupported: &[(Check::Plan, "it offers its tool for plans only to known models")],
    },
    AgentSetup {
        agent: "codex",
        driver: "acp",
        preset: "codex-acp",
        extra_presets: "",
        shell: ("exec_command", escalated_command_input),
        question: codex_question,
        plan: codex_plan,
        refusal: RefusalEffect::TurnEnds,
        has_keys: false,
        resumes_next_minute: false,
        unsupported: &[
            (Check::OwnQuestion, "it refuses its model's question in its default mode"),
            (Check::Usage, "it reports how full its context is, but no tokens"),
        ],
    },
    AgentSetup {
        agent: "codex",
        driver: "pty",
        preset: "codex-screen",
        extra_presets: CODEX_SCREEN,
        shell: ("exec_command", sandboxed_command_input),
        question: codex_question,
        plan: codex_plan,
        refusal: RefusalEffect::TurnEnds,
        has_keys: true,
        resumes_next_minute: false,
        unsupported: &[
            (Check::OwnQuestion, ON_SCREEN),
            (Check::Allowed, ON_SCREEN),
            (Check::Refused, ON_SCREEN),
            (Check::Plan, "it is only shown on its screen"),
            (Check::Usage, "its screen has no reliable figures"),
            (Check::Parked, "it does not report the id of its session"),
            (Check::Killed, "it does not report the id of its session"),
        ],
    },
    AgentSetup {
        agent: "opencode",
        driver: "acp",
        preset: "opencode",
        extra_presets: "",
        shell: ("bash", described_command_input),
        question: claude_question,
        plan: opencode_plan,
        refusal: RefusalEffect::TurnEnds,
        has_keys: false,
        resumes_next_minute: false,
        unsupported: &[(Check::OwnQuestion, NO_QUESTION)],
    },
    AgentSetup {
        agent: "gemini",
        driver: "acp",
        preset: "gemini",
        extra_presets: "",
        shell: ("run_shell_command", described_command_input),
        question: claude_question,
        plan: Vec::new,
        refusal: RefusalEffect::TurnContinues,
        has_keys: false,
        resumes_next_minute: true,
        unsupported: &[(Check::OwnQuestion, NO_QUESTION), (Check::Plan, "its model has no tool for plans")],
    },
];

/// The full-screen interface of Claude Code, with a given session id.
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

/// The full-screen interface of Codex; without the flag it leaves daemons behind.
const CODEX_SCREEN: &str = r#"
[codex-screen]
driver = "pty"
mode = "screen"
command = "codex"
arguments = ["--no-daemon"]
quiet_ms = 1500
typing = { paste = true, submit = "\r", submit_after_ms = 1000, verify = true, interrupt = "\u001b" }
"#;

fn described_command_input(command: &str) -> Value {
    json!({ "command": command, "description": "runs a command" })
}

fn escalated_command_input(command: &str) -> Value {
    json!({ "cmd": command, "sandbox_permissions": "require_escalated", "justification": "May I?" })
}

fn sandboxed_command_input(command: &str) -> Value {
    json!({ "cmd": command })
}

fn claude_question() -> ScriptedTurn {
    let option = |label: &str| json!({ "label": label, "description": label });
    let question = json!({
        "question": "Which?", "header": "DB", "options": [option("alpha"), option("beta")], "multiSelect": false,
    });
    ScriptedTurn::tool_call("AskUserQuestion", json!({ "questions": [question] }))
}

fn codex_question() -> ScriptedTurn {
    let option = |label: &str| json!({ "label": label, "description": label });
    let question = json!({ "id": "which", "header": "DB", "question": "Which?", "options": [option("alpha"), option("beta")] });
    ScriptedTurn::tool_call("request_user_input", json!({ "questions": [question] }))
}

fn claude_plan() -> Vec<ScriptedTurn> {
    let create = |subject: &str| {
        ScriptedTurn::tool_call("TaskCreate", json!({ "subject": subject, "description": subject }))
    };
    let done = json!({ "taskId": "1", "status": "completed" });
    vec![create("one"), create("two"), ScriptedTurn::tool_call("TaskUpdate", done)]
}

fn codex_plan() -> Vec<ScriptedTurn> {
    let step = |step: &str, status: &str| json!({ "step": step, "status": status });
    let plan = json!({ "plan": [step("one", "completed"), step("two", "pending")] });
    vec![ScriptedTurn::tool_call("update_plan", plan)]
}

fn opencode_plan() -> Vec<ScriptedTurn> {
    let todo = |text: &str, status: &str| json!({ "id": text, "content": text, "status": status, "priority": "medium" });
    vec![ScriptedTurn::tool_call(
        "todowrite",
        json!({ "todos": [todo("one", "completed"), todo("two", "pending")] }),
    )]
}
