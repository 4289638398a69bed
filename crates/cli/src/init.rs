//! `jangdan init`: writes `jangdan.toml` and an example plan for the project in the current directory.

mod project_kind;

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::Path,
    process::ExitCode,
};

use clap::Args;
use config::PROJECT_FILE;
use domain::Locale;
use runtime::prepare::find_plan_files;
use sessions::detect::{AgentListing, list};

use self::project_kind::{ProjectKind, detect_project};
use crate::{
    failure::{Failure, print_hint},
    localized::localized,
    printable::printable,
    remote::environment_locale,
    settings::current_directory,
};

const PLAN_FILE: &str = "TASKS.md";

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Replace an existing jangdan.toml; a plan is never replaced
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let folder = current_directory()?;
    let project = detect_project(&folder);
    let agents = list(&toml::Table::new(), &toml::Table::new(), None, &[]).map_err(|error| Failure {
        what: error.to_string(),
        hint: None,
        exit: 1,
    })?;
    let agent = agents.iter().find(|agent| agent.chosen);
    write_new_file(&folder, PROJECT_FILE, &configuration(project.as_ref(), agent), arguments.force)?;
    print_configuration(project.as_ref(), agent);
    match find_plan_files(&folder).first() {
        Some(plan) => {
            let plan = printable(&plan.path.display().to_string());
            println!("{}", localized(format!("Kept the plan {plan}"), format!("기존 계획 유지: {plan}")));
        }
        None => {
            write_new_file(&folder, PLAN_FILE, example_plan(environment_locale()), false)?;
            println!(
                "{}",
                localized(
                    format!("Wrote {PLAN_FILE}: an example plan with two tasks. Replace them with yours."),
                    format!("{PLAN_FILE} 작성: 작업 2개로 된 예시 계획입니다. 원하는 작업으로 바꾸세요."),
                )
            );
        }
    }
    print_hint(&next_step(&folder, agent));
    Ok(ExitCode::SUCCESS)
}

/// Writes a file that must not exist, unless it may be replaced.
fn write_new_file(folder: &Path, name: &str, text: &str, is_replaced: bool) -> Result<(), Failure> {
    let path = folder.join(name);
    let written = if is_replaced {
        fs::write(&path, text)
    } else {
        let file = OpenOptions::new().write(true).create_new(true).open(&path);
        file.and_then(|mut file| file.write_all(text.as_bytes()))
    };
    written.map_err(|error| {
        if error.kind() == io::ErrorKind::AlreadyExists {
            return Failure {
                what: localized(format!("{name} already exists."), format!("{name} 파일이 이미 있습니다.")),
                hint: Some(localized(
                    "Check it: jangdan doctor. Replace it: jangdan init --force",
                    "확인하려면: jangdan doctor. 새로 만들려면: jangdan init --force",
                )),
                exit: 1,
            };
        }
        let path = path.display();
        Failure {
            what: localized(
                format!("Cannot write {path} ({error})."),
                format!("파일을 쓸 수 없습니다: {path} ({error})."),
            ),
            hint: Some(localized("Check the permissions of the folder.", "폴더 권한을 확인하세요.")),
            exit: 1,
        }
    })
}

fn print_configuration(project: Option<&ProjectKind>, agent: Option<&AgentListing>) {
    let check = match project {
        Some(project) => localized(
            format!("{} project, checked with `{}`", project.language, project.check),
            format!("{} 프로젝트, 검증 명령 `{}`", project.language, project.check),
        ),
        None => localized("no test command found", "테스트 명령을 찾지 못했습니다"),
    };
    let agent = match agent {
        Some(agent) => localized(format!("agent {}", agent.title), format!("에이전트 {}", agent.title)),
        None => localized("no agent ready", "준비된 에이전트 없음"),
    };
    println!(
        "{}",
        localized(
            format!("Wrote {PROJECT_FILE}: {check}; {agent}"),
            format!("{PROJECT_FILE} 작성: {check}, {agent}")
        )
    );
}

/// Returns what the user does next.
fn next_step(folder: &Path, agent: Option<&AgentListing>) -> String {
    let is_repository = folder.ancestors().any(|folder| folder.join(".git").exists());
    match (agent, is_repository) {
        (None, _) => localized(
            "Install an agent or sign in: jangdan agents. Then start: jangdan run",
            "에이전트를 설치하거나 로그인하세요: jangdan agents. 시작하려면: jangdan run",
        ),
        (Some(_), false) => localized(
            "Create a repository: git init && git add . && git commit -m begin. Then start: jangdan run",
            "저장소를 만드세요: git init && git add . && git commit -m begin. 시작하려면: jangdan run",
        ),
        (Some(_), true) => localized("Start: jangdan run", "시작하려면: jangdan run"),
    }
}

/// Returns the text of `jangdan.toml`. Settings without a value are comments that show their form.
fn configuration(project: Option<&ProjectKind>, agent: Option<&AgentListing>) -> String {
    let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
    let check = match project {
        Some(project) => format!("verify = {}", quoted(project.check)),
        None => "# verify = \"make test\"".to_owned(),
    };
    let worker = match agent {
        Some(agent) => format!("worker = {}", quoted(&agent.name)),
        None => "# worker = \"claude\"".to_owned(),
    };
    let setup = project.and_then(|project| project.setup);
    let setup = setup.map(|setup| {
        let about = localized(
            "Prepares each worktree, which has no ignored files.",
            "워크트리를 준비합니다. 워크트리에는 무시된 파일이 없습니다.",
        );
        format!("\n[worktree]\n# {about}\nsetup = [{}]\n", quoted(setup))
    });
    let (title, worker_about, check_about) = match environment_locale() {
        Locale::En => (
            "Settings of Jangdan for this project. List all: jangdan config show",
            "Works on tasks that name no agent. List the agents: jangdan agents",
            "Must succeed before the work of a task is merged.",
        ),
        Locale::Ko => (
            "이 프로젝트의 장단 설정. 전체 목록: jangdan config show",
            "에이전트를 지정하지 않은 작업을 맡습니다. 에이전트 목록: jangdan agents",
            "작업 결과를 병합하기 전에 통과해야 합니다.",
        ),
    };
    format!(
        "# {title}\n\n[team]\n# {worker_about}\n{worker}\n\n[checks]\n# {check_about}\n{check}\n{}",
        setup.unwrap_or_default()
    )
}

fn example_plan(locale: Locale) -> &'static str {
    match locale {
        Locale::En => include_str!("init/TASKS.md"),
        Locale::Ko => include_str!("init/TASKS.ko.md"),
    }
}

#[cfg(test)]
mod tests {
    use plan::{ParseOptions, parse};

    use super::*;

    #[test]
    fn example_plans_are_valid_and_equal_in_structure() {
        let shape = |locale| {
            let parsed = parse(example_plan(locale).as_bytes(), ParseOptions::default());
            assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
            let tasks = parsed.plan.tasks.into_iter();
            tasks.map(|task| (task.id, task.depends_on, task.touches)).collect::<Vec<_>>()
        };
        assert_eq!(shape(Locale::En), shape(Locale::Ko));
        assert_eq!(shape(Locale::En).len(), 2);
    }
}
