//! Commands that wish something of a run: which run is meant, what is wished, what came of it.

use std::{process::ExitCode, str::FromStr};

use domain::{Command, ParseError};
use serde::Serialize;
use views::RunRow;

use crate::{
    failure::Failure,
    printable::{json, printable},
    remote::{self, Common},
    source::Source,
};

/// Words of a command line: the run that may be named first, what the command is about, and the rest.
pub struct Words<'a, T> {
    /// The run, where it is named.
    pub run: Option<&'a str>,
    /// What the command is about.
    pub about: T,
    /// What follows.
    pub rest: &'a [String],
}

impl<'a, T: FromStr<Err: ToString>> Words<'a, T> {
    /// Takes words apart. What a command is about never looks like the name of a run.
    pub fn split(words: &'a [String]) -> Result<Self, Failure> {
        let parsed = |word: Option<&String>| word.map(|word| word.parse::<T>());
        match (parsed(words.first()), parsed(words.get(1))) {
            (Some(Ok(about)), _) => Ok(Self { run: None, about, rest: words.get(1..).unwrap_or_default() }),
            (Some(Err(_)), Some(Ok(about))) => {
                let run = words.first().map(String::as_str);
                Ok(Self { run, about, rest: words.get(2..).unwrap_or_default() })
            }
            (Some(Err(error)), _) => {
                let word = words.first().map(String::as_str).unwrap_or_default();
                Err(misread(&format!("'{word}' can't be read here: {}", error.to_string())))
            }
            (None, _) => Err(misread("something is missing")),
        }
    }
}

/// Says that a command line is wrong.
pub fn misread(what: &str) -> Failure {
    Failure { what: what.to_owned(), hint: Some("see --help".to_owned()), exit: 2 }
}

/// Reads one word.
pub fn parse<T: FromStr<Err = ParseError>>(word: &str) -> Result<T, Failure> {
    word.parse().map_err(|error: ParseError| misread(&error.to_string()))
}

/// Refuses words that nobody needs.
pub fn no_more(rest: &[String]) -> Result<(), Failure> {
    match rest.first() {
        None => Ok(()),
        Some(word) => Err(misread(&format!("'{word}' is too much"))),
    }
}

#[derive(Serialize)]
struct Accepted<'a> {
    run: &'a str,
    sequence: u64,
}

/// A run of a server that is there.
pub struct Wisher<'a> {
    common: &'a Common,
    /// Its rows.
    pub source: Source,
    /// The run.
    pub run: RunRow,
}

impl<'a> Wisher<'a> {
    /// Finds the run.
    pub fn find(common: &'a Common, run: Option<&str>) -> Result<Self, Failure> {
        let source = Source::of(common, common.client()?)?;
        let run = source.find(run)?;
        Ok(Self { common, source, run })
    }

    /// Wishes, and says what came of it.
    pub fn wish(&self, command: &Command, done: &str) -> Result<ExitCode, Failure> {
        let client = self.source.client().ok_or_else(|| misread("no server runs"))?;
        let wished = client.wish(&self.run.id, &runtime::prepare::person(), command);
        let sequence = wished.map_err(|error| remote::failure(&error))?;
        if self.common.json {
            let accepted = Accepted { run: self.run.id.as_str(), sequence: sequence.0 };
            println!("{}", json(&accepted).unwrap_or_default());
        } else {
            eprintln!("{}", printable(&format!("{}: {done}", self.run.id)));
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Finds the run, and wishes something of it.
pub fn wish(common: &Common, run: Option<&str>, command: &Command, done: &str) -> Result<ExitCode, Failure> {
    Wisher::find(common, run)?.wish(command, done)
}
