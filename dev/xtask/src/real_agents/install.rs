//! Installs the agents once, in the versions that the checks were written for.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};

/// What npm installs. The lock file names no host, so npm uses the registry that this machine is configured for.
const FILES: [(&str, &str); 2] = [
    ("package.json", include_str!("../../../real-agents/package.json")),
    ("package-lock.json", include_str!("../../../real-agents/package-lock.json")),
];
/// A download of this size fails sometimes.
const TRIES: u32 = 3;
/// Interval between two lines about the progress.
const REPORT_EVERY: Duration = Duration::from_secs(10);

/// Returns the folder for the agents and their home folders: outside of the repository, shared by all checkouts.
pub(super) fn cache_folder(requested: Option<&Path>) -> Result<PathBuf> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let usual = || set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
    let cache = match requested {
        Some(requested) => requested.to_owned(),
        None => usual()
            .context("neither XDG_CACHE_HOME nor HOME is set; name a folder with --cache")?
            .join("jangdan/real-agents"),
    };
    let cache = std::path::absolute(cache)?;
    if cache.starts_with(env::temp_dir()) {
        bail!(
            "{} is below the temporary folder, where some agents refuse to run\nhint: name another with --cache",
            cache.display()
        );
    }
    Ok(cache)
}

/// Installs the agents if they are missing or outdated, or if `force` is set.
pub(super) fn ensure_agents(cache: &Path, force: bool) -> Result<()> {
    let mark = cache.join("installed");
    let wanted = FILES.map(|(_, text)| text).concat();
    if !force && fs::read_to_string(&mark).is_ok_and(|found| found == wanted) {
        eprintln!("   installed already");
        return Ok(());
    }
    fs::create_dir_all(cache).with_context(|| format!("create {}", cache.display()))?;
    match fs::remove_file(&mark) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
        Ok(()) | Err(_) => {}
    }
    let mut failure = None;
    for number in 1..=TRIES {
        for (name, text) in FILES {
            fs::write(cache.join(name), text)?;
        }
        eprintln!("   npm install into {} (1.6 GB), try {number} of {TRIES}", cache.display());
        match run_npm_install(cache) {
            Ok(()) => return Ok(fs::write(&mark, wanted)?),
            Err(error) => {
                eprintln!("   {error:#}");
                failure = Some(error);
            }
        }
    }
    Err(failure.unwrap_or_else(|| anyhow::anyhow!("never tried")))
}

fn run_npm_install(cache: &Path) -> Result<()> {
    let mut command = Command::new("npm");
    command.args([
        "install",
        "--no-audit",
        "--no-fund",
        "--no-progress",
        "--omit-lockfile-registry-resolved",
    ]);
    let mut child = command
        .current_dir(cache)
        .stdin(Stdio::null())
        .spawn()
        .context("start npm; is Node.js installed?")?;
    let mut reported_at = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            if !status.success() {
                bail!("npm install ended with {status}");
            }
            return Ok(());
        }
        if reported_at.elapsed() >= REPORT_EVERY {
            reported_at = Instant::now();
            // npm changes the folder meanwhile: files that disappear are not counted.
            eprintln!(
                "   {} MB installed",
                folder_size(&cache.join("node_modules")).unwrap_or(0) / 1_000_000
            );
        }
        thread::sleep(Duration::from_millis(200));
    }
}

fn folder_size(folder: &Path) -> io::Result<u64> {
    let mut total = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let Ok(metadata) = entry.metadata() else { continue };
        total += if metadata.is_dir() { folder_size(&entry.path()).unwrap_or(0) } else { metadata.len() };
    }
    Ok(total)
}
