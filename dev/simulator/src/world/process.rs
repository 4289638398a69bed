//! An imagined agent process: it is typed to, thinks up what to say, and says it piece by piece.

use std::collections::{BTreeMap, VecDeque};

use domain::{InputNumber, ParkMode, PhaseNumber, Role, SessionId, SessionInput, TaskId};

use super::{
    Happening, World,
    speech::{self, Mind, Utterance},
    spool::{Spoken, Spool},
};
use crate::model::Model;

/// How long a main agent waits that is told to wait for a person.
const SLEEP_MS: i64 = 600_000;

/// Whether a process can say something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Awake {
    /// It has not started yet.
    Unborn,
    /// It can.
    Yes,
    /// It is stopped, or ended for a while.
    Parked,
    /// It is gone.
    Dead,
}

/// One process.
#[derive(Debug, Clone)]
pub struct Process {
    /// What it is there for.
    pub role: Role,
    /// The task it works at.
    pub task: Option<TaskId>,
    /// The phase of that task, or that it leads or judges.
    pub phase: Option<PhaseNumber>,
    /// Whether it can say something.
    pub awake: Awake,
    /// What it said.
    pub spool: Spool,
    /// Whether it sits there and does nothing, in the middle of a turn.
    pub hangs: bool,
    /// How often it got in its own way; it gets tired of that.
    pub mischief: u32,
    pub(super) script: VecDeque<Utterance>,
    pub(super) speaking: bool,
    pub(super) inputs: BTreeMap<InputNumber, SessionInput>,
    /// The input that is typed next.
    pub(super) next: InputNumber,
    pub(super) n_prompts: u32,
}

impl World {
    /// Makes the process of a session, which does not live yet.
    pub(super) fn make_process(&mut self, id: SessionId, model: &Model) {
        let Some(session) = model.sessions.get(&id) else { return };
        if session.agent.is_none() {
            return;
        }
        let phase_of = |task: &TaskId| model.tasks.get(task).map(|task| task.plan.phase);
        self.processes.entry(id).or_insert_with(|| Process {
            role: session.role,
            task: session.task.clone(),
            phase: session.task.as_ref().and_then(phase_of).or(session.phase),
            awake: Awake::Unborn,
            spool: Spool::default(),
            hangs: false,
            mischief: 0,
            script: VecDeque::new(),
            speaking: false,
            inputs: BTreeMap::new(),
            next: 1,
            n_prompts: 0,
        });
    }

    /// The process is there, and can be typed to.
    pub fn wake(&mut self, id: SessionId) {
        let Some(process) = self.processes.get_mut(&id) else { return };
        if process.awake == Awake::Dead {
            return;
        }
        process.awake = Awake::Yes;
        self.plan(200, Happening::Type(id));
        self.speak_on(id);
    }

    /// The process rests, where it can; returns whether it does.
    pub(super) fn park(&mut self, id: SessionId, mode: ParkMode, can: bool) -> bool {
        let Some(process) = self.processes.get_mut(&id) else { return can };
        match (process.awake, mode) {
            // One that went by itself is as cold as one that was ended: its last words come too late.
            (Awake::Dead, ParkMode::Cold) => {
                process.awake = Awake::Parked;
                return true;
            }
            (Awake::Yes, ParkMode::Frozen) if can => process.awake = Awake::Parked,
            (Awake::Yes, ParkMode::Cold) if can => {
                process.awake = Awake::Parked;
                // The process is ended, and what it had in mind with it.
                process.hangs = false;
                process.script.clear();
            }
            _ => {}
        }
        can
    }

    /// A main agent begins by itself.
    pub fn prompt_main(&mut self, id: SessionId) {
        if let Some(process) = self.processes.get_mut(&id).filter(|process| process.script.is_empty()) {
            process.script.extend(speech::resolve());
            self.speak_on(id);
        }
    }

    /// The next input is typed, if there is one and the process can take it.
    pub fn type_next(&mut self, id: SessionId, model: &Model) -> Option<InputNumber> {
        let process = self.processes.get_mut(&id).filter(|process| process.awake == Awake::Yes)?;
        let number = process.next;
        let input = process.inputs.get(&number)?.clone();
        process.next += 1;
        process.hangs = false;
        let mut mind = Mind { process, model, kind: self.kind };
        let answer = speech::react(&mut self.random, &mut mind, &input);
        process.script.extend(answer);
        self.plan(500, Happening::Type(id));
        self.speak_on(id);
        Some(number)
    }

    /// The agent says the next thing of what it has in mind.
    pub fn speak(&mut self, id: SessionId) {
        let Some(process) = self.processes.get_mut(&id) else { return };
        process.speaking = false;
        if process.awake != Awake::Yes {
            return;
        }
        match process.script.pop_front() {
            Some(Utterance::Hang) if self.kind => {
                process.script.extend(speech::finish(process));
                self.speak_on(id);
            }
            Some(Utterance::Hang) => {
                process.hangs = true;
                process.script.clear();
            }
            Some(Utterance::Sleep) => {
                process.speaking = true;
                self.plan(SLEEP_MS, Happening::Speak(id));
            }
            Some(Utterance::Exit(status)) => self.end_process(id, Spoken::Ended(status)),
            Some(Utterance::Vanish) => self.end_process(id, Spoken::Lost),
            Some(Utterance::Spoken(spoken)) => {
                // A prompt that nobody answers keeps it where it is until its time is over.
                process.hangs = matches!(*spoken, Spoken::Permission(_) | Spoken::Prompt(..));
                process.spool.push(*spoken, &mut self.random);
                self.read_on(id);
                self.speak_on(id);
            }
            None => {}
        }
    }

    /// The process is gone; what it had in mind is never said.
    pub(super) fn end_process(&mut self, id: SessionId, how: Spoken) {
        let Some(process) = self.processes.get_mut(&id) else { return };
        if process.awake == Awake::Dead {
            return;
        }
        process.awake = Awake::Dead;
        process.script.clear();
        process.spool.push(how, &mut self.random);
        self.read_on(id);
    }

    /// Whoever sat there goes on, and does what was asked.
    pub(super) fn rouse(&mut self, id: SessionId) {
        let Some(process) = self.processes.get_mut(&id) else { return };
        if process.hangs && process.awake != Awake::Dead {
            process.hangs = false;
            process.script.extend(speech::finish(process));
            self.speak_on(id);
        }
        if self.processes.get(&id).is_some_and(|process| process.awake == Awake::Unborn) {
            self.end_process(id, Spoken::Lost);
        }
    }

    pub(super) fn speak_on(&mut self, id: SessionId) {
        let delay_ms = self.random.seconds(1, 40);
        if let Some(process) = self.processes.get_mut(&id)
            && !process.speaking
            && !process.script.is_empty()
            && process.awake == Awake::Yes
        {
            process.speaking = true;
            self.plan(delay_ms, Happening::Speak(id));
        }
    }

    pub(super) fn read_on(&mut self, id: SessionId) {
        let delay_ms = self.random.seconds(0, 2);
        if let Some(process) = self.processes.get_mut(&id)
            && process.spool.begin_read()
        {
            self.plan(delay_ms, Happening::Read(id));
        }
    }
}
