//! What `jangdan doctor` examines: one function per subject.

use std::path::Path;

use domain::{AgentName, Role};
use holder::delegated_cgroup;
use plan::ParseOptions;
use runtime::error_chain;
use runtime::prepare::{
    LoadedPlan, PrepareError, RepeatPolicy, RunOptions, UnrunnableCheck, find_unrunnable_checks, user_name,
};
use serde::Serialize;
use server::{Client, DamagedRunEntry};
use sessions::{
    Enforcement, SandboxGap,
    detect::{LoginState, list},
    sandbox_gaps, supported_sandbox,
};
use store::{SqliteReader, StoreError};

use crate::{
    agents::missing_text,
    arguments::CommonArguments,
    failure::Failure,
    localized::localized,
    prepare::prepare_failure,
    remote::{self, environment_locale},
    row_source::{RowSource, damaged_runs_without_log},
    settings::{ConfigLoader, SetArguments, current_directory},
    store_failure,
};

/// The part of the machine or the project that a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum FindingSubject {
    Version,
    Git,
    Data,
    Store,
    Server,
    Sandbox,
    Cgroup,
    Configuration,
    Agent,
    Check,
    Plan,
    Run,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum FindingState {
    Ready,
    /// Absent, and not needed.
    Missing,
    Warning,
    /// Prevents a run.
    Problem,
}

/// One line of the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Finding {
    pub subject: FindingSubject,
    pub state: FindingState,
    pub text: String,
    /// What the user can do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Finding {
    fn new(subject: FindingSubject, state: FindingState, text: impl Into<String>) -> Self {
        Self { subject, state, text: text.into(), hint: None }
    }

    fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    fn problem(subject: FindingSubject, failure: Failure) -> Self {
        Self { subject, state: FindingState::Problem, text: failure.what, hint: failure.hint }
    }
}

/// Examines everything, in the order of the report.
pub(super) fn examine(common: &CommonArguments, set: &SetArguments) -> Result<Vec<Finding>, Failure> {
    let (data, folder) = (common.data_directory()?, current_directory()?);
    let mut findings =
        vec![Finding::new(FindingSubject::Version, FindingState::Ready, env!("CARGO_PKG_VERSION")), git()];
    findings.push(data_directory(&data));
    findings.push(store(&data));
    findings.push(server(&data));
    findings.extend(damaged_runs(common));
    let settings = ConfigLoader::read(set).and_then(|settings| settings.with_saved_permissions(&data));
    let loaded = settings.as_ref().ok().and_then(|settings| settings.load().ok());
    let is_sandbox_required =
        loaded.as_ref().is_some_and(|loaded| loaded.config.sandbox.mode == config::SandboxMode::Required);
    findings.push(sandbox(is_sandbox_required));
    findings.push(cgroup());
    match (settings, loaded) {
        (Err(failure), _) => findings.push(Finding::problem(FindingSubject::Configuration, failure)),
        (Ok(settings), None) => findings.push(invalid_configuration(&settings)),
        (Ok(settings), Some(loaded)) => {
            findings.push(configuration(&settings));
            findings.extend(agents(&settings, &loaded));
            findings.extend(plan_and_run(&folder, &loaded));
        }
    }
    Ok(findings)
}

fn git() -> Finding {
    match runtime::installed_git_version() {
        Ok(version) => Finding::new(FindingSubject::Git, FindingState::Ready, version),
        Err(error) => {
            let (what, hint) = (error_chain(&error), Some(error.hint().to_owned()));
            Finding::problem(FindingSubject::Git, Failure { what, hint, exit: 1 })
        }
    }
}

/// Tries to write into the data directory, or into the nearest folder above it that exists.
fn data_directory(data: &Path) -> Finding {
    let path = data.display();
    let existing = data.ancestors().find(|folder| folder.is_dir()).unwrap_or(data);
    match tempfile::NamedTempFile::new_in(existing) {
        Ok(_) => Finding::new(FindingSubject::Data, FindingState::Ready, path.to_string()),
        Err(error) => Finding::new(
            FindingSubject::Data,
            FindingState::Problem,
            localized(format!("{path} is not writable ({error})"), format!("{path}: 쓸 수 없음 ({error})")),
        )
        .with_hint(localized(
            "Correct its permissions, or use another one: --data DIR",
            "권한을 고치거나 다른 폴더를 사용하세요: --data DIR",
        )),
    }
}

fn store(data: &Path) -> Finding {
    let none =
        || Finding::new(FindingSubject::Store, FindingState::Ready, localized("none yet", "아직 없음"));
    match SqliteReader::open(data).and_then(|reader| reader.runs()) {
        Ok(runs) if runs.is_empty() => none(),
        Ok(runs) => Finding::new(
            FindingSubject::Store,
            FindingState::Ready,
            localized(format!("{}, readable", runs.len()), format!("{}개, 읽을 수 있음", runs.len())),
        ),
        Err(StoreError::DirectoryMissing { .. } | StoreError::LogMissing { .. }) => none(),
        Err(StoreError::OlderVersion { .. }) => Finding::new(
            FindingSubject::Store,
            FindingState::Ready,
            localized(
                "written by an older version; the next run upgrades them",
                "이전 버전의 기록이며 다음 실행 때 업그레이드됩니다",
            ),
        ),
        Err(error) => Finding::problem(FindingSubject::Store, store_failure::failure(error)),
    }
}

