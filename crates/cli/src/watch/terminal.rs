//! Watches a run on a terminal: redraws the screen in place, with an input line.

mod tty;

use std::{
    io::{self, Write},
    path::Path,
    time::{Duration, Instant},
};

use domain::{ProvidedResource, RunId, SessionId, UserCommand};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::Value;
use server::{Client, LiveEvent};
use views::{InboxItem, TimelineRow};

use self::tty::Tty;
use super::{
    WatchOptions, WatchOutcome, event_stream::EventStream, load_board, needs_user, now, paint::Painter,
    signals::Signals,
};
use crate::{
    failure::Failure,
    localized::localized,
    printable::printable,
    provide, remote,
    screen::{
        DrawContext,
        board::{Board, SessionActivity},
        draw::{Frame, draw, full_entry_lines, help},
        history::history_line,
        line::{Line, collapse_whitespace},
        phrases::pick_by_locale,
        prompt::{KeyReader, Prompt, PromptAction},
    },
};

/// Minimum time between two frames.
const FRAME_INTERVAL: Duration = Duration::from_millis(50);
/// Events that are applied before the keyboard is polled again.
const EVENTS_PER_POLL: usize = 500;
/// The screen shows seconds.
const TICK: Duration = Duration::from_secs(1);
/// How long the rest of an escape sequence may take.
const ESCAPE_TIMEOUT: Duration = Duration::from_millis(50);

pub(super) fn watch(client: &Client, run: &RunId, options: &WatchOptions) -> Result<WatchOutcome, Failure> {
    let (board, position) = load_board(client, run)?;
    let mut stream = EventStream::open(client, run, position)?;
    let mut signals = Signals::install()?;
    let tty = Tty::enter_raw_mode().map_err(|error| Failure {
        what: localized(
            format!("Cannot control this terminal ({error})."),
            format!("이 터미널을 제어할 수 없습니다({error})."),
        ),
        hint: Some(localized(
            "Pipe the output to get plain lines: jangdan watch | cat",
            "출력을 파이프로 넘기면 일반 텍스트로 볼 수 있습니다: jangdan watch | cat",
        )),
        exit: 1,
    })?;
    let has_colours = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
    let mut watcher = TerminalWatcher {
        client,
        run,
        options,
        board,
        prompt: Prompt::default(),
        keys: KeyReader::default(),
        painter: Painter::new(has_colours),
        above: Vec::new(),
        notified: Vec::new(),
        painted: None,
        is_offline: false,
        has_more: false,
        tty,
    };
    let outcome = watcher.run(&mut stream, &mut signals);
    watcher.paint_last_frame();
    outcome
}

struct TerminalWatcher<'a> {
    client: &'a Client,
    run: &'a RunId,
    options: &'a WatchOptions,
    board: Board,
    prompt: Prompt,
    keys: KeyReader,
    painter: Painter,
    /// Lines that scroll up with the next frame.
    above: Vec<Line>,
    /// Entries that the user was notified of.
    notified: Vec<InboxItem>,
    /// Time of the last frame; `None` to paint at once.
    painted: Option<Instant>,
    is_offline: bool,
    /// Whether more events may be queued.
    has_more: bool,
    tty: Tty,
}

