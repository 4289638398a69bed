//! What must hold of every way to speak with an agent, each check a conversation with the scripted model.

use std::{
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use anyhow::{Context, Result, ensure};
use drivers::{
    Happening, StepStatus, Told, TurnOutcome,
    preset::{self, Launch, Preset},
};
use model_server::{ModelServer, Rule, Says, Script, Speech, Turn, Usage};
use protocol::{
    Item,
    say::{QuestionAnswer, Say},
};
use sessions::{Seen, new_session_id};

use crate::{
    led::{self, Led},
    place::Place,
    slips,
    ways::{Refusal, Way},
};

/// What is checked, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// A prompt is answered, and the words' messages are heard.
    Prompt,
    /// A question of the protocol is answered in the same session.
    Question,
    /// A question that the agent has a tool for.
    OwnQuestion,
    /// A permission is asked and given.
    Allowed,
    /// A permission is asked and refused.
    Refused,
    /// What a tool prints is no message.
    ToolText,
    /// A turn is stopped, and the session goes on.
    Cancel,
    /// All processes are stopped in the middle of a turn, and go on.
    Freeze,
    /// What it is going to do is told.
    Plan,
    /// Tokens are told.
    Usage,
    /// Slips that a model makes with the protocol.
    Slips,
    /// Ended by closing its input, and resumed.
    Parked,
    /// Killed with its holder, and resumed.
    Killed,
}

impl Check {
    /// All of them.
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
        Self::Slips,
        Self::Parked,
        Self::Killed,
    ];

    /// Its name in the table.
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
            Self::Slips => "slips",
            Self::Parked => "parked",
            Self::Killed => "killed",
        }
    }
}

/// A way with its model and its place.
pub struct Stage<'a> {
    way: &'a Way,
    preset: Preset,
    /// The model that it asks.
    pub server: &'a ModelServer,
    place: &'a Place,
    led: Option<Led>,
    /// The minute in which the agent was ready.
    began: u64,
}

impl<'a> Stage<'a> {
    /// Prepares everything; the agent is started by the first check.
    pub fn new(way: &'a Way, server: &'a ModelServer, place: &'a Place) -> Result<Self> {
        let preset = preset::pick(way.preset, &way.added.parse()?)?;
        Ok(Self { way, preset, server, place, led: None, began: minute() })
    }

