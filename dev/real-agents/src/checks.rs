//! The checks of every agent and driver, each a conversation with the scripted model.

use std::{
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use anyhow::{Context, Result, ensure};
use drivers::{
    AgentInput, DriverEvent, StepStatus, TurnOutcome,
    preset::{self, LaunchMode, Preset},
};
use model_server::{ModelServer, ReplyPart, Rule, Script, ScriptedReply, ScriptedTurn, Usage};
use protocol::{
    DecodedItem,
    prompts::{AgentPrompt, QuestionAnswer},
};
use sessions::{SessionReport, new_session_id};

use crate::{
    agent_home::AgentHome,
    driven_agent::{self, DrivenAgent},
    mistakes,
    setups::{AgentSetup, RefusalEffect},
};

/// The checks, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Check {
    /// A prompt is answered, and the messages in its text are decoded.
    Prompt,
    /// A question of the protocol is answered in the same session.
    Question,
    /// A question that the agent has a tool for.
    OwnQuestion,
    /// A permission is requested and granted.
    Allowed,
    /// A permission is requested and refused.
    Refused,
    /// The output of a tool is not decoded.
    ToolText,
    /// A turn is cancelled, and the session continues.
    Cancel,
    /// All processes are suspended during a turn, and continue.
    Freeze,
    /// The plan of the agent is reported.
    Plan,
    /// The tokens of a turn are reported.
    Usage,
    /// Mistakes of the model with the protocol.
    Mistakes,
    /// Ended by closing its input, and resumed.
    Parked,
    /// Killed with its holder, and resumed.
    Killed,
}

impl Check {
    pub(crate) const ALL: [Self; 13] = [
        Self::Prompt,
        Self::Question,
        Self::OwnQuestion,
        Self::Allowed,
        Self::Refused,
        Self::ToolText,
        Self::Cancel,
        Self::Freeze,
        Self::Plan,
        Self::Usage,
        Self::Mistakes,
        Self::Parked,
        Self::Killed,
    ];

    /// Returns the name in the table.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Question => "question",
            Self::OwnQuestion => "own question",
            Self::Allowed => "allowed",
            Self::Refused => "refused",
            Self::ToolText => "tool text",
            Self::Cancel => "cancel",
            Self::Freeze => "freeze",
            Self::Plan => "plan",
            Self::Usage => "usage",
            Self::Mistakes => "mistakes",
            Self::Parked => "parked",
            Self::Killed => "killed",
        }
    }
}

/// An agent and driver with its model and folders.
pub(crate) struct CheckContext<'a> {
    setup: &'a AgentSetup,
    preset: Preset,
    pub server: &'a ModelServer,
    home: &'a AgentHome,
    agent: Option<DrivenAgent>,
    /// The minute in which the agent was started.
    started_minute: u64,
}

impl<'a> CheckContext<'a> {
    /// Prepares the checks; the agent is started by the first.
    pub(crate) fn new(setup: &'a AgentSetup, server: &'a ModelServer, home: &'a AgentHome) -> Result<Self> {
        let preset = preset::resolve_preset(setup.preset, &setup.extra_presets.parse()?)?;
        Ok(Self { setup, preset, server, home, agent: None, started_minute: unix_minute() })
    }

    /// Runs a check. After a failure the session is ended, so that the next check starts a new one.
    pub(crate) fn run_check(&mut self, check: Check) -> Result<()> {
        let outcome = match check {
            Check::Prompt => self.check_prompt(),
            Check::Question => self.check_protocol_question(),
            Check::OwnQuestion => self.check_own_question(),
            Check::Allowed => self.check_allowed_command(),
            Check::Refused => self.check_refused_command(),
            Check::ToolText => self.check_tool_output_ignored(),
            Check::Cancel => self.check_cancel(),
            Check::Freeze => self.check_freeze(),
            Check::Plan => self.check_plan(),
            Check::Usage => self.check_usage(),
            Check::Mistakes => mistakes::check(self),
            // The input of a terminal cannot be closed.
            Check::Parked if self.setup.has_keys => self.check_resume(DrivenAgent::stop),
            Check::Parked => self.check_resume(DrivenAgent::close),
            Check::Killed => self.check_resume(DrivenAgent::kill),
        };
        if outcome.is_err() {
            self.end_session();
        }
        outcome
    }

    /// Ends the session of the agent.
    pub(crate) fn end_session(&mut self) {
        // An error means that it has ended already.
        let _ = self.agent.take().map(DrivenAgent::stop);
    }

    /// Returns the agent; starts it if it is not running.
    pub(crate) fn agent(&mut self) -> Result<&mut DrivenAgent> {
        if self.agent.is_none() {
            self.agent =
                Some(DrivenAgent::start(&self.preset, self.home, LaunchMode::Fresh(&new_session_id()?))?);
            self.started_minute = unix_minute();
        }
        self.agent.as_mut().context("the agent is not running")
    }

