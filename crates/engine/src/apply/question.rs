//! Applies events about questions, permissions and requests.

use domain::{
    Actor, PermissionScope, ProvidedResource, QuestionId, QuestionRoute, RequestId, Role, SessionId,
    SessionInput, Timestamp, events,
};

use super::{AGENT_RESPONSE_MS_MAX, start::add_ms};
use crate::{
    decide::resource_from_request_default,
    effect::{Effect, ProvisionOrder, SessionVariable},
    effect_sink::EffectSink,
    run::Run,
    state::{
        Deadline, EffectKey, Provision, Question, QuestionState, Request, RequestState, TaskIndex, TaskStage,
        WorkItem,
    },
};

impl Run {
    pub(super) fn apply_question_asked(&mut self, at: Timestamp, event: &events::QuestionAsked) {
        let events::QuestionAsked {
            question,
            session,
            task,
            kind,
            text,
            options,
            default,
            context,
            required,
            permission,
            prompt,
            evidence_gap,
            large_files,
            ..
        } = event;
        let agent = self.session(*session).agent.clone();
        self.questions.push(Question {
            session: *session,
            task: task.as_ref().and_then(|task| self.find_task(task)),
            agent,
            kind: *kind,
            text: text.clone(),
            options: options.clone(),
            default: default.clone(),
            context: context.clone(),
            required: *required,
            permission: permission.clone(),
            prompt: prompt.clone(),
            large_files: large_files.clone(),
            state: QuestionState::Queued,
        });
        if let Some(prompt) = prompt.as_ref().or(permission.as_ref().map(|request| &request.prompt)) {
            self.record_handled_prompt(*session, prompt);
        }
        if evidence_gap.is_some() {
            self.record_evidence_question(*question, *session);
        }
        self.open_question(at, *question, *session);
    }

    pub(super) fn apply_question_routed(&mut self, at: Timestamp, event: &events::QuestionRouted) {
        let events::QuestionRouted { question, to } = event;
        match to {
            QuestionRoute::Orchestrator => {
                self.route_question_to(*question, QuestionState::WithOrchestrator);
                self.timers.set(add_ms(at, AGENT_RESPONSE_MS_MAX), Deadline::OrchestratorAnswer(*question));
                self.queue_work_item(self.root_session, WorkItem::Question(*question));
            }
            QuestionRoute::Person => {
                self.remove_work_item(self.root_session, WorkItem::Question(*question));
                self.route_question_to(*question, QuestionState::Pending);
            }
        }
    }

    pub(super) fn apply_question_forwarded(&mut self, event: &events::QuestionForwarded) {
        let events::QuestionForwarded { question, text } = event;
        self.remove_work_item(self.root_session, WorkItem::Question(*question));
        self.route_question_to(*question, QuestionState::Pending);
        if let Some(question) = self.questions.get_mut(question.0) {
            question.text.clone_from(text);
        }
    }

    pub(super) fn apply_question_expired(&mut self, at: Timestamp, event: &events::QuestionExpired) {
        let events::QuestionExpired { question, default_used } = event;
        match default_used {
            Some(answer) => self.apply_question_answered(at, *question, answer, None),
            None => self.close_question(*question, QuestionState::Expired),
        }
    }

    pub(super) fn apply_permission_rule_saved(
        &mut self,
        event: &events::PermissionRuleSaved,
        sink: &mut EffectSink,
    ) {
        let events::PermissionRuleSaved { scope, task, pattern, allowed } = event;
        let rule = (pattern.clone(), *allowed);
        match (scope, task.as_ref().and_then(|task| self.find_task(task))) {
            (PermissionScope::Once, _) => {}
            (PermissionScope::Task, Some(task)) => {
                if let Some(task) = self.task_mut(task) {
                    task.permission_rules.push(rule);
                }
            }
            (PermissionScope::Task, None) | (PermissionScope::Run, _) => self.permission_rules.push(rule),
            (PermissionScope::Project, _) => {
                self.permission_rules.push(rule);
                let effect = Effect::SavePermissionRule { pattern: pattern.clone(), allowed: *allowed };
                sink.add(&mut self.pending_effects, EffectKey::PermissionRule(pattern.clone()), effect);
            }
        }
    }

