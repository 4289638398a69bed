//! `jangdan secret`: stores secrets in the vault of the data directory, lists their names, and runs commands with them.
//!
//! A value is never an argument, because other processes can read command lines, and it is never printed.

use std::{
    env,
    ffi::OsString,
    io::{self, Write},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{self, ExitCode},
};

use clap::{Args, Subcommand};
use domain::Locale;
use runtime::project_secret_scope;
use serde_json::json;
use vault::{MASKED_BYTES_MIN, SecretEntry, SecretName, SecretScope, SecretValue, Vault, VaultError};

use crate::{
    arguments::CommonArguments, failure::Failure, localized::localized, plural::plural, printable::printable,
    remote::environment_locale, secret_input::read_secret, table, timestamp::format_utc, watch::now,
};

/// Set in every process of a session.
const SESSION_VARIABLE: &str = "JANGDAN_SESSION";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Store a secret; its value is typed at a prompt or read from standard input
    Set(SetArguments),
    /// List the names of stored secrets, never their values
    List(ListArguments),
    /// Remove a stored secret
    Remove(RemoveArguments),
    /// Run a command with secrets in its environment
    Exec(ExecArguments),
    /// Encrypt all secrets again with a new key
    Rotate(RotateArguments),
}

/// Where a secret applies.
#[derive(Debug, Args)]
struct ScopeArguments {
    /// For all your projects instead of this one
    #[arg(long, conflicts_with = "project")]
    user: bool,
    /// Folder of the project [default: the one of the current folder]
    #[arg(long, value_name = "FOLDER")]
    project: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct SetArguments {
    /// Name of the environment variable that will have the value
    #[arg(value_parser = parse_name)]
    name: SecretName,
    /// Not a secret: the value need not be masked
    #[arg(long)]
    not_secret: bool,
    #[command(flatten)]
    scope: ScopeArguments,
    #[command(flatten)]
    common: CommonArguments,
}

#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    #[command(flatten)]
    common: CommonArguments,
}

#[derive(Debug, Args)]
pub(crate) struct RemoveArguments {
    /// Name of the secret
    #[arg(value_parser = parse_name)]
    name: SecretName,
    #[command(flatten)]
    scope: ScopeArguments,
    #[command(flatten)]
    common: CommonArguments,
}

#[derive(Debug, Args)]
pub(crate) struct ExecArguments {
    /// Names of the secrets that the command gets as environment variables
    #[arg(value_parser = parse_name, required = true)]
    names: Vec<SecretName>,
    /// Command to run, behind --
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
    /// Folder of the project [default: the one of the current folder]
    #[arg(long, value_name = "FOLDER")]
    project: Option<PathBuf>,
    #[command(flatten)]
    common: CommonArguments,
}

#[derive(Debug, Args)]
pub(crate) struct RotateArguments {
    #[command(flatten)]
    common: CommonArguments,
}

pub(crate) fn run(command: &Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Set(arguments) => set(arguments),
        Command::List(arguments) => list(arguments),
        Command::Remove(arguments) => remove(arguments),
        Command::Exec(arguments) => exec(arguments),
        Command::Rotate(arguments) => rotate(arguments),
    }
}

fn set(arguments: &SetArguments) -> Result<ExitCode, Failure> {
    let SetArguments { name, not_secret, scope, common } = arguments;
    let (vault, scope) = (open_vault(common)?, scope.find()?);
    let value = read_secret(name.as_str())?;
    vault.set(&scope, name, &value, !not_secret, now()).map_err(vault_failure)?;
    let scope = scope_text(&scope);
    let mut done = localized(format!("Stored {name} for {scope}."), format!("{name} 저장됨: {scope}"));
    if !not_secret && value.expose().len() < MASKED_BYTES_MIN {
        done.push(' ');
        done.push_str(&localized(
            "Values with fewer than 8 bytes are not masked.",
            "8바이트보다 짧은 값은 가려지지 않습니다.",
        ));
    }
    print_line(&done)
}

fn list(arguments: &ListArguments) -> Result<ExitCode, Failure> {
    let entries = open_vault(&arguments.common)?.list().map_err(vault_failure)?;
    let printed = if arguments.common.json { print_json(&entries) } else { print_entries(&entries) };
    Failure::exit_after_output(printed)
}

fn print_json(entries: &[SecretEntry]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for SecretEntry { scope, name, version, set_at, is_secret } in entries {
        let project = match scope {
            SecretScope::User => None,
            SecretScope::Project(path) => Some(path),
        };
        let entry = json!({
            "name": name.as_str(), "project": project, "version": version, "setAt": set_at, "secret": is_secret,
        });
        writeln!(out, "{entry}")?;
    }
    out.flush()
}

