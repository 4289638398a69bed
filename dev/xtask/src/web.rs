//! `cargo xtask web`: the checks of the page, and its tests in a browser.
//!
//! The browser looks at the real server of a real run, whose agents are played. Installs what is missing, and says so.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Result, bail};
use clap::Args;

use crate::shell::{self, step};

/// Where Debian's browser is.
const CHROMIUM: &str = "/usr/bin/chromium";
/// What the browser tests need: the browser, and signs for Korean.
const PACKAGES: &[(&str, &str)] =
    &[("chromium", CHROMIUM), ("fonts-noto-cjk", "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc")];

/// What `cargo xtask web` takes.
#[derive(Debug, Args)]
pub struct Options {
    /// Make the pictures in docs/screens anew
    #[arg(long)]
    pub screens: bool,
}

/// Runs everything about the page.
pub fn run(options: &Options) -> Result<()> {
    step(
        "page",
        "`npm run format` in web/ mends most of it; `npm run test` there runs the tests alone",
        check,
    )?;
    step("browser", "play it alone with `cargo xtask web`; CHROMIUM names another browser", || {
        browse(options)
    })
}

/// Formats, types, tests and the words of both languages.
pub fn check() -> Result<()> {
    install()?;
    shell::run(npm(&["run", "--silent", "check"]).env("FORCE_COLOR", "0"))
}

/// Plays the run in a browser.
pub fn browse(options: &Options) -> Result<()> {
    install()?;
    install_browser()?;
    let program = shell::programs(&["jangdan"])?.join("jangdan");
    let mut command = npm(&["exec", "--", "vitest", "run", "--config", "e2e/vitest.config.ts"]);
    command.env("JANGDAN_BIN", program).env("FORCE_COLOR", "0");
    if options.screens {
        command.env("JANGDAN_SCREENS", shell::root().join("docs/screens"));
    }
    shell::run(&mut command)
}

fn web() -> PathBuf {
    shell::root().join("web")
}

fn npm(words: &[&str]) -> Command {
    let mut command = Command::new("npm");
    command.args(words).current_dir(web());
    command
}

/// Installs the page's packages with the tools that test it, unless they are there.
fn install() -> Result<()> {
    let changed_at = |name: &str| web().join(name).metadata().and_then(|file| file.modified()).ok();
    let is_current = changed_at("node_modules/.package-lock.json") >= changed_at("package-lock.json");
    if is_current && web().join("node_modules/.bin/biome").exists() {
        return Ok(());
    }
    if Command::new("npm").arg("--version").output().is_err() {
        bail!("npm is missing: install Node 20.19 or newer");
    }
    eprintln!("   the page's packages are missing: `npm install` in web/");
    shell::run(&mut npm(&[
        "install",
        "--no-save",
        "--prefer-offline",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
    ]))
}

fn install_browser() -> Result<()> {
    if std::env::var_os("CHROMIUM").is_some() {
        return Ok(());
    }
    let missing = PACKAGES.iter().filter(|(_, file)| !Path::new(file).exists());
    let missing: Vec<_> = missing.map(|(package, _)| *package).collect();
    if missing.is_empty() {
        return Ok(());
    }
    eprintln!("   missing: `apt-get install {}` (once)", missing.join(" "));
    let apt = |words: &[&str]| {
        let mut command = Command::new("apt-get");
        command.args(words).env("DEBIAN_FRONTEND", "noninteractive");
        command
    };
    // A fresh machine has no lists of packages, or old ones.
    shell::run(&mut apt(&["update", "--quiet=2"]))?;
    shell::run(apt(&["install", "--yes", "--quiet=2", "--no-install-recommends"]).args(missing))
}
