//! The way to the server: where it is, who speaks to it, and what a person can do when it says no.

use std::{env, error::Error, path::PathBuf};

use clap::Args;
use domain::Locale;
use runtime::AfterStop;
use server::{Client, ClientError, Loopback, ensure};
use views::RunRow;

use crate::{
    data,
    failure::Failure,
    source::{Source, is_live},
};

/// What every command takes that speaks about runs.
#[derive(Debug, Args)]
pub struct Common {
    /// The data directory; without it JANGDAN_DATA, then the user's own
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Print what comes of it as JSON
    #[arg(long)]
    pub json: bool,
}

impl Common {
    /// Returns the data directory.
    pub fn data(&self) -> Result<PathBuf, Failure> {
        data::directory(self.data.as_deref())
    }

    /// Returns the way to the server; nothing where none runs.
    pub fn connect(&self) -> Result<Option<Client>, Failure> {
        Client::connect(&self.data()?).map_err(|error| failure(&error))
    }

    /// Returns the way to the server, which must be there.
    pub fn client(&self) -> Result<Client, Failure> {
        let data = self.data()?;
        self.connect()?.ok_or_else(|| Failure {
            what: format!("no server runs for {}", data.display()),
            hint: Some(
                "take a run up again with `jangdan resume`, or start a server: jangdan serve".to_owned(),
            ),
            exit: 1,
        })
    }

    /// Asks something about a run of the server, or of one that is there for this alone: what came of a run that is over
    /// can be had at any time. A run that was left is not woken for it.
    pub fn reach<T>(
        &self,
        run: Option<&str>,
        ask: impl FnOnce(&Client, &RunRow) -> Result<T, Failure>,
    ) -> Result<(RunRow, T), Failure> {
        let source = Source::open(self)?;
        let run = source.find(run)?;
        if let Some(client) = source.client() {
            return ask(client, &run).map(|answer| (run, answer));
        }
        if let Some(left) = source.runs()?.iter().find(|run| is_live(run)) {
            let what = format!("no server runs, and run {} was left", left.id);
            return Err(Failure {
                what,
                hint: Some(format!("take it up again: jangdan resume {}", left.id)),
                exit: 1,
            });
        }
        drop(source);
        let running = ensure(&self.data()?, Loopback::Off).map_err(|error| Failure {
            what: chain(&error),
            hint: None,
            exit: 1,
        })?;
        let answer = ask(&running.client, &run);
        if let Some(server) = running.inside {
            server.stop(AfterStop::LeaveWorking);
        }
        answer.map(|answer| (run, answer))
    }
}

/// Returns an error and its causes in a line.
pub fn chain(error: &dyn Error) -> String {
    let mut what = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        what = format!("{what}: {cause}");
        source = cause.source();
    }
    what
}

/// Puts an error of the client into words.
pub fn failure(error: &ClientError) -> Failure {
    let what = chain(error);
    let hint = match error {
        ClientError::Refused { problem, .. } if !problem.pending.is_empty() => {
            format!("name the one you mean, {}: jangdan inbox shows them", problem.pending.join(" or "))
        }
        // The server speaks to programs too; people have commands.
        ClientError::Refused { status: 404, .. } => "jangdan runs lists all".to_owned(),
        ClientError::Refused { status: 409, .. } => "look at how it stands: jangdan status".to_owned(),
        ClientError::Refused { .. }
        | ClientError::Server(_)
        | ClientError::Unreachable { .. }
        | ClientError::Cut { .. }
        | ClientError::Late { .. }
        | ClientError::NotUnderstood { .. } => error.hint().to_owned(),
    };
    Failure { what, hint: Some(hint), exit: 1 }
}

/// Returns the language that the environment asks for.
pub fn locale() -> Locale {
    locale_of(|name| env::var(name).ok())
}

fn locale_of(variable: impl Fn(&str) -> Option<String>) -> Locale {
    let set = |name: &&str| variable(name).filter(|value| !value.is_empty());
    match ["LC_ALL", "LC_MESSAGES", "LANG"].iter().find_map(set) {
        Some(language) if language == "ko" || language.starts_with("ko_") => Locale::Ko,
        Some(_) | None => Locale::En,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_is_that_of_the_first_variable_that_is_set() {
        let check = |set: &[(&str, &str)], expected| {
            let variable =
                |name: &str| set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
            assert_eq!(locale_of(variable), expected, "{set:?}");
        };
        check(&[], Locale::En);
        check(&[("LANG", "ko_KR.UTF-8")], Locale::Ko);
        check(&[("LC_ALL", "C"), ("LANG", "ko_KR.UTF-8")], Locale::En);
        check(&[("LC_ALL", ""), ("LC_MESSAGES", "ko")], Locale::Ko);
        check(&[("LANG", "kok_IN")], Locale::En);
    }
}
