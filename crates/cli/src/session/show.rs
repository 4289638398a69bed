//! What an agent says and does, as a person reads it: words as they come, a line for each tool, numbered answers.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use domain::{AskUser, PermissionKind, PermissionRequest, Usage};
use drivers::{
    AgentInput, AgentWarning, DriverEvent, PlanStep, PromptOption, StepStatus, ToolCall, ToolStatus,
    TurnOutcome,
};
use holder::spool::Exit;
use sessions::SessionReport;

use crate::{printable::printable, timestamp::format_utc};

const ASIDE: Style = Style::new().dimmed();
const OURS: Style = AnsiColor::Cyan.on_default();
const ASKS: Style = AnsiColor::Yellow.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default();
/// As much of a tool's output is shown.
const OUTPUT_LINES_MAX: usize = 5;

/// Writes a conversation.
pub struct Show<W> {
    out: W,
    /// Whether something stands on the present line.
    is_in_line: bool,
    /// The tools that were shown to run, by their ids.
    running: Vec<String>,
}

impl<W: Write> Show<W> {
    pub fn new(out: W) -> Self {
        Self { out, is_in_line: false, running: Vec::new() }
    }

    /// Shows what was seen. What was typed is shown by who knows what it was.
    pub fn seen(&mut self, seen: &SessionReport) -> io::Result<()> {
        match seen {
            SessionReport::Event(happening) => self.happening(happening)?,
            SessionReport::InputWritten { .. } => {}
            SessionReport::Ended(exit) => {
                self.line(ASIDE, &format!("── the agent has ended{}", how(*exit)))?
            }
            SessionReport::Lost => self.line(BAD, "── the session is lost: its holder was killed")?,
        }
        self.out.flush()
    }

    /// Shows what the agent was told.
    pub fn told(&mut self, told: &AgentInput) -> io::Result<()> {
        let text = match told {
            AgentInput::Prompt { text } | AgentInput::Answer { answer: text, .. } => text.clone(),
            AgentInput::Permission { allowed: true, .. } => "yes".to_owned(),
            AgentInput::Permission { allowed: false, .. } => "no".to_owned(),
            AgentInput::Interrupt => "(stop)".to_owned(),
        };
        for line in text.lines() {
            self.line(OURS, &format!("> {line}"))?;
        }
        self.out.flush()
    }

    /// Shows something beside the conversation.
    pub fn note(&mut self, text: &str) -> io::Result<()> {
        self.line(ASIDE, text)?;
        self.out.flush()
    }

    fn happening(&mut self, happening: &DriverEvent) -> io::Result<()> {
        match happening {
            DriverEvent::Text { text } => self.words(text),
            DriverEvent::ToolCall(call) => self.tool(call),
            DriverEvent::Permission { request, options } => self.permission(request, options),
            DriverEvent::Question { question, .. } => self.question(question),
            DriverEvent::PromptWithdrawn { .. } => self.line(ASIDE, "── it no longer waits for that"),
            DriverEvent::Plan { steps } => steps.iter().try_for_each(|step| self.step(step)),
            DriverEvent::Message { item, .. } => match item {
                // Its words are there already.
                protocol::DecodedItem::Message(_) => Ok(()),
                protocol::DecodedItem::Invalid(invalid) => {
                    self.line(BAD, &format!("── {} {}", invalid.message_name, invalid.error))
                }
                protocol::DecodedItem::NearMiss(near) => {
                    self.line(ASIDE, &format!("── that looks like {}, and is none", near.message_name))
                }
            },
            DriverEvent::Warning(trouble) => self.trouble(trouble),
            DriverEvent::Usage(usage) => self.line(ASIDE, &format!("── {}", used(usage))),
            DriverEvent::TurnEnded { outcome, .. } => self.ended(outcome),
            DriverEvent::Model { name } => self.line(ASIDE, &format!("── {name}")),
            DriverEvent::Mode { name } => self.line(ASIDE, &format!("── mode {name}")),
            DriverEvent::Ready { .. } => Ok(()),
        }
    }

    fn words(&mut self, text: &str) -> io::Result<()> {
        for piece in text.split_inclusive('\n') {
            let line = piece.strip_suffix('\n').unwrap_or(piece);
            write!(self.out, "{}", shown(line))?;
            self.is_in_line = !piece.ends_with('\n');
            if piece.ends_with('\n') {
                writeln!(self.out)?;
            }
        }
        Ok(())
    }

