//! Sends inputs to a session, in the form and language of its agent.

use std::{error::Error, fs, io, path::PathBuf};

use domain::{AgentProtocol, InputNumber, LargeFile, Locale, Report, SessionInput};
use drivers::{
    AgentInput, SendError,
    input_text::{self, InputBrief, InputContext},
    preset::InputEncoding,
};
use engine::TaskBrief;
use protocol::prompts::{PreambleOptions, TaskPrompt, WorkDirectory, preamble};
use sessions::{DequeuedInput, RefusedInput, SessionEntry};
use tracing::warn;

use super::{NextState, QueuedInput, SessionWorker, briefs::BriefWriter};
use crate::{
    error_chain::error_chain,
    executor::process::{Process, ProcessError, SessionSpec},
};

impl SessionWorker {
    /// Sends the inputs that the agent is ready for, in order.
    pub(super) fn send_inputs(&mut self, process: &mut Process) -> Result<Option<NextState>, ProcessError> {
        loop {
            let renderer = InputRenderer {
                spec: &self.spec,
                locale: self.locale,
                briefs: BriefWriter { git: self.context.git.as_ref(), locale: self.locale },
                template: self.context.environment.template.as_deref(),
                replay: self.replay.as_deref().filter(|_| !process.is_resumed),
                entry: &process.entry,
                has_input: process.has_input,
            };
            let sent = self.inputs.send_next(&mut process.session, |number, queued, refused| {
                renderer.render(number, queued, refused)
            })?;
            let Some(DequeuedInput { number, queued, written, reports }) = sent else { return Ok(None) };
            if let Some(input) = written {
                process.has_input = true;
                self.is_in_turn = true;
                if !process.is_resumed {
                    self.replay = None;
                }
                if let Some(text) = input_text_without_key(&input, &process.entry) {
                    self.unreported_texts.insert(number, text);
                }
                self.sent.push((number, queued));
            }
            if let Some(next) = self.handle_reports(reports, process)? {
                return Ok(Some(next));
            }
        }
    }

    /// Queues an input. The tree before it is saved first, because the agent may change files as soon as it is sent.
    pub(super) fn queue_input(
        &mut self,
        number: InputNumber,
        queued: QueuedInput,
    ) -> Result<(), ProcessError> {
        if let Some(large_files) = &queued.tree_report {
            self.save_tree_before(number, large_files);
        }
        Ok(self.inputs.push(number, queued)?)
    }

    pub(super) fn report_sent(&mut self, input: InputNumber) {
        let (session, text) = (self.spec.session, self.unreported_texts.remove(&input));
        // A killed server may have saved it.
        let path = self.tree_file(input);
        let tree = match fs::read_to_string(&path) {
            Ok(tree) => Some(tree),
            // It is saved only if the run asks for it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                warn!(path = %path.display(), error = &error as &dyn Error, "cannot read the tree before an input");
                None
            }
        };
        self.context.report_to_run_loop(Report::InputSent { session, input, text, tree });
    }

    /// Saves the tree of the task's worktree, unless a killed server did. Without it, changes are not known as evidence.
    fn save_tree_before(&self, input: InputNumber, large_files: &[LargeFile]) {
        let (Some(git), Some(task), path) = (&self.context.git, &self.spec.task, self.tree_file(input))
        else {
            return;
        };
        if path.exists() {
            return;
        }
        let snapshot = git.snapshot_worktree(task, &format!("before input {input}"), large_files);
        let saved = snapshot
            .map_err(|error| error_chain(&error))
            .and_then(|snapshot| fs::write(&path, snapshot.tree).map_err(|error| error.to_string()));
        if let Err(error) = saved {
            warn!(%task, input, error, "cannot save the tree before an input");
        }
    }

    fn tree_file(&self, input: InputNumber) -> PathBuf {
        let folder = self.context.host.run_folder(&self.context.run);
        folder.join(format!("tree-before-{}-{input}", self.spec.session))
    }
}

/// Returns the text of an input as the agent received it. The session's key is left out: it must not be in the log.
fn input_text_without_key(input: &AgentInput, entry: &SessionEntry) -> Option<String> {
    match input {
        AgentInput::Prompt { text } | AgentInput::Answer { answer: text, .. } => {
            Some(text.replace(entry.metadata.key.as_str(), "KEY"))
        }
        AgentInput::Permission { .. } | AgentInput::Interrupt => None,
    }
}

/// Renders inputs for one process of a session.
struct InputRenderer<'a> {
    spec: &'a SessionSpec,
    locale: Locale,
    briefs: BriefWriter<'a>,
    /// The project's own template of a task's prompt.
    template: Option<&'a str>,
    /// The task to repeat before the next prompt, for an agent that does not remember it.
    replay: Option<&'a TaskBrief>,
    entry: &'a SessionEntry,
    /// Whether the process was sent an input before.
    has_input: bool,
}

