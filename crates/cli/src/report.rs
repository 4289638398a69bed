//! `jangdan report [RUN] --as markdown|html|json`: what a run did, what proves it, and what it took.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use clap::{Args, ValueEnum};
use views::{ReportForm, RunReport, render_report};

use crate::{
    arguments::RunOperandArguments, failure::Failure, printable::printable_json, remote,
    row_source::RowSource,
};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    run: RunOperandArguments,
    /// Form of the report
    #[arg(long = "as", value_enum, value_name = "FORM", default_value_t = ReportFormat::Markdown)]
    form: ReportFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ReportFormat {
    Markdown,
    /// One page without references to other files
    Html,
    /// Data for programs
    Json,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let common = arguments.run.common();
    let source = RowSource::open(common)?;
    let run = source.find_run(arguments.run.run_name())?;
    let report = source.report(&run.id)?;
    let form = if common.json { ReportFormat::Json } else { arguments.form };
    let printed = print_report(&report, form);
    Failure::exit_after_output(printed)
}

fn print_report(report: &RunReport, form: ReportFormat) -> io::Result<()> {
    let locale = remote::environment_locale();
    let text = match form {
        ReportFormat::Markdown => render_report(report, ReportForm::Markdown, locale),
        ReportFormat::Html => render_report(report, ReportForm::Html, locale),
        ReportFormat::Json => format!("{}\n", printable_json(report)?),
    };
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}