    pub(super) fn apply_request_made(&mut self, event: &events::RequestMade) {
        let events::RequestMade { request, session, task, dependency, .. } = event;
        self.requests.push(Request {
            session: Some(*session),
            task: task.as_ref().and_then(|task| self.find_task(task)),
            dependency: Some(dependency.clone()),
            state: RequestState::Open,
            provision: None,
        });
        self.open_requests.insert(*request);
    }

    pub(super) fn apply_provision_started(
        &mut self,
        event: &events::ProvisionStarted,
        sink: &mut EffectSink,
    ) {
        let events::ProvisionStarted { request, provided, default, skipped } = event;
        if let Some(record) = self.requests.get_mut(request.0) {
            record.state = RequestState::Providing;
            let (is_default, is_skipped) = (*default, *skipped);
            record.provision = Some(Provision { provided: provided.clone(), is_default, is_skipped });
        }
        self.start_provision(*request, sink);
    }

    /// Has the executor deliver a resource, to the session that waits for it if that is alive.
    fn start_provision(&mut self, request: RequestId, sink: &mut EffectSink) {
        let record = self.requests.get(request.0);
        let (Some(dependency), Some(provision)) = (&record.dependency, &record.provision) else { return };
        let receiver = match record.task {
            Some(task) => self.task(task).session(),
            None => record.session,
        };
        let receiver = receiver.filter(|session| self.session(*session).is_alive());
        let mut variables = receiver.map(|session| self.provided_variables(session)).unwrap_or_default();
        variables.retain(|variable| !provision.variables(dependency).contains(variable));
        variables.extend(provision.variables(dependency));
        let order = ProvisionOrder {
            request,
            session: receiver,
            task: record.task.map(|task| self.task(task).planned.id.clone()),
            kind: dependency.r#type,
            name: dependency.name.clone(),
            provided: provision.provided.clone(),
            is_default: provision.is_default,
            variables,
        };
        let effect = Effect::ProvideResource(Box::new(order));
        sink.add(&mut self.pending_effects, EffectKey::Provision(request), effect);
    }

    /// Delivers again what an ended session was to get: to the next session of the task.
    pub(super) fn restart_provisions(&mut self, ended: SessionId, sink: &mut EffectSink) {
        let is_affected = |id: &RequestId| {
            let pending = self.pending_effects.find_by_key(&EffectKey::Provision(*id));
            matches!(pending, Some(Effect::ProvideResource(order)) if order.session == Some(ended) && order.task.is_some())
        };
        let affected: Vec<RequestId> = self.open_requests.iter().copied().filter(is_affected).collect();
        for request in affected {
            self.start_provision(request, sink);
        }
    }

    pub(super) fn apply_provision_failed(&mut self, event: &events::ProvisionFailed) {
        let events::ProvisionFailed { request, .. } = event;
        self.pending_effects.remove(&EffectKey::Provision(*request));
        if let Some(record) = self.requests.get_mut(request.0) {
            (record.state, record.provision) = (RequestState::Open, None);
        }
    }

    /// Returns the variables that were provided to the task of a worker, or to a session itself.
    pub(crate) fn provided_variables(&self, session: SessionId) -> Vec<SessionVariable> {
        let receiver = self.session(session);
        let task = receiver.task.filter(|_| receiver.role == Role::Worker);
        let mut variables: Vec<SessionVariable> = Vec::new();
        for (_, record) in self.requests.iter() {
            let is_receiver = record.session == Some(session) || task.is_some() && record.task == task;
            let is_settled = match record.state {
                RequestState::Provided | RequestState::Skipped | RequestState::Delivered => true,
                RequestState::Open | RequestState::Providing | RequestState::Refused => false,
            };
            let (Some(dependency), Some(provision)) = (&record.dependency, &record.provision) else {
                continue;
            };
            if is_receiver && is_settled {
                // The last one of a name counts.
                let new = provision.variables(dependency);
                variables.retain(|variable| new.iter().all(|new| new.name != variable.name));
                variables.extend(new);
            }
        }
        variables
    }

