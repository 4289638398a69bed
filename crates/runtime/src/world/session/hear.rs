//! Reports what is seen of a session.

use domain::{AgentError, AgentMessage, Command, ErrorType, MessageOffset, Recovery, Timestamp};
use drivers::{AgentWarning, DriverEvent, PlanStep, StepStatus, ToolCall, TurnOutcome};
use protocol::DecodedItem;
use sessions::SessionReport;

use super::{Next, SessionWorker};
use crate::{
    Glimpse,
    world::process::{Process, ProcessError},
};

/// As much of a command is shown while it runs; everybody who looks is told.
const TITLE_BYTES_MAX: usize = 500;

impl SessionWorker {
    /// Reports everything; says how it goes on where the process is over.
    pub(super) fn see_all(
        &mut self,
        seen: Vec<SessionReport>,
        process: &mut Process,
    ) -> Result<Option<Next>, ProcessError> {
        let session = self.seat.session;
        let is_cut = !self.is_ending && self.is_cut(&seen, process);
        for seen in seen {
            match seen {
                SessionReport::InputWritten { number } => self.typed(number),
                // Nobody ended this turn. That the process did is told below.
                SessionReport::Event(DriverEvent::TurnEnded {
                    read_from,
                    text,
                    tools,
                    outcome: TurnOutcome::Finished | TurnOutcome::Failed { .. },
                }) if is_cut => {
                    let read_from = process.place(read_from);
                    self.site.said(session, Command::InterruptTurn { read_from, text, tools });
                }
                SessionReport::Event(DriverEvent::TurnEnded {
                    outcome: TurnOutcome::NotResumable { .. },
                    ..
                }) => {
                    return self.begin_anew(process).map(Some);
                }
                SessionReport::Event(happening) => self.happened(happening, process),
                SessionReport::Ended(_) | SessionReport::Lost if self.went_along(&seen, process) => {
                    self.site.report(Command::ReportStopped { session });
                    return Ok(Some(Next::Cold));
                }
                SessionReport::Ended(exit) => {
                    self.site.report(Command::ReportEnded { session, exit_status: exit.code });
                    return Ok(Some(Next::Over));
                }
                SessionReport::Lost => {
                    let n_left = self.site.shared.sessions.kill_orphans(&process.found);
                    let reason = format!("its holder was killed; {n_left} of its processes were ended");
                    self.site.report(Command::ReportLost { session, reason });
                    return Ok(Some(Next::Over));
                }
            }
        }
        Ok(None)
    }

    /// Tells whether a process ended together with a server or with the whole machine, which is nobody's failure.
    fn went_along(&self, seen: &SessionReport, process: &Process) -> bool {
        match seen {
            SessionReport::Ended(exit) => {
                process.was_stopped(&self.site, self.seat.session)
                    // One that had ended well before has just not been heard.
                    || process.is_of_another_boot && exit.code != Some(0)
            }
            SessionReport::Lost => process.is_of_another_boot,
            SessionReport::InputWritten { .. } | SessionReport::Event(_) => false,
        }
    }

    /// Tells whether a process ended badly or was ended: what it was at is not done.
    fn is_cut(&self, seen: &[SessionReport], process: &Process) -> bool {
        match seen.last() {
            Some(SessionReport::Ended(exit)) => {
                exit.code != Some(0) || process.was_stopped(&self.site, self.seat.session)
            }
            Some(SessionReport::Lost) => true,
            Some(SessionReport::InputWritten { .. } | SessionReport::Event(_)) | None => false,
        }
    }

    /// The agent does not know the session any more: another process is told everything again.
    fn begin_anew(&mut self, process: &mut Process) -> Result<Next, ProcessError> {
        process.living.stop(super::GRACE)?;
        if process.was_told && self.told.is_empty() {
            // A server that was killed told it; nobody here knows what.
            return Err(ProcessError::Place("its agent has forgotten it".to_owned()));
        }
        self.seat.agent_session = None;
        self.inputs.restore(std::mem::take(&mut self.told));
        self.start()
    }

