//! The agents of this machine as people and programs are shown them.

use drivers::preset::{self, PresetError};
use serde::Serialize;

use super::{AgentDetector, DetectedAgent, LoginState, choose};

/// An agent, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ListedAgent", optional_fields))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = ListedAgent))]
#[serde(rename_all = "camelCase")]
pub struct AgentListing {
    /// Its name.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// Where its program is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// What it says about its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Whether it is logged in.
    pub login: LoginState,
    /// What to do before it works.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// Whether a run can take it as it is.
    pub works: bool,
    /// Whether a run takes it where nobody is named.
    pub chosen: bool,
}

/// Looks for all agents that are known here.
///
/// What only `added` names and `trusted` does not is not run: to list agents in a foreign repository starts nothing of it.
pub fn list(
    added: &toml::Table,
    trusted: &toml::Table,
    worker: Option<&str>,
) -> Result<Vec<AgentListing>, PresetError> {
    let presets = preset::names(added).into_iter().map(|name| {
        let mut preset = preset::pick(&name, added)?;
        if !preset::pick(&name, trusted).is_ok_and(|trusted| trusted == preset) {
            preset.version.clear();
        }
        Ok((name, preset))
    });
    let found = AgentDetector::here().find(presets.collect::<Result<_, PresetError>>()?);
    let chosen = worker.or_else(|| choose(&found).map(|found| found.name.as_str()));
    Ok(found.iter().map(|found| listed(found, chosen == Some(&found.name))).collect())
}

fn listed(found: &DetectedAgent, chosen: bool) -> AgentListing {
    let DetectedAgent { name, preset, program, version, login } = found;
    let missing = match (program, login, &preset.login) {
        (None, _, _) => Some(format!("install it: {}", preset.install)),
        (Some(_), LoginState::Out, Some(signs)) => Some(format!("log in: {}", signs.how)),
        (Some(_), LoginState::Out | LoginState::In | LoginState::NotNeeded, _) => None,
    };
    AgentListing {
        name: name.clone(),
        title: preset.title.clone(),
        program: program.as_ref().map(|program| program.display().to_string()),
        version: version.clone(),
        login: *login,
        missing,
        works: found.works(),
        chosen,
    }
}