    pub(super) fn apply_request_provided(&mut self, event: &events::RequestProvided) {
        let events::RequestProvided { request, provided, default, detail: _ } = event;
        self.close_provided_request(*request, RequestState::Provided, provided, *default);
    }

    pub(super) fn apply_request_skipped(&mut self, event: &events::RequestSkipped) {
        let events::RequestSkipped { request, provided } = event;
        // In logs of earlier versions, the default is only in the request.
        let default =
            self.requests.get(request.0).dependency.as_ref().and_then(resource_from_request_default);
        match provided.clone().or(default) {
            Some(provided) => {
                self.close_provided_request(*request, RequestState::Skipped, &provided, true);
            }
            None => self.refuse_request(*request, RequestState::Skipped, "skipped"),
        }
    }

    fn close_provided_request(
        &mut self,
        id: RequestId,
        state: RequestState,
        provided: &ProvidedResource,
        is_default: bool,
    ) {
        let Some(dependency) = self.requests.get(id.0).dependency.clone() else { return };
        let input = SessionInput::Provided {
            request: id,
            name: dependency.name,
            kind: dependency.r#type,
            provided: provided.clone(),
            default: is_default,
        };
        self.close_request(id, state, input);
    }

    pub(super) fn apply_request_delivered(&mut self, event: &events::RequestDelivered) {
        let events::RequestDelivered { request, .. } = event;
        if let Some(request) = self.requests.get_mut(request.0) {
            request.state = RequestState::Delivered;
        }
    }

    fn open_question(&mut self, at: Timestamp, id: QuestionId, session: SessionId) {
        self.open_questions.insert(id);
        if let Some(session) = self.session_mut(session) {
            session.questions.push_back(id);
        }
        let question = self.questions.get(id.0);
        // A permission that is not decided stays pending: absence is never a denial.
        if let (Some(expires), None) = (self.settings.question_expires_after_ms, &question.permission) {
            self.timers.set(add_ms(at, expires), Deadline::QuestionExpiry(id));
        }
        let phase = question.task.map(|task| self.task(task).planned.phase);
        if let (Some(agent), Some(phase), None) = (&question.agent, phase, &question.permission) {
            *self.question_counts.entry(format!("{phase} {agent}")).or_default() += 1;
        }
    }

    pub(super) fn apply_question_answered(
        &mut self,
        at: Timestamp,
        id: QuestionId,
        answer: &str,
        reason: Option<&String>,
    ) {
        self.close_question(id, QuestionState::Answered);
        self.end_evidence_question(id);
        if self.apply_large_file_decision(id, answer) {
            return;
        }
        let question = self.questions.get(id.0);
        let (task, session) = (question.task, question.session);
        let is_decision = question.permission.is_none();
        if let Some(task) = task.filter(|_| is_decision) {
            let text = question.text.clone();
            if let Some(task) = self.task_mut(task) {
                task.history.add_decision(&text, answer);
            }
        }
        let question = self.questions.get(id.0);
        let input = match &question.permission {
            Some(request) => SessionInput::Permission {
                prompt: request.prompt.clone(),
                allowed: is_allowing_answer(answer),
                reason: reason.cloned(),
                question: Some(id),
            },
            None => {
                let prompt = question.prompt.clone();
                SessionInput::Answer { question: id, answer: answer.to_owned(), prompt }
            }
        };
        self.queue_input_for_worker(task, session, input);
        self.return_work_with_large_files(at, id);
    }