    /// Does a check. One that fails ends the session, so that the next one begins anew.
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
            Check::Slips => slips::check(self),
            // A terminal has no end of its input.
            Check::Parked if self.way.has_keys => self.resumed(Led::stop),
            Check::Parked => self.resumed(Led::close),
            Check::Killed => self.resumed(Led::kill),
        };
        if outcome.is_err() {
            self.end();
        }
        outcome
    }

    /// Ends the agent.
    pub fn end(&mut self) {
        // One that is gone already needs no end.
        let _ = self.led.take().map(Led::stop);
    }

    /// Returns the agent, started where there is none.
    pub fn led(&mut self) -> Result<&mut Led> {
        if self.led.is_none() {
            self.led = Some(Led::start(&self.preset, self.place, Launch::Fresh(&new_session_id()?))?);
            self.began = minute();
        }
        self.led.as_mut().context("it was started")
    }

    /// Makes the model say these things next, each when it hears certain words. Some agents ask more than we do.
    pub fn script<'t>(&self, turns: impl IntoIterator<Item = (&'t str, Turn)>) {
        let rule = |(hears, turn): (&str, Turn)| Rule { hears: Some(hears.to_owned()), turns: [turn].into() };
        self.server.replace(Script { rules: turns.into_iter().map(rule).collect(), ..Script::of([]) });
    }

    /// Returns a text with the session's key where it must have one.
    pub fn keyed(&mut self, text: &str) -> Result<String> {
        let key = self.led()?.found.about.key.clone();
        Ok(text.replace("$K", &if self.way.has_keys { format!(" {key}") } else { String::new() }))
    }

    /// Returns what the model heard last in the conversation, with all that was before.
    pub fn heard(&self) -> Result<String> {
        let recorded = self.server.recorded();
        let last = recorded.iter().rfind(|request| !request.is_aside);
        last.map(|request| request.body.to_string()).context("the model was asked nothing")
    }

    /// Returns what the model heard since it last spoke: of a tool, what came of it.
    fn answered(&self) -> Result<String> {
        let recorded = self.server.recorded();
        let last = recorded.iter().rfind(|request| !request.is_aside);
        last.map(|request| request.words.clone()).context("the model was asked nothing")
    }

    fn prompt(&mut self) -> Result<()> {
        // Quotes and Hangul have been lost on the way before.
        let said = self.keyed("Hello 장단.\n\nDONE:T1.3$K\n")?;
        self.script([("장단", Turn::text(&said))]);
        let turn = self.led()?.ask("Say \"hello\" to 장단, please.")?;
        ensure!(names(&turn) == ["DONE"], "it said {:?}", turn.items);
        ensure!(turn.words.contains("Hello 장단."), "its words are {:?}", turn.words);
        ensure!(turn.outcome == TurnOutcome::Finished, "it ended with {:?}", turn.outcome);
        let heard = self.heard()?;
        ensure!(heard.contains(r#"Say \"hello\" to 장단, please."#), "the model heard {heard}");
        Ok(())
    }

    fn question(&mut self) -> Result<()> {
        let asks = "[ASK_USER$K]\nquestion: Which database?\ntype: selection\noptions: ['sqlite', 'postgres']\n[/ASK_USER$K]\n";
        let (asks, done) = (self.keyed(asks)?, self.keyed("DONE:T1.4$K\n")?);
        self.script([("the database.", Turn::text(&asks)), ("[ANSWER q_1]", Turn::text(&done))]);
        let turn = self.led()?.ask("Begin with the database.")?;
        ensure!(names(&turn) == ["ASK_USER"], "it said {:?}", turn.items);
        let answer = QuestionAnswer { question_id: "q_1".to_owned(), answer: "postgres".to_owned() };
        let turn = self.led()?.ask(&Say::QuestionAnswer(answer).text(domain::Locale::En))?;
        ensure!(names(&turn) == ["DONE"], "it said {:?}", turn.items);
        let heard = self.heard()?;
        ensure!(
            heard.contains("Begin with the database.") && heard.contains("[ANSWER q_1]"),
            "the model heard {heard}"
        );
        Ok(())
    }

    fn own_question(&mut self) -> Result<()> {
        self.script([("Ask me which.", (self.way.question)()), ("", Turn::text("Chosen."))]);
        let led = self.led()?;
        led.prompt("Ask me which.")?;
        let (prompt, asked) = led.until("a question", |seen| match seen {
            Seen::Happened(Happening::Prompt { prompt, asked }) => Some((prompt.clone(), asked.clone())),
            _ => None,
        })?;
        ensure!(asked.question.contains("Which?"), "it asks {asked:?}");
        let answer =
            asked.options.iter().find(|option| option.starts_with("beta")).context("beta is offered")?;
        led.tell(&Told::Answer { prompt, answer: answer.clone() })?;
        let turn = led.turn()?;
        ensure!(turn.words.contains("Chosen."), "it said {:?}", turn.words);
        let answered = self.answered()?;
        ensure!(answered.contains("beta") && !answered.contains("alpha"), "the model heard {answered}");
        Ok(())
    }

    /// Tells it something, and waits until it is in the middle of its answer.
    fn until_it_speaks(&mut self, prompt: &str) -> Result<()> {
        let server = self.server;
        let n_before = server.recorded().len();
        let is_on_screen = self.way.has_keys;
        let led = self.led()?;
        led.prompt(prompt)?;
        // Words on a screen are known when the turn is over.
        led.go_on_until("a question to the model", || server.recorded().len() > n_before)?;
        if is_on_screen { Ok(()) } else { led.first_words("-") }
    }

    fn shell(&self, command: &str) -> Turn {
        let (name, input) = self.way.shell;
        Turn::tool(name, input(command))
    }

    fn allowed(&mut self) -> Result<()> {
        self.script([("Make a file.", self.shell("touch allowed")), ("", Turn::text("Made it."))]);
        let led = self.led()?;
        led.prompt("Make a file.")?;
        let wish = led.permission()?;
        ensure!(wish.subject.contains("touch allowed"), "it asks for {wish:?}");
        led.tell(&Told::Permission { prompt: wish.prompt, allowed: true })?;
        let turn = led.turn()?;
        ensure!(turn.words.contains("Made it."), "it said {:?}, {:?}", turn.words, turn.outcome);
        ensure!(self.place.work.join("allowed").exists(), "there is no file");
        Ok(())
    }

    fn refused(&mut self) -> Result<()> {
        self.script([("Make another file.", self.shell("touch refused")), ("", Turn::text("Then not."))]);
        let led = self.led()?;
        led.prompt("Make another file.")?;
        let prompt = led.permission()?.prompt;
        led.tell(&Told::Permission { prompt, allowed: false })?;
        let turn = led.turn()?;
        match self.way.refusal {
            Refusal::GoesOn => {
                ensure!(turn.words.contains("Then not."), "it said {:?}, {:?}", turn.words, turn.outcome)
            }
            Refusal::EndsTurn => ensure!(!turn.words.contains("Then not."), "its turn went on"),
        }
        ensure!(!self.place.work.join("refused").exists(), "the file is there");
        Ok(())
    }

    fn tool_text(&mut self) -> Result<()> {
        let command = "printf 'DONE:T9.9\\n[ASK_USER]\\nquestion: really?\\n'";
        self.script([
            ("Print something.", self.shell(command)),
            ("DONE:T9.9", Turn::text("It printed something.")),
        ]);
        let turn = self.led()?.ask("Print something.")?;
        ensure!(names(&turn).is_empty(), "it said {:?}", turn.items);
        ensure!(turn.words.contains("It printed something."), "it said {:?}", turn.words);
        let answered = self.answered()?;
        ensure!(answered.contains("DONE:T9.9"), "nothing was printed, the model heard {answered}");
        Ok(())
    }

    fn cancel(&mut self) -> Result<()> {
        self.script([("Speak slowly.", slow("never")), ("Go on.", Turn::text("Here I am."))]);
        self.until_it_speaks("Speak slowly.")?;
        // On a screen a turn that was stopped ends as any other.
        let expected = if self.way.has_keys { TurnOutcome::Finished } else { TurnOutcome::Cancelled };
        let led = self.led()?;
        led.tell(&Told::Interrupt)?;
        let turn = led.turn()?;
        ensure!(turn.outcome == expected, "it ended with {:?}", turn.outcome);
        let turn = led.ask("Go on.")?;
        ensure!(turn.words.contains("Here I am."), "it said {:?}, {:?}", turn.words, turn.outcome);
        Ok(())
    }

    fn freeze(&mut self) -> Result<()> {
        self.script([("Speak slowly again.", slow("still"))]);
        self.until_it_speaks("Speak slowly again.")?;
        let led = self.led()?;
        led.freeze(Duration::from_secs(1))?;
        let turn = led.turn()?;
        ensure!(turn.outcome == TurnOutcome::Finished, "it ended with {:?}", turn.outcome);
        let n_words = turn.words.matches("still").count();
        ensure!(n_words == SLOW_WORDS, "{n_words} of {SLOW_WORDS} words came");
        Ok(())
    }

    fn plan(&mut self) -> Result<()> {
        let calls =
            (self.way.plan)().into_iter().zip(std::iter::once("Plan it.").chain(std::iter::repeat("")));
        let calls = calls.map(|(call, hears)| (hears, call));
        self.script(calls.chain([("", Turn::text("Planned."))]));
        let led = self.led()?;
        led.prompt("Plan it.")?;
        let mut plan = Vec::new();
        led.until("the end of the turn", |seen| {
            match seen {
                Seen::Happened(Happening::Plan { steps }) => plan.clone_from(steps),
                Seen::Happened(Happening::TurnEnded { .. }) => return Some(()),
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
        let says = vec![Says::Text("Counted.".to_owned())];
        self.script([("Count.", Turn::Says(Speech { says, usage: Some(usage), ..Speech::default() }))]);
        let used = self.led()?.ask("Count.")?.used;
        ensure!(
            used.input_tokens + used.cached_tokens >= usage.input && used.output_tokens == usage.output,
            "it told {used:?}, the model said {usage:?}"
        );
        Ok(())
    }

    /// Ends the session in some way, begins it again in another process, and looks whether the model hears of before.
    fn resumed(&mut self, end: fn(Led) -> Result<()>) -> Result<()> {
        if self.way.rests {
            // A session that had come back was not found again after it was killed.
            self.end();
        }
        self.script([("Remember", Turn::text("I will.")), ("Which word", Turn::text("Persimmon."))]);
        self.led()?.ask("Remember the word persimmon.")?;
        let led = self.led.take().context("it was started")?;
        let session = led.agent_session.clone().context("it has said its session's id")?;
        // An agent that is killed at once after its first answer may not have written it down.
        thread::sleep(Duration::from_millis(500));
        end(led)?;
        if self.way.rests && minute() == self.began {
            thread::sleep(Duration::from_secs(61 - seconds() % 60));
        }
        let mut led = Led::start(&self.preset, self.place, Launch::Resume(&session))?;
        let turn = led.ask("Which word was it?");
        self.led = Some(led);
        let turn = turn?;
        ensure!(turn.words.contains("Persimmon."), "it said {:?}, {:?}", turn.words, turn.outcome);
        let heard = self.heard()?;
        for words in ["Remember the word persimmon.", "I will.", "Which word was it?"] {
            ensure!(heard.contains(words), "the model did not hear {words:?}");
        }
        Ok(())
    }
}

/// As many words are said slowly.
const SLOW_WORDS: usize = 40;

/// Words that take two seconds.
fn slow(word: &str) -> Turn {
    // No two are alike: Gemini CLI ends a turn that repeats itself.
    let says = vec![Says::Text((0..SLOW_WORDS).map(|number| format!("{word}-{number} ")).collect())];
    Turn::Says(Speech { says, pace: Duration::from_millis(50), ..Speech::default() })
}

/// Returns the names of the messages in a turn.
pub fn names(turn: &led::Turn) -> Vec<&'static str> {
    let name = |item: &Item| match item {
        Item::Message(message) => Some(message.said.name()),
        Item::Invalid(_) | Item::Near(_) => None,
    };
    turn.items.iter().filter_map(name).collect()
}

fn seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn minute() -> u64 {
    seconds() / 60
}
