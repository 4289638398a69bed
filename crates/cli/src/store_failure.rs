//! Explains errors of the store.

use std::error::Error;

use store::StoreError;

use crate::{failure::Failure, localized::localized};

/// Returns the failure for an error of the store, with its causes and a hint.
pub(crate) fn failure(error: StoreError) -> Failure {
    let mut what = error.to_string();
    if let StoreError::DirectoryMissing { path } | StoreError::LogMissing { path } = &error {
        what = localized(
            format!("There are no runs yet: {} does not exist.", path.display()),
            format!("아직 실행이 없습니다: {}", path.display()),
        );
    }
    let mut source = error.source();
    while let Some(cause) = source {
        what = format!("{what}: {cause}");
        source = cause.source();
    }
    Failure { what, hint: Some(hint(&error)), exit: 1 }
}

fn hint(error: &StoreError) -> String {
    match error {
        StoreError::DirectoryMissing { .. } | StoreError::LogMissing { .. } => localized(
            "It is created by the first run: jangdan run PLAN. If you have runs elsewhere, name their data directory: --data DIR",
            "첫 실행 때 만들어집니다: jangdan run PLAN. 다른 곳에 실행이 있다면 데이터 폴더를 지정하세요: --data DIR",
        ),
        StoreError::Locked { holder: Some(holder), .. } => localized(
            format!("Process {holder} uses it: stop that process, or use its server."),
            format!("사용 중인 프로세스: {holder}. 그 프로세스를 중지하거나 그 서버를 사용하세요."),
        ),
        StoreError::Locked { holder: None, .. } => localized(
            "Stop the other process, or use its server.",
            "다른 프로세스를 중지하거나 그 서버를 사용하세요.",
        ),
        StoreError::ReadOnly { path } | StoreError::Lock { path, .. } => localized(
            format!("Check its permissions: ls -ld {}", path.display()),
            format!("권한을 확인하세요: ls -ld {}", path.display()),
        ),
        StoreError::DiskFull { .. } => {
            localized("Free disk space, then try again.", "디스크 공간을 확보한 뒤 다시 시도하세요.")
        }
        StoreError::Corrupt { .. } | StoreError::DamagedEvent { .. } => localized(
            "Keep a copy of the file and check the disk. A backup can replace it.",
            "파일을 복사해 두고 디스크를 확인하세요. 백업으로 바꿀 수 있습니다.",
        ),
        StoreError::Foreign { .. } => localized(
            "Name a data directory of Jangdan with --data.",
            "--data 옵션으로 Jangdan의 데이터 폴더를 지정하세요.",
        ),
        StoreError::NewerVersion { .. } | StoreError::NewerEvent { .. } | StoreError::UnknownEvent { .. } => {
            localized(
                "A newer version of Jangdan wrote it: use that version.",
                "더 새로운 버전의 Jangdan이 만든 파일입니다. 그 버전을 사용하세요.",
            )
        }
        StoreError::OlderVersion { .. } => localized(
            "An older version of Jangdan wrote it. Starting a server upgrades it: jangdan serve",
            "이전 버전의 Jangdan이 만든 파일입니다. 서버를 시작하면 변환됩니다: jangdan serve",
        ),
        StoreError::Busy { .. } => {
            localized("Close the other program, then try again.", "다른 프로그램을 닫은 뒤 다시 시도하세요.")
        }
        StoreError::Open { path, .. } | StoreError::Io { path, .. } => localized(
            format!("Check the file and the disk: ls -l {}", path.display()),
            format!("파일과 디스크를 확인하세요: ls -l {}", path.display()),
        ),
        StoreError::Database { .. }
        | StoreError::Conflict { .. }
        | StoreError::AheadOfLog { .. }
        | StoreError::TooLarge { .. }
        | StoreError::Unwritable { .. }
        | StoreError::Stopped => {
            localized("This is a bug in Jangdan. Please report it.", "Jangdan의 버그입니다. 알려 주세요.")
        }
    }
}
