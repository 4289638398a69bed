//! Delivers what agents request: reads values from the vault, copies files, adds packages, and verifies each.
//!
//! Variables reach a session through its thread ([`super::session`]); everything else is done in the worktree.

use std::{
    collections::BTreeSet,
    net::{TcpStream, ToSocketAddrs},
    path::Path,
    time::Duration,
};

use domain::{DependencyType, EffectId, ProvidedResource, ProvisionOutcome, Report};
use engine::{ProvisionOrder, SessionVariable, VariableSource};
use vault::{MASKED_BYTES_MIN, SecretName, SecretValue};

use super::{
    copied_file::copy_into_worktree,
    package::{AddedPackage, add_package},
    run_context::{RunContext, WorktreeError},
    stop_token::StopToken,
};
use crate::error_chain::error_chain;

/// Variables that decide which programs run, or through which variables are delivered.
const RESERVED_NAMES: [&str; 9] =
    ["PATH", "HOME", "SHELL", "ENV", "BASH_ENV", "CLAUDE_ENV_FILE", "IFS", "TMPDIR", "PPID"];
const RESERVED_PREFIXES: [&str; 3] = ["JANGDAN_", "LD_", "DYLD_"];
/// Time that the address of a service has to accept a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// Addresses of a service that are tried.
const ADDRESSES_MAX: usize = 4;

/// A variable with its value. Lives only until it is delivered.
pub(super) struct ResolvedVariable {
    pub(super) name: SecretName,
    pub(super) value: SecretValue,
    /// Whether the value is masked in output.
    pub(super) is_masked: bool,
}

impl ResolvedVariable {
    pub(super) fn as_pair(&self) -> (&str, &str) {
        (self.name.as_str(), self.value.expose())
    }
}

/// Reads the values of variables. Fails if one is missing: a variable without a value must not be called provided.
pub(super) fn resolve_variables(
    context: &RunContext,
    variables: &[SessionVariable],
) -> Result<Vec<ResolvedVariable>, String> {
    variables.iter().map(|variable| resolve_variable(context, variable)).collect()
}

fn resolve_variable(context: &RunContext, variable: &SessionVariable) -> Result<ResolvedVariable, String> {
    let name: SecretName = variable.name.parse().map_err(|error| error_chain(&error))?;
    let is_reserved = RESERVED_NAMES.contains(&name.as_str())
        || RESERVED_PREFIXES.iter().any(|prefix| name.as_str().starts_with(prefix));
    if is_reserved {
        return Err(format!("{name} cannot be set: it decides how programs are started"));
    }
    match &variable.source {
        VariableSource::Vault => {
            let found = context.vault.find(&context.secret_project, &name);
            let (entry, value) = found
                .map_err(|error| error_chain(&error))?
                .ok_or_else(|| format!("no value is stored for {name}"))?;
            let is_masked = entry.is_secret && value.expose().len() >= MASKED_BYTES_MIN;
            Ok(ResolvedVariable { name, value, is_masked })
        }
        VariableSource::Default { value } => {
            let value =
                SecretValue::new(value.clone()).map_err(|error| format!("the default of {name}: {error}"))?;
            // The agent itself wrote it.
            Ok(ResolvedVariable { name, value, is_masked: false })
        }
    }
}

/// Delivers a resource that is not for the environment of a live session.
pub(super) fn provide(
    context: &RunContext,
    effect: EffectId,
    order: &ProvisionOrder,
    stop_token: &StopToken,
) -> Report {
    let outcome = match &order.provided {
        // The next session of the task starts with them.
        ProvidedResource::Environment { names } => resolve_variables(context, &order.variables)
            .and_then(|resolved| check_environment(order, names, &resolved))
            .map(|detail| (order.provided.clone(), detail)),
        ProvidedResource::File { path, target, secret } => worktree_directory(context, order)
            .and_then(|directory| {
                let target = target.as_deref().unwrap_or(&order.name);
                copy_into_worktree(&context.environment.project, &directory, path, target, order.is_default)
            })
            .map(|path| (ProvidedResource::File { path, target: None, secret: *secret }, None)),
        ProvidedResource::Package { name, version } => worktree_directory(context, order)
            .and_then(|directory| {
                let job = format!("package-{}-{}", effect.sequence, effect.index);
                add_package(context, order, (&job, &directory), (name, version.as_deref()), stop_token)
            })
            .map(|AddedPackage { version, changes }| {
                (ProvidedResource::Package { name: name.clone(), version }, Some(changes))
            }),
        ProvidedResource::Permission { .. } => Ok((order.provided.clone(), None)),
    };
    finished(effect, order, outcome)
}

