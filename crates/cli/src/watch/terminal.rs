//! A run on a terminal: drawn in place below what has scrolled up, with a line for the person to type.

mod tty;

use std::{
    io::{self, Write},
    path::Path,
    time::{Duration, Instant},
};

use domain::{Command, ProvidedResource, RunId, SessionId};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::Value;
use server::{Client, LiveEvent};
use views::{InboxItem, TimelineRow};

use self::tty::Tty;
use super::{Options, Outcome, feed::Feed, load, now, paint::Painter, signals::Signals, waits};
use crate::{
    failure::Failure,
    printable::printable,
    provide, remote,
    screen::{
        Look,
        board::{Board, Seen},
        draw::{Picture, draw, help, whole},
        history::history,
        line::{Line, flat},
        prompt::{Deed, Keys, Prompt},
        words::pick,
    },
};

/// More pictures than this nobody sees.
const PAINT_EVERY: Duration = Duration::from_millis(50);
/// News that are taken between two looks at the keyboard.
const NEWS_AT_ONCE: usize = 500;
/// The clock on the screen shows seconds.
const TICK: Duration = Duration::from_secs(1);
/// How long the rest of an escape sequence may take.
const ESCAPE_WAIT: Duration = Duration::from_millis(50);

pub fn watch(client: &Client, run: &RunId, options: &Options) -> Result<Outcome, Failure> {
    let (board, position) = load(client, run)?;
    let mut feed = Feed::open(client, run, position)?;
    let mut signals = Signals::take()?;
    let tty = Tty::enter().map_err(|error| Failure {
        what: format!("use this terminal: {error}"),
        hint: Some("pipe the output into a file to see plain lines".to_owned()),
        exit: 1,
    })?;
    let has_colours = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
    let mut watcher = Watcher {
        client,
        run,
        options,
        board,
        prompt: Prompt::default(),
        keys: Keys::default(),
        painter: Painter::new(has_colours),
        above: Vec::new(),
        known: Vec::new(),
        painted: None,
        is_away: false,
        has_more: false,
        tty,
    };
    let outcome = watcher.turn(&mut feed, &mut signals);
    watcher.end();
    outcome
}

struct Watcher<'a> {
    client: &'a Client,
    run: &'a RunId,
    options: &'a Options,
    board: Board,
    prompt: Prompt,
    keys: Keys,
    painter: Painter,
    /// Lines that are to scroll up with the next picture.
    above: Vec<Line>,
    /// What the person was called for.
    known: Vec<InboxItem>,
    /// When the last picture was painted; none where there must be a new one at once.
    painted: Option<Instant>,
    is_away: bool,
    /// Whether there may be more news.
    has_more: bool,
    tty: Tty,
}

