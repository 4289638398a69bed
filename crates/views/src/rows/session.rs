//! A session: a living agent process, or a level of the tree that Jangdan plays itself.

use std::collections::BTreeSet;

use domain::{AgentName, ParkMode, PhaseNumber, Role, SessionId, TaskId, Timestamp};
use serde::{Deserialize, Serialize};

use super::{InboxItem, UsageTotals};
use crate::{RowKind, RowSessions, TableRow, Views, facts::SessionFacts, views::EventMoment};

/// One session of the tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionRow {
    /// The session.
    pub id: SessionId,
    /// The one above it.
    pub parent: Option<SessionId>,
    /// How deep it is in the tree: 0 build, 1 operator, 2 worker.
    pub depth: u32,
    /// What it is there for.
    pub role: Role,
    /// Who it is; none where Jangdan plays it.
    pub agent: Option<AgentName>,
    /// How it stands.
    pub state: SessionState,
    /// How it waits, where it is parked.
    pub park: Option<ParkMode>,
    /// Since when it stands so.
    pub state_since_at: Timestamp,
    /// The task it works at, or did last.
    pub task: Option<TaskId>,
    /// The phase it leads or judges.
    pub phase: Option<PhaseNumber>,
    /// The session whose memory it took over.
    pub resumes: Option<SessionId>,
    /// The agent's own session id.
    pub agent_session: Option<String>,
    /// Whether it was told to end.
    pub dismissed: bool,
    /// Its exit status, when it ended.
    pub exit_status: Option<i32>,
    /// What is known, where it was lost.
    pub lost_reason: Option<String>,
    /// What was used.
    pub used: UsageTotals,
    /// The model that it said it uses.
    pub model: Option<String>,
    /// How full its context window is, from 0 to 1000.
    pub context_permille: Option<u32>,
    /// When it was opened.
    pub started_at: Timestamp,
    /// When it was over.
    pub ended_at: Option<Timestamp>,
}

/// How a session stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum SessionState {
    /// Its process is to come.
    Starting,
    /// Its process is there.
    Active,
    /// It asked something, and waits for the answer.
    WaitingInput,
    /// It waits at less cost.
    Parked,
    /// Its process ended.
    Ended,
    /// Its process is gone, nobody knows how.
    Lost,
}

/// What a session is when it is opened.
pub struct SessionOpening<'a> {
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

    fn write_key(key: &SessionId) -> String {
        key.to_string()
    }

    fn sessions(&self) -> RowSessions {
        [Some(self.id), None]
    }
}

impl Views {
    pub(crate) fn session_opened(&mut self, moment: EventMoment<'_>, opened: &SessionOpening<'_>) {
        // A level without an agent has no process to wait for.
        let state = if opened.agent.is_some() { SessionState::Starting } else { SessionState::Active };
        self.facts.sessions.insert(opened.session, SessionFacts { base: state, waits: BTreeSet::new() });
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
        });
        if let Some(agent) = opened.agent {
            self.rows.agents.change(agent, |row| row.n_sessions += 1);
        }
    }

    pub(crate) fn session_activated(
        &mut self,
        moment: EventMoment<'_>,
        session: SessionId,
        own: Option<&String>,
    ) {
        if own.is_some() {
            self.rows.sessions.change(&session, |row| row.agent_session = own.cloned());
        }
        if self.facts.sessions.get(&session).is_some_and(|facts| facts.base == SessionState::Starting) {
            self.set_session_state(moment, session, SessionState::Active);
        }
    }

    pub(crate) fn session_parked(&mut self, moment: EventMoment<'_>, session: SessionId, mode: ParkMode) {
        self.rows.sessions.change(&session, |row| row.park = Some(mode));
        self.set_session_state(moment, session, SessionState::Parked);
    }

    pub(crate) fn session_woken(&mut self, moment: EventMoment<'_>, session: SessionId) {
        self.rows.sessions.change(&session, |row| row.park = None);
        self.set_session_state(moment, session, SessionState::Active);
    }

    pub(crate) fn session_dismissed(&mut self, moment: EventMoment<'_>, session: SessionId) {
        self.rows.sessions.change(&session, |row| row.dismissed = true);
        // A level without an agent has no process whose end could be reported.
        if self.rows.sessions.get(&session).is_some_and(|row| row.agent.is_none()) {
            self.end_session(moment, session, SessionState::Ended);
        }
    }

    pub(crate) fn session_ended(
        &mut self,
        moment: EventMoment<'_>,
        session: SessionId,
        exit_status: Option<i32>,
    ) {
        self.rows.sessions.change(&session, |row| row.exit_status = exit_status);
        self.end_session(moment, session, SessionState::Ended);
    }

    pub(crate) fn session_lost(&mut self, moment: EventMoment<'_>, session: SessionId, reason: &str) {
        self.rows.sessions.change(&session, |row| row.lost_reason = Some(reason.to_owned()));
        self.end_session(moment, session, SessionState::Lost);
    }

    pub(crate) fn session_works_at(&mut self, session: SessionId, task: &TaskId) {
        self.rows.sessions.change(&session, |row| row.task = Some(task.clone()));
    }

    /// Says that a session waits for something, or no longer does.
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

    /// Returns the task that a session works at.
    pub(super) fn task_of(&self, session: SessionId) -> Option<TaskId> {
        self.rows.sessions.get(&session).and_then(|row| row.task.clone())
    }

    fn end_session(&mut self, moment: EventMoment<'_>, session: SessionId, state: SessionState) {
        let Some(row) = self.rows.sessions.get(&session) else { return };
        if let (None, Some(agent)) = (row.ended_at, &row.agent) {
            self.rows.agents.change(agent, |row| row.n_sessions = row.n_sessions.saturating_sub(1));
        }
        self.rows.sessions.change(&session, |row| (row.park, row.ended_at) = (None, Some(moment.at)));
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
