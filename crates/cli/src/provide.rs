//! `jangdan provide|refuse [RUN] REQUEST`: gives an agent what it asks for, or says that it will not come.
//!
//! A value is never an argument: those of other processes can be read by anybody.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use domain::{Command, DependencyType, Locale, ProvidedResource, RequestId};
use views::RequestRow;

use crate::{
    failure::Failure,
    remote::Common,
    screen::entry::no_vault,
    wish::{Wisher, Words, misread, no_more, wish},
};

/// A request that is to be met.
#[derive(Debug, Args)]
pub struct Provide {
    /// The run, where it is not this project's only one; the request
    #[arg(value_name = "WORDS", required = true, num_args = 1..=2)]
    words: Vec<String>,
    /// The file, where it asks for one
    #[arg(long, value_name = "PATH")]
    file: Option<PathBuf>,
    /// The version, where it asks for a package
    #[arg(long, value_name = "VERSION")]
    version: Option<String>,
    #[command(flatten)]
    common: Common,
}

/// A request that is not to be met.
#[derive(Debug, Args)]
pub struct Refuse {
    /// The run, where it is not this project's only one; the request; why not
    #[arg(value_name = "WORDS", required = true)]
    words: Vec<String>,
    /// It is not needed after all: the agent takes its default
    #[arg(long)]
    skip: bool,
    #[command(flatten)]
    common: Common,
}

/// Gives it.
pub fn provide(arguments: &Provide) -> Result<ExitCode, Failure> {
    let words: Words<'_, RequestId> = Words::split(&arguments.words)?;
    no_more(words.rest)?;
    let request = words.about;
    let wisher = Wisher::find(&arguments.common, words.run)?;
    let rows: Vec<RequestRow> = wisher.source.all(&wisher.run.id)?;
    let row = rows.iter().find(|row| row.id == request).ok_or_else(|| Failure {
        what: format!("there is no request {request} in {}", wisher.run.id),
        hint: Some("jangdan inbox shows what waits for you".to_owned()),
        exit: 1,
    })?;
    let provided = provision(arguments, row)?;
    wisher.wish(&Command::Provide { request, provided }, &format!("{request} is provided"))
}

fn provision(arguments: &Provide, row: &RequestRow) -> Result<ProvidedResource, Failure> {
    match row.r#type {
        DependencyType::Permission => Ok(ProvidedResource::Permission { granted: true }),
        DependencyType::Package => {
            let version = arguments.version.clone().or_else(|| row.default.clone());
            Ok(ProvidedResource::Package { name: row.name.clone(), version })
        }
        DependencyType::File => {
            let path = arguments.file.as_ref().ok_or_else(|| {
                misread(&format!("{} asks for the file {}: name yours with --file", row.id, row.name))
            })?;
            file(path)
        }
        DependencyType::ApiKey | DependencyType::EnvVariable | DependencyType::Service => {
            let what = format!("{} can't be given to the agent yet", row.name);
            Err(Failure { what, hint: Some(no_vault(Locale::En).to_owned()), exit: 1 })
        }
    }
}

/// Gives a file: by a path that means the same for an agent that works elsewhere.
pub fn file(path: &Path) -> Result<ProvidedResource, Failure> {
    let found = path.canonicalize().map_err(|error| Failure {
        what: format!("{}: {error}", path.display()),
        hint: Some("check the name, and the directory you are in".to_owned()),
        exit: 1,
    })?;
    Ok(ProvidedResource::File { path: found.display().to_string() })
}

/// Does not give it.
pub fn refuse(arguments: &Refuse) -> Result<ExitCode, Failure> {
    let words: Words<'_, RequestId> = Words::split(&arguments.words)?;
    let (request, reason) = (words.about, words.rest.join(" "));
    let (command, done) = match (arguments.skip, reason.trim().is_empty()) {
        (true, _) => (Command::SkipRequest(request), format!("{request} is skipped")),
        (false, false) => (Command::Refuse { request, reason }, format!("{request} is refused")),
        (false, true) => return Err(misread("say why: the agent is told")),
    };
    wish(&arguments.common, words.run, &command, &done)
}
