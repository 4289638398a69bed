//! How an agent is started, as data: nothing here starts anything.

/// A command line and what its environment must say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// The program, to be found on the PATH.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// What is added to its environment.
    pub env: Vec<(String, String)>,
}
