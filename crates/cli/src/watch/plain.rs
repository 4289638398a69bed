//! Watches a run as plain lines, for output without a terminal: one for each event that concerns a person.

use std::{
    io::{self, Write},
    time::Duration,
};

use domain::{Locale, RunId};
use server::{Client, LiveEvent};
use store::Position;
use views::{InboxItem, InboxRow, RunRow};

use super::{
    WatchOptions, WatchOutcome, event_stream::EventStream, load_board, needs_user, now, signals::Signals,
};
use crate::{
    failure::Failure,
    print_error::PrintError,
    screen::{
        DrawContext,
        board::Board,
        draw::{draw, full_entry_lines},
        entry::{EntryAction, FreeInput, InboxEntry, entry},
        history::plain_line,
        line::Line,
        prompt::Prompt,
    },
};

/// How long one wait for an event lasts.
const POLL_TIMEOUT: Duration = Duration::from_millis(200);
/// Name of the event after which a run has no lines.
const RUN_ENDED: &str = "RunEnded";
/// Line width of entries.
const WIDTH: usize = 100;

pub(super) fn watch(client: &Client, run: &RunId, options: &WatchOptions) -> Result<WatchOutcome, Failure> {
    let signals = Signals::install()?;
    let (board, position) =
        if options.from_start { (Board::default(), Position(0)) } else { load_board(client, run)? };
    let mut stream = EventStream::open(client, run, position)?;
    let mut watcher = PlainWatcher { board, options, announced: Vec::new(), is_end_awaited: true };
    match watcher.run(client, run, &mut stream, &signals) {
        Ok(outcome) => Ok(outcome),
        Err(error) => error.into_failure().map_or(Ok(WatchOutcome::Detached), Err),
    }
}

struct PlainWatcher<'a> {
    board: Board,
    options: &'a WatchOptions,
    /// Entries that were printed.
    announced: Vec<InboxItem>,
    /// Whether the line about the end of the run can still follow. It comes after the row of the run.
    is_end_awaited: bool,
}

impl PlainWatcher<'_> {
    fn run(
        &mut self,
        client: &Client,
        run: &RunId,
        stream: &mut EventStream<'_>,
        signals: &Signals,
    ) -> Result<WatchOutcome, PrintError> {
        self.print_inbox()?;
        self.is_end_awaited = self.outcome().is_none();
        loop {
            if let Some(outcome) = self.outcome().filter(|_| !self.is_end_awaited) {
                self.print_end()?;
                return Ok(outcome);
            }
            if signals.is_terminated() {
                return Ok(WatchOutcome::Detached);
            }
            match stream.wait(POLL_TIMEOUT)? {
                Some(LiveEvent::Changed(changed)) => {
                    let line = self.board.apply_change(&changed.kind, &changed.key, changed.row.as_ref());
                    self.is_end_awaited &= line.as_ref().is_none_or(|row| row.kind != RUN_ENDED);
                    let line = line.and_then(|row| plain_line(self.options.locale, &self.board, &row));
                    print_lines(line.as_slice())?;
                }
                Some(LiveEvent::Activity(_) | LiveEvent::Disconnected { .. } | LiveEvent::Refused(_)) => {}
                None if self.outcome().is_some() => self.is_end_awaited = false,
                None => {
                    stream.is_disconnected()?;
                    self.print_inbox()?;
                    if self.options.no_wait && needs_user(client, run, &self.board)? {
                        return Ok(WatchOutcome::NeedsUser);
                    }
                }
            }
        }
    }

    fn outcome(&self) -> Option<WatchOutcome> {
        self.board.run.as_ref().and_then(WatchOutcome::from_run)
    }

    /// Prints each new entry of the inbox once, with the command that settles it.
    fn print_inbox(&mut self) -> io::Result<()> {
        let context = self.draw_context();
        let inbox: Vec<InboxRow> = self.board.inbox().into_iter().cloned().collect();
        self.announced.retain(|item| inbox.iter().any(|row| row.item == *item));
        let Some(run) = &self.board.run else { return Ok(()) };
        for row in inbox {
            let Some(entry) = entry(&self.board, context.locale, context.now, &row) else { continue };
            if !self.announced.contains(&row.item) {
                self.announced.push(row.item);
                let mut lines = full_entry_lines(context, &entry);
                lines.push(settle_hint(context.locale, run, &row, &entry));
                print_lines(&lines)?;
            }
        }
        Ok(())
    }

    fn print_end(&self) -> io::Result<()> {
        print_lines(&draw(self.draw_context(), &self.board, &Prompt::default()).lines)
    }

    fn draw_context(&self) -> DrawContext {
        DrawContext { locale: self.options.locale, width: WIDTH, height: 40, now: now() }
    }
}

/// Returns the line with the command that settles an entry.
fn settle_hint(locale: Locale, run: &RunRow, row: &InboxRow, entry: &InboxEntry) -> Line {
    let run = &run.id;
    let command = match row.item {
        InboxItem::Question(id) => match (&entry.free, entry.choices.is_empty()) {
            (_, true) => format!("jangdan answer {id} TEXT --run {run}"),
            (FreeInput::Nothing, false) => format!("jangdan answer {id} --option NUMBER --run {run}"),
            (FreeInput::Answer(_) | FreeInput::Path(_), false) => {
                format!(
                    "jangdan answer {id} TEXT --run {run}, jangdan answer {id} --option NUMBER --run {run}"
                )
            }
        },
        InboxItem::Request(id) => {
            let is_offered =
                |action: &EntryAction| entry.choices.iter().any(|choice| choice.action == *action);
            let can_provide = matches!(entry.free, FreeInput::Path(_))
                || entry.choices.iter().any(|choice| matches!(choice.action, EntryAction::Provide(..)));
            let provide = can_provide.then(|| format!("jangdan provide {id} --run {run}"));
            let skip = is_offered(&EntryAction::SkipRequest(id));
            let skip = skip.then(|| format!("jangdan refuse {id} --skip --run {run}"));
            let refuse = format!("jangdan refuse {id} REASON --run {run}");
            provide.into_iter().chain([refuse]).chain(skip).collect::<Vec<_>>().join(", ")
        }
        InboxItem::Gate(phase) => {
            format!("jangdan approve {phase} --run {run}, jangdan reject {phase} REASON --run {run}")
        }
        InboxItem::Escalation(id) => format!("jangdan resolve {id} NUMBER --run {run}"),
        InboxItem::Plan(_) => format!("jangdan plan apply --run {run}, jangdan plan ignore --run {run}"),
        InboxItem::Invocation(_) => String::new(),
    };
    let lead = crate::screen::phrases::pick_by_locale(locale, "  To settle it:", "  처리 명령:");
    Line::styled(anstyle::Style::new().dimmed(), &format!("{lead} {command}"))
}

fn print_lines(lines: &[Line]) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    for line in lines {
        writeln!(out, "{}", line.ansi_text())?;
    }
    out.flush()
}
