//! Presets: the description of each agent as data. A project can add its own in the same format.
//!
//! Resolves and merges presets; never inspects the machine.

use std::{collections::BTreeMap, ffi::OsStr, path::Path};

use domain::AgentProtocol;
use serde::{Deserialize, Serialize};

use crate::pty::{PtyMode, TypingOptions};

/// The presets that come with Jangdan, in the order in which a run without configuration tries them.
const OWN: &[(&str, &str)] = &[
    ("claude", include_str!("presets/claude.toml")),
    ("codex", include_str!("presets/codex.toml")),
    ("gemini", include_str!("presets/gemini.toml")),
    ("opencode", include_str!("presets/opencode.toml")),
    ("goose", include_str!("presets/goose.toml")),
    ("claude-acp", include_str!("presets/claude-acp.toml")),
    ("codex-acp", include_str!("presets/codex-acp.toml")),
    ("aider", include_str!("presets/aider.toml")),
    ("shell", include_str!("presets/shell.toml")),
];

/// The default silence that ends a turn on a terminal.
const QUIET_MS: u64 = 1500;

/// The description of one agent: how to start it, communicate with it and detect it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preset {
    /// The display name.
    #[serde(default)]
    pub title: String,
    pub driver: DriverName,
    /// For agents on a terminal.
    #[serde(default)]
    pub mode: Option<TerminalMode>,
    pub command: String,
    /// Arguments of every start.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// Further arguments for a new session; `{session}` is the id to use.
    #[serde(default)]
    pub fresh: Vec<String>,
    /// Further arguments to resume a session; `{session}` is the agent's own id of it.
    #[serde(default)]
    pub resume: Vec<String>,
    /// Variables that are added to its environment.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Additional arguments and variables in Jangdan's sandbox, unless the user's rules must decide about each command.
    #[serde(default)]
    pub sandboxed: SandboxedStart,
    /// The format of its inputs.
    #[serde(default)]
    pub form: InputEncoding,
    /// Whether it knows the messages of the protocol.
    #[serde(default)]
    pub protocol: AgentProtocol,
    /// Whether its messages must carry the session's key; by default only on a terminal.
    #[serde(default)]
    pub keys: Option<MessageKeyRule>,
    /// Memory limit of the agent and its descendants, in MiB.
    #[serde(default)]
    pub memory_mib: Option<u64>,
    /// Output of one process after which it is ended, in MiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_mib: Option<u64>,
    /// The silence that ends a turn on a terminal.
    #[serde(default)]
    pub quiet_ms: Option<u64>,
    /// How prompts are typed on a terminal.
    #[serde(default)]
    pub typing: TypingOptions,
    /// The arguments that make it print its version; empty if it cannot.
    #[serde(default = "default_version_arguments")]
    pub version: Vec<String>,
    /// How to check the login; none if no login is needed.
    #[serde(default)]
    pub login: Option<LoginEvidence>,
    /// How to install it.
    #[serde(default)]
    pub install: String,
}

/// The protocol of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DriverName {
    /// The Agent Client Protocol.
    Acp,
    /// Claude Code's JSON stream.
    Claude,
    /// Codex's app server.
    Codex,
    /// Any program on a terminal.
    Pty,
}

/// How a program on a terminal writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TerminalMode {
    /// Line by line.
    Lines,
    /// On the whole screen.
    Screen,
}

/// The format of an agent's inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InputEncoding {
    /// As a short text.
    #[default]
    Text,
    /// As a JSON object on a line.
    Json,
}

/// Whether messages must carry the session's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageKeyRule {
    /// With the key or without one.
    Optional,
    /// Only with the key.
    Required,
}

/// Arguments and variables with which an agent runs commands without asking, because Jangdan's sandbox limits them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SandboxedStart {
    /// Further arguments of every start.
    pub arguments: Vec<String>,
    /// Variables that are added to its environment or replace those of the preset.
    pub environment: BTreeMap<String, String>,
}

/// How to check whether an agent is logged in. Only the existence counts; the content is never read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LoginEvidence {
    /// Files, starting with `~` or a variable; one that exists is enough.
    pub files: Vec<String>,
    /// Variables; one that is set is enough.
    pub variables: Vec<String>,
    /// Files that can configure another way to log in. If one exists, a missing login is not certain.
    pub alternatives: Vec<String>,
    /// How to log in.
    pub how: String,
}

/// Whether a process starts a new session or resumes one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaunchMode<'a> {
    /// A new session with this id, if the agent lets us choose.
    Fresh(&'a str),
    /// The session with this id of the agent.
    Resume(&'a str),
}

/// The reason why a preset cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PresetError {
    #[error("unknown agent '{name}'; known agents: {known}")]
    Unknown {
        name: String,
        /// All names, separated by commas.
        known: String,
    },
    /// Presets extend each other in a cycle.
    #[error("agent '{name}' extends itself")]
    Cycle { name: String },
    /// The table is not a valid preset.
    #[error("agent '{name}' is invalid: {problem}")]
    Wrong { name: String, problem: String },
}

