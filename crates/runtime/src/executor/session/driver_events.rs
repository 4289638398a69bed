//! Reports the events of a session's driver to the run loop.

use domain::{AgentOutput, MessageOffset, Report, TurnFailure};
use drivers::{AgentWarning, DriverEvent, PlanStep, StepStatus, ToolCall, TurnOutcome};
use holder::spool::EndReason;
use protocol::DecodedItem;
use sessions::{OUTPUT_BYTES_MAX, SessionReport};

use super::{NextState, SessionWorker, permission_path::resolve_links};
use crate::{
    AgentActivity,
    executor::process::{Process, ProcessError},
};

/// Limit of a tool call's title, which is sent to all subscribers.
const TITLE_BYTES_MAX: usize = 500;

impl SessionWorker {
    /// Reports events; returns the next state if the process has ended.
    pub(super) fn handle_reports(
        &mut self,
        reports: Vec<SessionReport>,
        process: &mut Process,
    ) -> Result<Option<NextState>, ProcessError> {
        let session = self.spec.session;
        let is_interrupted = !self.is_ending && self.is_interrupted(&reports, process);
        for report in reports {
            match report {
                SessionReport::InputWritten { number } => self.report_sent(number),
                // The turn ended only because the process did, which is reported below.
                SessionReport::Event(DriverEvent::TurnEnded {
                    read_from,
                    text,
                    tools,
                    outcome: TurnOutcome::Finished | TurnOutcome::Failed { .. },
                }) if is_interrupted => {
                    let read_from = process.to_session_offset(read_from);
                    self.context
                        .send_agent_output(session, AgentOutput::TurnInterrupted { read_from, text, tools });
                }
                SessionReport::Event(DriverEvent::TurnEnded {
                    outcome: TurnOutcome::NotResumable { .. },
                    ..
                }) => {
                    return self.restart_without_resume(process).map(Some);
                }
                SessionReport::Event(event) => self.handle_event(event, process),
                SessionReport::Ended(_) | SessionReport::Lost
                    if self.was_ended_by_shutdown_or_reboot(&report, process) =>
                {
                    self.context.report_to_run_loop(Report::SessionStopped { session });
                    return Ok(Some(NextState::Cold));
                }
                SessionReport::Ended(exit) if exit.reason == EndReason::OutputLimit => {
                    let mib = self.spec.preset.output_mib.unwrap_or(OUTPUT_BYTES_MAX >> 20);
                    let reason =
                        format!("it wrote more than {mib} MiB of output (limit: output_mib of its agent)");
                    self.context.report_to_run_loop(Report::SessionLost { session, reason });
                    return Ok(Some(NextState::Ended));
                }
                SessionReport::Ended(exit) => {
                    self.context.report_to_run_loop(Report::SessionEnded { session, exit_status: exit.code });
                    return Ok(Some(NextState::Ended));
                }
                SessionReport::Lost => {
                    let n_ended = self.context.host.sessions.kill_orphans(&process.entry);
                    let reason = format!("its holder was killed; {n_ended} of its processes were ended");
                    self.context.report_to_run_loop(Report::SessionLost { session, reason });
                    return Ok(Some(NextState::Ended));
                }
            }
        }
        Ok(None)
    }

    /// Tells whether a shutdown of the server or of the machine ended the process, which is not a failure of the agent.
    fn was_ended_by_shutdown_or_reboot(&self, report: &SessionReport, process: &Process) -> bool {
        match report {
            SessionReport::Ended(exit) => {
                process.was_ended_by_shutdown(&self.context, self.spec.session)
                    // Exit code 0: the agent had finished before.
                    || process.is_from_earlier_boot && exit.code != Some(0)
            }
            SessionReport::Lost => process.is_from_earlier_boot,
            SessionReport::InputWritten { .. } | SessionReport::Event(_) => false,
        }
    }

    /// Tells whether the process failed or was ended, so that its turn is incomplete.
    fn is_interrupted(&self, reports: &[SessionReport], process: &Process) -> bool {
        match reports.last() {
            Some(SessionReport::Ended(exit)) => {
                exit.code != Some(0) || process.was_ended_by_shutdown(&self.context, self.spec.session)
            }
            Some(SessionReport::Lost) => true,
            Some(SessionReport::InputWritten { .. } | SessionReport::Event(_)) | None => false,
        }
    }

    /// Replaces a process whose agent cannot resume its conversation. The new one is sent all inputs again.
    fn restart_without_resume(&mut self, process: &mut Process) -> Result<NextState, ProcessError> {
        process.session.stop(super::GRACE)?;
        if process.has_input && self.sent.is_empty() {
            // An earlier server sent the inputs, so they are unknown here.
            return Err(ProcessError::Unusable("its agent cannot resume the conversation".to_owned()));
        }
        self.spec.agent_session = None;
        self.inputs.restore(std::mem::take(&mut self.sent));
        self.start_process()
    }

