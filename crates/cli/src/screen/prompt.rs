//! The input line, the inbox entry that it refers to, and its meaning.
//!
//! Invariant: the entry does not change while the user types. A more urgent one waits until the line is sent or the user
//! switches; if the entry is settled in the meantime, the line is cleared.

mod input_line;
mod key_reader;

use domain::{Locale, Timestamp, UserCommand};
use views::InboxItem;

pub(crate) use input_line::InputLine;
pub(crate) use key_reader::{Key, KeyReader};

use super::{
    board::Board,
    entry::{self, FreeInput, InboxEntry, ParsedInput},
    phrases::pick_by_locale,
};

/// The state of the input line.
#[derive(Debug, Clone, Default)]
pub(crate) struct Prompt {
    pub line: InputLine,
    pub mode: PromptMode,
    /// Message about the last line; cleared by the next key.
    pub notice: Option<String>,
    shown: Option<InboxItem>,
}

/// The purpose of the input line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum PromptMode {
    /// Input for the shown entry, or a chat message if there is none.
    #[default]
    Open,
    /// Text of a choice, by its index.
    ChoiceText(usize),
    /// Whether agents keep working after the user leaves.
    Leave,
}

/// The effect of a key.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PromptAction {
    /// Only the input line changed.
    Nothing,
    /// Send a command; with the line as typed.
    Send(UserCommand, String),
    /// Print the list of inputs.
    Help,
    /// Print the full entry.
    View,
    /// Leave; agents keep working.
    KeepSessions,
    /// Leave and stop the agents.
    StopAgents,
    /// Suspend this process.
    Suspend,
    /// Clear and redraw the screen.
    Redraw,
}

impl Prompt {
    /// Returns the entry that the line refers to.
    pub(crate) fn entry(&self, board: &Board, locale: Locale, now: Timestamp) -> Option<InboxEntry> {
        let shown = self.shown?;
        let row = board.inbox().into_iter().find(|row| row.item == shown)?;
        entry::entry(board, locale, now, row)
    }

    /// Returns the position of that entry in the inbox, from 1.
    pub(crate) fn position(&self, board: &Board) -> Option<usize> {
        board.inbox().iter().position(|row| Some(row.item) == self.shown).map(|index| index + 1)
    }

    /// Updates the shown entry after a change of the inbox.
    pub(crate) fn refresh(&mut self, board: &Board, locale: Locale) {
        let inbox = board.inbox();
        if let Some(shown) = self.shown.filter(|shown| inbox.iter().all(|row| row.item != *shown)) {
            self.shown = None;
            if !self.line.is_empty() || self.mode != PromptMode::Open {
                self.notice = Some(match locale {
                    Locale::En => format!("{shown} was settled in the meantime"),
                    Locale::Ko => format!("{shown}: 이미 처리되었습니다"),
                });
            }
            self.line.clear();
            if let PromptMode::ChoiceText(_) = self.mode {
                self.mode = PromptMode::Open;
            }
        }
        if self.shown.is_none() {
            // A chat message that is being typed stays a chat message.
            let is_free = self.line.is_empty();
            self.shown = inbox.first().filter(|_| is_free).map(|row| row.item);
        }
    }

    /// Handles a key.
    pub(crate) fn press(&mut self, key: Key, board: &Board, locale: Locale, now: Timestamp) -> PromptAction {
        self.notice = None;
        if self.mode == PromptMode::Leave {
            return self.handle_leave_key(key);
        }
        match key {
            Key::Interrupt => self.mode = PromptMode::Leave,
            Key::End if self.line.is_empty() => self.mode = PromptMode::Leave,
            Key::Suspend => return PromptAction::Suspend,
            Key::Redraw => return PromptAction::Redraw,
            Key::Tab => self.show_next_entry(board),
            Key::Escape => {
                self.line.clear();
                self.mode = PromptMode::Open;
            }
            Key::Enter => {
                let action = self.submit_line(board, locale, now);
                self.refresh(board, locale);
                return action;
            }
            Key::Edit(edit) => self.line.edit(edit),
            Key::End => {}
        }
        PromptAction::Nothing
    }

    /// Restores a refused line, with the reason as a notice.
    pub(crate) fn restore_refused(&mut self, line: &str, reason: String) {
        self.line = InputLine::from_text(line);
        self.notice = Some(reason);
    }