impl Preset {
    /// Returns whether it is an interpreter without a script, which executes its inputs as code.
    pub fn executes_its_inputs(&self) -> bool {
        const INTERPRETERS: [&str; 10] =
            ["sh", "bash", "dash", "ksh", "zsh", "fish", "python", "python3", "node", "perl"];
        let name = Path::new(&self.command).file_name().and_then(OsStr::to_str).unwrap_or_default();
        INTERPRETERS.contains(&name) && self.arguments.is_empty() && self.fresh.is_empty()
    }

    /// Returns the arguments for a start.
    pub fn arguments(&self, launch: LaunchMode<'_>) -> Vec<String> {
        let (more, session) = match launch {
            LaunchMode::Fresh(session) => (&self.fresh, session),
            LaunchMode::Resume(session) => (&self.resume, session),
        };
        let more = more.iter().map(|argument| argument.replace("{session}", session));
        self.arguments.iter().cloned().chain(more).collect()
    }

    /// Returns the preset of an agent whose commands run in the sandbox, and need no permission.
    pub fn with_sandboxed_start(&self) -> Self {
        let mut preset = self.clone();
        preset.arguments.extend(self.sandboxed.arguments.iter().cloned());
        preset.environment.extend(self.sandboxed.environment.clone());
        preset
    }

    /// Tells whether an ended session can be resumed in a new process. The agent may still refuse.
    pub fn can_resume(&self) -> bool {
        match self.driver {
            DriverName::Acp | DriverName::Claude | DriverName::Codex => true,
            DriverName::Pty => !self.resume.is_empty(),
        }
    }

    /// Tells whether the commands that it runs read the file with provided variables each time: scripts by `JANGDAN_ENV_FILE`,
    /// Claude Code by `CLAUDE_ENV_FILE`. The commands of other agents surely have what their process started with.
    pub fn reads_environment_file(&self) -> bool {
        let is_claude = self.command.contains("claude");
        match self.driver {
            DriverName::Claude => true,
            DriverName::Pty => is_claude || self.resume.is_empty(),
            DriverName::Acp => is_claude,
            DriverName::Codex => false,
        }
    }

    /// Tells whether its messages must carry the session's key.
    pub fn message_key_requirement(&self) -> protocol::KeyRequirement {
        match (self.keys, self.driver) {
            (Some(MessageKeyRule::Required), _) | (None, DriverName::Pty) => {
                protocol::KeyRequirement::Required
            }
            (Some(MessageKeyRule::Optional), _)
            | (None, DriverName::Acp | DriverName::Claude | DriverName::Codex) => {
                protocol::KeyRequirement::Optional
            }
        }
    }

    /// Returns how it uses a terminal.
    pub fn pty_mode(&self) -> PtyMode {
        match self.mode {
            Some(TerminalMode::Screen) => PtyMode::Screen,
            Some(TerminalMode::Lines) | None => PtyMode::Lines,
        }
    }

    /// Returns the silence that ends a turn.
    pub fn quiet_ms(&self) -> u64 {
        self.quiet_ms.unwrap_or(QUIET_MS)
    }

    /// Names the source of the state of its sessions, for users.
    pub fn state_source(&self) -> &'static str {
        match self.driver {
            DriverName::Acp => "its ACP",
            DriverName::Claude => "its JSON stream",
            DriverName::Codex => "its app server",
            DriverName::Pty => "its silence",
        }
    }
}

/// Returns the names of all presets: Jangdan's in the order in which they are tried, then the project's.
pub fn preset_names(added: &toml::Table) -> Vec<String> {
    let own = OWN.iter().map(|(name, _)| (*name).to_owned());
    let is_new = |name: &&String| !OWN.iter().any(|(own, _)| own == name);
    own.chain(added.keys().filter(is_new).cloned()).collect()
}

/// Returns a preset by its name, from the project's tables (`[agents.NAME]`) and Jangdan's own.
///
/// A table may contain `extends = "NAME"`; a table with the name of a built-in preset changes that preset. Keys that it
/// does not contain keep their values.
///
/// ```
/// let added = toml::from_str("[build]\nextends = 'shell'\narguments = ['build.sh']").unwrap();
/// let preset = drivers::preset::resolve_preset("build", &added).unwrap();
/// assert_eq!((preset.command.as_str(), &preset.arguments[..]), ("sh", &["build.sh".to_owned()][..]));
/// ```
pub fn resolve_preset(name: &str, added: &toml::Table) -> Result<Preset, PresetError> {
    let mut table = resolve_table(name, added, 0).map_err(|error| match error {
        PresetError::Cycle { .. } => PresetError::Cycle { name: name.to_owned() },
        error @ PresetError::Unknown { .. } | error @ PresetError::Wrong { .. } => error,
    })?;
    table.entry("title").or_insert_with(|| toml::Value::String(name.to_owned()));
    let invalid = |error: toml::de::Error| PresetError::Wrong {
        name: name.to_owned(),
        problem: error.message().to_owned(),
    };
    table.try_into().map_err(invalid)
}