impl Watcher<'_> {
    fn turn(&mut self, feed: &mut Feed<'_>, signals: &mut Signals) -> Result<Outcome, Failure> {
        loop {
            self.hear(feed)?;
            self.call();
            if let Some(outcome) = self.board.run.as_ref().and_then(Outcome::of) {
                return Ok(outcome);
            }
            if signals.is_ended() {
                return Ok(Outcome::Left);
            }
            if self.options.no_wait && waits(self.client, self.run, &self.board)? {
                return Ok(Outcome::WaitsForPerson);
            }
            self.paint();
            if let Some(outcome) = self.rest(feed, signals)? {
                return Ok(outcome);
            }
        }
    }

    /// Takes the news that are there, but no more than leaves the person time to type.
    fn hear(&mut self, feed: &mut Feed<'_>) -> Result<(), Failure> {
        self.has_more = true;
        for _ in 0..NEWS_AT_ONCE {
            let Some(event) = feed.next()? else {
                self.has_more = false;
                break;
            };
            match event {
                LiveEvent::Changed(changed) => {
                    let line = self.board.take(&changed.kind, &changed.key, changed.row.as_ref());
                    self.scroll(line);
                }
                LiveEvent::Seen(seen) => self.see(seen.session, &seen.what),
                LiveEvent::Lost { .. } | LiveEvent::Refused(_) => {}
            }
        }
        self.is_away = feed.is_away()?;
        self.prompt.look(&self.board, self.options.locale);
        Ok(())
    }

    fn scroll(&mut self, row: Option<TimelineRow>) {
        let line = row.and_then(|row| history(self.look(), &self.board, &row));
        self.above.extend(line);
    }

    fn see(&mut self, session: SessionId, what: &Value) {
        let text = |key: &str| what.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let seen = match what.get("type").and_then(Value::as_str) {
            Some("words") => Seen::Words(text("text")),
            Some("tool") => Seen::Tool(text("title")),
            Some("trouble") => Seen::Trouble(text("text")),
            _ => return,
        };
        self.board.see(session, seen);
    }

    /// Calls the person for what is new in the inbox: a bell, and the title of the window.
    fn call(&mut self) {
        let items: Vec<InboxItem> = self.board.inbox().iter().map(|row| row.item).collect();
        if items == self.known {
            return;
        }
        let is_new = items.iter().any(|item| !self.known.contains(item));
        let name = self.board.run.as_ref().map(|run| flat(&run.title)).unwrap_or_default();
        let title = match (items.len(), self.options.locale) {
            (0, _) => format!("jangdan: {name}"),
            (n, domain::Locale::En) => format!("({n}) waits for you: {name}"),
            (n, domain::Locale::Ko) => format!("({n}) 내 차례: {name}"),
        };
        self.known = items;
        let bell = if is_new { "\x07" } else { "" };
        self.write(&format!("\x1b]2;{}\x07{bell}", printable(&title)));
    }

    /// Waits until a key, a signal, news or the next second comes.
    fn rest(&mut self, feed: &mut Feed<'_>, signals: &mut Signals) -> Result<Option<Outcome>, Failure> {
        let stdin = io::stdin();
        let time = match (self.has_more, self.keys.is_waiting()) {
            (true, _) => Duration::ZERO,
            (false, true) => ESCAPE_WAIT,
            (false, false) => TICK,
        };
        let [typed, woken, signalled] = {
            let mut polled = [
                PollFd::new(&stdin, PollFlags::IN),
                PollFd::from_borrowed_fd(feed.wake(), PollFlags::IN),
                PollFd::from_borrowed_fd(signals.wake(), PollFlags::IN),
            ];
            let nanoseconds = i64::from(time.subsec_nanos());
            let wait = Timespec { tv_sec: i64::from(time.as_secs() > 0), tv_nsec: nanoseconds };
            let _ = poll(&mut polled, Some(&wait));
            polled.map(|one| !one.revents().is_empty())
        };
        if signalled {
            signals.quiet();
            self.tty.again();
            self.painted = None;
        }
        if woken {
            feed.quiet();
            // Those who write a lot are looked at a few times a second, not with each word.
            if let Some(painted) = self.painted {
                std::thread::sleep(PAINT_EVERY.saturating_sub(painted.elapsed()));
            }
        }
        if typed {
            return self.take_keys();
        }
        if !woken
            && !signalled
            && !self.has_more
            && let Some(key) = self.keys.pause()
        {
            return self.press(key);
        }
        Ok(None)
    }

    fn take_keys(&mut self) -> Result<Option<Outcome>, Failure> {
        let mut buffer = [0; 4096];
        let length = rustix::io::read(io::stdin(), &mut buffer).unwrap_or(0);
        if length == 0 {
            // The terminal is gone.
            return Ok(Some(Outcome::Left));
        }
        for key in self.keys.push(buffer.get(..length).unwrap_or_default()) {
            if let Some(outcome) = self.press(key)? {
                return Ok(Some(outcome));
            }
        }
        Ok(None)
    }

    fn press(&mut self, key: crate::screen::prompt::Key) -> Result<Option<Outcome>, Failure> {
        let look = self.look();
        let deed = self.prompt.press(key, &self.board, look.locale, look.now);
        match deed {
            Deed::Nothing => {}
            Deed::Wish(command, line) => {
                if let Err(failure) = self.wish(command) {
                    self.prompt.refused(&line, failure.what);
                }
            }
            Deed::Help => self.above.extend(help(look)),
            Deed::View => {
                let entry = self.prompt.entry(&self.board, look.locale, look.now);
                self.above.extend(entry.iter().flat_map(|entry| whole(look, entry)));
            }
            Deed::LeaveWorking => return Ok(Some(Outcome::Left)),
            Deed::StopAgents => return Ok(Some(Outcome::StopAgents)),
            Deed::Suspend => {
                let left = self.painter.leave();
                self.write(&left);
                self.tty.suspend();
            }
            Deed::Redraw => {
                self.painter.forget();
                self.write("\x1b[2J\x1b[H");
            }
        }
        Ok(None)
    }

    fn wish(&self, command: Command) -> Result<(), Failure> {
        let command = match command {
            Command::Provide { request, provided: ProvidedResource::File { path } } => {
                Command::Provide { request, provided: provide::file(Path::new(&path))? }
            }
            other => other,
        };
        let wished = self.client.wish(self.run, &self.options.person, &command);
        wished.map(drop).map_err(|error| remote::failure(&error))
    }

    fn paint(&mut self) {
        let look = self.look();
        let mut picture = draw(look, &self.board, &self.prompt);
        if self.is_away {
            let away = pick(look.locale, "the server does not answer", "서버가 응답하지 않음");
            if let Some(first) = picture.lines.first_mut() {
                *first = Line::of(anstyle::AnsiColor::Red.on_default(), away).cut(look.width);
            }
        }
        self.paint_picture(look, &picture);
    }

    fn paint_picture(&mut self, look: Look, picture: &Picture) {
        let above = std::mem::take(&mut self.above);
        let bytes = self.painter.paint(&above, picture, look.width);
        self.write(&bytes);
        self.painted = Some(Instant::now());
    }

    /// Leaves the last picture behind, without the line to type on.
    fn end(&mut self) {
        let look = self.look();
        let mut picture = draw(look, &self.board, &Prompt::default());
        if self.board.run.as_ref().is_some_and(|run| run.ended_at.is_none()) {
            picture.lines.pop();
        }
        picture.cursor = (picture.lines.len().saturating_sub(1), 0);
        self.paint_picture(look, &picture);
        let left = self.painter.leave();
        self.write(&left);
    }

    fn look(&self) -> Look {
        let (width, height) = tty::size();
        Look { locale: self.options.locale, width, height, now: now() }
    }

    fn write(&mut self, bytes: &str) {
        // A terminal that is gone shows itself at the next key.
        let mut out = io::stdout().lock();
        let _ = out.write_all(bytes.as_bytes());
        let _ = out.flush();
    }
}
