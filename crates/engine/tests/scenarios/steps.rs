//! The `when` section of a scenario: turns each step into inputs.

use domain::{
    AgentOutput, AskUser, AskUserType, PermissionKind, PermissionRequest, Report, Role, RunInput, SessionId,
    TestFailure, TestFeedback, TestMetrics, Timestamp, TurnFailure, Usage,
};

use crate::{
    clock::parse_duration,
    executor_reports,
    runner::ScenarioRunner,
    scenario_file::Line,
    setup::{parse_value, strip_quotes},
    user_commands,
};

/// Executes one step.
pub(crate) fn run_step(runner: &mut ScenarioRunner, line: &Line) -> Result<(), String> {
    let text = line.text.as_str();
    let (head, tail) = match text.split_once(": ") {
        Some((head, tail)) => (head, Some(tail.to_owned())),
        None => (text.strip_suffix(':').unwrap_or(text), line.block.clone()),
    };
    let words: Vec<&str> = head.split_whitespace().collect();
    if runner.executor.read_line(text) {
        return runner.run_executor();
    }
    match words.as_slice() {
        [time @ .., "pass" | "passes"] if text.starts_with(|c: char| c.is_ascii_digit()) => {
            advance_clock(runner, parse_duration(time)?)
        }
        [agent, "prints,", n, "times,", time @ .., "apart"] => {
            let (n, pause): (usize, u64) = (parse_value(n)?, parse_duration(time)?);
            for _ in 0..n {
                act_as_agent(runner, agent, &["prints"], tail.as_deref())?;
                advance_clock(runner, pause)?;
            }
            Ok(())
        }
        [agent, "prints", n, "times"] => {
            for _ in 0..parse_value::<usize>(n)? {
                act_as_agent(runner, agent, &["prints"], tail.as_deref())?;
            }
            Ok(())
        }
        ["the", "clock", "jumps", "by", time @ ..] => {
            let by_ms = i64::try_from(parse_duration(time)?).map_err(|error| error.to_string())?;
            runner.now = Timestamp(runner.now.0 + by_ms);
            runner.execute_input(Report::ClockJumped { by_ms }.into())?;
            runner.run_executor()
        }
        ["Jangdan", "restarts"] => runner.restart(),
        _ => {
            run_actor_step(runner, &words, tail.as_deref())?;
            runner.run_executor()
        }
    }
}

fn advance_clock(runner: &mut ScenarioRunner, duration: u64) -> Result<(), String> {
    let duration = i64::try_from(duration).map_err(|error| error.to_string())?;
    runner.advance_clock(domain::Timestamp(runner.now.0 + duration))
}

fn run_actor_step(runner: &mut ScenarioRunner, words: &[&str], tail: Option<&str>) -> Result<(), String> {
    if executor_reports::send_report_of_line(runner, words, tail)? {
        return Ok(());
    }
    if let Some(result) = run_agent_step(runner, words, tail) {
        return result;
    }
    if let Some(command) = user_commands::read_user_line(runner, words, tail)? {
        let person = words.first().copied().unwrap_or_default().to_owned();
        return runner.execute_input(RunInput::User { person, origin: None, command });
    }
    Err("is not a step".to_owned())
}

/// Executes the step of an agent; `None` if the line is about someone else.
fn run_agent_step(
    runner: &mut ScenarioRunner,
    words: &[&str],
    tail: Option<&str>,
) -> Option<Result<(), String>> {
    let verbs = ["prints", "prints,", "ends", "repeats", "requests", "reports", "uses", "asks"];
    let at = words.iter().position(|word| verbs.contains(word))?;
    let (agent, action) = words.split_at(at);
    let agent = agent.join(" ");
    if agent.starts_with(|c: char| c.is_lowercase()) && !agent.starts_with("the ") {
        return None;
    }
    Some(act_as_agent(runner, &agent, action, tail))
}

