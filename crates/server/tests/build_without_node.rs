//! Without the tools for the page, the build prints one warning and continues.
//!
//! The build script is compiled as cargo does, and run with only the programs of a test in the path.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a failed step must fail the test")]

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Command, Output},
};

const CRATE: &str = env!("CARGO_MANIFEST_DIR");
const OLD_NODE: &str = "echo v18.20.4";
const GOOD_NODE: &str = "echo v22.1.0";

/// Runs the build script with only these programs in the path; returns its output and its output folder.
fn build_with(case: &str, programs: &[(&str, &str)]) -> (String, PathBuf) {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(case);
    let _ = fs::remove_dir_all(&root);
    let [bin, home, web, out] = ["bin", "crates/server", "web", "out"].map(|name| root.join(name));
    for folder in [&bin, &home, &web, &out] {
        fs::create_dir_all(folder).unwrap();
    }
    fs::copy(Path::new(CRATE).join("missing.html"), home.join("missing.html")).unwrap();
    fs::write(web.join("package-lock.json"), "{}").unwrap();
    for (name, script) in programs {
        let path = bin.join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    }
    let script = root.join("build-script");
    compile_with_rustc(&["--crate-type", "bin", "-o"], &script, "build.rs", &out);
    let output = Command::new(&script)
        .current_dir(&home)
        .env("PATH", &bin)
        .env("OUT_DIR", &out)
        .env("CARGO_MANIFEST_DIR", &home)
        .env_remove("JANGDAN_WEB")
        .output()
        .unwrap();
    (successful_stdout(&output), out)
}

fn compile_with_rustc(arguments: &[&str], to: &Path, source: &str, out: &Path) {
    let mut rustc = Command::new(option_env!("RUSTC").unwrap_or("rustc"));
    rustc.args(["--edition", "2024"]).args(arguments).arg(to).arg(Path::new(CRATE).join(source));
    let output = rustc.env("OUT_DIR", out).output().unwrap();
    successful_stdout(&output);
}

/// Returns the standard output of a program that must succeed.
fn successful_stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Checks that the build warns in one line, that the placeholder page has the reason, and that the crate compiles.
fn assert_missing_page_is_reported(case: &str, programs: &[(&str, &str)], missing: &str) {
    let (output, out) = build_with(case, programs);
    let warnings: Vec<_> = output.lines().filter(|line| line.starts_with("cargo::warning=")).collect();
    assert_eq!(warnings, [format!("cargo::warning=this build has no web page: {missing}")]);
    // After the tools are installed, the next build tries again without any other change.
    assert!(output.contains("cargo::rerun-if-changed=") && output.contains("try-again"), "{output}");

    let page = fs::read_to_string(out.join("missing/index.html")).unwrap();
    assert!(page.contains(&format!("<p>{missing}</p>")), "{page}");
    for instruction in ["install Node 20.19 or newer", "cargo build", "jangdan watch", "다시 빌드하세요"]
    {
        assert!(page.contains(instruction), "{instruction}: {page}");
    }
    compile_with_rustc(
        &["--crate-type", "lib", "-o"],
        &out.join("libassets.rlib"),
        "src/page/assets.rs",
        &out,
    );
    let table = fs::read_to_string(out.join("assets.rs")).unwrap();
    assert!(table.contains("missing/index.html"), "{table}");
}

#[test]
fn missing_node_is_reported() {
    assert_missing_page_is_reported(
        "no-node",
        &[],
        "The build requires Node 20.19 or newer with npm; Node is not installed.",
    );
}

#[test]
fn node_that_does_not_start_is_reported_as_missing() {
    let broken = [("node", "exit 127")];
    assert_missing_page_is_reported(
        "broken-node",
        &broken,
        "The build requires Node 20.19 or newer with npm; Node is not installed.",
    );
}

#[test]
fn too_old_node_is_reported() {
    let missing = "The build requires Node 20.19 or newer with npm; Node v18.20.4 is installed.";
    assert_missing_page_is_reported("old-node", &[("node", OLD_NODE)], missing);
    let missing = "The build requires Node 20.19 or newer with npm; Node v20.18.3 is installed.";
    assert_missing_page_is_reported("nearly-node", &[("node", "echo v20.18.3")], missing);
}

#[test]
fn failed_package_installation_is_reported() {
    let programs = [("node", GOOD_NODE), ("npm", "echo 'npm error network is down' >&2; exit 1")];
    assert_missing_page_is_reported(
        "no-packages",
        &programs,
        "`npm install` in web/ failed: npm error network is down",
    );
}
