//! Requests for resources that the user provides: keys, files, services, packages.

use domain::{
    BlockReason, DependencyRequest, DependencyType, EffectId, ProvidedResource, ProvisionOutcome, RequestId,
    Role, SessionId, SessionInput, events,
};

use super::DecisionContext;
use crate::{rejection::Rejection, state::EffectKey};

impl DecisionContext<'_> {
    pub(super) fn make_request(&mut self, session: SessionId, dependency: DependencyRequest) {
        let request = RequestId(self.run.requests.next_number());
        let sender = self.run.session(session);
        let task = sender.task.filter(|_| sender.role == Role::Worker);
        let blocks = task.map(|task| self.work_blocked_by(task)).unwrap_or_default();
        let id = task.map(|task| self.task_id(task));
        let default =
            resource_from_request_default(&dependency).filter(|_| self.run.settings.requests_auto_default);
        let requested = dependency.clone();
        self.emit(events::RequestMade { request, session, task: id.clone(), dependency, blocks });
        if let Some(task) = id {
            self.emit(events::TaskBlocked { task, reason: BlockReason::Request { request } });
        }
        if let Some(provided) = default {
            if matches!(provided, ProvidedResource::Permission { .. }) {
                let input = provided_input(request, requested, provided.clone(), true);
                self.emit_as_system(events::RequestProvided {
                    request,
                    provided,
                    default: true,
                    detail: None,
                });
                return self.after_request_closed(request, input);
            }
            self.emit_as_system(events::ProvisionStarted {
                request,
                provided,
                default: true,
                skipped: false,
            });
        }
    }

    pub(super) fn provide_resource(
        &mut self,
        request: RequestId,
        provided: ProvidedResource,
    ) -> Result<(), Rejection> {
        let dependency = self.run.open_request(request)?.1.clone();
        let fits = match dependency.r#type {
            DependencyType::ApiKey | DependencyType::EnvVariable | DependencyType::Service => {
                matches!(&provided, ProvidedResource::Environment { names } if !names.is_empty())
            }
            DependencyType::File => matches!(provided, ProvidedResource::File { .. }),
            DependencyType::Permission => matches!(provided, ProvidedResource::Permission { .. }),
            DependencyType::Package => matches!(provided, ProvidedResource::Package { .. }),
        };
        if !fits {
            return Err(Rejection::WrongResourceKind { request });
        }
        // A permission is the answer itself; everything else must be there before the agent is told.
        if !matches!(provided, ProvidedResource::Permission { .. }) {
            self.emit(events::ProvisionStarted { request, provided, default: false, skipped: false });
            return Ok(());
        }
        let input = provided_input(request, dependency, provided.clone(), false);
        self.emit(events::RequestProvided { request, provided, default: false, detail: None });
        self.after_request_closed(request, input);
        Ok(())
    }

    pub(super) fn handle_provision_report(
        &mut self,
        effect: EffectId,
        request: RequestId,
        outcome: ProvisionOutcome,
    ) -> Result<(), Rejection> {
        let key = EffectKey::Provision(request);
        if self.run.pending_effects.find(effect).is_none_or(|(pending, _)| *pending != key) {
            return Err(Rejection::StaleReport);
        }
        let record = self.run.requests.get(request.0);
        let (Some(dependency), Some(provision)) = (record.dependency.clone(), record.provision.clone())
        else {
            return Err(Rejection::StaleReport);
        };
        match outcome {
            ProvisionOutcome::Provided { provided, detail } => {
                let default = provision.is_default;
                let input = provided_input(request, dependency, provided.clone(), default);
                if provision.is_skipped {
                    self.emit(events::RequestSkipped { request, provided: Some(provided) });
                } else {
                    self.emit(events::RequestProvided { request, provided, default, detail });
                }
                self.after_request_closed(request, input);
            }
            // The agent knows best what to do without the package.
            ProvisionOutcome::Failed { error }
                if dependency.r#type == DependencyType::Package && !provision.is_default =>
            {
                let reason = format!("it could not be added: {error}");
                let input = SessionInput::Refused { request, name: dependency.name, reason: reason.clone() };
                self.emit(events::RequestRefused { request, reason });
                self.after_request_closed(request, input);
            }
            ProvisionOutcome::Failed { error } => self.emit(events::ProvisionFailed { request, error }),
        }
        Ok(())
    }

    pub(super) fn refuse_request(&mut self, request: RequestId, reason: String) -> Result<(), Rejection> {
        let name = self.run.open_request(request)?.1.name.clone();
        self.emit(events::RequestRefused { request, reason: reason.clone() });
        self.after_request_closed(request, SessionInput::Refused { request, name, reason });
        Ok(())
    }

    pub(super) fn skip_request(&mut self, request: RequestId) -> Result<(), Rejection> {
        self.run.check_request_skippable(request)?;
        let dependency = self.run.open_request(request)?.1.clone();
        let input = match resource_from_request_default(&dependency) {
            Some(provided @ ProvidedResource::Permission { .. }) => {
                provided_input(request, dependency, provided, true)
            }
            // The default must be there too before the agent is told.
            Some(provided) => {
                self.emit(events::ProvisionStarted { request, provided, default: true, skipped: true });
                return Ok(());
            }
            None => {
                let default = dependency.default.map(|default| format!("; its default is {default}"));
                let reason = format!("skipped{}", default.unwrap_or_default());
                SessionInput::Refused { request, name: dependency.name, reason }
            }
        };
        self.emit(events::RequestSkipped { request, provided: None });
        self.after_request_closed(request, input);
        Ok(())
    }

    /// Unblocks the task. Its session receives the input when it has a slot, any other session now.
    fn after_request_closed(&mut self, request: RequestId, input: SessionInput) {
        let record = self.run.requests.get(request.0).clone();
        let reason = BlockReason::Request { request };
        if let Some(task) = record.task.filter(|task| self.run.is_task_blocked_by(*task, &reason)) {
            self.emit_as_system(events::TaskUnblocked { task: self.task_id(task), reason });
        }
        if let (None, Some(session)) = (record.task, record.session) {
            self.send_input(session, input);
        }
    }
}

fn provided_input(
    request: RequestId,
    dependency: DependencyRequest,
    provided: ProvidedResource,
    default: bool,
) -> SessionInput {
    SessionInput::Provided { request, name: dependency.name, kind: dependency.r#type, provided, default }
}

/// Returns the resource that the request's default describes.
pub(crate) fn resource_from_request_default(dependency: &DependencyRequest) -> Option<ProvidedResource> {
    let default = dependency.default.clone()?;
    let provided = match dependency.r#type {
        // A service may be named by what it is instead of a variable.
        DependencyType::ApiKey | DependencyType::EnvVariable | DependencyType::Service => {
            if !is_variable_name(&dependency.name) {
                return None;
            }
            ProvidedResource::Environment { names: vec![dependency.name.clone()] }
        }
        DependencyType::File => ProvidedResource::file(default),
        DependencyType::Permission => {
            ProvidedResource::Permission { granted: matches!(default.as_str(), "true" | "yes" | "예") }
        }
        DependencyType::Package => {
            ProvidedResource::Package { name: dependency.name.clone(), version: Some(default) }
        }
    };
    Some(provided)
}

/// Returns whether a name is one of an environment variable.
fn is_variable_name(name: &str) -> bool {
    name.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_')
        && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
}
