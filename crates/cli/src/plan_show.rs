//! `jangdan plan show FILE --as mermaid|dot` and `jangdan plan convert FILE --to tasks-md`: a plan in another form.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, ValueEnum};
use plan::{FILE_BYTES_MAX, ParseOptions, ParsedPlan, PlanFormat};
use runtime::prepare::input;

use crate::{
    failure::Failure,
    input_failure::input_failure,
    localized::localized,
    plan_check::{format_parser, print_problems},
};

#[derive(Debug, Args)]
pub(crate) struct ShowArguments {
    #[command(flatten)]
    source: SourceArguments,
    /// Format of the diagram
    #[arg(long = "as", value_enum, value_name = "FORM")]
    form: GraphFormat,
}

#[derive(Debug, Args)]
pub(crate) struct ConvertArguments {
    #[command(flatten)]
    source: SourceArguments,
    /// Format to write
    #[arg(long = "to", value_enum, value_name = "FORMAT")]
    _format: TargetFormat,
}

#[derive(Debug, Args)]
struct SourceArguments {
    /// Plan file; - reads standard input
    file: PathBuf,
    /// Format of the plan [default: detected]
    #[arg(long, value_parser = format_parser())]
    format: Option<PlanFormat>,
    /// Tag of Task Master to read [default: master, or the first]
    #[arg(long, value_name = "NAME")]
    tag: Option<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum GraphFormat {
    /// Flowchart for Mermaid
    Mermaid,
    /// Directed graph for Graphviz
    Dot,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum TargetFormat {
    TasksMd,
}

/// Prints the plan as a graph.
pub(crate) fn show(arguments: &ShowArguments) -> Result<ExitCode, Failure> {
    let reading = read(&arguments.source)?;
    print(&match arguments.form {
        GraphFormat::Mermaid => plan::to_mermaid(&reading.plan),
        GraphFormat::Dot => plan::to_dot(&reading.plan),
    })
}

/// Prints the plan as TASKS.md.
pub(crate) fn convert(arguments: &ConvertArguments) -> Result<ExitCode, Failure> {
    print(&plan::to_tasks_md(&read(&arguments.source)?.plan))
}

/// Reads a plan that has no errors.
fn read(arguments: &SourceArguments) -> Result<ParsedPlan, Failure> {
    let source = input::read(&arguments.file, FILE_BYTES_MAX).map_err(|error| input_failure(&error))?;
    let options = ParseOptions { format: arguments.format, tag: arguments.tag.as_deref() };
    let reading = plan::parse(&source, options);
    if reading.has_errors() {
        // If standard error is closed, nothing can be reported.
        let _ = print_problems(&arguments.file, &source, &reading, false);
        return Err(invalid_plan(&arguments.file));
    }
    Ok(reading)
}

fn invalid_plan(path: &Path) -> Failure {
    let name = path.display();
    let what = localized(format!("{name} has errors."), format!("{name}에 오류가 있습니다."));
    let hint = localized(
        format!("Correct them, then check again: jangdan plan check {name}"),
        format!("오류를 고친 뒤 다시 확인하세요: jangdan plan check {name}"),
    );
    Failure { what, hint: Some(hint), exit: 1 }
}

fn print(text: &str) -> Result<ExitCode, Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error) => Failure::from_output_error(&error).map_or(Ok(ExitCode::SUCCESS), Err),
    }
}
