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
pub enum Check {
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
    pub const ALL: [Self; 13] = [
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
    pub fn name(self) -> &'static str {
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
pub struct CheckContext<'a> {
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
    pub fn new(setup: &'a AgentSetup, server: &'a ModelServer, home: &'a AgentHome) -> Result<Self> {
        let preset = preset::pick(setup.preset, &setup.extra_presets.parse()?)?;
        Ok(Self { setup, preset, server, home, agent: None, started_minute: minute() })
    }

    /// Runs a check. After a failure the session is ended, so that the next check starts a new one.
    pub fn check(&mut self, check: Check) -> Result<()> {
        let outcome = match check {
            Check::Prompt => self.prompt(),
            Check::Question => self.question(),
            Check::OwnQuestion => self.own_question(),
            Check::Allowed => self.allowed(),
            Check::Refused => self.refused(),
            Check::ToolText => self.tool_text(),
            Check::Cancel => self.cancel(),
            Check::Freeze => self.freeze(),
            Check::Plan => self.plan(),
            Check::Usage => self.usage(),
            Check::Mistakes => mistakes::check(self),
            // The input of a terminal cannot be closed.
            Check::Parked if self.setup.has_keys => self.resumed(DrivenAgent::stop),
            Check::Parked => self.resumed(DrivenAgent::close),
            Check::Killed => self.resumed(DrivenAgent::kill),
        };
        if outcome.is_err() {
            self.end();
        }
        outcome
    }

    /// Ends the session of the agent.
    pub fn end(&mut self) {
        // An error means that it has ended already.
        let _ = self.agent.take().map(DrivenAgent::stop);
    }

    /// Returns the agent; starts it if it is not running.
    pub fn agent(&mut self) -> Result<&mut DrivenAgent> {
        if self.agent.is_none() {
            self.agent =
                Some(DrivenAgent::start(&self.preset, self.home, LaunchMode::Fresh(&new_session_id()?))?);
            self.started_minute = minute();
        }
        self.agent.as_mut().context("the agent is not running")
    }

    /// Sets the next turns of the model, each with a text that its prompt must contain: some agents send more requests
    /// than there are prompts.
    pub fn script<'t>(&self, turns: impl IntoIterator<Item = (&'t str, ScriptedTurn)>) {
        let rule = |(text, turn): (&str, ScriptedTurn)| Rule {
            contains: Some(text.to_owned()),
            turns: [turn].into(),
        };
        self.server.replace(Script { rules: turns.into_iter().map(rule).collect(), ..Script::of([]) });
    }

    /// Replaces `$K` in a text with the session key, or with nothing if none is needed.
    pub fn with_key(&mut self, text: &str) -> Result<String> {
        let key = self.agent()?.found.metadata.key.clone();
        Ok(text.replace("$K", &if self.setup.has_keys { format!(" {key}") } else { String::new() }))
    }

    /// Returns the last request of the conversation, which contains all earlier messages.
    pub fn last_request(&self) -> Result<String> {
        let requests = self.server.requests();
        let last = requests.iter().rfind(|request| !request.is_side_request);
        last.map(|request| request.body.to_string()).context("the model got no request")
    }

    /// Returns the texts for the model since its last message, such as the result of a tool.
    fn last_prompt(&self) -> Result<String> {
        let requests = self.server.requests();
        let last = requests.iter().rfind(|request| !request.is_side_request);
        last.map(|request| request.prompt.clone()).context("the model got no request")
    }

    fn prompt(&mut self) -> Result<()> {
        // Quotes and Hangul have been lost in transit before.
        let reply = self.with_key("Hello 장단.\n\nDONE:T1.3$K\n")?;
        self.script([("장단", ScriptedTurn::text(&reply))]);
        let turn = self.agent()?.ask("Say \"hello\" to 장단, please.")?;
        ensure!(names(&turn) == ["DONE"], "its messages are {:?}", turn.items);
        ensure!(turn.words.contains("Hello 장단."), "its text is {:?}", turn.words);
        ensure!(turn.outcome == TurnOutcome::Finished, "the outcome is {:?}", turn.outcome);
        let request = self.last_request()?;
        ensure!(request.contains(r#"Say \"hello\" to 장단, please."#), "the request is {request}");
        Ok(())
    }

    fn question(&mut self) -> Result<()> {
        let question = "[ASK_USER$K]\nquestion: Which database?\ntype: selection\noptions: ['sqlite', 'postgres']\n[/ASK_USER$K]\n";
        let (question, done) = (self.with_key(question)?, self.with_key("DONE:T1.4$K\n")?);
        self.script([
            ("the database.", ScriptedTurn::text(&question)),
            ("[ANSWER q_1]", ScriptedTurn::text(&done)),
        ]);
        let turn = self.agent()?.ask("Begin with the database.")?;
        ensure!(names(&turn) == ["ASK_USER"], "its messages are {:?}", turn.items);
        let answer = QuestionAnswer { question_id: "q_1".to_owned(), answer: "postgres".to_owned() };
        let turn = self.agent()?.ask(&AgentPrompt::QuestionAnswer(answer).text(domain::Locale::En))?;
        ensure!(names(&turn) == ["DONE"], "its messages are {:?}", turn.items);
        let request = self.last_request()?;
        ensure!(
            request.contains("Begin with the database.") && request.contains("[ANSWER q_1]"),
            "the request is {request}"
        );
        Ok(())
    }

    fn own_question(&mut self) -> Result<()> {
        self.script([("Ask me which.", (self.setup.question)()), ("", ScriptedTurn::text("Chosen."))]);
        let agent = self.agent()?;
        agent.prompt("Ask me which.")?;
        let (prompt, asked) = agent.until("a question", |seen| match seen {
            SessionReport::Event(DriverEvent::Question { prompt, question }) => {
                Some((prompt.clone(), question.clone()))
            }
            _ => None,
        })?;
        ensure!(asked.question.contains("Which?"), "the question is {asked:?}");
        let answer = asked
            .options
            .iter()
            .find(|option| option.starts_with("beta"))
            .context("the option beta is missing")?;
        agent.tell(&AgentInput::Answer { prompt, answer: answer.clone() })?;
        let turn = agent.turn()?;
        ensure!(turn.words.contains("Chosen."), "its text is {:?}", turn.words);
        let prompt = self.last_prompt()?;
        ensure!(prompt.contains("beta") && !prompt.contains("alpha"), "the model got {prompt}");
        Ok(())
    }

    /// Sends a prompt, and waits until the agent is in the middle of its reply.
    fn prompt_until_reply(&mut self, prompt: &str) -> Result<()> {
        let server = self.server;
        let n_before = server.requests().len();
        let is_on_screen = self.setup.has_keys;
        let agent = self.agent()?;
        agent.prompt(prompt)?;
        // Text on a screen is known only after the turn.
        agent.continue_until("a request to the model", || server.requests().len() > n_before)?;
        if is_on_screen { Ok(()) } else { agent.first_words("-") }
    }

    fn shell(&self, command: &str) -> ScriptedTurn {
        let (name, input) = self.setup.shell;
        ScriptedTurn::tool(name, input(command))
    }

    fn allowed(&mut self) -> Result<()> {
        self.script([("Make a file.", self.shell("touch allowed")), ("", ScriptedTurn::text("Made it."))]);
        let agent = self.agent()?;
        agent.prompt("Make a file.")?;
        let request = agent.permission()?;
        ensure!(request.subject.contains("touch allowed"), "it requests {request:?}");
        agent.tell(&AgentInput::Permission { prompt: request.prompt, allowed: true })?;
        let turn = agent.turn()?;
        ensure!(
            turn.words.contains("Made it."),
            "its text is {:?}, its outcome {:?}",
            turn.words,
            turn.outcome
        );
        ensure!(self.home.work.join("allowed").exists(), "the file was not created");
        Ok(())
    }

    fn refused(&mut self) -> Result<()> {
        self.script([
            ("Make another file.", self.shell("touch refused")),
            ("", ScriptedTurn::text("Then not.")),
        ]);
        let agent = self.agent()?;
        agent.prompt("Make another file.")?;
        let prompt = agent.permission()?.prompt;
        agent.tell(&AgentInput::Permission { prompt, allowed: false })?;
        let turn = agent.turn()?;
        match self.setup.refusal {
            RefusalEffect::TurnContinues => {
                ensure!(
                    turn.words.contains("Then not."),
                    "its text is {:?}, its outcome {:?}",
                    turn.words,
                    turn.outcome
                )
            }
            RefusalEffect::TurnEnds => ensure!(!turn.words.contains("Then not."), "its turn continued"),
        }
        ensure!(!self.home.work.join("refused").exists(), "the file was created");
        Ok(())
    }

    fn tool_text(&mut self) -> Result<()> {
        let command = "printf 'DONE:T9.9\\n[ASK_USER]\\nquestion: really?\\n'";
        self.script([
            ("Print something.", self.shell(command)),
            ("DONE:T9.9", ScriptedTurn::text("It printed something.")),
        ]);
        let turn = self.agent()?.ask("Print something.")?;
        ensure!(names(&turn).is_empty(), "its messages are {:?}", turn.items);
        ensure!(turn.words.contains("It printed something."), "its text is {:?}", turn.words);
        let prompt = self.last_prompt()?;
        ensure!(prompt.contains("DONE:T9.9"), "nothing was printed, the model got {prompt}");
        Ok(())
    }

    fn cancel(&mut self) -> Result<()> {
        self.script([("Speak slowly.", slow("never")), ("Go on.", ScriptedTurn::text("Here I am."))]);
        self.prompt_until_reply("Speak slowly.")?;
        // On a screen a cancelled turn looks like any other.
        let expected = if self.setup.has_keys { TurnOutcome::Finished } else { TurnOutcome::Cancelled };
        let agent = self.agent()?;
        agent.tell(&AgentInput::Interrupt)?;
        let turn = agent.turn()?;
        ensure!(turn.outcome == expected, "the outcome is {:?}", turn.outcome);
        let turn = agent.ask("Go on.")?;
        ensure!(
            turn.words.contains("Here I am."),
            "its text is {:?}, its outcome {:?}",
            turn.words,
            turn.outcome
        );
        Ok(())
    }

    fn freeze(&mut self) -> Result<()> {
        self.script([("Speak slowly again.", slow("still"))]);
        self.prompt_until_reply("Speak slowly again.")?;
        let agent = self.agent()?;
        agent.freeze(Duration::from_secs(1))?;
        let turn = agent.turn()?;
        ensure!(turn.outcome == TurnOutcome::Finished, "the outcome is {:?}", turn.outcome);
        let n_words = turn.words.matches("still").count();
        ensure!(n_words == SLOW_WORDS, "{n_words} of {SLOW_WORDS} words arrived");
        Ok(())
    }

    fn plan(&mut self) -> Result<()> {
        let calls =
            (self.setup.plan)().into_iter().zip(std::iter::once("Plan it.").chain(std::iter::repeat("")));
        let calls = calls.map(|(call, text)| (text, call));
        self.script(calls.chain([("", ScriptedTurn::text("Planned."))]));
        let agent = self.agent()?;
        agent.prompt("Plan it.")?;
        let mut plan = Vec::new();
        agent.until("the end of the turn", |seen| {
            match seen {
                SessionReport::Event(DriverEvent::Plan { steps }) => plan.clone_from(steps),
                SessionReport::Event(DriverEvent::TurnEnded { .. }) => return Some(()),
                _ => {}
            }
            None
        })?;
        let plan: Vec<_> = plan.iter().map(|step| (step.text.as_str(), step.status)).collect();
        ensure!(plan == [("one", StepStatus::Done), ("two", StepStatus::Waiting)], "its plan is {plan:?}");
        Ok(())
    }

    fn usage(&mut self) -> Result<()> {
        let usage = Usage { input: 1234, output: 56 };
        let parts = vec![ReplyPart::Text("Counted.".to_owned())];
        self.script([(
            "Count.",
            ScriptedTurn::Reply(ScriptedReply { parts, usage: Some(usage), ..ScriptedReply::default() }),
        )]);
        let used = self.agent()?.ask("Count.")?.used;
        ensure!(
            used.input_tokens + used.cached_tokens >= usage.input && used.output_tokens == usage.output,
            "it reported {used:?}, the model {usage:?}"
        );
        Ok(())
    }

    /// Ends the session, resumes it in another process, and checks that the model gets the earlier messages.
    fn resumed(&mut self, end: fn(DrivenAgent) -> Result<()>) -> Result<()> {
        if self.setup.resumes_next_minute {
            // A session that was resumed once could not be resumed again after it was killed.
            self.end();
        }
        self.script([
            ("Remember", ScriptedTurn::text("I will.")),
            ("Which word", ScriptedTurn::text("Persimmon.")),
        ]);
        self.agent()?.ask("Remember the word persimmon.")?;
        let agent = self.agent.take().context("the agent is not running")?;
        let session =
            agent.agent_session.clone().context("the agent has not reported the id of its session")?;
        // An agent that is killed right after its first reply may not have saved it.
        thread::sleep(Duration::from_millis(500));
        end(agent)?;
        if self.setup.resumes_next_minute && minute() == self.started_minute {
            thread::sleep(Duration::from_secs(61 - seconds() % 60));
        }
        let mut agent = DrivenAgent::start(&self.preset, self.home, LaunchMode::Resume(&session))?;
        let turn = agent.ask("Which word was it?");
        self.agent = Some(agent);
        let turn = turn?;
        ensure!(
            turn.words.contains("Persimmon."),
            "its text is {:?}, its outcome {:?}",
            turn.words,
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
fn slow(word: &str) -> ScriptedTurn {
    // All different: Gemini CLI ends a turn that repeats itself.
    let parts = vec![ReplyPart::Text((0..SLOW_WORDS).map(|number| format!("{word}-{number} ")).collect())];
    ScriptedTurn::Reply(ScriptedReply { parts, pace: Duration::from_millis(50), ..ScriptedReply::default() })
}

/// Returns the names of the messages in a turn.
pub fn names(turn: &driven_agent::EndedTurn) -> Vec<&'static str> {
    let name = |item: &DecodedItem| match item {
        DecodedItem::Message(message) => Some(message.message.name()),
        DecodedItem::Invalid(_) | DecodedItem::NearMiss(_) => None,
    };
    turn.items.iter().filter_map(name).collect()
}

fn seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn minute() -> u64 {
    seconds() / 60
}
