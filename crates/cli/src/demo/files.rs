//! The files of the demo: the initial project, its plan and the scripts of the agents.

/// An embedded file.
pub(super) struct DemoFile {
    /// Path relative to the folder of its kind.
    pub path: &'static str,
    pub text: &'static str,
}

macro_rules! files {
    ($folder:literal: $($path:literal)*) => {
        &[$(DemoFile { path: $path, text: include_str!(concat!($folder, "/", $path)) }),*]
    };
}

/// The initial files of the project, without the plan and the configuration.
pub(super) const PROJECT: &[DemoFile] = files!("app": "README.md" "server" "test.sh" "tests/is.sh");

/// The start script and the script of each agent and task.
pub(super) const AGENTS: &[DemoFile] = files!("agents":
    "play"
    "ada/T1.1.toml" "ada/T2.1.toml" "ada/T3.1.toml"
    "cody/T1.2.toml" "cody/T2.4.toml" "cody/T3.3.toml"
    "mina/T1.3.toml" "mina/T2.3.toml" "mina/T2.5.toml"
    "pip/T1.4.toml" "pip/T2.2.toml" "pip/T3.2.toml"
    "vera/call.toml" "vera/T3.1.toml"
);

/// The plan in English.
pub(super) const PLAN: &str = include_str!("TASKS.md");
/// The plan in Korean.
pub(super) const PLAN_KO: &str = include_str!("TASKS.ko.md");
/// The configuration, with placeholders.
pub(super) const CONFIG: &str = include_str!("jangdan.toml");
/// Agent messages in English, each followed by its Korean translation.
pub(super) const TRANSLATIONS_KO: &str = include_str!("translations.ko.txt");
/// The line of `server` after which routes are added.
const FIRST_ROUTE: &str = "    \"GET /\")";

/// Returns `server` up to the first route, and the rest.
pub(super) fn split_server_file() -> (&'static str, &'static str) {
    let text = PROJECT.iter().find(|file| file.path == "server").map_or("", |file| file.text);
    let line = text.find(FIRST_ROUTE).unwrap_or_default();
    let end = text.get(line..).and_then(|rest| rest.find('\n')).map_or(line, |length| line + length);
    let (head, tail) = text.split_at_checked(end).unwrap_or((text, ""));
    (head, tail.trim_matches('\n'))
}
