//! Handles the lines of an ACP agent: responses to our requests, updates, and requests of the agent.

use serde_json::value::RawValue;

use super::{
    AcpDriver, AcpStart, OPEN_PROMPTS_MAX, PROTOCOL_VERSION, PendingRequest, PendingRequestKind,
    SessionStage,
    elicitation::ElicitationForm,
    failure, outgoing_without_delay, permission,
    request_params::OpenSessionParams,
    rpc::{self, RequestKind},
    schema::{
        CancelRequestParams, Capabilities, Content, ElicitationRequest, Envelope, InitializeResult,
        PermissionRequest, PlanEntry, PromptResult, RpcError, RpcErrorData, SessionNotification,
        SessionOpened, parse_or_default,
    },
};
use crate::{
    driver::{AgentWarning, DriverEvent, PlanStep, Reaction, StepStatus, ToolStatus, TurnOutcome},
    lines::{self, Line},
};

/// Limit of the shown part of a line that is not JSON-RPC.
const GARBAGE_BYTES_MAX: usize = 400;

impl AcpDriver {
    pub(super) fn handle_line(&mut self, line: &Line, reaction: &mut Reaction) {
        let text = match &line.content {
            lines::LineContent::Whole(text) => text,
            lines::LineContent::TooLong(_) => {
                return warn_unknown_output(b"a line beyond every bound", reaction);
            }
        };
        if text.trim_ascii().is_empty() {
            return;
        }
        let Ok(envelope) = serde_json::from_slice::<Envelope>(text) else {
            return warn_unknown_output(text, reaction);
        };
        let Envelope { id, method, params, result, error } = envelope;
        match (method, id) {
            (Some(method), Some(id)) => self.on_request(&method, &id, params.as_deref(), reaction),
            (Some(method), None) if method == "session/update" => {
                self.on_update(&parse_or_default(params.as_deref()), line.begin, reaction);
            }
            (Some(method), None) if method == "$/cancel_request" => {
                let CancelRequestParams { request_id } = parse_or_default(params.as_deref());
                let prompt = request_id.map(|id| prompt_id(&id)).unwrap_or_default();
                if self.open.remove(&prompt).is_some() {
                    reaction.events.push(DriverEvent::PromptWithdrawn { prompt });
                }
            }
            // Other notifications of the agent are not used.
            (Some(_), None) => {}
            (None, Some(id)) => {
                let outcome = match error {
                    Some(problem) => Err(problem),
                    None => Ok(result),
                };
                if let Some(asked) = RequestKind::from_id(&id) {
                    self.on_response(asked, outcome, line.end, reaction);
                }
            }
            (None, None) => warn_unknown_output(text, reaction),
        }
    }

    fn on_response(
        &mut self,
        asked: RequestKind,
        outcome: Result<Option<Box<RawValue>>, RpcError>,
        end: u64,
        reaction: &mut Reaction,
    ) {
        match (asked, &self.stage, outcome) {
            (RequestKind::Initialize, SessionStage::Opening, Ok(result)) => {
                let InitializeResult { protocol_version, agent_capabilities } =
                    parse_or_default(result.as_deref());
                match protocol_version {
                    Some(PROTOCOL_VERSION) | None => self.open_session(&agent_capabilities, end, reaction),
                    Some(other) => {
                        let message = format!(
                            "the agent speaks version {other} of the protocol, not {PROTOCOL_VERSION}"
                        );
                        self.fail_session(TurnOutcome::Failed { message }, end, reaction);
                    }
                }
            }
            (
                RequestKind::New | RequestKind::Resume | RequestKind::Load,
                SessionStage::Joining,
                Ok(result),
            ) => {
                self.on_session_opened(asked, &parse_or_default(result.as_deref()), end, reaction);
            }
            (RequestKind::Resume, SessionStage::Joining, Err(problem))
                if failure::is_unknown_method(&problem) =>
            {
                self.send_open_session_request(RequestKind::Load, reaction);
            }
            (RequestKind::Resume | RequestKind::Load, SessionStage::Joining, Err(problem)) => {
                let outcome = match failure::turn_outcome(&problem) {
                    TurnOutcome::Failed { .. } => not_resumable_outcome(&problem),
                    outcome @ TurnOutcome::Finished
                    | outcome @ TurnOutcome::Cancelled
                    | outcome @ TurnOutcome::Limited { .. }
                    | outcome @ TurnOutcome::Unauthorized { .. }
                    | outcome @ TurnOutcome::NotResumable { .. } => outcome,
                };
                self.fail_session(outcome, end, reaction);
            }
            (RequestKind::Initialize, SessionStage::Opening, Err(problem))
            | (RequestKind::New, SessionStage::Joining, Err(problem)) => {
                self.fail_session(failure::turn_outcome(&problem), end, reaction);
            }
            (RequestKind::Prompt(_), SessionStage::Ready { .. }, Ok(result)) => {
                let prompted: PromptResult = parse_or_default(result.as_deref());
                self.meter.record_prompt_result(&prompted);
                self.end_turn(stop_reason_outcome(&prompted.stop_reason), end, reaction);
            }
            (RequestKind::Prompt(_), SessionStage::Ready { .. }, Err(problem)) => {
                self.end_turn(failure::turn_outcome(&problem), end, reaction);
            }
            // A second response, because the request was sent again after a restart.
            (
                RequestKind::Initialize
                | RequestKind::New
                | RequestKind::Resume
                | RequestKind::Load
                | RequestKind::Prompt(_),
                _,
                _,
            ) => {}
        }
    }

