//! A machine without what the page is built with: one line says what is missing, and the program is built all the same.
//!
//! The build script is compiled as cargo would, and run where only what a case names is in the path.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Command, Output},
};

const CRATE: &str = env!("CARGO_MANIFEST_DIR");
const OLD_NODE: &str = "echo v18.20.4";
const GOOD_NODE: &str = "echo v22.1.0";

/// Runs the build script where these programs are all that there is, and returns what it said and where it wrote.
fn build_with(case: &str, programs: &[(&str, &str)]) -> (String, PathBuf) {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(case);
    let _ = fs::remove_dir_all(&root);
    let [bin, home, web, out] = ["bin", "crates/server", "web", "out"].map(|name| root.join(name));
    for folder in [&bin, &home, &web, &out] {
        fs::create_dir_all(folder).unwrap();
    }
    fs::copy(Path::new(CRATE).join("missing.html"), home.join("missing.html")).unwrap();
    fs::write(web.join("package-lock.json"), "{}").unwrap();
    for (name, does) in programs {
        let path = bin.join(name);
        fs::write(&path, format!("#!/bin/sh\n{does}\n")).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    }
    let script = root.join("build-script");
    rustc(&["--crate-type", "bin", "-o"], &script, "build.rs", &out);
    let said = Command::new(&script)
        .current_dir(&home)
        .env("PATH", &bin)
        .env("OUT_DIR", &out)
        .env("CARGO_MANIFEST_DIR", &home)
        .env_remove("JANGDAN_WEB")
        .output()
        .unwrap();
    (in_words(&said), out)
}

fn rustc(words: &[&str], to: &Path, source: &str, out: &Path) {
    let mut rustc = Command::new(option_env!("RUSTC").unwrap_or("rustc"));
    rustc.args(["--edition", "2024"]).args(words).arg(to).arg(Path::new(CRATE).join(source));
    let said = rustc.env("OUT_DIR", out).output().unwrap();
    in_words(&said);
}

/// Returns what a program printed that must not fail.
fn in_words(said: &Output) -> String {
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    String::from_utf8_lossy(&said.stdout).into_owned()
}

/// What is missing is said in one line of the build, and in the page's place; and the crate can be compiled.
fn check(case: &str, programs: &[(&str, &str)], missing: &str) {
    let (said, out) = build_with(case, programs);
    let warnings: Vec<_> = said.lines().filter(|line| line.starts_with("cargo::warning=")).collect();
    assert_eq!(warnings, [format!("cargo::warning=this build has no web page: {missing}")]);
    // Whoever has installed it meanwhile builds again, and nothing else need change.
    assert!(said.contains("cargo::rerun-if-changed=") && said.contains("look-again"), "{said}");

    let page = fs::read_to_string(out.join("missing/index.html")).unwrap();
    assert!(page.contains(&format!("<p>{missing}</p>")), "{page}");
    for how in ["install Node 20.19 or newer", "cargo build", "jangdan watch", "다시 빌드하세요"] {
        assert!(page.contains(how), "{how}: {page}");
    }
    rustc(&["--crate-type", "lib", "-o"], &out.join("libassets.rlib"), "src/page/assets.rs", &out);
    let table = fs::read_to_string(out.join("assets.rs")).unwrap();
    assert!(table.contains("missing/index.html"), "{table}");
}

#[test]
fn no_node() {
    check("no-node", &[], "Node 20.19 or newer with npm builds it, and there is no Node.");
}

#[test]
fn a_node_that_does_not_start() {
    let broken = [("node", "exit 127")];
    check("broken-node", &broken, "Node 20.19 or newer with npm builds it, and there is no Node.");
}

#[test]
fn a_node_that_is_too_old() {
    let missing = "Node 20.19 or newer with npm builds it, and this is Node v18.20.4.";
    check("old-node", &[("node", OLD_NODE)], missing);
    let missing = "Node 20.19 or newer with npm builds it, and this is Node v20.18.3.";
    check("nearly-node", &[("node", "echo v20.18.3")], missing);
}

#[test]
fn packages_that_cannot_be_had() {
    let programs = [("node", GOOD_NODE), ("npm", "echo 'npm error network is away' >&2; exit 1")];
    check("no-packages", &programs, "`npm install` in web/ failed: npm error network is away");
}
