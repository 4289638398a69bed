//! Builds the holder as a small static program, so that it can be carried inside of whoever links this crate.
//!
//! Cargo can't give one package's program to another one on the stable toolchain, so it is asked a second time, with a
//! target directory of its own.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn main() -> Outcome {
    for name in ["src", "build.rs", "cold.ld", "Cargo.toml"] {
        println!("cargo::rerun-if-changed=../holder/{name}");
    }
    println!("cargo::rerun-if-changed=../../Cargo.lock");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let target = smallest_target(&env::var("TARGET")?);
    let program = build(&out, &target)?;
    let bytes = fs::read(program)?;
    // Here, because a start of a session would wait most of a millisecond for it.
    println!("cargo::rustc-env=HOLDER_MARK={:016x}", mark(&bytes));
    fs::write(out.join("jangdan-holder"), bytes)?;
    Ok(())
}

/// FNV-1a; tells versions apart, and that is all.
fn mark(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// Returns the target with musl where the toolchain has it: its C library needs half the memory of the other one.
fn smallest_target(target: &str) -> String {
    let small = target.replace("-linux-gnu", "-linux-musl");
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let found = Command::new(rustc).args(["--print", "target-libdir", "--target", &small]).output();
    let folder = found.map(|found| String::from_utf8_lossy(&found.stdout).trim().to_owned());
    if folder.is_ok_and(|folder| Path::new(&folder).is_dir()) { small } else { target.to_owned() }
}

fn build(out: &Path, target: &str) -> Result<PathBuf, Box<dyn std::error::Error>> {
    let folder = out.join("holder");
    let manifest = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../Cargo.toml");
    let mut cargo = Command::new(env::var("CARGO")?);
    cargo
        .args(["build", "--quiet", "--locked", "--package", "holder", "--bin", "jangdan-holder"])
        .args(["--profile", "holder", "--target", target])
        .arg("--manifest-path")
        .arg(manifest)
        .arg("--target-dir")
        .arg(&folder);
    // What the outer cargo is in the middle of (clippy, other flags) is none of the inner one's business.
    for name in [
        "CARGO_ENCODED_RUSTFLAGS",
        "RUSTFLAGS",
        "RUSTC_WORKSPACE_WRAPPER",
        "RUSTC_WRAPPER",
        "CARGO_TARGET_DIR",
    ] {
        cargo.env_remove(name);
    }
    if target.contains("linux") {
        // Static and at a fixed place: nothing to load, nothing to relocate, few pages of its own.
        cargo.env("RUSTFLAGS", "-C target-feature=+crt-static -C relocation-model=static");
    }
    let status = cargo.status()?;
    if !status.success() {
        return Err(format!("the holder could not be built: {status}").into());
    }
    Ok(folder.join(target).join("holder/jangdan-holder"))
}
