//! Reads the configuration of the current directory and prints its problems.

use std::{env, io, ops::Deref, path::Path};

use clap::Args;
use config::{LoadedConfig, Origin, Problem, Severity};

use crate::{
    failure::{Failure, print_error, print_warning},
    input_failure::input_failure,
    localized::localized,
    plural::plural,
    remote::environment_locale,
    snippet::{self, FileProblem, ProblemLevel},
};

/// Settings of the command line.
#[derive(Debug, Default, Args)]
pub(crate) struct SetArguments {
    /// Set a configuration key, such as orchestration.max_concurrency=8; repeat for several
    #[arg(long = "set", value_name = "KEY=VALUE")]
    flags: Vec<String>,
}

/// The sources of the configuration; prints problems when it is loaded.
#[derive(Debug)]
pub(crate) struct ConfigLoader(runtime::prepare::ConfigSources);

impl Deref for ConfigLoader {
    type Target = runtime::prepare::ConfigSources;

    fn deref(&self) -> &runtime::prepare::ConfigSources {
        &self.0
    }
}

impl ConfigLoader {
    /// Reads the user's and the project's files, as far as they exist.
    pub(crate) fn read(arguments: &SetArguments) -> Result<Self, Failure> {
        let read = runtime::prepare::ConfigSources::read(&current_directory()?, &arguments.flags);
        read.map(Self).map_err(|error| input_failure(&error))
    }

    /// Reads the user's file, and `file` instead of the project's.
    pub(crate) fn read_with_file(arguments: &SetArguments, file: &Path) -> Result<Self, Failure> {
        let read =
            runtime::prepare::ConfigSources::read_with_file(&current_directory()?, &arguments.flags, file);
        read.map(Self).map_err(|error| input_failure(&error))
    }

    /// Adds the permissions kept for the project in a data directory.
    pub(crate) fn with_saved_permissions(self, data: &Path) -> Result<Self, Failure> {
        self.0.with_saved_permissions(data).map(Self).map_err(|error| input_failure(&error))
    }

    /// Returns the configuration. Prints warnings; if it is invalid, prints all problems first.
    pub(crate) fn load_printing_problems(&self) -> Result<LoadedConfig, Failure> {
        match self.0.load() {
            Ok(loaded) => {
                self.print_problems(&loaded.warnings);
                Ok(loaded)
            }
            Err(problems) => {
                self.print_problems(&problems);
                let n_errors = problems.iter().filter(|problem| problem.severity == Severity::Error).count();
                let what = localized(
                    format!("The configuration has {}.", plural(n_errors, "error")),
                    format!("설정에 오류가 {n_errors}개 있습니다."),
                );
                Err(Failure { what, hint: None, exit: 1 })
            }
        }
    }

    fn print_problems(&self, problems: &[Problem]) {
        for problem in problems {
            // If standard error is closed, nothing can be reported.
            let _ = self.print_problem(problem);
        }
    }

    fn print_problem(&self, problem: &Problem) -> io::Result<()> {
        let Problem { severity, origin, message, hint } = problem;
        let locale = environment_locale();
        let (message, hint) = (message.text(locale), hint.as_ref().map(|hint| hint.text(locale)));
        let is_warning = *severity == Severity::Warning;
        if let Origin::File { name, at: Some(at) } = origin
            && let Some(text) = self.file_text(name)
        {
            let (line, span, hint) = (at.line, &at.span, hint.as_deref());
            return snippet::print(&FileProblem {
                name,
                text,
                line,
                span,
                level: if is_warning { ProblemLevel::Warning } else { ProblemLevel::Error },
                code: None,
                message: &message,
                hint,
            });
        }
        let what = match origin {
            Origin::Default => message,
            Origin::File { .. } | Origin::Environment { .. } | Origin::Flag { .. } => {
                format!("{origin}: {message}")
            }
        };
        match (is_warning, hint) {
            (true, Some(hint)) => print_warning(&format!("{what}; {hint}")),
            (true, None) => print_warning(&what),
            (false, hint) => print_error(&what, hint.as_deref()),
        }
        Ok(())
    }
}

/// Returns the current directory.
pub(crate) fn current_directory() -> Result<std::path::PathBuf, Failure> {
    env::current_dir().map_err(|error| Failure {
        what: localized(
            format!("Cannot find the current directory ({error})."),
            format!("현재 폴더를 찾을 수 없습니다({error})."),
        ),
        hint: Some(localized("Change to an existing directory.", "있는 폴더로 이동하세요.")),
        exit: 1,
    })
}
