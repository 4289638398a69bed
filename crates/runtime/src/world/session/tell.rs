//! Tells a session what is ordered, in its form and language.

use std::fs;

use domain::{Command, InputNumber, SessionInput};
use drivers::{
    Told, Untold,
    preset::Form,
    words::{self, Listener},
};
use protocol::say::{self, Preamble, Task, preamble};
use sessions::LivingError;

use super::{Clerk, Next, Tell, begin_turn};
use crate::world::process::{Process, ProcessError};

impl Clerk {
    /// Tells what waits, in order, as far as the agent is ready for it.
    pub(super) fn tell_what_waits(&mut self, process: &mut Process) -> Result<Option<Next>, ProcessError> {
        while let Some(tell) = self.untold.pop_front() {
            let mut told = self.say(&tell, process);
            let mut answer = process.living.tell(&told, tell.number);
            if !process.was_told && matches!(answer, Err(LivingError::Untold(Untold::UnknownPrompt { .. }))) {
                // Whoever asked has ended, and this one comes back in its place.
                told = words::late(&tell.input, self.listener(process, None));
                told = self.introduced(told, &tell, process);
                answer = process.living.tell(&told, tell.number);
            }
            let answer = match answer {
                Err(LivingError::Untold(Untold::TooLong { .. })) => {
                    let path = self.write_down(&told, tell.number, process)?;
                    process.living.tell(&words::in_file(&path, self.listener(process, None)), tell.number)
                }
                answer => answer,
            };
            let seen = match answer {
                Ok(seen) => seen,
                Err(LivingError::Untold(Untold::NotReady)) => {
                    self.untold.push_front(tell);
                    return Ok(None);
                }
                // The agent no longer waits for it: it counts as told, for nothing else can come of it.
                Err(LivingError::Untold(Untold::UnknownPrompt { .. })) => {
                    self.typed(tell.number);
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            process.was_told = true;
            if matches!(told, Told::Prompt { .. }) {
                begin_turn(&self.site, &self.seat);
            }
            if !process.remembers {
                self.replay = None;
            }
            self.told.push(tell);
            if let Some(next) = self.see_all(seen, process)? {
                return Ok(Some(next));
            }
        }
        Ok(None)
    }

    pub(super) fn typed(&self, input: InputNumber) {
        self.site.report(Command::ReportInputSent { session: self.seat.session, input });
    }

    /// Puts an input into words. Whoever is spoken to for the first time is told about the protocol too.
    fn say(&self, tell: &Tell, process: &Process) -> Told {
        let brief = tell.brief.as_deref().map(|brief| self.at_its_place(brief, process));
        let told = words::told(&tell.input, self.listener(process, brief.as_ref()));
        self.introduced(told, tell, process)
    }

    /// Puts before words what must be known to understand them.
    fn introduced(&self, told: Told, tell: &Tell, process: &Process) -> Told {
        let Told::Prompt { text } = told else { return told };
        let begins = matches!(*tell.input, SessionInput::Task { .. });
        let (replay, form) = (self.replay.as_ref().filter(|_| !process.remembers), self.seat.preset.form);
        let before = match (replay, begins || tell.number > 1 || form == Form::Json) {
            (Some(replay), _) => self.repeat(replay, process),
            (None, true) => return Told::Prompt { text },
            (None, false) => self.preamble(process),
        };
        let between = match form {
            Form::Text => "\n\n",
            Form::Json => "\n",
        };
        Told::Prompt { text: format!("{before}{between}{text}") }
    }

    /// Returns what an agent that can't remember is told again.
    fn repeat(&self, replay: &Task, process: &Process) -> String {
        let brief = self.at_its_place(replay, process);
        let input =
            SessionInput::Task { task: brief.task_id.clone(), attempt: 1, hint: None, carried: Vec::new() };
        match words::told(&input, self.listener(process, Some(&brief))) {
            Told::Prompt { text } => text,
            Told::Permission { .. } | Told::Answer { .. } | Told::Interrupt => String::new(),
        }
    }

    fn at_its_place(&self, brief: &Task, process: &Process) -> say::Task {
        say::Task {
            worktree: Some(self.seat.place.to_string_lossy().into_owned()),
            preamble: Some(self.preamble(process)),
            ..brief.clone()
        }
    }

    fn preamble(&self, process: &Process) -> String {
        preamble(Preamble {
            role: self.seat.role,
            locale: self.locale,
            key: &process.found.about.key,
            task: self.seat.task.as_ref(),
        })
    }

    fn listener<'a>(&'a self, process: &'a Process, brief: Option<&'a Task>) -> Listener<'a> {
        Listener {
            locale: self.locale,
            form: self.seat.preset.form,
            key: Some(&process.found.about.key),
            task: self.seat.task.as_ref(),
            brief,
            template: self.site.outfit.template.as_deref(),
        }
    }

    /// Writes down what is too long to be typed, where its agent can read it.
    fn write_down(
        &self,
        told: &Told,
        number: InputNumber,
        process: &Process,
    ) -> Result<String, ProcessError> {
        let text = match told {
            Told::Prompt { text } | Told::Answer { answer: text, .. } => text.as_str(),
            Told::Permission { .. } | Told::Interrupt => "",
        };
        let path = process.found.directory.join(format!("input-{number}.md"));
        fs::write(&path, text).map_err(|source| ProcessError::Io {
            action: "write",
            path: path.clone(),
            source,
        })?;
        Ok(path.to_string_lossy().into_owned())
    }
}
