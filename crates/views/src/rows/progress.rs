//! Progress of sessions, as agents report it; never estimated from time.

use domain::{ProgressMessage, SessionId, TaskId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{RowKind, RowSessions, TableRow, Views, views::EventMoment};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ProgressRow {
    pub session_id: SessionId,
    pub task_id: Option<TaskId>,
    /// From 0 to 1; `None` if the agent does not report it.
    pub progress: Option<f64>,
    /// The current step.
    pub current_task: Option<String>,
    /// Number of steps that the agent reported as complete.
    pub steps_done: u32,
    pub tokens_used: u64,
    pub updated_at: Timestamp,
}

impl TableRow for ProgressRow {
    type Key = SessionId;
    const KIND: RowKind = RowKind::Progress;

    fn key(&self) -> SessionId {
        self.session_id
    }

    fn key_to_text(key: &SessionId) -> String {
        key.to_string()
    }

    fn sessions(&self) -> RowSessions {
        [Some(self.session_id), None]
    }
}

impl Views {
    pub(crate) fn apply_progress_reported(
        &mut self,
        moment: EventMoment<'_>,
        session: SessionId,
        message: &ProgressMessage,
    ) {
        let progress = message.progress.filter(|part| part.is_finite()).map(|part| part.clamp(0.0, 1.0));
        self.change_progress(moment, session, |row| {
            (row.progress, row.current_task) = (progress, message.task.clone());
        });
        let Some(task) = self.task_of_session(session) else { return };
        self.rows.tasks.change(&task, |row| {
            row.progress = progress;
            if message.task.is_some() {
                row.step = message.task.clone();
            }
        });
    }

    pub(crate) fn apply_step_completed(&mut self, moment: EventMoment<'_>, session: SessionId) {
        self.change_progress(moment, session, |row| row.steps_done = row.steps_done.saturating_add(1));
    }

    /// Updates the usage in the progress; only sessions with a task have progress.
    pub(super) fn update_progress_usage(&mut self, moment: EventMoment<'_>, session: SessionId) {
        if self.task_of_session(session).is_some() {
            self.change_progress(moment, session, |_| ());
        }
    }

    fn change_progress(
        &mut self,
        moment: EventMoment<'_>,
        session: SessionId,
        change: impl FnOnce(&mut ProgressRow),
    ) {
        let Some(row) = self.rows.sessions.get(&session) else { return };
        let (task, tokens_used) = (row.task.clone(), row.used.tokens);
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
