//! The configuration as it holds in a folder, and the agents that it names.

use std::{
    collections::HashMap,
    env,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use config::LoadedConfig;
use domain::{AgentName, Role};
use runtime::Host;
use runtime::prepare::ConfigSources;
use sessions::detect::{AgentListing, list};
use tokio::{sync::Mutex, time::Instant};

use crate::{
    code::Code,
    problem::{Failure, chain},
    projects::known_project,
};

/// How long it is known which agents there are: finding out starts each of them.
const KNOWN_FOR: Duration = Duration::from_secs(30);

/// The configuration, with and without the project's own file.
pub struct Configured {
    /// All of it.
    pub whole: LoadedConfig,
    /// What is not the project's; nothing where that alone can't be used.
    pub own: Option<LoadedConfig>,
}

/// Returns the folder of a project that is known, or the one in which the server was started.
pub fn folder(host: &Host, project: Option<&Path>) -> Result<PathBuf, Failure> {
    let failed = |error: std::io::Error| Failure::new(Code::Broken, chain(&error), "look at the folder");
    project.map_or_else(|| env::current_dir().map_err(failed), |project| known_project(host, project))
}

/// Reads the user's file, that of the project to which a folder belongs, and what was kept for it.
pub fn of(folder: &Path, data: &Path) -> Result<Configured, Failure> {
    let settings = ConfigSources::read(folder, &[])
        .and_then(|settings| settings.with_saved_permissions(data))
        .map_err(|error| Failure::new(Code::BadConfiguration, chain(&error), error.hint()))?;
    let whole = settings.load().map_err(|problems| {
        let first = problems.first().map(|problem| format!("{}: {}", problem.origin, problem.message));
        let detail = first.unwrap_or_else(|| "the configuration can't be used".to_owned());
        Failure::new(Code::BadConfiguration, detail, "jangdan config check shows every mistake in its place")
    })?;
    Ok(Configured { whole, own: settings.load_without_project() })
}

/// What was found, and when.
type LookedAt = (Instant, Arc<Vec<AgentListing>>);

/// The agents of this machine as each folder's configuration names them, looked for at most so often.
#[derive(Clone, Default)]
pub struct KnownAgents {
    known: Arc<Mutex<HashMap<PathBuf, LookedAt>>>,
}

impl KnownAgents {
    /// Returns them. Whoever comes while they are looked for waits for that.
    pub async fn get(&self, folder: PathBuf, data: &Path) -> Result<Arc<Vec<AgentListing>>, Failure> {
        let mut known = self.known.lock().await;
        known.retain(|_, (at, _)| at.elapsed() < KNOWN_FOR);
        if let Some((_, listed)) = known.get(&folder) {
            return Ok(Arc::clone(listed));
        }
        let (place, data) = (folder.clone(), data.to_owned());
        let found =
            tokio::task::spawn_blocking(move || find(&place, &data)).await.map_err(|_| Failure::ours())??;
        let found = Arc::new(found);
        known.insert(folder, (Instant::now(), Arc::clone(&found)));
        Ok(found)
    }
}

fn find(folder: &Path, data: &Path) -> Result<Vec<AgentListing>, Failure> {
    let Configured { whole, own } = of(folder, data)?;
    let trusted = own.map(|own| own.config.agents).unwrap_or_default();
    let worker = whole.config.agent_for(Role::Worker).map(AgentName::as_str);
    list(&whole.config.agents, &trusted, worker)
        .map_err(|error| Failure::new(Code::BadConfiguration, chain(&error), "jangdan agents says more"))
}
