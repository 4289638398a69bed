//! Sessions: running agent processes, or levels of the tree that Jangdan runs itself.

use domain::{AgentName, ParkMode, PhaseNumber, Role, SessionAction, SessionId, TaskId, Timestamp};
use serde::{Deserialize, Serialize};

use super::{InboxItem, UsageTotals};
use crate::{RowKind, RowSessions, TableRow, Views, facts::SessionFacts, views::EventMoment};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionRow {
    pub id: SessionId,
    pub parent: Option<SessionId>,
    /// Level in the tree: 0 orchestrator, 1 operator, 2 worker.
    pub depth: u32,
    pub role: Role,
    /// `None` if Jangdan runs the session itself.
    pub agent: Option<AgentName>,
    pub state: SessionState,
    /// Set while it is parked.
    pub park: Option<ParkMode>,
    pub state_since_at: Timestamp,
    /// The current or last task.
    pub task: Option<TaskId>,
    /// The phase that it leads or verifies.
    pub phase: Option<PhaseNumber>,
    /// The session that it continues.
    pub resumes: Option<SessionId>,
    /// Session id that the agent uses itself.
    pub agent_session: Option<String>,
    /// Whether it was asked to exit.
    pub dismissed: bool,
    pub exit_status: Option<i32>,
    pub lost_reason: Option<String>,
    pub used: UsageTotals,
    /// Model name that the agent reported.
    pub model: Option<String>,
    /// Usage of the context window, in thousandths.
    pub context_permille: Option<u32>,
    pub started_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    /// When a user requested the end of its process; `None` once it was told to end.
    #[serde(default)]
    pub stop_requested_at: Option<Timestamp>,
    /// Why its process could not be told to end.
    #[serde(default)]
    pub stop_error: Option<String>,
    /// What the user may do with it.
    #[serde(default)]
    pub actions: Vec<SessionAction>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum SessionState {
    /// The process has not started.
    Starting,
    /// The process is running.
    Active,
    /// Waiting for an answer or a requested resource.
    WaitingInput,
    /// Idle, suspended or stopped until it is needed again.
    Parked,
    Ended,
    /// The process disappeared without an exit status.
    Lost,
}

/// Data of an opened session.
pub(crate) struct SessionOpening<'a> {
    pub session: SessionId,
    pub parent: Option<SessionId>,
    pub depth: u32,
    pub role: Role,
    pub agent: Option<&'a AgentName>,
    pub task: Option<&'a TaskId>,
    pub phase: Option<PhaseNumber>,
    pub resumes: Option<SessionId>,
}

impl TableRow for SessionRow {
    type Key = SessionId;
    const KIND: RowKind = RowKind::Session;

    fn key(&self) -> SessionId {
        self.id
    }

    fn key_to_text(key: &SessionId) -> String {
        key.to_string()
    }

    fn sessions(&self) -> RowSessions {
        [Some(self.id), None]
    }
}

impl Views {
    pub(crate) fn apply_session_opened(&mut self, moment: EventMoment<'_>, opened: &SessionOpening<'_>) {
        // A session without an agent has no process to wait for.
        let state = if opened.agent.is_some() { SessionState::Starting } else { SessionState::Active };
        self.facts.sessions.insert(opened.session, SessionFacts::new(state));
        self.rows.sessions.put(SessionRow {
            id: opened.session,
            parent: opened.parent,
            depth: opened.depth,
            role: opened.role,
            agent: opened.agent.cloned(),
            state,
            park: None,
            state_since_at: moment.at,
            task: opened.task.cloned(),
            phase: opened.phase,
            resumes: opened.resumes,
            agent_session: None,
            dismissed: false,
            exit_status: None,
            lost_reason: None,
            used: UsageTotals::default(),
            model: None,
            context_permille: None,
            started_at: moment.at,
            ended_at: None,
            stop_requested_at: None,
            stop_error: None,
            actions: Vec::new(),
        });
        if let Some(agent) = opened.agent {
            self.rows.agents.change(agent, |row| row.n_sessions += 1);
        }
    }

    pub(crate) fn apply_session_activated(
        &mut self,
        moment: EventMoment<'_>,
        session: SessionId,
        agent_session: Option<&String>,
    ) {
        if agent_session.is_some() {
            self.rows.sessions.change(&session, |row| row.agent_session = agent_session.cloned());
        }
        if self.facts.sessions.get(&session).is_some_and(|facts| facts.base == SessionState::Starting) {
            self.set_session_state(moment, session, SessionState::Active);
        }
    }

