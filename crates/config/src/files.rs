//! Which files the configuration is in. Looking for them is the caller's.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

/// The project's file, in its root.
pub const PROJECT_FILE: &str = "jangdan.toml";

/// A larger file is none that somebody wrote.
pub const FILE_BYTES_MAX: usize = 256 * 1024;

/// Returns where the user's own file is, if the environment tells.
pub fn user_file(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name| variable(name).map(PathBuf::from);
    // A folder that is not named from the root on is ignored, as the standard has it.
    let own = set("XDG_CONFIG_HOME").filter(|folder| folder.is_absolute());
    let home = || set("HOME").filter(|home| home != Path::new("")).map(|home| home.join(".config"));
    own.or_else(home).map(|folder| folder.join("jangdan/config.toml"))
}

#[cfg(test)]
mod tests {
    use std::{ffi::OsString, path::PathBuf};

    use super::user_file;

    #[test]
    fn the_users_file_is_where_the_standard_says() {
        let check = |xdg: Option<&str>, home: Option<&str>, expected: Option<&str>| {
            let variable = |name: &str| match name {
                "XDG_CONFIG_HOME" => xdg.map(OsString::from),
                _ => home.map(OsString::from),
            };
            assert_eq!(user_file(variable), expected.map(PathBuf::from));
        };
        check(Some("/x"), Some("/h"), Some("/x/jangdan/config.toml"));
        check(Some("x"), Some("/h"), Some("/h/.config/jangdan/config.toml"));
        check(Some(""), Some("/h"), Some("/h/.config/jangdan/config.toml"));
        check(None, Some(""), None);
        check(None, None, None);
    }
}
