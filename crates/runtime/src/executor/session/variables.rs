//! Delivers environment variables to a session: into its file in memory, its masked values, and, for an agent whose commands do
//! not read that file, a new process that resumes its conversation.

use domain::EffectId;
use engine::ProvisionOrder;
use tracing::warn;

use super::{NextState, SessionWorker};
use crate::{
    error_chain::error_chain,
    executor::{
        process::{Process, ProcessError},
        provision::{ResolvedVariable, check_environment, finished, resolve_variables},
    },
};

/// A delivery that waits for the end of the agent's turn.
pub(super) struct DeferredProvision {
    pub(super) effect: EffectId,
    pub(super) order: Box<ProvisionOrder>,
}

impl SessionWorker {
    /// Delivers variables to a running process, and reports the outcome. Returns the next state if the process is replaced.
    pub(super) fn provide_to_process(
        &mut self,
        effect: EffectId,
        order: Box<ProvisionOrder>,
        process: &mut Process,
    ) -> Result<Option<NextState>, ProcessError> {
        let needs_restart = self.needs_restart();
        if needs_restart && self.is_in_turn {
            // A process that ends now would lose the turn.
            self.deferred.push(DeferredProvision { effect, order });
            return Ok(None);
        }
        let outcome = self.deliver(&order, Some(process));
        if outcome.is_err() || !needs_restart {
            self.context.report_to_run_loop(finished(effect, &order, outcome));
            return Ok(None);
        }
        self.close_process(process)?;
        let next = self.start_process()?;
        self.context.report_to_run_loop(finished(effect, &order, outcome));
        Ok(Some(next))
    }

    /// Delivers variables to a session without a process: the next one starts with them.
    pub(super) fn provide_while_cold(&mut self, effect: EffectId, order: &ProvisionOrder) {
        let outcome = self.deliver(order, None);
        self.context.report_to_run_loop(finished(effect, order, outcome));
    }

    /// Delivers what waited for the end of the turn.
    pub(super) fn provide_deferred(
        &mut self,
        process: &mut Process,
    ) -> Result<Option<NextState>, ProcessError> {
        while !self.is_in_turn && !self.deferred.is_empty() {
            let DeferredProvision { effect, order } = self.deferred.remove(0);
            if let Some(next) = self.provide_to_process(effect, order, process)? {
                return Ok(Some(next));
            }
        }
        Ok(None)
    }

    /// Masks values that another session got: this one may read them from a file of the project.
    pub(super) fn mask_values_of_vault(&self, process: &mut Process) {
        let values = self.context.masked_values();
        let values: Vec<&str> = values.iter().map(|value| value.expose()).collect();
        if let Err(error) = process.session.add_secrets(&values) {
            warn!(error = error_chain(&error), "cannot mask the values of another session");
        }
    }

    /// Writes the file of a running process again if it is missing: a server that was killed during the start of the process did
    /// not record it.
    pub(super) fn restore_environment_file(&self) {
        let Ok(file) = self.context.environment_file(self.spec.session) else { return };
        if file.path().exists() {
            return;
        }
        let written = resolve_variables(&self.context, &self.spec.variables).and_then(|resolved| {
            let pairs: Vec<(&str, &str)> = resolved.iter().map(ResolvedVariable::as_pair).collect();
            file.write(&pairs).map_err(|error| error_chain(&error))
        });
        if let Err(error) = written {
            warn!(error, "cannot write the variables of the session again");
        }
    }

    fn deliver(
        &mut self,
        order: &ProvisionOrder,
        process: Option<&mut Process>,
    ) -> Result<(domain::ProvidedResource, Option<String>), String> {
        let domain::ProvidedResource::Environment { names } = &order.provided else {
            return Err("it is not for the environment of a session".to_owned());
        };
        let resolved = resolve_variables(&self.context, &order.variables)?;
        let detail = check_environment(order, names, &resolved)?;
        if let Some(process) = process {
            // Masked before any process can print it.
            let masked: Vec<&str> = resolved
                .iter()
                .filter(|variable| variable.is_masked)
                .map(|variable| variable.value.expose())
                .collect();
            process.session.add_secrets(&masked).map_err(|error| error_chain(&error))?;
        }
        let file = self.context.environment_file(self.spec.session).map_err(|error| error_chain(&error))?;
        let pairs: Vec<(&str, &str)> = resolved.iter().map(ResolvedVariable::as_pair).collect();
        file.write(&pairs).map_err(|error| error_chain(&error))?;
        self.spec.variables.clone_from(&order.variables);
        Ok((order.provided.clone(), detail))
    }

    /// Tells whether the agent's commands have only the variables that its process started with. An agent that cannot resume its
    /// conversation is not restarted: its commands find the variables in the file.
    fn needs_restart(&self) -> bool {
        let preset = &self.spec.preset;
        !preset.reads_environment_file() && preset.can_resume() && self.spec.agent_session.is_some()
    }
}
