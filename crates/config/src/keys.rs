//! All keys of the configuration, in the order in which they are shown.
//!
//! `docs/configuration.md` has the same; a test compares.

use crate::{form::Form, key::Key};

const fn key(name: &'static str, form: Form, default: &'static str, about: &'static str) -> Key {
    Key { name, form, default, about, adds: false }
}

const fn adding(name: &'static str, form: Form, about: &'static str) -> Key {
    Key { name, form, default: "[]", about, adds: true }
}

const ROLES: &[&str] = &["orchestrator", "operator", "worker", "tester", "verifier", "specialist"];
const NEVER: Form = Form::Time { never: true };
const FOR_A_TIME: Form = Form::Time { never: false };
const SECOND_MS: u64 = 1000;

/// Every key there is.
#[rustfmt::skip] // A table is read by its columns.
pub const KEYS: &[Key] = &[
    key("locale", Form::Choice(&["en", "ko"]), "en", "the language of a run"),

    key("orchestration.max_concurrency", Form::Number { min: 1, max: 1000 }, "3", "how many tasks may run at once"),
    key("orchestration.parallel_enabled", Form::Flag, "true", "whether tasks run side by side at all"),
    key("orchestration.timeout_per_task", NEVER, "30m", "how long a task may run"),
    key("orchestration.max_retries", Form::Number { min: 1, max: 100 }, "3", "the failure of this number is not tried again but escalated"),
    key("orchestration.memory_mib", Form::Number { min: 1, max: 1 << 30 }, "", "how much memory the running tasks may need together, in MiB"),
    key("orchestration.gate_approval", Form::Choice(&["person", "automatic"]), "person", "who lets a phase pass that its checks have passed"),

    key("team.worker", Form::Agent, "", "who does tasks that name nobody; without one the first agent that works"),
    key("team.tester", Form::Agent, "", "who tests tasks that name nobody for it; without one nobody does"),
    key("team.verifier", Form::Agent, "", "who judges a phase at its gate, beside the checks"),
    key("team.orchestrator", Form::Agent, "", "who hears questions first, and talks to you; without one Jangdan does"),
    key("team.operator", Form::Agent, "", "who leads the workers of a phase; without one Jangdan does"),

    key("agents.*.extends", Form::Text, "", "the agent that it takes over; what is not said stays as it is there"),
    key("agents.*.title", Form::Text, "", "its name for people"),
    key("agents.*.role", Form::Choice(ROLES), "", "what it is in the team for; one without a role is a specialist"),
    key("agents.*.slots", Form::Number { min: 1, max: 1000 }, "", "how many tasks it may do at once"),
    key("agents.*.memory_mib", Form::Number { min: 1, max: 1 << 30 }, "", "how much memory it may have with all that it starts, in MiB; its tasks need as much"),
    key("agents.*.driver", Form::Choice(&["acp", "claude", "codex", "pty"]), "", "what it speaks"),
    key("agents.*.mode", Form::Choice(&["lines", "screen"]), "", "on a terminal: by lines, or a screen that is repainted"),
    key("agents.*.command", Form::Text, "", "the program"),
    key("agents.*.arguments", Form::Texts, "", "its arguments"),
    key("agents.*.fresh", Form::Texts, "", "further arguments for a new session; `{session}` is its id"),
    key("agents.*.resume", Form::Texts, "", "further arguments for a session that comes back"),
    key("agents.*.environment.*", Form::Text, "", "a variable that is added to its environment"),
    key("agents.*.form", Form::Choice(&["text", "json"]), "", "how it is told things"),
    key("agents.*.keys", Form::Choice(&["required", "optional"]), "", "whether its messages must carry the session's key"),
    key("agents.*.quiet_ms", Form::Number { min: 0, max: 600 * SECOND_MS }, "", "how long it is silent when its turn is over"),
    key("agents.*.typing.paste", Form::Flag, "", "whether words are typed as one paste"),
    key("agents.*.typing.submit", Form::Text, "", "the key that sends them"),
    key("agents.*.typing.submit_after_ms", Form::Number { min: 0, max: 60 * SECOND_MS }, "", "how long to wait before it"),
    key("agents.*.typing.verify", Form::Flag, "", "whether to look at the input box, and press the key again"),
    key("agents.*.typing.marks", Form::Texts, "", "how an input box begins"),
    key("agents.*.typing.interrupt", Form::Text, "", "the key that stops a turn"),
    key("agents.*.typing.line_bytes_max", Form::Number { min: 1, max: 1 << 30 }, "", "the longest line that can be typed"),
    key("agents.*.typing.around", Form::Pair, "", "two lines to put around an input of several lines"),
    key("agents.*.version", Form::Texts, "", "the arguments that print its version"),
    key("agents.*.login.files", Form::Texts, "", "files that show a login; one will do"),
    key("agents.*.login.variables", Form::Texts, "", "variables that show a login; one will do"),
    key("agents.*.login.how", Form::Text, "", "how one logs in"),
    key("agents.*.install", Form::Text, "", "how one gets it"),

    key("questions.expire_after", NEVER, "never", "how long a question waits; then its default is taken, or it becomes an escalation"),
    key("requests.auto_default", Form::Flag, "false", "whether a request that has a default takes it by itself"),

    key("permissions.mode", Form::Choice(&["ask", "worktree", "all"]), "worktree", "what agents may do without asking"),
    adding("permissions.allow", Form::Patterns, "patterns of what passes: `run:cargo test*`"),
    adding("permissions.deny", Form::Patterns, "patterns of what never passes; they win"),

    key("park.frozen_after", NEVER, "1m", "how long a session waits before its processes are stopped"),
    key("park.cold_after", NEVER, "10m", "how long a session waits before its process is ended, to be resumed later"),

    key("checks.verify", Form::Text, "", "the command that proves a task or phase that has none of its own"),

    key("budgets.task.tokens", Form::Tokens, "", "the tokens of a task that has no budget of its own"),
    key("budgets.task.money", Form::Money, "", "the cost of such a task, in US dollars; tokens or money, not both"),
    key("budgets.phase.tokens", Form::Tokens, "", "the tokens of all tasks of a phase together"),
    key("budgets.phase.money", Form::Money, "", "their cost, in US dollars"),
    key("budgets.run.tokens", Form::Tokens, "", "the tokens of a whole run"),
    key("budgets.run.money", Form::Money, "", "its cost, in US dollars"),
    key("budgets.run.time", FOR_A_TIME, "", "how long it may take"),

    key("sandbox.mode", Form::Choice(&["off", "worktree", "required"]), "off", "what keeps agents inside of their worktrees"),
    key("sandbox.write", Form::Paths, "[]", "what they may write to beside that"),

    key("worktree.isolation", Form::Flag, "true", "whether each task works in a worktree of its own"),
    key("worktree.setup", Form::Texts, "[]", "commands that make a new worktree ready"),
    key("worktree.copy", Form::InnerPaths, "[]", "files and folders that git ignores and each worktree needs, such as `.env`"),
    key("worktree.submodules", Form::Flag, "true", "whether worktrees have the submodules that your checkout has"),
    key("worktree.port_range", Form::Ports, "20000-29999", "the ports that worktrees share out"),
    key("worktree.ports_per_task", Form::Number { min: 1, max: 1000 }, "10", "how many each has, from `JANGDAN_PORT_BASE` on"),
    key("worktree.disk_budget", Form::Size { none: true }, "20 GiB", "when worktrees take more, those are removed that can be made again"),

    key("server.port", Form::Number { min: 0, max: 65_535 }, "0", "the port of the page on 127.0.0.1; 0 takes that of the last time, else any that is free"),

    key("prompt.template", Form::Path, "", "the file that replaces the task prompt"),
    key("plan.write_back", Form::Flag, "false", "whether the boxes of done tasks are ticked in the plan file"),
    key("thin.wait", FOR_A_TIME, "10m", "how long a main agent's RESOLVE_NEXT waits for something to say"),
];
