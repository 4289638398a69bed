//! `jangdan plan check FILE --rename`: new ids for repeated ones.

use std::{fs, path::Path};

use plan::{FILE_BYTES_MAX, ParseOptions, RenamedTask};
use runtime::prepare::input;

use crate::{
    failure::{Failure, print_hint},
    input_failure::input_failure,
    localized::localized,
};

/// Renames in the file, and says what was renamed.
pub(super) fn rename_duplicates(path: &Path, options: ParseOptions<'_>) -> Result<(), Failure> {
    if path == Path::new("-") {
        let what = localized("Standard input cannot be changed.", "표준 입력은 바꿀 수 없습니다.");
        let hint = localized("Name a file.", "파일을 지정하세요.");
        return Err(Failure { what, hint: Some(hint), exit: 2 });
    }
    let source = input::read(path, FILE_BYTES_MAX).map_err(|error| input_failure(&error))?;
    let (changed, renamed) = plan::rename_duplicates(&source, options);
    if changed == source {
        return Ok(());
    }
    replace(path, &changed).map_err(|error| Failure {
        what: localized(
            format!("Cannot write {} ({error}).", path.display()),
            format!("{}에 쓸 수 없습니다({error}).", path.display()),
        ),
        hint: None,
        exit: 1,
    })?;
    for RenamedTask { line, from, to } in renamed {
        print_hint(&localized(
            format!("Line {line}: task {from} is now {to}; dependencies on {from} mean the first one."),
            format!(
                "{line}행: 작업 ID를 바꿨습니다: {from} → {to}. {from}에 대한 의존성은 첫 번째 작업을 뜻합니다."
            ),
        ));
    }
    Ok(())
}

/// Replaces a file as a whole, keeping its permissions. A link stays a link.
fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let path = path.canonicalize()?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let new = path.with_file_name(format!(".{name}.jangdan"));
    let written = fs::write(&new, bytes)
        .and_then(|()| fs::set_permissions(&new, fs::metadata(&path)?.permissions()))
        .and_then(|()| fs::rename(&new, &path));
    if written.is_err() {
        // The file itself is unchanged.
        let _ = fs::remove_file(&new);
    }
    written
}
