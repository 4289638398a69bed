//! `jangdan link`: prints the link to the page of the running server.

use std::{
    io::{self, IsTerminal, Write},
    path::Path,
    process::ExitCode,
};

use clap::Args;
use domain::{Locale, RunId};
use serde::Serialize;
use server::{Client, LoopbackMode};

use crate::{
    arguments::CommonArguments,
    data,
    failure::Failure,
    localized::localized,
    printable::printable_json,
    remote,
    screen::phrases::pick_by_locale,
    settings::{ConfigLoader, SetArguments},
};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// First replace the access token: signs out every browser and program
    #[arg(long)]
    rotate: bool,
    /// Print a code for the page instead, to start a pasted plan that has commands
    #[arg(long, conflicts_with = "rotate")]
    code: bool,
    #[command(flatten)]
    common: CommonArguments,
}

#[derive(Serialize)]
struct LinkOutput {
    link: String,
}

#[derive(Serialize)]
struct CodeOutput {
    code: String,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let client = remote::require_client(&arguments.common)?;
    if arguments.code {
        let code = client.create_confirmation_code().map_err(|error| remote::client_failure(&error))?;
        return print(&arguments.common, &CodeOutput { code: code.clone() }, &code);
    }
    if arguments.rotate {
        client.rotate_token().map_err(|error| remote::client_failure(&error))?;
    }
    let link = client.link(None).map_err(|error| remote::client_failure(&error))?.ok_or_else(|| Failure {
        what: localized("The running server has no page.", "실행 중인 서버에는 페이지가 없습니다."),
        hint: Some(localized(
            "Start one that has: jangdan serve",
            "페이지가 있는 서버를 시작하세요: jangdan serve",
        )),
        exit: 1,
    })?;
    print(&arguments.common, &LinkOutput { link: link.clone() }, &link)
}

fn print(common: &CommonArguments, output: &impl Serialize, text: &str) -> Result<ExitCode, Failure> {
    let mut out = io::stdout().lock();
    let written = match common.json {
        true => printable_json(output).map_err(io::Error::from).and_then(|text| writeln!(out, "{text}")),
        false => writeln!(out, "{text}"),
    };
    match written.err().and_then(|error| Failure::from_output_error(&error)) {
        Some(failure) => Err(failure),
        None => Ok(ExitCode::SUCCESS),
    }
}

/// Prints the link to the page, of a run if one is given. Does nothing if the server has no page.
///
/// The first reader of the link has access, so it is printed to a terminal only, not into the log of another program.
pub(crate) fn print_link(client: &Client, data: &Path, run: Option<&RunId>, locale: Locale) {
    let label = pick_by_locale(locale, "Open in a browser", "브라우저에서 열기");
    let shown = if io::stderr().is_terminal() {
        client.link(run).ok().flatten()
    } else {
        let has_page = client.status().is_ok_and(|status| status.address.is_some());
        has_page.then(|| link_command(data))
    };
    if let Some(shown) = shown {
        // The reader of standard error may be gone; the caller continues without it.
        let _ = writeln!(io::stderr(), "{label}: {shown}");
    }
}

/// Returns the command that prints the link later. The default data directory need not be named.
fn link_command(data: &Path) -> String {
    match data::directory(None) {
        Ok(default) if default == data => "jangdan link".to_owned(),
        Ok(_) | Err(_) => format!("jangdan link --data {}", data.display()),
    }
}

/// Returns the configured port of the page.
pub(crate) fn page_port(config: &config::Config) -> LoopbackMode {
    LoopbackMode::Port { port: config.port }
}

/// Loads the configuration and returns the port of the page.
pub(crate) fn configured_port() -> Result<LoopbackMode, Failure> {
    let loaded = ConfigLoader::read(&SetArguments::default())?.load_printing_problems()?;
    Ok(page_port(&loaded.config))
}
