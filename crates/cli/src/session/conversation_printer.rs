//! Prints a conversation with an agent: its text as it arrives, a line for each tool call, numbered answers.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use domain::{AskUser, PermissionKind, PermissionRequest, Usage};
use drivers::{
    AgentInput, AgentWarning, DriverEvent, PlanStep, PromptOption, StepStatus, ToolCall, ToolStatus,
    TurnOutcome,
};
use holder::spool::Exit;
use sessions::SessionReport;

use crate::{localized::localized, printable::printable, timestamp::format_utc};

const NOTE: Style = Style::new().dimmed();
const INPUT: Style = AnsiColor::Cyan.on_default();
const QUESTION: Style = AnsiColor::Yellow.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default();
/// Printed lines of a tool's output.
const OUTPUT_LINES_MAX: usize = 5;

pub(super) struct ConversationPrinter<W> {
    out: W,
    /// Whether the current line has text.
    is_in_line: bool,
    /// Ids of the running tools that were printed.
    running: Vec<String>,
}

impl<W: Write> ConversationPrinter<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, is_in_line: false, running: Vec::new() }
    }

    /// Prints a report, except for written inputs, whose text the caller has.
    pub(super) fn print_report(&mut self, report: &SessionReport) -> io::Result<()> {
        match report {
            SessionReport::Event(event) => self.print_event(event)?,
            SessionReport::InputWritten { .. } => {}
            SessionReport::Ended(exit) => {
                self.print_line(NOTE, &format!("── Agent ended{}", exit_text(*exit)))?
            }
            SessionReport::Lost => self.print_line(BAD, "── Session lost: its holder was killed")?,
        }
        self.out.flush()
    }

    pub(super) fn print_input(&mut self, input: &AgentInput) -> io::Result<()> {
        let text = match input {
            AgentInput::Prompt { text } | AgentInput::Answer { answer: text, .. } => text.clone(),
            AgentInput::Permission { allowed: true, .. } => "yes".to_owned(),
            AgentInput::Permission { allowed: false, .. } => "no".to_owned(),
            AgentInput::Interrupt => "(interrupt)".to_owned(),
        };
        for line in text.lines() {
            self.print_line(INPUT, &format!("> {line}"))?;
        }
        self.out.flush()
    }

    pub(super) fn print_note(&mut self, text: &str) -> io::Result<()> {
        self.print_line(NOTE, text)?;
        self.out.flush()
    }

    fn print_event(&mut self, event: &DriverEvent) -> io::Result<()> {
        match event {
            DriverEvent::Text { text } => self.print_text(text),
            DriverEvent::ToolCall(call) => self.print_tool(call),
            DriverEvent::Permission { request, options } => self.print_permission(request, options),
            DriverEvent::Question { question, .. } => self.print_question(question),
            DriverEvent::PromptWithdrawn { .. } => self.print_line(NOTE, "── Prompt withdrawn"),
            DriverEvent::Plan { steps } => steps.iter().try_for_each(|step| self.print_step(step)),
            DriverEvent::Message { item, .. } => match item {
                // Its text is printed already.
                protocol::DecodedItem::Message(_) => Ok(()),
                protocol::DecodedItem::Invalid(invalid) => {
                    self.print_line(BAD, &format!("── Invalid {}: {}", invalid.message_name, invalid.error))
                }
                protocol::DecodedItem::NearMiss(near) => {
                    self.print_line(NOTE, &format!("── Not recognized as {}", near.message_name))
                }
            },
            DriverEvent::Warning(warning) => self.print_warning(warning),
            DriverEvent::Usage(usage) => self.print_line(NOTE, &format!("── {}", usage_text(usage))),
            DriverEvent::TurnEnded { outcome, .. } => self.print_turn_end(outcome),
            DriverEvent::Model { name } => self.print_line(NOTE, &format!("── {name}")),
            DriverEvent::Mode { name } => {
                self.print_line(NOTE, &format!("── {}: {name}", localized("Mode", "모드")))
            }
            DriverEvent::Ready { .. } => Ok(()),
        }
    }

    fn print_text(&mut self, text: &str) -> io::Result<()> {
        for piece in text.split_inclusive('\n') {
            let line = piece.strip_suffix('\n').unwrap_or(piece);
            write!(self.out, "{}", printable_with_tabs(line))?;
            self.is_in_line = !piece.ends_with('\n');
            if piece.ends_with('\n') {
                writeln!(self.out)?;
            }
        }
        Ok(())
    }

    fn print_tool(&mut self, call: &ToolCall) -> io::Result<()> {
        if !self.running.contains(&call.id) {
            self.running.push(call.id.clone());
            self.print_line(NOTE, &format!("• {}", call.title))?;
        }
        let (style, output) = match call.status {
            ToolStatus::Running => return Ok(()),
            ToolStatus::Done => (NOTE, call.output.as_deref().unwrap_or_default()),
            ToolStatus::Failed => (BAD, call.output.as_deref().unwrap_or("failed, or was not allowed")),
        };
        self.running.retain(|id| *id != call.id);
        let n_lines = output.lines().count();
        for line in output.lines().take(OUTPUT_LINES_MAX) {
            self.print_line(style, &format!("  │ {line}"))?;
        }
        if n_lines > OUTPUT_LINES_MAX {
            self.print_line(NOTE, &format!("  │ … {} more lines", n_lines - OUTPUT_LINES_MAX))?;
        }
        Ok(())
    }

    fn print_permission(&mut self, request: &PermissionRequest, options: &[PromptOption]) -> io::Result<()> {
        let what = match request.kind {
            PermissionKind::Edit => "change",
            PermissionKind::Run => "run",
            PermissionKind::Read => "read",
            PermissionKind::Fetch => "fetch",
            PermissionKind::Other => "use",
        };
        self.print_line(QUESTION, &format!("? Allow to {what}: {}", request.subject))?;
        for line in request.detail.iter().flat_map(|detail| detail.lines()) {
            self.print_line(NOTE, &format!("  {line}"))?;
        }
        for (number, option) in (1..).zip(options) {
            self.print_line(Style::new(), &format!("  {number}  {}", option.label))?;
        }
        Ok(())
    }

    /// Prints a question with its numbered options.
    pub(super) fn print_question(&mut self, question: &AskUser) -> io::Result<()> {
        for (number, line) in question.question.lines().enumerate() {
            let mark = if number == 0 { "?" } else { " " };
            self.print_line(QUESTION, &format!("{mark} {line}"))?;
        }
        for line in question.context.iter().flat_map(|context| context.lines()) {
            self.print_line(NOTE, &format!("  {line}"))?;
        }
        for (number, option) in (1..).zip(&question.options) {
            self.print_line(Style::new(), &format!("  {number}  {option}"))?;
        }
        self.out.flush()
    }

    fn print_step(&mut self, step: &PlanStep) -> io::Result<()> {
        let mark = match step.status {
            StepStatus::Waiting => "☐",
            StepStatus::Running => "▸",
            StepStatus::Done => "☑",
        };
        self.print_line(NOTE, &format!("  {mark} {}", step.text))
    }

    fn print_warning(&mut self, warning: &AgentWarning) -> io::Result<()> {
        let text = match warning {
            AgentWarning::Retrying { attempt, delay_ms, message } => {
                format!("Retrying in {} s (attempt {attempt}): {message}", delay_ms.div_ceil(1000))
            }
            AgentWarning::LimitNear { resets_at, used_permille } => {
                let used = used_permille.map(|used| format!(", {} % used", used / 10)).unwrap_or_default();
                let resets =
                    resets_at.map(|at| format!(", resets {} UTC", format_utc(at))).unwrap_or_default();
                localized(
                    format!("Rate limit nearly reached{used}{resets}"),
                    format!("사용량 한도에 거의 도달함{used}{resets}"),
                )
            }
            AgentWarning::UnknownOutput { text } => text.clone(),
        };
        text.lines().try_for_each(|line| self.print_line(NOTE, &format!("── {line}")))
    }

    fn print_turn_end(&mut self, outcome: &TurnOutcome) -> io::Result<()> {
        self.running.clear();
        match outcome {
            TurnOutcome::Finished => self.print_line(NOTE, "── Turn ended"),
            TurnOutcome::Cancelled => self.print_line(NOTE, "── Interrupted"),
            TurnOutcome::Limited { message, resets_at } => {
                let resets =
                    resets_at.map(|at| format!(" (resets {} UTC)", format_utc(at))).unwrap_or_default();
                self.print_line(BAD, &format!("── Rate-limited: {message}{resets}"))
            }
            TurnOutcome::Unauthorized { message } => {
                self.print_line(BAD, &format!("── Not signed in: {message}"))
            }
            TurnOutcome::NotResumable { message } => {
                self.print_line(BAD, &format!("── The session cannot be resumed: {message}"))
            }
            TurnOutcome::Failed { message } => self.print_line(BAD, &format!("── Failed: {message}")),
        }
    }

    /// Prints a line of our own, after ending the current line.
    fn print_line(&mut self, style: Style, text: &str) -> io::Result<()> {
        if std::mem::take(&mut self.is_in_line) {
            writeln!(self.out)?;
        }
        writeln!(self.out, "{style}{}{style:#}", printable_with_tabs(text))
    }
}

/// Replaces control characters except tabs.
fn printable_with_tabs(line: &str) -> String {
    line.split('\t').map(printable).collect::<Vec<_>>().join("\t")
}

fn usage_text(usage: &Usage) -> String {
    let mut parts = vec![format!("{} tokens in, {} out", usage.input_tokens, usage.output_tokens)];
    if usage.cached_tokens > 0 {
        parts.push(format!("{} cached", usage.cached_tokens));
    }
    if usage.cost_micros > 0 {
        parts.push(format!("${}.{:04}", usage.cost_micros / 1_000_000, usage.cost_micros % 1_000_000 / 100));
    }
    if let Some(full) = usage.context_permille {
        parts.push(format!("context {} % full", full / 10));
    }
    parts.join(", ")
}

fn exit_text(exit: Exit) -> String {
    match (exit.code, exit.signal) {
        (Some(code), _) => format!(" with status {code}"),
        (None, Some(signal)) => format!(" by signal {signal}"),
        (None, None) => String::new(),
    }
}
