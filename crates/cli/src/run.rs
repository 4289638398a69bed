//! `jangdan run`: starts a run and watches it. `jangdan resume`: continues an unfinished run.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser},
};
use domain::RunId;
use plan::PlanFormat;
use runtime::prepare::{EarlierRun, LoadedPlan, RepeatPolicy, earlier_runs_of_project, user_name};
use runtime::{ShutdownMode, error_chain};
use server::{ConnectOrStartError, LoopbackMode, RunningServer, ServerError, connect_or_start};
use views::{RunRow, TaskRow};

use crate::{
    arguments::{CommonArguments, ConfirmArguments, RunOperandArguments},
    demo::{AutoResponder, ResponderOptions},
    failure::{Failure, print_hint},
    link,
    localized::localized,
    plural::plural,
    prepare::{PrepareOptions, prepare_run},
    printable::printable,
    remote,
    row_source::RowSource,
    run_lookup::{describe, find_by_name, is_active, several_active_failure},
    server_log::{self, LogArguments, LogConsole},
    settings::{ConfigLoader, SetArguments, current_directory},
    watch::{self, WatchOptions, WatchOutcome},
};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Plan file [default: TASKS.md or another common name]
    plan: Option<PathBuf>,
    /// Format of the plan [default: detected]
    #[arg(long, value_parser = format_parser())]
    format: Option<PlanFormat>,
    /// Tag of Task Master to read [default: master, or the first]
    #[arg(long, value_name = "NAME")]
    tag: Option<String>,
    /// Agent for tasks that name none, as listed by `jangdan agents`
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Include the plan's optional tasks
    #[arg(long)]
    optional: bool,
    /// Work in the project folder, without worktrees (no isolation)
    #[arg(long)]
    no_worktrees: bool,
    /// Start from a commit with your uncommitted changes; your checkout stays as it is
    #[arg(long, conflicts_with = "no_worktrees")]
    include_changes: bool,
    /// Leave out tasks that an earlier run of the plan completed
    #[arg(long, conflicts_with = "again")]
    open: bool,
    /// Repeat tasks that an earlier run of the plan completed
    #[arg(long)]
    again: bool,
    /// Exit with status 3 as soon as the run needs you to continue
    #[arg(long)]
    no_wait: bool,
    #[command(flatten)]
    set: SetArguments,
    #[command(flatten)]
    confirm: ConfirmArguments,
    #[command(flatten)]
    log: LogArguments,
    #[command(flatten)]
    common: CommonArguments,
}

/// Help of the run's argument: the server of a data directory continues all its runs.
const RESUME_RUN_HELP: &str = "Run id, or the start of one [default: the only unfinished run]";

#[derive(Debug, Args)]
#[command(
    mut_arg("operand", |arg| arg.help(RESUME_RUN_HELP)),
    mut_arg("run", |arg| arg.help(RESUME_RUN_HELP))
)]
pub(crate) struct ResumeArguments {
    #[command(flatten)]
    run: RunOperandArguments,
    /// Exit with status 3 as soon as the run needs you to continue
    #[arg(long)]
    no_wait: bool,
    /// Answer questions, permissions and gates automatically
    #[arg(long, hide = true)]
    auto: bool,
    #[command(flatten)]
    log: LogArguments,
}

fn format_parser() -> impl TypedValueParser<Value = PlanFormat> {
    PossibleValuesParser::new(PlanFormat::ALL.map(PlanFormat::as_str))
        .try_map(|name| name.parse::<PlanFormat>())
}

