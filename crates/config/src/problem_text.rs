//! Problems of a configuration and their hints, as data. Each language has one file with all sentences.

mod en;
mod ko;

use domain::Locale;

use crate::value_kind::ValueKind;

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProblemMessage {
    /// Problems beyond the limit.
    MoreProblems {
        n_omitted: usize,
    },
    FileTooLarge {
        max_kib: usize,
    },
    NotUtf8,
    /// A syntax error, in the words of the parser.
    Syntax {
        message: String,
    },
    UnknownKey {
        name: String,
    },
    /// A value was given for a table of keys.
    TableOfKeys {
        path: String,
    },
    InvalidVariableName,
    /// The value of a key does not have its kind.
    WrongValue {
        path: String,
        kind: ValueKind,
    },
    InvalidAgentName,
    TooManyAgents,
    RenamedKey {
        old: &'static str,
    },
    UnknownAgent {
        name: String,
    },
    ExtendsItself {
        agent: String,
    },
    MissingAgentKeys {
        agent: String,
        keys: Vec<&'static str>,
    },
    /// An environment variable that looks like a setting.
    NotASetting,
    FlagWithoutValue,
    NulCharacter,
    NotAString,
    EmptyCommitMessage,
    UnknownPlaceholder {
        name: String,
    },
    EmptyPattern,
    UnknownPatternKind,
    NameMatchesEverything,
    NameContainsSlash,
    GitFolder,
    PathOutsideProject,
    SeveralTaskBudgets,
    TooFewPorts,
}

/// How to fix it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProblemHint {
    /// Names as they would be written, with their quotes.
    DidYouMean {
        names: Vec<String>,
    },
    KnownAgents {
        names: Vec<String>,
    },
    /// The keys below a table; an empty `parent` is the whole file.
    KnownKeys {
        parent: String,
        names: Vec<&'static str>,
    },
    TableHeader {
        header: String,
    },
    RemoveExtends,
    AddAgentKey,
    WriteVariable {
        name: String,
    },
    WriteKeyValue,
    /// A text that replaces the value or the key.
    Write {
        text: String,
    },
    WriteWithoutQuotes {
        text: String,
    },
    WriteUnit {
        digits: String,
    },
    PutInQuotes,
    RemoveNul,
    AgentNameCharacters,
    AgentLimit,
    Placeholders,
    NameAtAnyDepth,
    PathInProject,
    TokensOrMoney,
    PortsPerTask {
        n_ports: u16,
    },
    CheckFile,
    SaveAsUtf8,
    FixOthersFirst,
}

impl ProblemMessage {
    /// Returns the description, in one line.
    pub fn text(&self, locale: Locale) -> String {
        match locale {
            Locale::En => en::message(self),
            Locale::Ko => ko::message(self),
        }
    }
}

impl ProblemHint {
    /// Returns what to do, in one line.
    pub fn text(&self, locale: Locale) -> String {
        match locale {
            Locale::En => en::hint(self),
            Locale::Ko => ko::hint(self),
        }
    }
}
