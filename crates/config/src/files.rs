//! Names and limits of the configuration files. The caller searches and reads them.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

/// Name of the project's file.
pub const PROJECT_FILE: &str = "jangdan.toml";

/// Size limit of a configuration file.
pub const FILE_BYTES_MAX: usize = 256 * 1024;

/// Returns the path of the user's file; `None` if neither XDG_CONFIG_HOME nor HOME is set.
pub fn user_file(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name| variable(name).map(PathBuf::from);
    // The XDG specification ignores relative paths.
    let own = set("XDG_CONFIG_HOME").filter(|folder| folder.is_absolute());
    let home = || set("HOME").filter(|home| home != Path::new("")).map(|home| home.join(".config"));
    own.or_else(home).map(|folder| folder.join("jangdan/config.toml"))
}

#[cfg(test)]
mod tests {
    use std::{ffi::OsString, path::PathBuf};

    use super::user_file;

    #[test]
    fn user_file_follows_the_xdg_specification() {
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
