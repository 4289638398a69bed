//! Creates the folder of the demo: a small repository with a plan, and the scripts of the agents.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
    process::Command as Program,
};

use config::{ConfigFile, Layers, LoadedConfig, PROJECT_FILE, load};
use domain::Locale;

use super::{
    files::{AGENTS, CONFIG, PLAN, PLAN_KO, PROJECT},
    script::{ScriptOptions, render},
};
use crate::{failure::Failure, localized::localized, remote::environment_locale};

/// Git identity of the demo, independent of the user's.
const IDENTITY: [(&str, &str); 3] =
    [("user.name", "Jangdan demo"), ("user.email", "demo@jangdan.invalid"), ("commit.gpgsign", "false")];

/// Options of the demo.
#[derive(Debug, Clone, Copy)]
pub(super) struct DemoOptions<'a> {
    /// Factor by which pauses are shortened.
    pub speed: f64,
    pub locale: Locale,
    /// Path of the program that plays the scripts.
    pub player: &'a Path,
}

/// The folders of a demo.
#[derive(Debug)]
pub(super) struct DemoProject {
    pub project: PathBuf,
    pub data: PathBuf,
}

/// Creates the demo in an empty folder.
pub(super) fn set_up(folder: &Path, options: DemoOptions<'_>) -> Result<DemoProject, Failure> {
    // Paths in scripts and the configuration must be absolute.
    let folder = folder.canonicalize().map_err(|error| path_failure("use", folder, &error))?;
    let (project, agents) = (folder.join("app"), folder.join("agents"));
    let memory = folder.join("memory");
    fs::create_dir_all(&memory).map_err(|error| path_failure("create", &memory, &error))?;
    let memory = to_toml_string(&memory)?;
    let script_options = ScriptOptions { speed: options.speed, locale: options.locale, memory: &memory };
    for file in AGENTS {
        write_file(&agents.join(file.path), &render(file.text, script_options))?;
    }
    for file in PROJECT {
        write_file(&project.join(file.path), file.text)?;
    }
    let (plan, locale) = match options.locale {
        Locale::En => (PLAN, "en"),
        Locale::Ko => (PLAN_KO, "ko"),
    };
    let config = CONFIG
        .replace("@locale@", locale)
        .replace("@play@", &to_toml_string(&agents.join("play"))?)
        .replace("@player@", &to_toml_string(options.player)?)
        .replace("@memory@", &memory)
        .replace("@agents@", &to_toml_string(&agents)?);
    write_file(&project.join("TASKS.md"), plan)?;
    write_file(&project.join(PROJECT_FILE), &config)?;
    init_repository(&project)?;
    Ok(DemoProject { data: folder.join("data"), project })
}

/// Loads the configuration of the demo, without the user's: the demo is the same everywhere.
pub(super) fn load_configuration(demo: &DemoProject) -> Result<LoadedConfig, Failure> {
    let path = demo.project.join(PROJECT_FILE);
    let bytes = fs::read(&path).map_err(|error| path_failure("read", &path, &error))?;
    let loaded = load(&Layers {
        files: &[ConfigFile { name: PROJECT_FILE, bytes: &bytes, folder: &demo.project }],
        environment: &BTreeMap::new(),
        flags: &[],
        builtin_agents: &drivers::preset::preset_names(&toml::Table::new()),
        directory: &demo.project,
        home: None,
    });
    loaded.map_err(|problems| {
        let first =
            problems.first().map_or_else(String::new, |problem| problem.message.text(environment_locale()));
        let what = format!("{}: {first}", path.display());
        Failure {
            what,
            hint: Some(localized(
                "This is a bug in the demo. Please report it.",
                "데모의 버그입니다. 알려 주세요.",
            )),
            exit: 1,
        }
    })
}

fn init_repository(project: &Path) -> Result<(), Failure> {
    git(project, &["init", "--quiet", "--initial-branch", "main"])?;
    for (key, value) in IDENTITY {
        git(project, &["config", key, value])?;
    }
    git(project, &["add", "--all"])?;
    // Do not run global hooks of the user.
    git(project, &["-c", "core.hooksPath=/dev/null", "commit", "--quiet", "--message", "Initial commit"])
}

fn git(folder: &Path, arguments: &[&str]) -> Result<(), Failure> {
    let is_git_variable = |name: &OsStr| name.to_string_lossy().starts_with("GIT_");
    let mut program = Program::new("git");
    program.current_dir(folder).args(arguments);
    // Variables that git sets in a hook refer to another repository.
    for (name, _) in std::env::vars_os().filter(|(name, _)| is_git_variable(name)) {
        program.env_remove(name);
    }
    let output = program.output().map_err(|error| Failure {
        what: localized(format!("Cannot run git ({error})."), format!("git을 실행할 수 없습니다({error}).")),
        hint: Some(localized(
            "Install git: the demo needs nothing else.",
            "git을 설치하세요. 데모에 필요한 것은 git뿐입니다.",
        )),
        exit: 1,
    })?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        let what = localized(
            format!("'git {}' failed: {}", arguments.join(" "), message.trim()),
            format!("'git {}' 명령이 실패했습니다: {}", arguments.join(" "), message.trim()),
        );
        return Err(Failure {
            what,
            hint: Some(localized(
                "The demo needs git 2.38 or newer.",
                "데모에는 git 2.38 이상이 필요합니다.",
            )),
            exit: 1,
        });
    }
    Ok(())
}

fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).map_err(|error| path_failure("create", folder, &error))?;
    fs::write(path, text).map_err(|error| path_failure("write", path, &error))
}

/// Returns a path as a TOML string.
fn to_toml_string(path: &Path) -> Result<String, Failure> {
    let text = path.to_str().ok_or_else(|| Failure {
        what: localized(
            format!("The path {} is not UTF-8.", path.display()),
            format!("UTF-8이 아닌 경로입니다: {}", path.display()),
        ),
        hint: Some(localized("Name another folder with --keep.", "--keep 옵션으로 다른 폴더를 지정하세요.")),
        exit: 1,
    })?;
    // A JSON string is also a TOML string.
    serde_json::to_string(text).map_err(|error| path_failure("write", path, &error.into()))
}

fn path_failure(action: &str, path: &Path, error: &io::Error) -> Failure {
    Failure {
        what: localized(
            format!("Cannot {action} {} ({error}).", path.display()),
            format!("데모 폴더에서 읽거나 쓸 수 없습니다: {} ({error}).", path.display()),
        ),
        hint: Some(localized("Name another folder with --keep.", "--keep 옵션으로 다른 폴더를 지정하세요.")),
        exit: 1,
    }
}
