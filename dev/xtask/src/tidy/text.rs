//! Checks that the repository contains no path of one machine and no host of a package registry.

use super::{Complaint, File};

/// This file, which contains the forbidden texts.
const SELF: &str = "dev/xtask/src/tidy/text.rs";

/// Hosts of package registries. The registry is a setting of the machine, not of the repository.
const HOSTS: [&str; 7] = [
    "registry.npmjs.org",
    "registry.yarnpkg.com",
    "index.crates.io",
    "static.crates.io",
    "pypi.org",
    "pythonhosted.org",
    "deb.debian.org",
];

/// The constant by which Cargo.lock names the public registry, whatever host a machine uses.
const CARGO_SOURCE: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Settings that bind a build to one registry.
const REGISTRY_SETTINGS: [&str; 5] = ["[source.", "[registries", "registry=", "index-url", "replace-with"];

/// User names that are placeholders in examples.
const PLACEHOLDERS: [&str; 5] = ["user", "dev", "me", "you", "agent"];

/// Returns a complaint for every line that has a meaning on one machine only.
pub(super) fn check(files: &[File], machine_paths: &[String]) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| file.path != SELF && !file.text.contains('\0')) {
        for (n, line) in file.text.lines().enumerate() {
            let problem = if let Some(path) = machine_path(line, machine_paths) {
                format!("contains a path of one machine: {path}")
            } else if let Some(host) = registry_host(&file.path, line) {
                format!("contains the host of a registry: {host}")
            } else {
                continue;
            };
            complaints.push(Complaint::new(
                format!("{}:{}", file.path, n + 1),
                problem,
                "use paths relative to the repository; the registry is a setting of the machine",
            ));
        }
    }
    complaints
}

/// Returns the first path of a machine or a person's home in a line.
fn machine_path(line: &str, machine_paths: &[String]) -> Option<String> {
    if let Some(path) = machine_paths.iter().find(|path| line.contains(path.as_str())) {
        return Some(path.clone());
    }
    ["/home/", "/Users/"].iter().find_map(|homes| {
        line.match_indices(homes).find_map(|(at, _)| {
            let rest = line.get(at + homes.len()..)?;
            let name: String =
                rest.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '-')).collect();
            let is_user = !name.is_empty() && !PLACEHOLDERS.contains(&name.as_str());
            is_user.then(|| format!("{homes}{name}"))
        })
    })
}

/// Returns the text that binds a line to the host of a registry.
fn registry_host(path: &str, line: &str) -> Option<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let rest = line.replace(CARGO_SOURCE, "");
    let is_lock = name.ends_with(".lock") || name.contains("-lock.");
    let is_setting = path.starts_with(".cargo/") || name.starts_with('.') || name == "pip.conf";
    if let Some(host) = HOSTS.iter().find(|host| rest.contains(**host)) {
        Some((*host).to_owned())
    } else if is_lock && rest.contains("://") {
        Some(rest.trim().to_owned())
    } else if is_setting {
        REGISTRY_SETTINGS.iter().find(|setting| rest.contains(**setting)).map(|setting| (*setting).to_owned())
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::tests::{assert_complaints, files_of},
        *,
    };

    fn check_line(path: &str, line: &str, expected: &[&str]) {
        assert_complaints(&check(&files_of(&[(path, line)]), &["/srv/checkout".to_owned()]), expected);
    }

    #[test]
    fn paths_of_one_machine_are_refused() {
        check_line(
            "README.md",
            "see /srv/checkout/docs",
            &["README.md:1: contains a path of one machine: /srv/checkout"],
        );
        check_line("a.txt", "at /home/minji/app", &["a.txt:1: contains a path of one machine: /home/minji"]);
        check_line("a.txt", "at /home/user/app, ~/app or /home/$USER", &[]);
    }

    #[test]
    fn lock_files_contain_no_host_but_the_constant_of_cargo() {
        check_line("Cargo.lock", &format!("source = \"{CARGO_SOURCE}\""), &[]);
        check_line(
            "fuzz/Cargo.lock",
            "source = \"registry+https://mirror.local/index\"",
            &[
                "fuzz/Cargo.lock:1: contains the host of a registry: source = \"registry+https://mirror.local/index\"",
            ],
        );
        check_line(
            "web/package-lock.json",
            "\"resolved\": \"https://registry.npmjs.org/react\"",
            &["web/package-lock.json:1: contains the host of a registry: registry.npmjs.org"],
        );
    }

    #[test]
    fn settings_that_bind_a_build_to_a_registry_are_refused() {
        check_line(
            ".cargo/config.toml",
            "[source.crates-io]",
            &[".cargo/config.toml:1: contains the host of a registry: [source."],
        );
        check_line("docs/guide.md", "an index-url is a setting", &[]);
    }
}
