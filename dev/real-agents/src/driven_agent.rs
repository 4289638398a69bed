//! A real agent in a session, controlled through its driver as in a run.

use std::{
    collections::VecDeque,
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use domain::{PermissionRequest, PlanTaskIds, Role, Usage};
use drivers::{
    AgentInput, DriverContext, DriverEvent, TurnOutcome,
    preset::{LaunchMode, Preset},
};
use protocol::DecodedItem;
use sessions::{Sandbox, Session, SessionEntry, SessionError, SessionReport, Sessions, StartRequest};

use crate::agent_home::AgentHome;

/// Time limit for each event. The slowest agent takes 8 s for its first start.
const EVENT_MAX: Duration = Duration::from_secs(45);
/// Time for an agent to end by itself.
const END_GRACE: Duration = Duration::from_secs(3);

/// A running agent with its session and driver.
pub(crate) struct DrivenAgent {
    sessions: Sessions,
    pub entry: SessionEntry,
    session: Session,
    reports: VecDeque<SessionReport>,
    /// The number of the last input.
    number: u32,
    /// The agent's own id of its session, if it has reported one.
    pub agent_session: Option<String>,
}

/// A turn that has ended.
#[derive(Debug)]
pub(crate) struct EndedTurn {
    /// Its messages, including invalid ones and near misses.
    pub items: Vec<DecodedItem>,
    /// Its text for the user.
    pub text: String,
    /// Tokens of the turn.
    pub used: Usage,
    pub outcome: TurnOutcome,
}

impl DrivenAgent {
    /// Starts an agent by its preset, and waits until it is ready.
    pub(crate) fn start(preset: &Preset, home: &AgentHome, launch: LaunchMode<'_>) -> Result<Self> {
        let sessions = Sessions::open(&home.data)?;
        let line = sessions::command_line(preset, launch);
        let mut environment = line.environment;
        environment.extend(home.environment().clone());
        let start = StartRequest {
            name: None,
            command: line.command,
            directory: home.work.clone(),
            attachment: line.attachment,
            environment,
            memory_bytes_max: None,
            output_bytes_max: None,
            // Whole runs are in the sandbox: it is applied by `jangdan`.
            sandbox: Sandbox::off(),
            secrets: Vec::new(),
            agent: None,
        };
        let entry = sessions.start(&start)?;
        let context = DriverContext {
            launch,
            directory: &home.work,
            key: &entry.metadata.key,
            role: Role::Worker,
            task_ids: PlanTaskIds::default(),
            checkpoint: None,
            confinement: drivers::AgentConfinement { is_sandboxed: false, must_ask: true },
        };
        let opened = Session::open(&entry.directory, drivers::set_up_driver(preset, &context));
        let (session, reports) = opened?;
        let mut agent =
            Self { sessions, entry, session, reports: reports.into(), number: 0, agent_session: None };
        agent.agent_session = agent.wait_for_report("the agent to be ready", |report| match report {
            SessionReport::Event(DriverEvent::Ready { agent_session }) => Some(agent_session.clone()),
            SessionReport::Event(_)
            | SessionReport::InputWritten { .. }
            | SessionReport::Ended(_)
            | SessionReport::Lost => None,
        })?;
        Ok(agent)
    }

    /// Sends an input to the agent; retries while its driver is not ready for it.
    pub(crate) fn send_input(&mut self, input: &AgentInput) -> Result<()> {
        self.number += 1;
        let deadline = Instant::now() + EVENT_MAX;
        loop {
            match self.session.send_input(input, self.number) {
                Ok(reports) => {
                    self.reports.extend(reports);
                    return Ok(());
                }
                // A turn that has just started may not have an id yet.
                Err(SessionError::Refused(_)) if Instant::now() < deadline => {
                    let soon = Instant::now() + Duration::from_millis(20);
                    self.reports.extend(self.session.next_reports(Some(soon))?);
                }
                Err(error) => return Err(error).context("send an input"),
            }
        }
    }

    /// Sends a prompt and waits for the end of the turn.
    pub(crate) fn prompt_and_wait(&mut self, prompt: &str) -> Result<EndedTurn> {
        self.send_prompt(prompt)?;
        self.wait_for_turn_end()
    }

    /// Sends a prompt to the agent.
    pub(crate) fn send_prompt(&mut self, prompt: &str) -> Result<()> {
        self.send_input(&AgentInput::Prompt { text: prompt.to_owned() })
    }

    /// Waits for a permission prompt.
    pub(crate) fn wait_for_permission(&mut self) -> Result<PermissionRequest> {
        self.wait_for_report("a permission prompt", |report| match report {
            SessionReport::Event(DriverEvent::Permission { request, .. }) => Some(request.clone()),
            SessionReport::Event(_)
            | SessionReport::InputWritten { .. }
            | SessionReport::Ended(_)
            | SessionReport::Lost => None,
        })
    }

    /// Waits for text that contains this part.
    pub(crate) fn wait_for_text(&mut self, part: &str) -> Result<()> {
        self.wait_for_report("text", |report| match report {
            SessionReport::Event(DriverEvent::Text { text }) if text.contains(part) => Some(()),
            SessionReport::Event(_)
            | SessionReport::InputWritten { .. }
            | SessionReport::Ended(_)
            | SessionReport::Lost => None,
        })
    }

    /// Waits for the end of a turn, and grants each permission that it requests.
    pub(crate) fn wait_for_turn_end(&mut self) -> Result<EndedTurn> {
        let (mut items, mut used) = (Vec::new(), Usage::default());
        loop {
            let next = self.wait_for_report("the end of the turn", |report| {
                let SessionReport::Event(event) = report else { return None };
                match event {
                    DriverEvent::Message { item, .. } => items.push(item.clone()),
                    DriverEvent::Usage(usage) => used = usage.clone(),
                    DriverEvent::Permission { .. } | DriverEvent::TurnEnded { .. } => {
                        return Some(event.clone());
                    }
                    DriverEvent::Ready { .. }
                    | DriverEvent::Model { .. }
                    | DriverEvent::Text { .. }
                    | DriverEvent::ToolCall(_)
                    | DriverEvent::Question { .. }
                    | DriverEvent::Plan { .. }
                    | DriverEvent::Mode { .. }
                    | DriverEvent::PromptWithdrawn { .. }
                    | DriverEvent::Warning(_) => {}
                }
                None
            })?;
            match next {
                DriverEvent::Permission { request, .. } => {
                    self.send_input(&AgentInput::Permission {
                        prompt: request.prompt,
                        allowed: true,
                        reason: None,
                    })?;
                }
                DriverEvent::TurnEnded { text, outcome, .. } => {
                    return Ok(EndedTurn { items, text, used, outcome });
                }
                DriverEvent::Ready { .. }
                | DriverEvent::Model { .. }
                | DriverEvent::Text { .. }
                | DriverEvent::Message { .. }
                | DriverEvent::ToolCall(_)
                | DriverEvent::Question { .. }
                | DriverEvent::Plan { .. }
                | DriverEvent::Mode { .. }
                | DriverEvent::PromptWithdrawn { .. }
                | DriverEvent::Usage(_)
                | DriverEvent::Warning(_) => {}
            }
        }
    }

    /// Continues the conversation until a condition outside of it holds.
    pub(crate) fn read_reports_until(&mut self, what: &str, holds: impl Fn() -> bool) -> Result<()> {
        let deadline = Instant::now() + EVENT_MAX;
        while !holds() {
            ensure!(Instant::now() < deadline, "{what} did not happen within {EVENT_MAX:?}");
            let soon = Instant::now() + Duration::from_millis(20);
            let reports = self.session.next_reports(Some(soon))?;
            self.reports.extend(reports);
        }
        Ok(())
    }

    /// Waits for an event, and returns what `select` returns for it.
    pub(crate) fn wait_for_report<T>(
        &mut self,
        what: &str,
        mut select: impl FnMut(&SessionReport) -> Option<T>,
    ) -> Result<T> {
        let deadline = Instant::now() + EVENT_MAX;
        let mut passed = VecDeque::new();
        loop {
            while let Some(report) = self.reports.pop_front() {
                if let Some(selected) = select(&report) {
                    return Ok(selected);
                }
                let has_ended = matches!(report, SessionReport::Ended(_) | SessionReport::Lost);
                passed.push_back(format!("{report:?}"));
                if has_ended {
                    bail!("waited for {what}, but the session ended; the last events were {passed:#?}");
                }
                if passed.len() > 12 {
                    passed.pop_front();
                }
            }
            ensure!(
                Instant::now() < deadline,
                "waited {EVENT_MAX:?} for {what}; the last events were {passed:#?}"
            );
            let reports = self.session.next_reports(Some(deadline))?;
            self.reports.extend(reports);
        }
    }

    /// Suspends all its processes for this time, checks that they print nothing, and continues them.
    pub(crate) fn freeze(&mut self, time: Duration) -> Result<()> {
        self.session.pause()?;
        // Output from before is read first.
        loop {
            let before = self.session.next_reports(Some(Instant::now()))?;
            if before.is_empty() {
                break;
            }
            self.reports.extend(before);
        }
        let silence = self.session.next_reports(Some(Instant::now() + time))?;
        ensure!(silence.is_empty(), "it is suspended, but printed {silence:?}");
        self.session.resume()?;
        Ok(())
    }

    /// Closes its input, and ends it if it does not end by itself.
    pub(crate) fn close(mut self) -> Result<()> {
        self.session.close_input()?;
        let deadline = Instant::now() + END_GRACE;
        while Instant::now() < deadline {
            let reports = self.session.next_reports(Some(deadline))?;
            if reports.iter().any(|report| matches!(report, SessionReport::Ended(_))) {
                return Ok(());
            }
        }
        self.stop()
    }

    /// Kills the holder, and with it all processes of the session.
    pub(crate) fn kill(self) -> Result<()> {
        let status = holder::status::read(&self.entry.directory)?
            .context("the session has no status of its holder")?;
        let killed = Command::new("kill").args(["-9", &status.holder_pid.to_string()]).status()?;
        ensure!(killed.success(), "the holder could not be killed");
        self.sessions.kill_orphans(&self.entry);
        Ok(())
    }

    /// Ends the session.
    pub(crate) fn stop(mut self) -> Result<()> {
        Ok(self.session.stop(END_GRACE)?)
    }
}
