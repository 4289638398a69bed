//! `jangdan --version`: the version, and which holder is embedded.

use std::sync::LazyLock;

use sessions::HOLDER_TARGET;

static LONG: LazyLock<String> = LazyLock::new(|| {
    let memory = holder_memory_text(HOLDER_TARGET);
    format!("{}\nholder {HOLDER_TARGET}, {memory}", env!("CARGO_PKG_VERSION"))
});

/// Returns the text of `--version`; `-V` prints the number alone.
pub(crate) fn long() -> &'static str {
    &LONG
}

/// Returns the private memory that a holder for this target needs, as measured by `cargo xtask bench agents`.
fn holder_memory_text(target: &str) -> &'static str {
    if target.ends_with("-linux-musl") {
        "about 350 KB per session"
    } else if target.ends_with("-linux-gnu") {
        "about 640 KB per session (350 KB when built with the musl target: cargo xtask release)"
    } else {
        "memory per session not measured"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_version_names_the_embedded_holder() {
        assert!(long().starts_with(concat!(env!("CARGO_PKG_VERSION"), "\nholder ")), "{}", long());
        assert_eq!(holder_memory_text("x86_64-unknown-linux-musl"), "about 350 KB per session");
        assert!(holder_memory_text("aarch64-unknown-linux-gnu").contains("cargo xtask release"));
        assert_eq!(holder_memory_text("aarch64-apple-darwin"), "memory per session not measured");
    }
}