impl InputRenderer<'_> {
    fn render(
        &self,
        number: InputNumber,
        queued: &QueuedInput,
        refused: Option<RefusedInput>,
    ) -> Result<Option<AgentInput>, ProcessError> {
        let Some(RefusedInput { input, reason }) = refused else {
            let brief = queued.brief.as_deref();
            let brief = brief.and_then(|brief| self.briefs.input_brief(brief, &queued.input));
            let brief = brief.map(|brief| self.with_directory(brief));
            let input = input_text::render_input(&queued.input, self.input_context(brief.as_ref()));
            return Ok(Some(self.with_introduction(input, number, queued)));
        };
        match reason {
            // The process that asked has ended, and this one replaces it.
            SendError::UnknownPrompt { .. } if !self.has_input => {
                let late = input_text::render_late_answer(&queued.input, self.input_context(None));
                Ok(Some(self.with_introduction(late, number, queued)))
            }
            SendError::UnknownPrompt { .. } => Ok(None),
            SendError::TooLong { .. } => {
                let path = self.write_input_file(&input, number)?;
                Ok(Some(input_text::render_file_reference(&path, self.input_context(None))))
            }
            SendError::NotReady => Ok(Some(input)),
        }
    }

    /// Adds what the agent must know before a prompt: the preamble, or the task if it did not resume its conversation.
    fn with_introduction(&self, input: AgentInput, number: InputNumber, queued: &QueuedInput) -> AgentInput {
        let AgentInput::Prompt { text } = input else { return input };
        let starts_task = matches!(*queued.input, SessionInput::Task { .. });
        let form = self.spec.preset.form;
        let introduction = match (self.replay, starts_task || number > 1 || form == InputEncoding::Json) {
            (Some(replay), _) => self.render_repeated_task(replay),
            (None, true) => return AgentInput::Prompt { text },
            (None, false) => match self.preamble() {
                Some(preamble) => preamble,
                None => return AgentInput::Prompt { text },
            },
        };
        AgentInput::Prompt { text: input_text::with_preamble(&introduction, &text, form) }
    }

    /// Returns the prompt of the task, for an agent that does not remember it.
    fn render_repeated_task(&self, replay: &TaskBrief) -> String {
        let brief = self.with_directory(InputBrief::Task(Box::new(self.briefs.task_prompt(replay))));
        let input = SessionInput::Task {
            task: replay.task.clone(),
            attempt: 1,
            hint: None,
            earlier: Vec::new(),
            carried: Vec::new(),
        };
        match input_text::render_input(&input, self.input_context(Some(&brief))) {
            AgentInput::Prompt { text } => text,
            AgentInput::Permission { .. } | AgentInput::Answer { .. } | AgentInput::Interrupt => {
                String::new()
            }
        }
    }

    /// Adds to the prompt of a task what depends on the session.
    fn with_directory(&self, brief: InputBrief) -> InputBrief {
        match brief {
            InputBrief::Task(task) => InputBrief::Task(Box::new(TaskPrompt {
                directory: Some(WorkDirectory {
                    path: self.spec.directory.to_string_lossy().into_owned(),
                    is_worktree: self.briefs.git.is_some(),
                }),
                preamble: self.preamble(),
                ..*task
            })),
            InputBrief::Test(_) | InputBrief::Verify(_) | InputBrief::Conflict(_) => brief,
        }
    }

    /// Returns the description of the protocol; `None` for a program that does not know it.
    fn preamble(&self) -> Option<String> {
        match self.spec.preset.protocol {
            AgentProtocol::Text => {}
            AgentProtocol::None => return None,
        }
        Some(preamble(PreambleOptions {
            role: self.spec.role,
            locale: self.locale,
            key: &self.entry.metadata.key,
            task: self.spec.task.as_ref(),
            project: &self.spec.project,
            phase: self.spec.phase.as_ref().map(|(phase, title)| (*phase, title.as_str())),
            team: &self.spec.team,
        }))
    }

    fn input_context<'a>(&'a self, brief: Option<&'a InputBrief>) -> InputContext<'a> {
        InputContext {
            role: self.spec.role,
            locale: self.locale,
            format: self.spec.preset.form,
            key: Some(&self.entry.metadata.key),
            task: self.spec.task.as_ref(),
            brief,
            template: self.template,
        }
    }

    /// Writes an input that is too long for a terminal into a file that the agent can read.
    fn write_input_file(&self, input: &AgentInput, number: InputNumber) -> Result<String, ProcessError> {
        let text = match input {
            AgentInput::Prompt { text } | AgentInput::Answer { answer: text, .. } => text.as_str(),
            AgentInput::Permission { .. } | AgentInput::Interrupt => "",
        };
        let path = self.entry.directory.join(format!("input-{number}.md"));
        fs::write(&path, text).map_err(|source| ProcessError::Io {
            action: "write",
            path: path.clone(),
            source,
        })?;
        Ok(path.to_string_lossy().into_owned())
    }
}
