//! The trace of a run: a line for each command, event and crash.

use domain::{RecordedEvent, RunInput};
use engine::Rejection;

/// Longer lines are cut.
const LINE_CHARS_MAX: usize = 260;

/// The lines so far, if the trace is on.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    lines: Option<Vec<String>>,
}

impl Trace {
    /// Returns a trace that stores nothing.
    pub(crate) fn disabled() -> Self {
        Self { lines: None }
    }

    /// Returns a trace that stores all lines.
    pub(crate) fn enabled() -> Self {
        Self { lines: Some(Vec::new()) }
    }

    /// Adds a line for an input.
    pub(crate) fn add_input(&mut self, step: u64, elapsed_ms: i64, input: &RunInput) {
        self.add_line(|| {
            let seconds = elapsed_ms / 1_000;
            let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
            format!("{step:>5} {hours:02}:{minutes:02}:{seconds:02}  {}  {input:?}", input.actor())
        });
    }

    /// Adds a line for a refused input.
    pub(crate) fn add_refusal(&mut self, rejection: &Rejection) {
        self.add_line(|| format!("        refused: {rejection}"));
    }

    /// Adds a line for each event.
    pub(crate) fn add_events(&mut self, events: &[RecordedEvent]) {
        for recorded in events {
            self.add_line(|| format!("        {:>4} {:?}", recorded.sequence.0, recorded.event));
        }
    }

    /// Adds a line for anything else.
    pub(crate) fn add_note(&mut self, note: &str) {
        self.add_line(|| format!("        -- {note}"));
    }

    /// Returns all lines of the trace.
    pub(crate) fn into_lines(self) -> Vec<String> {
        self.lines.unwrap_or_default()
    }

    fn add_line(&mut self, line: impl FnOnce() -> String) {
        if let Some(lines) = &mut self.lines {
            let line = line();
            let cut = line.char_indices().nth(LINE_CHARS_MAX).map_or(line.len(), |(at, _)| at);
            lines.push(line.get(..cut).unwrap_or_default().to_owned());
        }
    }
}
