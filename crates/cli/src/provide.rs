//! `jangdan provide REQUEST` and `jangdan refuse REQUEST REASON`: settle what an agent requests.
//!
//! A secret is never an argument: other processes can read command lines.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use domain::{DependencyType, ProvidedResource, RequestId, UserCommand};
use views::RequestRow;

use crate::{
    arguments::{RunArguments, parse_id},
    failure::Failure,
    localized::localized,
    remote::environment_locale,
    run_command::{RunTarget, join_words, send_run_command, usage_error},
    screen::entry::no_vault_notice,
};

#[derive(Debug, Args)]
pub(crate) struct ProvideArguments {
    /// Request, such as d_1
    #[arg(value_parser = parse_id::<RequestId>)]
    request: RequestId,
    /// File to provide, for a file request
    #[arg(long, value_name = "PATH")]
    file: Option<PathBuf>,
    /// Version to install, for a package request
    #[arg(long, value_name = "VERSION")]
    version: Option<String>,
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
    let provided = provided_resource(arguments, row)?;
    target.send_command(
        &UserCommand::Provide { request, provided },
        &localized(format!("provided {request}"), format!("{request} 제공 완료")),
    )
}

fn provided_resource(arguments: &ProvideArguments, row: &RequestRow) -> Result<ProvidedResource, Failure> {
    match row.r#type {
        DependencyType::Permission => Ok(ProvidedResource::Permission { granted: true }),
        DependencyType::Package => {
            let version = arguments.version.clone().or_else(|| row.default.clone());
            Ok(ProvidedResource::Package { name: row.name.clone(), version })
        }
        DependencyType::File => {
            let path = arguments.file.as_ref().ok_or_else(|| {
                usage_error(&localized(
                    format!("{} requests the file {}. Name yours with --file PATH.", row.id, row.name),
                    format!("{} 요청에 필요한 파일: {}. --file PATH로 지정하세요.", row.id, row.name),
                ))
            })?;
            provided_file(path)
        }
        DependencyType::ApiKey | DependencyType::EnvVariable | DependencyType::Service => {
            let what = localized(
                format!("{} cannot be passed to the agent yet.", row.name),
                format!("{}: 아직 에이전트에 전달할 수 없습니다.", row.name),
            );
            Err(Failure { what, hint: Some(no_vault_notice(environment_locale()).to_owned()), exit: 1 })
        }
    }
}

/// Provides a file by its absolute path, which is valid in the agent's worktree too.
pub(crate) fn provided_file(path: &Path) -> Result<ProvidedResource, Failure> {
    let found = path.canonicalize().map_err(|error| Failure {
        what: localized(
            format!("Cannot read {} ({error}).", path.display()),
            format!("읽을 수 없는 파일입니다: {} ({error})", path.display()),
        ),
        hint: Some(localized("Check the name and the current directory.", "이름과 현재 폴더를 확인하세요.")),
        exit: 1,
    })?;
    Ok(ProvidedResource::File { path: found.display().to_string() })
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