/// Starts a run and watches it.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let data = arguments.common.data_directory()?;
    let settings = ConfigLoader::read(&arguments.set)?.with_saved_permissions(&data)?;
    let loaded = settings.load_printing_problems()?;
    let project = current_directory()?;
    let request = PrepareOptions {
        plan: arguments.plan.clone(),
        format: arguments.format,
        tag: arguments.tag.clone(),
        with_optional: arguments.optional,
        agent: arguments.agent.clone(),
        in_place: arguments.no_worktrees,
        include_changes: arguments.include_changes,
        repeat: match (arguments.open, arguments.again) {
            (_, true) => RepeatPolicy::Again,
            (true, false) => RepeatPolicy::LeaveOut,
            (false, false) => RepeatPolicy::RefuseAll,
        },
        confirmed: arguments.confirm.yes,
        config_searched: settings.searched.clone(),
    };
    let prepared = prepare_run(&project, &loaded, &request, |plan| {
        earlier_runs(&arguments.common, &data, &project, plan)
    })?;
    let running = ensure_server(&data, link::page_port(&loaded.config), &arguments.log)?;
    let run = running.client.start_run(&prepared.new).map_err(|error| remote::client_failure(&error))?;
    let (json, locale) = (arguments.common.json, remote::environment_locale());
    if !json {
        let title = printable(&prepared.new.work.title);
        let n_tasks = prepared.new.work.tasks.len();
        eprintln!(
            "{}",
            localized(
                format!("Run {run}: {title}, {}", plural(n_tasks, "task")),
                format!("실행 {run}: {title}, 작업 {n_tasks}개"),
            )
        );
        for remark in &prepared.remarks {
            eprintln!("{}", printable(&remark.text(locale)));
        }
        link::print_link(&running.client, &data, Some(&run), locale);
    }
    watch_to_end(
        running,
        &run,
        &WatchOptions { json, from_start: true, no_wait: arguments.no_wait, locale, person: user_name() },
    )
}

/// Returns the earlier runs of the project. If they cannot be read, starting the server reports it.
fn earlier_runs(common: &CommonArguments, data: &Path, project: &Path, plan: &LoadedPlan) -> Vec<EarlierRun> {
    let Ok(Some(source)) = RowSource::open_if_present(common) else { return Vec::new() };
    let runs = source.runs().unwrap_or_default();
    let tasks_of = |run: &RunId| source.rows_of_kind::<TaskRow>(run).ok();
    earlier_runs_of_project(&runs, data, project, plan.file.as_deref(), tasks_of)
}

/// Continues an unfinished run and watches it.
pub(crate) fn resume(arguments: &ResumeArguments) -> Result<ExitCode, Failure> {
    let common = arguments.run.common();
    let data = common.data_directory()?;
    let loaded = ConfigLoader::read(&SetArguments::default())?.load_printing_problems()?;
    let running = ensure_server(&data, link::page_port(&loaded.config), &arguments.log)?;
    let runs = running.client.runs().map_err(|error| remote::client_failure(&error))?;
    let run = find_run_to_resume(runs, arguments.run.run_name())?.id;
    let locale = remote::environment_locale();
    if !common.json {
        link::print_link(&running.client, &data, Some(&run), locale);
    }
    let manner = || ResponderOptions { person: user_name(), pause: Duration::ZERO };
    let auto = arguments.auto.then(|| AutoResponder::start(&data, &run, manner())).transpose()?;
    let options = WatchOptions {
        json: common.json,
        from_start: false,
        no_wait: arguments.no_wait,
        locale,
        person: user_name(),
    };
    let outcome = watch_to_end(running, &run, &options);
    if let Some(auto) = auto {
        auto.stop();
    }
    outcome
}

/// Returns the run of this name, else the only active one of the data directory: its server continues all of them.
fn find_run_to_resume(runs: Vec<RunRow>, name: Option<&str>) -> Result<RunRow, Failure> {
    if let Some(name) = name {
        return find_by_name(runs, name, |run| &run.id, describe);
    }
    let active: Vec<_> = runs.into_iter().filter(is_active).collect();
    match active.as_slice() {
        [run] => Ok(run.clone()),
        [] => Err(Failure {
            what: localized("There is no unfinished run.", "끝나지 않은 실행이 없습니다."),
            hint: Some(localized("List all: jangdan runs", "실행 목록: jangdan runs")),
            exit: 1,
        }),
        [.., newest] => Err(several_active_failure(&active, newest)),
    }
}

/// Connects to the server, or starts one in this process, which logs to its file only.
pub(crate) fn ensure_server(
    data: &Path,
    loopback: LoopbackMode,
    log: &LogArguments,
) -> Result<RunningServer, Failure> {
    server_log::start(data, log, LogConsole::None)?;
    connect_or_start(data, loopback).map_err(|error| start_failure(&error))
}

