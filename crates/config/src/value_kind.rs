//! The kinds of values that keys accept.

/// The kind of value that a key accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// `true` or `false`.
    Boolean,
    /// An integer in a range.
    Number {
        /// Smallest accepted number.
        min: u64,
        /// Largest accepted number.
        max: u64,
    },
    /// One of these strings.
    Choice(&'static [&'static str]),
    /// A list with any of these strings.
    Choices(&'static [&'static str]),
    Text,
    /// A list of strings.
    Texts,
    /// A list of two strings.
    Pair,
    /// A duration with a unit, such as `30s`.
    Time {
        /// Whether `never` is accepted.
        never: bool,
    },
    /// A size in bytes.
    Size {
        /// Whether `none` is accepted.
        none: bool,
    },
    /// A number of tokens.
    Tokens,
    /// An amount in US dollars.
    Money,
    /// A price in US dollars per million tokens.
    Price,
    /// The name of an agent.
    Agent,
    /// A list of permission patterns.
    Patterns,
    /// A path, relative to the folder of its file.
    Path,
    /// A list of such paths.
    Paths,
    /// A list of paths inside the project.
    InnerPaths,
    /// A list of names of files and folders, which may contain `*`.
    Names,
    /// An author of commits: a name and an email address.
    Identity,
    /// A commit message with placeholders for a task.
    CommitMessage,
    /// A range of ports.
    Ports,
}

impl ValueKind {
    /// Describes the accepted values, for messages.
    pub fn description(self) -> String {
        match self {
            Self::Boolean => "true or false".to_owned(),
            Self::Number { min, max } => format!("a whole number from {min} to {max}"),
            Self::Choice(names) => {
                let names: Vec<_> = names.iter().map(|name| format!("\"{name}\"")).collect();
                let (last, others) =
                    names.split_last().map_or(("", &[][..]), |(last, others)| (last, others));
                format!("{} or {last}", others.join(", "))
            }
            Self::Choices(names) => {
                let names: Vec<_> = names.iter().map(|name| format!("\"{name}\"")).collect();
                format!("a list with any of {}", names.join(", "))
            }
            Self::Text => "a string".to_owned(),
            Self::Texts => "a list of strings".to_owned(),
            Self::Pair => "a list of two strings".to_owned(),
            Self::Time { never: true } => "a duration such as \"30m\" or \"1h30m\", or \"never\"".to_owned(),
            Self::Time { never: false } => "a duration such as \"30m\" or \"1h30m\"".to_owned(),
            Self::Size { none: true } => "a size such as \"20 GiB\", or \"none\"".to_owned(),
            Self::Size { none: false } => "a size such as \"20 GiB\"".to_owned(),
            Self::Tokens => "a number of tokens such as 200000, \"200k\" or \"1m\"".to_owned(),
            Self::Money => "an amount of US dollars such as \"$2.50\"".to_owned(),
            Self::Price => "US dollars per million tokens, such as 1.25 or \"$1.25\"".to_owned(),
            Self::Agent => "the name of an agent".to_owned(),
            Self::Patterns => "a list of patterns such as \"run:cargo test*\"".to_owned(),
            Self::Path => "a path".to_owned(),
            Self::Paths | Self::InnerPaths => "a list of paths".to_owned(),
            Self::Names => "a list of names such as \"__pycache__\" or \"*.pyc\"".to_owned(),
            Self::Identity => "an author such as `Ada Kim <ada@example.org>`".to_owned(),
            Self::CommitMessage => "a text such as \"{id}: {title}\"".to_owned(),
            Self::Ports => "a range of ports above 1023, such as \"20000-29999\"".to_owned(),
        }
    }
}
