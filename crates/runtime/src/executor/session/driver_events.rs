//! Reports the events of a session's driver to the run loop, without the session's key.

use domain::{AgentOutput, MessageOffset, Report, SessionKey, TurnFailure, without_key_marks};
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
                    self.send_output(process, AgentOutput::TurnInterrupted { read_from, text, tools });
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

    /// Sends an output of the agent to the run loop.
    pub(super) fn send_output(&self, process: &Process, output: AgentOutput) {
        self.context.send_agent_output(self.spec.session, without_key(&process.entry.metadata.key, output));
    }

    fn publish_text(&self, text: String) {
        if !text.is_empty() {
            self.context.publish_activity(self.spec.session, AgentActivity::Text { text });
        }
    }

    pub(super) fn handle_event(&mut self, event: DriverEvent, process: &Process) {
        let session = self.spec.session;
        let key = &process.entry.metadata.key;
        if !matches!(event, DriverEvent::Text { .. }) {
            let rest = self.published_text.finish(key);
            self.publish_text(rest);
        }
        match event {
            DriverEvent::Ready { agent_session } => {
                self.spec.agent_session.clone_from(&agent_session);
                self.context.report_to_run_loop(Report::SessionStarted { session, agent_session });
            }
            DriverEvent::Message { offset, read_from, item } => {
                let (offset, read_from) =
                    (process.message_offset_in_session(offset), process.to_session_offset(read_from));
                self.send_output(process, message_output(offset, read_from, item));
            }
            DriverEvent::Permission { request, options: _ } => {
                let request = resolve_links(request, &self.spec.directory);
                self.send_output(process, AgentOutput::PermissionRequested(request));
            }
            DriverEvent::Question { prompt, question } => {
                self.send_output(process, AgentOutput::QuestionAsked { prompt, question });
            }
            DriverEvent::Usage(mut usage) => {
                let prices = &self.context.environment.prices;
                let price = usage.model.as_ref().and_then(|model| prices.get(model));
                price.into_iter().for_each(|price| usage.estimate_cost(*price));
                self.send_output(process, AgentOutput::Usage(usage));
            }
            // The session is ending: record the text as an interrupted turn.
            DriverEvent::TurnEnded { read_from, text, tools, outcome: _ } if self.is_ending => {
                let read_from = process.to_session_offset(read_from);
                self.send_output(process, AgentOutput::TurnInterrupted { read_from, text, tools });
            }
            DriverEvent::TurnEnded { read_from, text, tools, outcome } => {
                self.is_in_turn = false;
                let read_from = process.to_session_offset(read_from);
                let failure = turn_failure(outcome);
                self.send_output(process, AgentOutput::TurnEnded { read_from, text, tools, failure });
            }
            DriverEvent::Text { text } => {
                let text = self.published_text.push(key, &text);
                self.publish_text(text);
            }
            DriverEvent::ToolCall(call) => {
                let ToolCall { id, mut title, status, output: _ } = call;
                title = remove_key(key, &title);
                title.truncate(title.floor_char_boundary(TITLE_BYTES_MAX));
                self.context.publish_activity(session, AgentActivity::Tool { id, title, status });
            }
            DriverEvent::Plan { steps } => {
                let steps = steps.into_iter().map(plan_step_text_and_status);
                let steps = steps.map(|(text, status)| (remove_key(key, &text), status)).collect();
                self.context.publish_activity(session, AgentActivity::Plan { steps });
            }
            DriverEvent::Warning(warning) => {
                let text = remove_key(key, &describe_warning(&warning));
                self.context.publish_activity(session, AgentActivity::Warning { text });
            }
            // The model is reported with the usage; the other events have no effect.
            DriverEvent::Model { .. } | DriverEvent::Mode { .. } | DriverEvent::PromptWithdrawn { .. } => {}
        }
    }
}