    pub(super) fn handle_event(&mut self, event: DriverEvent, process: &Process) {
        let session = self.spec.session;
        match event {
            DriverEvent::Ready { agent_session } => {
                self.spec.agent_session.clone_from(&agent_session);
                self.context.report_to_run_loop(Report::SessionStarted { session, agent_session });
            }
            DriverEvent::Message { offset, read_from, item } => {
                let (offset, read_from) =
                    (process.message_offset_in_session(offset), process.to_session_offset(read_from));
                self.context.send_agent_output(session, message_output(offset, read_from, item));
            }
            DriverEvent::Permission { request, options: _ } => {
                let request = resolve_links(request, &self.spec.directory);
                self.context.send_agent_output(session, AgentOutput::PermissionRequested(request));
            }
            DriverEvent::Question { prompt, question } => {
                self.context.send_agent_output(session, AgentOutput::QuestionAsked { prompt, question });
            }
            DriverEvent::Usage(mut usage) => {
                let prices = &self.context.environment.prices;
                let price = usage.model.as_ref().and_then(|model| prices.get(model));
                price.into_iter().for_each(|price| usage.estimate_cost(*price));
                self.context.send_agent_output(session, AgentOutput::Usage(usage));
            }
            // The session is ending: record the text as an interrupted turn.
            DriverEvent::TurnEnded { read_from, text, tools, outcome: _ } if self.is_ending => {
                let read_from = process.to_session_offset(read_from);
                self.context
                    .send_agent_output(session, AgentOutput::TurnInterrupted { read_from, text, tools });
            }
            DriverEvent::TurnEnded { read_from, text, tools, outcome } => {
                self.is_in_turn = false;
                let read_from = process.to_session_offset(read_from);
                let failure = turn_failure(outcome);
                self.context
                    .send_agent_output(session, AgentOutput::TurnEnded { read_from, text, tools, failure });
            }
            DriverEvent::Text { text } => {
                self.context.publish_activity(session, AgentActivity::Text { text });
            }
            DriverEvent::ToolCall(call) => {
                let ToolCall { id, mut title, status, output: _ } = call;
                title.truncate(title.floor_char_boundary(TITLE_BYTES_MAX));
                self.context.publish_activity(session, AgentActivity::Tool { id, title, status });
            }
            DriverEvent::Plan { steps } => {
                let steps = steps.into_iter().map(plan_step_text_and_status).collect();
                self.context.publish_activity(session, AgentActivity::Plan { steps });
            }
            DriverEvent::Warning(warning) => {
                self.context
                    .publish_activity(session, AgentActivity::Warning { text: describe_warning(&warning) });
            }
            // The model is reported with the usage; the other events have no effect.
            DriverEvent::Model { .. } | DriverEvent::Mode { .. } | DriverEvent::PromptWithdrawn { .. } => {}
        }
    }
}

fn message_output(offset: MessageOffset, read_from: u64, item: DecodedItem) -> AgentOutput {
    match item {
        DecodedItem::Message(message) => {
            AgentOutput::Message { offset, read_from, message: Box::new(message.message) }
        }
        DecodedItem::Invalid(invalid) => AgentOutput::InvalidMessage {
            offset,
            read_from,
            protocol: invalid.message_name.to_owned(),
            error: invalid.error,
            raw: invalid.span.raw,
        },
        DecodedItem::NearMiss(near) => AgentOutput::NearMiss {
            offset,
            read_from,
            near: near.message_name.to_owned(),
            raw: near.span.raw,
        },
    }
}

fn turn_failure(outcome: TurnOutcome) -> Option<TurnFailure> {
    match outcome {
        TurnOutcome::Finished | TurnOutcome::Cancelled | TurnOutcome::NotResumable { .. } => None,
        TurnOutcome::Limited { message, resets_at } => Some(TurnFailure::RateLimited { message, resets_at }),
        TurnOutcome::Unauthorized { message } => Some(TurnFailure::Unauthorized { message }),
        TurnOutcome::Failed { message } => Some(TurnFailure::Other { message }),
    }
}

fn plan_step_text_and_status(step: PlanStep) -> (String, &'static str) {
    let status = match step.status {
        StepStatus::Waiting => "waiting",
        StepStatus::Running => "running",
        StepStatus::Done => "done",
    };
    (step.text, status)
}

fn describe_warning(warning: &AgentWarning) -> String {
    match warning {
        AgentWarning::Retrying { attempt, delay_ms, message } => {
            format!("retry {attempt} in {} s: {message}", delay_ms.div_ceil(1000))
        }
        AgentWarning::LimitNear { used_permille: Some(used), .. } => {
            format!("{}% of the rate limit is used", used / 10)
        }
        AgentWarning::LimitNear { used_permille: None, .. } => "the rate limit is almost reached".to_owned(),
        AgentWarning::UnknownOutput { text } => format!("output not understood: {text}"),
    }
}