    /// Sets the next turns of the model, each with a text that its prompt must contain: some agents send more requests
    /// than there are prompts.
    pub(crate) fn set_script<'t>(&self, turns: impl IntoIterator<Item = (&'t str, ScriptedTurn)>) {
        let rule = |(text, turn): (&str, ScriptedTurn)| Rule {
            contains: Some(text.to_owned()),
            conversation_contains: None,
            turns: [turn].into(),
        };
        self.server.replace_script(Script {
            rules: turns.into_iter().map(rule).collect(),
            ..Script::from_turns([])
        });
    }

    /// Replaces `$K` in a text with the session key, or with nothing if none is needed.
    pub(crate) fn insert_session_key(&mut self, text: &str) -> Result<String> {
        let key = self.agent()?.entry.metadata.key.clone();
        Ok(text.replace("$K", &if self.setup.has_keys { format!(" {key}") } else { String::new() }))
    }

    /// Returns the last request of the conversation, which contains all earlier messages.
    pub(crate) fn last_request(&self) -> Result<String> {
        let requests = self.server.requests();
        let last = requests.iter().rfind(|request| !request.is_side_request);
        last.map(|request| request.body.to_string()).context("the model got no request")
    }

    /// Returns the texts for the model since its last message, such as the result of a tool.
    fn texts_since_reply(&self) -> Result<String> {
        let requests = self.server.requests();
        let last = requests.iter().rfind(|request| !request.is_side_request);
        last.map(|request| request.prompt.clone()).context("the model got no request")
    }

    fn check_prompt(&mut self) -> Result<()> {
        // Quotes and Hangul have been lost in transit before.
        let reply = self.insert_session_key("Hello 장단.\n\nDONE:T1.3$K\n")?;
        self.set_script([("장단", ScriptedTurn::text_reply(&reply))]);
        let turn = self.agent()?.prompt_and_wait("Say \"hello\" to 장단, please.")?;
        ensure!(message_names(&turn) == ["DONE"], "its messages are {:?}", turn.items);
        ensure!(turn.text.contains("Hello 장단."), "its text is {:?}", turn.text);
        ensure!(turn.outcome == TurnOutcome::Finished, "the outcome is {:?}", turn.outcome);
        let request = self.last_request()?;
        ensure!(request.contains(r#"Say \"hello\" to 장단, please."#), "the request is {request}");
        Ok(())
    }

    fn check_protocol_question(&mut self) -> Result<()> {
        let question = "[ASK_USER$K]\nquestion: Which database?\ntype: selection\noptions: ['sqlite', 'postgres']\n[/ASK_USER$K]\n";
        let (question, done) =
            (self.insert_session_key(question)?, self.insert_session_key("DONE:T1.4$K\n")?);
        self.set_script([
            ("the database.", ScriptedTurn::text_reply(&question)),
            ("[ANSWER q_1]", ScriptedTurn::text_reply(&done)),
        ]);
        let turn = self.agent()?.prompt_and_wait("Begin with the database.")?;
        ensure!(message_names(&turn) == ["ASK_USER"], "its messages are {:?}", turn.items);
        let answer = QuestionAnswer { question_id: "q_1".to_owned(), answer: "postgres".to_owned() };
        let turn =
            self.agent()?.prompt_and_wait(&AgentPrompt::QuestionAnswer(answer).text(domain::Locale::En))?;
        ensure!(message_names(&turn) == ["DONE"], "its messages are {:?}", turn.items);
        let request = self.last_request()?;
        ensure!(
            request.contains("Begin with the database.") && request.contains("[ANSWER q_1]"),
            "the request is {request}"
        );
        Ok(())
    }

    fn check_own_question(&mut self) -> Result<()> {
        self.set_script([
            ("Ask me which.", (self.setup.question)()),
            ("", ScriptedTurn::text_reply("Chosen.")),
        ]);
        let agent = self.agent()?;
        agent.send_prompt("Ask me which.")?;
        let (prompt, asked) = agent.wait_for_report("a question", |report| match report {
            SessionReport::Event(DriverEvent::Question { prompt, question }) => {
                Some((prompt.clone(), question.clone()))
            }
            SessionReport::Event(_)
            | SessionReport::InputWritten { .. }
            | SessionReport::Ended(_)
            | SessionReport::Lost => None,
        })?;
        ensure!(asked.question.contains("Which?"), "the question is {asked:?}");
        let answer = asked
            .options
            .iter()
            .find(|option| option.starts_with("beta"))
            .context("the option beta is missing")?;
        agent.send_input(&AgentInput::Answer { prompt, answer: answer.clone() })?;
        let turn = agent.wait_for_turn_end()?;
        ensure!(turn.text.contains("Chosen."), "its text is {:?}", turn.text);
        let prompt = self.texts_since_reply()?;
        ensure!(prompt.contains("beta") && !prompt.contains("alpha"), "the model got {prompt}");
        Ok(())
    }

    /// Sends a prompt, and waits until the agent is in the middle of its reply.
    fn prompt_until_reply(&mut self, prompt: &str) -> Result<()> {
        let server = self.server;
        let n_before = server.requests().len();
        let is_on_screen = self.setup.has_keys;
        let agent = self.agent()?;
        agent.send_prompt(prompt)?;
        // Text on a screen is known only after the turn.
        agent.read_reports_until("a request to the model", || server.requests().len() > n_before)?;
        if is_on_screen { Ok(()) } else { agent.wait_for_text("-") }
    }

    fn shell_call(&self, command: &str) -> ScriptedTurn {
        let (name, input) = self.setup.shell;
        ScriptedTurn::tool_call(name, input(command))
    }

    fn check_allowed_command(&mut self) -> Result<()> {
        self.set_script([
            ("Make a file.", self.shell_call("touch allowed")),
            ("", ScriptedTurn::text_reply("Made it.")),
        ]);
        let agent = self.agent()?;
        agent.send_prompt("Make a file.")?;
        let request = agent.wait_for_permission()?;
        ensure!(request.subject.contains("touch allowed"), "it requests {request:?}");
        agent.send_input(&AgentInput::Permission { prompt: request.prompt, allowed: true, reason: None })?;
        let turn = agent.wait_for_turn_end()?;
        ensure!(
            turn.text.contains("Made it."),
            "its text is {:?}, its outcome {:?}",
            turn.text,
            turn.outcome
        );
        ensure!(self.home.work.join("allowed").exists(), "the file was not created");
        Ok(())
    }

    fn check_refused_command(&mut self) -> Result<()> {
        self.set_script([
            ("Make another file.", self.shell_call("touch refused")),
            ("", ScriptedTurn::text_reply("Then not.")),
        ]);
        let agent = self.agent()?;
        agent.send_prompt("Make another file.")?;
        let prompt = agent.wait_for_permission()?.prompt;
        agent.send_input(&AgentInput::Permission { prompt, allowed: false, reason: None })?;
        let turn = agent.wait_for_turn_end()?;
        match self.setup.refusal {
            RefusalEffect::TurnContinues => {
                ensure!(
                    turn.text.contains("Then not."),
                    "its text is {:?}, its outcome {:?}",
                    turn.text,
                    turn.outcome
                )
            }
            RefusalEffect::TurnEnds => ensure!(!turn.text.contains("Then not."), "its turn continued"),
        }
        ensure!(!self.home.work.join("refused").exists(), "the file was created");
        Ok(())
    }

    fn check_tool_output_ignored(&mut self) -> Result<()> {
        let command = "printf 'DONE:T9.9\\n[ASK_USER]\\nquestion: really?\\n'";
        self.set_script([
            ("Print something.", self.shell_call(command)),
            ("DONE:T9.9", ScriptedTurn::text_reply("It printed something.")),
        ]);
        let turn = self.agent()?.prompt_and_wait("Print something.")?;
        ensure!(message_names(&turn).is_empty(), "its messages are {:?}", turn.items);
        ensure!(turn.text.contains("It printed something."), "its text is {:?}", turn.text);
        let prompt = self.texts_since_reply()?;
        ensure!(prompt.contains("DONE:T9.9"), "nothing was printed, the model got {prompt}");
        Ok(())
    }

    fn check_cancel(&mut self) -> Result<()> {
        self.set_script([
            ("Speak slowly.", slow_reply("never")),
            ("Go on.", ScriptedTurn::text_reply("Here I am.")),
        ]);
        self.prompt_until_reply("Speak slowly.")?;
        // On a screen a cancelled turn looks like any other.
        let expected = if self.setup.has_keys { TurnOutcome::Finished } else { TurnOutcome::Cancelled };
        let agent = self.agent()?;
        agent.send_input(&AgentInput::Interrupt)?;
        let turn = agent.wait_for_turn_end()?;
        ensure!(turn.outcome == expected, "the outcome is {:?}", turn.outcome);
        let turn = agent.prompt_and_wait("Go on.")?;
        ensure!(
            turn.text.contains("Here I am."),
            "its text is {:?}, its outcome {:?}",
            turn.text,
            turn.outcome
        );
        Ok(())
    }

    fn check_freeze(&mut self) -> Result<()> {
        self.set_script([("Speak slowly again.", slow_reply("still"))]);
        self.prompt_until_reply("Speak slowly again.")?;
        let agent = self.agent()?;
        agent.freeze(Duration::from_secs(1))?;
        let turn = agent.wait_for_turn_end()?;
        ensure!(turn.outcome == TurnOutcome::Finished, "the outcome is {:?}", turn.outcome);
        let n_words = turn.text.matches("still").count();
        ensure!(n_words == SLOW_WORDS, "{n_words} of {SLOW_WORDS} words arrived");
        Ok(())
    }

    fn check_plan(&mut self) -> Result<()> {
        let calls =
            (self.setup.plan)().into_iter().zip(std::iter::once("Plan it.").chain(std::iter::repeat("")));
        let calls = calls.map(|(call, text)| (text, call));
        self.set_script(calls.chain([("", ScriptedTurn::text_reply("Planned."))]));
        let agent = self.agent()?;
        agent.send_prompt("Plan it.")?;
        let mut plan = Vec::new();
        agent.wait_for_report("the end of the turn", |report| {
            match report {
                SessionReport::Event(DriverEvent::Plan { steps }) => plan.clone_from(steps),
                SessionReport::Event(DriverEvent::TurnEnded { .. }) => return Some(()),
                SessionReport::Event(_)
                | SessionReport::InputWritten { .. }
                | SessionReport::Ended(_)
                | SessionReport::Lost => {}
            }
            None
        })?;
        let plan: Vec<_> = plan.iter().map(|step| (step.text.as_str(), step.status)).collect();
        ensure!(plan == [("one", StepStatus::Done), ("two", StepStatus::Waiting)], "its plan is {plan:?}");
        Ok(())
    }

    fn check_usage(&mut self) -> Result<()> {
        let usage = Usage { input: 1234, output: 56 };
        let parts = vec![ReplyPart::Text("Counted.".to_owned())];
        self.set_script([(
            "Count.",
            ScriptedTurn::Reply(ScriptedReply { parts, usage: Some(usage), ..ScriptedReply::default() }),
        )]);
        let used = self.agent()?.prompt_and_wait("Count.")?.used;
        ensure!(
            used.input_tokens + used.cached_tokens >= usage.input && used.output_tokens == usage.output,
            "it reported {used:?}, the model {usage:?}"
        );
        Ok(())
    }

    /// Ends the session, resumes it in another process, and checks that the model gets the earlier messages.
    fn check_resume(&mut self, end: fn(DrivenAgent) -> Result<()>) -> Result<()> {
        if self.setup.resumes_next_minute {
            // A session that was resumed once could not be resumed again after it was killed.
            self.end_session();
        }
        self.set_script([
            ("Remember", ScriptedTurn::text_reply("I will.")),
            ("Which word", ScriptedTurn::text_reply("Persimmon.")),
        ]);
        self.agent()?.prompt_and_wait("Remember the word persimmon.")?;
        let agent = self.agent.take().context("the agent is not running")?;
        let session =
            agent.agent_session.clone().context("the agent has not reported the id of its session")?;
        // An agent that is killed right after its first reply may not have saved it.
        thread::sleep(Duration::from_millis(500));
        end(agent)?;
        if self.setup.resumes_next_minute && unix_minute() == self.started_minute {
            thread::sleep(Duration::from_secs(61 - unix_seconds() % 60));
        }
        let mut agent = DrivenAgent::start(&self.preset, self.home, LaunchMode::Resume(&session))?;
        let turn = agent.prompt_and_wait("Which word was it?");
        self.agent = Some(agent);
        let turn = turn?;
        ensure!(
            turn.text.contains("Persimmon."),
            "its text is {:?}, its outcome {:?}",
            turn.text,
            turn.outcome
        );
        let request = self.last_request()?;
        for text in ["Remember the word persimmon.", "I will.", "Which word was it?"] {
            ensure!(request.contains(text), "the model did not get {text:?}");
        }
        Ok(())
    }
}

/// Number of words in a slow reply.
const SLOW_WORDS: usize = 40;

/// Returns a reply that takes two seconds.
fn slow_reply(word: &str) -> ScriptedTurn {
    // All different: Gemini CLI ends a turn that repeats itself.
    let parts = vec![ReplyPart::Text((0..SLOW_WORDS).map(|number| format!("{word}-{number} ")).collect())];
    ScriptedTurn::Reply(ScriptedReply { parts, pace: Duration::from_millis(50), ..ScriptedReply::default() })
}

/// Returns the names of the messages in a turn.
pub(crate) fn message_names(turn: &driven_agent::EndedTurn) -> Vec<&'static str> {
    let name = |item: &DecodedItem| match item {
        DecodedItem::Message(message) => Some(message.message.name()),
        DecodedItem::Invalid(_) | DecodedItem::NearMiss(_) => None,
    };
    turn.items.iter().filter_map(name).collect()
}

fn unix_seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn unix_minute() -> u64 {
    unix_seconds() / 60
}