fn print_entries(entries: &[SecretEntry]) -> io::Result<()> {
    let locale = environment_locale();
    let mut out = io::BufWriter::new(anstream::stdout().lock());
    if entries.is_empty() {
        let text = localized(
            "No secrets are stored. Store one: jangdan secret set NAME",
            "저장된 비밀 값이 없습니다. 저장하려면: jangdan secret set NAME",
        );
        writeln!(out, "{text}")?;
    }
    let lines = entries.iter().map(|SecretEntry { scope, name, version, set_at, is_secret }| {
        let kind = match (is_secret, locale) {
            (true, Locale::En) => "secret",
            (true, Locale::Ko) => "비밀",
            (false, Locale::En) => "not secret",
            (false, Locale::Ko) => "공개",
        };
        let scope = printable(&scope_text(scope));
        [name.to_string(), scope, kind.to_owned(), version.to_string(), format_utc(*set_at)]
    });
    let (title, heads) = match locale {
        Locale::En => ("Secrets", ["name", "for", "", "version", "stored (UTC)"]),
        Locale::Ko => ("비밀 값", ["이름", "적용 범위", "", "버전", "저장 시각 (UTC)"]),
    };
    table::print_table(&mut out, title, heads, lines)?;
    out.flush()
}

fn remove(arguments: &RemoveArguments) -> Result<ExitCode, Failure> {
    let RemoveArguments { name, scope, common } = arguments;
    let (vault, scope) = (open_vault(common)?, scope.find()?);
    if !vault.remove(&scope, name).map_err(vault_failure)? {
        return Err(missing_secret_failure(name, &scope_text(&scope)));
    }
    let scope = scope_text(&scope);
    print_line(&localized(format!("Removed {name} for {scope}."), format!("{name} 삭제됨: {scope}")))
}

/// Replaces this process by the command. In a session only secrets that were provided to it are available.
fn exec(arguments: &ExecArguments) -> Result<ExitCode, Failure> {
    let ExecArguments { names, command, project, common } = arguments;
    let mut values: Vec<(&SecretName, SecretValue)> = Vec::new();
    if is_in_session() {
        for name in names {
            // Its processes have what was provided in their environment, by `JANGDAN_ENV_FILE`.
            let value = env::var(name.as_str()).ok().and_then(|value| SecretValue::new(value).ok());
            values.push((name, value.ok_or_else(|| not_provided_failure(name))?));
        }
    } else {
        let vault = open_vault(common)?;
        let folder = project.as_deref().unwrap_or(Path::new("."));
        let scope = project_secret_scope(folder);
        let path = match &scope {
            SecretScope::Project(path) => path.as_str(),
            SecretScope::User => "",
        };
        for name in names {
            let found = vault.find(path, name).map_err(vault_failure)?;
            let (_, value) = found.ok_or_else(|| missing_secret_failure(name, &scope_text(&scope)))?;
            values.push((name, value));
        }
    }
    let mut words = command.iter();
    let program = words.next().cloned().unwrap_or_default();
    let mut process = process::Command::new(&program);
    process.args(words);
    for (name, value) in &values {
        process.env(name.as_str(), value.expose());
    }
    let error = process.exec();
    let exit = if error.kind() == io::ErrorKind::NotFound { 127 } else { 126 };
    let program = program.to_string_lossy().into_owned();
    Err(Failure {
        what: localized(
            format!("Cannot start {program} ({error})."),
            format!("시작할 수 없습니다: {program} ({error})"),
        ),
        hint: None,
        exit,
    })
}

fn rotate(arguments: &RotateArguments) -> Result<ExitCode, Failure> {
    let vault = open_vault(&arguments.common)?;
    let count = vault.rotate_key().map_err(vault_failure)?;
    let path = vault.key_path();
    let secrets = plural(count, "secret");
    print_line(&localized(
        format!("Encrypted {secrets} with a new key, which is in {}.", path.display()),
        format!("비밀 값 {count}개를 새 키로 암호화했습니다. 키 파일: {}", path.display()),
    ))
}

impl ScopeArguments {
    fn find(&self) -> Result<SecretScope, Failure> {
        if self.user {
            return Ok(SecretScope::User);
        }
        let folder = self.project.as_deref().unwrap_or(Path::new("."));
        match folder.is_dir() {
            true => Ok(project_secret_scope(folder)),
            false => Err(Failure {
                what: localized(
                    format!("{} is not a folder.", folder.display()),
                    format!("폴더가 아닙니다: {}", folder.display()),
                ),
                hint: None,
                exit: 1,
            }),
        }
    }
}

