//! Builds the holder as a small static program that is embedded in this crate, and records its target.
//!
//! Stable Cargo cannot pass the binary of one package to another, so Cargo is called again with its own target directory.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

type BuildResult = Result<(), Box<dyn std::error::Error>>;

fn main() -> BuildResult {
    for name in ["src", "build.rs", "cold.ld", "Cargo.toml"] {
        println!("cargo::rerun-if-changed=../holder/{name}");
    }
    println!("cargo::rerun-if-changed=../../Cargo.lock");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let target = musl_target_if_installed(&env::var("TARGET")?);
    let program = build_holder(&out, &target)?;
    println!("cargo::rustc-env=HOLDER_TARGET={target}");
    let bytes = fs::read(program)?;
    // Computed here, because it would take most of a millisecond of a session's start.
    println!("cargo::rustc-env=HOLDER_HASH={:016x}", hash(&bytes));
    fs::write(out.join("jangdan-holder"), bytes)?;
    Ok(())
}

/// FNV-1a: distinguishes versions, and is not secure.
fn hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// Returns the musl target if the toolchain has it, because musl needs half the memory of glibc; else `target`.
fn musl_target_if_installed(target: &str) -> String {
    let small = target.replace("-linux-gnu", "-linux-musl");
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let print = |name: &str| {
        let output = Command::new(&rustc).args(["--print", name, "--target", &small]).output();
        output.map_or_else(|_| PathBuf::new(), |output| String::from_utf8_lossy(&output.stdout).trim().into())
    };
    // rustup rewrites this file when a target is added or removed.
    let components = print("sysroot").join("lib/rustlib/components");
    if components.is_file() {
        println!("cargo::rerun-if-changed={}", components.display());
    }
    if print("target-libdir").is_dir() { small } else { target.to_owned() }
}

fn build_holder(out: &Path, target: &str) -> Result<PathBuf, Box<dyn std::error::Error>> {
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
    // Settings of the outer cargo (clippy, other flags) must not reach the inner one.
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
        // Static and at a fixed address: no libraries to load and no relocations, so few private pages.
        cargo.env("RUSTFLAGS", "-C target-feature=+crt-static -C relocation-model=static");
    }
    let status = cargo.status()?;
    if !status.success() {
        return Err(format!("cannot build the holder: {status}").into());
    }
    Ok(folder.join(target).join("holder/jangdan-holder"))
}
