//! The groups of `jangdan --help`. clap lists subcommands in one block, so the list is written into its help template.
//!
//! In Korean, descriptions of commands and arguments are replaced by those of a table.

mod korean;
mod korean_arguments;

use clap::Command;
use domain::Locale;

use crate::screen::phrases::pick_by_locale;

/// Heading and commands of each group, in the order of the help.
const GROUPS: &[(&str, &str, &[&str])] = &[
    ("Start", "시작", &["run", "resume", "demo", "serve", "session"]),
    ("Watch", "보기", &["watch", "status", "inbox", "escalations", "runs", "link"]),
    ("Answer", "답하기", &["answer", "approve", "reject", "provide", "refuse", "resolve", "chat", "gate"]),
    ("Act", "조작", &["pause", "continue", "cancel", "retry", "skip", "rewind", "tell", "land", "clean"]),
    (
        "Inspect",
        "자세히 보기",
        &[
            "logs",
            "conversation",
            "sessions",
            "calls",
            "messages",
            "checks",
            "diff",
            "report",
            "log",
            "audit",
            "replay",
        ],
    ),
    ("Set up", "설정", &["init", "doctor", "agents", "config", "secret", "plan", "completions"]),
    ("For agents", "에이전트용", &["say", "hook", "decode", "play"]),
];

/// Replaces the block of subcommands in the help by groups, in the language of the user.
pub(crate) fn with_groups(command: Command, locale: Locale) -> Command {
    let command = match locale {
        Locale::En => command,
        Locale::Ko => korean::translate(command),
    };
    let styles = command.get_styles();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let mut groups = String::new();
    for (english, korean, names) in GROUPS {
        let heading = pick_by_locale(locale, english, korean);
        groups.push_str(&format!("{header}{heading}:{header:#}\n"));
        for name in *names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            groups.push_str(&format!("  {literal}{name:<12}{literal:#}  {about}\n"));
        }
        groups.push('\n');
    }
    let usage = pick_by_locale(locale, "Usage", "사용법");
    let options = pick_by_locale(locale, "Options", "옵션");
    let more = pick_by_locale(
        locale,
        "Run 'jangdan COMMAND --help' for the arguments of a command.",
        "명령의 인자를 보려면 'jangdan COMMAND --help'를 실행하세요.",
    );
    let template = format!(
        "{{about-with-newline}}\n{header}{usage}:{header:#} {{usage}}\n\n{groups}{header}{options}:{header:#}\n{{options}}\n\n\
         {more}\n"
    );
    command.help_template(template)
}

/// Translates what clap itself wrote into a rendered help.
pub(crate) fn korean_help(rendered: &str) -> String {
    korean::translate_rendered_help(rendered)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use domain::Locale;

    use super::{GROUPS, korean_help, with_groups};
    use crate::Arguments;

    #[test]
    fn every_visible_command_is_in_exactly_one_group() {
        let command = Arguments::command();
        let mut visible: Vec<_> = command
            .get_subcommands()
            .filter(|command| !command.is_hide_set())
            .map(|command| command.get_name())
            .collect();
        let mut grouped: Vec<_> = GROUPS.iter().flat_map(|(_, _, names)| names.iter().copied()).collect();
        visible.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(grouped, visible);
    }

    #[test]
    fn help_is_grouped() {
        let help = with_groups(Arguments::command(), Locale::En).render_help().to_string();
        insta::assert_snapshot!(help);
        let help = with_groups(Arguments::command(), Locale::Ko).render_help().to_string();
        insta::assert_snapshot!("help_in_korean", help);
    }

    #[test]
    fn help_of_a_command_is_korean() {
        let help = |arguments: &[&str]| {
            let command = with_groups(Arguments::command(), Locale::Ko);
            korean_help(&command.try_get_matches_from(arguments).unwrap_err().to_string())
        };
        insta::assert_snapshot!("help_of_answer_in_korean", help(&["jangdan", "answer", "--help"]));
        insta::assert_snapshot!("help_of_session_in_korean", help(&["jangdan", "help", "session"]));
        let has_english_word = |line: &&str| {
            let words = line.split(|char: char| !char.is_ascii_lowercase());
            words.filter(|word| ["print", "default", "possible", "usage", "the", "of"].contains(word)).count()
                > 0
        };
        for command in Arguments::command().get_subcommands() {
            let text = help(&["jangdan", command.get_name(), "--help"]);
            let english: Vec<_> =
                text.lines().filter(has_english_word).filter(|line| !line.starts_with("사용법")).collect();
            assert!(english.is_empty() || command.is_hide_set(), "{english:#?}");
        }
    }

    #[test]
    fn the_command_line_is_consistent() {
        with_groups(Arguments::command(), Locale::Ko).debug_assert();
    }
}
