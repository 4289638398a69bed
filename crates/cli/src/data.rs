//! Where Jangdan keeps its data, and which run a person means.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

use clap::Args;
use domain::{Recorded, RunId, Sequence};
use store::{Position, SqliteReader};

use crate::{failure::Failure, store_failure::failure};

/// How many runs are named in a hint.
const RUNS_NAMED_MAX: usize = 8;

/// How many entries are read at once.
pub const PAGE_ENTRIES: usize = 500;

/// Names the run and where it is kept.
#[derive(Debug, Args)]
pub struct RunArguments {
    /// The run, or the beginning of its name
    run: String,
    /// The data directory; without it JANGDAN_DATA, then the user's own
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

/// One run of a log that is open for reading.
pub struct Found {
    /// The log.
    pub reader: SqliteReader,
    /// The run.
    pub run: RunId,
    /// The place of its last event.
    pub last: Sequence,
}

impl RunArguments {
    /// Opens the log and finds the run.
    pub fn find(&self) -> Result<Found, Failure> {
        let directory = directory(self.data.as_deref())?;
        let reader = SqliteReader::open(&directory).map_err(failure)?;
        let runs: Vec<_> = reader.runs().map_err(failure)?;
        let is_meant = |run: &RunId| run.as_str() == self.run;
        let begins = |run: &RunId| run.as_str().starts_with(&self.run);
        let exact: Vec<_> = runs.iter().filter(|head| is_meant(&head.run)).collect();
        let meant: Vec<_> =
            if exact.is_empty() { runs.iter().filter(|head| begins(&head.run)).collect() } else { exact };
        match meant.as_slice() {
            [head] => Ok(Found { run: head.run.clone(), last: head.sequence, reader }),
            [] => {
                let all: Vec<_> = runs.iter().map(|head| &head.run).collect();
                Err(self.not_found(&directory, &all))
            }
            many => {
                let runs: Vec<_> = many.iter().map(|head| &head.run).collect();
                let what = format!("'{}' begins the names of {} runs", self.run, runs.len());
                Err(Failure { what, hint: Some(format!("write more of it: {}", named(&runs))), exit: 1 })
            }
        }
    }

    fn not_found(&self, directory: &Path, runs: &[&RunId]) -> Failure {
        let hint = if runs.is_empty() {
            "no run was recorded there yet; is it the right data directory?".to_owned()
        } else {
            format!("there are {}", named(runs))
        };
        let what = format!("there is no run '{}' in {}", self.run, directory.display());
        Failure { what, hint: Some(hint), exit: 1 }
    }
}

impl Found {
    /// Gives every event up to a place, in order, and returns the place of the last among all runs.
    pub fn each<E: From<Failure>>(
        &self,
        to: Sequence,
        mut take: impl FnMut(Recorded) -> Result<(), E>,
    ) -> Result<Position, E> {
        let (mut after, mut position) = (Sequence(0), Position(0));
        while after < to {
            let left = usize::try_from(to.0 - after.0).unwrap_or(usize::MAX);
            let entries = self.reader.read(&self.run, after, left.min(PAGE_ENTRIES)).map_err(failure)?;
            let Some(last) = entries.last() else { break };
            (after, position) = (last.sequence, last.position);
            for entry in &entries {
                take(entry.recorded().map_err(failure)?)?;
            }
        }
        Ok(position)
    }
}

fn named(runs: &[&RunId]) -> String {
    let mut names: Vec<_> = runs.iter().rev().take(RUNS_NAMED_MAX).map(ToString::to_string).collect();
    if runs.len() > RUNS_NAMED_MAX {
        names.push(format!("{} more", runs.len() - RUNS_NAMED_MAX));
    }
    names.join(", ")
}

/// Returns the data directory: as it was named, else as the environment has it.
pub fn directory(named: Option<&Path>) -> Result<PathBuf, Failure> {
    let found = named.map(Path::to_owned).or_else(|| default_directory(|name| env::var_os(name)));
    let found = found.ok_or_else(no_directory)?;
    // A session's folder is named to a program that runs elsewhere.
    std::path::absolute(&found).map_err(|error| Failure {
        what: format!("find the data directory {}: {error}", found.display()),
        hint: None,
        exit: 1,
    })
}

/// Returns the data directory where none is named.
fn default_directory(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let own = || set("XDG_DATA_HOME").or_else(|| set("HOME").map(|home| home.join(".local/share")));
    set("JANGDAN_DATA").or_else(|| own().map(|own| own.join("jangdan")))
}

fn no_directory() -> Failure {
    let what = "no data directory is named, and there is no home directory".to_owned();
    Failure { what, hint: Some("name it with --data".to_owned()), exit: 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_directory_is_found_in_this_order() {
        let check = |[data, xdg, home]: [Option<&str>; 3], expected: Option<&str>| {
            let variable = |name: &str| match name {
                "JANGDAN_DATA" => data.map(OsString::from),
                "XDG_DATA_HOME" => xdg.map(OsString::from),
                _ => home.map(OsString::from),
            };
            assert_eq!(default_directory(variable), expected.map(PathBuf::from));
        };
        check([Some("/d"), Some("/x"), Some("/h")], Some("/d"));
        check([None, Some("/x"), Some("/h")], Some("/x/jangdan"));
        check([None, None, Some("/h")], Some("/h/.local/share/jangdan"));
        check([Some(""), Some(""), Some("/h")], Some("/h/.local/share/jangdan"));
        check([None; 3], None);
    }
}