fn server(data: &Path) -> Finding {
    let status = Client::connect(data).and_then(|client| client.map(|client| client.status()).transpose());
    match status {
        Ok(None) => Finding::new(
            FindingSubject::Server,
            FindingState::Ready,
            localized("not running; a run starts one", "실행 중 아님. 실행을 시작하면 함께 시작됩니다"),
        ),
        Ok(Some(status)) if status.version == env!("CARGO_PKG_VERSION") => Finding::new(
            FindingSubject::Server,
            FindingState::Ready,
            localized(
                format!("running, process {}", status.pid),
                format!("실행 중, 프로세스 {}", status.pid),
            ),
        ),
        Ok(Some(status)) => Finding::new(
            FindingSubject::Server,
            FindingState::Warning,
            localized(
                format!("running in version {}", status.version),
                format!("다른 버전이 실행 중: {}", status.version),
            ),
        )
        .with_hint(localized("Restart it with this version.", "이 버전으로 다시 시작하세요.")),
        Err(error) => Finding::problem(FindingSubject::Server, remote::client_failure(&error)),
    }
}

/// Returns a problem for each run that cannot be continued or read. A log that cannot be read is a finding of its own.
fn damaged_runs(common: &CommonArguments) -> Vec<Finding> {
    let damaged = match RowSource::open_if_present(common) {
        Ok(Some(source)) => source.damaged_runs(),
        Ok(None) => damaged_runs_without_log(common),
        Err(_) => return Vec::new(),
    };
    let finding = |DamagedRunEntry { run, cause, remedy, .. }| {
        Finding::new(FindingSubject::Run, FindingState::Problem, format!("{run}: {cause}")).with_hint(remedy)
    };
    damaged.unwrap_or_default().into_iter().map(finding).collect()
}

/// Returns that the sandbox is available, with what this kernel leaves out.
fn available_sandbox(gaps: &[SandboxGap]) -> String {
    if gaps.is_empty() {
        return localized("available", "사용 가능");
    }
    let describe = |gap: &SandboxGap| {
        let since = gap.covered_since();
        match gap {
            SandboxGap::Signals => localized(
                format!("signals to other processes and sockets without a path (from Linux {since})"),
                format!("다른 프로세스로 보내는 신호, 경로 없는 소켓(Linux {since}부터)"),
            ),
            SandboxGap::Sockets => localized(
                format!("sockets with a path, such as Docker's (from Linux {since})"),
                format!("Docker 등 경로 있는 소켓(Linux {since}부터)"),
            ),
        }
    };
    let gaps = gaps.iter().map(describe).collect::<Vec<_>>().join("; ");
    localized(format!("available; not covered: {gaps}"), format!("사용 가능. 막지 못하는 것: {gaps}"))
}

fn sandbox(is_required: bool) -> Finding {
    let report = supported_sandbox();
    let reason = report.reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
    match (report.state, is_required) {
        (Enforcement::Enforced, _) => {
            Finding::new(FindingSubject::Sandbox, FindingState::Ready, available_sandbox(&sandbox_gaps()))
        }
        (Enforcement::Partly | Enforcement::NotAvailable, true) => Finding::new(
            FindingSubject::Sandbox,
            FindingState::Problem,
            localized(format!("required, but incomplete{reason}"), format!("필수이지만 불완전함{reason}")),
        )
        .with_hint(localized(
            "Use a newer kernel, or set sandbox.mode = \"worktree\".",
            "더 새로운 커널을 사용하거나 sandbox.mode = \"worktree\"로 설정하세요.",
        )),
        (Enforcement::Partly, false) => Finding::new(
            FindingSubject::Sandbox,
            FindingState::Warning,
            localized(format!("partly available{reason}"), format!("일부만 사용 가능{reason}")),
        ),
        (Enforcement::NotAvailable, false) => Finding::new(
            FindingSubject::Sandbox,
            FindingState::Missing,
            localized(format!("not available{reason}"), format!("사용할 수 없음{reason}")),
        ),
    }
}

fn cgroup() -> Finding {
    match delegated_cgroup() {
        Some(_) => Finding::new(
            FindingSubject::Cgroup,
            FindingState::Ready,
            localized("enforced by cgroups", "cgroup으로 적용됨"),
        ),
        None => Finding::new(
            FindingSubject::Cgroup,
            FindingState::Missing,
            localized(
                "not enforced: no cgroup is delegated to this user",
                "적용되지 않음: 이 사용자에게 위임된 cgroup이 없습니다",
            ),
        ),
    }
}

