//! `cargo xtask web`: the checks of the page, and its tests in a browser.
//!
//! The browser opens the real server of a real run with scripted agents. Installs missing packages, with a message.

use std::{path::PathBuf, process::Command};

use anyhow::{Result, bail};
use clap::Args;

use crate::{
    shell::{self, step},
    tools,
};

/// The path of Debian's browser.
const CHROMIUM: &str = "/usr/bin/chromium";
/// Debian packages that the browser tests need, each with a file by which it is recognised.
const PACKAGES: &[(&str, &str)] =
    &[("chromium", CHROMIUM), ("fonts-noto-cjk", "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc")];

/// Options of `cargo xtask web`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Write the pictures in docs/screens
    #[arg(long)]
    pub screens: bool,
}

/// Runs the checks and the browser tests.
pub(crate) fn run(options: &Options) -> Result<()> {
    step(
        "page",
        "`npm run format` in web/ fixes most of it; `npm run test` there runs only the tests",
        check,
    )?;
    step("browser", "run it alone with `cargo xtask web`; CHROMIUM selects another browser", || {
        run_browser_tests(options)
    })
}

/// Checks format, types, unit tests and the texts of both languages.
pub(crate) fn check() -> Result<()> {
    install()?;
    shell::run(npm_command(&["run", "--silent", "check"]).env("FORCE_COLOR", "0"))
}

/// Runs the browser tests.
pub(crate) fn run_browser_tests(options: &Options) -> Result<()> {
    ensure_browser()?;
    let program = shell::build_programs(&["jangdan"])?.join("jangdan");
    let mut command = npm_command(&["exec", "--", "vitest", "run", "--config", "e2e/vitest.config.ts"]);
    command.env("JANGDAN_BIN", program).env("FORCE_COLOR", "0");
    if options.screens {
        command.env("JANGDAN_SCREENS", shell::repository_root().join("docs/screens"));
    }
    shell::run(&mut command)
}

/// Installs the page's packages and a browser if they are missing.
pub(crate) fn ensure_browser() -> Result<()> {
    install()?;
    install_browser()
}

fn web_folder() -> PathBuf {
    shell::repository_root().join("web")
}

fn npm_command(arguments: &[&str]) -> Command {
    let mut command = Command::new("npm");
    command.args(arguments).current_dir(web_folder());
    command
}

/// Installs the page's packages, including the test tools, if they are missing or outdated.
fn install() -> Result<()> {
    let changed_at = |name: &str| web_folder().join(name).metadata().and_then(|file| file.modified()).ok();
    let is_current = changed_at("node_modules/.package-lock.json") >= changed_at("package-lock.json");
    if is_current && web_folder().join("node_modules/.bin/biome").exists() {
        return Ok(());
    }
    if Command::new("npm").arg("--version").output().is_err() {
        bail!("npm is missing: install Node 20.19 or newer");
    }
    eprintln!("   the page's packages are missing: `npm install` in web/");
    shell::run(&mut npm_command(&[
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
    tools::ensure_debian_packages(PACKAGES)
}