    /// Requests a session in the best way that the agent supports: resuming without a replay if possible.
    fn open_session(&mut self, can: &Capabilities, end: u64, reaction: &mut Reaction) {
        self.stage = SessionStage::Joining;
        match &self.options.start {
            AcpStart::Fresh => self.send_open_session_request(RequestKind::New, reaction),
            AcpStart::Resume { .. } | AcpStart::Attached { .. } => {
                if can.session_capabilities.resume.as_ref().is_some_and(|resume| resume.get() != "null") {
                    self.send_open_session_request(RequestKind::Resume, reaction);
                } else if can.load_session {
                    self.send_open_session_request(RequestKind::Load, reaction);
                } else {
                    let message = "the agent can't resume sessions".to_owned();
                    self.fail_session(TurnOutcome::NotResumable { message }, end, reaction);
                }
            }
        }
    }

    fn send_open_session_request(&self, asked: RequestKind, reaction: &mut Reaction) {
        let session_id = match &self.options.start {
            AcpStart::Fresh => None,
            AcpStart::Resume { agent_session } | AcpStart::Attached { agent_session, .. } => {
                Some(agent_session.as_str())
            }
        };
        let cwd = self.options.cwd.to_string_lossy();
        let join = OpenSessionParams { session_id, cwd: &cwd, mcp_servers: &self.options.mcp_servers };
        reaction.outgoing.push(outgoing_without_delay(rpc::encode_request(asked, join)));
    }

    fn on_session_opened(
        &mut self,
        asked: RequestKind,
        joined: &SessionOpened,
        end: u64,
        reaction: &mut Reaction,
    ) {
        let known = match &self.options.start {
            AcpStart::Fresh => None,
            AcpStart::Resume { agent_session } | AcpStart::Attached { agent_session, .. } => {
                Some(agent_session.clone())
            }
        };
        let Some(agent_session) = joined.session_id.clone().or(known) else {
            let message = "the agent began a session without an id".to_owned();
            return self.fail_session(TurnOutcome::Failed { message }, end, reaction);
        };
        reaction.events.extend(self.meter.update_model(joined).map(|name| DriverEvent::Model { name }));
        if asked == RequestKind::Load {
            self.stage = SessionStage::Replaying { agent_session };
        } else {
            self.mark_ready(agent_session, end, reaction);
        }
    }

    /// Marks the session as ready for input; text so far belongs to its history.
    pub(super) fn mark_ready(&mut self, agent_session: String, end: u64, reaction: &mut Reaction) {
        self.turn = end;
        self.stage = SessionStage::Ready { agent_session: agent_session.clone() };
        reaction.events.push(DriverEvent::Ready { agent_session: Some(agent_session) });
    }

    fn fail_session(&mut self, outcome: TurnOutcome, end: u64, reaction: &mut Reaction) {
        self.end_turn(outcome, end, reaction);
        self.stage = SessionStage::Failed;
    }

