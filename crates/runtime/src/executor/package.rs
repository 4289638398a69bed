//! Adds a package to a project with the project's own package manager.

use std::{fs, path::Path};

use engine::ProvisionOrder;

use super::{
    job::{Job, run},
    run_context::RunContext,
    stop_token::StopToken,
};

/// Names of packages are shorter, also with a scope or a path of a Go module.
const NAME_CHARS_MAX: usize = 200;
/// Bytes of the changes of a manifest that are reported.
const CHANGES_BYTES_MAX: usize = 4 << 10;
/// Bytes of the output of a package manager that failed.
const OUTPUT_BYTES_MAX: usize = 2 << 10;

/// A package that was added.
pub(super) struct AddedPackage {
    pub(super) version: Option<String>,
    /// Lines that were removed from and added to the manifest.
    pub(super) changes: String,
}

/// A package manager and the file that lists the packages of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PackageManager {
    Cargo,
    Npm,
    Pnpm,
    Yarn,
    Bun,
    Uv,
    Pip,
    Go,
}

/// Adds a package in a worktree, as a job with this name, and verifies that the manifest lists it.
pub(super) fn add_package(
    context: &RunContext,
    order: &ProvisionOrder,
    (job, directory): (&str, &Path),
    (name, version): (&str, Option<&str>),
    stop_token: &StopToken,
) -> Result<AddedPackage, String> {
    if !is_package_name(name) || !version.is_none_or(is_version) {
        return Err(format!("'{name}' with version '{}' is not a package", version.unwrap_or_default()));
    }
    let manager = PackageManager::of_project(directory)
        .ok_or("the project has no manifest of a known package manager")?;
    let manifest = directory.join(manager.manifest());
    let read = || fs::read_to_string(&manifest).unwrap_or_default();
    let before = read();
    let command = manager.command(name, version);
    let timeout_ms = context.environment.setup_timeout_ms;
    let task = order.task.as_ref();
    let job = Job { name: job, command: &command, directory, task, timeout_ms, retries: 0, stop_token };
    let result = run(context, &job).map_err(super::effect_obstacle::JobError::into_text)?;
    let tail = last_bytes(result.output_tail.trim_end(), OUTPUT_BYTES_MAX);
    if result.is_timed_out {
        return Err(format!("`{command}` timed out: {tail}"));
    }
    if result.exit_status != Some(0) {
        return Err(format!("`{command}` failed: {tail}"));
    }
    let after = read();
    if !after.contains(name) {
        return Err(format!("`{command}` succeeded, but {} does not list {name}", manager.manifest()));
    }
    let changes = match changed_lines(&before, &after) {
        changes if changes.is_empty() => format!("{} listed it already", manager.manifest()),
        changes => format!("{}:\n{changes}", manager.manifest()),
    };
    Ok(AddedPackage { version: version.map(str::to_owned), changes })
}

impl PackageManager {
    /// Returns the package manager whose files a project has.
    fn of_project(directory: &Path) -> Option<Self> {
        let has = |name: &str| directory.join(name).is_file();
        if has("Cargo.toml") {
            return Some(Self::Cargo);
        }
        if has("package.json") {
            return Some(if has("pnpm-lock.yaml") {
                Self::Pnpm
            } else if has("yarn.lock") {
                Self::Yarn
            } else if has("bun.lock") || has("bun.lockb") {
                Self::Bun
            } else {
                Self::Npm
            });
        }
        if has("pyproject.toml") {
            return Some(Self::Uv);
        }
        if has("requirements.txt") {
            return Some(Self::Pip);
        }
        has("go.mod").then_some(Self::Go)
    }

