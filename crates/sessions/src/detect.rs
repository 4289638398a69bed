//! Finds the agents on this machine, their versions, and whether they are logged in.
//!
//! Checks that files and variables exist, and never reads them. Programs that do not answer in time are skipped.

mod listing;
mod version;

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use drivers::preset::{DriverName, LoginEvidence, Preset};
use serde::Serialize;

pub use listing::{AgentListing, list};

/// The slowest agent takes two seconds to print its version on a busy machine.
const VERSION_TIMEOUT: Duration = Duration::from_secs(10);

/// The environment in which agents are searched.
#[derive(Debug, Clone)]
pub struct AgentDetector {
    /// The search path for programs, as in `PATH`.
    pub path: OsString,
    pub home: Option<PathBuf>,
    /// The environment variables that are set.
    pub variables: Vec<(String, OsString)>,
    /// Time allowed for a program to print its version.
    pub version_timeout: Duration,
}

/// The result of searching for one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DetectedAgent {
    /// The preset's name.
    pub name: String,
    pub preset: Preset,
    /// `None` if the program is not installed.
    pub program: Option<PathBuf>,
    /// As the program prints it.
    pub version: Option<String>,
    pub login: LoginState,
}

/// Whether an agent is logged in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum LoginState {
    /// A credentials file or variable exists.
    In,
    Out,
    NotNeeded,
}

impl AgentDetector {
    /// Returns the environment of this process.
    pub fn from_environment() -> Self {
        let variables = std::env::vars_os().filter(|(_, value)| !value.is_empty());
        let variables = variables.filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
        Self {
            path: std::env::var_os("PATH").unwrap_or_default(),
            home: std::env::home_dir(),
            variables: variables.collect(),
            version_timeout: VERSION_TIMEOUT,
        }
    }

    /// Searches for agents in parallel.
    pub fn detect(&self, presets: Vec<(String, Preset)>) -> Vec<DetectedAgent> {
        thread::scope(|scope| {
            let searches: Vec<_> = presets
                .into_iter()
                .map(|(name, preset)| {
                    (name.clone(), preset.clone(), scope.spawn(move || self.detect_one(name, preset)))
                })
                .collect();
            let detected = searches.into_iter().map(|(name, preset, search)| {
                // A search does not panic; if it did, its agent would count as not installed.
                search.join().unwrap_or(DetectedAgent {
                    name,
                    preset,
                    program: None,
                    version: None,
                    login: LoginState::Out,
                })
            });
            detected.collect()
        })
    }

    fn detect_one(&self, name: String, preset: Preset) -> DetectedAgent {
        let program = self.find_program(&preset.command);
        let version = program.as_ref().filter(|_| !preset.version.is_empty());
        let version = version.and_then(|program| {
            version::read_version(program, &preset.version, &self.path, self.version_timeout)
        });
        let environment = self.with_variables(&preset.environment);
        let login = preset.login.as_ref();
        let login = login.map_or(LoginState::NotNeeded, |check| environment.login_state(check));
        DetectedAgent { name, preset, program, version, login }
    }

    /// Returns the program of a command: an absolute path, or a name on the search path.
    pub fn find_program(&self, command: &str) -> Option<PathBuf> {
        let command = Path::new(command);
        if command.components().count() > 1 {
            return is_program(command).then(|| command.to_owned());
        }
        let mut folders = std::env::split_paths(&self.path).filter(|folder| folder.is_absolute());
        folders.find_map(|folder| Some(folder.join(command)).filter(|program| is_program(program)))
    }

    /// Returns the environment of an agent that is started with additional variables. They override those of this one, and
    /// `HOME` its home folder. An empty value unsets a variable.
    #[must_use]
    pub fn with_variables(&self, added: &BTreeMap<String, String>) -> Self {
        let mut environment = self.clone();
        environment.variables.retain(|(name, _)| !added.contains_key(name));
        let set = added.iter().filter(|(_, value)| !value.is_empty());
        environment.variables.extend(set.map(|(name, value)| (name.clone(), value.into())));
        if let Some(home) = added.get("HOME") {
            environment.home = Some(PathBuf::from(home));
        }
        environment
    }

    /// Returns whether no file or variable shows that an agent is signed in.
    pub fn is_signed_out(&self, check: &LoginEvidence) -> bool {
        self.login_state(check) == LoginState::Out
    }

    /// Tells whether a file exists that can configure another way to sign in, so that a missing login is not certain.
    pub fn may_sign_in_otherwise(&self, check: &LoginEvidence) -> bool {
        self.has_file(&check.alternatives)
    }

    fn login_state(&self, check: &LoginEvidence) -> LoginState {
        let has_variable = check.variables.iter().any(|name| self.variable(name).is_some());
        if has_variable || self.has_file(&check.files) { LoginState::In } else { LoginState::Out }
    }

    fn has_file(&self, files: &[String]) -> bool {
        files.iter().filter_map(|file| self.resolve_path(file)).any(|file| file.is_file())
    }

    /// Resolves a path that starts with `~` or a variable; `None` if that is not set.
    fn resolve_path(&self, file: &str) -> Option<PathBuf> {
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
    /// Returns whether a run can use it without further setup.
    pub fn is_usable(&self) -> bool {
        self.program.is_some() && self.login != LoginState::Out
    }
}

/// Returns the agent for a run whose configuration names none: the first usable one that is not a plain script, or else the first
/// usable script among the agents that the user configured without a role (`own`).
pub fn choose_default<'a>(agents: &'a [DetectedAgent], own: &[&str]) -> Option<&'a DetectedAgent> {
    let is_agent =
        |agent: &&DetectedAgent| agent.preset.driver != DriverName::Pty || agent.preset.login.is_some();
    let is_own_script =
        |agent: &&DetectedAgent| own.contains(&agent.name.as_str()) && !agent.preset.executes_its_inputs();
    let usable = || agents.iter().filter(|agent| agent.is_usable());
    usable().find(is_agent).or_else(|| usable().find(is_own_script))
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
