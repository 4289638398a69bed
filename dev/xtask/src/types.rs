//! `cargo xtask types`: writes the page's types anew, from those of the server.

use anyhow::Result;

use crate::shell::{self, cargo};

/// Writes `web/src/api/generated.ts`.
pub fn run() -> Result<()> {
    // The page is not needed for its types, and is not built.
    shell::run(cargo(&["run", "--quiet", "--package", "typescript"]).env("JANGDAN_WEB", "none"))
}
