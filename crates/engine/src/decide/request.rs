//! Requests for resources that the user provides: keys, files, services, packages.

use domain::{
    BlockReason, DependencyRequest, DependencyType, ProvidedResource, RequestId, Role, SessionId,
    SessionInput, events,
};

use super::DecisionContext;
use crate::rejection::Rejection;

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
            let input = provided_input(request, requested, provided.clone(), true);
            self.emit_as_system(events::RequestProvided { request, provided, default: true });
            self.after_request_closed(request, input);
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
        let input = provided_input(request, dependency, provided.clone(), false);
        self.emit(events::RequestProvided { request, provided, default: false });
        self.after_request_closed(request, input);
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
            Some(provided) => provided_input(request, dependency, provided, true),
            None => SessionInput::Refused { request, name: dependency.name, reason: "skipped".to_owned() },
        };
        self.emit(events::RequestSkipped { request });
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
        DependencyType::ApiKey | DependencyType::EnvVariable | DependencyType::Service => {
            ProvidedResource::Environment { names: vec![dependency.name.clone()] }
        }
        DependencyType::File => ProvidedResource::File { path: default },
        DependencyType::Permission => {
            ProvidedResource::Permission { granted: matches!(default.as_str(), "true" | "yes" | "예") }
        }
        DependencyType::Package => {
            ProvidedResource::Package { name: dependency.name.clone(), version: Some(default) }
        }
    };
    Some(provided)
}
