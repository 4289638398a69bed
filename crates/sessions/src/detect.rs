//! Which agents are on this machine, which versions, and whether they are logged in.
//!
//! Looks whether files and variables are there, never into them. A program that does not answer is not waited for.

mod listing;
mod version;

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use drivers::preset::{DriverName, LoginCheck, Preset};
use serde::Serialize;

pub use listing::{AgentListing, list};

/// The slowest agent takes two seconds for its version on a busy machine.
const VERSION_WAIT: Duration = Duration::from_secs(10);

/// The machine as agents would see it.
#[derive(Debug, Clone)]
pub struct AgentDetector {
    /// The folders in which programs are looked for, as in `PATH`.
    pub path: OsString,
    /// The person's own folder.
    pub home: Option<PathBuf>,
    /// Variables that are set, with their values where a value names a folder.
    pub variables: Vec<(String, OsString)>,
    /// How long a program may take to say its version.
    pub version_wait: Duration,
}

/// What was found out about one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DetectedAgent {
    /// The preset's name.
    pub name: String,
    /// The preset.
    pub preset: Preset,
    /// Where its program is.
    pub program: Option<PathBuf>,
    /// What it says about its version.
    pub version: Option<String>,
    /// Whether it is logged in.
    pub login: LoginState,
}

/// Whether an agent is logged in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum LoginState {
    /// It looks so.
    In,
    /// There is no sign of it.
    Out,
    /// Nobody has to be.
    NotNeeded,
}

impl AgentDetector {
    /// Returns the machine that this process runs on.
    pub fn here() -> Self {
        let variables = std::env::vars_os().filter(|(_, value)| !value.is_empty());
        let variables = variables.filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
        Self {
            path: std::env::var_os("PATH").unwrap_or_default(),
            home: std::env::home_dir(),
            variables: variables.collect(),
            version_wait: VERSION_WAIT,
        }
    }

    /// Looks for agents, all at once.
    pub fn find(&self, presets: Vec<(String, Preset)>) -> Vec<DetectedAgent> {
        thread::scope(|scope| {
            let searches: Vec<_> = presets
                .into_iter()
                .map(|(name, preset)| {
                    (name.clone(), preset.clone(), scope.spawn(move || self.look(name, preset)))
                })
                .collect();
            let found = searches.into_iter().map(|(name, preset, search)| {
                // A search does not panic; were it to, its agent would not be there.
                search.join().unwrap_or(DetectedAgent {
                    name,
                    preset,
                    program: None,
                    version: None,
                    login: LoginState::Out,
                })
            });
            found.collect()
        })
    }

    fn look(&self, name: String, preset: Preset) -> DetectedAgent {
        let program = self.program(&preset.command);
        let version = program.as_ref().filter(|_| !preset.version.is_empty());
        let version =
            version.and_then(|program| version::ask(program, &preset.version, &self.path, self.version_wait));
        let login = preset.login.as_ref().map_or(LoginState::NotNeeded, |signs| self.login(signs));
        DetectedAgent { name, preset, program, version, login }
    }

    /// Returns where a program is.
    fn program(&self, command: &str) -> Option<PathBuf> {
        let command = Path::new(command);
        if command.components().count() > 1 {
            return is_program(command).then(|| command.to_owned());
        }
        let mut places = std::env::split_paths(&self.path).filter(|folder| folder.is_absolute());
        places.find_map(|folder| Some(folder.join(command)).filter(|program| is_program(program)))
    }

    fn login(&self, signs: &LoginCheck) -> LoginState {
        let has_variable = signs.variables.iter().any(|name| self.variable(name).is_some());
        let has_file = || signs.files.iter().filter_map(|file| self.place(file)).any(|file| file.is_file());
        if has_variable || has_file() { LoginState::In } else { LoginState::Out }
    }

    /// Returns where a file is that is named from `~` or a variable on; nothing where that is not set.
    fn place(&self, file: &str) -> Option<PathBuf> {
        let (base, rest) = file.split_once('/')?;
        let folder = match base.strip_prefix('$') {
            Some(name) => PathBuf::from(self.variable(name)?),
            None if base == "~" => self.home.clone()?,
            None => return Some(PathBuf::from(file)),
        };
        Some(folder.join(rest))
    }

    fn variable(&self, name: &str) -> Option<&OsString> {
        self.variables.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }
}

impl DetectedAgent {
    /// Tells whether a run can take it as it is.
    pub fn works(&self) -> bool {
        self.program.is_some() && self.login != LoginState::Out
    }
}

/// Returns the agent that a run without configuration takes: the first that works and is no mere script.
pub fn choose(found: &[DetectedAgent]) -> Option<&DetectedAgent> {
    let is_agent =
        |found: &&DetectedAgent| found.preset.driver != DriverName::Pty || found.preset.login.is_some();
    found.iter().filter(is_agent).find(|found| found.works())
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|data| data.is_file())
}
