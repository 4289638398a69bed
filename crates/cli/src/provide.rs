//! `jangdan provide REQUEST` and `jangdan refuse REQUEST REASON`: settle what an agent requests.
//!
//! A secret is never an argument: other processes can read command lines.

use std::{
    collections::BTreeMap,
    io::{self, IsTerminal},
    path::{Path, PathBuf},
    process::ExitCode,
    thread,
    time::{Duration, Instant},
};

use clap::Args;
use domain::{DependencyType, ProvidedResource, RequestId, UserCommand};
use server::SecretText;
use vault::SecretName;
use views::{RequestRow, RequestState};
use zeroize::Zeroizing;

use crate::{
    arguments::{RunArguments, parse_id},
    failure::Failure,
    localized::localized,
    run_command::{RunTarget, join_words, send_run_command, usage_error},
    secret_input::{check_value, read_secret, read_standard_input},
};

/// Time that a delivery is waited for. Package managers are slow.
const DELIVERY_MAX: Duration = Duration::from_secs(600);
const POLL_INTERVAL: Duration = Duration::from_millis(100);

#[derive(Debug, Args)]
pub(crate) struct ProvideArguments {
    /// Request, such as d_1
    #[arg(value_parser = parse_id::<RequestId>)]
    request: RequestId,
    /// File to provide, for a file request
    #[arg(long, value_name = "PATH")]
    file: Option<PathBuf>,
    /// Path in the worktree that the file is copied to [default: that of the request]
    #[arg(long, value_name = "PATH", requires = "file")]
    to: Option<String>,
    /// Version to install, for a package request
    #[arg(long, value_name = "VERSION")]
    version: Option<String>,
    /// Name of a variable that has the value; repeat for the variables of a service [default: the name of the request]
    #[arg(long, value_name = "NAME")]
    variable: Vec<String>,
    /// Provide the value that is stored already (`jangdan secret set`)
    #[arg(long)]
    stored: bool,
    /// Do not wait until it is delivered
    #[arg(long)]
    no_wait: bool,
    #[command(flatten)]
    run: RunArguments,
}

#[derive(Debug, Args)]
pub(crate) struct RefuseArguments {
    /// Request, such as d_1
    #[arg(value_parser = parse_id::<RequestId>)]
    request: RequestId,
    /// Why not; the agent receives it
    reason: Vec<String>,
    /// The request is not needed: the agent continues with its default
    #[arg(long)]
    skip: bool,
    #[command(flatten)]
    run: RunArguments,
}

pub(crate) fn provide(arguments: &ProvideArguments) -> Result<ExitCode, Failure> {
    let request = arguments.request;
    let target = RunTarget::find(&arguments.run.common, arguments.run.run_name())?;
    let rows: Vec<RequestRow> = target.source.rows_of_kind(&target.run.id)?;
    let row = rows.iter().find(|row| row.id == request).ok_or_else(|| Failure {
        what: localized(
            format!("There is no request {request} in run {}.", target.run.id),
            format!("실행 {}: 없는 요청입니다({request}).", target.run.id),
        ),
        hint: Some(localized("List what is waiting for you: jangdan inbox", "확인할 일 보기: jangdan inbox")),
        exit: 1,
    })?;
    let (provided, values) = provided_resource(arguments, row)?;
    let command = UserCommand::Provide { request, provided };
    let sequence = target.send_values(&command, values)?;
    let outcome = if arguments.no_wait { None } else { wait_for_delivery(&target, request)? };
    match outcome.as_ref().map(|row| row.status) {
        Some(RequestState::Asked | RequestState::Refused) => {
            let row = outcome.as_ref();
            let failure = row.and_then(|row| row.failure.clone());
            let what = match (failure, row.and_then(|row| row.refusal_reason.clone())) {
                (Some(failure), _) => localized(
                    format!("{request} could not be provided: {failure}"),
                    format!("{request} 제공하지 못했습니다: {failure}"),
                ),
                (None, reason) => {
                    let reason = reason.unwrap_or_default();
                    localized(
                        format!("{request} was not provided: {reason}. The agent received this answer"),
                        format!("{request} 제공하지 못했습니다: {reason}. 에이전트에게 이렇게 답했습니다"),
                    )
                }
            };
            Err(Failure { what, hint: None, exit: 1 })
        }
        Some(RequestState::Provided | RequestState::Skipped) => {
            let detail = outcome.and_then(|row| row.detail).map(|detail| format!(" ({detail})"));
            let detail = detail.unwrap_or_default();
            target.print_done(
                sequence,
                &localized(format!("provided {request}{detail}"), format!("{request} 제공 완료{detail}")),
            )
        }
        Some(RequestState::Providing) | None => target.print_done(
            sequence,
            &localized(format!("{request} is being provided"), format!("{request} 제공 중")),
        ),
    }
}

