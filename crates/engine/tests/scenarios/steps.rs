//! What happens in a scenario: a line that says so becomes the commands that the run gets.

use domain::{
    Actor, AskUser, AskUserType, Command, PermissionKind, PermissionRequest, SessionId, TestFailure,
    TestFeedback, TestMetrics, Usage,
};

use crate::{
    clock::read_duration,
    given::{read_value, unquoted},
    mouth, people, reports,
    script::Line,
    stage::Stage,
};

/// Does what a line says.
pub fn take(stage: &mut Stage, line: &Line) -> Result<(), String> {
    let text = line.text.as_str();
    let (head, tail) = match text.split_once(": ") {
        Some((head, tail)) => (head, Some(tail.to_owned())),
        None => (text.strip_suffix(':').unwrap_or(text), line.block.clone()),
    };
    let words: Vec<&str> = head.split_whitespace().collect();
    if stage.hands.take(text) {
        return stage.carry_on();
    }
    match words.as_slice() {
        [time @ .., "pass" | "passes"] if text.starts_with(|c: char| c.is_ascii_digit()) => {
            pass(stage, read_duration(time)?)
        }
        [who, "says,", n, "times,", time @ .., "apart"] => {
            let (n, pause): (usize, u64) = (read_value(n)?, read_duration(time)?);
            for _ in 0..n {
                speak_as(stage, who, &["says"], tail.as_deref())?;
                pass(stage, pause)?;
            }
            Ok(())
        }
        ["Jangdan", "restarts"] => stage.restart(),
        _ => {
            act(stage, &words, tail.as_deref())?;
            stage.carry_on()
        }
    }
}

fn pass(stage: &mut Stage, duration: u64) -> Result<(), String> {
    let duration = i64::try_from(duration).map_err(|error| error.to_string())?;
    stage.pass(domain::Timestamp(stage.now.0 + duration))
}

fn act(stage: &mut Stage, words: &[&str], tail: Option<&str>) -> Result<(), String> {
    if reports::take(stage, words, tail)? {
        return Ok(());
    }
    if let Some(done) = speak(stage, words, tail) {
        return done;
    }
    if let Some(command) = people::read(stage, words, tail)? {
        let name = words.first().copied().unwrap_or_default();
        // People are written in lower case; an agent may try what only they may do.
        let actor = match stage.facts.session(name) {
            Ok(session) => Actor::Agent(session.id),
            Err(_) => Actor::Person(name.to_owned()),
        };
        return stage.wish(&actor, command);
    }
    Err("is nothing that can happen".to_owned())
}

/// Lets an agent do what agents do; nothing where the line is about somebody else.
fn speak(stage: &mut Stage, words: &[&str], tail: Option<&str>) -> Option<Result<(), String>> {
    let verbs = ["says", "says,", "ends", "repeats", "wants", "reports", "uses", "asks"];
    let at = words.iter().position(|word| verbs.contains(word))?;
    let (who, act) = words.split_at(at);
    let who = who.join(" ");
    if who.starts_with(|c: char| c.is_lowercase()) && !who.starts_with("the ") {
        return None;
    }
    Some(speak_as(stage, &who, act, tail))
}

fn speak_as(stage: &mut Stage, who: &str, act: &[&str], tail: Option<&str>) -> Result<(), String> {
    let session = stage.facts.session(who)?;
    let (id, role) = (session.id, session.role);
    let said = || tail.ok_or("does not say what".to_owned());
    let commands = match act {
        ["says,", "going", "on"] => stage.mouths.say(id, role, said()?),
        ["says"] => {
            let mut commands = stage.mouths.say(id, role, said()?);
            commands.extend(stage.mouths.end_turn(id, role));
            commands
        }
        ["says,", "all", "at", "once"] => {
            let mut commands = mouth::by_urgency(stage.mouths.say(id, role, said()?));
            commands.extend(stage.mouths.end_turn(id, role));
            commands
        }
        ["ends", "its", "turn"] => stage.mouths.end_turn(id, role),
        ["repeats", "its", "last", "message"] => vec![stage.mouths.last_heard(id)?],
        ["wants", "to", kind, subject @ ..] => {
            vec![Command::RequestPermission(wish(id, kind, subject, stage.log.len())?)]
        }
        ["reports", "success"] => {
            vec![Command::ReportTestFeedback(TestFeedback { success: true, ..TestFeedback::default() })]
        }
        ["reports", "a", "failed", "test"] => vec![Command::ReportTestFeedback(failed(said()?))],
        ["asks", "within", "its", "turn"] => {
            let asked = AskUser {
                question: said()?.to_owned(),
                r#type: AskUserType::Text,
                options: Vec::new(),
                context: None,
                default: None,
                required: true,
            };
            vec![Command::RequestAnswer { prompt: format!("prompt-{id}"), question: Box::new(asked) }]
        }
        ["uses", amount, ..] => vec![Command::ReportUsage(usage(amount)?)],
        _ => return Err("is nothing that an agent does".to_owned()),
    };
    for command in commands {
        let is_over = |status| matches!(status, "dismissed" | "ended");
        let is_over = stage.facts.sessions.iter().any(|session| session.id == id && is_over(session.status));
        if is_over && matches!(command, Command::EndTurn { .. }) {
            // The process was ended because of what it said before.
            continue;
        }
        stage.wish(&Actor::Agent(id), command)?;
        stage.carry_on()?;
    }
    Ok(())
}

/// Reads `edit src/a.rs`, `edit secrets.txt outside its worktree`, `run "cargo test"`.
fn wish(
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
        _ => return Err(format!("'{kind}' is nothing that needs a permission")),
    };
    let (subject, in_worktree) = match subject {
        [subject @ .., "outside", "its", "worktree"] => (subject, false),
        subject => (subject, matches!(kind, PermissionKind::Edit | PermissionKind::Read)),
    };
    Ok(PermissionRequest {
        prompt: format!("prompt-{session}-{n_events}"),
        kind,
        subject: unquoted(&subject.join(" ")),
        in_worktree,
        detail: None,
    })
}

fn failed(name: &str) -> TestFeedback {
    TestFeedback {
        success: false,
        failures: vec![TestFailure { name: name.to_owned(), ..TestFailure::default() }],
        suggestions: Vec::new(),
        metrics: Some(TestMetrics { total: 3, passed: 2, failed: 1, skipped: 0, seconds: 1.5 }),
    }
}

/// Reads `95k` (tokens) or `$2`.
fn usage(amount: &str) -> Result<Usage, String> {
    match amount.parse().map_err(|_| format!("'{amount}' is no amount"))? {
        domain::Budget::Tokens(tokens) => Ok(Usage { input_tokens: tokens, ..Usage::default() }),
        domain::Budget::Cents(cents) => Ok(Usage { cost_micros: cents * 10_000, ..Usage::default() }),
    }
}
