//! `jangdan serve`: runs a server in the foreground that keeps runs going.

use std::{
    io::{self, Write},
    path::Path,
    process::ExitCode,
    time::Duration,
};

use clap::Args;
use runtime::ShutdownMode;
use server::RunningServer;

use crate::{
    arguments::CommonArguments,
    failure::Failure,
    link,
    localized::localized,
    printable::printable_json,
    remote,
    run::start_failure,
    server_log::{self, LogArguments, LogConsole},
    watch::signals::Signals,
};

/// How often it checks for a request to stop.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Stop the agents when the server is interrupted [default: they keep working, and the next server finds them]
    #[arg(long)]
    end_agents: bool,
    #[command(flatten)]
    log: LogArguments,
    #[command(flatten)]
    common: CommonArguments,
}

/// Serves until it is interrupted or a client stops it.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let data = arguments.common.data_directory()?;
    let loopback = link::configured_port()?;
    server_log::start(&data, &arguments.log, LogConsole::StandardError)?;
    let signals = Signals::install()?;
    let RunningServer { client, embedded } =
        server::connect_or_start(&data, loopback).map_err(|error| start_failure(&error))?;
    let Some(server) = embedded else {
        let status = client.status().map_err(|error| remote::client_failure(&error))?;
        let what = localized(
            format!("A server is already running for {} (process {}).", data.display(), status.pid),
            format!("서버가 이미 실행 중입니다: {} (프로세스 {})", data.display(), status.pid),
        );
        return Err(Failure {
            what,
            hint: Some(localized("Use it: jangdan runs", "사용하려면: jangdan runs")),
            exit: 1,
        });
    };
    // The reader of standard error may be gone; the server continues without it.
    let started = localized(
        format!("Serving {}. Press Ctrl-C to stop.", data.display()),
        format!("{} 폴더의 서버를 시작했습니다. 중지하려면 Ctrl-C를 누르세요.", data.display()),
    );
    let _ = writeln!(io::stderr(), "{started}");
    if arguments.common.json {
        let status = client.status().map_err(|error| remote::client_failure(&error))?;
        println!("{}", printable_json(&status).unwrap_or_default());
    } else {
        link::print_link(&client, &data, None, remote::environment_locale());
    }
    while !signals.is_terminated() {
        signals.wait(POLL_INTERVAL);
        // Nothing would be recorded any more, or into a file that no other process finds.
        if let Some(lost) = server.find_lost_file() {
            server.stop(ShutdownMode::KeepSessions);
            return Err(lost_file_failure(&lost));
        }
        // Another client has stopped it, or its socket was removed and no client can reach it.
        if !server.is_reachable() {
            server.stop(ShutdownMode::KeepSessions);
            return Ok(ExitCode::SUCCESS);
        }
    }
    let agents = if arguments.end_agents { ShutdownMode::EndSessions } else { ShutdownMode::KeepSessions };
    server.stop(agents);
    Ok(ExitCode::SUCCESS)
}

fn lost_file_failure(lost: &Path) -> Failure {
    let path = lost.display();
    Failure {
        what: localized(
            format!("The server stopped: {path} was removed or replaced while it was running."),
            format!("서버를 중지했습니다. 실행 중에 삭제되었거나 바뀐 파일: {path}"),
        ),
        hint: Some(localized(
            "Agents keep working. Restore the data directory from a backup, then start the server again: jangdan serve. Damaged runs are listed: jangdan runs",
            "에이전트는 계속 작업합니다. 백업에서 데이터 폴더를 복원한 뒤 서버를 다시 시작하세요: jangdan serve. 손상된 실행 보기: jangdan runs",
        )),
        exit: 1,
    }
}