    fn handle_leave_key(&mut self, key: Key) -> PromptAction {
        match (key, key.inserted_char()) {
            (Key::Interrupt, _) | (_, Some('1' | 'l')) => PromptAction::KeepSessions,
            (_, Some('2' | 's')) => PromptAction::StopAgents,
            (Key::Enter | Key::Escape, _) | (_, Some('3' | 'g')) => {
                self.mode = PromptMode::Open;
                PromptAction::Nothing
            }
            (Key::Redraw, _) => PromptAction::Redraw,
            (Key::Suspend, _) => PromptAction::Suspend,
            (Key::Tab | Key::End | Key::Edit(_), _) => PromptAction::Nothing,
        }
    }

    fn show_next_entry(&mut self, board: &Board) {
        let inbox = board.inbox();
        let position = self.position(board).unwrap_or(0);
        self.shown = inbox.get(position).or(inbox.first()).map(|row| row.item);
        self.line.clear();
        self.mode = PromptMode::Open;
    }

    fn submit_line(&mut self, board: &Board, locale: Locale, now: Timestamp) -> PromptAction {
        let line = self.line.take();
        let entry = self.entry(board, locale, now);
        if let (PromptMode::ChoiceText(choice), Some(entry)) = (self.mode, &entry) {
            self.mode = PromptMode::Open;
            return self.apply_input(entry.select_choice(locale, choice, &line), &line);
        }
        let is_yes_or_no = entry.as_ref().is_some_and(|entry| entry.is_yes_or_no);
        match (line.trim(), &entry) {
            ("?", _) => return PromptAction::Help,
            ("q", _) => self.mode = PromptMode::Leave,
            ("n", _) if !is_yes_or_no => self.show_next_entry(board),
            ("v", Some(_)) => return PromptAction::View,
            (text, Some(entry)) => {
                let input = parse_prefixed_line(text, entry, locale);
                let input = input.unwrap_or_else(|| entry.parse_input(locale, text));
                return self.apply_input(input, &line);
            }
            ("", None) => {}
            // The number of a choice that was settled in the meantime is not a chat message.
            (text, None) if text.len() <= 2 && text.bytes().all(|byte| byte.is_ascii_digit()) => {
                let notice = pick_by_locale(locale, "Nothing to choose", "선택할 항목이 없습니다");
                self.notice = Some(notice.to_owned());
            }
            (text, None) => {
                return PromptAction::Send(chat_message(text.strip_prefix("/chat ").unwrap_or(text)), line);
            }
        }
        PromptAction::Nothing
    }

    fn apply_input(&mut self, input: ParsedInput, line: &str) -> PromptAction {
        match input {
            ParsedInput::UserCommand(command) => return PromptAction::Send(command, line.to_owned()),
            ParsedInput::NeedsText(choice) => self.mode = PromptMode::ChoiceText(choice),
            ParsedInput::Invalid(help) => self.notice = Some(help),
        }
        PromptAction::Nothing
    }
}

/// Parses a line that starts with `/` or `=`; `None` for other lines.
fn parse_prefixed_line(text: &str, entry: &InboxEntry, locale: Locale) -> Option<ParsedInput> {
    let reply = |text: &str| match entry.item {
        InboxItem::Question(question) => ParsedInput::UserCommand(UserCommand::RequestClarification {
            question,
            text: text.trim().to_owned(),
        }),
        InboxItem::Request(_)
        | InboxItem::Gate(_)
        | InboxItem::Escalation(_)
        | InboxItem::Plan(_)
        | InboxItem::Invocation(_) => ParsedInput::Invalid(
            pick_by_locale(
                locale,
                "Only a question can be answered with a question",
                "질문에만 되물을 수 있습니다",
            )
            .to_owned(),
        ),
    };
    if let Some(text) = text.strip_prefix("/ask ") {
        return Some(reply(text));
    }
    if let Some(text) = text.strip_prefix("/chat ") {
        return Some(ParsedInput::UserCommand(chat_message(text)));
    }
    // Answers that would otherwise be parsed as a choice.
    match (&entry.free, text.strip_prefix('=')) {
        (FreeInput::Answer(question), Some(text)) if !text.trim().is_empty() => {
            let (question, answer) = (Some(*question), text.trim().to_owned());
            Some(ParsedInput::UserCommand(UserCommand::Answer {
                question,
                task: None,
                answer,
                scope: domain::PermissionScope::Once,
                pattern: None,
                reason: None,
            }))
        }
        _ => None,
    }
}

/// Returns a chat message that never counts as an answer to a question.
fn chat_message(text: &str) -> UserCommand {
    UserCommand::Chat { text: text.trim().to_owned(), talk_only: true }
}
