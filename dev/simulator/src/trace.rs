//! What happened in a run, in lines for people.

use domain::{Actor, Command, RecordedEvent};
use engine::Rejection;

/// A longer line tells no more.
const LINE_CHARS_MAX: usize = 260;

/// The lines, where somebody wants them.
#[derive(Debug, Default)]
pub struct Trace {
    lines: Option<Vec<String>>,
}

impl Trace {
    /// Writes nothing down.
    pub fn none() -> Self {
        Self { lines: None }
    }

    /// Writes all down.
    pub fn all() -> Self {
        Self { lines: Some(Vec::new()) }
    }

    /// Somebody wishes.
    pub fn wish(&mut self, step: u64, elapsed_ms: i64, actor: &Actor, command: &Command) {
        self.line(|| {
            let seconds = elapsed_ms / 1_000;
            let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
            format!("{step:>5} {hours:02}:{minutes:02}:{seconds:02}  {actor}  {command:?}")
        });
    }

    /// It was refused.
    pub fn refusal(&mut self, rejection: &Rejection) {
        self.line(|| format!("        refused: {rejection}"));
    }

    /// This came of it.
    pub fn events(&mut self, events: &[RecordedEvent]) {
        for recorded in events {
            self.line(|| format!("        {:>4} {:?}", recorded.sequence.0, recorded.event));
        }
    }

    /// Something else happened.
    pub fn note(&mut self, note: &str) {
        self.line(|| format!("        -- {note}"));
    }

    /// Returns the lines.
    pub fn into_lines(self) -> Vec<String> {
        self.lines.unwrap_or_default()
    }

    fn line(&mut self, line: impl FnOnce() -> String) {
        if let Some(lines) = &mut self.lines {
            let line = line();
            let cut = line.char_indices().nth(LINE_CHARS_MAX).map_or(line.len(), |(at, _)| at);
            lines.push(line.get(..cut).unwrap_or_default().to_owned());
        }
    }
}
