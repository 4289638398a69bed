//! `jangdan conversation TASK`: prompts and agent messages of a task, turn by turn.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use anstyle::{AnsiColor, Style};
use clap::Args;
use domain::{Locale, TaskId, ToolStatus, ToolUse};
use views::{TaskRow, TurnRow, TurnSpeaker};

use crate::{
    arguments::{RunArguments, parse_task_id},
    failure::Failure,
    localized::localized,
    logs::unknown_task_failure,
    plural::plural,
    printable::printable_json,
    remote,
    row_source::RowSource,
    screen::line::{Line, wrap},
    status::draw_context,
    timestamp::format_utc,
};

const FAINT: Style = Style::new().dimmed();
const SENT: Style = AnsiColor::Cyan.on_default().bold();
const REPLY: Style = AnsiColor::Green.on_default().bold();

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Task, such as T1.2
    #[arg(value_parser = parse_task_id)]
    task: TaskId,
    #[command(flatten)]
    run: RunArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let (task, common) = (&arguments.task, &arguments.run.common);
    let source = RowSource::open(common)?;
    let run = source.find_run(arguments.run.run_name())?;
    let mut turns: Vec<TurnRow> = source.rows_of_kind(&run.id)?;
    turns.retain(|turn| turn.task == *task);
    turns.sort_by_key(|turn| turn.index);
    let tasks: Vec<TaskRow> = source.rows_of_kind(&run.id)?;
    if tasks.iter().all(|row| row.id != *task) {
        return Err(unknown_task_failure(&run.id, task));
    }
    if turns.is_empty() && !common.json {
        eprintln!(
            "{}",
            localized(format!("{task} has no turns yet"), format!("{task} 작업에는 아직 대화가 없습니다"),)
        );
    }
    let printed = turns.iter().try_for_each(|turn| match common.json {
        true => print_turn_json(turn),
        false => print_turn(turn),
    });
    match printed.err().and_then(|error| Failure::from_output_error(&error)) {
        Some(failure) => Err(failure),
        None => Ok(ExitCode::SUCCESS),
    }
}

fn print_turn_json(turn: &TurnRow) -> io::Result<()> {
    writeln!(io::stdout().lock(), "{}", printable_json(turn)?)
}

fn print_turn(turn: &TurnRow) -> io::Result<()> {
    let (style, speaker) = match (turn.role, &turn.agent) {
        (TurnSpeaker::Agent, Some(agent)) => (REPLY, agent.to_string()),
        (TurnSpeaker::Agent, None) => (REPLY, localized("agent", "에이전트")),
        (TurnSpeaker::Orchestrator, Some(agent)) => (SENT, agent.to_string()),
        (TurnSpeaker::Orchestrator, None) => (SENT, localized("Jangdan", "장단")),
    };
    let question = turn.question.map(|question| format!(" {question}")).unwrap_or_default();
    let heading =
        Line::styled(style, &speaker).append(FAINT, &format!("{question} {} UTC", format_utc(turn.sent_at)));
    let mut out = io::BufWriter::new(anstream::stdout().lock());
    for line in [heading].into_iter().chain(turn_lines(turn, draw_context().width)).chain([Line::default()]) {
        writeln!(out, "{}", line.ansi_text())?;
    }
    out.flush()
}

/// Returns the text of a turn, with a line for each tool call at its position.
fn turn_lines(turn: &TurnRow, width: usize) -> Vec<Line> {
    let faint = |text: &str| Line::styled(FAINT, &format!("  {text}")).cut(width);
    let mut lines = Vec::new();
    if turn.tools.n_omitted > 0 {
        let n_omitted = turn.tools.n_omitted;
        let calls = plural(usize::try_from(n_omitted).unwrap_or(usize::MAX), "earlier tool call");
        lines.push(faint(&localized(format!("… {calls}"), format!("… 이전 도구 호출 {n_omitted}건"))));
    }
    let mut tools = turn.tools.uses.iter().peekable();
    let content = match (remote::environment_locale(), &turn.korean) {
        (Locale::Ko, Some(korean)) => korean,
        (Locale::Ko, None) | (Locale::En, _) => &turn.content,
    };
    for (n, line) in content.trim_end().lines().enumerate() {
        while let Some(used) = tools.next_if(|used| used.line as usize <= n) {
            lines.push(faint(&tool_call_line(used)));
        }
        match wrap(line, width.saturating_sub(2)) {
            wrapped if wrapped.is_empty() => lines.push(Line::default()),
            wrapped => {
                lines.extend(wrapped.iter().map(|line| Line::styled(Style::new(), &format!("  {line}"))))
            }
        }
    }
    lines.extend(tools.map(|used| faint(&tool_call_line(used))));
    if turn.is_interrupted {
        lines.push(faint(&localized("… interrupted here", "… 여기서 중단됨")));
    }
    lines
}

fn tool_call_line(used: &ToolUse) -> String {
    let title = used.title.lines().next().unwrap_or_default();
    match used.status {
        ToolStatus::Running => format!("… {title} ({})", localized("did not finish", "완료되지 않음")),
        ToolStatus::Done => format!("✓ {title}"),
        ToolStatus::Failed => format!("✗ {title} ({})", localized("failed", "실패")),
    }
}

#[cfg(test)]
mod tests {
    use super::{TurnRow, turn_lines};

    fn assert_turn_lines(turn: &str, expected: &str) {
        let head = r#"{"task":"T1","index":0,"role":"agent","agent":null,"session":"s_1","question":null,"sentAt":0"#;
        let turn: TurnRow = serde_json::from_str(&format!("{head},{turn}}}")).unwrap();
        let lines: Vec<String> = turn_lines(&turn, 30).iter().map(|line| line.text()).collect();
        assert_eq!(lines.join("\n"), expected);
    }

    #[test]
    fn tool_calls_are_shown_at_their_position() {
        assert_turn_lines(r#""content":"Hello.\n\nI am done.""#, "  Hello.\n\n  I am done.");
        assert_turn_lines(
            r#""content":"I look.\nI see.","tools":{"uses":[
                {"line":0,"title":"ls","status":"done"},
                {"line":1,"title":"cargo test\n--all","status":"failed"},
                {"line":1,"title":"a command that is longer than a line","status":"done"},
                {"line":2,"title":"sleep 9","status":"running"}],"nLeftOut":3},"isInterrupted":true"#,
            "  … 3 earlier tool calls\n  ✓ ls\n  I look.\n  ✗ cargo test (failed)\n  \
             ✓ a command that is longer …\n  I see.\n  … sleep 9 (did not finish)\n  … interrupted here",
        );
        assert_turn_lines(
            r#""content":"","tools":{"uses":[{"line":0,"title":"ls","status":"done"}]}"#,
            "  ✓ ls",
        );
    }
}
