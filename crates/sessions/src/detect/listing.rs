//! The list of agents for the CLI and the web page.

use drivers::preset::{self, PresetError};
use serde::Serialize;

use super::{AgentDetector, DetectedAgent, LoginState, choose_default};

/// One row of the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ListedAgent", optional_fields))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = ListedAgent))]
#[serde(rename_all = "camelCase")]
pub struct AgentListing {
    pub name: String,
    /// The display name.
    pub title: String,
    /// The path of its program, if it is installed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// As the program prints it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    pub login: LoginState,
    /// What to do before it can be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// Whether a run can use it without further setup.
    pub works: bool,
    /// Whether it is the default agent.
    pub chosen: bool,
}

/// Detects all agents of the built-in presets and of the project's presets (`added`).
///
/// `worker` is the configured default, and `without_role` are the agents that the user configured without a role.
///
/// A preset that differs from the one in `trusted` is not executed: listing the agents of an unknown repository must not
/// run its programs.
pub fn list(
    added: &toml::Table,
    trusted: &toml::Table,
    worker: Option<&str>,
    without_role: &[&str],
) -> Result<Vec<AgentListing>, PresetError> {
    let presets = preset::preset_names(added).into_iter().map(|name| {
        let mut preset = preset::resolve_preset(&name, added)?;
        if !preset::resolve_preset(&name, trusted).is_ok_and(|trusted| trusted == preset) {
            preset.version.clear();
        }
        Ok((name, preset))
    });
    let agents = AgentDetector::from_environment().detect(presets.collect::<Result<_, PresetError>>()?);
    let chosen = worker.or_else(|| choose_default(&agents, without_role).map(|agent| agent.name.as_str()));
    Ok(agents.iter().map(|agent| listing(agent, chosen == Some(&agent.name))).collect())
}

fn listing(agent: &DetectedAgent, chosen: bool) -> AgentListing {
    let DetectedAgent { name, preset, program, version, login } = agent;
    let missing = match (program, login, &preset.login) {
        (None, _, _) => Some(format!("install it: {}", preset.install)),
        (Some(_), LoginState::Out, Some(check)) => Some(format!("sign in: {}", check.how)),
        (Some(_), LoginState::Out | LoginState::In | LoginState::NotNeeded, _) => None,
    };
    AgentListing {
        name: name.clone(),
        title: preset.title.clone(),
        program: program.as_ref().map(|program| program.display().to_string()),
        version: version.clone(),
        login: *login,
        missing,
        works: agent.is_usable(),
        chosen,
    }
}
