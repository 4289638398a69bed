//! A run as plain lines, for whoever sees no screen: one for each event that a person wants.

use std::{
    io::{self, Write},
    time::Duration,
};

use domain::{Locale, RunId};
use server::{Client, LiveEvent};
use views::{InboxItem, InboxRow, RunRow};

use super::{Options, Outcome, feed::Feed, load, now, signals::Signals, waits};
use crate::{
    failure::Failure,
    screen::{
        Look,
        board::Board,
        draw::{draw, whole},
        entry::entry,
        history::plain,
        line::Line,
        prompt::Prompt,
    },
};

/// How long one look at a silent run lasts.
const LOOK: Duration = Duration::from_millis(200);
/// How wide the lines of an entry are.
const WIDTH: usize = 100;

pub fn watch(client: &Client, run: &RunId, options: &Options) -> Result<Outcome, Failure> {
    let signals = Signals::take()?;
    let (board, position) = load(client, run)?;
    let mut feed = Feed::open(client, run, position)?;
    let mut plain = Plain { board, options, told: Vec::new() };
    match plain.turn(client, run, &mut feed, &signals) {
        Ok(outcome) => Ok(outcome),
        Err(Stop::Failure(failure)) => Err(failure),
        Err(Stop::Output(error)) => Failure::from_output(&error).map_or(Ok(Outcome::Left), Err),
    }
}

/// Why it ends before the run does.
enum Stop {
    Failure(Failure),
    Output(io::Error),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

struct Plain<'a> {
    board: Board,
    options: &'a Options,
    /// What the person was told of.
    told: Vec<InboxItem>,
}

impl Plain<'_> {
    fn turn(
        &mut self,
        client: &Client,
        run: &RunId,
        feed: &mut Feed<'_>,
        signals: &Signals,
    ) -> Result<Outcome, Stop> {
        self.tell_inbox()?;
        loop {
            if let Some(outcome) = self.board.run.as_ref().and_then(Outcome::of) {
                self.tell_end()?;
                return Ok(outcome);
            }
            if signals.is_ended() {
                return Ok(Outcome::Left);
            }
            match feed.wait(LOOK)? {
                Some(LiveEvent::Changed(changed)) => {
                    let line = self.board.take(&changed.kind, &changed.key, changed.row.as_ref());
                    if let Some(row) = line {
                        print(&[plain(&row)])?;
                    }
                }
                Some(LiveEvent::Seen(_) | LiveEvent::Lost { .. } | LiveEvent::Refused(_)) => {}
                None => {
                    feed.is_away()?;
                    self.tell_inbox()?;
                    if self.options.no_wait && waits(client, run, &self.board)? {
                        return Ok(Outcome::WaitsForPerson);
                    }
                }
            }
        }
    }

    /// Tells what waits for the person, each once, with the command that settles it.
    fn tell_inbox(&mut self) -> io::Result<()> {
        let look = self.look();
        let inbox: Vec<InboxRow> = self.board.inbox().into_iter().cloned().collect();
        self.told.retain(|item| inbox.iter().any(|row| row.item == *item));
        let Some(run) = &self.board.run else { return Ok(()) };
        for row in inbox {
            let Some(entry) = entry(&self.board, look.locale, look.now, &row) else { continue };
            if !self.told.contains(&row.item) {
                self.told.push(row.item);
                let mut lines = whole(look, &entry);
                lines.push(how(look.locale, run, &row));
                print(&lines)?;
            }
        }
        Ok(())
    }

    fn tell_end(&self) -> io::Result<()> {
        print(&draw(self.look(), &self.board, &Prompt::default()).lines)
    }

    fn look(&self) -> Look {
        Look { locale: self.options.locale, width: WIDTH, height: 40, now: now() }
    }
}

/// Returns the command that settles an entry.
fn how(locale: Locale, run: &RunRow, row: &InboxRow) -> Line {
    let run = &run.id;
    let command = match row.item {
        InboxItem::Question(id) => format!("jangdan answer {id} TEXT --run {run}"),
        InboxItem::Request(id) => {
            format!("jangdan provide {id} --run {run}, jangdan refuse {id} REASON --run {run}")
        }
        InboxItem::Gate(phase) => {
            format!("jangdan approve {phase} --run {run}, jangdan reject {phase} REASON --run {run}")
        }
        InboxItem::Escalation(id) => format!("jangdan resolve {id} NUMBER --run {run}"),
        InboxItem::Plan(_) => format!("jangdan plan take --run {run}, jangdan plan leave --run {run}"),
        InboxItem::Invocation(_) => String::new(),
    };
    let lead = crate::screen::words::pick(locale, "  settle it with:", "  처리:");
    Line::of(anstyle::Style::new().dimmed(), &format!("{lead} {command}"))
}

fn print(lines: &[Line]) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    for line in lines {
        writeln!(out, "{}", line.painted())?;
    }
    out.flush()
}
