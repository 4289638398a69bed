//! Makes the linker place rarely used code after the rest, in the embedded program.

use std::env;

fn main() -> Result<(), env::VarError> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=cold.ld");
    // Only the profile `holder` is optimized for size; other profiles work with any linker.
    if env::var("OPT_LEVEL")? == "s" && env::var("CARGO_CFG_TARGET_OS")? == "linux" {
        println!("cargo::rustc-link-arg-bins=-Wl,-T,{}/cold.ld", env::var("CARGO_MANIFEST_DIR")?);
    }
    Ok(())
}
