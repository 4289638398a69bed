//! `jangdan answer QUESTION [TEXT]`: answers a question with text or with an option, as the inbox marks it.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use domain::{Locale, PermissionScope, QuestionId, UserCommand};
use views::InboxItem;

use crate::{
    arguments::{RunArguments, parse_id},
    failure::Failure,
    localized::localized,
    remote::environment_locale,
    run_command::{RunTarget, join_words, usage_error},
    screen::entry::{InboxEntry, ParsedInput, entry},
    watch::now,
};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Question, such as q_1
    #[arg(value_parser = parse_id::<QuestionId>)]
    question: QuestionId,
    /// Text of the answer, or the number or letter of an option
    text: Vec<String>,
    /// Answer with the option that `jangdan inbox` marks with this number or letter
    #[arg(long, value_name = "NUMBER")]
    option: Option<String>,
    /// How long a permission applies [default: once, with --similar: run]
    #[arg(long = "for", alias = "keep", value_enum, value_name = "SCOPE")]
    scope: Option<ScopeArgument>,
    /// Decide similar requests too: those of PATTERN, such as 'run:npm test *' [default: the proposed pattern]
    #[arg(long, value_name = "PATTERN", num_args = 0..=1, default_missing_value = "")]
    similar: Option<String>,
    /// Why a permission is denied; the agent is told
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Reply with a question to the agent; its own question stays open
    #[arg(long, conflicts_with = "option")]
    back: bool,
    #[command(flatten)]
    run: RunArguments,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ScopeArgument {
    /// This request only
    Once,
    /// Until the task ends
    Task,
    /// Until the run ends
    Run,
    /// All runs of this project
    Project,
}

/// Sends the answer, or the question back to the agent.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let question = arguments.question;
    let text = join_words(&arguments.text);
    if text.is_none() && arguments.option.is_none() {
        return Err(usage_error(&localized(
            "The answer is empty. Write it, or choose with --option NUMBER.",
            "답변이 비어 있습니다. 답변을 입력하거나 --option NUMBER로 선택하세요.",
        )));
    }
    if text.is_some() && arguments.option.is_some() {
        return Err(usage_error(&localized(
            "Write the answer or use --option NUMBER, not both.",
            "답변과 --option NUMBER는 함께 사용할 수 없습니다.",
        )));
    }
    let target = RunTarget::find(&arguments.run.common, arguments.run.run_name())?;
    if arguments.back {
        let text = text.unwrap_or_default();
        return target.send_command(
            &UserCommand::RequestClarification { question, text },
            &localized(format!("replied to {question}"), format!("{question} 질문에 되물었습니다")),
        );
    }
    let locale = environment_locale();
    let entry = find_entry(&target, locale, question)?;
    let pattern = match &arguments.similar {
        Some(pattern) if pattern.is_empty() => Some(proposed_pattern(&target, question)?),
        pattern => pattern.clone(),
    };
    let default_scope = if pattern.is_some() { PermissionScope::Run } else { PermissionScope::Once };
    let keep = arguments.scope.map_or(default_scope, ScopeArgument::permission_scope);
    let mut command = match (&text, &arguments.option, &entry) {
        (_, Some(mark), Some(entry)) => option_command(entry, locale, mark)?,
        (_, Some(_), None) => return Err(not_waiting_failure(&target, question)),
        (Some(text), None, Some(entry)) => answer_command(entry, locale, question, text)?,
        (text, None, _) => text_command(question, text.as_deref().unwrap_or_default()),
    };
    // Explicit arguments override the scope of an option that has none.
    if let UserCommand::Answer { scope, pattern: saved, reason, .. } = &mut command {
        if *scope == PermissionScope::Once {
            *scope = keep;
        }
        *saved = pattern.or_else(|| saved.take());
        *reason = arguments.reason.clone().or_else(|| reason.take());
    }
    let done = if let UserCommand::Answer { answer, pattern, .. } = &command {
        let saved = pattern.as_ref().map(|pattern| format!(" ({pattern})")).unwrap_or_default();
        localized(
            format!("answered {question}: {answer}{saved}"),
            format!("{question} 질문에 답변했습니다: {answer}{saved}"),
        )
    } else {
        localized(format!("answered {question}"), format!("{question} 질문에 답변했습니다"))
    };
    target.send_command(&command, &done)
}

/// Returns the command for an answer: the option that the inbox marks with it, else its text.
fn answer_command(
    entry: &InboxEntry,
    locale: Locale,
    question: QuestionId,
    answer: &str,
) -> Result<UserCommand, Failure> {
    let is_label = entry.choices.iter().any(|choice| choice.label == answer);
    if entry.is_unknown_number(answer) && !is_label && entry.choice_by_mark(answer).is_none() {
        return Err(unknown_option_failure(entry, answer));
    }
    Ok(match entry.parse_input(locale, answer) {
        ParsedInput::UserCommand(command) => command,
        // The server says which answers a question accepts.
        ParsedInput::NeedsText(_) | ParsedInput::Invalid(_) => text_command(question, answer),
    })
}

/// Returns the command of the option with a mark; a number always counts the options.
fn option_command(entry: &InboxEntry, locale: Locale, mark: &str) -> Result<UserCommand, Failure> {
    let by_position = || mark.parse::<usize>().ok()?.checked_sub(1);
    let chosen = entry.choice_by_mark(mark).or_else(by_position);
    match chosen.map(|index| entry.select_choice(locale, index, "")) {
        Some(ParsedInput::UserCommand(command)) => Ok(command),
        Some(ParsedInput::NeedsText(_) | ParsedInput::Invalid(_)) | None => {
            Err(unknown_option_failure(entry, mark))
        }
    }
}

