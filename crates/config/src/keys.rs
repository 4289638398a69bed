//! All keys of the configuration, in display order.
//!
//! A test compares them with `docs/configuration.md`.

use crate::{key::Key, value_kind::ValueKind};

const fn key(name: &'static str, kind: ValueKind, default: &'static str, about: &'static str) -> Key {
    Key { name, kind, default, about, is_additive: false }
}

const fn additive_key(name: &'static str, kind: ValueKind, about: &'static str) -> Key {
    Key { name, kind, default: "[]", about, is_additive: true }
}

const ROLES: &[&str] = &["orchestrator", "operator", "worker", "tester", "verifier", "specialist"];
const DURATION_OR_NEVER: ValueKind = ValueKind::Time { never: true };
const DURATION: ValueKind = ValueKind::Time { never: false };
const SECOND_MS: u64 = 1000;

/// Names that are unlikely to be work. A folder such as `target` or `build` may be, and a project that creates it usually
/// ignores it.
const CACHES: &str = concat!(
    "[\"__pycache__\", \"*.pyc\", \".pytest_cache\", \".mypy_cache\", \".ruff_cache\", \".hypothesis\", \".tox\", \".nox\", ",
    "\".venv\", \".coverage\", \".coverage.*\", \"htmlcov\", \"node_modules\", \".nyc_output\", \".parcel-cache\", \".turbo\", ",
    "\".eslintcache\", \".gradle\", \".ipynb_checkpoints\", \".DS_Store\", \"Thumbs.db\", \"*.swp\", ",
    "\"*~\", \"*.orig\", \"*.rej\", \"*.tmp\", \".aider*\", \"npm-debug.log*\"]",
);

