//! Makes the demo's folder: a small repository with a plan, and the agents that are played.

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
    files::{AGENTS, CONFIG, PLAN, PLAN_KO, SHOP},
    script::{Setting, script},
};
use crate::failure::Failure;

/// Who has made the first commit: nobody who has another name for their own work.
const IDENTITY: [(&str, &str); 3] =
    [("user.name", "Jangdan demo"), ("user.email", "demo@jangdan.invalid"), ("commit.gpgsign", "false")];

/// What the person chose.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// How many times as fast.
    pub speed: f64,
    /// In which language.
    pub locale: Locale,
    /// The program that plays: this one.
    pub player: &'a Path,
}

/// A demo that can begin.
#[derive(Debug)]
pub struct Demo {
    /// The repository.
    pub shop: PathBuf,
    /// The data directory.
    pub data: PathBuf,
}

/// Makes everything in a folder that is empty.
pub fn set_up(folder: &Path, wanted: Wanted<'_>) -> Result<Demo, Failure> {
    // Paths in scripts and the configuration must hold wherever they are read.
    let folder = folder.canonicalize().map_err(|error| failed("use", folder, &error))?;
    let (shop, agents) = (folder.join("shop"), folder.join("agents"));
    let memory = quoted(&folder.join("memory"))?;
    let setting = Setting { speed: wanted.speed, locale: wanted.locale, memory: &memory };
    for file in AGENTS {
        write(&agents.join(file.path), &script(file.text, setting))?;
    }
    for file in SHOP {
        write(&shop.join(file.path), file.text)?;
    }
    let (plan, locale) = match wanted.locale {
        Locale::En => (PLAN, "en"),
        Locale::Ko => (PLAN_KO, "ko"),
    };
    let config = CONFIG
        .replace("@locale@", locale)
        .replace("@play@", &quoted(&agents.join("play"))?)
        .replace("@player@", &quoted(wanted.player)?)
        .replace("@agents@", &quoted(&agents)?);
    write(&shop.join("TASKS.md"), plan)?;
    write(&shop.join(PROJECT_FILE), &config)?;
    first_commit(&shop)?;
    Ok(Demo { data: folder.join("data"), shop })
}

/// Returns the shop's configuration. What the person has set for themselves has no say: the demo is the same everywhere.
pub fn configuration(demo: &Demo) -> Result<LoadedConfig, Failure> {
    let path = demo.shop.join(PROJECT_FILE);
    let bytes = fs::read(&path).map_err(|error| failed("read", &path, &error))?;
    let loaded = load(&Layers {
        files: &[ConfigFile { name: PROJECT_FILE, bytes: &bytes, folder: &demo.shop }],
        environment: &BTreeMap::new(),
        flags: &[],
        builtin_agents: &drivers::preset::names(&toml::Table::new()),
        directory: &demo.shop,
        home: None,
    });
    loaded.map_err(|problems| {
        let first = problems.first().map_or("", |problem| problem.message.as_str());
        let what = format!("{}: {first}", path.display());
        Failure { what, hint: Some("the demo is broken; please report it".to_owned()), exit: 1 }
    })
}

fn first_commit(shop: &Path) -> Result<(), Failure> {
    git(shop, &["init", "--quiet", "--initial-branch", "main"])?;
    for (key, value) in IDENTITY {
        git(shop, &["config", key, value])?;
    }
    git(shop, &["add", "--all"])?;
    // Hooks that a person has for all repositories are none of the demo's business.
    git(shop, &["-c", "core.hooksPath=/dev/null", "commit", "--quiet", "--message", "A shop without a till"])
}

fn git(folder: &Path, arguments: &[&str]) -> Result<(), Failure> {
    let is_gits = |name: &OsStr| name.to_string_lossy().starts_with("GIT_");
    let mut program = Program::new("git");
    program.current_dir(folder).args(arguments);
    // What is set while a hook runs names another repository.
    for (name, _) in std::env::vars_os().filter(|(name, _)| is_gits(name)) {
        program.env_remove(name);
    }
    let output = program.output().map_err(|error| Failure {
        what: format!("run git: {error}"),
        hint: Some("the demo needs git, and nothing else".to_owned()),
        exit: 1,
    })?;
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr);
        let what = format!("git {}: {}", arguments.join(" "), words.trim());
        return Err(Failure { what, hint: Some("the demo needs git 2.38 or newer".to_owned()), exit: 1 });
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).map_err(|error| failed("make", folder, &error))?;
    fs::write(path, text).map_err(|error| failed("write", path, &error))
}

/// Returns a path as a value of TOML.
fn quoted(path: &Path) -> Result<String, Failure> {
    let text = path.to_str().ok_or_else(|| Failure {
        what: format!("{} is no UTF-8", path.display()),
        hint: Some("name another folder with --keep".to_owned()),
        exit: 1,
    })?;
    // A text of JSON is one of TOML too.
    serde_json::to_string(text).map_err(|error| failed("name", path, &error.into()))
}

fn failed(action: &str, path: &Path, error: &io::Error) -> Failure {
    Failure {
        what: format!("{action} {}: {error}", path.display()),
        hint: Some("name another folder with --keep".to_owned()),
        exit: 1,
    }
}