    fn manifest(self) -> &'static str {
        match self {
            Self::Cargo => "Cargo.toml",
            Self::Npm | Self::Pnpm | Self::Yarn | Self::Bun => "package.json",
            Self::Uv => "pyproject.toml",
            Self::Pip => "requirements.txt",
            Self::Go => "go.mod",
        }
    }

    /// Returns the command for a shell. Names and versions have no characters with a meaning there.
    fn command(self, name: &str, version: Option<&str>) -> String {
        let with = |separator: &str| match version {
            Some(version) => format!("'{name}{separator}{version}'"),
            None => format!("'{name}'"),
        };
        match self {
            Self::Cargo => format!("cargo add {}", with("@")),
            Self::Npm => format!("npm install --save {}", with("@")),
            Self::Pnpm => format!("pnpm add {}", with("@")),
            Self::Yarn => format!("yarn add {}", with("@")),
            Self::Bun => format!("bun add {}", with("@")),
            Self::Uv => format!("uv add {}", with("==")),
            Self::Pip => {
                let package = with("==");
                format!("python3 -m pip install {package} && printf '%s\\n' {package} >> requirements.txt")
            }
            Self::Go => format!("go get {}", with("@")),
        }
    }
}

/// Returns whether a text can be the name of a package, and nothing else on a command line.
fn is_package_name(name: &str) -> bool {
    let is_allowed = |char: char| char.is_ascii_alphanumeric() || "@/._-[],+".contains(char);
    name.starts_with(|char: char| char.is_ascii_alphanumeric() || char == '@')
        && name.chars().all(is_allowed)
        && name.len() <= NAME_CHARS_MAX
        && !name.contains("..")
}

fn is_version(version: &str) -> bool {
    let is_allowed = |char: char| char.is_ascii_alphanumeric() || "._-+^~<>=*".contains(char);
    !version.is_empty() && version.len() <= NAME_CHARS_MAX && version.chars().all(is_allowed)
}

/// Returns the lines that only one of two texts has, as in a diff.
fn changed_lines(before: &str, after: &str) -> String {
    let mut changes = String::new();
    let only_in = |text: &'_ str, other: &str, mark: char, changes: &mut String| {
        for line in text.lines().filter(|line| !other.lines().any(|known| known == *line)) {
            if changes.len() + line.len() < CHANGES_BYTES_MAX {
                changes.push_str(&format!("{mark}{line}\n"));
            }
        }
    };
    only_in(before, after, '-', &mut changes);
    only_in(after, before, '+', &mut changes);
    changes
}

fn last_bytes(text: &str, count: usize) -> &str {
    let from = text.ceil_char_boundary(text.len().saturating_sub(count));
    text.get(from..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn package_manager_follows_from_the_files_of_the_project() {
        let cases: [(&[&str], Option<&str>); 9] = [
            (&["Cargo.toml"], Some("cargo add 'left@1.2'")),
            (&["package.json"], Some("npm install --save 'left@1.2'")),
            (&["package.json", "pnpm-lock.yaml"], Some("pnpm add 'left@1.2'")),
            (&["package.json", "yarn.lock"], Some("yarn add 'left@1.2'")),
            (&["package.json", "bun.lock"], Some("bun add 'left@1.2'")),
            (&["pyproject.toml", "uv.lock"], Some("uv add 'left==1.2'")),
            (&["go.mod"], Some("go get 'left@1.2'")),
            (
                &["requirements.txt"],
                Some("python3 -m pip install 'left==1.2' && printf '%s\\n' 'left==1.2' >> requirements.txt"),
            ),
            (&["Makefile"], None),
        ];
        for (files, expected) in cases {
            let folder = tempfile::tempdir().unwrap();
            files.iter().for_each(|file| fs::write(folder.path().join(file), "").unwrap());
            let command =
                PackageManager::of_project(folder.path()).map(|manager| manager.command("left", Some("1.2")));
            assert_eq!(command.as_deref(), expected, "{files:?}");
        }
    }

    #[test]
    fn names_cannot_be_options_or_commands() {
        for name in ["serde", "@types/node", "github.com/x/y", "uvicorn[standard]"] {
            assert!(is_package_name(name), "{name}");
        }
        for name in ["", "-g", "--registry=x", "a'b", "a b", "a;b", "$(x)", "../x", "a\nb"] {
            assert!(!is_package_name(name), "{name:?}");
        }
        assert!(is_version("^1.2") && !is_version("1'; rm") && !is_version(""));
        assert_eq!(changed_lines("a\nb\n", "a\nc\n"), "-b\n+c\n");
    }
}
