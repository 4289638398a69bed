//! The number of files and the names of the first ones, for messages.

use std::path::PathBuf;

/// How many files a message names.
const NAMED_MAX: usize = 3;

/// Returns the number of files and the first names in English.
pub(super) fn files_in_english(files: &[PathBuf]) -> (String, String) {
    let unit = if files.len() == 1 { "file" } else { "files" };
    let more = match n_unnamed(files) {
        0 => String::new(),
        n_more => format!(" and {n_more} more"),
    };
    (format!("{} {unit}", files.len()), first_names(files) + &more)
}

/// Returns the number of files and the first names in Korean.
pub(super) fn files_in_korean(files: &[PathBuf]) -> (String, String) {
    let more = match n_unnamed(files) {
        0 => String::new(),
        n_more => format!(" 외 {n_more}개"),
    };
    (format!("파일 {}개", files.len()), first_names(files) + &more)
}

fn first_names(files: &[PathBuf]) -> String {
    let names = files.iter().take(NAMED_MAX).map(|path| path.display().to_string());
    names.collect::<Vec<_>>().join(", ")
}

fn n_unnamed(files: &[PathBuf]) -> usize {
    files.len().saturating_sub(NAMED_MAX)
}
