//! Why printing stopped before its end.

use std::io;

use crate::failure::Failure;

pub(crate) enum PrintError {
    Failure(Failure),
    Output(io::Error),
}

impl PrintError {
    /// Returns the failure to report; `None` if the reader of the output has closed it.
    pub(crate) fn into_failure(self) -> Option<Failure> {
        match self {
            Self::Failure(failure) => Some(failure),
            Self::Output(error) => Failure::from_output_error(&error),
        }
    }
}

impl From<Failure> for PrintError {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<io::Error> for PrintError {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}
