//! Explains an invalid command line, and prints help texts, in the language of the environment. clap itself knows only English.

use std::{error::Error, io::Write};

use clap::{
    Error as CommandLineError,
    error::{ContextKind, ContextValue, ErrorKind},
};
use domain::Locale;

use crate::{command_groups::korean_help, failure::print_error};

/// Prints an error or a help text of clap and ends the program.
pub(crate) fn exit(error: &CommandLineError, locale: Locale) -> ! {
    match (locale, error.kind()) {
        (Locale::En, _) | (Locale::Ko, ErrorKind::DisplayVersion) => error.exit(),
        (Locale::Ko, ErrorKind::DisplayHelp | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand) => {
            let help = korean_help(&error.render().ansi().to_string());
            // As for every output of clap: if the stream is closed, nothing can be reported.
            let _ = match error.use_stderr() {
                true => write!(anstream::stderr().lock(), "{help}"),
                false => write!(anstream::stdout().lock(), "{help}"),
            };
        }
        (Locale::Ko, _) => {
            let KoreanError { what, hint } = korean_error(error);
            print_error(&what, hint.as_deref());
            // If standard error is closed, nothing can be reported.
            let _ = writeln!(anstream::stderr().lock(), "{}", usage(error));
        }
    }
    std::process::exit(error.exit_code())
}

/// An error in a command line, and what may have been meant.
#[derive(Debug, PartialEq, Eq)]
struct KoreanError {
    what: String,
    hint: Option<String>,
}

fn korean_error(error: &CommandLineError) -> KoreanError {
    let argument = || context(error, ContextKind::InvalidArg);
    let value = || context(error, ContextKind::InvalidValue);
    let count = |kind| context(error, kind);
    let reason =
        || error.source().map(|source: &(dyn Error + 'static)| source.to_string()).unwrap_or_default();
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "kinds of clap that the command line cannot cause stay English"
    )]
    let what = match error.kind() {
        ErrorKind::InvalidValue if value().is_empty() => format!("값이 필요합니다: {}", argument()),
        ErrorKind::InvalidValue => format!("{}에 사용할 수 없는 값입니다: '{}'", argument(), value()),
        ErrorKind::UnknownArgument => format!("알 수 없는 인자입니다: '{}'", argument()),
        ErrorKind::InvalidSubcommand => {
            format!("알 수 없는 명령입니다: '{}'", context(error, ContextKind::InvalidSubcommand))
        }
        ErrorKind::NoEquals => format!("값을 '='로 지정하세요: {}", argument()),
        ErrorKind::ValueValidation => format!("{}: '{}' ({})", argument(), value(), reason()),
        ErrorKind::TooManyValues => format!("{}에 값이 너무 많습니다: '{}'", argument(), value()),
        ErrorKind::TooFewValues => format!(
            "{}에 값이 {}개 이상 필요하지만 {}개뿐입니다",
            argument(),
            count(ContextKind::MinValues),
            count(ContextKind::ActualNumValues)
        ),
        ErrorKind::WrongNumberOfValues => format!(
            "{}에 값이 {}개 필요하지만 {}개입니다",
            argument(),
            count(ContextKind::ExpectedNumValues),
            count(ContextKind::ActualNumValues)
        ),
        ErrorKind::ArgumentConflict => match context(error, ContextKind::PriorArg) {
            prior if prior == argument() => format!("한 번만 지정할 수 있습니다: {prior}"),
            prior => format!("함께 쓸 수 없습니다: {}, {prior}", argument()),
        },
        ErrorKind::MissingRequiredArgument => format!("필요한 인자가 없습니다: {}", argument()),
        ErrorKind::MissingSubcommand => "명령을 지정하지 않았습니다".to_owned(),
        ErrorKind::InvalidUtf8 => "인자가 올바른 UTF-8이 아닙니다".to_owned(),
        _ => error.to_string(),
    };
    let similar = [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue];
    let similar = similar.into_iter().map(count).find(|names| !names.is_empty());
    let valid = [ContextKind::ValidValue, ContextKind::ValidSubcommand].map(count);
    let valid = valid.into_iter().find(|names| !names.is_empty());
    let hint = similar.map(|names| format!("비슷한 이름: {names}"));
    KoreanError { what, hint: hint.or(valid.map(|names| format!("가능한 값: {names}"))) }
}

/// Returns the text of a part of an error; empty if it has none.
fn context(error: &CommandLineError, kind: ContextKind) -> String {
    match error.get(kind) {
        None | Some(ContextValue::None) => String::new(),
        Some(value) => value.to_string(),
    }
}

fn usage(error: &CommandLineError) -> String {
    let usage = context(error, ContextKind::Usage);
    let more = "자세한 내용은 '--help' 옵션으로 볼 수 있습니다.";
    match usage.as_str() {
        "" => more.to_owned(),
        usage => format!("\n{}\n\n{more}", korean_help(usage)),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::{KoreanError, korean_error, usage};
    use crate::Arguments;

    fn error_of(arguments: &[&str]) -> clap::Error {
        let words = ["jangdan"].iter().chain(arguments);
        Arguments::command().try_get_matches_from(words).unwrap_err()
    }

    #[test]
    fn errors_of_the_command_line_are_korean() {
        let check = |arguments: &[&str], what: &str, hint: Option<&str>| {
            let expected = KoreanError { what: what.to_owned(), hint: hint.map(str::to_owned) };
            assert_eq!(korean_error(&error_of(arguments)), expected, "{arguments:?}");
        };
        check(&["statsu"], "알 수 없는 명령입니다: 'statsu'", Some("비슷한 이름: status"));
        check(&["runs", "--jsno"], "알 수 없는 인자입니다: '--jsno'", Some("비슷한 이름: --json"));
        check(&["runs", "x"], "알 수 없는 인자입니다: 'x'", None);
        check(&["runs", "--data"], "값이 필요합니다: --data <DIR>", None);
        check(&["runs", "--json", "--json"], "한 번만 지정할 수 있습니다: --json", None);
        check(&["retry"], "필요한 인자가 없습니다: <TASK>", None);
        check(&["diff", "T1", "--phase", "1"], "함께 쓸 수 없습니다: [TASK], --phase <N>", None);
        check(
            &["decode", "--role", "worked"],
            "--role <ROLE>에 사용할 수 없는 값입니다: 'worked'",
            Some("비슷한 이름: worker"),
        );
        check(
            &["decode", "--role", "x"],
            "--role <ROLE>에 사용할 수 없는 값입니다: 'x'",
            Some("가능한 값: worker, orchestrator"),
        );
        check(&["decode", "--chunk", "0"], "--chunk <N>: '0' (0 is not in 1..=16777216)", None);
    }

    #[test]
    fn usage_follows_an_error() {
        let text = usage(&error_of(&["retry"]));
        assert!(text.starts_with("\n사용법: jangdan retry <TASK>"), "{text}");
        assert!(text.ends_with("'--help' 옵션으로 볼 수 있습니다."), "{text}");
    }
}
