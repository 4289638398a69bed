//! Sends a session its inputs, each in the agent's form and language.

use std::fs;

use domain::{Command, InputNumber, Locale, SessionInput};
use drivers::{
    AgentInput, SendError,
    input_text::{self, InputContext},
    preset::InputFormat,
};
use protocol::prompts::{PreambleOptions, TaskPrompt, preamble};
use sessions::{RefusedInput, SentInput, SessionEntry};

use super::{Next, QueuedInput, SessionWorker, begin_turn};
use crate::world::process::{Process, ProcessError, Seat};

impl SessionWorker {
    /// Sends the inputs that the agent is ready for, in order.
    pub(super) fn send_inputs(&mut self, process: &mut Process) -> Result<Option<Next>, ProcessError> {
        loop {
            let renderer = InputRenderer {
                seat: &self.seat,
                locale: self.locale,
                template: self.site.outfit.template.as_deref(),
                replay: self.replay.as_deref().filter(|_| !process.remembers),
                found: &process.found,
                was_told: process.was_told,
            };
            let sent = self.inputs.send_next(&mut process.living, |number, queued, refused| {
                renderer.render(number, queued, refused)
            })?;
            let Some(SentInput { number, queued, written, reports }) = sent else { return Ok(None) };
            if let Some(input) = written {
                process.was_told = true;
                if matches!(input, AgentInput::Prompt { .. }) {
                    begin_turn(&self.site, &self.seat);
                }
                if !process.remembers {
                    self.replay = None;
                }
                self.told.push((number, queued));
            }
            if let Some(next) = self.see_all(reports, process)? {
                return Ok(Some(next));
            }
        }
    }

    pub(super) fn typed(&self, input: InputNumber) {
        self.site.report(Command::ReportInputSent { session: self.seat.session, input });
    }
}

/// Renders inputs for one process of a session.
struct InputRenderer<'a> {
    seat: &'a Seat,
    locale: Locale,
    /// The project's own template of a task's prompt.
    template: Option<&'a str>,
    /// The task to repeat before the next prompt, for an agent that does not remember it.
    replay: Option<&'a TaskPrompt>,
    found: &'a SessionEntry,
    /// Whether the process was sent an input before.
    was_told: bool,
}

impl InputRenderer<'_> {
    fn render(
        &self,
        number: InputNumber,
        queued: &QueuedInput,
        refused: Option<RefusedInput>,
    ) -> Result<Option<AgentInput>, ProcessError> {
        let Some(RefusedInput { input, reason }) = refused else {
            let brief = queued.brief.as_deref().map(|brief| self.in_worktree(brief));
            let input = input_text::render_input(&queued.input, self.listener(brief.as_ref()));
            return Ok(Some(self.introduced(input, number, queued)));
        };
        match reason {
            // The process that asked has ended, and this one replaces it.
            SendError::UnknownPrompt { .. } if !self.was_told => {
                let late = input_text::render_late_answer(&queued.input, self.listener(None));
                Ok(Some(self.introduced(late, number, queued)))
            }
            SendError::UnknownPrompt { .. } => Ok(None),
            SendError::TooLong { .. } => {
                let path = self.write_file(&input, number)?;
                Ok(Some(input_text::render_file_reference(&path, self.listener(None))))
            }
            SendError::NotReady => Ok(Some(input)),
        }
    }

    /// Puts before a prompt what the agent must know to understand it.
    fn introduced(&self, input: AgentInput, number: InputNumber, queued: &QueuedInput) -> AgentInput {
        let AgentInput::Prompt { text } = input else { return input };
        let begins = matches!(*queued.input, SessionInput::Task { .. });
        let form = self.seat.preset.form;
        let before = match (self.replay, begins || number > 1 || form == InputFormat::Json) {
            (Some(replay), _) => self.repeat(replay),
            (None, true) => return AgentInput::Prompt { text },
            (None, false) => self.preamble(),
        };
        let between = match form {
            InputFormat::Text => "\n\n",
            InputFormat::Json => "\n",
        };
        AgentInput::Prompt { text: format!("{before}{between}{text}") }
    }

    /// Returns the prompt of the task, for an agent that does not remember it.
    fn repeat(&self, replay: &TaskPrompt) -> String {
        let brief = self.in_worktree(replay);
        let input =
            SessionInput::Task { task: brief.task_id.clone(), attempt: 1, hint: None, carried: Vec::new() };
        match input_text::render_input(&input, self.listener(Some(&brief))) {
            AgentInput::Prompt { text } => text,
            AgentInput::Permission { .. } | AgentInput::Answer { .. } | AgentInput::Interrupt => {
                String::new()
            }
        }
    }

    fn in_worktree(&self, brief: &TaskPrompt) -> TaskPrompt {
        TaskPrompt {
            worktree: Some(self.seat.place.to_string_lossy().into_owned()),
            preamble: Some(self.preamble()),
            ..brief.clone()
        }
    }

    fn preamble(&self) -> String {
        preamble(PreambleOptions {
            role: self.seat.role,
            locale: self.locale,
            key: &self.found.metadata.key,
            task: self.seat.task.as_ref(),
        })
    }

    fn listener<'a>(&'a self, brief: Option<&'a TaskPrompt>) -> InputContext<'a> {
        InputContext {
            locale: self.locale,
            format: self.seat.preset.form,
            key: Some(&self.found.metadata.key),
            task: self.seat.task.as_ref(),
            brief,
            template: self.template,
        }
    }

    /// Writes an input that is too long for a terminal into a file that the agent can read.
    fn write_file(&self, input: &AgentInput, number: InputNumber) -> Result<String, ProcessError> {
        let text = match input {
            AgentInput::Prompt { text } | AgentInput::Answer { answer: text, .. } => text.as_str(),
            AgentInput::Permission { .. } | AgentInput::Interrupt => "",
        };
        let path = self.found.directory.join(format!("input-{number}.md"));
        fs::write(&path, text).map_err(|source| ProcessError::Io {
            action: "write",
            path: path.clone(),
            source,
        })?;
        Ok(path.to_string_lossy().into_owned())
    }
}