/// All keys of the configuration.
#[rustfmt::skip] // Keeps a line per key.
pub const KEYS: &[Key] = &[
    key("locale", ValueKind::Choice(&["en", "ko"]), "en", "language of the texts for agents"),

    key("orchestration.max_concurrency", ValueKind::Number { min: 1, max: 1000 }, "3", "number of tasks that may run in parallel"),
    key("orchestration.parallel_enabled", ValueKind::Boolean, "true", "whether tasks run in parallel"),
    key("orchestration.timeout_per_task", DURATION_OR_NEVER, "30m", "time limit of a task"),
    key("orchestration.max_retries", ValueKind::Number { min: 1, max: 100 }, "3", "number of failures after which a task is escalated instead of retried"),
    key("orchestration.memory_mib", ValueKind::Number { min: 1, max: 1 << 30 }, "", "memory that all running tasks may need together, in MiB"),
    key("orchestration.gate_approval", ValueKind::Choice(&["person", "automatic"]), "person", "who approves a phase after its checks have passed"),

    key("team.worker", ValueKind::Agent, "", "works on tasks that name no agent [default: the first usable agent]"),
    key("team.tester", ValueKind::Agent, "", "tests tasks that name no tester [default: none]"),
    key("team.verifier", ValueKind::Agent, "", "judges a phase at its gate, in addition to the checks"),
    key("team.orchestrator", ValueKind::Agent, "", "receives questions first and talks to you [default: built in]"),
    key("team.operator", ValueKind::Agent, "", "leads the workers of a phase [default: built in]"),

    key("orchestrator.may", ValueKind::Choices(&["answer", "permission"]), "[\"answer\"]", "what an orchestrator agent may decide before you are asked: questions of agents, permissions"),

    key("agents.*.extends", ValueKind::Text, "", "agent whose settings are inherited"),
    key("agents.*.title", ValueKind::Text, "", "display name"),
    key("agents.*.role", ValueKind::Choice(ROLES), "", "role in the team; without one it is a specialist"),
    key("agents.*.slots", ValueKind::Number { min: 1, max: 1000 }, "", "number of tasks that it may work on in parallel"),
    key("agents.*.output_mib", ValueKind::Number { min: 1, max: 1 << 30 }, "", "output after which a process of the agent is ended, in MiB; 1024 if not set"),
    key("agents.*.memory_mib", ValueKind::Number { min: 1, max: 1 << 30 }, "", "memory limit of the agent and its child processes, in MiB; its tasks need as much"),
    key("agents.*.driver", ValueKind::Choice(&["acp", "claude", "codex", "pty"]), "", "protocol of the agent"),
    key("agents.*.mode", ValueKind::Choice(&["lines", "screen"]), "", "for programs on a terminal: line output, or a full screen"),
    key("agents.*.command", ValueKind::Text, "", "program"),
    key("agents.*.arguments", ValueKind::Texts, "", "arguments"),
    key("agents.*.fresh", ValueKind::Texts, "", "additional arguments for a new session; `{session}` is its id"),
    key("agents.*.resume", ValueKind::Texts, "", "additional arguments for a resumed session"),
    key("agents.*.environment.*", ValueKind::Text, "", "additional environment variable"),
    key("agents.*.sandboxed.arguments", ValueKind::Texts, "", "additional arguments in Jangdan's sandbox, with which it runs commands without asking"),
    key("agents.*.sandboxed.environment.*", ValueKind::Text, "", "additional environment variable in Jangdan's sandbox"),
    key("agents.*.form", ValueKind::Choice(&["text", "json"]), "", "format of its input"),
    key("agents.*.protocol", ValueKind::Choice(&["text", "none"]), "", "whether it knows Jangdan's messages; a program with \"none\" reports its task as done by exiting with status 0"),
    key("agents.*.keys", ValueKind::Choice(&["required", "optional"]), "", "whether its messages must contain the session key"),
    key("agents.*.quiet_ms", ValueKind::Number { min: 0, max: 600 * SECOND_MS }, "", "silence after which its turn counts as ended"),
    key("agents.*.typing.paste", ValueKind::Boolean, "", "whether input is sent as one paste"),
    key("agents.*.typing.submit", ValueKind::Text, "", "key that submits the input"),
    key("agents.*.typing.submit_after_ms", ValueKind::Number { min: 0, max: 60 * SECOND_MS }, "", "delay before the key"),
    key("agents.*.typing.verify", ValueKind::Boolean, "", "whether to check the input box and press the key again if text is left in it"),
    key("agents.*.typing.marks", ValueKind::Texts, "", "prefixes that mark the input box"),
    key("agents.*.typing.interrupt", ValueKind::Text, "", "key that interrupts a turn"),
    key("agents.*.typing.line_bytes_max", ValueKind::Number { min: 1, max: 1 << 30 }, "", "longest line of input, in bytes"),
    key("agents.*.typing.around", ValueKind::Pair, "", "two lines that enclose input of several lines"),
    key("agents.*.version", ValueKind::Texts, "", "arguments that print its version"),
    key("agents.*.login.files", ValueKind::Texts, "", "files of which one shows that the user is signed in"),
    key("agents.*.login.variables", ValueKind::Texts, "", "variables of which one shows that the user is signed in"),
    key("agents.*.login.alternatives", ValueKind::Texts, "", "files that can configure another way to sign in; if one exists, a missing sign-in is only mentioned"),
    key("agents.*.login.how", ValueKind::Text, "", "how to sign in"),
    key("agents.*.install", ValueKind::Text, "", "how to install it"),

    key("questions.expire_after", DURATION_OR_NEVER, "never", "time after which an open question takes its default, or is escalated if it has none"),
    key("requests.auto_default", ValueKind::Boolean, "false", "whether a request with a default takes it automatically"),

    key("permissions.mode", ValueKind::Choice(&["ask", "worktree", "all"]), "worktree", "what agents may do without permission"),
    additive_key("permissions.allow", ValueKind::Patterns, "patterns that are allowed, such as `run:cargo test*`"),
    additive_key("permissions.deny", ValueKind::Patterns, "patterns that are denied, even if allowed"),

    key("park.frozen_after", DURATION_OR_NEVER, "1m", "time after which the processes of a waiting session are suspended"),
    key("park.cold_after", DURATION_OR_NEVER, "10m", "time after which the process of a waiting session is stopped; it resumes when it is needed"),

    key("checks.verify", ValueKind::Text, "", "check command of tasks and phases without their own"),
    key("checks.sandbox", ValueKind::Boolean, "true", "whether checks and set-up commands are restricted like agents"),
    key("checks.reports", ValueKind::InnerPaths, "[]", "report files that checks write, such as `junit.xml`; their failures go to the agent"),
    key("checks.retries", ValueKind::Number { min: 0, max: 10 }, "0", "how often a failed check is repeated before it counts as failed"),

    key("budgets.task.tokens", ValueKind::Tokens, "", "token budget of a task without its own"),
    key("budgets.task.money", ValueKind::Money, "", "cost budget of such a task; either tokens or money"),
    key("budgets.phase.tokens", ValueKind::Tokens, "", "token budget of all tasks of a phase"),
    key("budgets.phase.money", ValueKind::Money, "", "cost budget of all tasks of a phase"),
    key("budgets.run.tokens", ValueKind::Tokens, "", "token budget of a run"),
    key("budgets.run.money", ValueKind::Money, "", "cost budget of a run"),
    key("budgets.run.time", DURATION, "", "time limit of a run"),

    key("prices.*.input", ValueKind::Price, "", "price of input tokens of a model"),
    key("prices.*.output", ValueKind::Price, "", "price of its output tokens"),
    key("prices.*.cached", ValueKind::Price, "", "price of its input tokens that are read from a cache"),

    key("sandbox.mode", ValueKind::Choice(&["off", "worktree", "required"]), "worktree", "whether agents, checks and set-up commands are restricted to their worktrees"),
    key("sandbox.write", ValueKind::Paths, "[]", "additional paths that agents may write to"),
    key("sandbox.caches", ValueKind::Choice(&["private", "shared"]), "private", "which caches of package managers restricted programs write to: their own for the project, or yours"),

    key("worktree.isolation", ValueKind::Boolean, "true", "whether each task has its own worktree"),
    key("worktree.setup", ValueKind::Texts, "[]", "commands that prepare a new worktree"),
    key("worktree.setup_timeout", DURATION, "30m", "time limit of each of these commands"),
    key("worktree.copy", ValueKind::InnerPaths, "[]", "ignored files and folders to copy into each worktree, such as `.env`"),
    key("worktree.caches", ValueKind::Names, CACHES, "untracked files and folders that tools create and that are not committed; `*` matches any characters"),
    key("worktree.max_file_mib", ValueKind::Number { min: 1, max: 1 << 20 }, "10", "size in MiB above which an untracked file is committed only after you say so"),
    key("worktree.submodules", ValueKind::Boolean, "true", "whether worktrees contain the submodules of your checkout"),
    key("worktree.port_range", ValueKind::Ports, "20000-29999", "ports that are divided among worktrees"),
    key("worktree.ports_per_task", ValueKind::Number { min: 1, max: 1000 }, "10", "ports per worktree, starting at `JANGDAN_PORT_BASE`"),
    key("worktree.disk_budget", ValueKind::Size { none: true }, "20 GiB", "disk space of all worktrees; above it, reproducible ones are deleted"),

    key("commit.squash", ValueKind::Boolean, "false", "whether landing brings one commit for each task, with you as author and the agent as co-author, instead of merges"),
    key("commit.author", ValueKind::Identity, "", "author of the work of agents; the agent is then co-author [default: the agent; with `squash` the identity in your git configuration]"),
    key("commit.message", ValueKind::CommitMessage, "{id}: {title}", "message of a task's commit; `{id}`, `{title}`, `{agent}` and `{run}` are replaced"),

    key("land.strategy", ValueKind::Choice(&["merge", "rebase", "squash"]), "merge", "how `jangdan land` brings the work into your branch: with its commits, with copies of them on top of your branch, or as one commit"),

    key("clean.refs_after", DURATION_OR_NEVER, "14d", "age from which `jangdan clean --refs` deletes saved states of an ended run whose work is in no branch of yours"),
    key("clean.refs_budget", ValueKind::Size { none: true }, "none", "disk space of the saved states of an ended run; above it, `jangdan clean --refs` deletes the oldest"),

    key("server.port", ValueKind::Number { min: 0, max: 65_535 }, "0", "port of the page on 127.0.0.1; 0 uses the previous one, or any free port"),

    key("prompt.template", ValueKind::Path, "", "file that replaces the task prompt"),
    key("plan.write_back", ValueKind::Boolean, "false", "whether checkboxes of done tasks are ticked in the plan file"),
    key("thin.wait", DURATION, "10m", "how long RESOLVE_NEXT of a main agent waits for an event"),
];
