//! Problems of the configuration in English.

use super::{ProblemHint, ProblemMessage};

pub(super) fn message(message: &ProblemMessage) -> String {
    use ProblemMessage as M;
    match message {
        M::MoreProblems { n_omitted } => format!("{n_omitted} more problems are not shown"),
        M::FileTooLarge { max_kib } => format!("the file is larger than {max_kib} KiB"),
        M::NotUtf8 => "the file is not UTF-8 text".to_owned(),
        M::Syntax { message } => message.clone(),
        M::UnknownKey { name } => format!("unknown key `{name}`"),
        M::TableOfKeys { path } => format!("`{path}` is a table of keys"),
        M::InvalidVariableName => "invalid name of an environment variable".to_owned(),
        M::WrongValue { path, kind } => format!("`{path}` must be {}", kind.description()),
        M::InvalidAgentName => "invalid name of an agent".to_owned(),
        M::TooManyAgents => "too many agents".to_owned(),
        M::RenamedKey { old } => format!("`{old}` was renamed"),
        M::UnknownAgent { name } => format!("unknown agent '{name}'"),
        M::ExtendsItself { agent } => format!("agent '{agent}' extends itself"),
        M::MissingAgentKeys { agent, keys } => {
            let keys: Vec<_> = keys.iter().map(|key| format!("`{key}`")).collect();
            format!("agent '{agent}' has no {}", keys.join(" and no "))
        }
        M::NotASetting => "the variable is not a setting".to_owned(),
        M::FlagWithoutValue => "the flag has no value".to_owned(),
        M::NulCharacter => "the text contains a NUL character".to_owned(),
        M::NotAString => "this must be a string".to_owned(),
        M::EmptyCommitMessage => "the message is empty".to_owned(),
        M::UnknownPlaceholder { name } => format!("the message has an unknown placeholder {{{name}}}"),
        M::EmptyPattern => "the pattern is empty".to_owned(),
        M::UnknownPatternKind => "the pattern has an unknown kind".to_owned(),
        M::NameMatchesEverything => "the name would match every file".to_owned(),
        M::NameContainsSlash => "the name contains a slash".to_owned(),
        M::GitFolder => "`.git` cannot be copied: each worktree has its own".to_owned(),
        M::PathOutsideProject => "the path is outside of the project".to_owned(),
        M::SeveralTaskBudgets => "a task has only one budget".to_owned(),
        M::TooFewPorts => "the range has too few ports for one task".to_owned(),
    }
}

pub(super) fn hint(hint: &ProblemHint) -> String {
    use ProblemHint as H;
    match hint {
        H::DidYouMean { names } => format!("did you mean {}?", names.join(" or ")),
        H::KnownAgents { names } => {
            format!("known agents: {}; add one as [agents.NAME]", names.join(", "))
        }
        H::KnownKeys { parent, names } if parent.is_empty() => format!("known keys: {}", names.join(", ")),
        H::KnownKeys { parent, names } => format!("`{parent}` has {}", names.join(", ")),
        H::TableHeader { header } => format!("write {header} on its own line, with its keys below"),
        H::RemoveExtends => "remove `extends` from one of them".to_owned(),
        H::AddAgentKey => "add it, or extend another agent: extends = \"shell\"".to_owned(),
        H::WriteVariable { name } => format!("two `_` separate the parts of a key: write {name}"),
        H::WriteKeyValue => "write KEY=VALUE, for example park.cold_after=1h".to_owned(),
        H::Write { text } => format!("write {text}"),
        H::WriteWithoutQuotes { text } => format!("write {text} without quotes"),
        H::WriteUnit { digits } => {
            format!("a duration has a unit: \"{digits}s\", \"{digits}m\" or \"{digits}h\"")
        }
        H::PutInQuotes => "put it in quotes".to_owned(),
        H::RemoveNul => "remove it: no program accepts it".to_owned(),
        H::AgentNameCharacters => "a name has letters, digits, '_', '-' and '.'".to_owned(),
        H::AgentLimit => "at most 256 can be configured".to_owned(),
        H::Placeholders => "use {id}, {title}, {agent} and {run}".to_owned(),
        H::NameAtAnyDepth => "write the name of a file or folder; it applies at any depth".to_owned(),
        H::PathInProject => "write a path relative to the project's root".to_owned(),
        H::TokensOrMoney => "set tokens or money, not both; a phase and a run may have both".to_owned(),
        H::PortsPerTask { n_ports } => format!("each task needs {n_ports} (`worktree.ports_per_task`)"),
        H::CheckFile => "check that it is the right file".to_owned(),
        H::SaveAsUtf8 => "save it as UTF-8".to_owned(),
        H::FixOthersFirst => "fix these first, then check again".to_owned(),
    }
}
