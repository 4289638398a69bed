//! Caches of package managers: private ones, so that a sandboxed program cannot change what builds of the user use.
//!
//! The registry of cargo is not downloaded again: its private folder has links to what the user's has, which the sandbox
//! can only read. Others start empty.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fs, io,
    os::unix::fs::{DirBuilderExt, symlink},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
};

/// Variables that name a cache, each with its folder. `XDG_CACHE_HOME` covers pnpm, yarn, deno, composer and others.
const CACHE_VARIABLES: &[(&str, &str)] = &[
    ("XDG_CACHE_HOME", "xdg"),
    ("npm_config_cache", "npm"),
    ("PIP_CACHE_DIR", "pip"),
    ("UV_CACHE_DIR", "uv"),
    ("GOCACHE", "go-build"),
    ("GOMODCACHE", "go-mod"),
    ("BUN_INSTALL_CACHE_DIR", "bun"),
    ("YARN_CACHE_FOLDER", "yarn"),
    ("CARGO_HOME", CARGO),
];
const CARGO: &str = "cargo";
/// Folders of these caches in the home directory, which programs use without the variables.
const SHARED_CACHES: &[&str] = &[
    ".cache",
    ".npm",
    ".cargo/registry",
    ".cargo/git",
    ".cargo/.package-cache",
    ".cargo/.global-cache",
    "go",
    ".bun/install/cache",
    ".local/share/pnpm",
];
/// Entries of the user's cargo folder that are used as they are.
const CARGO_LINKS: &[&str] = &["bin", "config", "config.toml", "credentials", "credentials.toml", "env"];
/// Browsers are large, and tests that need them do not download them.
const BROWSER_CACHE: (&str, &str) = ("PLAYWRIGHT_BROWSERS_PATH", ".cache/ms-playwright");

/// Returns the caches of the user that exist.
pub(super) fn shared_caches(home: &Path) -> Vec<PathBuf> {
    SHARED_CACHES.iter().filter_map(|name| fs::canonicalize(home.join(name)).ok()).collect()
}

/// Creates private caches below `folder`, and sets the variables that lead to them, except those in `chosen`.
pub(super) fn use_private_caches(
    folder: &Path,
    environment: &mut BTreeMap<OsString, OsString>,
    chosen: &BTreeMap<OsString, OsString>,
) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let home = environment.get(OsStr::new("HOME")).map(PathBuf::from).filter(|home| home.is_absolute());
    if let Some(home) = &home {
        let cargo =
            environment.get(OsStr::new("CARGO_HOME")).map_or_else(|| home.join(".cargo"), PathBuf::from);
        seed_cargo(&cargo, &folder.join(CARGO))?;
        let browsers = home.join(BROWSER_CACHE.1);
        if browsers.is_dir() {
            environment.entry(BROWSER_CACHE.0.into()).or_insert_with(|| browsers.into());
        }
    }
    for (variable, name) in CACHE_VARIABLES {
        if !chosen.contains_key(OsStr::new(variable)) {
            let cache = folder.join(name);
            fs::create_dir_all(&cache)?;
            environment.insert(variable.into(), cache.into());
        }
    }
    Ok(())
}

/// Creates a folder for cargo with links to the user's, once.
fn seed_cargo(from: &Path, to: &Path) -> io::Result<()> {
    if to.exists() || !from.is_dir() {
        return Ok(());
    }
    // Sessions of one process start at the same time.
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let new = to.with_extension(format!("new-{}-{number}", std::process::id()));
    // Left by a process of this id that was killed.
    match fs::remove_dir_all(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    fs::create_dir_all(&new)?;
    for name in CARGO_LINKS.iter().filter(|name| from.join(name).exists()) {
        symlink(from.join(name), new.join(name))?;
    }
    for folder in ["registry/cache", "registry/src"] {
        for registry in names_in(&from.join(folder)) {
            link_entries(&from.join(folder).join(&registry), &new.join(folder).join(&registry))?;
        }
    }
    for folder in ["git/db", "git/checkouts"] {
        link_entries(&from.join(folder), &new.join(folder))?;
    }
    // Updated in place.
    copy_folder(&from.join("registry/index"), &new.join("registry/index"))?;
    match fs::rename(&new, to) {
        // Another session created it meanwhile.
        Err(_) if to.exists() => fs::remove_dir_all(&new),
        renamed => renamed,
    }
}

fn names_in(folder: &Path) -> Vec<OsString> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name()).collect()
}

/// Creates a folder with a link to each entry of another one.
fn link_entries(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    names_in(from).iter().try_for_each(|name| symlink(from.join(name), to.join(name)))
}

fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for name in names_in(from) {
        let (from, to) = (from.join(&name), to.join(&name));
        let kind = from.symlink_metadata()?.file_type();
        if kind.is_dir() {
            copy_folder(&from, &to)?;
        } else if kind.is_file() {
            fs::copy(&from, &to)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, ffi::OsString, fs};

    use super::use_private_caches;

    #[test]
    fn private_caches_have_the_packages_of_the_user_and_chosen_variables_stay() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home");
        for (file, text) in [
            ("registry/cache/index-1/a-1.crate", "crate"),
            ("registry/index/index-1/config.json", "{}"),
            ("config.toml", "offline"),
        ] {
            let path = home.join(".cargo").join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let mut environment: BTreeMap<OsString, OsString> = [("HOME".into(), home.clone().into())].into();
        let chosen = [("GOCACHE".into(), "/chosen".into())].into();
        let caches = folder.path().join("caches");
        for _ in 0..2 {
            use_private_caches(&caches, &mut environment, &chosen).unwrap();
            environment.insert("CARGO_HOME".into(), home.join(".cargo").into());
        }
        use_private_caches(&caches, &mut environment, &chosen).unwrap();
        assert!(!environment.contains_key(std::ffi::OsStr::new("GOCACHE")));
        let cargo = caches.join("cargo");
        assert_eq!(environment[std::ffi::OsStr::new("CARGO_HOME")], cargo.as_os_str());
        for (file, text) in [("registry/cache/index-1/a-1.crate", "crate"), ("config.toml", "offline")] {
            assert_eq!(fs::read_to_string(cargo.join(file)).unwrap(), text);
        }
        // New packages and index entries stay here.
        fs::write(cargo.join("registry/cache/index-1/b-1.crate"), "new").unwrap();
        fs::write(cargo.join("registry/index/index-1/config.json"), "changed").unwrap();
        assert!(!home.join(".cargo/registry/cache/index-1/b-1.crate").exists());
        assert_eq!(fs::read_to_string(home.join(".cargo/registry/index/index-1/config.json")).unwrap(), "{}");
    }
}