/// Returns the failure for a server that cannot start.
pub(crate) fn start_failure(error: &ConnectOrStartError) -> Failure {
    let hint = match error {
        ConnectOrStartError::Server(ServerError::Port { .. }) => {
            localized(error.hint(), "다른 포트를 설정하세요: server.port. 0이면 빈 포트를 사용합니다")
        }
        ConnectOrStartError::InSession { .. } => localized(
            error.hint(),
            "세션 밖의 터미널에서 실행하거나 별도의 데이터 폴더를 사용하세요: --data DIR",
        ),
        ConnectOrStartError::Client(_)
        | ConnectOrStartError::Server(_)
        | ConnectOrStartError::Host { .. } => localized(
            "Check the data directory, or use --data DIR.",
            "데이터 폴더를 확인하거나 --data DIR 옵션을 사용하세요.",
        ),
    };
    let chain = error_chain(error);
    let what = localized(chain.clone(), format!("서버를 시작할 수 없습니다: {chain}"));
    Failure { what, hint: Some(hint), exit: 1 }
}

/// Watches a run until it ends or the user leaves, then stops the server if this process started it.
fn watch_to_end(running: RunningServer, run: &RunId, options: &WatchOptions) -> Result<ExitCode, Failure> {
    let outcome = watch::watch(&running.client, run, options);
    let agents = match outcome {
        Ok(WatchOutcome::StopAgents) => ShutdownMode::EndSessions,
        _ => ShutdownMode::KeepSessions,
    };
    let was_server = running.embedded.is_some();
    match running.embedded {
        Some(server) => server.stop(agents),
        None if agents == ShutdownMode::EndSessions => {
            // The server belongs to another process, so only this run is paused.
            let paused = running.client.send_command(run, &user_name(), &domain::UserCommand::PauseRun);
            paused.map_err(|error| remote::client_failure(&error))?;
        }
        None => {}
    }
    let outcome = outcome?;
    if !options.json {
        print_next_step(run, outcome, was_server);
    }
    Ok(outcome.exit_code())
}

/// Prints how to continue. If this process was the server, the run does not proceed without another one.
pub(crate) fn print_next_step(run: &RunId, outcome: WatchOutcome, was_server: bool) {
    let (english, korean) = match (outcome, was_server) {
        (WatchOutcome::Done, _) => (
            format!("Merge the work into your branch: jangdan land {run}"),
            format!("결과를 내 브랜치에 병합하려면: jangdan land {run}"),
        ),
        (WatchOutcome::NeedsUser, true) => (
            format!(
                "The server ended with this command. Answer here: jangdan resume {run}. Or start a server that stays: jangdan serve"
            ),
            format!(
                "이 명령과 함께 서버도 끝났습니다. 여기서 답하려면: jangdan resume {run}. 계속 실행되는 서버를 시작하려면: jangdan serve"
            ),
        ),
        (WatchOutcome::Detached, true) => (
            format!("Agents keep working on what they have. Continue: jangdan resume {run}"),
            format!("에이전트는 맡은 작업을 계속합니다. 이어서 하려면: jangdan resume {run}"),
        ),
        (WatchOutcome::StopAgents, true) => (
            format!("Agents have stopped. Continue: jangdan resume {run}"),
            format!("에이전트를 중지했습니다. 이어서 하려면: jangdan resume {run}"),
        ),
        (WatchOutcome::Detached, false) => (
            format!("The run continues. Watch it: jangdan watch {run}"),
            format!("실행은 계속됩니다. 보려면: jangdan watch {run}"),
        ),
        (WatchOutcome::StopAgents, false) => (
            format!("The run is paused. Continue it: jangdan continue --run {run}"),
            format!("실행을 일시 정지했습니다. 재개하려면: jangdan continue --run {run}"),
        ),
        (WatchOutcome::NeedsUser, false) | (WatchOutcome::Failed, _) => return,
    };
    print_hint(&localized(english, korean));
}
