//! Runs steps one after another, and handles input that arrives meanwhile.

mod events;

use std::{collections::VecDeque, io, thread, time::Duration};

use rustix::termios::Termios;
use toml::Spanned;

use crate::{
    effects, fork,
    input::StdinReader,
    noise, output,
    placeholder::PlaceholderValues,
    protocol::{AgentProtocol, ClientEvent, PermissionDecision, ToolOutcome},
    run_script::{AgentInvocation, ScriptRunError},
    script::{
        AskUserStep, ChoiceCase, HangMode, InputWaitStep, RepeatCount, RepeatStep, SayStep, Script, Step,
        Steps, StopReason, ToolStep,
    },
    terminal,
};

/// How to continue after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StepFlow {
    /// Continue with the next step.
    Next,
    /// The turn was cancelled: continue with the next `wait`.
    Cancelled,
    /// The input was closed: stop.
    InputEnded,
    /// The script ends with this status.
    Exit(u8),
}

/// Runs a script.
pub(crate) struct ScriptRunner<'a> {
    script: &'a Script,
    invocation: AgentInvocation,
    protocol: Box<dyn AgentProtocol>,
    input: StdinReader,
    placeholders: PlaceholderValues,
    /// Prompts that arrived while a step was running.
    queued_prompts: VecDeque<String>,
    /// Further events of the last input that was read.
    pending_events: VecDeque<ClientEvent>,
    is_in_turn: bool,
    terminal: Option<Termios>,
}

impl<'a> ScriptRunner<'a> {
    pub(crate) fn new(
        script: &'a Script,
        invocation: AgentInvocation,
        protocol: Box<dyn AgentProtocol>,
    ) -> Self {
        let placeholders = PlaceholderValues {
            arguments: invocation.agent_arguments.clone(),
            ..PlaceholderValues::default()
        };
        Self {
            script,
            invocation,
            protocol,
            input: StdinReader::default(),
            placeholders,
            queued_prompts: VecDeque::new(),
            pending_events: VecDeque::new(),
            is_in_turn: false,
            terminal: None,
        }
    }

    /// Returns the exit status for a closed input.
    pub(crate) fn input_end_status(&self) -> u8 {
        self.protocol.input_end_status()
    }

    /// Runs steps in order. After a cancelled turn it skips to the next `wait`.
    pub(crate) fn run_steps(&mut self, steps: &'a Steps) -> Result<StepFlow, ScriptRunError> {
        let mut flow = StepFlow::Next;
        for step in steps.iter().map(Spanned::get_ref) {
            if flow == StepFlow::Cancelled && !matches!(step, Step::Wait(_)) {
                continue;
            }
            flow = match self.handle_available_input()? {
                StepFlow::Next => self.run_step(step)?,
                other @ StepFlow::Cancelled | other @ StepFlow::InputEnded | other @ StepFlow::Exit(_) => {
                    other
                }
            };
            match flow {
                StepFlow::Next => {}
                StepFlow::Cancelled => self.end_turn(StopReason::Cancelled)?,
                StepFlow::InputEnded | StepFlow::Exit(_) => return Ok(flow),
            }
        }
        Ok(flow)
    }

    /// Answers requests of the protocol after the last step, until the input is closed.
    pub(crate) fn serve_until_input_ends(&mut self) -> Result<(), ScriptRunError> {
        self.end_turn(StopReason::EndTurn)?;
        loop {
            if let Some(prompt) = self.queued_prompts.pop_front() {
                self.protocol.begin_turn(&prompt)?;
                self.protocol.end_turn(StopReason::EndTurn)?;
            } else if self.next_event(None)?.is_none() {
                return Ok(());
            }
        }
    }

    fn run_step(&mut self, step: &'a Step) -> Result<StepFlow, ScriptRunError> {
        match step {
            Step::Say(say) => self.write_message(say)?,
            Step::Bytes(hex) => output::write_bytes(&hex.0)?,
            Step::Raw(text) => {
                output::write_bytes(format!("{}\n", self.placeholders.substitute(text)).as_bytes())?
            }
            Step::Think(text) => self.protocol.write_thought(&self.placeholders.substitute(text))?,
            Step::Ask(ask) => return self.ask_user(ask),
            Step::Question(question) => {
                let asked = self.protocol.ask_question(question)?;
                return Ok(self.wait_for_answer(asked)?.err().unwrap_or(StepFlow::Next));
            }
            Step::Wait(wait) => return self.wait_for_prompt(wait),
            Step::Tool(tool) => return self.use_tool(tool),
            Step::Plan(entries) => self.protocol.write_plan(entries)?,
            Step::Usage(usage) => self.protocol.set_usage(*usage)?,
            Step::Limits(limits) => self.protocol.write_rate_limit(*limits)?,
            Step::EndTurn(stop) => self.end_turn(*stop)?,
            Step::Fail(failure) => {
                self.protocol.fail_turn(failure)?;
                self.is_in_turn = false;
            }
            Step::Sleep(pause) => return self.sleep(pause.0),
            Step::Exit(status) => return Ok(StepFlow::Exit(*status)),
            Step::Signal(signal) => effects::signal_self(*signal)?,
            Step::Hang(HangMode::Listening) => loop {
                match self.sleep(Duration::from_secs(3600))? {
                    StepFlow::Next => {}
                    other @ StepFlow::Cancelled
                    | other @ StepFlow::InputEnded
                    | other @ StepFlow::Exit(_) => return Ok(other),
                }
            },
            Step::Hang(HangMode::Deaf) => loop {
                thread::sleep(Duration::from_secs(3600));
            },
            Step::Flood(flood) => return self.write_flood(flood.mb, &flood.line),
            Step::Fork(fork) => fork::start_fork_process(self.script, fork, &self.invocation)?,
            Step::Ignore(signals) => signals.iter().try_for_each(|signal| effects::ignore_signal(*signal))?,
            Step::Noise(wanted) => output::write_bytes(&noise::escape_noise(wanted.bytes, wanted.seed))?,
            Step::Spinner(spinner) => {
                for number in 0..spinner.frames {
                    output::write_bytes(noise::spinner_frame(number, &spinner.text).as_bytes())?;
                    thread::sleep(spinner.pause.0);
                }
                output::write_bytes(b"\r\x1b[K")?;
            }
            Step::Terminal(wanted) => self.terminal = terminal::set_mode(*wanted, self.terminal.as_ref()),
            Step::Write(file) => {
                effects::write_file(
                    &self.placeholders.substitute(&file.path),
                    &self.placeholders.substitute(&file.text),
                    file.append,
                )?;
            }
            Step::Repeat(repeat) => return self.run_repeat(repeat),
            Step::Choose(cases) => return self.run_matching_case(cases),
            Step::Play(name) => {
                if let Some(part) = self.script.parts.get(name) {
                    return self.run_steps(part);
                }
            }
        }
        Ok(StepFlow::Next)
    }

