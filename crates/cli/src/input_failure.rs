//! Explains why a named file could not be read, in the language of the environment.

use domain::Locale;
use runtime::prepare::input::{InputError, InputErrorKind};

use crate::{failure::Failure, remote::environment_locale};

/// Returns the failure of a command that could not read a file named by the user.
pub(crate) fn input_failure(error: &InputError) -> Failure {
    let (what, hint) = match environment_locale() {
        Locale::En => (error.to_string(), error.hint()),
        Locale::Ko => korean_text(error),
    };
    Failure { what, hint: Some(hint), exit: 1 }
}

/// Returns what failed and what to do.
pub(crate) fn korean_text(error: &InputError) -> (String, String) {
    let path = error.path.display();
    let (what, hint) = match &error.kind {
        InputErrorKind::NotFound => ("파일이 없습니다", "경로를 확인하세요."),
        InputErrorKind::Directory => ("폴더입니다", "파일을 지정하세요."),
        InputErrorKind::NotAllowed => ("읽을 권한이 없습니다", "파일 권한을 확인하세요."),
        InputErrorKind::TooLarge { .. } => ("파일이 너무 큽니다", "더 작은 파일을 지정하세요."),
        InputErrorKind::Other(_) => ("파일을 읽을 수 없습니다", "파일과 디스크를 확인하세요."),
    };
    (format!("{path}: {what}."), hint.to_owned())
}
