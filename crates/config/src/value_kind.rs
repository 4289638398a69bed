//! What a key takes, in words.

/// What a key takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Yes or no.
    Flag,
    /// A whole number.
    Number {
        /// The smallest.
        min: u64,
        /// The largest.
        max: u64,
    },
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A text.
    Text,
    /// Several texts.
    Texts,
    /// Two texts.
    Pair,
    /// A time.
    Time {
        /// Whether it may be endless.
        never: bool,
    },
    /// A size.
    Size {
        /// Whether it may be endless.
        none: bool,
    },
    /// Tokens.
    Tokens,
    /// US dollars.
    Money,
    /// The name of an agent.
    Agent,
    /// Patterns of permissions.
    Patterns,
    /// A path, from the folder of the file that names it.
    Path,
    /// Several of them.
    Paths,
    /// Paths that do not leave the project.
    InnerPaths,
    /// A range of ports.
    Ports,
}

impl Form {
    /// Returns what is allowed, in words.
    pub fn words(self) -> String {
        match self {
            Self::Flag => "true or false".to_owned(),
            Self::Number { min, max } => format!("a whole number from {min} to {max}"),
            Self::Choice(words) => {
                let words: Vec<_> = words.iter().map(|word| format!("\"{word}\"")).collect();
                let (last, others) =
                    words.split_last().map_or(("", &[][..]), |(last, others)| (last, others));
                format!("{} or {last}", others.join(", "))
            }
            Self::Text => "a text".to_owned(),
            Self::Texts => "a list of texts".to_owned(),
            Self::Pair => "a list of two texts".to_owned(),
            Self::Time { never: true } => "a time such as \"30m\" or \"1h30m\", or \"never\"".to_owned(),
            Self::Time { never: false } => "a time such as \"30m\" or \"1h30m\"".to_owned(),
            Self::Size { none: true } => "a size such as \"20 GiB\", or \"none\"".to_owned(),
            Self::Size { none: false } => "a size such as \"20 GiB\"".to_owned(),
            Self::Tokens => "a number of tokens such as 200000, \"200k\" or \"1m\"".to_owned(),
            Self::Money => "an amount of US dollars such as \"$2.50\"".to_owned(),
            Self::Agent => "the name of an agent".to_owned(),
            Self::Patterns => "a list of patterns such as \"run:cargo test*\"".to_owned(),
            Self::Path => "a path".to_owned(),
            Self::Paths | Self::InnerPaths => "a list of paths".to_owned(),
            Self::Ports => "a range of ports from 1024 on, such as \"20000-29999\"".to_owned(),
        }
    }
}