    fn write_message(&mut self, say: &SayStep) -> io::Result<()> {
        let text = self.placeholders.substitute(&say.text);
        if say.stderr {
            eprint!("{text}");
            return Ok(());
        }
        match say.chunk {
            None => self.protocol.write_message(&text),
            Some(chunk) if !self.protocol.has_turns() => {
                output::write_in_pieces(text.as_bytes(), chunk.get(), say.pause.0)
            }
            Some(chunk) => {
                // Protocols that carry text cannot split a character.
                let characters: Vec<char> = text.chars().collect();
                for characters in characters.chunks(chunk.get()) {
                    self.protocol.write_message(&characters.iter().collect::<String>())?;
                    thread::sleep(say.pause.0);
                }
                Ok(())
            }
        }
    }

    fn ask_user(&mut self, ask: &AskUserStep) -> Result<StepFlow, ScriptRunError> {
        let text = self.placeholders.substitute(&effects::question_text(ask));
        self.protocol.write_message(&text)?;
        self.wait_for_prompt(&InputWaitStep::default())
    }

    fn use_tool(&mut self, tool: &ToolStep) -> Result<StepFlow, ScriptRunError> {
        self.protocol.start_tool(tool)?;
        if tool.needs_permission {
            let asked = self.protocol.ask_permission(tool)?;
            let answer = match self.wait_for_answer(asked)? {
                Ok(answer) => answer,
                Err(flow) => return Ok(flow),
            };
            match answer.decision {
                PermissionDecision::Allow => {}
                PermissionDecision::Deny | PermissionDecision::EndTurn => {
                    self.protocol.finish_tool(tool, &ToolOutcome::Denied(answer.text))?;
                    if answer.decision == PermissionDecision::EndTurn {
                        self.end_turn(StopReason::Denied)?;
                        return Ok(StepFlow::Cancelled);
                    }
                    return Ok(StepFlow::Next);
                }
            }
        }
        match self.sleep(tool.duration.0)? {
            StepFlow::Next => {}
            other @ StepFlow::Cancelled | other @ StepFlow::InputEnded | other @ StepFlow::Exit(_) => {
                return Ok(other);
            }
        }
        let output = self.placeholders.substitute(&tool.output);
        self.protocol.finish_tool(tool, &ToolOutcome::Output(output))?;
        Ok(StepFlow::Next)
    }

    fn run_repeat(&mut self, repeat: &'a RepeatStep) -> Result<StepFlow, ScriptRunError> {
        let outer = self.placeholders.n;
        let mut n = 0;
        let mut flow = StepFlow::Next;
        while match repeat.times {
            RepeatCount::Forever => true,
            RepeatCount::Count(times) => n < times,
        } {
            n += 1;
            self.placeholders.n = n;
            flow = self.run_steps(&repeat.steps)?;
            if matches!(flow, StepFlow::InputEnded | StepFlow::Exit(_)) {
                return Ok(flow);
            }
        }
        self.placeholders.n = outer;
        Ok(flow)
    }

    fn run_matching_case(&mut self, cases: &'a [ChoiceCase]) -> Result<StepFlow, ScriptRunError> {
        match cases.iter().find(|case| case.when.matches(&self.placeholders.line)) {
            Some(case) => self.run_steps(&case.steps),
            None => Ok(StepFlow::Next),
        }
    }

    fn write_flood(&mut self, mb: u64, line: &str) -> Result<StepFlow, ScriptRunError> {
        let mut flood = effects::NumberedLines::new(mb, line);
        while let Some(block) = flood.next_block() {
            self.protocol.write_message(&block)?;
            match self.handle_available_input()? {
                StepFlow::Next => {}
                other @ StepFlow::Cancelled | other @ StepFlow::InputEnded | other @ StepFlow::Exit(_) => {
                    return Ok(other);
                }
            }
        }
        Ok(StepFlow::Next)
    }

    fn end_turn(&mut self, stop: StopReason) -> Result<(), ScriptRunError> {
        if self.is_in_turn {
            self.protocol.end_turn(stop)?;
            self.is_in_turn = false;
        }
        Ok(())
    }
}