fn text_command(question: QuestionId, answer: &str) -> UserCommand {
    UserCommand::Answer {
        question: Some(question),
        task: None,
        answer: answer.to_owned(),
        scope: PermissionScope::Once,
        pattern: None,
        reason: None,
    }
}

/// Returns the pattern that the card of a permission request proposes.
fn proposed_pattern(target: &RunTarget<'_>, question: QuestionId) -> Result<String, Failure> {
    let board = target.source.board(&target.run.id)?;
    let similar = board.questions.get(&question).and_then(|row| row.similar.as_ref());
    similar.map(|similar| similar.pattern.clone()).ok_or_else(|| Failure {
        what: localized(
            format!("{question} proposes no pattern."),
            format!("{question} 질문에는 제안된 패턴이 없습니다."),
        ),
        hint: Some(localized(
            "Write one: --similar 'run:npm test *'",
            "직접 입력하세요: --similar 'run:npm test *'",
        )),
        exit: 1,
    })
}

fn find_entry(
    target: &RunTarget<'_>,
    locale: Locale,
    question: QuestionId,
) -> Result<Option<InboxEntry>, Failure> {
    let board = target.source.board(&target.run.id)?;
    let inbox = board.inbox();
    let row = inbox.iter().find(|row| row.item == InboxItem::Question(question));
    Ok(row.and_then(|row| entry(&board, locale, now(), row)))
}

fn not_waiting_failure(target: &RunTarget<'_>, question: QuestionId) -> Failure {
    let run = &target.run.id;
    Failure {
        what: localized(
            format!("{question} is not waiting for you in run {run}."),
            format!("실행 {run}에서 답변을 기다리는 {question} 질문이 없습니다."),
        ),
        hint: Some(localized("Show what is waiting for you: jangdan inbox", "확인할 일 보기: jangdan inbox")),
        exit: 1,
    }
}

fn unknown_option_failure(entry: &InboxEntry, mark: &str) -> Failure {
    let item = entry.item;
    let choices = entry.choices.iter().enumerate();
    let options: Vec<_> =
        choices.map(|(at, choice)| format!("{} {}", entry.choice_mark(at), choice.label)).collect();
    let hint = match options.is_empty() {
        true => localized("It has no options: write the answer.", "선택지가 없습니다. 답변을 입력하세요."),
        false => {
            localized(format!("Options: {}", options.join(", ")), format!("선택지: {}", options.join(", ")))
        }
    };
    let what = localized(
        format!("{item} has no option {mark}."),
        format!("{item} 질문에 {mark}번 선택지가 없습니다."),
    );
    Failure { what, hint: Some(hint), exit: 1 }
}

impl ScopeArgument {
    fn permission_scope(self) -> PermissionScope {
        match self {
            Self::Once => PermissionScope::Once,
            Self::Task => PermissionScope::Task,
            Self::Run => PermissionScope::Run,
            Self::Project => PermissionScope::Project,
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::{Locale, QuestionId, UserCommand};
    use views::QuestionRow;

    use super::{answer_command, option_command};
    use crate::screen::entry::{InboxEntry, question_entry};

    fn question(options: &[&str]) -> InboxEntry {
        let row: QuestionRow = serde_json::from_value(serde_json::json!({
            "id": "q_1", "session": "s_1", "task": "T1", "agent": "backend", "kind": "selection", "text": "How many?",
            "options": options, "default": null, "context": null, "required": true, "permission": null,
            "status": "pending", "isInTurn": false, "originalText": null, "clarifications": [], "answer": null,
            "answeredBy": null, "withdrawalReason": null, "chat": null, "blocks": { "tasks": 0, "timeMs": 0 }, "askedAt": 0, "reachedPersonAt": 0,
            "expiresAt": null, "answeredAt": null, "deliveredAt": null
        }))
        .unwrap();
        question_entry(Locale::En, &row)
    }

    #[test]
    fn an_answer_is_the_option_that_the_inbox_marks_with_it_else_text() {
        let text = |command: UserCommand| {
            let UserCommand::Answer { answer, .. } = command else { panic!("{command:?}") };
            answer
        };
        let check = |options: &[&str], typed: &str, expected: Result<&str, &str>| {
            let answer = answer_command(&question(options), Locale::En, QuestionId(1), typed);
            let answer = answer.map(text).map_err(|failure| failure.hint.unwrap());
            assert_eq!(answer, expected.map(str::to_owned).map_err(str::to_owned), "{typed} of {options:?}");
        };
        check(&["red", "blue"], "2", Ok("blue"));
        check(&["red", "blue"], "blue", Ok("blue"));
        check(&["red", "blue"], "2 weeks", Ok("2 weeks"));
        check(&["red", "blue"], "3", Err("Options: 1 red, 2 blue"));
        // Numbers are answers, so the inbox shows letters.
        check(&["5", "10"], "b", Ok("10"));
        check(&["5", "10"], "5", Ok("5"));
        check(&["5", "10"], "2", Ok("2"));
        check(&[], "2", Ok("2"));
        let numbers = question(&["5", "10"]);
        for mark in ["2", "b"] {
            assert_eq!(option_command(&numbers, Locale::En, mark).map(text).unwrap(), "10");
        }
        let failure = option_command(&numbers, Locale::En, "c").unwrap_err();
        assert_eq!(failure.hint.as_deref(), Some("Options: a 5, b 10"));
    }
}
