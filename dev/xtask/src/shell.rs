//! Runs other programs in the repository's root, and prints how long steps take.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};

use crate::left_processes;

/// Returns the repository's root.
pub(crate) fn repository_root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

/// Returns the paths of all files that git tracks or would add, from the repository's root, sorted.
pub(crate) fn repository_files() -> Result<Vec<String>> {
    let root = repository_root();
    let mut list = Command::new("git");
    list.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).current_dir(&root);
    let text = command_output(&mut list)?;
    // The list still has files whose deletion is not committed.
    let mut paths: Vec<String> =
        text.split('\0').filter(|path| root.join(path).is_file()).map(str::to_owned).collect();
    paths.sort();
    paths.dedup();
    Ok(paths)
}

/// Returns a `cargo` command that runs in the repository's root.
pub(crate) fn cargo_command(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(repository_root());
    command
}

/// Returns the target triple of this machine.
pub(crate) fn host_target() -> Result<String> {
    let version = command_output(Command::new("rustc").arg("-vV").current_dir(repository_root()))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("`rustc -vV` has no line with the host")
}

/// Runs a command whose output goes to the terminal.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = left_processes::mark(command)
        .status()
        .with_context(|| format!("start {}", format_command(command)))?;
    if !status.success() {
        bail!("{} ended with {status}", format_command(command));
    }
    Ok(())
}

/// Runs a command and returns its standard output.
pub(crate) fn command_output(command: &mut Command) -> Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("start {}", format_command(command)))?;
    if !output.status.success() {
        bail!("{} ended with {}", format_command(command), output.status);
    }
    String::from_utf8(output.stdout)
        .with_context(|| format!("read the output of {}", format_command(command)))
}

/// Runs a step between a headline and its duration; `hint` is part of the error if it fails.
pub(crate) fn step<T>(title: &str, hint: &str, act: impl FnOnce() -> Result<T>) -> Result<T> {
    eprintln!("\n=> {title}");
    let start = Instant::now();
    let result = act().with_context(|| format!("{title} failed\nhint: {hint}\ncause"))?;
    eprintln!("   {title}: {}", format_duration(start.elapsed()));
    Ok(result)
}

/// Formats a duration, e.g. `1.2 s` or `2 min 05 s`.
pub(crate) fn format_duration(duration: Duration) -> String {
    match duration.as_secs() {
        0..60 => format!("{:.1} s", duration.as_secs_f64()),
        whole => format!("{} min {:02} s", whole / 60, whole % 60),
    }
}

/// Formats a command as it would be typed.
fn format_command(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let mut words = vec![program.to_string_lossy()];
    words.extend(command.get_args().map(|word| word.to_string_lossy()));
    format!("`{}`", words.join(" "))
}

/// Returns the target directory of the workspace.
pub(crate) fn target_directory() -> Result<PathBuf> {
    let text = command_output(&mut cargo_command(&["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: serde_json::Value = serde_json::from_str(&text).context("read cargo's metadata")?;
    let directory = metadata.get("target_directory").and_then(serde_json::Value::as_str);
    directory.map(PathBuf::from).context("cargo's metadata has no target_directory")
}

/// Builds programs with the features that `cargo nextest run --workspace` uses, so that nothing is built twice, and
/// returns their folder.
pub(crate) fn build_programs(names: &[&str]) -> Result<PathBuf> {
    let mut command = cargo_command(&["build", "--quiet", "--workspace"]);
    run(command.args(names.iter().flat_map(|name| ["--bin", name])))?;
    Ok(target_directory()?.join("debug"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_use_the_unit_that_fits() {
        assert_eq!(format_duration(Duration::from_millis(1_230)), "1.2 s");
        assert_eq!(format_duration(Duration::from_secs(125)), "2 min 05 s");
    }

    #[test]
    fn a_command_is_shown_without_the_folder_of_its_program() {
        assert_eq!(
            format_command(Command::new("/opt/bin/cargo").args(["fmt", "--check"])),
            "`cargo fmt --check`"
        );
    }
}