/// Opens the vault for the user. Agents have no access to it.
fn open_vault(common: &CommonArguments) -> Result<Vault, Failure> {
    if is_in_session() {
        return Err(Failure {
            what: localized(
                "Agents in a session have no access to the vault.",
                "세션 안의 에이전트는 비밀 값을 직접 다룰 수 없습니다.",
            ),
            hint: Some(localized(
                "Request what you need: jangdan say request",
                "필요한 값을 요청하세요: jangdan say request",
            )),
            exit: 1,
        });
    }
    let data = common.data_directory()?;
    runtime::create_data_directory(&data).map_err(|error| Failure {
        what: localized(
            format!("Cannot use the data directory {} ({error}).", data.display()),
            format!("데이터 폴더를 사용할 수 없습니다: {} ({error})", data.display()),
        ),
        hint: None,
        exit: 1,
    })?;
    Ok(Vault::new(&data))
}

fn is_in_session() -> bool {
    env::var_os(SESSION_VARIABLE).is_some_and(|session| !session.is_empty())
}

fn parse_name(word: &str) -> Result<SecretName, String> {
    word.parse().map_err(|_| {
        localized(
            "not a name of an environment variable (write OPENAI_API_KEY)",
            "환경 변수 이름이 아닙니다. 예: OPENAI_API_KEY",
        )
    })
}

/// Returns where a secret applies, for people.
fn scope_text(scope: &SecretScope) -> String {
    match scope {
        SecretScope::User => localized("all projects", "모든 프로젝트"),
        SecretScope::Project(path) => path.clone(),
    }
}

fn missing_secret_failure(name: &SecretName, scope: &str) -> Failure {
    Failure {
        what: localized(
            format!("No secret {name} is stored for {scope}."),
            format!("저장된 비밀 값이 없습니다: {name} ({scope})"),
        ),
        hint: Some(localized(
            "List what is stored: jangdan secret list",
            "저장된 목록 보기: jangdan secret list",
        )),
        exit: 1,
    }
}

fn not_provided_failure(name: &SecretName) -> Failure {
    Failure {
        what: localized(
            format!("{name} was not provided to this session."),
            format!("이 세션에 제공되지 않았습니다: {name}"),
        ),
        hint: Some(localized(
            format!(
                "Request it: jangdan say request, or source the file JANGDAN_ENV_FILE if {name} was provided meanwhile."
            ),
            format!(
                "jangdan say request로 요청하세요. 이미 제공되었다면 JANGDAN_ENV_FILE 파일을 source 하세요: {name}"
            ),
        )),
        exit: 1,
    }
}

/// Returns the failure for an error of the vault, with its cause and what to do.
pub(crate) fn vault_failure(error: VaultError) -> Failure {
    let hint = match &error {
        VaultError::WrongKey { .. } => localized(
            "Restore the key file from a backup. Without it, remove vault.json and store the secrets again.",
            "백업에서 키 파일을 복원하세요. 없으면 vault.json을 삭제하고 비밀 값을 다시 저장하세요.",
        ),
        VaultError::Tampered { name } => localized(
            format!("Store it again: jangdan secret set {name}"),
            format!("다시 저장하세요: jangdan secret set {name}"),
        ),
        VaultError::NotPrivate { path, .. } => localized(
            format!("Check who changed it: ls -l {}", path.display()),
            format!("파일을 확인하세요: ls -l {}", path.display()),
        ),
        VaultError::Malformed { .. } => localized(
            "Use the version of Jangdan that wrote it, or restore it from a backup.",
            "그 파일을 만든 버전의 Jangdan을 사용하거나 백업에서 복원하세요.",
        ),
        VaultError::Full => localized(
            "Remove secrets that are not needed: jangdan secret remove NAME",
            "필요 없는 비밀 값을 삭제하세요: jangdan secret remove NAME",
        ),
        VaultError::Io { .. } => {
            localized("Check the data directory and the disk.", "데이터 폴더와 디스크를 확인하세요.")
        }
    };
    Failure { what: runtime::error_chain(&error), hint: Some(hint), exit: 1 }
}

fn print_line(text: &str) -> Result<ExitCode, Failure> {
    match writeln!(io::stdout(), "{}", printable(text))
        .err()
        .and_then(|error| Failure::from_output_error(&error))
    {
        Some(failure) => Err(failure),
        None => Ok(ExitCode::SUCCESS),
    }
}
