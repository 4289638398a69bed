//! Generates a long log: a run whose agents send many messages, decided by the engine.

use std::{collections::VecDeque, path::Path};

use anyhow::{Context, Result};
use domain::{
    AgentMessage, AgentOutput, MessageOffset, ProgressMessage, RecordedEvent, RunId, RunInput, Sequence,
    SessionInput, Timestamp, TurnTools, UserCommand,
};
use engine::{Effect, Rejection, Run};
use runtime::DurableRun;
use store::{Log, NewEntry, SqliteLog};
use testkit::run_loop::success_inputs;

const PAGE_ENTRIES: usize = 1000;

/// Continues a waiting run until its log has `n_entries`, then pauses it.
///
/// An agent sends `n_messages` for each task before it is done. Returns the number of entries.
pub(crate) fn fill(data: &Path, run: &str, n_entries: u64, n_messages: u64) -> Result<u64> {
    let id: RunId = run.parse()?;
    let log = std::sync::Arc::new(SqliteLog::open(data)?);
    let mut generator = HistoryGenerator {
        run: Run::new(),
        events: Vec::new(),
        effects: VecDeque::new(),
        now: 0,
        n_messages,
    };
    for entry in log.read(&id, Sequence(0), usize::MAX)? {
        generator.now = entry.at.0;
        drop(generator.run.apply(&entry.to_recorded_event()?));
    }
    let mut recorded = generator.run.sequence();
    let command = |command| RunInput::User { person: "ana".to_owned(), origin: None, command };
    generator.execute(command(UserCommand::MarkExternalMet { name: "go".to_owned() }))?;
    let mut is_paused = false;
    while let Some((effect_id, effect)) = generator.effects.pop_front() {
        generator.complete_effect(effect_id, effect)?;
        if !is_paused && generator.run.sequence().0 >= n_entries {
            is_paused = true;
            generator.execute(command(UserCommand::PauseRun))?;
        }
        if generator.events.len() >= PAGE_ENTRIES || generator.effects.is_empty() {
            let entries = generator
                .events
                .drain(..)
                .map(|event| NewEntry::from_event(&event))
                .collect::<Result<_, _>>()?;
            log.append(&id, recorded, entries)?;
            recorded = generator.run.sequence();
        }
    }
    // The server saves the rows periodically and when it stops.
    let mut durable_run = DurableRun::open(log, id)?;
    durable_run.save_rows().context("save the rows")?;
    Ok(recorded.0)
}

struct HistoryGenerator {
    run: Run,
    events: Vec<RecordedEvent>,
    effects: VecDeque<(domain::EffectId, Effect)>,
    now: i64,
    n_messages: u64,
}

impl HistoryGenerator {
    fn execute(&mut self, input: RunInput) -> Result<()> {
        self.now += 1;
        match self.run.decide(Timestamp(self.now), input) {
            Ok(decision) => {
                self.events.extend(decision.events);
                self.effects.extend(decision.effects);
                Ok(())
            }
            // Reports may cross; the later one is stale.
            Err(Rejection::StaleReport | Rejection::UnknownSession { .. }) => Ok(()),
            Err(rejection) => Err(rejection.into()),
        }
    }

    fn complete_effect(&mut self, id: domain::EffectId, effect: Effect) -> Result<()> {
        if let Effect::SendInput { session, content, .. } = &effect
            && matches!(**content, SessionInput::Task { .. })
        {
            let session = *session;
            let (delivered, done) = {
                let mut inputs = success_inputs(id, effect);
                (inputs.remove(0), inputs.pop().context("a message of the agent")?)
            };
            self.execute(delivered)?;
            for n in 0..self.n_messages {
                let start = 100 + 100 * n;
                let output = if n % 4 == 3 {
                    let text = format!("The tests of step {n} pass now; next are the docs.");
                    AgentOutput::TurnEnded {
                        read_from: start + 60,
                        text,
                        tools: TurnTools::default(),
                        failure: None,
                    }
                } else {
                    let (progress, task) =
                        (Some(n as f64 / self.n_messages as f64), Some(format!("step {n}")));
                    let message = Box::new(AgentMessage::Progress(ProgressMessage { progress, task }));
                    AgentOutput::Message {
                        offset: MessageOffset { start, ordinal: 0 },
                        read_from: start + 60,
                        message,
                    }
                };
                self.execute(RunInput::Agent { session, output })?;
            }
            let RunInput::Agent { output: AgentOutput::Message { message, .. }, .. } = done else {
                return Ok(());
            };
            let offset = MessageOffset { start: 100 + 100 * self.n_messages, ordinal: 0 };
            let output = AgentOutput::Message { offset, read_from: offset.start + 20, message };
            return self.execute(RunInput::Agent { session, output });
        }
        for input in success_inputs(id, effect) {
            self.execute(input)?;
        }
        Ok(())
    }
}
