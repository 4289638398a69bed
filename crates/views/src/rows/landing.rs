//! Landings that a user requested: the work of the run in a branch, or why not.

use domain::{Actor, LandReport, LandingId, Sequence, Timestamp, events};
use serde::{Deserialize, Serialize};

use crate::{RowKind, TableRow, Views, views::EventMoment};

/// A request to bring the work of the run into a branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct LandingRow {
    pub id: LandingId,
    /// Sequence number of the request in the run.
    pub sequence: Sequence,
    pub requested_by: Actor,
    pub requested_at: Timestamp,
    /// Whether unapproved phases are included.
    pub all: bool,
    /// Target branch, if not the one that the run started from.
    pub into: Option<String>,
    pub squash: bool,
    /// The result; `None` while it is in progress.
    pub report: Option<LandReport>,
    pub finished_at: Option<Timestamp>,
}

impl TableRow for LandingRow {
    type Key = LandingId;
    const KIND: RowKind = RowKind::Landing;

    fn key(&self) -> LandingId {
        self.id
    }

    fn key_to_text(key: &LandingId) -> String {
        key.to_string()
    }
}

impl Views {
    pub(crate) fn apply_landing_requested(
        &mut self,
        moment: EventMoment<'_>,
        event: &events::LandingRequested,
    ) {
        self.rows.landings.put(LandingRow {
            id: event.landing,
            sequence: moment.sequence,
            requested_by: moment.actor.clone(),
            requested_at: moment.at,
            all: event.all,
            into: event.into.clone(),
            squash: event.squash,
            report: None,
            finished_at: None,
        });
    }

    pub(crate) fn apply_landing_finished(
        &mut self,
        moment: EventMoment<'_>,
        event: &events::LandingFinished,
    ) {
        self.rows.landings.change(&event.landing, |row| {
            row.report = Some((*event.report).clone());
            row.finished_at = Some(moment.at);
        });
    }
}
