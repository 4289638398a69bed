//! `jangdan config`: what the configuration says, where that comes from, and what is wrong with it.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, Subcommand};
use config::{LoadedConfig, rows, to_toml};

use crate::{
    data,
    failure::Failure,
    printable::{json, printable},
    settings::{SetArguments, Settings},
};

/// What can be done with the configuration.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Prints what holds, in the form of a file.
    Show(ShowArguments),
    /// Shows every mistake in its place, with what to write instead.
    Check(CheckArguments),
    /// Prints where the files are.
    Path(DataArgument),
}

/// What `jangdan config show` takes.
#[derive(Debug, Args)]
pub struct ShowArguments {
    /// Tell where each value comes from
    #[arg(long)]
    origin: bool,
    /// Print JSON, an object for each key
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    set: SetArguments,
    #[command(flatten)]
    data: DataArgument,
}

/// Where choices are that were kept for the project.
#[derive(Debug, Args)]
pub struct DataArgument {
    /// The data directory; without it JANGDAN_DATA, then the user's own
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

impl DataArgument {
    fn settings(&self, set: &SetArguments) -> Result<Settings, Failure> {
        Settings::read(set)?.with_choices(&data::directory(self.data.as_deref())?)
    }
}

/// What `jangdan config check` takes.
#[derive(Debug, Args)]
pub struct CheckArguments {
    /// A file to check in the place of the project's; - reads standard input
    file: Option<PathBuf>,
    #[command(flatten)]
    set: SetArguments,
    #[command(flatten)]
    data: DataArgument,
}

/// Runs the command.
pub fn run(command: &Command) -> Result<ExitCode, Failure> {
    let written = match command {
        Command::Show(arguments) => {
            let loaded = arguments.data.settings(&arguments.set)?.load()?;
            if arguments.json { show_json(&loaded) } else { show(&loaded, arguments.origin) }
        }
        Command::Check(arguments) => {
            let settings = match &arguments.file {
                Some(file) => Settings::read_file(&arguments.set, file)?,
                None => arguments.data.settings(&arguments.set)?,
            };
            settings.load()?;
            say_good(&settings.names())
        }
        Command::Path(data) => paths(&data.settings(&SetArguments::default())?),
    };
    match written {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error) => Failure::from_output(&error).map_or(Ok(ExitCode::SUCCESS), Err),
    }
}

fn show(loaded: &LoadedConfig, with_origins: bool) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    for line in to_toml(loaded, with_origins).lines() {
        writeln!(stdout, "{}", printable(line))?;
    }
    stdout.flush()
}

fn show_json(loaded: &LoadedConfig) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    for row in rows(loaded) {
        writeln!(stdout, "{}", json(&row)?)?;
    }
    stdout.flush()
}

fn say_good(names: &[&str]) -> io::Result<()> {
    let names = if names.is_empty() { "no files".to_owned() } else { names.join(", ") };
    writeln!(io::stdout().lock(), "{}: nothing is wrong", printable(&names))
}

fn paths(settings: &Settings) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    let mut say = |kind: &str, path: &Path| {
        let missing = if path.exists() { "" } else { "  (not there)" };
        writeln!(stdout, "{kind:<7}  {}{missing}", printable(&path.display().to_string()))
    };
    if let Some(user) = &settings.user {
        say("user", user)?;
    }
    say("project", &settings.project)?;
    if let Some(choices) = &settings.choices {
        say("kept", choices)?;
    }
    stdout.flush()
}