fn resolve_table(name: &str, added: &toml::Table, depth: usize) -> Result<toml::Table, PresetError> {
    if depth > added.len() + OWN.len() {
        return Err(PresetError::Cycle { name: name.to_owned() });
    }
    let own = || OWN.iter().find(|(own, _)| *own == name).map(|(_, text)| *text);
    let Some(overrides) = added.get(name) else {
        return match own() {
            Some(text) => parse_preset_toml(name, text),
            None => {
                Err(PresetError::Unknown { name: name.to_owned(), known: preset_names(added).join(", ") })
            }
        };
    };
    let invalid = |problem: &str| PresetError::Wrong { name: name.to_owned(), problem: problem.to_owned() };
    let mut overrides = overrides.as_table().cloned().ok_or_else(|| invalid("it is not a table"))?;
    let base = match (overrides.remove("extends"), own()) {
        // A table that extends its own name means Jangdan's.
        (Some(toml::Value::String(base)), Some(text)) if base == name => parse_preset_toml(name, text)?,
        (Some(toml::Value::String(base)), _) => resolve_table(&base, added, depth + 1)?,
        (Some(_), _) => return Err(invalid("`extends` must be the name of an agent")),
        (None, Some(text)) => parse_preset_toml(name, text)?,
        (None, None) => toml::Table::new(),
    };
    Ok(merge_tables(base, overrides))
}

fn parse_preset_toml(name: &str, text: &str) -> Result<toml::Table, PresetError> {
    let invalid =
        |error: toml::de::Error| PresetError::Wrong { name: name.to_owned(), problem: error.to_string() };
    text.parse().map_err(invalid)
}

/// Merges a table over another one, recursively; a list replaces a list.
fn merge_tables(mut base: toml::Table, overrides: toml::Table) -> toml::Table {
    for (key, value) in overrides {
        let value = match (base.remove(&key), value) {
            (Some(toml::Value::Table(base)), toml::Value::Table(overrides)) => {
                toml::Value::Table(merge_tables(base, overrides))
            }
            (_, value) => value,
        };
        base.insert(key, value);
    }
    base
}

fn default_version_arguments() -> Vec<String> {
    vec!["--version".to_owned()]
}

#[cfg(test)]
mod tests {
    use super::{DriverName, LaunchMode, PresetError, preset_names, resolve_preset};

    fn parse_tables(text: &str) -> toml::Table {
        text.parse().unwrap()
    }

    #[test]
    fn every_built_in_preset_resolves() {
        let none = toml::Table::new();
        let rendered: Vec<String> = preset_names(&none)
            .iter()
            .map(|name| {
                let preset = resolve_preset(name, &none).unwrap();
                let line = [vec![preset.command.clone()], preset.arguments(LaunchMode::Resume("ID"))]
                    .concat()
                    .join(" ");
                format!(
                    "{name}: {:?} {:?}, {} ms: {line}",
                    preset.driver,
                    preset.message_key_requirement(),
                    preset.quiet_ms()
                )
            })
            .collect();
        insta::assert_snapshot!(rendered.join("\n"));
    }

    #[test]
    fn a_project_table_overrides_only_its_own_keys() {
        let added = parse_tables(
            "[claude]\nenvironment = { A = 'b' }\n[mine]\nextends = 'claude'\ncommand = '/opt/claude'",
        );
        let preset = resolve_preset("mine", &added).unwrap();
        assert_eq!((preset.command.as_str(), preset.driver), ("/opt/claude", DriverName::Claude));
        let known = ["A", "DISABLE_AUTOUPDATER"].map(|name| preset.environment.contains_key(name));
        assert_eq!((known, preset.environment.len() > 2), ([true, true], true));
        let tui = "[tui]\ndriver = 'pty'\nmode = 'screen'\ncommand = 'x'\ntyping = { submit_after_ms = 900, paste = true }";
        let preset = resolve_preset("tui", &self::parse_tables(tui)).unwrap();
        assert_eq!(
            (preset.title.as_str(), preset.typing.submit_after_ms, preset.typing.interrupt.as_str()),
            ("tui", 900, "\u{3}")
        );
    }

    #[test]
    fn invalid_presets_are_reported() {
        let check = |name: &str, text: &str, expected: &str| {
            assert_eq!(resolve_preset(name, &parse_tables(text)).unwrap_err().to_string(), expected);
        };
        check("a", "[a]\nextends = 'b'\n[b]\nextends = 'a'", "agent 'a' extends itself");
        check("a", "[a]\ncommand = 'x'", "agent 'a' is invalid: missing field `driver`");
        check("a", "a = 1", "agent 'a' is invalid: it is not a table");
        let unknown = resolve_preset("no", &toml::Table::new()).unwrap_err();
        assert!(matches!(unknown, PresetError::Unknown { .. }), "{unknown}");
        let typo = resolve_preset("a", &parse_tables("[a]\nextends = 'shell'\nquite_ms = 1"))
            .unwrap_err()
            .to_string();
        assert!(typo.contains("unknown field `quite_ms`"), "{typo}");
    }
}
