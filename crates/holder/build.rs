//! Has the linker put code that is hardly ever needed behind the rest, in the program as it is embedded.

use std::env;

fn main() -> Result<(), env::VarError> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=cold.ld");
    // Only the profile `holder` is made for size. Elsewhere every linker will do.
    if env::var("OPT_LEVEL")? == "s" && env::var("CARGO_CFG_TARGET_OS")? == "linux" {
        println!("cargo::rustc-link-arg-bins=-Wl,-T,{}/cold.ld", env::var("CARGO_MANIFEST_DIR")?);
    }
    Ok(())
}
