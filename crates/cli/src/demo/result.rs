//! Shows the result of the demo: merges its work, and tries the service that was built.

use std::{
    io::{self, Write},
    path::Path,
    process::{Command as Program, Stdio},
};

use domain::{LandReport, Locale, RunId};
use server::Client;

use super::set_up::DemoProject;
use crate::{
    failure::{Failure, print_hint},
    localized::localized,
    remote,
    screen::phrases::pick_by_locale,
    watch::WatchOutcome,
};

/// Arguments of the client that shows the service.
const TRIAL: &str = "add 90 Try Jangdan";

/// Merges the work of the run into the project's branch.
pub(super) fn land(client: &Client, run: &RunId) -> Result<(), Failure> {
    let landed: Result<LandReport, _> = client.post(&format!("/api/runs/{run}/land"), &());
    landed.map(drop).map_err(|error| remote::client_failure(&error))
}

/// Runs the client that was built and prints its output.
pub(super) fn run_built_client(demo: &DemoProject, locale: Locale) -> Result<(), Failure> {
    let failed = |error: io::Error| Failure {
        what: localized(
            format!("Cannot run the client in {} ({error}).", demo.project.display()),
            format!("클라이언트를 실행할 수 없습니다: {} ({error})", demo.project.display()),
        ),
        hint: None,
        exit: 1,
    };
    let mut program = Program::new("sh");
    let program = program.arg("todo").args(TRIAL.split(' ')).current_dir(&demo.project).stdin(Stdio::null());
    let output = program.output().map_err(failed)?;
    let lead = pick_by_locale(locale, "The service that the agents built", "에이전트가 만든 서비스");
    let printed = String::from_utf8_lossy(&output.stdout);
    // If standard output is closed, nothing can be shown.
    let _ = writeln!(io::stdout().lock(), "\n{lead}: sh todo {TRIAL}\n\n{}", printed.trim_end());
    Ok(())
}

/// Prints where the files are, or how to keep them.
pub(super) fn print_next_steps(demo: &DemoProject, locale: Locale, outcome: WatchOutcome, is_kept: bool) {
    let hint = match (is_kept, outcome) {
        (true, WatchOutcome::Detached) => pick_by_locale(
            locale,
            "Agents keep working. Continue: jangdan resume --data {data}",
            "에이전트는 계속 작업합니다. 계속하려면: jangdan resume --data {data}",
        ),
        (
            true,
            WatchOutcome::Done | WatchOutcome::Failed | WatchOutcome::NeedsUser | WatchOutcome::StopAgents,
        ) => pick_by_locale(
            locale,
            "Look around: git -C {project} log --graph; jangdan replay --data {data}",
            "둘러보기: git -C {project} log --graph; jangdan replay --data {data}",
        ),
        (false, _) => pick_by_locale(
            locale,
            "The demo was deleted (--keep DIR keeps it). Next, in a repository of yours: jangdan init",
            "데모를 삭제했습니다(남기려면: --keep DIR). 다음 단계, 내 저장소에서: jangdan init",
        ),
    };
    let shown = |path: &Path| path.display().to_string();
    print_hint(&hint.replace("{project}", &shown(&demo.project)).replace("{data}", &shown(&demo.data)));
}
