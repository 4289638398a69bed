//! Dependencies that somebody must provide.

use domain::{
    BlockReason, DependencyRequest, DependencyType, EscalationCause, EscalationSubject, EscalationType,
    Event, ProvidedResource, RequestId, Role, SessionId, SessionInput, Severity,
};

use super::{Deciding, escalation::Problem};
use crate::{
    guard::Guard,
    rejection::Rejection,
    state::{Request, RequestState},
};

impl Deciding<'_> {
    pub(super) fn request(&mut self, session: SessionId, asked: DependencyRequest) {
        let request = RequestId(self.run.requests.next());
        let speaker = self.run.session(session);
        let task = speaker.task.filter(|_| speaker.role == Role::Worker);
        let holds_up = task.map(|task| self.holds_up(task)).unwrap_or_default();
        let id = task.map(|task| self.id(task));
        let default = provision(&asked).filter(|_| self.run.settings.requests_auto_default);
        let wanted = asked.clone();
        self.emit(Event::RequestMade {
            request,
            session,
            task: id.clone(),
            dependency: asked,
            blocks: holds_up,
        });
        if let Some(task) = id {
            self.emit(Event::TaskBlocked { task, reason: BlockReason::Request { request } });
        }
        if let Some(provided) = default {
            let input = provided_input(request, wanted, provided.clone(), true);
            self.emit_by_rule(Event::RequestProvided { request, provided, default: true });
            self.after_request(request, input);
        }
    }

    fn open_request(&self, request: RequestId) -> Result<(Request, DependencyRequest), Rejection> {
        let unknown = || Rejection::UnknownObject { what: format!("request {request}") };
        let found = self.run.requests.get(request.0).clone();
        let asked = found.asked.clone().ok_or_else(unknown)?;
        if found.state != RequestState::Asked {
            return Err(Rejection::RequestSettled { request, state: found.state.word() });
        }
        Ok((found, asked))
    }

    pub(super) fn provide(
        &mut self,
        request: RequestId,
        provided: ProvidedResource,
    ) -> Result<(), Rejection> {
        let (_, asked) = self.open_request(request)?;
        let fits = match (asked.r#type, &provided) {
            (
                DependencyType::ApiKey | DependencyType::EnvVariable | DependencyType::Service,
                ProvidedResource::Environment { names },
            ) => !names.is_empty(),
            (DependencyType::File, ProvidedResource::File { .. })
            | (DependencyType::Permission, ProvidedResource::Permission { .. })
            | (DependencyType::Package, ProvidedResource::Package { .. }) => true,
            _ => false,
        };
        if !fits {
            return Err(Rejection::WrongResourceKind { request });
        }
        let input = provided_input(request, asked, provided.clone(), false);
        self.emit(Event::RequestProvided { request, provided, default: false });
        self.after_request(request, input);
        Ok(())
    }

    pub(super) fn refuse_request(&mut self, request: RequestId, reason: String) -> Result<(), Rejection> {
        let (found, asked) = self.open_request(request)?;
        self.emit(Event::RequestRefused { request, reason: reason.clone() });
        if asked.required {
            let subject = found
                .task
                .map_or(EscalationSubject::Run, |task| EscalationSubject::Task { task: self.id(task) });
            self.raise(
                subject,
                found.session,
                Problem {
                    kind: EscalationType::Dependency,
                    severity: Severity::High,
                    words: EscalationCause::RequestRefused { name: asked.name.clone() }.into(),
                    description: format!("{}: {reason}", asked.description),
                    context: request.to_string(),
                },
            );
        }
        self.after_request(request, SessionInput::Refused { request, name: asked.name, reason });
        Ok(())
    }

    pub(super) fn skip_request(&mut self, request: RequestId) -> Result<(), Rejection> {
        let (_, asked) = self.open_request(request)?;
        if asked.required && self.run.is_on(Guard::RequiredRequests) {
            return Err(Rejection::RequestRequired { request });
        }
        let input = match provision(&asked) {
            Some(provided) => provided_input(request, asked, provided, true),
            None => SessionInput::Refused { request, name: asked.name, reason: "skipped".to_owned() },
        };
        self.emit(Event::RequestSkipped { request });
        self.after_request(request, input);
        Ok(())
    }

    /// Sets free what waited for a request. A task's session is told when it has a slot, any other one now.
    fn after_request(&mut self, request: RequestId, input: SessionInput) {
        let found = self.run.requests.get(request.0).clone();
        let reason = BlockReason::Request { request };
        if let Some(task) = found.task.filter(|task| self.run.is_blocked_by(*task, &reason)) {
            self.emit_by_rule(Event::TaskUnblocked { task: self.id(task), reason });
        }
        if let (None, Some(session)) = (found.task, found.session) {
            self.say(session, input);
        }
    }
}

fn provided_input(
    request: RequestId,
    asked: DependencyRequest,
    provided: ProvidedResource,
    default: bool,
) -> SessionInput {
    SessionInput::Provided { request, name: asked.name, kind: asked.r#type, provided, default }
}

/// Returns how an agent gets at what it would take itself.
pub(crate) fn provision(asked: &DependencyRequest) -> Option<ProvidedResource> {
    let default = asked.default.clone()?;
    let provided = match asked.r#type {
        DependencyType::ApiKey | DependencyType::EnvVariable | DependencyType::Service => {
            ProvidedResource::Environment { names: vec![asked.name.clone()] }
        }
        DependencyType::File => ProvidedResource::File { path: default },
        DependencyType::Permission => {
            ProvidedResource::Permission { granted: matches!(default.as_str(), "true" | "yes" | "예") }
        }
        DependencyType::Package => {
            ProvidedResource::Package { name: asked.name.clone(), version: Some(default) }
        }
    };
    Some(provided)
}