    pub(super) fn happened(&mut self, happening: DriverEvent, process: &Process) {
        let session = self.seat.session;
        match happening {
            DriverEvent::Ready { agent_session } => {
                self.seat.agent_session.clone_from(&agent_session);
                self.site.report(Command::ReportStarted { session, agent_session });
            }
            DriverEvent::Message { offset, read_from, item } => {
                let (offset, read_from) = (process.heard(offset), process.place(read_from));
                self.site.said(session, command(offset, read_from, item));
            }
            DriverEvent::Permission { request, options: _ } => {
                self.site.said(session, Command::RequestPermission(request));
            }
            DriverEvent::Question { prompt, question } => {
                self.site.said(session, Command::RequestAnswer { prompt, question });
            }
            DriverEvent::Usage(usage) => self.site.said(session, Command::ReportUsage(usage)),
            // Whoever is sent away has no more turns to end; what it said is kept all the same.
            DriverEvent::TurnEnded { read_from, text, tools, outcome: _ } if self.is_ending => {
                let read_from = process.place(read_from);
                self.site.said(session, Command::InterruptTurn { read_from, text, tools });
                self.site.turns.end(session);
            }
            DriverEvent::TurnEnded { read_from, text, tools, outcome } => {
                let read_from = process.place(read_from);
                if let Some(error) = error(outcome) {
                    // Behind everything that it said in this turn, and the same each time that it is read.
                    let heard = MessageOffset { start: read_from, ordinal: u32::MAX };
                    let said = Box::new(AgentMessage::Error(error));
                    self.site
                        .said(session, Command::ReceiveMessage { offset: heard, read_from, message: said });
                }
                self.site.said(session, Command::EndTurn { read_from, text, tools });
                self.site.turns.end(session);
            }
            DriverEvent::Text { text } => self.site.glimpse(session, Glimpse::Words { text }),
            DriverEvent::ToolCall(call) => {
                let ToolCall { id, mut title, status, output: _ } = call;
                title.truncate(title.floor_char_boundary(TITLE_BYTES_MAX));
                self.site.glimpse(session, Glimpse::Tool { id, title, status });
            }
            DriverEvent::Plan { steps } => {
                let steps = steps.into_iter().map(step).collect();
                self.site.glimpse(session, Glimpse::Plan { steps });
            }
            DriverEvent::Warning(trouble) => {
                self.site.glimpse(session, Glimpse::Trouble { text: describe(&trouble) });
            }
            // What model it is comes with what it uses; the rest changes nothing.
            DriverEvent::Model { .. } | DriverEvent::Mode { .. } | DriverEvent::PromptWithdrawn { .. } => {}
        }
    }
}

fn command(heard: MessageOffset, read_from: u64, item: DecodedItem) -> Command {
    match item {
        DecodedItem::Message(message) => {
            Command::ReceiveMessage { offset: heard, read_from, message: Box::new(message.message) }
        }
        DecodedItem::Invalid(invalid) => Command::ReceiveInvalid {
            offset: heard,
            read_from,
            protocol: invalid.message_name.to_owned(),
            error: invalid.error,
            raw: invalid.span.raw,
        },
        DecodedItem::NearMiss(near) => Command::ReceiveNearMiss {
            offset: heard,
            read_from,
            near: near.message_name.to_owned(),
            raw: near.span.raw,
        },
    }
}

/// Returns what a turn that went wrong means.
fn error(outcome: TurnOutcome) -> Option<AgentError> {
    let (r#type, message, recovery, resets_at) = match outcome {
        TurnOutcome::Finished | TurnOutcome::Cancelled | TurnOutcome::NotResumable { .. } => return None,
        TurnOutcome::Limited { message, resets_at } => {
            (ErrorType::Recoverable, message, Recovery::PauseAndRetry, resets_at)
        }
        TurnOutcome::Unauthorized { message } => (ErrorType::Fatal, message, Recovery::NotifyUser, None),
        TurnOutcome::Failed { message } => (ErrorType::Recoverable, message, Recovery::PauseAndRetry, None),
    };
    Some(AgentError {
        r#type,
        message,
        details: None,
        recovery,
        resets_at: resets_at.and_then(rfc3339),
        extra: std::collections::BTreeMap::new(),
    })
}

fn rfc3339(at: Timestamp) -> Option<String> {
    jiff::Timestamp::from_millisecond(at.0).ok().map(|at| at.to_string())
}

fn step(step: PlanStep) -> (String, &'static str) {
    let status = match step.status {
        StepStatus::Waiting => "waiting",
        StepStatus::Running => "running",
        StepStatus::Done => "done",
    };
    (step.text, status)
}

fn describe(trouble: &AgentWarning) -> String {
    match trouble {
        AgentWarning::Retrying { attempt, delay_ms, message } => {
            format!("tries again ({attempt}) in {} s: {message}", delay_ms.div_ceil(1000))
        }
        AgentWarning::LimitNear { used_permille: Some(used), .. } => {
            format!("{}% of its limit is used", used / 10)
        }
        AgentWarning::LimitNear { used_permille: None, .. } => "its limit is near".to_owned(),
        AgentWarning::UnknownOutput { text } => format!("prints what nobody understands: {text}"),
    }
}
