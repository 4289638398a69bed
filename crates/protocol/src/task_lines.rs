//! The lines after `TASK_ID:`.

use domain::StartTaskMessage;

use crate::{decoration::LinePrefix, tag::truncate_value};

/// A TASK message and its WORKTREE and META so far.
#[derive(Debug)]
pub(crate) struct TaskLines {
    request: StartTaskMessage,
    error: Option<String>,
    has_meta: bool,
}

impl TaskLines {
    pub(crate) fn new(request: StartTaskMessage) -> Self {
        Self { request, error: None, has_meta: false }
    }

    /// Appends a line of the TASK; returns `false` for any other line.
    pub(crate) fn accept_line(&mut self, line: &str, too_long: bool) -> bool {
        if self.has_meta {
            return false;
        }
        if let Some(path) = line.strip_prefix("WORKTREE:").map(str::trim)
            && self.request.worktree.is_none()
            && !path.is_empty()
        {
            self.request.worktree = Some(path.to_owned());
        } else if let Some(meta) = line.strip_prefix("META:").map(str::trim) {
            self.has_meta = true;
            match serde_json::from_str(meta) {
                Ok(meta) => self.request.meta = Some(meta),
                Err(_) => {
                    self.error = Some(format!(
                        "invalid value '{}' for field 'meta': expected a JSON object",
                        truncate_value(meta)
                    ));
                }
            }
        } else {
            return false;
        }
        if too_long {
            self.error = Some("a line longer than 64 KiB".to_owned());
        }
        true
    }

    pub(crate) fn finish(self) -> Result<StartTaskMessage, String> {
        match self.error {
            None => Ok(self.request),
            Some(error) => Err(error),
        }
    }
}

/// Returns a line without its decoration.
pub(crate) fn without_decoration<'t>(line: &'t str, prefix: &LinePrefix) -> &'t str {
    prefix.strip_right_border(line).get(prefix.end..).unwrap_or_default().trim_end()
}
