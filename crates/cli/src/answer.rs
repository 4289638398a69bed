//! `jangdan answer QUESTION [TEXT]`: answers a question with text or with the number of an option.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use domain::{Locale, PermissionScope, QuestionId, UserCommand};
use views::InboxItem;

use crate::{
    arguments::{RunArguments, parse_id},
    failure::Failure,
    localized::localized,
    run_command::{RunTarget, join_words, usage_error},
    screen::entry::{InboxEntry, ParsedInput, entry},
    watch::now,
};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Question, such as q_1
    #[arg(value_parser = parse_id::<QuestionId>)]
    question: QuestionId,
    /// Text of the answer, or the number of an option
    text: Vec<String>,
    /// Answer with the option of this number, as shown by `jangdan inbox`
    #[arg(long, value_name = "NUMBER")]
    option: Option<usize>,
    /// How long a permission is valid [default: once, with --similar: run]
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
    let answer = match (join_words(&arguments.text), arguments.option) {
        (None, None) => {
            return Err(usage_error("The answer is empty. Write it, or choose with --option NUMBER."));
        }
        (Some(_), Some(_)) => return Err(usage_error("Write the answer or use --option NUMBER, not both.")),
        (text, _) => text,
    };
    let target = RunTarget::find(&arguments.run.common, arguments.run.run_name())?;
    if arguments.back {
        let text = answer.unwrap_or_default();
        return target.send_command(
            &UserCommand::RequestClarification { question, text },
            &localized(format!("replied to {question}"), format!("{question} 질문에 되물었습니다")),
        );
    }
    let entry = find_entry(&target, question)?;
    let pattern = match &arguments.similar {
        Some(pattern) if pattern.is_empty() => Some(proposed_pattern(&target, question)?),
        pattern => pattern.clone(),
    };
    let default_scope = if pattern.is_some() { PermissionScope::Run } else { PermissionScope::Once };
    let keep = arguments.scope.map_or(default_scope, ScopeArgument::permission_scope);
    let number = answer.as_deref().and_then(|answer| number_of_option(entry.as_ref(), answer));
    let mut command = match (answer, number.or(arguments.option)) {
        (Some(answer), None) => UserCommand::Answer {
            question: Some(question),
            task: None,
            answer,
            scope: keep,
            pattern: None,
            reason: None,
        },
        (_, number) => command_for_option(&target, question, entry.as_ref(), number.unwrap_or_default())?,
    };
    // Explicit arguments override the scope of a numbered option that has none.
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

/// Returns the number if the answer is the number of an option, as the inbox shows it, and not the text of one.
fn number_of_option(entry: Option<&InboxEntry>, answer: &str) -> Option<usize> {
    let number = answer.parse().ok()?;
    let choices = &entry?.choices;
    let is_text = choices.is_empty() || choices.iter().any(|choice| choice.label == answer);
    (!is_text).then_some(number)
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

fn find_entry(target: &RunTarget<'_>, question: QuestionId) -> Result<Option<InboxEntry>, Failure> {
    let board = target.source.board(&target.run.id)?;
    let inbox = board.inbox();
    let row = inbox.iter().find(|row| row.item == InboxItem::Question(question));
    Ok(row.and_then(|row| entry(&board, Locale::En, now(), row)))
}

/// Returns the command behind an option's number, as the inbox numbers them.
fn command_for_option(
    target: &RunTarget<'_>,
    question: QuestionId,
    entry: Option<&InboxEntry>,
    number: usize,
) -> Result<UserCommand, Failure> {
    let entry = entry.ok_or_else(|| Failure {
        what: format!("{question} is not waiting for you in run {}.", target.run.id),
        hint: Some("List what is: jangdan inbox".to_owned()),
        exit: 1,
    })?;
    let chosen = number.checked_sub(1).map(|index| entry.select_choice(Locale::En, index, ""));
    if let Some(ParsedInput::UserCommand(command)) = chosen {
        return Ok(command);
    }
    let labels = entry.choices.iter().enumerate().map(|(at, choice)| format!("{} {}", at + 1, choice.label));
    let options: Vec<_> = labels.collect();
    let hint = match options.is_empty() {
        true => "It has no options: write the answer.".to_owned(),
        false => format!("Options: {}", options.join(", ")),
    };
    Err(Failure { what: format!("{question} has no option {number}."), hint: Some(hint), exit: 1 })
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
