//! `jangdan run` itself: a plan file, a configuration, a script as the agent.

use std::{
    fmt::Write as _,
    fs::{self, File},
    io::Read,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use tempfile::{TempDir, tempdir_in};
use testkit::runs::Work;

/// Runs all tasks of a graph.
pub fn all_tasks(jangdan: &Path, work: &Work, folder: &Path) -> Result<()> {
    let mut plan = "# A plan\n".to_owned();
    for task in 0..work.durations.len() {
        let before: Vec<String> = work
            .edges
            .iter()
            .filter(|(_, later)| *later == task)
            .map(|(earlier, _)| format!("T{}", earlier + 1))
            .collect();
        let before = if before.is_empty() { "none".to_owned() } else { before.join(", ") };
        write!(plan, "\n### T{}: Nothing\n- **Dependencies**: {before}\n", task + 1)?;
    }
    let project = project(folder, &plan, "read -r task; echo DONE:$JANGDAN_TASK", false)?;
    let status = command(jangdan, &project, false).status()?;
    ensure!(status.success(), "jangdan ended with {status}");
    Ok(())
}

/// Returns how long it takes from the start of the program to the first breath of the first agent.
pub fn first_task(jangdan: &Path, folder: &Path, in_worktree: bool) -> Result<Duration> {
    let project = project(
        folder,
        "# A plan\n\n### T1: Nothing\n",
        "echo here > $BREATH; read -r task; echo DONE:$JANGDAN_TASK",
        in_worktree,
    )?;
    let breath = project.path().join("breath");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &breath,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )?;
    let start = Instant::now();
    let mut child = command(jangdan, &project, in_worktree).env("BREATH", &breath).spawn()?;
    // Opening it waits for the agent to open its end.
    let mut said = String::new();
    File::open(&breath)?.read_to_string(&mut said)?;
    let took = start.elapsed();
    let status = child.wait()?;
    ensure!(status.success() && said == "here\n", "jangdan ended with {status}");
    Ok(took)
}

fn command(jangdan: &Path, project: &TempDir, in_worktree: bool) -> Command {
    let mut command = Command::new(jangdan);
    command.args(["run", "--json", "--set", "orchestration.gate_approval=automatic"]);
    command.args(["--set", "orchestration.max_concurrency=4"]);
    if !in_worktree {
        command.arg("--no-worktrees");
    }
    command.current_dir(project.path().join("project")).env("JANGDAN_DATA", project.path().join("data"));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn project(folder: &Path, plan: &str, script: &str, has_git: bool) -> Result<TempDir> {
    let place = tempdir_in(folder)?;
    let project = place.path().join("project");
    fs::create_dir(&project)?;
    fs::write(project.join("TASKS.md"), plan)?;
    fs::write(project.join("agent.sh"), script)?;
    let config = format!(
        "[agents.script]\nextends = \"shell\"\narguments = [\"{}\"]\n[team]\nworker = \"script\"\n",
        project.join("agent.sh").display()
    );
    fs::write(project.join("jangdan.toml"), config)?;
    if has_git {
        let identity = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"];
        for arguments in [&["init", "--quiet"][..], &["add", "."], &["commit", "--quiet", "-m", "begin"]] {
            let status = Command::new("git").args(identity).args(arguments).current_dir(&project).status()?;
            ensure!(status.success(), "git ended with {status}");
        }
    }
    Ok(place)
}
