//! What the demo is made of: the shop as it is before anything is done, its plan, and the scripts of the agents.

/// A text with the place where it goes.
pub struct File {
    /// The path, from the folder of its kind on.
    pub path: &'static str,
    /// What is in it.
    pub text: &'static str,
}

macro_rules! files {
    ($folder:literal: $($path:literal)*) => {
        &[$(File { path: $path, text: include_str!(concat!($folder, "/", $path)) }),*]
    };
}

/// The repository's first files, beside the plan and the configuration.
pub const SHOP: &[File] = files!("shop": "README.md" "till" "test.sh" "tests/is.sh");

/// How agents are started, and what each plays for which task.
pub const AGENTS: &[File] = files!("agents":
    "play"
    "ada/T1.1.toml" "ada/T2.1.toml" "ada/T3.1.toml"
    "cody/T1.2.toml" "cody/T2.4.toml" "cody/T3.3.toml"
    "mina/T1.3.toml" "mina/T2.3.toml" "mina/T2.5.toml"
    "pip/T1.4.toml" "pip/T2.2.toml" "pip/T3.2.toml"
    "vera/call.toml" "vera/T3.1.toml"
);

/// The plan.
pub const PLAN: &str = include_str!("TASKS.md");
/// The plan in Korean.
pub const PLAN_KO: &str = include_str!("TASKS.ko.md");
/// The configuration, with places that are filled in.
pub const CONFIG: &str = include_str!("jangdan.toml");
/// What agents say, in English and Korean by turns.
pub const WORDS_KO: &str = include_str!("words.ko.txt");
/// The line of the till behind which commands go.
const COMMANDS_BEHIND: &str = "    help)";

/// Returns the till up to its commands, and from there on.
pub fn till() -> (&'static str, &'static str) {
    let text = SHOP.iter().find(|file| file.path == "till").map_or("", |file| file.text);
    let line = text.find(COMMANDS_BEHIND).unwrap_or_default();
    let end = text.get(line..).and_then(|rest| rest.find('\n')).map_or(line, |length| line + length);
    let (head, tail) = text.split_at_checked(end).unwrap_or((text, ""));
    (head, tail.trim_matches('\n'))
}
