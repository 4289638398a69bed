//! `jangdan plan check FILE`: checks a plan file and shows its tasks.
//!
//! The plan is printed to standard output, as a table or as one JSON object; problems to standard error.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser},
};
use domain::{Locale, TaskId};
use plan::{
    Diagnostic, DiagnosticCode, FILE_BYTES_MAX, LineIndex, ParseOptions, ParsedPlan, PlanFormat, PlanReport,
    Problem, Severity,
};
use runtime::prepare::input::{self, InputError, InputErrorKind};

use crate::{
    failure::{self, Failure},
    input_failure::input_failure,
    printable::printable_json,
    remote::environment_locale,
    snippet::{self, FileProblem, ProblemLevel},
};

mod explanation;
mod rename;
mod summary;
mod table;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Plan file; - reads standard input
    file: PathBuf,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
    /// Format of the plan [default: detected]
    #[arg(long, value_parser = format_parser())]
    format: Option<PlanFormat>,
    /// Tag of Task Master to read [default: master, or the first]
    #[arg(long, value_name = "NAME")]
    tag: Option<String>,
    /// Show where each field of a task was read
    #[arg(long, value_name = "ID", conflicts_with = "json")]
    explain: Option<TaskId>,
    /// Give tasks with repeated ids new ones in the file
    #[arg(long)]
    rename: bool,
}

pub(crate) fn format_parser() -> impl TypedValueParser<Value = PlanFormat> {
    PossibleValuesParser::new(PlanFormat::ALL.map(PlanFormat::as_str))
        .try_map(|name| name.parse::<PlanFormat>())
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let options = ParseOptions { format: arguments.format, tag: arguments.tag.as_deref() };
    if arguments.rename {
        rename::rename_duplicates(&arguments.file, options)?;
    }
    let (source, reading) = match input::read(&arguments.file, FILE_BYTES_MAX) {
        Ok(source) => {
            let reading = plan::parse(&source, options);
            (source, reading)
        }
        Err(error) if arguments.json => (Vec::new(), ParsedPlan::from_failure(input_diagnostic(&error))),
        Err(error) => {
            let code = input_diagnostic(&error).code().as_str();
            let failure = input_failure(&error);
            return Err(Failure { what: format!("{} [{code}]", failure.what), ..failure });
        }
    };
    if let Some(id) = &arguments.explain {
        return explanation::print(&arguments.file, &source, &reading, id);
    }
    let result = if arguments.json {
        print_json(&source, &reading)
    } else {
        print(&arguments.file, &source, &reading)
    };
    if let Err(error) = result
        && let Some(failure) = Failure::from_output_error(&error)
    {
        return Err(failure);
    }
    Ok(ExitCode::from(u8::from(reading.has_errors())))
}

fn input_diagnostic(error: &InputError) -> Diagnostic {
    let code = match error.kind {
        InputErrorKind::NotFound => DiagnosticCode::TasksNotFound,
        InputErrorKind::Directory
        | InputErrorKind::NotAllowed
        | InputErrorKind::TooLarge { .. }
        | InputErrorKind::Other(_) => DiagnosticCode::ParseFail,
    };
    Diagnostic::new(0..0, Problem::Unreadable { code, message: error.to_string(), hint: error.hint() })
}

fn print_json(source: &[u8], reading: &ParsedPlan) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{}", printable_json(&PlanReport::new(reading, source, Locale::En))?)?;
    stdout.flush()
}

fn print(path: &Path, source: &[u8], reading: &ParsedPlan) -> io::Result<()> {
    let result = if reading.plan.tasks.is_empty() { Ok(()) } else { table::print(reading) };
    if !reading.plan.tasks.is_empty() && !reading.diagnostics.is_empty() {
        writeln!(anstream::stderr().lock())?;
    }
    print_problems(path, source, reading, true)?;
    result
}

/// Prints all problems of a plan, with their lines, to standard error.
pub(crate) fn print_problems(
    path: &Path,
    source: &[u8],
    reading: &ParsedPlan,
    with_notes: bool,
) -> io::Result<()> {
    let name = if path == Path::new("-") { "<stdin>".into() } else { path.to_string_lossy() };
    // A file that is not text has no lines, and problems of the whole file have no line.
    let text = std::str::from_utf8(source).unwrap_or_default();
    let lines = LineIndex::new(source);
    let locale = environment_locale();
    let shown = reading.diagnostics.iter().filter(|found| with_notes || found.severity() != Severity::Note);
    for diagnostic in shown {
        let sentences = diagnostic.text(locale);
        if text.is_empty() || diagnostic.span.is_empty() && diagnostic.span.start == 0 {
            let what = format!("{name}: {} [{}]", sentences.message, diagnostic.code().as_str());
            failure::print_error(&what, sentences.hint.as_deref());
        } else {
            snippet::print(&FileProblem {
                name: &name,
                text,
                line: lines.line_of(diagnostic.span.start),
                span: &diagnostic.span,
                level: match diagnostic.severity() {
                    Severity::Error => ProblemLevel::Error,
                    Severity::Warning => ProblemLevel::Warning,
                    Severity::Note => ProblemLevel::Note,
                },
                code: Some(diagnostic.code().as_str()),
                message: &sentences.message,
                hint: sentences.hint.as_deref(),
            })?;
        }
    }
    if reading.diagnostics.len() < 2 {
        return Ok(());
    }
    let count = |severity| reading.diagnostics.iter().filter(|found| found.severity() == severity).count();
    let n_notes = if with_notes { count(Severity::Note) } else { 0 };
    snippet::print_summary(&name, count(Severity::Error), count(Severity::Warning), n_notes)
}
