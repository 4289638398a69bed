//! Installs the agents at the versions that they were seen with, once.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};

/// The files that say what is installed; the lock names no host, so that npm asks the one this machine is set to.
const FILES: [(&str, &str); 2] = [
    ("package.json", include_str!("../../../real-agents/package.json")),
    ("package-lock.json", include_str!("../../../real-agents/package-lock.json")),
];
/// A download of this size fails now and then.
const TRIES: u32 = 3;
/// How often a person is told how far it is.
const TOLD_EVERY: Duration = Duration::from_secs(10);

/// Returns the folder for the agents and their homes: outside of the repository, and the same for all its checkouts.
pub fn cache(wished: Option<&Path>) -> Result<PathBuf> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let usual = || set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
    let cache = match wished {
        Some(wished) => wished.to_owned(),
        None => usual()
            .context("neither XDG_CACHE_HOME nor HOME is set; name a folder with --cache")?
            .join("jangdan/real-agents"),
    };
    let cache = std::path::absolute(cache)?;
    if cache.starts_with(env::temp_dir()) {
        bail!(
            "{} is below the temporary folder, where some agents refuse to live\nhint: name another with --cache",
            cache.display()
        );
    }
    Ok(cache)
}

/// Installs the agents unless they are there.
pub fn ensure(cache: &Path, anew: bool) -> Result<()> {
    let mark = cache.join("installed");
    let wanted = FILES.map(|(_, text)| text).concat();
    if !anew && fs::read_to_string(&mark).is_ok_and(|found| found == wanted) {
        eprintln!("   they are there");
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
        match install(cache) {
            Ok(()) => return Ok(fs::write(&mark, wanted)?),
            Err(error) => {
                eprintln!("   {error:#}");
                failure = Some(error);
            }
        }
    }
    Err(failure.unwrap_or_else(|| anyhow::anyhow!("never tried")))
}

fn install(cache: &Path) -> Result<()> {
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
    let mut told = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            if !status.success() {
                bail!("npm install ended with {status}");
            }
            return Ok(());
        }
        if told.elapsed() >= TOLD_EVERY {
            told = Instant::now();
            // What is there is looked at while npm changes it: what is gone again does not count.
            eprintln!("   {} MB so far", size(&cache.join("node_modules")).unwrap_or(0) / 1_000_000);
        }
        thread::sleep(Duration::from_millis(200));
    }
}

fn size(folder: &Path) -> io::Result<u64> {
    let mut total = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let Ok(metadata) = entry.metadata() else { continue };
        total += if metadata.is_dir() { size(&entry.path()).unwrap_or(0) } else { metadata.len() };
    }
    Ok(total)
}