fn configuration(settings: &ConfigLoader) -> Finding {
    let names = settings.file_names();
    if names.is_empty() {
        let none = localized("no file, all defaults", "파일 없음, 모두 기본값");
        return Finding::new(FindingSubject::Configuration, FindingState::Ready, none)
            .with_hint(localized("Write one: jangdan init", "만들려면: jangdan init"));
    }
    Finding::new(FindingSubject::Configuration, FindingState::Ready, names.join(", "))
}

fn invalid_configuration(settings: &ConfigLoader) -> Finding {
    let problems = settings.load().err().unwrap_or_default();
    let first = problems
        .first()
        .map(|problem| format!("{}: {}", problem.origin, problem.message.text(environment_locale())));
    Finding::new(FindingSubject::Configuration, FindingState::Problem, first.unwrap_or_default()).with_hint(
        localized(
            "Show every error with its line: jangdan config check",
            "모든 오류와 위치 보기: jangdan config check",
        ),
    )
}

/// Lists the agents. Whether those that a run needs are ready is decided by [`plan_and_run`].
fn agents(settings: &ConfigLoader, loaded: &config::LoadedConfig) -> Vec<Finding> {
    let trusted = settings.load_without_project().map(|loaded| loaded.config.agents).unwrap_or_default();
    let worker = loaded.config.agent_for(Role::Worker).map(AgentName::as_str);
    let listed = match list(&loaded.config.agents, &trusted, worker, &loaded.config.agents_without_role()) {
        Ok(listed) => listed,
        Err(error) => {
            let failure = Failure { what: error.to_string(), hint: None, exit: 1 };
            return vec![Finding::problem(FindingSubject::Agent, failure)];
        }
    };
    let finding = |agent: &sessions::detect::AgentListing| {
        let login = match agent.login {
            LoginState::In => localized("signed in", "로그인됨"),
            LoginState::Out => localized("not signed in", "로그인 안 됨"),
            LoginState::NotNeeded => localized("no sign-in needed", "로그인 불필요"),
        };
        let installed = match (&agent.program, &agent.version) {
            (None, _) => localized("not installed", "설치 안 됨"),
            (Some(_), Some(version)) => format!("{version}, {login}"),
            (Some(_), None) => format!("{}, {login}", localized("installed", "설치됨")),
        };
        let state = if agent.works { FindingState::Ready } else { FindingState::Missing };
        let finding = Finding::new(FindingSubject::Agent, state, format!("{}: {installed}", agent.name));
        match missing_text(agent, environment_locale()) {
            Some(missing) => finding.with_hint(missing),
            None => finding,
        }
    };
    listed.iter().map(finding).collect()
}

/// Prepares a run of the project's plan without starting it; of a minimal plan if there is none.
fn plan_and_run(folder: &Path, loaded: &config::LoadedConfig) -> Vec<Finding> {
    let mut findings = Vec::new();
    let plan = match LoadedPlan::find(folder, None, ParseOptions::default()) {
        Ok(plan) => {
            let name = plan.name.clone();
            findings.push(Finding::new(FindingSubject::Plan, FindingState::Ready, name));
            plan
        }
        Err(error) => {
            let failure = prepare_failure(&error, &[]);
            // A run can name its plan.
            let is_nameable =
                matches!(error, PrepareError::NoPlan { .. } | PrepareError::SeveralPlans { .. });
            let state = if is_nameable { FindingState::Warning } else { FindingState::Problem };
            findings.push(Finding { state, ..Finding::problem(FindingSubject::Plan, failure) });
            LoadedPlan::from_text("plan", "# Plan\n\n### T1: Task\n".to_owned(), ParseOptions::default())
        }
    };
    let work = engine::planned_work(&plan.reading.plan, true);
    let has_setup = !loaded.config.worktree.setup.is_empty();
    for UnrunnableCheck { program, command } in find_unrunnable_checks(&work, &loaded.config, folder) {
        let state = if has_setup { FindingState::Warning } else { FindingState::Problem };
        let text = localized(
            format!("`{command}` cannot run: {program} is not on PATH"),
            format!("`{command}`: 실행할 수 없음. PATH에 없는 프로그램: {program}"),
        );
        let hint = localized(
            "Install it, correct the check, or install it in each worktree: worktree.setup",
            "설치하거나 검증 명령을 고치세요. 워크트리마다 설치하려면: worktree.setup",
        );
        findings.push(Finding::new(FindingSubject::Check, state, text).with_hint(hint));
    }
    let options = RunOptions { person: user_name(), repeat: RepeatPolicy::Again, ..RunOptions::default() };
    match runtime::prepare::prepare_run(folder, &loaded.config, &plan, &options) {
        Ok(prepared) => findings.extend(prepared.remarks.iter().map(|remark| {
            Finding::new(FindingSubject::Run, FindingState::Warning, remark.text(environment_locale()))
        })),
        // Reported above.
        Err(PrepareError::CheckProgram { .. }) => {}
        Err(error) => findings.push(Finding::problem(FindingSubject::Run, prepare_failure(&error, &[]))),
    }
    findings
}
