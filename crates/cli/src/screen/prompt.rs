//! What the person types: the line, which entry it is about, and what it means.
//!
//! Invariant: the entry that a line is about never changes under the person's fingers. A more urgent one waits until
//! they are done or ask for the next; one that is settled meanwhile takes the typed line with it.

mod keys;
mod typed;

use domain::{Command, Locale, Timestamp};
use views::InboxItem;

pub use keys::{Key, Keys};
pub use typed::Typed;

use super::{
    board::Board,
    entry::{self, Entry, Free, Meaning},
    words::pick,
};

/// What the person types.
#[derive(Debug, Clone, Default)]
pub struct Prompt {
    /// The line.
    pub typed: Typed,
    /// What it is for.
    pub mode: Mode,
    /// What there is to say about the last line; gone with the next key.
    pub notice: Option<String>,
    shown: Option<InboxItem>,
}

/// What a line is for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// The entry that is shown, or the chat where there is none.
    #[default]
    Open,
    /// The words that belong to a choice.
    Words(usize),
    /// What becomes of the agents when the person leaves.
    Leave,
}

/// What the person wants.
#[derive(Debug, Clone, PartialEq)]
pub enum Deed {
    /// Nothing more than to see what they typed.
    Nothing,
    /// This, of the run. The line is what they typed.
    Wish(Command, String),
    /// To see what can be typed.
    Help,
    /// To see all of the entry.
    View,
    /// To leave, and let the agents work on.
    LeaveWorking,
    /// To leave, and stop the agents.
    StopAgents,
    /// To let this program wait in the background.
    Suspend,
    /// To see everything drawn anew.
    Redraw,
}

impl Prompt {
    /// Returns the entry that a line is about.
    pub fn entry(&self, board: &Board, locale: Locale, now: Timestamp) -> Option<Entry> {
        let shown = self.shown?;
        let row = board.inbox().into_iter().find(|row| row.item == shown)?;
        entry::entry(board, locale, now, row)
    }

    /// Returns the place of that entry in the inbox, from 1.
    pub fn place(&self, board: &Board) -> Option<usize> {
        board.inbox().iter().position(|row| Some(row.item) == self.shown).map(|index| index + 1)
    }

    /// Looks at the inbox anew. To be called when it changed.
    pub fn look(&mut self, board: &Board, locale: Locale) {
        let inbox = board.inbox();
        if let Some(shown) = self.shown.filter(|shown| inbox.iter().all(|row| row.item != *shown)) {
            self.shown = None;
            if !self.typed.is_empty() || self.mode != Mode::Open {
                self.notice = Some(match locale {
                    Locale::En => format!("{shown} is settled meanwhile"),
                    Locale::Ko => format!("{shown}: 그사이 처리됨"),
                });
            }
            self.typed.clear();
            if let Mode::Words(_) = self.mode {
                self.mode = Mode::Open;
            }
        }
        if self.shown.is_none() {
            // What somebody types into the chat stays a line of the chat.
            let is_free = self.typed.is_empty();
            self.shown = inbox.first().filter(|_| is_free).map(|row| row.item);
        }
    }

    /// Takes a key.
    pub fn press(&mut self, key: Key, board: &Board, locale: Locale, now: Timestamp) -> Deed {
        self.notice = None;
        if self.mode == Mode::Leave {
            return self.press_leaving(key);
        }
        match key {
            Key::Interrupt => self.mode = Mode::Leave,
            Key::End if self.typed.is_empty() => self.mode = Mode::Leave,
            Key::Suspend => return Deed::Suspend,
            Key::Redraw => return Deed::Redraw,
            Key::Tab => self.next(board),
            Key::Escape => {
                self.typed.clear();
                self.mode = Mode::Open;
            }
            Key::Enter => {
                let deed = self.enter(board, locale, now);
                self.look(board, locale);
                return deed;
            }
            Key::Edit(edit) => self.typed.edit(edit),
            Key::End => {}
        }
        Deed::Nothing
    }

    /// Gives a line back that was refused, with the reason.
    pub fn refused(&mut self, line: &str, reason: String) {
        self.typed = Typed::of(line);
        self.notice = Some(reason);
    }

