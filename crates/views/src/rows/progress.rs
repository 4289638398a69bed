//! How far a session is with its task, as its agent says. Never guessed from time.

use domain::{ProgressMessage, SessionId, TaskId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{RowKind, RowSessions, TableRow, Views, views::EventMoment};

/// How far a session is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ProgressRow {
    /// The session.
    pub session_id: SessionId,
    /// The task it works at.
    pub task_id: Option<TaskId>,
    /// How much is done, from 0 to 1; none where the agent does not know.
    pub progress: Option<f64>,
    /// What is being done.
    pub current_task: Option<String>,
    /// How many steps it said are done.
    pub steps_done: u32,
    /// The tokens that the session used.
    pub tokens_used: u64,
    /// When one of these was said or reported.
    pub updated_at: Timestamp,
}

impl TableRow for ProgressRow {
    type Key = SessionId;
    const KIND: RowKind = RowKind::Progress;

    fn key(&self) -> SessionId {
        self.session_id
    }

    fn write_key(key: &SessionId) -> String {
        key.to_string()
    }

    fn sessions(&self) -> RowSessions {
        [Some(self.session_id), None]
    }
}

impl Views {
    pub(crate) fn progress_reported(
        &mut self,
        moment: EventMoment<'_>,
        session: SessionId,
        said: &ProgressMessage,
    ) {
        let progress = said.progress.filter(|part| part.is_finite()).map(|part| part.clamp(0.0, 1.0));
        self.change_progress(moment, session, |row| {
            (row.progress, row.current_task) = (progress, said.task.clone());
        });
        let Some(task) = self.task_of(session) else { return };
        self.rows.tasks.change(&task, |row| {
            row.progress = progress;
            if said.task.is_some() {
                row.step = said.task.clone();
            }
        });
    }

    pub(crate) fn step_completed(&mut self, moment: EventMoment<'_>, session: SessionId) {
        self.change_progress(moment, session, |row| row.steps_done = row.steps_done.saturating_add(1));
    }

    /// Shows what a session used; only one that works at a task has progress.
    pub(super) fn update_progress_usage(&mut self, moment: EventMoment<'_>, session: SessionId) {
        if self.task_of(session).is_some() {
            self.change_progress(moment, session, |_| ());
        }
    }

    fn change_progress(
        &mut self,
        moment: EventMoment<'_>,
        session: SessionId,
        change: impl FnOnce(&mut ProgressRow),
    ) {
        let Some(of) = self.rows.sessions.get(&session) else { return };
        let (task, tokens_used) = (of.task.clone(), of.used.tokens);
        let mut row = self.rows.progress.get(&session).cloned().unwrap_or(ProgressRow {
            session_id: session,
            task_id: None,
            progress: None,
            current_task: None,
            steps_done: 0,
            tokens_used: 0,
            updated_at: moment.at,
        });
        (row.task_id, row.tokens_used, row.updated_at) = (task, tokens_used, moment.at);
        change(&mut row);
        self.rows.progress.put(row);
    }
}
