//! What goes over the line, beside rows: the bodies of requests and answers, read and written by both ends.

use std::path::PathBuf;

use domain::{Command, RunId, Sequence, Timestamp};
use runtime::AfterStop;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use views::InboxRow;

/// Who serves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// The version of Jangdan.
    pub version: String,
    /// The process.
    pub pid: u32,
    /// Since when, in milliseconds since 1970.
    #[schema(value_type = i64)]
    pub started_at: Timestamp,
    /// The data directory.
    #[schema(value_type = String)]
    pub data: PathBuf,
    /// Where browsers find it; none where it listens on its socket alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "http://127.0.0.1:7707")]
    pub address: Option<String>,
}

/// A run that has begun.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Started {
    /// Its name.
    #[schema(value_type = String, example = "r7k2m9")]
    pub run: RunId,
}

/// What a person wishes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Wish {
    /// Who.
    #[schema(example = "ana")]
    pub person: String,
    /// What: the name of the wish alone, or with what it is about.
    #[schema(value_type = Object, example = json!({"pauseTask": "T1.2"}))]
    pub wish: Command,
}

/// A wish that came true.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Accepted {
    /// The place of its last event in the run.
    #[schema(value_type = u64)]
    pub sequence: Sequence,
}

/// What waits for the person, and in which run: a row of the inbox with the run beside it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InboxItem {
    /// The run.
    pub run: RunId,
    /// What waits. It stands in the same object, so that a row looks the same wherever it is.
    #[serde(flatten)]
    pub row: InboxRow,
}

/// How the server is to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StopWish {
    /// What becomes of the agents: `leave` lets them work on, `end` ends their processes.
    #[schema(value_type = String, example = "leave")]
    pub agents: AfterStop,
}