/// Returns the report of a delivery.
pub(super) fn finished(
    effect: EffectId,
    order: &ProvisionOrder,
    outcome: Result<(ProvidedResource, Option<String>), String>,
) -> Report {
    let outcome = match outcome {
        Ok((provided, detail)) => ProvisionOutcome::Provided { provided, detail },
        Err(error) => ProvisionOutcome::Failed { error },
    };
    Report::ProvisionFinished { effect, request: order.request, outcome }
}

/// Checks that all requested names have a value, and that a service accepts connections. Returns what was verified.
pub(super) fn check_environment(
    order: &ProvisionOrder,
    names: &[String],
    resolved: &[ResolvedVariable],
) -> Result<Option<String>, String> {
    let new: Vec<&ResolvedVariable> =
        resolved.iter().filter(|variable| names.iter().any(|name| name == variable.name.as_str())).collect();
    if new.len() < names.len() {
        return Err("not all variables have a value".to_owned());
    }
    if order.kind != DependencyType::Service || order.is_default {
        return Ok(None);
    }
    let addresses = service_addresses(&new);
    if addresses.is_empty() {
        return Ok(Some("not checked: no variable has an address to connect to".to_owned()));
    }
    for (host, port) in &addresses {
        connect(host, *port)?;
    }
    let list: Vec<String> = addresses.iter().map(|(host, port)| format!("{host}:{port}")).collect();
    Ok(Some(format!("connected to {}", list.join(", "))))
}

fn connect(host: &str, port: u16) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("cannot connect to {host}:{port}: {error}");
    let mut last = None;
    for address in (host, port).to_socket_addrs().map_err(failed)?.take(ADDRESSES_MAX) {
        match TcpStream::connect_timeout(&address, CONNECT_TIMEOUT) {
            Ok(_) => return Ok(()),
            Err(error) => last = Some(error),
        }
    }
    Err(last.map_or_else(|| format!("{host} has no address"), failed))
}

/// Returns the hosts and ports in the values: of URLs, of `HOST:PORT`, and of a variable for the host beside one for the port.
fn service_addresses(variables: &[&ResolvedVariable]) -> BTreeSet<(String, u16)> {
    let mut addresses = BTreeSet::new();
    for variable in variables {
        let (name, value) = (variable.name.as_str(), variable.value.expose());
        addresses.extend(url_address(value));
        if let Some(stem) = name.strip_suffix("HOST") {
            let port = variables.iter().find(|other| other.name.as_str() == format!("{stem}PORT"));
            let port = port.and_then(|port| port.value.expose().parse().ok());
            addresses.extend(port.map(|port| (value.to_owned(), port)));
        }
    }
    addresses.into_iter().take(ADDRESSES_MAX).collect()
}

/// Returns the host and port of a URL, with the usual port of its scheme.
fn url_address(value: &str) -> Option<(String, u16)> {
    let (scheme, behind) = value.split_once("://")?;
    let authority = behind.split(['/', '?', '#']).next()?;
    let host_and_port = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let usual = match scheme.split('+').next()? {
        "http" | "ws" => Some(80),
        "https" | "wss" => Some(443),
        "postgres" | "postgresql" => Some(5432),
        "mysql" | "mariadb" => Some(3306),
        "redis" | "rediss" => Some(6379),
        "mongodb" => Some(27017),
        "amqp" => Some(5672),
        "amqps" => Some(5671),
        "nats" => Some(4222),
        _ => None,
    };
    // An address of IPv6 has its colons in brackets.
    let (host, port) = match host_and_port.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, port)) => (host, port.strip_prefix(':')),
        None => match host_and_port.rsplit_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (host_and_port, None),
        },
    };
    let port = match port {
        Some(port) => port.parse().ok(),
        None => usual,
    };
    port.filter(|_| !host.is_empty()).map(|port| (host.to_owned(), port))
}