    pub(crate) fn apply_session_parked(
        &mut self,
        moment: EventMoment<'_>,
        session: SessionId,
        mode: ParkMode,
    ) {
        self.rows.sessions.change(&session, |row| row.park = Some(mode));
        self.set_session_state(moment, session, SessionState::Parked);
    }

    pub(crate) fn apply_session_woken(&mut self, moment: EventMoment<'_>, session: SessionId) {
        self.rows.sessions.change(&session, |row| row.park = None);
        self.set_session_state(moment, session, SessionState::Active);
    }

    pub(crate) fn apply_session_dismissed(&mut self, moment: EventMoment<'_>, session: SessionId) {
        self.rows.sessions.change(&session, |row| row.dismissed = true);
        // A session without an agent has no process that could report its end.
        if self.rows.sessions.get(&session).is_some_and(|row| row.agent.is_none()) {
            self.end_session(moment, session, SessionState::Ended);
        }
    }

    pub(crate) fn apply_session_stop_requested(&mut self, moment: EventMoment<'_>, session: SessionId) {
        self.rows.sessions.change(&session, |row| {
            (row.stop_requested_at, row.stop_error) = (Some(moment.at), None);
        });
    }

    pub(crate) fn apply_session_stop_finished(&mut self, session: SessionId, error: Option<&String>) {
        self.rows.sessions.change(&session, |row| {
            (row.stop_requested_at, row.stop_error) = (None, error.cloned());
        });
    }

    pub(crate) fn apply_session_ended(
        &mut self,
        moment: EventMoment<'_>,
        session: SessionId,
        exit_status: Option<i32>,
    ) {
        self.rows.sessions.change(&session, |row| row.exit_status = exit_status);
        self.end_session(moment, session, SessionState::Ended);
    }

    pub(crate) fn apply_session_lost(&mut self, moment: EventMoment<'_>, session: SessionId, reason: &str) {
        self.rows.sessions.change(&session, |row| row.lost_reason = Some(reason.to_owned()));
        self.end_session(moment, session, SessionState::Lost);
    }

    pub(crate) fn set_session_task(&mut self, session: SessionId, task: &TaskId) {
        self.rows.sessions.change(&session, |row| row.task = Some(task.clone()));
    }

    /// Sets whether a session waits for an item.
    pub(super) fn set_session_waiting(
        &mut self,
        moment: EventMoment<'_>,
        session: SessionId,
        item: InboxItem,
        waits: bool,
    ) {
        let Some(facts) = self.facts.sessions.get_mut(&session) else { return };
        if waits {
            facts.waits.insert(item)
        } else {
            facts.waits.remove(&item)
        };
        self.update_session_state(moment, session);
    }

    /// Returns the current or last task of a session.
    pub(super) fn task_of_session(&self, session: SessionId) -> Option<TaskId> {
        self.rows.sessions.get(&session).and_then(|row| row.task.clone())
    }

    fn end_session(&mut self, moment: EventMoment<'_>, session: SessionId, state: SessionState) {
        let Some(row) = self.rows.sessions.get(&session) else { return };
        if let (None, Some(agent)) = (row.ended_at, &row.agent) {
            self.rows.agents.change(agent, |row| row.n_sessions = row.n_sessions.saturating_sub(1));
        }
        self.rows.sessions.change(&session, |row| {
            (row.park, row.ended_at) = (None, Some(moment.at));
            row.stop_requested_at = None;
        });
        self.set_session_state(moment, session, state);
    }

    fn set_session_state(&mut self, moment: EventMoment<'_>, session: SessionId, base: SessionState) {
        let Some(facts) = self.facts.sessions.get_mut(&session) else { return };
        facts.base = base;
        self.update_session_state(moment, session);
    }

    fn update_session_state(&mut self, moment: EventMoment<'_>, session: SessionId) {
        let Some(facts) = self.facts.sessions.get(&session) else { return };
        let waits = facts.base == SessionState::Active && !facts.waits.is_empty();
        let state = if waits { SessionState::WaitingInput } else { facts.base };
        if self.rows.sessions.get(&session).is_some_and(|row| row.state != state) {
            let since = moment.at;
            self.rows.sessions.change(&session, |row| (row.state, row.state_since_at) = (state, since));
        }
    }
}
