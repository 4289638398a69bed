//! Does the steps one after the other, and hears what is said meanwhile.

mod listen;

use std::{collections::VecDeque, io, thread, time::Duration};

use rustix::termios::Termios;
use toml::Spanned;

use crate::{
    act, fork,
    input::Input,
    mouth, noise,
    placeholder::Known,
    play::{Invocation, PlayError},
    script::{Ask, Case, Hang, Repeat, Say, Script, Step, Steps, Stop, Times, Tool, Wait},
    terminal,
    voice::{Heard, Outcome, Verdict, Voice},
};

/// How it goes on after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// With the next step.
    Next,
    /// With the next `wait`: the turn was cancelled.
    Cancelled,
    /// Not at all: nobody is there any more.
    InputEnded,
    /// Not at all: the script says so.
    Exit(u8),
}

/// Somebody who plays.
pub struct Performer<'a> {
    script: &'a Script,
    invocation: Invocation,
    voice: Box<dyn Voice>,
    input: Input,
    known: Known,
    /// Prompts that came while something else was done.
    prompts: VecDeque<String>,
    /// What one read of the keyboard meant beside its first thing.
    pending: VecDeque<Heard>,
    is_in_turn: bool,
    terminal: Option<Termios>,
}

impl<'a> Performer<'a> {
    /// Makes a performer that has done nothing yet.
    pub fn new(script: &'a Script, invocation: Invocation, voice: Box<dyn Voice>) -> Self {
        let known = Known { arguments: invocation.agent_arguments.clone(), ..Known::default() };
        Self {
            script,
            invocation,
            voice,
            input: Input::default(),
            known,
            prompts: VecDeque::new(),
            pending: VecDeque::new(),
            is_in_turn: false,
            terminal: None,
        }
    }

    /// Returns the exit status of a player whose input has ended.
    pub fn exit_status(&self) -> u8 {
        self.voice.exit_status()
    }

    /// Does steps in their order. After a cancelled turn it goes on with the next `wait` among them.
    pub fn steps(&mut self, steps: &'a Steps) -> Result<Flow, PlayError> {
        let mut flow = Flow::Next;
        for step in steps.iter().map(Spanned::get_ref) {
            if flow == Flow::Cancelled && !matches!(step, Step::Wait(_)) {
                continue;
            }
            flow = match self.glance()? {
                Flow::Next => self.step(step)?,
                other => other,
            };
            match flow {
                Flow::Next => {}
                Flow::Cancelled => self.end_turn(Stop::Cancelled)?,
                Flow::InputEnded | Flow::Exit(_) => return Ok(flow),
            }
        }
        Ok(flow)
    }

    /// Goes on answering what the protocol asks after the last step, until nobody is there any more.
    pub fn attend(&mut self) -> Result<(), PlayError> {
        self.end_turn(Stop::EndTurn)?;
        loop {
            if let Some(prompt) = self.prompts.pop_front() {
                self.voice.begin_turn(&prompt)?;
                self.voice.end_turn(Stop::EndTurn)?;
            } else if self.listen(None)?.is_none() {
                return Ok(());
            }
        }
    }

    fn step(&mut self, step: &'a Step) -> Result<Flow, PlayError> {
        match step {
            Step::Say(say) => self.say(say)?,
            Step::Bytes(hex) => mouth::write(&hex.0)?,
            Step::Raw(text) => mouth::write(format!("{}\n", self.known.fill(text)).as_bytes())?,
            Step::Think(text) => self.voice.think(&self.known.fill(text))?,
            Step::Ask(ask) => return self.ask(ask),
            Step::Question(question) => {
                let asked = self.voice.ask_question(question)?;
                return Ok(self.answer(asked)?.err().unwrap_or(Flow::Next));
            }
            Step::Wait(wait) => return self.wait(wait),
            Step::Tool(tool) => return self.tool(tool),
            Step::Plan(entries) => self.voice.plan(entries)?,
            Step::Usage(usage) => self.voice.usage(*usage)?,
            Step::Limits(limits) => self.voice.limits(*limits)?,
            Step::EndTurn(stop) => self.end_turn(*stop)?,
            Step::Fail(failure) => {
                self.voice.fail(failure)?;
                self.is_in_turn = false;
            }
            Step::Sleep(pause) => return self.sleep(pause.0),
            Step::Exit(status) => return Ok(Flow::Exit(*status)),
            Step::Signal(signal) => act::send_to_self(*signal)?,
            Step::Hang(Hang::Listening) => loop {
                match self.sleep(Duration::from_secs(3600))? {
                    Flow::Next => {}
                    other => return Ok(other),
                }
            },
            Step::Hang(Hang::Deaf) => loop {
                thread::sleep(Duration::from_secs(3600));
            },
            Step::Flood(flood) => return self.flood(flood.mb, &flood.line),
            Step::Fork(fork) => fork::start(self.script, fork, &self.invocation)?,
            Step::Ignore(signals) => signals.iter().try_for_each(|signal| act::ignore(*signal))?,
            Step::Noise(wanted) => mouth::write(&noise::noise(wanted.bytes, wanted.seed))?,
            Step::Spinner(spinner) => {
                for number in 0..spinner.frames {
                    mouth::write(noise::frame(number, &spinner.text).as_bytes())?;
                    thread::sleep(spinner.pause.0);
                }
                mouth::write(b"\r\x1b[K")?;
            }
            Step::Terminal(wanted) => self.terminal = terminal::set(*wanted, self.terminal.as_ref()),
            Step::Write(file) => {
                act::write_file(&self.known.fill(&file.path), &self.known.fill(&file.text), file.append)?;
            }
            Step::Repeat(repeat) => return self.repeat(repeat),
            Step::Choose(cases) => return self.choose(cases),
            Step::Play(name) => {
                if let Some(part) = self.script.parts.get(name) {
                    return self.steps(part);
                }
            }
        }
        Ok(Flow::Next)
    }