    /// Closes a question; its session waits for the next one.
    pub(super) fn close_question(&mut self, id: QuestionId, state: QuestionState) {
        self.set_question_state(id, state);
        self.open_questions.remove(&id);
        self.timers.clear(Deadline::QuestionExpiry(id));
        self.remove_work_item(self.root_session, WorkItem::Question(id));
        let session = self.questions.get(id.0).session;
        if let Some(session) = self.session_mut(session) {
            session.questions.retain(|waiting| *waiting != id);
        }
    }

    /// Records who answers a question; its session may now be parked.
    fn route_question_to(&mut self, id: QuestionId, state: QuestionState) {
        self.set_question_state(id, state);
        self.affected_sessions.insert(self.questions.get(id.0).session);
    }

    pub(super) fn set_question_state(&mut self, id: QuestionId, state: QuestionState) {
        self.timers.clear(Deadline::OrchestratorAnswer(id));
        if let Some(question) = self.questions.get_mut(id.0) {
            question.state = state;
        }
    }

    pub(super) fn refuse_request(&mut self, id: RequestId, state: RequestState, reason: &str) {
        if let Some(request) = self.requests.get_mut(id.0) {
            request.provision = None;
        }
        let dependency = self.requests.get(id.0).dependency.clone();
        let name = dependency.map(|dependency| dependency.name).unwrap_or_default();
        self.close_request(id, state, SessionInput::Refused { request: id, name, reason: reason.to_owned() });
    }

    fn close_request(&mut self, id: RequestId, state: RequestState, input: SessionInput) {
        self.open_requests.remove(&id);
        self.pending_effects.remove(&EffectKey::Provision(id));
        let Some(request) = self.requests.get_mut(id.0) else { return };
        request.state = state;
        if let (task, Some(session)) = (request.task, request.session) {
            self.queue_input_for_worker(task, session, input);
        }
    }

    /// Queues an input for the worker of a task. Other sessions receive their inputs at once.
    pub(super) fn queue_input_for_worker(
        &mut self,
        task: Option<TaskIndex>,
        session: SessionId,
        input: SessionInput,
    ) {
        let is_worker = task.is_some_and(|task| self.task(task).session() == Some(session));
        if let Some(task) = task.filter(|_| is_worker)
            && let Some(task) = self.task_mut(task)
            && task.stage.is_in_progress()
            && task.stage != TaskStage::AttemptFailed
        {
            task.pending_inputs.push(input);
        }
    }

    /// Sets the time until which the run waits for the orchestrator's reply to the chat.
    pub(super) fn expect_chat_reply(&mut self, at: Timestamp, orchestrator: Option<SessionId>) {
        let Some(id) = orchestrator else { return };
        self.timers.set(add_ms(at, AGENT_RESPONSE_MS_MAX), Deadline::ChatReply(id));
        if let Some(session) = self.session_mut(id) {
            session.is_chat_overdue = false;
        }
    }

    pub(super) fn queue_work_item(&mut self, session: Option<SessionId>, item: WorkItem) {
        if let Some(session) = session.and_then(|session| self.session_mut(session)) {
            session.work_queue.push_back(item);
        }
    }

    pub(super) fn remove_work_item(&mut self, session: Option<SessionId>, item: WorkItem) {
        if let Some(session) = session.and_then(|session| self.session_mut(session)) {
            session.remove_work_item(item);
        }
    }

    pub(super) fn apply_chat_message_sent(
        &mut self,
        at: Timestamp,
        actor: &Actor,
        text: &str,
        answers: Option<QuestionId>,
    ) {
        if actor.is_person() && answers.is_none() && self.orchestrator().is_some() {
            self.unread_chats.push_back(text.to_owned());
            self.queue_work_item(self.root_session, WorkItem::Chat);
            self.expect_chat_reply(at, self.root_session);
        }
    }
}

/// Parses the answer to a permission question.
pub(crate) fn is_allowing_answer(answer: &str) -> bool {
    matches!(answer, "allow" | "yes" | "예" | "허용")
}