impl TerminalWatcher<'_> {
    fn run(&mut self, stream: &mut EventStream<'_>, signals: &mut Signals) -> Result<WatchOutcome, Failure> {
        loop {
            self.apply_events(stream)?;
            self.notify();
            if let Some(outcome) = self.board.run.as_ref().and_then(WatchOutcome::from_run) {
                return Ok(outcome);
            }
            if signals.is_terminated() {
                return Ok(WatchOutcome::Detached);
            }
            if self.options.no_wait && needs_user(self.client, self.run, &self.board)? {
                return Ok(WatchOutcome::NeedsUser);
            }
            self.paint();
            if let Some(outcome) = self.wait(stream, signals)? {
                return Ok(outcome);
            }
        }
    }

    /// Applies queued events, up to a limit so that keys are handled in time.
    fn apply_events(&mut self, stream: &mut EventStream<'_>) -> Result<(), Failure> {
        self.has_more = true;
        for _ in 0..EVENTS_PER_POLL {
            let Some(event) = stream.next()? else {
                self.has_more = false;
                break;
            };
            match event {
                LiveEvent::Changed(changed) => {
                    let line = self.board.apply_change(&changed.kind, &changed.key, changed.row.as_ref());
                    self.queue_history_line(line);
                }
                LiveEvent::Activity(seen) => self.record_activity(seen.session, &seen.activity),
                LiveEvent::Disconnected { .. } | LiveEvent::Refused(_) => {}
            }
        }
        self.is_offline = stream.is_disconnected()?;
        self.prompt.refresh(&self.board, self.options.locale);
        Ok(())
    }

    fn queue_history_line(&mut self, row: Option<TimelineRow>) {
        let line = row.and_then(|row| history_line(self.draw_context(), &self.board, &row));
        self.above.extend(line);
    }

    fn record_activity(&mut self, session: SessionId, what: &Value) {
        let text = |key: &str| what.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let activity = match what.get("type").and_then(Value::as_str) {
            Some("text") => SessionActivity::Message(text("text")),
            Some("tool") => SessionActivity::Tool(text("title")),
            Some("warning") => SessionActivity::Error(text("text")),
            _ => return,
        };
        self.board.record_activity(session, activity);
    }

    /// Notifies the user of new entries with a bell, and sets the window title.
    fn notify(&mut self) {
        let items: Vec<InboxItem> = self.board.inbox().iter().map(|row| row.item).collect();
        if items == self.notified {
            return;
        }
        let is_new = items.iter().any(|item| !self.notified.contains(item));
        let name = self.board.run.as_ref().map(|run| collapse_whitespace(&run.title)).unwrap_or_default();
        let title = match (items.len(), self.options.locale) {
            (0, _) => format!("jangdan: {name}"),
            (n, domain::Locale::En) => format!("({n}) waiting for you: {name}"),
            (n, domain::Locale::Ko) => format!("({n}) 확인 필요: {name}"),
        };
        self.notified = items;
        let bell = if is_new { "\x07" } else { "" };
        self.write(&format!("\x1b]2;{}\x07{bell}", printable(&title)));
    }

    /// Waits for a key, a signal, an event or the next second.
    fn wait(
        &mut self,
        stream: &mut EventStream<'_>,
        signals: &mut Signals,
    ) -> Result<Option<WatchOutcome>, Failure> {
        let stdin = io::stdin();
        let time = match (self.has_more, self.keys.has_incomplete_key()) {
            (true, _) => Duration::ZERO,
            (false, true) => ESCAPE_TIMEOUT,
            (false, false) => TICK,
        };
        let [typed, woken, signalled] = {
            let mut polled = [
                PollFd::new(&stdin, PollFlags::IN),
                PollFd::from_borrowed_fd(stream.wake_descriptor(), PollFlags::IN),
                PollFd::from_borrowed_fd(signals.wake_descriptor(), PollFlags::IN),
            ];
            let nanoseconds = i64::from(time.subsec_nanos());
            let wait = Timespec { tv_sec: i64::from(time.as_secs() > 0), tv_nsec: nanoseconds };
            // If it returns early, the loop reads and waits again.
            let _ = poll(&mut polled, Some(&wait));
            polled.map(|one| !one.revents().is_empty())
        };
        if signalled {
            signals.clear_wake();
            self.tty.reenter_raw_mode();
            self.painted = None;
        }
        if woken {
            stream.clear_wake();
            // Limit the frame rate while agents write a lot.
            if let Some(painted) = self.painted {
                std::thread::sleep(FRAME_INTERVAL.saturating_sub(painted.elapsed()));
            }
        }
        if typed {
            return self.read_keys();
        }
        if !woken
            && !signalled
            && !self.has_more
            && let Some(key) = self.keys.resolve_lone_escape()
        {
            return self.press(key);
        }
        Ok(None)
    }

    fn read_keys(&mut self) -> Result<Option<WatchOutcome>, Failure> {
        let mut buffer = [0; 4096];
        let length = rustix::io::read(io::stdin(), &mut buffer).unwrap_or(0);
        if length == 0 {
            // The terminal was closed.
            return Ok(Some(WatchOutcome::Detached));
        }
        for key in self.keys.push(buffer.get(..length).unwrap_or_default()) {
            if let Some(outcome) = self.press(key)? {
                return Ok(Some(outcome));
            }
        }
        Ok(None)
    }

    fn press(&mut self, key: crate::screen::prompt::Key) -> Result<Option<WatchOutcome>, Failure> {
        let context = self.draw_context();
        let action = self.prompt.press(key, &self.board, context.locale, context.now);
        match action {
            PromptAction::Nothing => {}
            PromptAction::Send(command, line) => {
                if let Err(failure) = self.send_command(command) {
                    self.prompt.restore_refused(&line, failure.what);
                }
            }
            PromptAction::Help => self.above.extend(help(context)),
            PromptAction::View => {
                let entry = self.prompt.entry(&self.board, context.locale, context.now);
                self.above.extend(entry.iter().flat_map(|entry| full_entry_lines(context, entry)));
            }
            PromptAction::KeepSessions => return Ok(Some(WatchOutcome::Detached)),
            PromptAction::StopAgents => return Ok(Some(WatchOutcome::StopAgents)),
            PromptAction::Suspend => {
                let left = self.painter.move_below_frame();
                self.write(&left);
                self.tty.suspend();
            }
            PromptAction::Redraw => {
                self.painter.forget_frame();
                self.write("\x1b[2J\x1b[H");
            }
        }
        Ok(None)
    }

    fn send_command(&self, command: UserCommand) -> Result<(), Failure> {
        let mut command = command;
        if let UserCommand::Provide { provided, .. } = &mut command
            && let ProvidedResource::File { path, .. } = provided
        {
            *path = provide::absolute_path(Path::new(path))?;
        }
        let sent = self.client.send_command(self.run, &self.options.person, &command);
        sent.map(drop).map_err(|error| remote::client_failure(&error))
    }

    fn paint(&mut self) {
        let context = self.draw_context();
        let mut frame = draw(context, &self.board, &self.prompt);
        if self.is_offline {
            let offline = pick_by_locale(
                context.locale,
                "Offline: the server does not respond. Agents keep working; reconnecting…",
                "서버가 응답하지 않습니다. 에이전트는 계속 작업하며, 다시 연결하고 있습니다.",
            );
            if let Some(first) = frame.lines.first_mut() {
                *first = Line::styled(anstyle::AnsiColor::Red.on_default(), offline).cut(context.width);
            }
        }
        self.paint_frame(context, &frame);
    }

    fn paint_frame(&mut self, context: DrawContext, frame: &Frame) {
        let above = std::mem::take(&mut self.above);
        let bytes = self.painter.paint(&above, frame, context.width);
        self.write(&bytes);
        self.painted = Some(Instant::now());
    }

    /// Paints the last frame, without the input line.
    fn paint_last_frame(&mut self) {
        let context = self.draw_context();
        let mut frame = draw(context, &self.board, &Prompt::default());
        if self.board.run.as_ref().is_some_and(|run| run.ended_at.is_none()) {
            frame.lines.pop();
        }
        frame.cursor = (frame.lines.len().saturating_sub(1), 0);
        self.paint_frame(context, &frame);
        let left = self.painter.move_below_frame();
        self.write(&left);
    }

    fn draw_context(&self) -> DrawContext {
        let (width, height) = tty::size();
        DrawContext { locale: self.options.locale, width, height, now: now() }
    }

    fn write(&mut self, bytes: &str) {
        // A closed terminal is detected at the next key.
        let mut out = io::stdout().lock();
        let _ = out.write_all(bytes.as_bytes());
        let _ = out.flush();
    }
}