    fn say(&mut self, say: &Say) -> io::Result<()> {
        let text = self.known.fill(&say.text);
        if say.stderr {
            eprint!("{text}");
            return Ok(());
        }
        match say.chunk {
            None => self.voice.say(&text),
            Some(piece) if !self.voice.has_turns() => {
                mouth::write_in_pieces(text.as_bytes(), piece.get(), say.pause.0)
            }
            Some(piece) => {
                // A protocol that carries text cannot cut a character.
                let signs: Vec<char> = text.chars().collect();
                for signs in signs.chunks(piece.get()) {
                    self.voice.say(&signs.iter().collect::<String>())?;
                    thread::sleep(say.pause.0);
                }
                Ok(())
            }
        }
    }

    fn ask(&mut self, ask: &Ask) -> Result<Flow, PlayError> {
        let text = self.known.fill(&act::question(ask));
        self.voice.say(&text)?;
        self.wait(&Wait::default())
    }

    fn tool(&mut self, tool: &Tool) -> Result<Flow, PlayError> {
        self.voice.tool_begins(tool)?;
        if tool.asks {
            let asked = self.voice.ask_permission(tool)?;
            let answer = match self.answer(asked)? {
                Ok(answer) => answer,
                Err(flow) => return Ok(flow),
            };
            match answer.verdict {
                Verdict::Allow => {}
                Verdict::Deny | Verdict::Stop => {
                    self.voice.tool_ends(tool, &Outcome::Denied(answer.text))?;
                    if answer.verdict == Verdict::Stop {
                        self.end_turn(Stop::Denied)?;
                        return Ok(Flow::Cancelled);
                    }
                    return Ok(Flow::Next);
                }
            }
        }
        match self.sleep(tool.takes.0)? {
            Flow::Next => {}
            other => return Ok(other),
        }
        let output = self.known.fill(&tool.output);
        self.voice.tool_ends(tool, &Outcome::Output(output))?;
        Ok(Flow::Next)
    }

    fn repeat(&mut self, repeat: &'a Repeat) -> Result<Flow, PlayError> {
        let outer = self.known.n;
        let mut n = 0;
        let mut flow = Flow::Next;
        while match repeat.times {
            Times::Forever => true,
            Times::Count(times) => n < times,
        } {
            n += 1;
            self.known.n = n;
            flow = self.steps(&repeat.steps)?;
            if matches!(flow, Flow::InputEnded | Flow::Exit(_)) {
                return Ok(flow);
            }
        }
        self.known.n = outer;
        Ok(flow)
    }

    fn choose(&mut self, cases: &'a [Case]) -> Result<Flow, PlayError> {
        match cases.iter().find(|case| case.when.fits(&self.known.line)) {
            Some(case) => self.steps(&case.steps),
            None => Ok(Flow::Next),
        }
    }

    fn flood(&mut self, mb: u64, line: &str) -> Result<Flow, PlayError> {
        let mut flood = act::Flood::new(mb, line);
        while let Some(block) = flood.next_block() {
            self.voice.say(&block)?;
            match self.glance()? {
                Flow::Next => {}
                other => return Ok(other),
            }
        }
        Ok(Flow::Next)
    }

    fn end_turn(&mut self, stop: Stop) -> Result<(), PlayError> {
        if self.is_in_turn {
            self.voice.end_turn(stop)?;
            self.is_in_turn = false;
        }
        Ok(())
    }
}