fn act_as_agent(
    runner: &mut ScenarioRunner,
    agent: &str,
    action: &[&str],
    tail: Option<&str>,
) -> Result<(), String> {
    let session = runner.facts.session(agent)?;
    let (id, role) = (session.id, session.role);
    if let ["prints" | "ends", ..] = action {
        runner.executor.change_by_default(id);
    }
    let text = || tail.ok_or("has no text after the colon".to_owned());
    let outputs = match action {
        ["prints", "within", "its", "turn"] => runner.outputs.print(id, role, text()?),
        ["prints", n, "times", "within", "its", "turn"] => {
            let text = text()?.trim_end();
            runner.outputs.print(id, role, &vec![text; parse_value(n)?].join("\n"))
        }
        ["prints"] => {
            let mut outputs = runner.outputs.print(id, role, text()?);
            outputs.extend(runner.outputs.end_turn(id, role));
            outputs
        }
        ["prints", "at", "once"] => {
            let outputs = runner.outputs.print(id, role, text()?);
            let mut inputs: Vec<RunInput> =
                outputs.into_iter().map(|output| RunInput::Agent { session: id, output }).collect();
            engine::sort_by_urgency(&mut inputs);
            let sorted = inputs.into_iter().filter_map(|input| match input {
                RunInput::Agent { output, .. } => Some(output),
                RunInput::Start { .. } | RunInput::User { .. } | RunInput::Report(_) => None,
            });
            sorted.chain(runner.outputs.end_turn(id, role)).collect()
        }
        ["ends", "its", "turn"] => runner.outputs.end_turn(id, role),
        ["ends", "its", "turn", how @ ..] => {
            let message = text()?.to_owned();
            let turn_failure = match how {
                ["at", "a", "rate", "limit"] => TurnFailure::RateLimited { message, resets_at: None },
                ["at", "a", "rate", "limit", "until", time] => {
                    let at: jiff::Timestamp = parse_value(time)?;
                    let resets_at = Some(Timestamp(at.as_millisecond()));
                    TurnFailure::RateLimited { message, resets_at }
                }
                ["without", "access"] => TurnFailure::Unauthorized { message },
                ["with", "an", "error"] => TurnFailure::Other { message },
                _ => return Err("is not a way to end a turn".to_owned()),
            };
            let mut outputs = runner.outputs.end_turn(id, role);
            if let Some(AgentOutput::TurnEnded { failure, .. }) = outputs.last_mut() {
                *failure = Some(turn_failure);
            }
            outputs
        }
        ["repeats", "its", "last", "message"] => vec![runner.outputs.last_output(id)?],
        ["requests", "permission", "to", kind, subject @ ..] => {
            vec![AgentOutput::PermissionRequested(permission_request(id, kind, subject, runner.log.len())?)]
        }
        ["reports", "success"] => {
            report_feedback(runner, id, role, TestFeedback { success: true, ..TestFeedback::default() })
        }
        ["reports", "a", "failed", "test"] => {
            report_feedback(runner, id, role, failed_test_feedback(text()?))
        }
        ["asks", "within", "its", "turn"] => {
            let question = AskUser {
                question: text()?.to_owned(),
                r#type: AskUserType::Text,
                options: Vec::new(),
                context: None,
                default: None,
                required: true,
            };
            vec![AgentOutput::QuestionAsked { prompt: format!("prompt-{id}"), question: Box::new(question) }]
        }
        ["uses", amount, ..] => vec![AgentOutput::Usage(parse_usage(amount)?)],
        _ => return Err("is not a step of an agent".to_owned()),
    };
    for output in outputs {
        let has_ended = |status| matches!(status, "dismissed" | "ended");
        let has_ended =
            runner.facts.sessions.iter().any(|session| session.id == id && has_ended(session.status));
        if has_ended && matches!(output, AgentOutput::TurnEnded { .. }) {
            // An earlier message ended the process.
            continue;
        }
        runner.execute_input(RunInput::Agent { session: id, output })?;
        runner.run_executor()?;
    }
    Ok(())
}

/// Returns the outputs of a tester that gives its verdict and ends its turn.
fn report_feedback(
    runner: &mut ScenarioRunner,
    session: SessionId,
    role: Role,
    feedback: TestFeedback,
) -> Vec<AgentOutput> {
    let mut outputs = vec![AgentOutput::TestFeedback(feedback)];
    outputs.extend(runner.outputs.end_turn(session, role));
    outputs
}

/// Parses `edit src/a.rs`, `edit secrets.txt outside its worktree`, `run "cargo test"`.
fn permission_request(
    session: SessionId,
    kind: &str,
    subject: &[&str],
    n_events: usize,
) -> Result<PermissionRequest, String> {
    let kind = match kind {
        "edit" => PermissionKind::Edit,
        "run" => PermissionKind::Run,
        "read" => PermissionKind::Read,
        "fetch" => PermissionKind::Fetch,
        _ => return Err(format!("'{kind}' needs no permission")),
    };
    let (subject, in_worktree) = match subject {
        [subject @ .., "outside", "its", "worktree"] => (subject, false),
        subject => (subject, matches!(kind, PermissionKind::Edit | PermissionKind::Read)),
    };
    Ok(PermissionRequest {
        prompt: format!("prompt-{session}-{n_events}"),
        kind,
        subject: strip_quotes(&subject.join(" ")),
        in_worktree,
        detail: None,
    })
}

fn failed_test_feedback(name: &str) -> TestFeedback {
    TestFeedback {
        success: false,
        failures: vec![TestFailure { name: name.to_owned(), ..TestFailure::default() }],
        metrics: Some(TestMetrics { total: 3, passed: 2, failed: 1, skipped: 0, seconds: 1.5 }),
        ..TestFeedback::default()
    }
}

/// Parses `95k` (tokens) or `$2`.
fn parse_usage(amount: &str) -> Result<Usage, String> {
    match amount.parse().map_err(|_| format!("'{amount}' is not an amount"))? {
        domain::Budget::Tokens(tokens) => Ok(Usage { input_tokens: tokens, ..Usage::default() }),
        domain::Budget::Cents(cents) => Ok(Usage { cost_micros: cents * 10_000, ..Usage::default() }),
    }
}
