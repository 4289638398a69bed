//! Facts about the server and the machine, logged at the start: what a report about a problem needs first.

use std::{error::Error, path::Path};

use holder::delegated_cgroup;
use sessions::{Enforcement, supported_sandbox};
use tracing::{info, warn};

/// Logs the version, the listeners and what the machine offers. Starts git, so it must not delay the start.
pub(crate) fn log_start_facts(socket: &Path, address: Option<&str>) {
    info!(
        version = env!("CARGO_PKG_VERSION"),
        pid = std::process::id(),
        socket = %socket.display(),
        address,
        "server started"
    );
    let sandbox = supported_sandbox();
    let enforcement = match sandbox.state {
        Enforcement::Enforced => "enforced",
        Enforcement::Partly => "partly enforced",
        Enforcement::NotAvailable => "not available",
    };
    let cgroup = delegated_cgroup().map(|path| path.display().to_string());
    let git = runtime::installed_git_version();
    let git = git.inspect_err(|error| warn!(error = error as &dyn Error, "git is not usable")).ok();
    info!(sandbox = enforcement, sandbox_reason = sandbox.reason, cgroup, git, "machine");
}
