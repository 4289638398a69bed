//! A long log: a run whose agents have said a lot, fed through the engine as if they had.

use std::{collections::VecDeque, path::Path};

use anyhow::{Context, Result};
use domain::{
    Actor, AgentMessage, Command, MessageOffset, ProgressMessage, RecordedEvent, RunId, Sequence,
    SessionInput, Timestamp, TurnTools,
};
use engine::{Effect, Rejection, Run};
use runtime::DurableRun;
use store::{Log, NewEntry, SqliteLog};
use testkit::run_loop::success_reports;

const PAGE_ENTRIES: usize = 1000;

/// Goes on with a run that waits, until its log has so many entries. It is paused then, and nobody works for it.
///
/// An agent says so much about each task before it is done. Returns how many entries there are.
pub fn fill(data: &Path, run: &str, n_entries: u64, n_said: u64) -> Result<u64> {
    let id: RunId = run.parse()?;
    let log = std::sync::Arc::new(SqliteLog::open(data)?);
    let mut feeding =
        Feeding { run: Run::new(), events: Vec::new(), orders: VecDeque::new(), now: 0, n_said };
    for entry in log.read(&id, Sequence(0), usize::MAX)? {
        feeding.now = entry.at.0;
        drop(feeding.run.apply(&entry.recorded()?));
    }
    let mut recorded = feeding.run.sequence();
    let person = Actor::Person("ana".to_owned());
    feeding.wish(&person, Command::MarkExternalMet { name: "go".to_owned() })?;
    let mut is_paused = false;
    while let Some((effect_id, effect)) = feeding.orders.pop_front() {
        feeding.carry_out(effect_id, effect)?;
        if !is_paused && feeding.run.sequence().0 >= n_entries {
            is_paused = true;
            feeding.wish(&person, Command::PauseRun)?;
        }
        if feeding.events.len() >= PAGE_ENTRIES || feeding.orders.is_empty() {
            let entries =
                feeding.events.drain(..).map(|event| NewEntry::of(&event)).collect::<Result<_, _>>()?;
            log.append(&id, recorded, entries)?;
            recorded = feeding.run.sequence();
        }
    }
    // What the server does now and then, and when it ends.
    let mut durable_run = DurableRun::open(log, id)?;
    durable_run.save().context("save the rows")?;
    Ok(recorded.0)
}

struct Feeding {
    run: Run,
    events: Vec<RecordedEvent>,
    orders: VecDeque<(domain::EffectId, Effect)>,
    now: i64,
    n_said: u64,
}

impl Feeding {
    fn wish(&mut self, actor: &Actor, command: Command) -> Result<()> {
        self.now += 1;
        match self.run.decide(Timestamp(self.now), actor, command) {
            Ok(decision) => {
                self.events.extend(decision.events);
                self.orders.extend(decision.effects);
                Ok(())
            }
            // Two reports may cross; the later one is too late, as in life.
            Err(Rejection::StaleReport | Rejection::UnknownSession { .. }) => Ok(()),
            Err(rejection) => Err(rejection.into()),
        }
    }

    fn carry_out(&mut self, id: domain::EffectId, effect: Effect) -> Result<()> {
        if let Effect::SendInput { session, content, .. } = &effect
            && matches!(**content, SessionInput::Task { .. })
        {
            let session = *session;
            let (typed, done) = {
                let mut answers = success_reports(id, effect);
                (answers.remove(0), answers.pop().context("it is done")?)
            };
            self.wish(&typed.0, typed.1)?;
            let agent = Actor::Agent(session);
            for n in 0..self.n_said {
                let start = 100 + 100 * n;
                let command = if n % 4 == 3 {
                    let words = format!("The tests of step {n} pass now; next are the docs.");
                    Command::EndTurn { read_from: start + 60, text: words, tools: TurnTools::default() }
                } else {
                    let (progress, task) = (Some(n as f64 / self.n_said as f64), Some(format!("step {n}")));
                    let said = Box::new(AgentMessage::Progress(ProgressMessage { progress, task }));
                    Command::ReceiveMessage {
                        offset: MessageOffset { start, ordinal: 0 },
                        read_from: start + 60,
                        message: said,
                    }
                };
                self.wish(&agent, command)?;
            }
            let Command::ReceiveMessage { message: said, .. } = done.1 else { return Ok(()) };
            let heard = MessageOffset { start: 100 + 100 * self.n_said, ordinal: 0 };
            return self.wish(
                &agent,
                Command::ReceiveMessage { offset: heard, read_from: heard.start + 20, message: said },
            );
        }
        for (actor, command) in success_reports(id, effect) {
            self.wish(&actor, command)?;
        }
        Ok(())
    }
}
