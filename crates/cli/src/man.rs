//! `jangdan man`: writes the manual pages, one for each command. `cargo xtask dist` packs them.

use std::{fs, path::PathBuf, process::ExitCode};

use clap::{Args, CommandFactory};

use crate::{failure::Failure, localized::localized};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The folder, created if it is missing
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let folder = &arguments.folder;
    let written = fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(crate::Arguments::command(), folder));
    written.map_err(|error| Failure {
        what: localized(
            format!("Cannot write the manual pages to {} ({error}).", folder.display()),
            format!("매뉴얼 페이지를 {}에 쓸 수 없습니다({error}).", folder.display()),
        ),
        hint: None,
        exit: 1,
    })?;
    Ok(ExitCode::SUCCESS)
}
