//! The configuration of a project and the agents that it names.

use std::{
    collections::HashMap,
    env,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use config::LoadedConfig;
use domain::{AgentName, Locale, Role};
use runtime::prepare::ConfigSources;
use runtime::{Host, error_chain};
use sessions::detect::{AgentListing, list};
use tokio::{sync::Mutex, time::Instant};

use crate::{problem::ApiError, problem_code::ProblemCode, projects::check_project_listed};

/// Time to live of a list of agents: detecting them starts each of them.
const AGENT_LIST_TTL: Duration = Duration::from_secs(30);

/// The configuration, with and without the file of the project.
pub(crate) struct ProjectConfig {
    pub effective: LoadedConfig,
    /// The configuration without the project's file; `None` if it is invalid without it.
    pub without_project: Option<LoadedConfig>,
}

/// Returns the folder of a listed project, or the folder in which the server was started.
pub(crate) fn project_folder(host: &Host, project: Option<&Path>) -> Result<PathBuf, ApiError> {
    let failed = |error: std::io::Error| {
        ApiError::new(ProblemCode::InternalError, error_chain(&error), "Check the folder.")
    };
    project.map_or_else(|| env::current_dir().map_err(failed), |project| check_project_listed(host, project))
}

/// Loads the configuration of the user and of the project, and the stored choices for it.
pub(crate) fn load(folder: &Path, data: &Path) -> Result<ProjectConfig, ApiError> {
    let settings =
        ConfigSources::read(folder, &[]).and_then(|settings| settings.with_saved_permissions(data)).map_err(
            |error| ApiError::new(ProblemCode::InvalidConfiguration, error_chain(&error), error.hint()),
        )?;
    let effective = settings.load().map_err(|problems| {
        let first = problems
            .first()
            .map(|problem| format!("{}: {}", problem.origin, problem.message.text(Locale::En)));
        let detail = first.unwrap_or_else(|| "The configuration is invalid.".to_owned());
        ApiError::new(
            ProblemCode::InvalidConfiguration,
            detail,
            "`jangdan config check` shows every error with its location.",
        )
    })?;
    Ok(ProjectConfig { effective, without_project: settings.load_without_project() })
}

/// A list of agents and the time of its detection.
type CachedList = (Instant, Arc<Vec<AgentListing>>);

/// The agents of each folder, detected at most once per [`AGENT_LIST_TTL`].
#[derive(Clone, Default)]
pub(crate) struct AgentListCache {
    lists: Arc<Mutex<HashMap<PathBuf, CachedList>>>,
}

impl AgentListCache {
    /// Returns the agents of a folder. Concurrent callers wait for one detection.
    pub(crate) async fn get(&self, folder: PathBuf, data: &Path) -> Result<Arc<Vec<AgentListing>>, ApiError> {
        let mut lists = self.lists.lock().await;
        lists.retain(|_, (at, _)| at.elapsed() < AGENT_LIST_TTL);
        if let Some((_, listed)) = lists.get(&folder) {
            return Ok(Arc::clone(listed));
        }
        let (key, data) = (folder.clone(), data.to_owned());
        let list = tokio::task::spawn_blocking(move || list_agents(&key, &data))
            .await
            .map_err(|_| ApiError::internal())??;
        let list = Arc::new(list);
        lists.insert(folder, (Instant::now(), Arc::clone(&list)));
        Ok(list)
    }
}

fn list_agents(folder: &Path, data: &Path) -> Result<Vec<AgentListing>, ApiError> {
    let ProjectConfig { effective, without_project } = load(folder, data)?;
    let trusted = without_project.map(|without_project| without_project.config.agents).unwrap_or_default();
    let worker = effective.config.agent_for(Role::Worker).map(AgentName::as_str);
    list(&effective.config.agents, &trusted, worker, &effective.config.agents_without_role()).map_err(
        |error| {
            ApiError::new(
                ProblemCode::InvalidConfiguration,
                error_chain(&error),
                "`jangdan agents` shows the details.",
            )
        },
    )
}
