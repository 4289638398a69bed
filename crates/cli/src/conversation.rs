//! `jangdan conversation TASK`: prompts and agent messages of a task or of a session, turn by turn.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use anstyle::{AnsiColor, Style};
use clap::Args;
use domain::{RunId, SessionId, TaskId, ToolStatus, ToolUse};
use views::{SessionRow, TaskRow, TurnKind, TurnRow, TurnSpeaker};

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

/// A longer prompt is cut unless it is requested in full: it repeats the rules of the protocol.
const PROMPT_LINES_MAX: usize = 14;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Task, such as T1.2, or session, such as s_3
    #[arg(value_name = "TASK", value_parser = ConversationSubject::parse)]
    subject: ConversationSubject,
    /// Print long prompts in full
    #[arg(long)]
    full: bool,
    #[command(flatten)]
    run: RunArguments,
}

/// A task or session whose conversation is printed.
#[derive(Debug, Clone)]
enum ConversationSubject {
    Task(TaskId),
    Session(SessionId),
}

impl ConversationSubject {
    fn parse(word: &str) -> Result<Self, String> {
        match word.parse() {
            Ok(session) => Ok(Self::Session(session)),
            Err(_) => parse_task_id(word).map(Self::Task),
        }
    }

    fn includes(&self, turn: &TurnRow) -> bool {
        match self {
            Self::Task(task) => turn.task.as_ref() == Some(task),
            Self::Session(session) => turn.session == *session,
        }
    }

    /// Returns an error if the run does not have it.
    fn check(&self, source: &RowSource, run: &RunId) -> Result<(), Failure> {
        match self {
            Self::Task(task) => {
                let tasks: Vec<TaskRow> = source.rows_of_kind(run)?;
                let is_known = tasks.iter().any(|row| row.id == *task);
                is_known.then_some(()).ok_or_else(|| unknown_task_failure(run, task))
            }
            Self::Session(session) => {
                let sessions: Vec<SessionRow> = source.rows_of_kind(run)?;
                let is_known = sessions.iter().any(|row| row.id == *session);
                is_known.then_some(()).ok_or_else(|| unknown_session_failure(run, *session))
            }
        }
    }
}

fn unknown_session_failure(run: &RunId, session: SessionId) -> Failure {
    Failure {
        what: localized(
            format!("Unknown session {session} in run {run}."),
            format!("실행 {run}에 {session} 세션이 없습니다."),
        ),
        hint: Some(localized(
            format!("List the sessions: jangdan sessions {run}"),
            format!("세션 목록: jangdan sessions {run}"),
        )),
        exit: 1,
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let (subject, common) = (&arguments.subject, &arguments.run.common);
    let source = RowSource::open(common)?;
    let run = source.find_run(arguments.run.run_name())?;
    let mut turns: Vec<TurnRow> = source.rows_of_kind(&run.id)?;
    turns.retain(|turn| subject.includes(turn));
    turns.sort_by_key(|turn| turn.index);
    if turns.is_empty() {
        subject.check(&source, &run.id)?;
    }
    if turns.is_empty() && !common.json {
        eprintln!("{}", localized("No turns yet", "아직 대화가 없습니다"));
    }
    let printed = turns.iter().try_for_each(|turn| match common.json {
        true => print_turn_json(turn),
        false => print_turn(turn, arguments.full),
    });
    Failure::exit_after_output(printed)
}

fn print_turn_json(turn: &TurnRow) -> io::Result<()> {
    writeln!(io::stdout().lock(), "{}", printable_json(turn)?)
}

fn print_turn(turn: &TurnRow, is_full: bool) -> io::Result<()> {
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
    for line in
        [heading].into_iter().chain(turn_lines(turn, draw_context().width, is_full)).chain([Line::default()])
    {
        writeln!(out, "{}", line.ansi_text())?;
    }
    out.flush()
}

/// Returns the text of a turn, with a line for each tool call at its position.
fn turn_lines(turn: &TurnRow, width: usize, is_full: bool) -> Vec<Line> {
    let faint = |text: &str| Line::styled(FAINT, &format!("  {text}")).cut(width);
    let mut lines = Vec::new();
    if turn.tools.n_omitted > 0 {
        let n_omitted = turn.tools.n_omitted;
        let calls = plural(usize::try_from(n_omitted).unwrap_or(usize::MAX), "earlier tool call");
        lines.push(faint(&localized(format!("… {calls}"), format!("… 이전 도구 호출 {n_omitted}건"))));
    }
    let mut tools = turn.tools.uses.iter().peekable();
    let content = turn.shown_text(remote::environment_locale());
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
    if turn.kind == TurnKind::Prompt && !is_full && lines.len() > PROMPT_LINES_MAX {
        let n_more = lines.len() - (PROMPT_LINES_MAX - 4);
        lines.truncate(PROMPT_LINES_MAX - 4);
        lines.push(faint(&localized(
            format!("… {} (--full prints them)", plural(n_more, "more line")),
            format!("… {n_more}줄 더 있음 (--full로 모두 출력)"),
        )));
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
        let lines: Vec<String> = turn_lines(&turn, 30, false).iter().map(|line| line.text()).collect();
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

    #[test]
    fn a_long_prompt_is_cut_unless_it_is_requested_in_full() {
        let sent: String = (1..=20).map(|n| format!("line {n}\n")).collect();
        let turn: TurnRow = serde_json::from_value(serde_json::json!({
            "task": "T1", "index": 0, "role": "orchestrator", "kind": "prompt", "agent": null, "session": "s_1",
            "content": "Do task T1.", "sent": sent, "question": null, "sentAt": 0,
        }))
        .unwrap();
        let text =
            |is_full| turn_lines(&turn, 60, is_full).iter().map(|line| line.text()).collect::<Vec<_>>();
        let cut = text(false);
        assert_eq!((cut.len(), cut[0].as_str()), (11, "  line 1"));
        assert_eq!(cut[10], "  … 10 more lines (--full prints them)");
        assert_eq!((text(true).len(), text(true)[19].clone()), (20, "  line 20".to_owned()));
    }
}
