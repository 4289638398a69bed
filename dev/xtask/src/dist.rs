//! `cargo xtask dist`: the files of a release, and a trial of them.
//!
//! An archive with a static program, shell completions and manual pages, its checksum, and a script that installs it. The
//! trial installs it with a PATH that has git and a few basic tools only, and executes the demo.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail, ensure};

use crate::{
    shell::{self, cargo_command, command_output, step},
    tools,
};

const INSTALL_SCRIPT: &str = include_str!("dist/install.sh");
/// Shells with a completion script, and the name of its file.
const COMPLETIONS: &[(&str, &str)] =
    &[("bash", "jangdan.bash"), ("zsh", "_jangdan"), ("fish", "jangdan.fish")];
/// The programs that a machine needs for the installation and a run.
const TRIAL_PROGRAMS: &[&str] = &[
    "basename",
    "cat",
    "chmod",
    "cp",
    "cut",
    "dirname",
    "git",
    "gzip",
    "mkdir",
    "mktemp",
    "mv",
    "rm",
    "sed",
    "sh",
    "sha256sum",
    "tar",
    "tr",
    "uname",
];

/// Builds the files in `target/dist` and tries them.
pub(crate) fn run() -> Result<()> {
    let target = step("tools", "see the line above", ensure_tools)?;
    let program = step("build", "cargo build shows more", || build(&target))?;
    let folder = shell::target_directory()?.join("dist");
    let archive = step("pack", "see the line above", || pack(&program, &target, &folder))?;
    step("trial", "the files are in target/dist", || try_installation(&folder))?;
    let bytes = fs::metadata(&archive)?.len();
    eprintln!("\n{} ({:.1} MB)", archive.display(), bytes as f64 / 1e6);
    Ok(())
}

/// Installs the target and its C compiler if they are missing, and returns the target.
fn ensure_tools() -> Result<String> {
    tools::ensure_holder_target()?;
    let host = shell::host_target()?;
    let target = if host.ends_with("-linux-musl") { Some(host.clone()) } else { tools::musl_target(&host) };
    let target = target.with_context(|| format!("no static program can be built on {host}"))?;
    // SQLite is compiled from C.
    tools::ensure_debian_packages(&[("musl-tools", "/usr/bin/musl-gcc")])?;
    Ok(target)
}

fn build(target: &str) -> Result<PathBuf> {
    let mut command =
        cargo_command(&["build", "--profile", "dist", "--locked", "--package", "cli", "--target", target]);
    shell::run(command.env("CARGO_PROFILE_RELEASE_STRIP", "symbols"))?;
    let program = shell::target_directory()?.join(target).join("dist/jangdan");
    let elf = fs::read(&program)?;
    ensure!(!has_interpreter(&elf), "{} is not static", program.display());
    Ok(program)
}

/// Returns whether a 64-bit little-endian ELF program needs a dynamic loader (it has a program header `PT_INTERP`).
fn has_interpreter(elf: &[u8]) -> bool {
    const PT_INTERP: u64 = 3;
    let number = |at: usize, size: usize| {
        let bytes = elf.get(at..at + size).unwrap_or_default();
        bytes.iter().rev().fold(0_u64, |number, byte| (number << 8) | u64::from(*byte))
    };
    let (table, entry, entries) = (number(32, 8) as usize, number(54, 2) as usize, number(56, 2) as usize);
    (0..entries).any(|n| number(table + n * entry, 4) == PT_INTERP)
}

