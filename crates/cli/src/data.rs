//! The data directory.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

use crate::{failure::Failure, localized::localized};

/// Returns the absolute path of the data directory: the named one, else the environment's.
pub(crate) fn directory(named: Option<&Path>) -> Result<PathBuf, Failure> {
    let found = named.map(Path::to_owned).or_else(|| default_directory(|name| env::var_os(name)));
    let found = found.ok_or_else(no_directory_failure)?;
    // Processes with another current directory get this path.
    std::path::absolute(&found).map_err(|error| Failure {
        what: localized(
            format!("Cannot find the data directory {} ({error}).", found.display()),
            format!("데이터 폴더를 찾을 수 없습니다: {} ({error})", found.display()),
        ),
        hint: None,
        exit: 1,
    })
}

fn default_directory(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let own = || set("XDG_DATA_HOME").or_else(|| set("HOME").map(|home| home.join(".local/share")));
    set("JANGDAN_DATA").or_else(|| own().map(|own| own.join("jangdan")))
}

fn no_directory_failure() -> Failure {
    let what = localized(
        "No data directory: neither JANGDAN_DATA nor HOME is set.",
        "데이터 폴더를 정할 수 없습니다. JANGDAN_DATA 또는 HOME을 설정하세요.",
    );
    Failure {
        what, hint: Some(localized("Use --data DIR.", "--data DIR 옵션을 사용하세요.")), exit: 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_directory_comes_from_the_first_variable_that_is_set() {
        let check = |[data, xdg, home]: [Option<&str>; 3], expected: Option<&str>| {
            let variable = |name: &str| match name {
                "JANGDAN_DATA" => data.map(OsString::from),
                "XDG_DATA_HOME" => xdg.map(OsString::from),
                _ => home.map(OsString::from),
            };
            assert_eq!(default_directory(variable), expected.map(PathBuf::from));
        };
        check([Some("/d"), Some("/x"), Some("/h")], Some("/d"));
        check([None, Some("/x"), Some("/h")], Some("/x/jangdan"));
        check([None, None, Some("/h")], Some("/h/.local/share/jangdan"));
        check([Some(""), Some(""), Some("/h")], Some("/h/.local/share/jangdan"));
        check([None; 3], None);
    }
}