fn remove_key(key: &SessionKey, text: &str) -> String {
    without_key_marks(&key.replace_in(text))
}

/// Removes the session's key from what is recorded and shown. In the text of a turn a mark tells where it was, because
/// only a message with the key counts.
fn without_key(key: &SessionKey, mut output: AgentOutput) -> AgentOutput {
    match &mut output {
        AgentOutput::TurnEnded { text, tools, failure: _, read_from: _ }
        | AgentOutput::TurnInterrupted { text, tools, read_from: _ } => {
            *text = key.replace_in(text);
            for used in &mut tools.uses {
                used.title = remove_key(key, &used.title);
                for part in used.output.iter_mut().flat_map(|output| [&mut output.head, &mut output.tail]) {
                    *part = remove_key(key, part);
                }
            }
        }
        AgentOutput::InvalidMessage { error, raw, .. } => {
            (*error, *raw) = (remove_key(key, error), remove_key(key, raw));
        }
        AgentOutput::NearMiss { raw, .. } => *raw = remove_key(key, raw),
        // A message is decoded without its key. What is decided stays as it is.
        AgentOutput::Message { .. }
        | AgentOutput::PermissionRequested(_)
        | AgentOutput::QuestionAsked { .. }
        | AgentOutput::TestFeedback(_)
        | AgentOutput::Usage(_) => {}
    }
    output
}

/// Text of a turn in progress, which arrives in pieces that may cut the session's key.
#[derive(Default)]
pub(super) struct PublishedText {
    /// The end of the text, if it may be the beginning of the key. Shorter than a key and a character.
    held: String,
    /// Whether the text before ended in a word, which what is held would continue.
    is_in_word: bool,
}

impl PublishedText {
    /// Adds a piece. Returns the text that can be shown, with a mark in place of each key.
    fn push(&mut self, key: &SessionKey, piece: &str) -> String {
        self.held.push_str(piece);
        // A key at the end is held too: the next piece may continue the word.
        let may_be_key = |at: &usize| {
            let Some((before, rest)) = self.held.split_at_checked(*at) else { return false };
            key.as_str().starts_with(rest) && !before.chars().next_back().map_or(self.is_in_word, is_word)
        };
        let start = self.held.len().saturating_sub(key.as_str().len());
        let end = (start..self.held.len()).find(may_be_key).unwrap_or(self.held.len());
        let rest = self.held.split_off(end);
        let shown = std::mem::replace(&mut self.held, rest);
        self.show(key, &shown)
    }

    /// Returns the rest of the text.
    fn finish(&mut self, key: &SessionKey) -> String {
        let rest = std::mem::take(&mut self.held);
        let shown = self.show(key, &rest);
        self.is_in_word = false;
        shown
    }

    fn show(&mut self, key: &SessionKey, text: &str) -> String {
        // A character of the same kind stands for the text before.
        let before = if self.is_in_word { "_" } else { " " };
        if let Some(last) = text.chars().next_back() {
            self.is_in_word = is_word(last);
        }
        let marked = key.replace_in(&format!("{before}{text}"));
        marked.get(before.len()..).unwrap_or_default().to_owned()
    }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
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

#[cfg(test)]
mod tests {
    use super::PublishedText;

    #[test]
    fn a_key_that_pieces_cut_is_not_shown() {
        let key = "k3f9".parse().unwrap();
        let text = "It works.\nDONE:T1 k3f9\n[ASK_USER k3f9] kk3f9 k3";
        for size in 1..=text.len() {
            let mut published = PublishedText::default();
            let pieces = text.as_bytes().chunks(size).map(|piece| std::str::from_utf8(piece).unwrap());
            let mut shown: String = pieces.map(|piece| published.push(&key, piece)).collect();
            shown.push_str(&published.finish(&key));
            assert_eq!(shown, "It works.\nDONE:T1 ‹key›\n[ASK_USER ‹key›] kk3f9 k3", "{size}");
        }
    }
}
