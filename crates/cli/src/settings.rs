//! The configuration as this process sees it, and what is wrong with it in words for a person.

use std::{env, io, ops::Deref, path::Path};

use clap::Args;
use config::{LoadedConfig, Origin, Problem, Severity};
use runtime::prepare::input::InputError;

use crate::{
    failure::{Failure, say_error, say_warning},
    plural::plural,
    snippet::{self, Mistake},
};

/// Settings that the command line gives.
#[derive(Debug, Default, Args)]
pub struct SetArguments {
    /// Set a key of the configuration, for example orchestration.max_concurrency=8
    #[arg(long = "set", value_name = "KEY=VALUE")]
    flags: Vec<String>,
}

/// The files of the configuration, and what else is said.
#[derive(Debug)]
pub struct Settings(runtime::prepare::Settings);

impl Deref for Settings {
    type Target = runtime::prepare::Settings;

    fn deref(&self) -> &runtime::prepare::Settings {
        &self.0
    }
}

impl Settings {
    /// Reads the user's and the project's files, those that are there.
    pub fn read(arguments: &SetArguments) -> Result<Self, Failure> {
        let read = runtime::prepare::Settings::read(&directory()?, &arguments.flags);
        read.map(Self).map_err(|error| unreadable(&error))
    }

    /// Reads the user's file, and another one in the place of the project's.
    pub fn read_file(arguments: &SetArguments, file: &Path) -> Result<Self, Failure> {
        let read = runtime::prepare::Settings::read_file(&directory()?, &arguments.flags, file);
        read.map(Self).map_err(|error| unreadable(&error))
    }

    /// Adds what was kept for the project in a data directory.
    pub fn with_choices(self, data: &Path) -> Result<Self, Failure> {
        self.0.with_choices(data).map(Self).map_err(|error| unreadable(&error))
    }

    /// Returns the configuration; where it can't be used, all that is wrong has been shown.
    pub fn load(&self) -> Result<LoadedConfig, Failure> {
        match self.0.load() {
            Ok(loaded) => {
                self.show(&loaded.warnings);
                Ok(loaded)
            }
            Err(problems) => {
                self.show(&problems);
                let n_errors = problems.iter().filter(|problem| problem.severity == Severity::Error).count();
                let what = format!("the configuration has {}", plural(n_errors, "mistake"));
                Err(Failure { what, hint: None, exit: 1 })
            }
        }
    }

    fn show(&self, problems: &[Problem]) {
        for problem in problems {
            // With standard error gone there is nobody left to tell.
            let _ = self.show_one(problem);
        }
    }

    fn show_one(&self, problem: &Problem) -> io::Result<()> {
        let Problem { severity, origin, message, hint } = problem;
        let is_warning = *severity == Severity::Warning;
        if let Origin::File { name, at: Some(at) } = origin
            && let Some(text) = self.text_of(name)
        {
            let (line, span, hint) = (at.line, &at.span, hint.as_deref());
            return snippet::print(&Mistake {
                name,
                text,
                line,
                span,
                is_warning,
                code: None,
                message,
                hint,
            });
        }
        let what = match origin {
            Origin::Default => message.clone(),
            Origin::File { .. } | Origin::Environment { .. } | Origin::Flag { .. } => {
                format!("{origin}: {message}")
            }
        };
        match (is_warning, hint) {
            (true, Some(hint)) => say_warning(&format!("{what}; {hint}")),
            (true, None) => say_warning(&what),
            (false, hint) => say_error(&what, hint.as_deref()),
        }
        Ok(())
    }
}

fn directory() -> Result<std::path::PathBuf, Failure> {
    env::current_dir().map_err(|error| Failure {
        what: format!("find the current directory: {error}"),
        hint: Some("go to a directory that is there".to_owned()),
        exit: 1,
    })
}

fn unreadable(error: &InputError) -> Failure {
    Failure { what: error.to_string(), hint: Some(error.hint()), exit: 1 }
}
