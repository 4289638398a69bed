//! Refusals to start a run, in Korean. No particle follows an inserted name.

use std::path::PathBuf;

use runtime::prepare::{PLAN_NAMES, PrepareError};

use super::join_paths;
use crate::input_failure;

/// Returns what prevents the run, and what to do.
pub(super) fn refusal(error: &PrepareError, config_searched: &[PathBuf]) -> (String, String) {
    match error {
        PrepareError::Input(error) => input_failure::korean_text(error),
        PrepareError::NoPlan { project } => (
            format!("계획 파일이 없습니다: {} [TASKS_NOT_FOUND]", project.display()),
            format!(
                "새로 만들려면: jangdan init. 파일을 지정하려면: jangdan run FILE. 찾은 위치: {}",
                PLAN_NAMES.join(", ")
            ),
        ),
        PrepareError::SeveralPlans { found } => (
            format!("프로젝트에 계획 파일이 {}개 있습니다.", found.len()),
            format!("하나를 지정하세요: {}", join_paths(found)),
        ),
        PrepareError::PlanMistakes { name, n_errors } => (
            format!("계획에 오류가 {n_errors}개 있습니다: {name}"),
            format!("수정한 뒤 실행하세요: jangdan plan check {name}"),
        ),
        PrepareError::UnknownAgent { name, closest, known, task } => {
            let what = match task {
                Some(task) => format!("{task} 작업의 에이전트 '{name}': 알 수 없는 이름입니다."),
                None => format!("알 수 없는 에이전트: '{name}'"),
            };
            let hint = match (closest, task) {
                (Some(closest), Some(_)) => format!(
                    "혹시 {closest}? 아니라면 jangdan.toml 파일에 정의하세요: [agents.{name}]"
                ),
                (Some(closest), None) => format!("혹시 {closest}? 에이전트 목록: jangdan agents"),
                (None, _) => format!(
                    "사용할 수 있는 에이전트: {}. jangdan.toml 파일에 추가하려면: [agents.NAME]",
                    known.join(", ")
                ),
            };
            (what, hint)
        }
        PrepareError::InvalidAgent { problem } => {
            (format!("에이전트 설정이 올바르지 않습니다: {problem}"), "에이전트 목록: jangdan agents".to_owned())
        }
        PrepareError::AgentName(error) => (
            format!("에이전트 이름이 올바르지 않습니다: {error}"),
            "에이전트 목록: jangdan agents".to_owned(),
        ),
        PrepareError::NoAgent => {
            let hint = "부족한 것 확인: jangdan agents. 또는 jangdan.toml 파일에 에이전트를 설정하세요.";
            let searched = match config_searched {
                [] => String::new(),
                paths => format!(" 찾은 위치: {}", join_paths(paths)),
            };
            ("설치되고 로그인된 에이전트가 없습니다.".to_owned(), format!("{hint}{searched}"))
        }
        PrepareError::NotInstalled { name, command, install } => {
            let place = if command.starts_with('/') { "파일 없음" } else { "PATH에 없음" };
            let hint = match install.as_str() {
                "" => "설치하거나 command 설정을 고치거나 다른 에이전트를 선택하세요. 에이전트 목록: jangdan agents"
                    .to_owned(),
                install => format!("설치: {install}. 또는 다른 에이전트를 선택하세요."),
            };
            (format!("{name} 에이전트가 설치되어 있지 않습니다. {command}: {place}"), hint)
        }
        PrepareError::SignedOut { name, how } => (
            format!("{name} 에이전트가 로그인되어 있지 않습니다."),
            format!(
                "로그인: {how}. 다른 방법으로 로그인했다면 이를 보여 주는 변수나 파일을 설정하세요: \
                 agents.{name}.login.variables, agents.{name}.login.files"
            ),
        ),
        PrepareError::NoScript { name } => (
            format!("{name} 에이전트에 스크립트가 없습니다. 계획의 내용을 셸 명령으로 실행하게 됩니다."),
            "jangdan.toml 파일에 에이전트를 설정하세요: [agents.mine], extends = \"shell\", arguments = [\"agent.sh\"]"
                .to_owned(),
        ),
        PrepareError::CheckProgram { program, command } => (
            format!("검증 `{command}`: 실행할 수 없습니다. PATH에 없는 프로그램: {program}"),
            "설치하거나 검증 명령을 고치세요. 워크트리마다 설치하려면: worktree.setup".to_owned(),
        ),
        PrepareError::AlreadyDone { run, n_tasks } => (
            format!("열린 작업 {n_tasks}개를 실행 {run}에서 이미 모두 완료했습니다."),
            format!("결과 병합: jangdan land {run}. 모든 작업을 다시 실행하려면: --again"),
        ),
        PrepareError::NothingOpen { run } => (
            format!("열린 작업이 없습니다. 실행 {run}에서 완료했습니다."),
            format!("결과 병합: jangdan land {run}. 모든 작업을 다시 실행하려면: --again"),
        ),
        PrepareError::NoRepository { path } => (
            format!("git 저장소가 아닙니다: {}", path.display()),
            "저장소를 만들고 커밋하세요(git init). 격리 없이 이 폴더에서 작업하려면: --no-worktrees".to_owned(),
        ),
        PrepareError::Git(error) => (format!("git 오류: {error}"), error.hint().to_owned()),
        PrepareError::Unborn { branch } => (
            format!("{branch} 브랜치에 아직 커밋이 없습니다. 에이전트는 커밋에서 시작합니다."),
            "먼저 커밋하세요: git add . && git commit -m begin".to_owned(),
        ),
        PrepareError::Submodule { path } => (
            format!("서브모듈 {}: 프로젝트가 참조하는 커밋이 없습니다.", path.display()),
            format!(
                "가져오세요: git submodule update --init {}. 서브모듈을 제외하려면: worktree.submodules = false",
                path.display()
            ),
        ),
        PrepareError::LfsProgram => (
            "이 저장소는 Git LFS를 사용하지만 git-lfs가 설치되어 있지 않습니다.".to_owned(),
            "git-lfs를 설치하세요. 없으면 워크트리를 체크아웃할 수 없습니다.".to_owned(),
        ),
        PrepareError::LfsFilter => (
            "이 저장소는 Git LFS를 사용하지만 필터가 설정되어 있지 않습니다.".to_owned(),
            "git-lfs를 설치하고 실행하세요: git lfs install. 그렇지 않으면 커밋에서 큰 파일이 손실됩니다."
                .to_owned(),
        ),
        PrepareError::Template { path, source } => (
            format!("프롬프트 템플릿을 읽을 수 없습니다: {} ({source})", path.display()),
            "prompt.template에 텍스트 파일의 경로를 설정하세요.".to_owned(),
        ),
    }
}