    fn tool(&mut self, call: &ToolCall) -> io::Result<()> {
        if !self.running.contains(&call.id) {
            self.running.push(call.id.clone());
            self.line(ASIDE, &format!("• {}", call.title))?;
        }
        let (style, output) = match call.status {
            ToolStatus::Running => return Ok(()),
            ToolStatus::Done => (ASIDE, call.output.as_deref().unwrap_or_default()),
            ToolStatus::Failed => (BAD, call.output.as_deref().unwrap_or("it failed, or was not allowed")),
        };
        self.running.retain(|id| *id != call.id);
        let n_lines = output.lines().count();
        for line in output.lines().take(OUTPUT_LINES_MAX) {
            self.line(style, &format!("  │ {line}"))?;
        }
        if n_lines > OUTPUT_LINES_MAX {
            self.line(ASIDE, &format!("  │ … {} more lines", n_lines - OUTPUT_LINES_MAX))?;
        }
        Ok(())
    }

    fn permission(&mut self, request: &PermissionRequest, options: &[PromptOption]) -> io::Result<()> {
        let what = match request.kind {
            PermissionKind::Edit => "change",
            PermissionKind::Run => "run",
            PermissionKind::Read => "read",
            PermissionKind::Fetch => "fetch",
            PermissionKind::Other => "use",
        };
        self.line(ASKS, &format!("? It wants to {what}: {}", request.subject))?;
        for line in request.detail.iter().flat_map(|detail| detail.lines()) {
            self.line(ASIDE, &format!("  {line}"))?;
        }
        for (number, option) in (1..).zip(options) {
            self.line(Style::new(), &format!("  {number}  {}", option.label))?;
        }
        Ok(())
    }

    /// Shows a question with its answers numbered.
    pub fn question(&mut self, asked: &AskUser) -> io::Result<()> {
        for (number, line) in asked.question.lines().enumerate() {
            let mark = if number == 0 { "?" } else { " " };
            self.line(ASKS, &format!("{mark} {line}"))?;
        }
        for line in asked.context.iter().flat_map(|context| context.lines()) {
            self.line(ASIDE, &format!("  {line}"))?;
        }
        for (number, option) in (1..).zip(&asked.options) {
            self.line(Style::new(), &format!("  {number}  {option}"))?;
        }
        self.out.flush()
    }

    fn step(&mut self, step: &PlanStep) -> io::Result<()> {
        let mark = match step.status {
            StepStatus::Waiting => "☐",
            StepStatus::Running => "▸",
            StepStatus::Done => "☑",
        };
        self.line(ASIDE, &format!("  {mark} {}", step.text))
    }

    fn trouble(&mut self, trouble: &AgentWarning) -> io::Result<()> {
        let text = match trouble {
            AgentWarning::Retrying { attempt, delay_ms, message } => {
                format!("tries again in {} s ({attempt}): {message}", delay_ms.div_ceil(1000))
            }
            AgentWarning::LimitNear { resets_at, used_permille } => {
                let used = used_permille.map(|used| format!(", {} % is used", used / 10)).unwrap_or_default();
                let resets =
                    resets_at.map(|at| format!(", resets {} UTC", format_utc(at))).unwrap_or_default();
                format!("a limit is near{used}{resets}")
            }
            AgentWarning::UnknownOutput { text } => text.clone(),
        };
        text.lines().try_for_each(|line| self.line(ASIDE, &format!("── {line}")))
    }

    fn ended(&mut self, outcome: &TurnOutcome) -> io::Result<()> {
        self.running.clear();
        match outcome {
            TurnOutcome::Finished => self.line(ASIDE, "── turn over"),
            TurnOutcome::Cancelled => self.line(ASIDE, "── stopped"),
            TurnOutcome::Limited { message, resets_at } => {
                let resets =
                    resets_at.map(|at| format!(" (resets {} UTC)", format_utc(at))).unwrap_or_default();
                self.line(BAD, &format!("── a limit is used up: {message}{resets}"))
            }
            TurnOutcome::Unauthorized { message } => self.line(BAD, &format!("── not logged in: {message}")),
            TurnOutcome::NotResumable { message } => {
                self.line(BAD, &format!("── that session can't come back: {message}"))
            }
            TurnOutcome::Failed { message } => self.line(BAD, &format!("── failed: {message}")),
        }
    }

    /// Writes a line of our own, behind whatever words stand on the present one.
    fn line(&mut self, style: Style, text: &str) -> io::Result<()> {
        if std::mem::take(&mut self.is_in_line) {
            writeln!(self.out)?;
        }
        writeln!(self.out, "{style}{}{style:#}", shown(text))
    }
}

/// A tab is no danger to a terminal.
fn shown(line: &str) -> String {
    line.split('\t').map(printable).collect::<Vec<_>>().join("\t")
}

fn used(usage: &Usage) -> String {
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

fn how(exit: Exit) -> String {
    match (exit.code, exit.signal) {
        (Some(code), _) => format!(" with status {code}"),
        (None, Some(signal)) => format!(" by signal {signal}"),
        (None, None) => String::new(),
    }
}