/// Writes the archive, its checksum and the install script, and returns the archive.
fn pack(program: &Path, target: &str, folder: &Path) -> Result<PathBuf> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    let version = command_output(Command::new(program).arg("-V"))?;
    let version = version.trim().strip_prefix("jangdan ").context("`jangdan -V` prints a version")?;
    let machine = target.split('-').next().unwrap_or(target);
    let name = format!("jangdan-{version}-{machine}-linux");
    let content = folder.join(&name);
    fs::create_dir_all(content.join("completions"))?;
    fs::copy(program, content.join("jangdan"))?;
    for (shell, file) in COMPLETIONS {
        let script = command_output(Command::new(program).args(["completions", shell]))?;
        fs::write(content.join("completions").join(file), script)?;
    }
    shell::run(Command::new(program).arg("man").arg(content.join("man")))?;
    for file in ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"] {
        fs::copy(shell::repository_root().join(file), content.join(file))?;
    }
    let archive = folder.join(format!("{name}.tar.gz"));
    // Equal input gives an equal archive.
    let mut tar = Command::new("tar");
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX"]);
    tar.arg(format!("--mtime=@{}", commit_time()?)).args(["--use-compress-program", "gzip -9 -n", "-cf"]);
    shell::run(tar.arg(&archive).arg("-C").arg(folder).arg(&name))?;
    fs::remove_dir_all(content)?;
    fs::write(folder.join("install.sh"), INSTALL_SCRIPT)?;
    let sums = command_output(
        Command::new("sha256sum").args([&format!("{name}.tar.gz"), "install.sh"]).current_dir(folder),
    )?;
    fs::write(folder.join("SHA256SUMS"), sums)?;
    Ok(archive)
}

/// Returns the time of the last commit, in seconds since 1970.
fn commit_time() -> Result<String> {
    let mut log = Command::new("git");
    log.args(["log", "-1", "--format=%ct"]).current_dir(shell::repository_root());
    Ok(command_output(&mut log)?.trim().to_owned())
}

/// Installs the files as a user would on a machine without a toolchain, and executes the demo.
fn try_installation(folder: &Path) -> Result<()> {
    let trial = folder.join("trial");
    let (home, path) = (trial.join("home"), trial.join("path"));
    fs::create_dir_all(&home)?;
    fs::create_dir_all(&path)?;
    for name in TRIAL_PROGRAMS {
        symlink(find_program(name)?, path.join(name))?;
    }
    let command = |program: &Path| {
        let mut command = Command::new(program);
        command.env_clear().env("HOME", &home).env("PATH", &path).env("LANG", "C.UTF-8").current_dir(&home);
        command
    };
    let mut install = command(&path.join("sh"));
    let message = command_output(install.arg(folder.join("install.sh")))?;
    ensure!(message.contains("Add it to your PATH"), "the script does not mention the PATH:\n{message}");
    let installed = home.join(".local");
    for file in ["share/bash-completion/completions/jangdan", "share/man/man1/jangdan-run.1"] {
        ensure!(installed.join(file).is_file(), "{file} is not installed");
    }
    let program = installed.join("bin/jangdan");
    let version = command_output(command(&program).arg("--version"))?;
    ensure!(version.contains("-linux-musl"), "the holder is not static:\n{version}");
    let demo = trial.join("demo");
    let mut run = command(&program);
    run.args(["demo", "--auto", "--speed", "40", "--keep"]).arg(&demo);
    let output = command_output(&mut run)?;
    ensure!(output.contains("done"), "the demo printed:\n{output}");
    reject_damaged_archive(&mut command(&path.join("sh")), folder)?;
    fs::remove_dir_all(&trial)?;
    Ok(())
}

/// Checks that the script refuses an archive with another checksum.
fn reject_damaged_archive(sh: &mut Command, folder: &Path) -> Result<()> {
    let sums = fs::read_to_string(folder.join("SHA256SUMS"))?;
    let damaged = folder.join("trial/damaged");
    fs::create_dir_all(&damaged)?;
    for entry in fs::read_dir(folder)?.flatten().filter(|entry| entry.path().is_file()) {
        fs::copy(entry.path(), damaged.join(entry.file_name()))?;
    }
    let other = if sums.starts_with('0') { "1" } else { "0" };
    fs::write(damaged.join("SHA256SUMS"), format!("{other}{}", &sums[1..]))?;
    let output = sh.arg(damaged.join("install.sh")).output()?;
    let message = String::from_utf8_lossy(&output.stderr);
    ensure!(
        !output.status.success() && message.contains("is damaged"),
        "a damaged archive is installed: {message}"
    );
    Ok(())
}

fn find_program(name: &str) -> Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file());
    match found {
        Some(file) => Ok(file),
        None => bail!("{name} is not on PATH"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dynamic_program_has_an_interpreter() {
        let own = fs::read(std::env::current_exe().unwrap_or_default()).unwrap_or_default();
        assert!(has_interpreter(&own));
        assert!(!has_interpreter(b"\x7fELF"));
    }
}
