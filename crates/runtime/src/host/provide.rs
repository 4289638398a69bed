//! Values that a user provides for a request: from the command into the vault, before the command is recorded.

use domain::{ProvidedResource, RequestId, RunId, Sequence, UserCommand};
use vault::{SecretName, SecretScope, SecretValue, Vault};
use views::RequestState;

use super::{CommandSender, Host, HostError};
use crate::{project_secrets::project_secret_scope, run_loop::now};

/// A value that a user provides.
#[derive(Debug, Clone)]
pub struct ProvidedValue {
    name: SecretName,
    value: SecretValue,
    /// Whether it is masked in output.
    is_secret: bool,
}

impl ProvidedValue {
    /// Returns why a value cannot be provided; the reason does not contain it.
    pub fn new(name: &str, value: String, is_secret: bool) -> Result<Self, HostError> {
        let invalid = |reason: String| HostError::InvalidValue { name: name.to_owned(), reason };
        let value = SecretValue::new(value).map_err(|error| invalid(error.to_string()))?;
        let name = name.parse().map_err(|error: vault::SecretNameError| invalid(error.to_string()))?;
        Ok(Self { name, value, is_secret })
    }
}

impl Host {
    /// Stores values in the vault for the project of a run, and has them delivered to the agent that requests them.
    ///
    /// The command that is recorded has only their names. If it is rejected, the vault is as before.
    pub fn provide_values<'a>(
        &self,
        run: &RunId,
        sender: impl Into<CommandSender<'a>>,
        (request, provided): (RequestId, ProvidedResource),
        values: &[ProvidedValue],
    ) -> Result<Sequence, HostError> {
        let ProvidedResource::Environment { names } = &provided else {
            let (name, reason) = (request.to_string(), "only variables have values".to_owned());
            return Err(HostError::InvalidValue { name, reason });
        };
        if let Some(foreign) =
            values.iter().find(|value| !names.iter().any(|name| name == value.name.as_str()))
        {
            let reason = "it is not among the names that are provided".to_owned();
            return Err(HostError::InvalidValue { name: foreign.name.to_string(), reason });
        }
        let command = UserCommand::Provide { request, provided: provided.clone() };
        let snapshot = self.run_snapshot(run)?;
        let row = snapshot.views.rows().requests.get(&request);
        if row.is_none_or(|row| row.status != RequestState::Asked) {
            // The engine says why not.
            return self.execute_command(run, sender, command);
        }
        let vault = Vault::new(&self.state.data);
        let scope = project_secret_scope(&self.run_environment(run)?.project);
        let mut earlier = Vec::new();
        for ProvidedValue { name, value, is_secret } in values {
            earlier.push((name, vault.get(&scope, name)?));
            vault.set(&scope, name, value, *is_secret, now())?;
        }
        let result = self.execute_command(run, sender, command);
        if result.is_err() {
            for (name, earlier) in earlier {
                restore(&vault, &scope, name, earlier)?;
            }
        }
        result
    }
}

fn restore(
    vault: &Vault,
    scope: &SecretScope,
    name: &SecretName,
    earlier: Option<(vault::SecretEntry, SecretValue)>,
) -> Result<(), HostError> {
    match earlier {
        Some((entry, value)) => vault.set(scope, name, &value, entry.is_secret, entry.set_at).map(drop)?,
        None => vault.remove(scope, name).map(drop)?,
    }
    Ok(())
}