/// Waits until a resource is delivered, and returns the row then; `None` if that takes longer than [`DELIVERY_MAX`].
fn wait_for_delivery(target: &RunTarget<'_>, request: RequestId) -> Result<Option<RequestRow>, Failure> {
    let deadline = Instant::now() + DELIVERY_MAX;
    loop {
        let rows: Vec<RequestRow> = target.source.rows_of_kind(&target.run.id)?;
        let row = rows.into_iter().find(|row| row.id == request);
        match row {
            Some(row) if row.status == RequestState::Providing && Instant::now() < deadline => {
                thread::sleep(POLL_INTERVAL);
            }
            Some(row) if row.status == RequestState::Providing => return Ok(None),
            row => return Ok(row),
        }
    }
}

type ProvidedValues = BTreeMap<String, SecretText>;

fn provided_resource(
    arguments: &ProvideArguments,
    row: &RequestRow,
) -> Result<(ProvidedResource, ProvidedValues), Failure> {
    let without_values = |provided| Ok((provided, ProvidedValues::new()));
    match row.r#type {
        DependencyType::Permission => without_values(ProvidedResource::Permission { granted: true }),
        DependencyType::Package => {
            let version = arguments.version.clone().or_else(|| row.default.clone());
            without_values(ProvidedResource::Package { name: row.name.clone(), version })
        }
        DependencyType::File => {
            let path = arguments.file.as_ref().ok_or_else(|| {
                usage_error(&localized(
                    format!("{} requests the file {}. Name yours with --file PATH.", row.id, row.name),
                    format!("{} 요청에 필요한 파일: {}. --file PATH로 지정하세요.", row.id, row.name),
                ))
            })?;
            let path = absolute_path(path)?;
            let target = arguments.to.clone();
            without_values(ProvidedResource::File { path, target, secret: false })
        }
        DependencyType::ApiKey | DependencyType::EnvVariable | DependencyType::Service => {
            let names = match arguments.variable.as_slice() {
                [] => vec![row.name.clone()],
                names => names.to_vec(),
            };
            if let Some(name) = names.iter().find(|name| name.parse::<SecretName>().is_err()) {
                return Err(usage_error(&localized(
                    format!(
                        "'{name}' is not a name of an environment variable. Name it with --variable NAME."
                    ),
                    format!("환경 변수 이름이 아닙니다: '{name}'. --variable NAME으로 지정하세요."),
                )));
            }
            let values = if arguments.stored { ProvidedValues::new() } else { read_values(&names)? };
            Ok((ProvidedResource::Environment { names }, values))
        }
    }
}

/// Reads a value for each name: at a prompt, or from standard input, where several are lines of NAME=VALUE.
fn read_values(names: &[String]) -> Result<ProvidedValues, Failure> {
    if names.len() == 1 || io::stdin().is_terminal() {
        let read = |name: &String| {
            let value = read_secret(name)?;
            Ok((name.clone(), SecretText::new(value.expose().to_owned())))
        };
        return names.iter().map(read).collect();
    }
    let text = read_standard_input()?;
    let mut values = ProvidedValues::new();
    for name in names {
        let value = text.lines().find_map(|line| line.strip_prefix(name.as_str())?.strip_prefix('='));
        let value = check_value(name, Zeroizing::new(value.unwrap_or_default().to_owned()))?;
        values.insert(name.clone(), SecretText::new(value.expose().to_owned()));
    }
    Ok(values)
}

/// Returns the absolute path of a file that exists: the server has another working directory.
pub(crate) fn absolute_path(path: &Path) -> Result<String, Failure> {
    let found = path.canonicalize().map_err(|error| Failure {
        what: localized(
            format!("Cannot read {} ({error}).", path.display()),
            format!("읽을 수 없는 파일입니다: {} ({error})", path.display()),
        ),
        hint: Some(localized("Check the name and the current directory.", "이름과 현재 폴더를 확인하세요.")),
        exit: 1,
    })?;
    Ok(found.display().to_string())
}

pub(crate) fn refuse(arguments: &RefuseArguments) -> Result<ExitCode, Failure> {
    let request = arguments.request;
    let (command, done) = match (arguments.skip, join_words(&arguments.reason)) {
        (true, _) => (
            UserCommand::SkipRequest(request),
            localized(format!("skipped {request}"), format!("{request} 요청 없이 계속합니다")),
        ),
        (false, Some(reason)) => (
            UserCommand::Refuse { request, reason },
            localized(format!("refused {request}"), format!("{request} 요청을 거절했습니다")),
        ),
        (false, None) => {
            return Err(usage_error(&localized(
                "The reason is empty. Write why not; the agent receives it.",
                "이유가 비어 있습니다. 거절하는 이유를 입력하세요. 에이전트에 전달됩니다.",
            )));
        }
    };
    send_run_command(&arguments.run, &command, &done)
}
