//! Problems of the configuration, with their origins. The command line prints them.

use std::fmt;

use domain::Locale;

use crate::{
    load::ConfigFile,
    origin::Origin,
    problem_text::{ProblemHint, ProblemMessage},
};

/// Limit of reported problems; a hostile file could have millions.
pub const PROBLEMS_MAX: usize = 200;

/// How severe a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The configuration cannot be used.
    Error,
    /// The configuration can be used.
    Warning,
}

/// A problem of the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Whether the configuration can still be used.
    pub severity: Severity,
    /// Where the problem is.
    pub origin: Origin,
    pub message: ProblemMessage,
    /// How to fix it, if known.
    pub hint: Option<ProblemHint>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { origin, message, hint, .. } = self;
        let message = message.text(Locale::En);
        match origin {
            Origin::File { name, at: Some(at) } => write!(f, "{name}:{}:{}: {message}", at.line, at.column)?,
            origin @ Origin::Default
            | origin @ Origin::File { .. }
            | origin @ Origin::Environment { .. }
            | origin @ Origin::Flag { .. } => write!(f, "{origin}: {message}")?,
        }
        hint.as_ref().map_or(Ok(()), |hint| write!(f, " ({})", hint.text(Locale::En)))
    }
}

/// Collects problems up to [`PROBLEMS_MAX`] and counts the rest.
#[derive(Debug, Default)]
pub(crate) struct ProblemList {
    problems: Vec<Problem>,
    n_omitted: usize,
}

impl ProblemList {
    /// Adds a problem. Beyond the limit `problem` is not called.
    pub(crate) fn push(&mut self, problem: impl FnOnce() -> Problem) {
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(problem());
        } else {
            self.n_omitted += 1;
        }
    }

    /// Adds an error with a message and a hint.
    pub(crate) fn push_error(
        &mut self,
        origin: impl FnOnce() -> Origin,
        message: impl FnOnce() -> (ProblemMessage, Option<ProblemHint>),
    ) {
        self.push(|| {
            let (message, hint) = message();
            Problem { severity: Severity::Error, origin: origin(), message, hint }
        });
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.n_omitted > 0 || self.problems.iter().any(|problem| problem.severity == Severity::Error)
    }

    /// Returns all problems in the order of the layers, within a file in the order of its text.
    pub(crate) fn into_sorted(mut self, files: &[ConfigFile<'_>]) -> Vec<Problem> {
        let position = |problem: &Problem| match &problem.origin {
            Origin::File { name, at } => {
                let file = files.iter().position(|file| file.name == name).unwrap_or(0);
                (file, at.as_ref().map_or(0, |at| at.span.start))
            }
            Origin::Environment { .. } => (files.len(), 0),
            Origin::Flag { .. } | Origin::Default => (files.len() + 1, 0),
        };
        self.problems.sort_by_key(position);
        if self.n_omitted > 0 {
            self.problems.push(Problem {
                severity: Severity::Error,
                origin: Origin::Default,
                message: ProblemMessage::MoreProblems { n_omitted: self.n_omitted },
                hint: Some(ProblemHint::FixOthersFirst),
            });
        }
        self.problems
    }
}