    fn press_leaving(&mut self, key: Key) -> Deed {
        let sign = key.sign();
        match (key, sign) {
            (Key::Interrupt, _) | (_, Some('1' | 'l')) => Deed::LeaveWorking,
            (_, Some('2' | 's')) => Deed::StopAgents,
            (Key::Enter | Key::Escape, _) | (_, Some('3' | 'g')) => {
                self.mode = Mode::Open;
                Deed::Nothing
            }
            (Key::Redraw, _) => Deed::Redraw,
            (Key::Suspend, _) => Deed::Suspend,
            (Key::Tab | Key::End | Key::Edit(_), _) => Deed::Nothing,
        }
    }

    fn next(&mut self, board: &Board) {
        let inbox = board.inbox();
        let place = self.place(board).unwrap_or(0);
        self.shown = inbox.get(place).or(inbox.first()).map(|row| row.item);
        self.typed.clear();
        self.mode = Mode::Open;
    }

    fn enter(&mut self, board: &Board, locale: Locale, now: Timestamp) -> Deed {
        let line = self.typed.take();
        let entry = self.entry(board, locale, now);
        if let (Mode::Words(choice), Some(entry)) = (self.mode, &entry) {
            self.mode = Mode::Open;
            return self.mean(entry.chosen(locale, choice, &line), &line);
        }
        let is_yes_or_no = entry.as_ref().is_some_and(|entry| entry.is_yes_or_no);
        match (line.trim(), &entry) {
            ("?", _) => return Deed::Help,
            ("q", _) => self.mode = Mode::Leave,
            ("n", _) if !is_yes_or_no => self.next(board),
            ("v", Some(_)) => return Deed::View,
            (text, Some(entry)) => {
                let meaning = command(text, entry, locale);
                let meaning = meaning.unwrap_or_else(|| entry.meaning(locale, text));
                return self.mean(meaning, &line);
            }
            ("", None) => {}
            // A choice of an entry that was settled meanwhile is nothing that one says to anybody.
            (text, None) if text.len() <= 2 && text.bytes().all(|byte| byte.is_ascii_digit()) => {
                let nothing = pick(locale, "nothing waits for a choice", "선택을 기다리는 것이 없습니다");
                self.notice = Some(nothing.to_owned());
            }
            (text, None) => return Deed::Wish(talk(text.strip_prefix("/chat ").unwrap_or(text)), line),
        }
        Deed::Nothing
    }

    fn mean(&mut self, meaning: Meaning, line: &str) -> Deed {
        match meaning {
            Meaning::Wish(command) => return Deed::Wish(command, line.to_owned()),
            Meaning::NeedsWords(choice) => self.mode = Mode::Words(choice),
            Meaning::Unclear(help) => self.notice = Some(help),
        }
        Deed::Nothing
    }
}

/// Returns what a line means that begins with a sign of its own.
fn command(text: &str, entry: &Entry, locale: Locale) -> Option<Meaning> {
    let asks = |text: &str| match entry.item {
        InboxItem::Question(question) => {
            Meaning::Wish(Command::RequestClarification { question, text: text.trim().to_owned() })
        }
        InboxItem::Request(_)
        | InboxItem::Gate(_)
        | InboxItem::Escalation(_)
        | InboxItem::Plan(_)
        | InboxItem::Invocation(_) => Meaning::Unclear(
            pick(locale, "only a question can be asked back", "질문에만 되물을 수 있습니다").to_owned(),
        ),
    };
    if let Some(text) = text.strip_prefix("/ask ") {
        return Some(asks(text));
    }
    if let Some(text) = text.strip_prefix("/chat ") {
        return Some(Meaning::Wish(talk(text)));
    }
    // A word that would mean something else, as it is.
    match (&entry.free, text.strip_prefix('=')) {
        (Free::Answer(question), Some(text)) if !text.trim().is_empty() => {
            let (question, answer) = (Some(*question), text.trim().to_owned());
            Some(Meaning::Wish(Command::Answer {
                question,
                task: None,
                answer,
                scope: domain::PermissionScope::Once,
            }))
        }
        _ => None,
    }
}

/// Says something that is no answer, also to a question that comes meanwhile.
fn talk(text: &str) -> Command {
    Command::Chat { text: text.trim().to_owned(), talk_only: true }
}
