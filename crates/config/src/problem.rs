//! What is wrong with the configuration, and where.
//!
//! A problem is data; only the command line turns it into coloured words.

use std::fmt;

use crate::{load::File, origin::Origin};

/// More problems than this help nobody, and a hostile file could make millions.
pub const PROBLEMS_MAX: usize = 200;

/// Whether the configuration can be used in spite of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Severity {
    /// It cannot.
    Error,
    /// It can, and somebody should look.
    Warning,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// How bad it is.
    pub severity: Severity,
    /// Where it is.
    pub origin: Origin,
    /// What is wrong, in one line.
    pub message: String,
    /// What to write instead, where that can be said.
    pub hint: Option<String>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { origin, message, hint, .. } = self;
        match origin {
            Origin::File { name, at: Some(at) } => write!(f, "{name}:{}:{}: {message}", at.line, at.column)?,
            origin => write!(f, "{origin}: {message}")?,
        }
        hint.as_ref().map_or(Ok(()), |hint| write!(f, " ({hint})"))
    }
}

/// Gathers problems, up to the bound.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    found: Vec<Problem>,
    n_left_off: usize,
}

impl Problems {
    /// Adds a problem. What has no room is not even made.
    pub(crate) fn push(&mut self, problem: impl FnOnce() -> Problem) {
        if self.found.len() < PROBLEMS_MAX {
            self.found.push(problem());
        } else {
            self.n_left_off += 1;
        }
    }

    /// Adds an error.
    pub(crate) fn error(
        &mut self,
        origin: impl FnOnce() -> Origin,
        what: impl FnOnce() -> (String, Option<String>),
    ) {
        self.push(|| {
            let (message, hint) = what();
            Problem { severity: Severity::Error, origin: origin(), message, hint }
        });
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.n_left_off > 0 || self.found.iter().any(|problem| problem.severity == Severity::Error)
    }

    /// Returns all, layer by layer, those of a file in the order of its text.
    pub(crate) fn finish(mut self, files: &[File<'_>]) -> Vec<Problem> {
        let place = |problem: &Problem| match &problem.origin {
            Origin::File { name, at } => {
                let file = files.iter().position(|file| file.name == name).unwrap_or(0);
                (file, at.as_ref().map_or(0, |at| at.span.start))
            }
            Origin::Environment { .. } => (files.len(), 0),
            Origin::Flag { .. } | Origin::Default => (files.len() + 1, 0),
        };
        self.found.sort_by_key(place);
        if self.n_left_off > 0 {
            self.found.push(Problem {
                severity: Severity::Error,
                origin: Origin::Default,
                message: format!("{} more problems are not shown", self.n_left_off),
                hint: Some("mend these first, then check again".to_owned()),
            });
        }
        self.found
    }
}