/// Returns the worktree of the task or of the session that requests something.
fn worktree_directory(context: &RunContext, order: &ProvisionOrder) -> Result<std::path::PathBuf, String> {
    let directory = match (&order.task, order.session) {
        (Some(task), _) => context.find_or_create_task_directory(task),
        (None, Some(session)) => {
            context.find_or_create_session_directory(session).map_err(WorktreeError::Git)
        }
        (None, None) => return Err("its session has ended".to_owned()),
    };
    match directory {
        Ok((directory, _)) => Ok(directory),
        Err(WorktreeError::Git(error)) => Err(error_chain(&error)),
        Err(WorktreeError::DiskBudget(exceeded)) => Err(exceeded.to_string()),
    }
}

/// Returns whether a path stays below the folder that it is relative to.
pub(super) fn is_inside(path: &Path) -> bool {
    let is_normal = |part: std::path::Component<'_>| matches!(part, std::path::Component::Normal(_));
    path.components().next().is_some() && path.components().all(is_normal)
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use domain::{RequestId, SessionId};

    use super::*;

    fn variable(name: &str, value: &str) -> ResolvedVariable {
        let value = SecretValue::new(value.to_owned()).unwrap();
        ResolvedVariable { name: name.parse().unwrap(), value, is_masked: true }
    }

    fn service(names: &[&str]) -> ProvisionOrder {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        ProvisionOrder {
            request: RequestId(1),
            session: Some(SessionId(1)),
            task: None,
            kind: DependencyType::Service,
            name: "postgres".to_owned(),
            provided: ProvidedResource::Environment { names },
            is_default: false,
            variables: Vec::new(),
        }
    }

    #[test]
    fn addresses_are_found_in_urls_and_in_pairs_of_host_and_port() {
        let cases = [
            ("postgres://ana:p@ss@db.example/shop", Some(("db.example", 5432))),
            ("redis://localhost:7000/1", Some(("localhost", 7000))),
            ("https://[::1]:8443/x", Some(("::1", 8443))),
            ("postgresql+asyncpg://db/x", Some(("db", 5432))),
            ("smtp://mail.example", None),
            ("sqlite:///file.db", None),
            ("sk-12345678", None),
        ];
        for (value, expected) in cases {
            let expected = expected.map(|(host, port)| (host.to_owned(), port));
            assert_eq!(url_address(value), expected, "{value}");
        }
        let (host, port) = (variable("DB_HOST", "10.0.0.1"), variable("DB_PORT", "5433"));
        let found = service_addresses(&[&host, &port]);
        assert_eq!(found.into_iter().collect::<Vec<_>>(), [("10.0.0.1".to_owned(), 5433)]);
    }

    #[test]
    fn service_is_provided_only_if_it_accepts_connections() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let order = service(&["DATABASE_URL"]);
        let names = ["DATABASE_URL".to_owned()];
        let resolved = [variable("DATABASE_URL", &format!("postgres://ana:hidden-pw@{address}/shop"))];
        let detail = check_environment(&order, &names, &resolved).unwrap().unwrap();
        assert_eq!(detail, format!("connected to {address}"));
        drop(listener);
        let error = check_environment(&order, &names, &resolved).unwrap_err();
        assert!(
            error.starts_with(&format!("cannot connect to {address}")) && !error.contains("hidden-pw"),
            "{error}"
        );
        let token = [variable("DATABASE_URL", "token-12345678")];
        let detail = check_environment(&order, &names, &token).unwrap().unwrap();
        assert!(detail.starts_with("not checked"), "{detail}");
        assert!(check_environment(&order, &names, &[]).is_err());
    }
}
