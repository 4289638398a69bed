//! Connects to the server and explains its errors.

mod korean;

use std::{env, path::Path};

use domain::Locale;
use runtime::{ShutdownMode, error_chain};
use server::{Client, ClientError, LoopbackMode, connect_or_start};
use views::RunRow;

use crate::{
    arguments::CommonArguments, failure::Failure, localized::localized, row_source::RowSource,
    run_lookup::is_active,
};

/// Connects to the server of the data directory; `None` if none is running.
pub(crate) fn connect(common: &CommonArguments) -> Result<Option<Client>, Failure> {
    Client::connect(&common.data_directory()?).map_err(|error| client_failure(&error))
}

/// Connects to the server of the data directory, which must be running.
pub(crate) fn require_client(common: &CommonArguments) -> Result<Client, Failure> {
    let data = common.data_directory()?;
    connect(common)?.ok_or_else(|| no_server_failure(&data))
}

/// Reports that no server is running.
pub(crate) fn no_server_failure(data: &Path) -> Failure {
    Failure {
        what: localized(
            format!("No server is running for {}.", data.display()),
            format!("실행 중인 서버가 없습니다: {}", data.display()),
        ),
        hint: Some(localized(
            "Continue a run: jangdan resume. Start a server: jangdan serve",
            "실행 재개: jangdan resume. 서버 시작: jangdan serve",
        )),
        exit: 1,
    }
}

/// Calls the server about a run. If no server is running and no run is active, starts one for this call, so that an
/// ended run can always be queried; an active run is not continued for it.
pub(crate) fn query_run<T>(
    common: &CommonArguments,
    name: Option<&str>,
    call: impl FnOnce(&Client, &RunRow) -> Result<T, Failure>,
) -> Result<(RunRow, T), Failure> {
    let source = RowSource::open(common)?;
    let run = source.find_run(name)?;
    if let Some(client) = source.client() {
        return call(client, &run).map(|answer| (run, answer));
    }
    if let Some(active) = source.runs()?.iter().find(|run| is_active(run)) {
        let what = localized(
            format!("No server is running, and run {} is not finished.", active.id),
            format!("실행 중인 서버가 없고 실행 {}: 끝나지 않았습니다.", active.id),
        );
        let hint = localized(
            format!("Continue it: jangdan resume {}", active.id),
            format!("재개하려면: jangdan resume {}", active.id),
        );
        return Err(Failure { what, hint: Some(hint), exit: 1 });
    }
    drop(source);
    let running = connect_or_start(&common.data_directory()?, LoopbackMode::Off)
        .map_err(|error| Failure { what: error_chain(&error), hint: None, exit: 1 })?;
    let answer = call(&running.client, &run);
    if let Some(server) = running.embedded {
        server.stop(ShutdownMode::KeepSessions);
    }
    answer.map(|answer| (run, answer))
}

/// Returns the failure for an error of the client, with its hint and the command that shows more.
pub(crate) fn client_failure(error: &ClientError) -> Failure {
    let (what, hint) = match environment_locale() {
        Locale::En => (error_chain(error), error.hint().to_owned()),
        Locale::Ko => korean::client_failure_text(error),
    };
    let command = match error {
        ClientError::Refused { problem, .. } => command_for_problem(&problem.code),
        ClientError::Server(_)
        | ClientError::Unreachable { .. }
        | ClientError::ConnectionLost { .. }
        | ClientError::Timeout { .. }
        | ClientError::InvalidResponse { .. } => None,
    };
    let hint = match command {
        Some(command) => format!("{hint} {command}"),
        None => hint,
    };
    Failure { what, hint: Some(hint), exit: 1 }
}

/// Returns the command that shows what a problem is about; `None` if the hint of the problem is enough.
fn command_for_problem(code: &str) -> Option<String> {
    match code {
        "unknown-run" => Some(localized("List them: jangdan runs", "실행 목록: jangdan runs")),
        "unknown-task" | "unknown-phase" | "unknown-object" | "wrong-task-state" | "wrong-run-state" => {
            Some(localized("Show the run: jangdan status", "실행 보기: jangdan status"))
        }
        "several-pending-questions"
        | "question-not-pending"
        | "not-an-option"
        | "unsuitable-pattern"
        | "unsuitable-action"
        | "wrong-resource-kind" => {
            Some(localized("Show what waits for you: jangdan inbox", "확인할 일 보기: jangdan inbox"))
        }
        _ => None,
    }
}

/// Returns the language of the environment.
pub(crate) fn environment_locale() -> Locale {
    locale_from_variables(|name| env::var(name).ok())
}

fn locale_from_variables(variable: impl Fn(&str) -> Option<String>) -> Locale {
    let set = |name: &&str| variable(name).filter(|value| !value.is_empty());
    match ["LC_ALL", "LC_MESSAGES", "LANG"].iter().find_map(set) {
        Some(language) if language == "ko" || language.starts_with("ko_") => Locale::Ko,
        Some(_) | None => Locale::En,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hint_of_a_refusal_depends_on_its_code() {
        let check = |code: &str, expected: &str| {
            let problem = server::Problem {
                code: code.to_owned(),
                title: "Unknown object".to_owned(),
                status: 404,
                detail: "There is no such object.".to_owned(),
                hint: "Check the name.".to_owned(),
                pending: Vec::new(),
                diagnostics: Vec::new(),
            };
            let failure = client_failure(&ClientError::Refused { status: 404, problem: Box::new(problem) });
            assert_eq!((failure.what.as_str(), failure.exit), ("There is no such object.", 1));
            assert_eq!(failure.hint.as_deref(), Some(expected), "{code}");
        };
        check("unknown-run", "Check the name. List them: jangdan runs");
        check("unknown-task", "Check the name. Show the run: jangdan status");
        check("several-pending-questions", "Check the name. Show what waits for you: jangdan inbox");
        check("unknown-project", "Check the name.");
    }

    #[test]
    fn language_comes_from_the_first_variable_that_is_set() {
        let check = |set: &[(&str, &str)], expected| {
            let variable =
                |name: &str| set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
            assert_eq!(locale_from_variables(variable), expected, "{set:?}");
        };
        check(&[], Locale::En);
        check(&[("LANG", "ko_KR.UTF-8")], Locale::Ko);
        check(&[("LC_ALL", "C"), ("LANG", "ko_KR.UTF-8")], Locale::En);
        check(&[("LC_ALL", ""), ("LC_MESSAGES", "ko")], Locale::Ko);
        check(&[("LANG", "kok_IN")], Locale::En);
    }
}
