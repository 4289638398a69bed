//! `cargo xtask types`: generates the TypeScript types of the page from those of the server.

use anyhow::Result;

use crate::shell::{self, cargo_command};

/// Writes the generated file `web/src/api/generated.ts`.
pub(crate) fn run() -> Result<()> {
    // The types do not depend on the built page.
    shell::run(cargo_command(&["run", "--quiet", "--package", "typescript"]).env("JANGDAN_WEB", "none"))
}
