//! The groups of `jangdan --help`. clap lists subcommands in one block, so the list is written into its help template.

use clap::Command;

/// Heading and commands of each group, in the order of the help.
const GROUPS: &[(&str, &[&str])] = &[
    ("Start", &["run", "resume", "demo", "serve", "session"]),
    ("Watch", &["watch", "status", "inbox", "runs", "link"]),
    ("Answer", &["answer", "approve", "reject", "provide", "refuse", "resolve", "chat"]),
    ("Act", &["pause", "continue", "cancel", "retry", "skip", "rewind", "tell", "land", "clean"]),
    ("Inspect", &["logs", "conversation", "checks", "diff", "log", "replay"]),
    ("Set up", &["init", "doctor", "agents", "config", "plan", "completions"]),
    ("For agents", &["say", "hook", "decode", "play"]),
];

/// Replaces the block of subcommands in the help by groups.
pub(crate) fn with_groups(command: Command) -> Command {
    let styles = command.get_styles();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let mut groups = String::new();
    for (heading, names) in GROUPS {
        groups.push_str(&format!("{header}{heading}:{header:#}\n"));
        for name in *names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            groups.push_str(&format!("  {literal}{name:<12}{literal:#}  {about}\n"));
        }
        groups.push('\n');
    }
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}{header}Options:{header:#}\n{{options}}\n\n\
         Run 'jangdan COMMAND --help' for the arguments of a command.\n"
    );
    command.help_template(template)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::{GROUPS, with_groups};
    use crate::Arguments;

    #[test]
    fn every_visible_command_is_in_exactly_one_group() {
        let command = Arguments::command();
        let mut visible: Vec<_> = command
            .get_subcommands()
            .filter(|command| !command.is_hide_set())
            .map(|command| command.get_name())
            .collect();
        let mut grouped: Vec<_> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        visible.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(grouped, visible);
    }

    #[test]
    fn help_is_grouped() {
        let help = with_groups(Arguments::command()).render_help().to_string();
        insta::assert_snapshot!(help);
    }

    #[test]
    fn the_command_line_is_consistent() {
        with_groups(Arguments::command()).debug_assert();
    }
}
