//! `jangdan config`: shows and checks the configuration.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, Subcommand};
use config::{LoadedConfig, rows, to_toml};
use unicode_width::UnicodeWidthStr;

use crate::{
    data,
    failure::Failure,
    localized::localized,
    printable::{printable, printable_json},
    settings::{ConfigLoader, SetArguments},
};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Print the effective configuration as TOML
    Show(ShowArguments),
    /// Check the configuration and print every problem with its line
    Check(CheckArguments),
    /// Print the paths of the configuration files
    Path(DataArgument),
}

#[derive(Debug, Args)]
pub(crate) struct ShowArguments {
    /// Add the origin of each value
    #[arg(long)]
    origin: bool,
    /// Print JSON, one object per key
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    set: SetArguments,
    #[command(flatten)]
    data: DataArgument,
}

/// The data directory, which has the saved permissions of the project.
#[derive(Debug, Args)]
pub(crate) struct DataArgument {
    /// Data directory [default: JANGDAN_DATA, else the user's own]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

impl DataArgument {
    fn read_config_sources(&self, set: &SetArguments) -> Result<ConfigLoader, Failure> {
        ConfigLoader::read(set)?.with_saved_permissions(&data::directory(self.data.as_deref())?)
    }
}

#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// File to check instead of the project's; - reads standard input
    file: Option<PathBuf>,
    #[command(flatten)]
    set: SetArguments,
    #[command(flatten)]
    data: DataArgument,
}

pub(crate) fn run(command: &Command) -> Result<ExitCode, Failure> {
    let written = match command {
        Command::Show(arguments) => {
            let loaded = arguments.data.read_config_sources(&arguments.set)?.load_printing_problems()?;
            if arguments.json { show_json(&loaded) } else { show(&loaded, arguments.origin) }
        }
        Command::Check(arguments) => {
            let settings = match &arguments.file {
                Some(file) => ConfigLoader::read_with_file(&arguments.set, file)?,
                None => arguments.data.read_config_sources(&arguments.set)?,
            };
            settings.load_printing_problems()?;
            print_valid(&settings.file_names())
        }
        Command::Path(data) => print_paths(&data.read_config_sources(&SetArguments::default())?),
    };
    match written {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error) => Failure::from_output_error(&error).map_or(Ok(ExitCode::SUCCESS), Err),
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
        writeln!(stdout, "{}", printable_json(&row)?)?;
    }
    stdout.flush()
}

fn print_valid(names: &[&str]) -> io::Result<()> {
    let names = if names.is_empty() {
        localized("defaults, no files", "기본값, 파일 없음")
    } else {
        names.join(", ")
    };
    let valid = localized("Valid configuration:", "올바른 설정:");
    writeln!(io::stdout().lock(), "{valid} {}", printable(&names))
}

/// Width of the kinds of files; Korean characters take two columns.
const KIND_WIDTH: usize = 8;

fn print_paths(settings: &ConfigLoader) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    let mut print = |kind: &str, path: &Path| {
        let missing = match path.exists() {
            true => String::new(),
            false => localized("  (does not exist)", "  (없음)"),
        };
        let gap = " ".repeat(KIND_WIDTH.saturating_sub(kind.width()));
        writeln!(stdout, "{kind}{gap}  {}{missing}", printable(&path.display().to_string()))
    };
    if let Some(user) = &settings.user {
        print(&localized("user", "사용자"), user)?;
    }
    print(&localized("project", "프로젝트"), &settings.project)?;
    if let Some(file) = &settings.saved_permissions {
        print(&localized("saved", "저장됨"), file)?;
    }
    stdout.flush()
}