    fn on_update(&mut self, notification: &SessionNotification, line: u64, reaction: &mut Reaction) {
        let SessionStage::Ready { agent_session } = &self.stage else { return };
        if notification.session_id.as_ref().is_some_and(|session| session != agent_session) {
            return;
        }
        let update = &notification.update;
        match update.session_update.as_str() {
            "agent_message_chunk" => {
                let content: Content = parse_or_default(update.content.as_deref());
                if let Some(text) = content.text.filter(|text| content.r#type == "text" && !text.is_empty()) {
                    self.is_busy = true;
                    let events = self.agent_text.push_text(&text, update.message_id.clone(), line, self.turn);
                    reaction.events.extend(events);
                }
            }
            "tool_call" | "tool_call_update" => {
                self.is_busy = true;
                let call = self.tools.merge_into_tool_call(update);
                match (update.session_update.as_str(), call.status) {
                    ("tool_call", _) => self.agent_text.require_new_line(),
                    (_, ToolStatus::Done | ToolStatus::Failed) => self.agent_text.suggest_new_line(),
                    (_, ToolStatus::Running) => {}
                }
                let is_under_way = call.status == ToolStatus::Running;
                self.agent_text.push_tool_call(&call);
                reaction.events.push(DriverEvent::ToolCall(call));
                // OpenCode reports its plan only as a tool call.
                let todos = update.raw_input.as_ref().map(|input| &input.todos[..]).unwrap_or_default();
                if is_under_way && !todos.is_empty() {
                    reaction.events.push(DriverEvent::Plan { steps: plan_steps(todos) });
                }
            }
            "agent_thought_chunk" | "user_message_chunk" => self.agent_text.suggest_new_line(),
            "plan" => reaction.events.push(DriverEvent::Plan { steps: plan_steps(&update.entries) }),
            "current_mode_update" => {
                let mode = update.current_mode_id.clone();
                reaction.events.extend(mode.map(|name| DriverEvent::Mode { name }));
            }
            "config_option_update" => {
                let joined = SessionOpened {
                    config_options: update.config_options.clone(),
                    ..SessionOpened::default()
                };
                reaction
                    .events
                    .extend(self.meter.update_model(&joined).map(|name| DriverEvent::Model { name }));
            }
            "usage_update" => self.meter.record_update(update),
            // Commands, titles and unknown kinds of updates.
            _ => {}
        }
    }

    fn on_request(
        &mut self,
        method: &str,
        id: &RawValue,
        params: Option<&RawValue>,
        reaction: &mut Reaction,
    ) {
        let prompt = prompt_id(id);
        let (what, happening) = match method {
            "session/request_permission" => {
                let request: PermissionRequest = parse_or_default(params);
                if request.options.is_empty() {
                    let bytes = rpc::encode_invalid_params(id, "a permission prompt needs options");
                    return reaction.outgoing.push(outgoing_without_delay(bytes));
                }
                let options = permission::prompt_options(&request.options);
                let request = permission::permission_request(
                    prompt.clone(),
                    self.tools.merge_update(&request.tool_call),
                    &self.options.cwd,
                );
                let what = PendingRequestKind::Permission(options.clone());
                (what, DriverEvent::Permission { request, options })
            }
            "elicitation/create" => {
                let elicitation: ElicitationRequest = parse_or_default(params);
                let form = ElicitationForm::new(&elicitation);
                let question = Box::new(form.to_question(&elicitation));
                (
                    PendingRequestKind::Elicitation(form),
                    DriverEvent::Question { prompt: prompt.clone(), question },
                )
            }
            _ => {
                return reaction
                    .outgoing
                    .push(outgoing_without_delay(rpc::encode_method_not_found(id, method)));
            }
        };
        if self.open.len() >= OPEN_PROMPTS_MAX {
            return reaction.outgoing.push(outgoing_without_delay(rpc::encode_invalid_params(
                id,
                "too many prompts wait for an answer",
            )));
        }
        self.is_busy = true;
        self.agent_text.require_new_line();
        self.open.insert(prompt, PendingRequest { id: id.to_owned(), what });
        reaction.events.push(happening);
    }
}

/// Returns the id of a request of the agent, as text.
fn prompt_id(id: &RawValue) -> String {
    id.get().trim_matches('"').to_owned()
}

fn stop_reason_outcome(stop_reason: &str) -> TurnOutcome {
    match stop_reason {
        "end_turn" => TurnOutcome::Finished,
        "cancelled" => TurnOutcome::Cancelled,
        "refusal" => TurnOutcome::Failed { message: "the model refused to go on".to_owned() },
        "max_tokens" => TurnOutcome::Failed { message: "the model reached its token limit".to_owned() },
        "max_turn_requests" => {
            TurnOutcome::Failed { message: "the agent reached its limit of requests in a turn".to_owned() }
        }
        other => TurnOutcome::Failed { message: format!("the turn ended with '{other}'") },
    }
}

fn not_resumable_outcome(problem: &RpcError) -> TurnOutcome {
    let data: RpcErrorData = parse_or_default(problem.data.as_deref());
    TurnOutcome::NotResumable { message: failure::error_message(problem, &data) }
}

fn plan_steps(entries: &[PlanEntry]) -> Vec<PlanStep> {
    let status = |status: &str| match status {
        "completed" => StepStatus::Done,
        "in_progress" => StepStatus::Running,
        _ => StepStatus::Waiting,
    };
    entries
        .iter()
        .map(|entry| PlanStep { text: entry.content.clone(), status: status(&entry.status) })
        .collect()
}

fn warn_unknown_output(text: &[u8], reaction: &mut Reaction) {
    let mut text = String::from_utf8_lossy(text).into_owned();
    if text.len() > GARBAGE_BYTES_MAX {
        text.truncate(text.floor_char_boundary(GARBAGE_BYTES_MAX));
        text.push('…');
    }
    reaction.events.push(DriverEvent::Warning(AgentWarning::UnknownOutput { text }));
}
